"""Which domains of a generalization were read from the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparsam.generalization._generalization import Generalization

_SIGNS = ("minimiser", "learned_from_rows")


def learned_from_rows(generalization: Generalization) -> tuple[str, ...]:
    """Name the attributes whose domains were learned from people's rows, and not declared.

    Their ranges and lists of categories tell something about the people. What a minimiser writes
    into `about` says so; a generalization that someone wrote by hand says nothing of the kind.

    Parameters
    ----------
    generalization : Generalization

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import Generalization, numeric_partition
    >>> by_hand = Generalization([numeric_partition("age", NumericDomain(0, 99), [18])])
    >>> learned_from_rows(by_hand)
    ()
    >>> learned_from_rows(by_hand.with_about({"minimiser": "PrivacyTree", "declared": []}))
    ('age',)
    """
    facts = generalization.about
    if not any(sign in facts for sign in _SIGNS):
        return ()
    named = facts.get("declared")
    declared = set(map(str, named)) if isinstance(named, list) else set()
    return tuple(name for name in generalization.names if name not in declared)


def joined_about(one: Generalization, other: Generalization) -> Mapping[str, Any]:
    """What is to be said of a generalization that was made from two: that it is learned, if so."""
    learned = {*learned_from_rows(one), *learned_from_rows(other)}
    if not learned:
        return {}
    declared = sorted(name for name in one.names if name not in learned)
    return {"minimiser": "made from others", "declared": declared}

"""Which quasi-identifier costs how much: leave out one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from sparsam._errors import ParameterError
from sparsam.anonymise._anonymiser import Anonymiser
from sparsam.anonymise._k_sweep import Score, aligned, divided, in_words, method_for

Then = Literal["dropped", "kept"]


@dataclass(frozen=True)
class DropOneRow:
    """What changes when one quasi-identifier is none.

    Attributes
    ----------
    name : str
    own : float
        Detail of its own that is lost as long as it is one.
    before, after : float
        Detail of all others that is lost with it, and without it.
    score : float or None
        What the score function says of the release without it.
    """

    name: str
    own: float
    before: float
    after: float
    score: float | None = None

    @property
    def cost(self) -> float:
        """Detail of the others that it takes."""
        return self.before - self.after


@dataclass(frozen=True)
class DropOne:
    """What every quasi-identifier costs, the dearest first.

    Attributes
    ----------
    rows : tuple of DropOneRow
    loss : float
        Detail that is lost with all of them.
    score : float or None
        What the score function says with all of them.
    method : str
    k, n_rows : int
    then : {"dropped", "kept"}
        What becomes of the column.
    """

    rows: tuple[DropOneRow, ...]
    loss: float
    score: float | None
    method: str
    k: int
    n_rows: int
    then: Then

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "rows": [{**asdict(r), "cost": r.cost} for r in self.rows]}

    def __str__(self) -> str:
        lines = [[self.then, "own loss", "others before", "others after", "cost", "score"]]
        for row in self.rows:
            losses = [f"{x:.4f}" for x in (row.own, row.before, row.after, row.cost)]
            lines.append([row.name, *losses, in_words(row.score)])
        lines.append(["(none)", f"{self.loss:.4f}", "-", "-", "-", in_words(self.score)])
        return aligned(lines, left=1)


def drop_one(
    X: Any,
    y: ArrayLike | None = None,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    method: Anonymiser | None = None,
    score: Score | None = None,
    then: Then = "dropped",
) -> DropOne:
    """Say for every quasi-identifier what the release would gain if it were none.

    Parameters
    ----------
    X : frame, mapping, ndarray, Table or path
    y : array-like, optional
        The true labels or numbers.
    quasi_identifiers : sequence of str, optional
        Those of the method where nothing is said.
    method : Anonymiser, optional
        How people are divided, k and all other parameters. None: `Hybrid` where there are labels,
        `Greedy` elsewhere.
    score : callable, optional
        A function of a release and of the `y` of its rows, such as `Retrained`.
    then : {"dropped", "kept"}, default="dropped"
        Whether the column is then left out, or published as it is. Only the score differs.

    Returns
    -------
    DropOne

    Notes
    -----
    A column that is kept as it is and that others know of a person undoes the promise.

    Examples
    --------
    >>> from sparsam.anonymise import Greedy
    >>> people = {"age": [20, 20, 40, 40], "noise": [1, 2, 1, 2]}
    >>> print(drop_one(people, method=Greedy(k=2)))
    dropped  own loss  others before  others after    cost  score
    age        0.0000         1.0000        0.0000  1.0000      -
    noise      1.0000         0.0000        0.0000  0.0000      -
    (none)     0.5000              -             -       -      -
    """
    if then not in ("dropped", "kept"):
        raise ParameterError(
            f"The 'then' parameter of drop_one must be 'dropped' or 'kept'. Got {then!r} instead."
        )
    chosen = method_for(method, y, quasi_identifiers)
    sample = chosen._sample(X, y, None)
    names = sample.layout.quasi_identifiers
    if len(names) < 2:
        raise ParameterError(
            "There must be two quasi-identifiers at least, to leave one out. Got one."
        )
    loss, whole = divided(chosen, sample, y, score)
    own = dict(chosen.loss_.per_attribute)
    rows = []
    for name in names:
        # what is only measured is not published, so that a column kept as it is does no harm
        one = clone(chosen).set_params(accept_unique=True)
        after, found = divided(one, sample.without(name, keep=then == "kept"), y, score)
        before = float(np.mean([own[other] for other in names if other != name]))
        rows.append(DropOneRow(name, own[name], before, after, found))
    rows.sort(key=lambda row: -row.cost)
    return DropOne(
        tuple(rows), loss, whole, type(chosen).__name__, int(chosen.k), sample.table.n_rows, then
    )

"""Which quasi-identifier costs how much: leave out one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sparsam._checks import check_choice
from sparsam._errors import ParameterError
from sparsam.anonymise._anonymiser import Anonymiser
from sparsam.anonymise._k_sweep import Score, aligned, anonymiser_for, divided, in_words

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
    anonymiser: Anonymiser | None = None,
    score: Score | None = None,
    then: Then = "dropped",
) -> DropOne:
    """Measure for every quasi-identifier what the release would gain if it were none.

    Parameters
    ----------
    X : frame, mapping, ndarray, Table or path
    y : array-like, optional
        The true labels or numbers.
    quasi_identifiers : sequence of str, optional
        Those of the anonymiser where none are given.
    anonymiser : Anonymiser, optional
        How people are divided, k and all other parameters.
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
    >>> from sparsam.anonymise import Anonymiser
    >>> people = {"age": [20, 20, 40, 40], "noise": [1, 2, 1, 2]}
    >>> print(drop_one(people, anonymiser=Anonymiser(k=2)))
    dropped  own loss  others before  others after    cost  score
    age        0.0000         1.0000        0.0000  1.0000      -
    noise      1.0000         0.0000        0.0000  0.0000      -
    (none)     0.5000              -             -       -      -
    """
    check_choice("drop_one", "then", then, ("dropped", "kept"))
    chosen = anonymiser_for(anonymiser, quasi_identifiers)
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
        trial = chosen._with(accept_unique=True)
        after, figure = divided(trial, sample.without(name, keep=then == "kept"), y, score)
        before = float(np.mean([own[other] for other in names if other != name]))
        rows.append(DropOneRow(name, own[name], before, after, figure))
    rows.sort(key=lambda row: -row.cost)
    return DropOne(
        tuple(rows),
        loss,
        whole,
        type(chosen.method_).__name__,
        int(chosen.k),
        sample.table.n_rows,
        then,
    )

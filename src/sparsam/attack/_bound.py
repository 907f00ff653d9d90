"""What no adversary can exceed, however clever."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sparsam._checks import wrong_parameter
from sparsam._errors import DataError
from sparsam._small_counts import few, publish_share, published_repr, suppress
from sparsam.attack._question import Question
from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._records import GeneralizedRecords
from sparsam.data import Cells, Split
from sparsam.generalization import Generalization

HELD_OUT = ("validation", "test")
_BLOCK = 4096  # records to look at in one go


@dataclass(frozen=True, repr=False)
class Bound:
    """An upper bound on the accuracy of any adversary that sees only a person's record.

    Attributes
    ----------
    attribute : str
    accuracy : float
        With the stated confidence, no function of the generalized record recovers the attribute
        of a new person with a higher probability.
    on_these_records : float
        No function of the generalized record recovers it for a larger share of the people it was
        computed from; certain.
    confidence : float
        Of all bounds of one table together.
    n : int
    tolerance : float or None
        A numeric value counts as recovered within this distance.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> for limit in sp.attack.bound(tree.generalization_, data):
    ...     print(limit.attribute, limit.on_these_records <= limit.accuracy <= 1, limit.n)
    disability True 800
    sex True 800
    """

    attribute: str
    accuracy: float
    on_these_records: float
    confidence: float
    n: int
    tolerance: float | None = None

    def __str__(self) -> str:
        within = "" if self.tolerance is None else f" (within {self.tolerance:g})"
        if few(self.n):
            return f"No bound is told for {self.attribute}{within}, on so few people"
        most = 100 * self.to_dict()["accuracy"]
        return (
            f"No attack on these records, however clever, recovers {self.attribute}{within} with "
            f"more than {most:.1f} % ({100 * self.confidence:g} % confidence, {self.n:,} records)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published; bounds are rounded upwards."""
        return publish_bound(asdict(self))

    def __repr__(self) -> str:
        return published_repr(self)


def publish_bound(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the facts of a bound so that it tells nothing of fewer than five people."""
    people = facts["n"]
    bounds = {
        name: publish_share(facts[name], people, "up") for name in ("accuracy", "on_these_records")
    }
    return {**facts, **bounds, "n": suppress(people)}


def bound(
    generalization: Generalization,
    data: Split,
    confidence: float = 0.95,
    reconstruction: Reconstruction | None = None,
) -> tuple[Bound, ...]:
    """Bound, for each personal attribute, the accuracy of every possible adversary.

    The best guess from a record z is right with probability A = sum over z of max over v of
    P(z, v). Its plug-in estimate from n people overstates it on average, since a maximum of
    averages is at most the average of maxima, and one person more or less moves it by at most
    1 / n. By McDiarmid's inequality A exceeds the estimate by more than sqrt(ln(1 / d) / 2n) with
    a probability of at most d; the attributes share d = 1 - confidence (union bound).

    Only the validation and test parts are counted: the generalization has not seen them.

    Parameters
    ----------
    generalization : Generalization
    data : Split
    confidence : float, default=0.95
    reconstruction : Reconstruction, optional
        Says how close a guess of a number must be, as for A1.

    Returns
    -------
    tuple of Bound

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> [limit.attribute for limit in bound(tree.generalization_, data)]
    ['disability', 'sex']
    """
    if not 0 < confidence < 1:
        raise wrong_parameter("bound", "confidence", "a float in (0, 1)", confidence)
    n = data.validation.n_rows + data.test.n_rows
    if not n:
        raise DataError("A bound needs people that the generalization was not learned from.")
    records = GeneralizedRecords.of(generalization, data)
    personal = data.train.personal
    bounds = []
    for question in (reconstruction or Reconstruction()).questions(records, data, personal):
        share = best_count(records, question) / n
        above = deviation(n, (1 - confidence) / len(personal))
        tolerance = question.tolerance if question.values is not None else None
        accuracy = min(1.0, share + above)
        bounds.append(Bound(question.name, accuracy, share, confidence, n, tolerance))
    return tuple(bounds)


def best_count(records: GeneralizedRecords, question: Question) -> int:
    """For how many people held out the best function of the record is right."""
    size = question.size
    cells, people = np.unique(
        np.concatenate([records.index[p] * size + question.codes[p] for p in HELD_OUT]),
        return_counts=True,
    )
    return most_right(question, Cells.of(cells // size, cells % size, people))


def most_right(question: Question, cells: Cells) -> int:
    """For how many people the best function of the record is right.

    Parameters
    ----------
    question : Question
    cells : Cells
        How many people have each record and value. Their lines ascend.
    """
    if question.values is None:
        firsts = np.flatnonzero(np.diff(cells.lines, prepend=-1))
        most = np.maximum.reduceat(cells.counts, firsts) if len(firsts) else cells.counts
        return int(most.sum(dtype=np.int64))
    n_records, right = int(cells.lines.max(initial=-1)) + 1, 0.0
    close, starts = question.close().astype(float), range(0, n_records, _BLOCK)
    borders = np.searchsorted(cells.lines, [*starts, n_records])
    for start, (first, last) in zip(starts, pairwise(borders), strict=True):
        people = np.zeros((min(_BLOCK, n_records - start), question.size))
        people[cells.lines[first:last] - start, cells.codes[first:last]] = cells.counts[first:last]
        right += float((people @ close).max(axis=1).sum())
    return round(right)


def deviation(n: int, failure: float) -> float:
    """How far the true accuracy may lie above the estimate, but for a probability of failure."""
    return math.sqrt(math.log(1 / failure) / (2 * n))

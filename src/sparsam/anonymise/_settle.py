"""Classes that break a promise: leave their people out, or let them join the nearest class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_share
from sparsam._errors import DataError, ReleaseError
from sparsam.anonymise._classes import SUPPRESSED, Classes
from sparsam.anonymise._privacy_models import PrivacyModel
from sparsam.anonymise._sample import Sample
from sparsam.data import Attribute

# Classes with near numbers are near one another: all methods number them along their division.
_NEIGHBOURS = 8


@dataclass(frozen=True)
class Settled:
    """Classes that all keep the promise.

    Attributes
    ----------
    classes : Classes
    n_merged : int
        Rows that had to join another class than their own.
    """

    classes: Classes
    n_merged: int


def settle(classes: Classes, sample: Sample, budget: float) -> Settled:
    """Make every class keep the promise, if that can be.

    Rows of classes that break it are suppressed where the budget allows for all of them, and join
    the classes nearest to them where it does not.

    Parameters
    ----------
    classes : Classes
    sample : Sample
        The same rows.
    budget : float
        The largest share of rows that may be suppressed.

    Raises
    ------
    ReleaseError
        More rows are suppressed already, or not even all rows together keep the promise.
    """
    allowed = budget * len(classes)
    if classes.n_suppressed > allowed:
        raise ReleaseError(
            f"At most {budget:.1%} of the {len(classes):,} rows may be suppressed. "
            f"{classes.n_suppressed:,} would be, and nothing was released."
        )
    published = np.flatnonzero(classes.of_row != SUPPRESSED)
    refused = broken(classes, sample.demand.among(published))
    if not refused:
        return Settled(classes, 0)
    n_refused = int(classes.sizes()[refused].sum())
    if classes.n_suppressed + n_refused <= allowed:
        try:
            rest = suppress(classes, sample.demand, budget)
        except DataError:  # what is left is another release, and breaks the promise elsewhere
            rest = None
        if rest is not None and rest.n_suppressed < len(rest):
            return Settled(rest, 0)
    return Settled(_Merging(classes, sample).run(refused), n_refused)


def broken(classes: Classes, demand: PrivacyModel) -> list[int]:
    """List the classes that a demand refuses; one without rows is none of them.

    Parameters
    ----------
    classes : Classes
    demand : PrivacyModel
    """
    if demand.plain_k is not None:
        sizes = classes.sizes()
        small: list[int] = np.flatnonzero((sizes > 0) & (sizes < demand.plain_k)).tolist()
        return small
    rows = classes.rows()
    return [i for i, members in enumerate(rows) if len(members) and not demand.holds(members)]


class _Merging:
    """Joins every class that is refused with the near class with which it loses least."""

    def __init__(self, classes: Classes, sample: Sample) -> None:
        self.classes = classes
        published = np.flatnonzero(classes.of_row != SUPPRESSED)
        self.demand = sample.demand.among(published)
        self.n_rows = len(published)
        self.rows = {i: members for i, members in enumerate(classes.rows()) if len(members)}
        self.scales = [_Scale(attribute) for attribute in sample.table.attributes]
        spans = [
            scale.spans(classes.of_row[published], codes[published])
            for scale, codes in zip(self.scales, sample.table.codes.T, strict=True)
        ]
        live = sorted(self.rows)
        self.spans = {number: [members[number] for members in spans] for number in live}
        self.after = dict(zip(live, [*live[1:], -1], strict=True))
        self.before = dict(zip(live, [-1, *live[:-1]], strict=True))

    def run(self, refused: list[int]) -> Classes:
        of_row = self.classes.of_row.copy()
        for first in refused:
            at = first
            while at in self.rows and not self.demand.holds(np.sort(self.rows[at])):
                at = self._join(at)
        for number, rows in self.rows.items():
            of_row[rows] = number
        return Classes(of_row, self.classes.n_classes)

    def _join(self, number: int) -> int:
        near = self._near(number)
        if not near:
            raise ReleaseError(
                f"The release must keep its promise. All {self.n_rows:,} rows together do not, and "
                "nothing was released.\n\nHint: ask for less, or bring more rows."
            )
        other = min(near, key=lambda candidate: self._cost(number, candidate))
        self.rows[other] = np.concatenate([self.rows[other], self.rows.pop(number)])
        spans = self.spans.pop(number)
        self.spans[other] = [a | b for a, b in zip(self.spans[other], spans, strict=True)]
        before, after = self.before.pop(number), self.after.pop(number)
        if before >= 0:
            self.after[before] = after
        if after >= 0:
            self.before[after] = before
        return other

    def _near(self, number: int) -> list[int]:
        near = []
        for way in (self.before, self.after):
            at = way[number]
            for _ in range(_NEIGHBOURS):
                if at < 0:
                    break
                near.append(at)
                at = way[at]
        return near

    def _cost(self, number: int, other: int) -> float:
        """Detail that is lost, summed over the rows of both, more than before."""
        total, here, there = 0.0, len(self.rows[number]), len(self.rows[other])
        for scale, a, b in zip(self.scales, self.spans[number], self.spans[other], strict=True):
            total += (here + there) * scale.width(a | b)
            total -= here * scale.width(a) + there * scale.width(b)
        return total


class _Scale:
    """How wide a set of values of one attribute is; a set is the bits of a number."""

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute
        n_values = attribute.n_values
        self.missing = 1 << n_values
        ends = np.arange(n_values, dtype=np.float64), np.arange(n_values, dtype=np.float64)
        if attribute.numeric:
            ends = attribute.lows / 2, attribute.highs / 2
        self.lows, self.highs = ends[0].tolist(), ends[1].tolist()
        self.range = self.highs[-1] - self.lows[0]

    def spans(self, of_row: NDArray[np.int64], codes: NDArray[np.uint16]) -> dict[int, int]:
        size = self.attribute.size
        sets: dict[int, int] = {}
        for cell in np.unique(of_row * size + codes).tolist():
            number, code = divmod(cell, size)
            sets[number] = sets.get(number, 0) | 1 << code
        return sets

    def width(self, span: int) -> float:
        if not self.attribute.ordered:
            return (span.bit_count() - 1) / max(1, self.attribute.size - 1)
        if span & self.missing:
            return 1.0 if span != self.missing else 0.0
        if not self.range > 0:
            return 0.0
        low = (span & -span).bit_length() - 1
        return (self.highs[span.bit_length() - 1] - self.lows[low]) / self.range


def suppress(classes: Classes, model: PrivacyModel, budget: float = 1.0) -> Classes:
    """Suppress every class that a privacy model refuses, so that the rest may be published.

    What is left is judged again as a release of its own, until nothing more is refused.

    Parameters
    ----------
    classes : Classes
        For instance of new rows, which were routed through a tree that others grew.
    model : PrivacyModel
        Bound to the same rows.
    budget : float, default=1
        The largest share of the rows that may be suppressed, those before included.

    Returns
    -------
    Classes
        With the same numbers; `n_suppressed` says how many rows are left out.

    Raises
    ------
    DataError
        More rows than allowed would have to be suppressed.

    Examples
    --------
    >>> from sparsam.anonymise._privacy_models import KAnonymity
    >>> suppress(Classes(np.array([0, 0, 1, 2, 2]), 3), KAnonymity(2)).of_row.tolist()
    [0, 0, -1, 2, 2]
    """
    check_share("suppress", "budget", budget)
    of_row = classes.of_row.copy()
    while True:
        demand = model.among(np.flatnonzero(of_row >= 0))
        rest = Classes(of_row, classes.n_classes)
        refused = [i for i, rows in enumerate(rest.rows()) if len(rows) and not demand.holds(rows)]
        if not refused:
            break
        of_row[np.isin(of_row, refused)] = -1
    if rest.n_suppressed > budget * len(of_row):
        raise DataError(
            f"At most {budget:.1%} of the {len(of_row):,} rows may be suppressed. It would take "
            f"{rest.n_suppressed:,}.\n\nHint: ask for less, or divide the table more coarsely."
        )
    return rest

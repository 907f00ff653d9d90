"""t-closeness: those who are published as one are spread as everybody is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.anonymise.privacy._base import (
    ROUNDING,
    Others,
    Rows,
    SimpleModel,
    Values,
    given,
    is_number,
    sensitive_attribute,
    sensitive_values,
    wrong_parameter,
)
from sparsam.anonymise.proof._certificate import (
    ClosenessTerms,
)
from sparsam.data import Table


@dataclass(frozen=True)
class Closeness(SimpleModel):
    """A class tells little more about the sensitive value than the whole table does.

    The distance between the spread of values in the class and in the whole table is at most t
    (Li et al. 2007). *Equal*: any two values are equally far apart, so that the distance is half
    the sum of the differences of shares. *Ordered*: the distance is the mean difference of the
    cumulated shares. A missing value is as far from every other as the least from the most.

    Parameters
    ----------
    t : float
        From 0 (the very same spread) to 1 (anything).
    sensitive : str
        The column.
    distance : {"equal", "ordered"}, default="equal"
        Ordered needs numbers or ordered categories.

    Notes
    -----
    Where an ordered value may be missing, the distance is |p - q| + (1 - p) d, with p and q the
    missing shares in the class and in the table and d the distance among those who have a value.
    This is never less than the earth mover's distance, and a demand on it stays monotone.

    Examples
    --------
    >>> from sparsam.data import read
    >>> table = read({"income": [1, 2, 3, 4, 5, 6, 7, 8, 9]})
    >>> Closeness(0.2, "income", "ordered").bound(table).distance_of(np.array([0, 1, 2]))
    0.375
    """

    t: float
    sensitive: str
    distance: Literal["equal", "ordered"] = "equal"
    _values: Values | None = field(default=None, repr=False, compare=False)
    _whole: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not is_number(self.t) or not 0 <= self.t <= 1:
            raise wrong_parameter(self, "t", "a number from 0 to 1", self.t)
        if self.distance not in ("equal", "ordered"):
            raise wrong_parameter(self, "distance", "'equal' or 'ordered'", self.distance)

    @property
    def terms(self) -> ClosenessTerms:
        """The demand, as a certificate states it."""
        found = self._values
        return ClosenessTerms(
            t=float(self.t),
            sensitive=self.sensitive,
            distance=self.distance,
            order=found.order if found is not None and self.distance == "ordered" else None,
            bins=None if found is None else found.bins,
        )

    def bound(self, table: Table, others: Others | None = None) -> Closeness:
        """Return the same model, with its sensitive column."""
        if self.distance == "ordered" and not sensitive_attribute(self.sensitive, table).ordered:
            raise ParameterError(
                "The 'distance' parameter of Closeness must be 'equal' for categories without an "
                f"order. '{self.sensitive}' has none.\n\nHint: declare its order in the roles."
            )
        values = sensitive_values(self.sensitive, table)
        everybody = np.arange(table.n_rows)
        return replace(self, _values=values, _whole=values.counts(everybody))

    def among(self, rows: Rows) -> Closeness:
        """Return the same demand for a release of these rows only: their spread is the whole.

        A release is compared with itself: suppressed rows do not count.

        Parameters
        ----------
        rows : ndarray of int
        """
        return replace(self, _whole=given(self._values, self).counts(rows))

    def distance_of(self, rows: Rows) -> float:
        """Measure how far the spread among these rows is from that in the whole table."""
        values, whole = given(self._values, self), given(self._whole, self)
        inside = values.counts(rows)
        occurs = whole > 0
        if inside[~occurs].any():
            return 1.0  # a value that the whole does not have at all
        p, q = inside[occurs] / inside.sum(), whole[occurs] / whole.sum()
        if self.distance == "equal":
            return float(np.abs(p - q).sum() / 2)
        if values.missing and occurs[-1]:
            known = _ordered_distance(p[:-1], q[:-1])
            return min(1.0, abs(float(p[-1] - q[-1])) + float(1 - p[-1]) * known)
        return _ordered_distance(p, q)

    def holds(self, rows: Rows) -> bool:
        """Whether these rows tell little more than the whole table."""
        return bool(len(rows)) and self.distance_of(rows) <= self.t + ROUNDING


def _ordered_distance(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Earth mover's distance between two spreads over values in order, each made to sum to 1."""
    if len(p) < 2 or not p.sum() or not q.sum():
        return 0.0
    apart = np.cumsum(p / p.sum() - q / q.sum())
    return float(np.abs(apart[:-1]).sum() / (len(p) - 1))

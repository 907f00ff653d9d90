"""Whole numbers of a small range, which come home as they are and find their slots here.

An engine needs several steps to find the code of a number, an array in memory one. So whole numbers
that matter within a range of some ten thousand are shifted to begin at 1, with 0 for a missing one,
and looked up after they came.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source.lazy._plan import ColumnPlan
from sparsam.data.source.lazy._stream import Codes

_WIDEST = 2**16 - 1
# Beyond it a 64-bit float does not tell neighbours apart.
_LARGEST = 2**53


class WholeNumbers(NamedTuple):
    """Where the whole numbers of a column come home to.

    Attributes
    ----------
    low, high : int
        Numbers below or above count as these.
    slots : ndarray
        The slot of a missing value, and of each number from `low` to `high`.
    """

    low: int
    high: int
    slots: NDArray[Any]

    @property
    def dtype(self) -> type[np.uint8] | type[np.uint16]:
        """The smallest unsigned type that holds every shifted number."""
        return np.uint8 if len(self.slots) <= 256 else np.uint16

    def sql(self, column: str) -> str:
        """The shifted number, in DuckDB's and Spark's SQL."""
        inside = f"least(greatest({column}, {self.low}), {self.high})"
        return f"CASE WHEN {column} IS NULL THEN 0 ELSE {inside} - {self.low - 1} END"

    def looked_up(self, shifted: NDArray[Any]) -> Codes:
        """The slots of shifted numbers."""
        return np.asarray(np.take(self.slots, shifted))


def whole_numbers(plan: ColumnPlan) -> WholeNumbers | None:
    """Find the range in which the numbers of a plan matter; None where it is too wide.

    Parameters
    ----------
    plan : ColumnPlan
        Of a column that holds whole numbers.

    Examples
    --------
    >>> whole_numbers(ColumnPlan("age", "number", cuts=[17, 19.5], missing=2))
    WholeNumbers(low=16, high=21, slots=array([2, 0, 1, 1, 1, 2, 2], dtype=uint8))
    """
    edges = [*(plan.steps[0] if plan.groups is None else plan.slot_of), *plan.gone]
    if not edges or not all(abs(edge) < _LARGEST for edge in edges):
        return None
    low, high = math.floor(min(edges)) - 1, math.ceil(max(edges)) + 1
    if high - low + 2 > _WIDEST:
        return None
    numbers = np.arange(low, high + 1)
    slots = _slots(plan, numbers)
    slots[np.isin(numbers, plan.gone)] = plan.missing_slot
    return WholeNumbers(low, high, np.append(plan.missing_slot, slots).astype(plan.dtype))


def _slots(plan: ColumnPlan, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    if plan.groups is None:
        cuts, slots = plan.steps
        return np.asarray(slots)[np.searchsorted(cuts, numbers, side="right")]
    return np.array([plan.slot_of.get(float(number), plan.outside_slot) for number in numbers])

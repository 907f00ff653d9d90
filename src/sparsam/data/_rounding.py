"""Round numbers in the place of people's own: ends of ranges, and cuts between two people."""

from __future__ import annotations

import math
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.data._domain import NumericDomain

_STEPS = 8  # of the range, so that an end moves by an eighth of it at most
_WHOLE_STEP = 5.0
_DIGITS = 18  # more than a float has


def rounded_range(values: NDArray[np.float64], counts: NDArray[np.int64]) -> NumericDomain:
    """The range of a column, as wide as it takes to tell nobody's own number.

    An end that at least five people share stays as it is; another one moves outwards to a round
    number.

    Parameters
    ----------
    values : ndarray of float
        The distinct numbers of the column, ascending.
    counts : ndarray of int
        How many people have each of them.

    Examples
    --------
    >>> ages = np.array([18.0, 30.0, 94.0])
    >>> rounded_range(ages, np.array([7, 20, 1]))
    NumericDomain(low=18.0, high=95.0, integer=True)
    """
    low, high = float(values[0]), float(values[-1])
    whole = bool((np.floor(values) == values).all())
    step = _step(low, high, whole)
    if counts[0] < SMALLEST_COUNT:
        low = min(low, _outwards(low, step, ROUND_FLOOR))
    if counts[-1] < SMALLEST_COUNT:
        high = max(high, _outwards(high, step, ROUND_CEILING))
    return NumericDomain(low, high, whole)


def _step(low: float, high: float, whole: bool) -> Decimal:
    """A step of 1, 2 or 5 times a power of ten, an eighth of the range or somewhat less."""
    # halves keep the difference of two huge numbers finite
    extent = 2 * Decimal(high / 2 - low / 2) or Decimal(max(abs(low), abs(high))) or Decimal(1)
    eighth = extent / _STEPS
    power = Decimal(1).scaleb(eighth.adjusted())
    step = max(unit * power for unit in (1, 2, 5) if unit * power <= eighth)
    return max(step, Decimal(_WHOLE_STEP)) if whole else step


def _outwards(end: float, step: Decimal, rounding: str) -> float:
    # the shortest decimal of a float, so that a tenth is a tenth
    rounded = float((Decimal(repr(end)) / step).to_integral_value(rounding) * step)
    return rounded if math.isfinite(rounded) else math.copysign(sys.float_info.max, rounded)


def round_cut(low: float, high: float) -> float:
    """The roundest number in (low, high]: a cut that people remember and nobody is known by.

    Examples
    --------
    >>> round_cut(17, 23), round_cut(61, 62), round_cut(0.123, 0.149), round_cut(51_230, 54_999)
    (20.0, 62.0, 0.14, 54000.0)
    """
    if low < 0 <= high:
        return 0.0
    # The shortest decimal of a float, so that a tenth is a tenth.
    exact, below = Decimal(repr(float(high))), Decimal(repr(float(low)))
    longest = max(exact.adjusted(), below.adjusted()) + 1
    for exponent in range(longest, exact.adjusted() - _DIGITS, -1):
        for step in (10, 5):
            unit = Decimal(step).scaleb(exponent - 1)
            candidate = float((exact / unit).to_integral_value(ROUND_FLOOR) * unit)
            if low < candidate <= high:
                return candidate
    return high

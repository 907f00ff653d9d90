"""The values that an attribute can take."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._small_counts import SMALLEST_COUNT

Category = str | int | float | bool


class NumericDomain(msgspec.Struct, frozen=True, tag_field="type", tag="numeric"):
    """A range of numbers, both ends included.

    Parameters
    ----------
    low, high : float
        The smallest and the largest number.
    integer : bool, default=False
        Whether only whole numbers occur.

    Examples
    --------
    >>> NumericDomain(0, 99, integer=True)
    NumericDomain(low=0.0, high=99.0, integer=True)
    """

    low: float
    high: float
    integer: bool = False

    def __post_init__(self) -> None:
        for end in ("low", "high"):
            msgspec.structs.force_setattr(self, end, float(getattr(self, end)))
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise DataError(
                "The ends of a numeric domain must be finite numbers with low <= high. "
                f"Got {self.low} and {self.high} instead."
            )


class CategoricalDomain(msgspec.Struct, frozen=True, tag_field="type", tag="categorical"):
    """A list of categories.

    Parameters
    ----------
    categories : tuple of str, int, float or bool
        Every category once. Whole floats become ints (1.0 is the category 1). None at all where
        they are not listed, as of an attribute that is not collected.
    ordered : bool, default=False
        Whether the list runs from least to most.

    Examples
    --------
    >>> CategoricalDomain(("low", "high"), ordered=True)
    CategoricalDomain(categories=('low', 'high'), ordered=True)
    """

    categories: tuple[Category, ...]
    ordered: bool = False

    def __post_init__(self) -> None:
        categories = tuple(plain(category) for category in self.categories)
        msgspec.structs.force_setattr(self, "categories", categories)
        check_categories(categories)


Domain = NumericDomain | CategoricalDomain


def plain(value: object) -> Category:
    """Return a category as a plain Python value: whole floats as ints, numpy scalars unwrapped.

    Examples
    --------
    >>> plain(2.0)
    2
    """
    item = getattr(value, "item", None)
    if callable(item) and not isinstance(value, (str, int, float)):
        value = item()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(value)
    raise DataError(
        "A category must be a text, a number or a truth value. "
        f"Got a {type(value).__name__} instead."
    )


def check_categories(categories: Sequence[Category]) -> None:
    """Refuse a category that occurs twice and NaN."""
    if any(isinstance(category, float) and not math.isfinite(category) for category in categories):
        raise DataError("A category must be finite: missing values are no category.")
    twice = len(categories) - len(set(categories))
    if twice:
        raise DataError(f"Every category must occur once. Got {twice} repeated instead.")


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


def middles(lows: NDArray[np.float64], highs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The middle of each range, without the noise of the arithmetic; a number that is one range.

    Examples
    --------
    >>> middles(np.array([0.1, 7.0]), np.array([0.5, 7.0])).tolist()
    [0.3, 7.0]
    """
    halves = (lows + (highs - lows) / 2).tolist()
    short = np.array([float(f"{half:.15g}") for half in halves], dtype=np.float64)
    return np.clip(short, lows, highs)


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

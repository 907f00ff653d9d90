"""The values that an attribute can take."""

from __future__ import annotations

import datetime
import math
import numbers
import sys
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._documents import Written
from sparsam._errors import DataError, hint
from sparsam._small_counts import SMALLEST_COUNT
from sparsam.data._calendar import (
    Order,
    Unit,
    ages,
    calendar_cut,
    coarser,
    ends,
    moment,
    number_of,
    starts,
)

Category = str | int | float | bool

if TYPE_CHECKING:
    Number = float
else:  # what a document may hold; a domain and a partition hold numbers only
    _TEXT = Annotated[str, Meta(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2})$")]
    Number = float | _TEXT

_UNIT = "date: days, written as 1960-01-31; time: minutes of the day, written as 08:30."
_ORDER = "What a date such as 3/4/2020 means, where a text is to be read."
_AGE = "The numbers are ages in whole years on this day, found from dates of birth."


class NumericDomain(
    msgspec.Struct, frozen=True, tag_field="type", tag="numeric", omit_defaults=True
):
    """A range of numbers, of dates or of times of day, both ends included.

    Parameters
    ----------
    low, high : float
        The smallest and the largest number. With a unit a text such as "1960-01-31" or "08:30",
        or a `datetime.date` or `datetime.time`.
    integer : bool, default=False
        Whether only whole numbers occur. Dates and times of day are whole numbers.
    unit : {"date", "time"} or None, default=None
        "date" for days, counted from 1970-01-01; "time" for minutes of the day.
    order : {"day/month/year", "month/day/year"} or None, default=None
        What a text such as "3/4/2020" means; None where such a text is no date. Texts such as
        "2020-04-03" and "3.4.2020" need no order.
    age_on : str or None, default=None
        The day, as "2024-12-31", on which the ages are found where dates of birth come instead of
        ages.

    Examples
    --------
    >>> NumericDomain(0, 99, integer=True)
    NumericDomain(low=0.0, high=99.0, integer=True)
    >>> NumericDomain("1931-01-01", "2009-12-31", unit="date")
    NumericDomain(low='1931-01-01', high='2009-12-31', integer=True, unit='date')
    """

    low: Number
    high: Number
    # made, and not merely given: this field is always written
    integer: Annotated[bool, Meta(extra_json_schema={"default": False})] = msgspec.field(
        default_factory=bool
    )
    unit: Annotated[Unit | None, Meta(description=_UNIT)] = None
    order: Annotated[Order | None, Meta(description=_ORDER)] = None
    age_on: Annotated[str | None, Meta(description=_AGE)] = None

    def __post_init__(self) -> None:
        self._check_kind()
        for end in ("low", "high"):
            msgspec.structs.force_setattr(self, end, self.number(getattr(self, end)))
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise DataError(
                "The ends of a numeric domain must be finite numbers with low <= high. "
                f"Got {self.low} and {self.high} instead."
            )

    def _check_kind(self) -> None:
        if self.unit is not None or self.age_on is not None:
            msgspec.structs.force_setattr(self, "integer", True)
        if self.age_on is not None:
            if self.unit is not None:
                raise DataError("An age is a number of years: it has no unit of its own.")
            check_day("The 'age_on' of a domain", self.age_on)
        if self.order is not None and self.unit != "date" and self.age_on is None:
            raise DataError("Only dates have an order of day, month and year.")

    def number(self, value: Any) -> float:
        """Return a number of this domain from what a person or a document writes."""
        if self.unit is None:
            if isinstance(value, str | datetime.date | datetime.time):
                raise DataError(
                    "The numbers of a domain must be numbers. Got a text, a date or a time "
                    "instead."
                    + hint("give unit='date' or unit='time'", 'kind = "date" in the roles file')
                )
            return float(value)
        try:
            number: float | None = value if isinstance(value, Written) else None
            if not isinstance(value, int | float):  # which could be years or days: nobody knows
                number = number_of(self.unit, value)
            return moment(self.unit, math.nan if number is None else number)
        except (TypeError, ValueError):
            example = "1960-01-31" if self.unit == "date" else "08:30"
            raise DataError(
                f"A domain of {self.unit}s must have ends and cuts such as '{example}'."
            ) from None

    def __repr__(self) -> str:
        named = ", ".join(
            f"{name}={getattr(self, name)!r}"
            for name in self.__struct_fields__
            if name in ("low", "high", "integer") or getattr(self, name) is not None
        )
        return f"NumericDomain({named})"


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


_OLDEST = 150  # what is more is no age, but perhaps a day such as 19600131


def reader_of(domain: NumericDomain) -> Callable[[Any], float | None] | None:
    """Return how one date, time of day or date of birth becomes a number; None for plain numbers.

    What is returned raises TypeError for a value that is nothing of the kind: for a bare number
    where dates are expected, since nobody knows whether it is a year or a day.

    Examples
    --------
    >>> reader_of(NumericDomain("08:00", "20:00", unit="time"))("08:30")
    510
    >>> reader_of(NumericDomain(0, 99, age_on="2024-12-31"))("1990-06-01")
    34
    """
    unit, order, on = domain.unit, domain.order, domain.age_on
    if unit is not None:
        return lambda value: number_of(unit, value, order)
    if on is None:
        return None

    def age(value: Any) -> float | None:
        if type(value) is not bool and isinstance(value, numbers.Real):
            if math.isnan(value):
                return None
            if value <= _OLDEST:
                return float(value)  # an age already
        birth = number_of("date", value, order)
        return None if birth is None else int(ages(on, np.array([birth]))[0])

    return age


def check_day(what: str, day: object) -> None:
    """Raise unless a text is a day such as 2024-12-31."""
    try:
        known = isinstance(day, str) and datetime.date.fromisoformat(day).isoformat() == day
    except ValueError:
        known = False
    if not known:
        raise DataError(f"{what} must be a day such as '2024-12-31'.")


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


def calendar_range(
    unit: Unit, level: str, days: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[float, float]:
    """The first and the last day (or minute) of a column, told so that it is nobody's own.

    Both lie at the edge of a period, and of a longer one where fewer than five people have a
    day in the outermost period.

    Parameters
    ----------
    unit : {"date", "time"}
    level : str
        The period that values are read in.
    days : ndarray of int
        The distinct days or minutes, ascending.
    counts : ndarray of int
        How many people have each of them.
    """
    outer = []
    for end, edges in ((0, starts), (-1, ends)):
        own = starts(level, days) == starts(level, days[[end]])
        told = level if counts[own].sum() >= SMALLEST_COUNT else coarser(unit, level)
        outer.append(moment(unit, int(edges(told, days[[end]])[0])))
    return outer[0], outer[1]


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


def cut_between(domain: NumericDomain, below: float, above: float) -> float:
    """The roundest cut in (below, above]: a round number, or the first day of a year or month.

    Examples
    --------
    >>> cut_between(NumericDomain(0, 99), 17, 23)
    20.0
    >>> births = NumericDomain("1931-01-01", "2009-12-31", unit="date")
    >>> births.number(cut_between(births, births.number("1958-07-31"), births.number("1961-02-01")))
    '1960-01-01'
    """
    return (
        round_cut(below, above) if domain.unit is None else calendar_cut(domain.unit, below, above)
    )


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

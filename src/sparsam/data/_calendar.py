"""Days and times of day as whole numbers: read as people write them, cut where calendars do."""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam._documents import Written

Unit = Literal["date", "time"]
Order = Literal["day/month/year", "month/day/year"]
ORDERS: Final[tuple[Order, Order]] = ("day/month/year", "month/day/year")

_EPOCH: Final = datetime.date(1970, 1, 1).toordinal()
FIRST_DAY: Final = datetime.date.min.toordinal() - _EPOCH
LAST_DAY: Final = datetime.date.max.toordinal() - _EPOCH
LAST_MINUTE: Final = 24 * 60 - 1

_CLOCK: Final = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?(?:\s?([AaPp])\.?[Mm]\.?)?"
_ZONE: Final = r"(?:\s?(?:[Zz]|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?))?"
_AFTER: Final = rf"(?:(?:T|,?\s+){_CLOCK}{_ZONE})?"
_MONTH: Final = r"([A-Za-z]{3,9})\.?"
_YEAR_FIRST: Final = re.compile(rf"([0-9]{{4}})([-/.])([0-9]{{1,2}})\2([0-9]{{1,2}}){_AFTER}")
_YEAR_LAST: Final = re.compile(rf"([0-9]{{1,2}})([-/.])([0-9]{{1,2}})\2([0-9]{{4}}){_AFTER}")
_NAMED: Final = re.compile(rf"([0-9]{{1,2}})([-/ ]){_MONTH}\2([0-9]{{4}}){_AFTER}")
_NAME_FIRST: Final = re.compile(rf"{_MONTH}( )([0-9]{{1,2}}),? ([0-9]{{4}}){_AFTER}")
_NAMED_MONTH: Final = re.compile(rf"{_MONTH}([-/ ])([0-9]{{4}})")
_YEAR_MONTH: Final = re.compile(r"([0-9]{4})([-/])([0-9]{2})")
_TIME: Final = re.compile(_CLOCK)


class Day(Written):
    """A day, as the number of days since 1970-01-01, which documents write as a date."""

    __slots__ = ()

    def __str__(self) -> str:
        return date_of(self).isoformat()


class Minute(Written):
    """A time of day, as the minutes since midnight, which documents write as 08:30."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{int(self) // 60:02}:{int(self) % 60:02}"


def date_of(day: float) -> datetime.date:
    """Return the date of a number of days since 1970-01-01.

    Examples
    --------
    >>> date_of(-1)
    datetime.date(1969, 12, 31)
    """
    return datetime.date.fromordinal(int(day) + _EPOCH)


def time_of(minute: float) -> datetime.time:
    """Return the time of day of a number of minutes since midnight."""
    return datetime.time(int(minute) // 60, int(minute) % 60)


def day_of(date: datetime.date) -> int:
    """Return the number of days since 1970-01-01."""
    return date.toordinal() - _EPOCH


def moment(unit: Unit, number: float) -> Written:
    """Return a number as a day or as a time of day, or raise ValueError where it is none."""
    first, last = (FIRST_DAY, LAST_DAY) if unit == "date" else (0, LAST_MINUTE)
    if not (float(number).is_integer() and first <= number <= last):
        raise ValueError("a whole number of days of the calendar, or of minutes of a day")
    return Day(number) if unit == "date" else Minute(number)


def number_of(unit: Unit, value: Any, order: Order | None = None) -> int | None:
    """Return a date, a time of day or a text of one as a number; None where it is missing.

    A moment counts as the day that its own clock shows, a month as its first day. A number is no
    date, unless it is a day written as 19600131. Names of months are English.

    Parameters
    ----------
    unit : {"date", "time"}
    value : date, datetime, time, text, datetime64, whole number or None
    order : {"day/month/year", "month/day/year"} or None
        What a text such as 3/4/2020 means; None where nobody said it.

    Raises
    ------
    TypeError
        The value is nothing of the kind.

    Examples
    --------
    >>> import datetime
    >>> number_of("date", datetime.date(1970, 2, 1)), number_of("date", "31.12.1969")
    (31, -1)
    >>> number_of("time", "8:30")
    510
    """
    if unit == "date" and isinstance(value, numbers.Real) and value == value:  # noqa: PLR0124
        value = f"{float(value):.0f}" if float(value).is_integer() else ""
    if isinstance(value, str):
        number = _date(value.strip(), order) if unit == "date" else _time(value.strip())
        if number is None:
            raise TypeError("a text that is no date")
        return number
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return None
    if isinstance(value, float | np.datetime64) and value != value:  # noqa: PLR0124 - NaN and NaT
        return None
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if unit == "date" and isinstance(value, datetime.date):
        return value.toordinal() - _EPOCH
    if unit == "time" and isinstance(value, datetime.time):
        return value.hour * 60 + value.minute
    raise TypeError(type(value).__name__)


def days_of(values: NDArray[np.datetime64]) -> tuple[NDArray[np.int64], bool]:
    """Return moments as days, and whether any of them has a time of day."""
    days = values.astype("datetime64[D]")
    return days.astype(np.int64), bool((days != values).any())


def ages(day: str, births: NDArray[Any]) -> NDArray[np.float64]:
    """Return the age in whole years, on one day, of people who were born on these days.

    Parameters
    ----------
    day : str
        Such as "2024-12-31".
    births : ndarray
        Days since 1970-01-01; NaN where one is missing, and then the age is.

    Examples
    --------
    >>> ages("2024-12-31", np.array([day_of(datetime.date(1990, 12, 31)), 0, np.nan]))
    array([34., 54., nan])
    """
    on = datetime.date.fromisoformat(day)
    known = ~np.isnan(births)
    born = np.where(known, births, 0).astype(np.int64).astype("datetime64[D]")
    months = born.astype("datetime64[M]")
    years = born.astype("datetime64[Y]").astype(np.int64) + 1970
    in_year = (months.astype(np.int64) % 12 + 1) * 100 + (born - months).astype(np.int64) + 1
    whole = on.year - years - (in_year > on.month * 100 + on.day)
    return np.where(known, whole, np.nan)


class TextMoments(NamedTuple):
    """Texts that are all dates, or all times of day.

    Attributes
    ----------
    unit : {"date", "time"}
    numbers : ndarray of int64
        One for each text.
    order : {"day/month/year", "month/day/year"} or None
        What the texts showed, where they have to be told apart.
    written : str
        How the texts are written, in words.
    clock : bool
        Whether a time of day beside the date is lost.
    """

    unit: Unit
    numbers: NDArray[np.int64]
    order: Order | None
    written: str
    clock: bool


AMBIGUOUS: Final = "ambiguous"


def read_texts(
    texts: Iterable[str], order: Order | None = None
) -> TextMoments | Literal["ambiguous"] | None:
    """Read texts as dates or as times of day, if every one of them is one.

    Parameters
    ----------
    texts : iterable of str
        At least one.
    order : {"day/month/year", "month/day/year"} or None
        What a text such as 3/4/2020 means; None to find out from all texts together.

    Returns
    -------
    TextMoments, "ambiguous" or None
        "ambiguous" where day and month could be either way round in every text, None where one
        text is something else.

    Examples
    --------
    >>> read_texts(["31/1/2020", "3/4/2020"]).order
    'day/month/year'
    >>> read_texts(["3/4/2020"]), read_texts(["3/4/2020", "none"])
    ('ambiguous', None)
    >>> read_texts(["Apr-2016", "Dec-2015"]).written
    'name of the month-year'
    """
    listed = [text.strip() for text in texts]
    if _TIME.fullmatch(listed[0]):
        minutes = _all(map(_time, listed))
        return None if minutes is None else TextMoments("time", minutes, None, "hour:minute", False)
    texts_read = []
    for text in listed:
        parsed = _parsed(text)
        if parsed is None:
            return None
        texts_read.append(parsed)
    if all(parsed.is_span for parsed in texts_read):
        return None
    shapes = {parsed.shape for parsed in texts_read}
    clock = any(parsed.minutes for parsed in texts_read)
    if not any("?" in shape for shape in shapes):
        days = _all(parsed.day(None) for parsed in texts_read)
        written = " or ".join(sorted(shapes))
        return None if days is None else TextMoments("date", days, order, written, clock)
    readings = {
        known: _all(parsed.day(known) for parsed in texts_read)
        for known in (ORDERS if order is None else (order,))
    }
    fitting = {known: days for known, days in readings.items() if days is not None}
    if len(fitting) > 1:
        return AMBIGUOUS
    for known, days in fitting.items():
        parts = known.split("/")
        written = " or ".join(sorted(shape.replace("?", "{}").format(*parts) for shape in shapes))
        return TextMoments("date", days, known, written, clock)
    return None


def _all(found: Iterable[int | None]) -> NDArray[np.int64] | None:
    kept = []
    for number in found:
        if number is None:
            return None
        kept.append(number)
    return np.array(kept, dtype=np.int64)


class _Parsed(NamedTuple):
    """A text that may be a date, taken apart.

    Attributes
    ----------
    year : int
    first, second : int
        Month and day; in the order of the text where the shape does not tell them apart.
    shape : str
        How it is written, with "?" where day and month could be either way round.
    minutes : int
        The time of day beside it, 0 where there is none.
    """

    year: int
    first: int
    second: int
    shape: str
    minutes: int = 0

    def day(self, order: Order | None) -> int | None:
        """Return the number of days since 1970-01-01; None where there is no such day."""
        if "?" in self.shape and order is None:
            return None
        month, day = self.first, self.second
        if "?" in self.shape and order == "day/month/year":
            month, day = day, month
        try:
            return datetime.date(self.year, month, day).toordinal() - _EPOCH
        except ValueError:
            return None

    @property
    def is_span(self) -> bool:
        """Whether a month such as 2010-11 could as well be two years, such as a school year."""
        return self.shape in _SPANS and self.first == (self.year + 1) % 100


_SPANS: Final = ("year-month", "year/month")
_FIRST_YEAR, _LAST_YEAR = 1800, 2199  # another number before a dash is a code, not a year


def _parsed(text: str) -> _Parsed | None:
    """Take a text apart, if it is written like a date or like a month."""
    for pattern in (_YEAR_FIRST, _YEAR_LAST, _NAMED, _NAME_FIRST):
        match = pattern.fullmatch(text)
        if match is not None:
            minutes = _minutes(*match.groups()[4:]) if match[5] else 0
            return None if minutes is None else _taken_apart(match, minutes)
    if match := _NAMED_MONTH.fullmatch(text):
        month = _MONTHS.get(match[1].lower())
        shape = f"name of the month{match[2]}year"
        return None if month is None else _Parsed(int(match[3]), month, 1, shape)
    if match := _YEAR_MONTH.fullmatch(text):
        year, month = int(match[1]), int(match[3])
        if _FIRST_YEAR <= year <= _LAST_YEAR:
            return _Parsed(year, month, 1, f"year{match[2]}month")
    return None


def _taken_apart(match: re.Match[str], minutes: int) -> _Parsed | None:
    sign = match[2]
    if match.re is _YEAR_FIRST:
        shape = f"year{sign}month{sign}day"
        return _Parsed(int(match[1]), int(match[3]), int(match[4]), shape, minutes)
    year = int(match[4])
    if match.re is _YEAR_LAST:
        if sign == ".":
            return _Parsed(year, int(match[3]), int(match[1]), "day.month.year", minutes)
        return _Parsed(year, int(match[1]), int(match[3]), f"?{sign}?{sign}year", minutes)
    day, name, shape = match[1], match[3], f"day{sign}name of the month{sign}year"
    if match.re is _NAME_FIRST:
        day, name, shape = match[3], match[1], "name of the month day, year"
    month = _MONTHS.get(name.lower())
    return None if month is None else _Parsed(year, month, int(day), shape, minutes)


_NAMES: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTHS: Final = {
    "sept": 9,
    **{name[:3]: number for number, name in enumerate(_NAMES, start=1)},
    **{name: number for number, name in enumerate(_NAMES, start=1)},
}
"""The names of the months in English, and their first three letters."""


def _date(text: str, order: Order | None) -> int | None:
    if len(text) == 8 and text.isdecimal():
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    parsed = _parsed(text)
    return None if parsed is None else parsed.day(order)


def _time(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    return None if match is None else _minutes(*match.groups())


def _minutes(hour: str, minute: str, second: str | None, half: str | None) -> int | None:
    """Return the minutes since midnight; a second counts as its minute."""
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + 12 * (half in "pP")
    if hours > 23 or int(minute) > 59 or int(second or 0) > 60:
        return None
    return hours * 60 + int(minute)


_STEPS: Final = {"minute": 1, "quarter of an hour": 15, "hour": 60}
_FINEST: Final = {"date": ("day", 62), "time": ("minute", 240)}
"""What is told apart at all where the values lie so close together, in days or in minutes."""
LEVELS: Final[dict[str, tuple[str, ...]]] = {
    "date": ("month", "year", "decade", "century"),
    "time": ("quarter of an hour", "hour"),
}
"""The periods that values are read in, from the finest to the coarsest."""
_ROUND: Final[dict[str, tuple[str | int, ...]]] = {
    "date": ("century", "decade", "year", "month"),
    "time": (360, 180, 60, 30, 15, 5),
}


def period(unit: Unit, values: NDArray[np.int64], most: int) -> str:
    """Choose the period that values are read in: at most so many of them, as fine as is of use.

    Examples
    --------
    >>> days = np.arange(0, 40_000, 100)
    >>> period("date", days[:80], 256), period("date", days, 256), period("date", days[:1], 256)
    ('month', 'year', 'day')
    """
    finest, extent = _FINEST[unit]
    if int(values.max()) - int(values.min()) < extent:
        return finest
    for level in LEVELS[unit]:
        if len(np.unique(starts(level, values))) <= most:
            return level
    return LEVELS[unit][-1]


def starts(level: str, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first day or minute of the period that each number lies in."""
    if level in _STEPS:
        step = _STEPS[level]
        return values // step * step
    if level == "day":
        return values
    days = values.astype("datetime64[D]")
    if level == "month":
        return days.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    size = {"year": 1, "decade": 10, "century": 100}[level]
    years = (days.astype("datetime64[Y]").astype(np.int64) + 1970) // size * size - 1970
    first = years.astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return np.maximum(first, FIRST_DAY)


def ends(level: str, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the last day or minute of the period that each number lies in."""
    if level in _STEPS:
        return values // _STEPS[level] * _STEPS[level] + _STEPS[level] - 1
    if level == "day":
        return values
    first = starts(level, values).astype("datetime64[D]")
    if level == "month":
        after = (first.astype("datetime64[M]") + np.timedelta64(1, "M")).astype("datetime64[D]")
        return after.astype(np.int64) - 1
    size = {"year": 1, "decade": 10, "century": 100}[level]
    years = (first.astype("datetime64[Y]").astype(np.int64) + 1970) // size * size + size - 1970
    after = years.astype("datetime64[Y]").astype("datetime64[D]")
    return np.minimum(after.astype(np.int64) - 1, LAST_DAY)


def coarser(unit: Unit, level: str) -> str:
    """Return the next coarser period; the coarsest one is its own."""
    levels = (_FINEST[unit][0], *LEVELS[unit])
    return levels[min(levels.index(level) + 1, len(levels) - 1)]


def calendar_cut(unit: Unit, below: float, above: float) -> Written:
    """Return the roundest day, or time of day, in (below, above]: the first of a decade, a year.

    Examples
    --------
    >>> day = datetime.date
    >>> between = day_of(day(1958, 7, 3)), day_of(day(1961, 2, 1))
    >>> calendar_cut("date", *between)
    '1960-01-01'
    >>> calendar_cut("time", 500, 611)
    '09:00'
    """
    last = np.array([int(above)])
    for size in _ROUND[unit]:
        first = int(last[0]) // size * size if isinstance(size, int) else int(starts(size, last)[0])
        if below < first:
            return moment(unit, first)
    return moment(unit, int(above))

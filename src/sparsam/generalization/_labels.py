"""Buckets in words that a form, a report and a data-protection officer can use."""

from __future__ import annotations

import datetime
from calendar import monthrange
from collections.abc import Sequence
from itertools import pairwise

from sparsam._documents import whole
from sparsam.data import CategoricalDomain, Category, NumericDomain, Unit, date_of, time_of
from sparsam.generalization._partition_base import category_key

NOT_COLLECTED = "not collected"
MISSING = "missing"
OTHER = "other"
OR_OTHER = ", or other"
ALL = "all values"
OR_MISSING = ", or missing"


def numeric_labels(domain: NumericDomain, cuts: Sequence[float]) -> list[str]:
    """Return each interval in words: "under 17", "17–61", "62 and over".

    Parameters
    ----------
    domain : NumericDomain
    cuts : sequence of float
        Ascending; bucket i is ``[cuts[i - 1], cuts[i])``.

    Returns
    -------
    list of str

    Examples
    --------
    >>> numeric_labels(NumericDomain(0, 99, integer=True), [17, 62])
    ['under 17', '17–61', '62 and over']
    >>> numeric_labels(NumericDomain(0, 99), [17.5, 62])
    ['under 17.5', '17.5 to under 62', '62 and over']
    >>> births = NumericDomain("1931-01-01", "2009-12-31", unit="date")
    >>> numeric_labels(births, [births.number("1960-01-01"), births.number("1970-03-01")])
    ['before 1960', 'January 1960 – February 1970', 'March 1970 and after']
    """
    if not cuts:
        return [ALL]
    edges = [None, *cuts, None]
    if domain.unit is not None:
        return [_moments(domain.unit, low, high) for low, high in pairwise(edges)]
    return [_interval(domain, low, high) for low, high in pairwise(edges)]


def _interval(domain: NumericDomain, low: float | None, high: float | None) -> str:
    first = domain.low if low is None else low
    last = domain.high if high is None else high - 1
    if domain.integer and first == last:
        return number_label(first)
    if low is None:
        return f"under {number_label(high or 0.0)}"
    if high is None:
        return f"{number_label(low)} and over"
    if not domain.integer:
        return f"{number_label(low)} to under {number_label(high)}"
    dash = " to " if low < 0 else "–"
    return f"{number_label(low)}{dash}{number_label(last)}"


_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def moment_range(unit: Unit, first: float, last: float) -> str:
    """Return a range of days or of minutes of the day in words, both ends included.

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> day = NumericDomain("1931-01-01", "2009-12-31", unit="date").number
    >>> moment_range("date", day("1960-01-01"), day("1969-12-31"))
    '1960–1969'
    >>> moment_range("date", day("1962-03-01"), day("1964-12-31"))
    'March 1962 – December 1964'
    >>> moment_range("date", day("1962-03-04"), day("1962-03-04"))
    '4 March 1962'
    >>> moment_range("time", 510, 719)
    '08:30–11:59'
    """
    if unit == "time":
        ends = [time_of(end).isoformat("minutes") for end in (first, last)]
        return "–".join(dict.fromkeys(ends))
    start, end = date_of(first), date_of(last)
    if (start.month, start.day) == (1, 1) and (end.month, end.day) == (12, 31):
        return "–".join(dict.fromkeys([f"{start.year}", f"{end.year}"]))
    if start.day == 1 and end.day == monthrange(end.year, end.month)[1]:
        words = [f"{_MONTHS[day.month - 1]} {day.year}" for day in (start, end)]
    else:
        words = [_day(day) for day in (start, end)]
    return " – ".join(dict.fromkeys(words))


def moment_label(unit: Unit, value: float) -> str:
    """Return the moment at which a range begins, as shortly as it is exact.

    Examples
    --------
    >>> moment_label("date", 0), moment_label("date", 31), moment_label("date", 32)
    ('1970', 'February 1970', '2 February 1970')
    """
    if unit == "time":
        return time_of(value).isoformat("minutes")
    day = date_of(value)
    if day.day > 1:
        return _day(day)
    return f"{day.year}" if day.month == 1 else f"{_MONTHS[day.month - 1]} {day.year}"


def _moments(unit: Unit, low: float | None, high: float | None) -> str:
    if low is None:
        return f"before {moment_label(unit, high or 0.0)}"
    if high is None:
        return f"{moment_label(unit, low)} and after"
    return moment_range(unit, low, high - 1)


def _day(day: datetime.date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def number_label(value: float) -> str:
    """Write a number without a needless decimal point, and without the noise of its arithmetic.

    Examples
    --------
    >>> number_label(17.0), number_label(-4.6000000000000005)
    ('17', '-4.6')
    """
    number = whole(float(value))
    return str(number if float(number).is_integer() else float(f"{number:.15g}"))


def group_labels(domain: CategoricalDomain, groups: Sequence[Sequence[Category]]) -> list[str]:
    """Return each group of categories in words: one name, a run, or the first few names.

    Parameters
    ----------
    domain : CategoricalDomain
    groups : sequence of sequence of category

    Returns
    -------
    list of str

    Examples
    --------
    >>> domain = CategoricalDomain(("a", "b", "c", "d", "e", "f"))
    >>> group_labels(domain, [["a"], ["b", "c", "d", "e"], ["f"]])
    ['a', 'b, c and 2 more', 'f']
    """
    place = {category_key(category): i for i, category in enumerate(domain.categories)}
    return [_group(group, place, domain.ordered) for group in groups]


def _group(
    group: Sequence[Category], place: dict[tuple[bool, Category], int], ordered: bool
) -> str:
    members = sorted(group, key=lambda category: place[category_key(category)])
    names = [category_label(member) for member in members]
    if len(names) == 1:
        return names[0]
    first, last = place[category_key(members[0])], place[category_key(members[-1])]
    if ordered and last - first == len(members) - 1:
        return f"{names[0]} – {names[-1]}"
    if len(names) <= 3:
        return ", ".join(names)
    return f"{names[0]}, {names[1]} and {len(names) - 2} more"


def category_label(category: Category) -> str:
    """Write one category as text.

    Examples
    --------
    >>> category_label("White"), category_label(1.0), category_label(True), category_label("")
    ('White', '1', 'true', '(empty)')
    """
    if isinstance(category, bool):
        return "true" if category else "false"
    if isinstance(category, str):
        return category if category.strip() else "(empty)"
    return str(whole(category))


def with_missing(labels: Sequence[str], missing: int | None) -> list[str]:
    """Name missing values in the label of the bucket that they share with others.

    Parameters
    ----------
    labels : sequence of str
        Of the buckets that hold values.
    missing : int or None
        The bucket of missing values; one of their own, or None, leaves the labels as they are.

    Examples
    --------
    >>> with_missing(["under 10", "10 and over"], 1)
    ['under 10', '10 and over, or missing']
    """
    return [f"{label}{OR_MISSING * (i == missing)}" for i, label in enumerate(labels)]


def unique_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Number the labels that occur more than once, so that a label names one bucket only.

    Examples
    --------
    >>> unique_labels(["a", "missing", "missing"])
    ('a', 'missing', 'missing (2)')
    """
    taken, given, counts = set(labels), dict[str, None](), dict[str, int]()
    for label in labels:
        name, count = label, counts.get(label, 1)
        while name in given or (count > 1 and name in taken):
            count += 1
            name = f"{label} ({count})"
        counts[label] = count
        given[name] = None
    return tuple(given)

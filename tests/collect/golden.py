"""Golden values: what every language that a generalization is exported to must agree on.

`generalization()` has every kind of attribute and of policy, and names that need quoting.
`cases(count)` are raw values with their buckets, the same in every run: missing values, the cuts
and their neighbours (one unit in the last place away), -0, huge and tiny numbers, numbers as
texts, truth values, other cases, accents and blanks, categories never seen, dates and times of day.
Texts of dates are ISO (or 19600131): Python reads more spellings than other languages do.
"""

from __future__ import annotations

import datetime
import json
import math
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from sparsam._errors import DataError
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    NumericPartition,
    Partition,
    categorical_partition,
    numeric_partition,
)

SEED: Final = 17
ROW: Final = "row number"
"""A column beside the values, which numbers the rows."""
REFUSED: Final = None
"""The bucket of a value that has none."""


class Case(NamedTuple):
    """A raw value and its bucket; None where it is refused."""

    attribute: str
    value: Any
    bucket: int | None


TOWNS: Final = (
    ["Zürich", ""],
    ["1", "O'Brien", "car"],
    ["missing", "nan", "null", "NULL"],
    ['a"b\\c', "`tick`", "line\nbreak", "{{ x }}", "%s", "$1", "</script>", "{% raw %}"],
    ["café", "Straße", "İstanbul", "日本"],
)


@cache
def generalization() -> Generalization:
    """Return a generalization with every kind of attribute and of policy."""
    whole = NumericDomain(0, 99, integer=True)
    money = NumericDomain(-1000.5, 1000000.25)
    births = NumericDomain("1931-01-01", "2009-12-31", unit="date")
    clock = NumericDomain("00:00", "23:59", unit="time")
    aged = NumericDomain(0, 110, integer=True, age_on="2024-02-29")
    many = NumericDomain(0, 1000)
    fine = [round(0.1 * i + 1 / 3, 17) for i in range(70)]
    codes = CategoricalDomain(tuple(range(140)))
    towns = CategoricalDomain(tuple(town for group in TOWNS for town in group))
    hundreds = CategoricalDomain(tuple(f"ward {i}" for i in range(130)))
    flags = CategoricalDomain((False, True))
    rates = CategoricalDomain((0, 0.1, 1, 2.5, -4, 2**53 - 1))
    numeric, categorical = numeric_partition, categorical_partition
    return Generalization(
        [
            numeric("age", whole, [17, 62]),
            numeric("select", whole, [17, 62], missing=3, beyond="error"),
            numeric("balance in €", money, [-0.5, 0, 0.1, 1 / 3, 17.5, 123456.789], missing=1),
            numeric("huge", NumericDomain(-1e308, 1e308), [-(2.0**53), 5e-324, 2.0**53, 1e300]),
            numeric('so-called "known"', whole, [], missing=1),
            numeric("many `cuts`", many, fine, missing=7),
            categorical("colour", CategoricalDomain(("red", "green", "blue", "x")), [
                ["red", "blue"], ["green"], ["x"]
            ]),
            categorical("town's name", towns, list(TOWNS), missing=5, unseen=6),
            categorical("wards\\", hundreds, [[f"ward {i}" for i in range(j, 130, 70)]
                                              for j in range(70)], missing=3, unseen=4),
            categorical("code", codes, [[i, i + 70] for i in range(70)], missing=70, unseen=71),
            categorical("räte", rates, [[0, 0.1], [1, 2.5], [-4, 2**53 - 1]], missing=3, unseen=3),
            categorical("flag", flags, [[True], [False]], missing=2),
            numeric("{{ born }}", births, ["1960-01-01", "1970-03-01", "2000-02-29"], missing=4),
            numeric("hired [on]", births, ["1999-12-31"], beyond="error"),
            numeric("time of day", clock, ["06:00", "08:30", "18:00"], missing=0),
            numeric("年齢", aged, [18, 24, 65], missing=4, beyond="error"),
            numeric("not collected", whole, []),
        ]
    )  # fmt: skip


_LARGE: Final = ("many `cuts`", "wards\\", "code")


@cache
def small() -> Generalization:
    """Return the same attributes, those with many buckets with a few."""
    whole = NumericDomain(0, 99, integer=True)
    return Generalization(
        numeric_partition(part.name, whole, [50]) if part.name in _LARGE else part
        for part in generalization()
        if part.collected
    )


@cache
def cases(count: int) -> tuple[Case, ...]:
    """Return the golden values: all that were thought of, and drawn ones up to a number.

    Parameters
    ----------
    count : int
        How many; at least as many as were thought of come.
    """
    chosen = generalization()
    found = [(part, value) for part in chosen for value in thought_of(part)]
    generator = random.Random(SEED)
    parts = [part for part in chosen if part.collected]
    while len(found) < count:
        part = generator.choice(parts)
        found.append((part, drawn(part, generator)))
    return tuple(Case(part.name, value, bucket_of(part, value)) for part, value in found)


def bucket_of(partition: Partition, value: Any) -> int | None:
    """The bucket that Python finds, None where it refuses."""
    try:
        return partition.bucket(value)
    except DataError:
        return REFUSED


_NUMBERS: Final = (
    0, -0.0, 0.0, 1, -1, 5e-324, -5e-324, 2.2250738585072014e-308, 1e300, -1e300,
    1.7976931348623157e308, math.inf, -math.inf, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 0.1,
    0.30000000000000004, 99.5, 150, 151,
)  # fmt: skip
_TEXTS: Final = (
    "", " ", "0", "17", "17.0", " 17", "1e3", "NaN", "inf", "abc", "Infinity", "true", "None",
    "\t", "'", '"', "\\", "x", "X", "x ", " x", "é", "e\u0301", "\u00a0", "\U0001f600", "car",
    "CAR", "Car ", "cafe", "CAFÉ", "cafe\u0301", "STRASSE", "Strasse", "istanbul", "zürich",
    "Zurich", "日本 ", "red\u200b", "ﬁ",
)  # fmt: skip
_DATES: Final = (
    "1959-12-31", "1960-01-01", "1970-02-28", "1970-03-01", "2000-02-28", "2000-02-29",
    "1999-12-30", "1999-12-31", "1931-01-01", "1930-12-31", "2009-12-31", "2010-01-01",
    "0001-01-01", "9999-12-31", "2006-02-28", "2006-03-01", "1959-02-28", "1959-03-01",
    "2024-02-29", "2024-03-01", "1914-02-28", "1914-03-01", "1913-02-28",
)  # fmt: skip
_NO_DATES: Final = (
    "1960-02-30", "2001-02-29", "1960-13-01", "1960-00-10", "0000-01-01", "1960-1-", "now",
    "1960-01-31x", "1960-01-31T25:00", "1960-01-31 08:61", "1960", "-1960-01-01", "24:00",
    "08:60", "8:3", ":", "08:30x",
)  # fmt: skip
_CLOCKS: Final = ("T00:00", " 23:59", "T08:30:59", " 08:30:00.123", "T10:00:00Z", "T23:30+02:00")
_TIMES: Final = (
    "00:00",
    "05:59",
    "06:00",
    "08:29:59.9",
    "08:30",
    "8:30",
    "17:59:59",
    "18:00",
    "23:59",
)


def thought_of(partition: Partition) -> Iterator[Any]:
    """Values at which languages differ, for one attribute."""
    yield from (None, math.nan, True, False, *_NUMBERS, *_TEXTS, *_NO_DATES)
    if isinstance(partition, CategoricalPartition):
        for category in partition.domain.categories:
            yield from _near_category(category)
        return
    domain = partition.domain
    if domain.unit == "time":
        yield from _TIMES
        yield from (datetime.time.fromisoformat(text.zfill(5)) for text in _TIMES)
    elif domain.unit == "date" or domain.age_on is not None:
        yield from _DATES
        yield from (date + clock for date, clock in zip(_DATES, _CLOCKS * 4, strict=False))
        for text in _DATES:
            day = datetime.date.fromisoformat(text)
            yield from (
                day,
                datetime.datetime(day.year, day.month, day.day, 23, 59, 59),
                f" {text}\t",
            )
            if day.year >= 1000:
                yield from (int(text.replace("-", "")), text.replace("-", ""))
    for edge in (*partition.cuts, domain.low, domain.high):
        yield from _near(float(edge))


def _near(number: float) -> Iterator[float]:
    below, above = math.nextafter(number, -math.inf), math.nextafter(number, math.inf)
    yield from (number, below, above, math.nextafter(below, -math.inf), number - 1, number + 1)
    if number.is_integer() and abs(number) < 2**62:
        yield from (int(number), int(number) - 1, int(number) + 1)


def _near_category(category: Any) -> Iterator[Any]:
    yield category
    if isinstance(category, str):
        yield from (
            category.upper(),
            category.lower(),
            f"{category} ",
            f" {category}",
            category.strip(),
        )
        yield from (category + "\x00x", category.swapcase(), category[:-1])
    elif not isinstance(category, bool):
        yield from (float(category), str(category), *_near(float(category)))


def drawn(partition: Partition, generator: random.Random) -> Any:
    """One value by chance: near a cut, anywhere, a category, or a category spoilt."""
    if isinstance(partition, NumericPartition):
        return _drawn_number(partition, generator)
    categories = partition.domain.categories
    category: Any = (
        generator.choice(categories) if generator.random() < 0.9 else generator.choice(_TEXTS)
    )
    if isinstance(category, str):
        return generator.choice(_SPOILT)(category)
    if isinstance(category, bool):
        return generator.choice((True, False, None))
    return generator.choice(
        (category, float(category), category + 0.5, math.nextafter(category, 9e9), None)
    )


_SPOILT: Final[tuple[Callable[[str], str], ...]] = (
    str, str, str.upper, str.lower, str.title, lambda text: f"{text} ", lambda text: f" {text}",
    lambda text: text[:-1], lambda text: text + "s",
)  # fmt: skip


def _drawn_number(partition: NumericPartition, generator: random.Random) -> Any:
    domain = partition.domain
    if generator.random() < 0.02:
        return None
    if domain.unit == "time":
        minute = generator.randrange(24 * 60)
        return datetime.time(minute // 60, minute % 60, generator.choice((0, 0, 30, 59)))
    if domain.unit == "date" or domain.age_on is not None:
        low = datetime.date(1900, 1, 1).toordinal()
        day = datetime.date.fromordinal(low + generator.randrange(50_000))
        return day if generator.random() < 0.7 else day.isoformat()
    way = generator.random()
    if way < 0.3 and partition.cuts:
        return generator.choice(list(_near(float(generator.choice(partition.cuts)))))
    if way < 0.5:
        return generator.randrange(-50, 150)
    if way < 0.9:
        return generator.uniform(*_span(partition))
    return math.ldexp(generator.uniform(-1, 1), generator.randrange(-1070, 1020))


def _span(partition: NumericPartition) -> tuple[float, float]:
    """A range in which the cuts lie, with some room on either side."""
    edges = [float(cut) for cut in partition.cuts] or [0.0, 99.0]
    low, high = max(edges[0], -1e6), min(edges[-1], 1e6)
    return low - 10, high + 10


def as_json(count: int) -> str:
    """Golden values as JSON: dates as texts, and what JSON cannot write as {"special": "nan"}."""
    return json.dumps([[case.attribute, plain(case.value), case.bucket] for case in cases(count)])


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"special": str(value)}
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value


class TypedColumn(NamedTuple):
    """Golden values that a column of one type can hold, with what SQL must make of them.

    Parameters
    ----------
    attribute : str
    kind : {"integer", "float", "text", "truth", "date", "moment", "time"}
    values : list
    buckets : list of int or None
        None where a value is refused.
    """

    attribute: str
    kind: str
    values: list[Any]
    buckets: list[int | None]


KINDS: Final[dict[str, tuple[type, ...]]] = {
    "integer": (int,),
    "float": (int, float),
    "text": (str,),
    "truth": (bool,),
    "date": (datetime.date,),
    "moment": (datetime.datetime,),
    "time": (datetime.time,),
}
_READ_AS: Final = {"integer": "number", "float": "number", "moment": "date"}


_AS_A_DATABASE_WRITES: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:.*)?|[0-9]{2}:[0-9]{2}.*"
)


@cache
def typed_columns(
    count: int, dates_are_texts: bool = False, truths_are_numbers: bool = False
) -> tuple[TypedColumn, ...]:
    """Sort golden values into columns as a database has them.

    A column whose type the attribute does not have is refused as a whole, missing values aside;
    Python takes a number for a category never seen, and an age or a text for a date of birth.

    Parameters
    ----------
    count : int
    dates_are_texts, truths_are_numbers : bool
        Whether the database has no type for dates and times of day, or for truth values.
    """
    found = []
    for partition in generalization():
        values = [case.value for case in cases(count) if case.attribute == partition.name]
        for kind in KINDS:
            held = [cast_to(kind, value) for value in values if fits(kind, value)]
            if all(value is None for value in held) or not partition.collected:
                continue
            kinds, read = kinds_of(partition), _READ_AS.get(kind, kind)
            if truths_are_numbers and {read, *kinds} == {"number", "truth"}:
                continue  # such a column says nothing about which of both it holds
            dated = dates_are_texts and kind == "text" and kinds & {"date", "time"}
            buckets = [
                bucket_of(partition, value)
                if value is None
                or read in kinds
                or (dated and _AS_A_DATABASE_WRITES.fullmatch(value))
                else REFUSED
                for value in held
            ]
            found.append(TypedColumn(partition.name, kind, held, buckets))
    return tuple(found)


def jobs(count: int, engine: Any) -> Iterator[tuple[TypedColumn, dict[str, Any]]]:
    """Golden columns, each with the statements that an engine of `engines.py` is to run.

    Parameters
    ----------
    count : int
    engine : Engine
        Or its class.
    """
    columns = typed_columns(count, engine.dates_are_texts, engine.truths_are_numbers)
    for column in columns:
        partition = generalization()[column.attribute]
        if column.kind not in engine.types or not kinds_of(partition) <= engine.reads():
            continue
        job = {
            "table": TABLE,
            "attribute": column.attribute,
            "kind": column.kind,
            "values": [plain(value) for value in column.values],
        }
        yield column, job | statements(column.attribute, engine.dialect)


TABLE: Final = "golden_values"


@cache
def statements(attribute: str, dialect: str) -> dict[str, str]:
    """What a database is to run: buckets, labels and how many values are refused."""
    alone = Generalization([generalization()[attribute]])
    return {
        "codes": alone.to_sql(TABLE, dialect, "codes", keep=ROW),
        "labels": alone.to_sql(TABLE, dialect, "labels", keep=ROW),
        "check": alone.to_sql_check(TABLE, dialect),
    }


def differences(column: TypedColumn, answer: dict[str, Any]) -> list[Any]:
    """What an engine answered otherwise than Python: values, wanted and found buckets."""
    labels = generalization()[column.attribute].labels
    wanted = [column.buckets[i] for i in answer["held"]]
    if "error" in answer:
        held = [column.values[i] for i in answer["held"]]
        alien = all(bucket is REFUSED or held[i] is None for i, bucket in enumerate(wanted))
        shown = any(str(value) in answer["error"] for value in held if len(str(value)) > 4)
        return [] if alien and not shown else [(column.attribute, column.kind, answer["error"])]
    worded = [None if bucket is None else labels[bucket] for bucket in wanted]
    triples = zip(answer["held"], zip(wanted, worded, strict=True), strict=True)
    found = list(zip(answer["codes"], answer["labels"], strict=True))
    wrong: list[Any] = [
        (column.attribute, column.kind, column.values[i], want, got)
        for (i, want), got in zip(triples, found, strict=True)
        if want != got
    ]
    if answer["refused"] != wanted.count(REFUSED):
        wrong.append((column.attribute, column.kind, "refused", answer["refused"]))
    return wrong


def fits(kind: str, value: Any) -> bool:
    """Whether a column of a kind can hold a value."""
    if value is None:
        return True
    if isinstance(value, bool) or type(value) is datetime.datetime:
        return type(value) in KINDS[kind]
    return isinstance(value, KINDS[kind]) and (kind != "integer" or abs(value) < 2**63)


def cast_to(kind: str, value: Any) -> Any:
    """A value as a column of a kind holds it."""
    return float(value) if kind == "float" and value is not None else value


def kinds_of(partition: Partition) -> set[str]:
    """The types that a column of this attribute may have."""
    if isinstance(partition, CategoricalPartition):
        names = {str: "text", bool: "truth", int: "number", float: "number"}
        return {names[type(member)] for group in partition.groups for member in group}
    if partition.domain.age_on is not None:
        return {"date"}
    return {partition.domain.unit or "number"}

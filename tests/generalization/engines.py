"""Random generalizations and random rows for all engines, and what every engine must make of them.

The oracle is `Partition.slot`, one plain Python value at a time.
"""

from __future__ import annotations

import datetime
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

N_ROWS = 120
_TEXTS = ("a", "A", "a ", " a", "", "é", "e\u0301", "ß", "17", "17.0", "nan", "NULL", "'", '"',
          "\\", "a\nb", "a\0b", "日本", "🦆", "x" * 40, "$", "`", "?", "%s", "{}")  # fmt: skip
_EDGES = (0.0, -0.0, 1.0, -1.0, 0.1, 1e-308, 5e-324, 1e300, -1e300, 1.7e308, 2.0**53, 2.0**53 + 2)
_FIRST = datetime.date(1900, 1, 1)


def generalization_and_rows(seed: int) -> tuple[Generalization, pl.DataFrame]:
    """Draw a generalization of many attributes, and rows for it, at edges most of all."""
    generator = random.Random(seed)
    parts, columns = [], {}
    for name, make in _columns(generator):
        part, series = make(name, generator)
        parts.append(part)
        columns[name] = series
    return Generalization(parts), pl.DataFrame(columns)


def expected(g: Generalization, rows: pl.DataFrame) -> dict[str, list[int]]:
    """The slot of every value, found one by one."""
    return {part.name: [part.slot(value) for value in rows[part.name]] for part in g}


def without_refused(g: Generalization, rows: pl.DataFrame) -> pl.DataFrame:
    """The same rows, with a value of a bucket in the place of every value that has none."""
    columns = []
    for part in g:
        series, slots = rows[part.name], [part.slot(value) for value in rows[part.name]]
        good = next((v for v, slot in zip(series, slots, strict=True) if slot < part.n_buckets))
        values = [v if s < part.n_buckets else good for v, s in zip(series, slots, strict=True)]
        columns.append(pl.Series(part.name, values, dtype=series.dtype))
    return pl.DataFrame(columns)


Maker = Callable[[str, random.Random], tuple[Any, pl.Series]]


def _columns(generator: random.Random) -> Iterator[tuple[str, Maker]]:
    makers: list[Maker] = [_floats, _integers, _numbers_as_categories, _texts, _truths, _dates]
    makers += [_times, _ages, _moments]
    for number, maker in enumerate(makers * 3):
        yield f"{maker.__name__} '{number}`\"", maker


def _policy(generator: random.Random, own: int) -> int | None:
    return generator.choice([None, 0, own])


def _with_holes(generator: random.Random, values: list[Any]) -> list[Any]:
    return [None if generator.random() < 0.1 else value for value in values]


def _near(number: float) -> list[float]:
    return [number, math.nextafter(number, math.inf), math.nextafter(number, -math.inf)]


def _cuts(generator: random.Random) -> list[float]:
    """Few cuts or many; evenly, randomly, by powers, or at the ends of what floats can be."""
    n = generator.choice([1, 2, 7, 31, 33, 100, 400])
    way = generator.randrange(5)
    if way == 0:
        numbers = [float(i) for i in range(-n // 2, n - n // 2)]
    elif way == 1:
        numbers = [generator.uniform(-1e3, 1e3) for _ in range(n)]
    elif way == 2:
        numbers = [math.ldexp(generator.random(), generator.randrange(-300, 300)) for _ in range(n)]
    elif way == 3:
        numbers = [1.0 + i * 2.0**-52 for i in range(n)] + [1e9]
    else:
        numbers = [*_EDGES, *(-edge / 3 for edge in _EDGES)]
    return sorted({number + 0.0 for number in numbers if -1.6e308 < number < 1.6e308})


def _floats(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    cuts = _cuts(generator)
    low, high = math.nextafter(cuts[0], -math.inf), generator.choice([cuts[-1], 1.7e308])
    beyond: Any = generator.choice(["clamp", "error"])
    missing = _policy(generator, len(cuts) + 1)
    part = numeric_partition(name, NumericDomain(low, high), cuts, missing, beyond)
    values = [generator.choice(_near(generator.choice([*cuts, low, high]))) for _ in range(N_ROWS)]
    values[:6] = [math.inf, -math.inf, math.nan, 0.0, -0.0, generator.uniform(-10, 10)]
    values[6] = cuts[0]
    generator.shuffle(values)
    return part, pl.Series(name, _with_holes(generator, values), dtype=pl.Float64)


def _integers(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    width = generator.choice([3, 90, 2_000, 2**54])
    cuts = sorted({float(generator.randrange(1, width)) for _ in range(generator.choice([2, 60]))})
    beyond: Any = generator.choice(["clamp", "error"])
    missing = _policy(generator, len(cuts) + 1)
    domain = NumericDomain(0, width, integer=True)
    part = numeric_partition(name, domain, cuts, missing, beyond)
    dtype = generator.choice([pl.Int64] if width > 2**31 else [pl.Int16, pl.Int32, pl.Float32])
    values = [int(generator.choice(cuts)) + generator.choice([-1, 0, 1]) for _ in range(N_ROWS)]
    values[:4] = [0, width, width + 1, -1]
    values[4] = int(cuts[0])
    return part, pl.Series(name, _with_holes(generator, values), dtype=dtype)


def _groups(generator: random.Random, members: list[Any]) -> list[list[Any]]:
    generator.shuffle(members)
    n_groups = generator.choice([1, 2, 5, 40, len(members)])
    groups = [members[i::n_groups] for i in range(n_groups)]
    return [group for group in groups if group]


def _categories(
    name: str, generator: random.Random, members: list[Any], others: list[Any], dtype: Any
) -> tuple[Any, pl.Series]:
    groups = _groups(generator, list(members))
    missing = _policy(generator, len(groups))
    own = len(groups) + (missing == len(groups))
    domain = CategoricalDomain(tuple(members))
    part = categorical_partition(name, domain, groups, missing, _policy(generator, own))
    values = [generator.choice(generator.choice([members, others])) for _ in range(N_ROWS)]
    values[0] = members[0]
    return part, pl.Series(name, _with_holes(generator, values), dtype=dtype)


def _numbers_as_categories(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    whole = [float(n) for n in generator.sample(range(-50, 900), generator.choice([2, 8, 9, 300]))]
    wide = [float(generator.randrange(-(10**9), 10**9)) for _ in range(50)]
    odd = [0.0, *_EDGES[2:7], *(generator.random() for _ in range(30))]
    members = sorted(set(generator.choice([whole, wide, odd])))
    near = [n for member in members for n in _near(member)]
    others = [*near, -0.0, math.nan, math.inf, -math.inf, 0.5]
    return _categories(name, generator, members, others, pl.Float64)


def _texts(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    many = [f"category {i}" for i in range(generator.choice([3, 255, 256, 257, 600]))]
    members = sorted(set(generator.choice([list(_TEXTS[::2]), many])))
    others = [*_TEXTS, *(text.upper() for text in members), *(f"{text} " for text in members)]
    dtype = generator.choice([pl.String, pl.String, pl.Categorical])
    return _categories(name, generator, members, others, dtype)


def _truths(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    members: list[Any] = generator.choice([[True], [False, True]])
    return _categories(name, generator, members, [True, False], pl.Boolean)


def _drawn_dates(generator: random.Random) -> list[datetime.date]:
    return [_FIRST + datetime.timedelta(generator.randrange(45_000)) for _ in range(N_ROWS)]


def _dates(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    days = _drawn_dates(generator)
    cuts = sorted(set(days[: generator.choice([1, 5, 80])]))
    domain = NumericDomain("1899-01-01", "2023-03-16", integer=True, unit="date")
    missing, beyond = _policy(generator, len(cuts) + 1), generator.choice(["clamp", "error"])
    part = numeric_partition(name, domain, [str(cut) for cut in cuts], missing, beyond)  # type: ignore[arg-type, misc]
    step = datetime.timedelta(1)
    values = [day + generator.choice([-1, 0, 0, 1]) * step for day in days]
    return part, pl.Series(name, _with_holes(generator, values), dtype=pl.Date)


def _moments(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    part, dates = _dates(name, generator)
    late = datetime.time(23, 59, 59, 999_999)
    values = [day and datetime.datetime.combine(day, late) for day in dates]
    return part, pl.Series(name, values, dtype=pl.Datetime("us"))


def _times(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    minutes = sorted(generator.sample(range(1, 1439), generator.choice([1, 5, 80])))
    cuts = [f"{minute // 60:02}:{minute % 60:02}" for minute in minutes]
    low, high = generator.choice([("00:00", "23:59"), ("00:01", cuts[-1])])
    domain = NumericDomain(low, high, integer=True, unit="time")
    cuts = [cut for cut in cuts if cut > low]
    missing, beyond = _policy(generator, len(cuts) + 1), generator.choice(["clamp", "error"])
    part = numeric_partition(name, domain, cuts, missing, beyond)  # type: ignore[arg-type]
    values = []
    for _ in range(N_ROWS):
        minute = (generator.choice(minutes) + generator.choice([-1, 0, 0, 1])) % 1440
        seconds = generator.choice([(0, 0), (59, 999_999)])
        values.append(datetime.time(minute // 60, minute % 60, *seconds))
    return part, pl.Series(name, _with_holes(generator, values), dtype=pl.Time)


def _ages(name: str, generator: random.Random) -> tuple[Any, pl.Series]:
    on = generator.choice(["2024-12-31", "2024-02-29", "2020-06-15"])
    cuts = sorted({float(generator.randrange(1, 100)) for _ in range(generator.choice([2, 60]))})
    domain = NumericDomain(0, 99, integer=True, age_on=on)
    missing, beyond = _policy(generator, len(cuts) + 1), generator.choice(["clamp", "error"])
    part = numeric_partition(name, domain, cuts, missing, beyond)  # type: ignore[arg-type]
    values = _drawn_dates(generator)
    day = datetime.date.fromisoformat(on)
    values[:3] = [day.replace(year=1980, day=28), day.replace(year=1980), day]
    return part, pl.Series(name, _with_holes(generator, values), dtype=pl.Date)

"""What is counted before the noise: one row more moves every table by exactly one."""

from __future__ import annotations

import copy
import datetime
import os
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, GroupCounts, NumericDomain
from sparsam.data.source.lazy._narwhals import OtherFrame
from sparsam.explore import declared
from sparsam.explore._bins import Bins, equal_bins, full_bins
from sparsam.explore._private_table import PrivateTable
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

DOMAINS = declared(
    {
        "age": (0, 99, "integer"),
        "height": (0, 2.5),
        "sex": ["f", "m"],
        "grade": CategoricalDomain((1, 2, 3), ordered=True),
    },
    missing_values=["?"],
)
BINS = [
    full_bins(DOMAINS, "age"),
    equal_bins(DOMAINS, "height", 8),
    full_bins(DOMAINS, "sex"),
    full_bins(DOMAINS, "grade"),
]
NAMES = DOMAINS.names
CELLS = [(), *((name,) for name in NAMES), *combinations(NAMES, 2), NAMES[:3]]

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(["f", "m", "?", "12", "inf", 1.0, Decimal("2"), datetime.date(2020, 1, 1)]),
    st.lists(st.integers(), max_size=2),
)
rows = st.fixed_dictionaries(dict.fromkeys(NAMES, anything))


@settings(deadline=None, max_examples=150)
@given(st.lists(rows, max_size=6), rows)
def test_a_row_more_moves_each_table_by_exactly_one(
    people: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    def columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
        return {name: [record[name] for record in records] for name in NAMES}

    before = PrivateTable(columns(people), DOMAINS).tables(BINS, CELLS)
    after = PrivateTable(columns([*people, more]), DOMAINS).tables(BINS, CELLS)
    for cell in CELLS:
        moved = np.asarray(after[cell] - before[cell])
        assert moved.sum() == 1
        assert (moved >= 0).all()
        assert after[cell].dtype == np.int64


def test_odd_values_have_their_cells() -> None:
    ages = [30, 30.9, -4, 250, np.inf, -np.inf, np.nan, None, "?", "x", "41"]
    counts = PrivateTable({"age": ages}, DOMAINS.only(["age"])).tables([BINS[0]], [("age",)])[
        ("age",)
    ]
    filled = {i: int(c) for i, c in enumerate(counts) if c}
    assert filled == {30: 2, 0: 2, 99: 2, 41: 1, 100: 4}


def test_all_missing_one_row_and_no_row() -> None:
    for column, total in (([None] * 3, 3), ([np.nan], 1), ([], 0)):
        source = PrivateTable({"age": column, "sex": column}, DOMAINS.only(["age", "sex"]))
        tables = source.tables([BINS[0], BINS[2]], [(), ("age",), ("age", "sex")])
        assert tables[()] == total
        assert tables[("age",)][-1] == total
        assert tables[("age", "sex")][-1, -1] == total
        assert tables[("age", "sex")].shape == (101, 4)


def test_generalizing_first_and_counting_buckets_is_the_same() -> None:
    ages = NumericDomain(0, 99, integer=True)
    ways = CategoricalDomain(("car", "bus", "train"))
    generalization = Generalization(
        [
            numeric_partition("age", ages, [18, 65], missing=1),
            categorical_partition("way", ways, [["bus"], ["car", "train"]], missing=2, unseen=1),
        ]
    )
    data = {
        "age": [3, 18, 17, 64, 65, 99, None, 120],
        "way": ["car", "bus", "train", "tram", None, "car", "bus", "car"],
    }
    domains = declared(generalization)
    bins = [full_bins(domains, name) for name in ("age", "way")]
    counts = PrivateTable(data, domains).tables(bins, [("age", "way")])[("age", "way")]
    expected = np.zeros_like(counts)
    for age, way in zip(data["age"], data["way"], strict=True):
        buckets = generalization["way"].bucket(way)
        expected[generalization["age"].bucket(age), 3 if buckets == 2 else buckets] += 1
    assert np.array_equal(counts, expected)


TYPED = {  # declared as what the columns hold, and as what they do not
    "whole": (-5, 99, "integer"),
    "part": (0, 2.5),
    "written": (0, 50),
    "truth": (0, 1, "integer"),
    "name": ["f", "m", "", "it's", "\u00e9", "7"],
    "code": [1, 2, "3", 40, 2**60],
    "share": [0.5, 1, "2", "inf"],
    "yes": [True, "false"],
    "day": ["2020-01-02", "1969-12-31", "2020-1-3"],
}


def typed_rows(seed: int, n_rows: int) -> Any:
    """Rows of typed columns, with values missing, beyond the range, and not declared."""
    pl, rng = pytest.importorskip("polars"), np.random.default_rng(seed)
    days = [datetime.date(2020, 1, 2), datetime.date(1969, 12, 31), datetime.date(2021, 5, 5), None]
    nan, inf = np.nan, np.inf
    values: dict[str, tuple[list[Any], Any]] = {
        "whole": ([-99, -9, 0, 30, 31, 99, 100, 2**40, None], pl.Int64),
        "part": ([-1.0, 0.0, -0.0, 1.25, 2.5, 3.0, nan, inf, -inf, 999.0, None], pl.Float64),
        "written": (["7", " 8 ", "x", "1_0", "1e1", "-inf", "", "?", "999.0", None], pl.String),
        "truth": ([True, False, None], pl.Boolean),
        "name": (["f", "m", "", "it's", "\u00e9", "7", "?", "N", "other", None], pl.String),
        "code": ([1, 2, 3, 40, 41, 999, -9, 2**60, 2**60 + 1, None], pl.Int64),
        "share": ([0.5, 1.0, 2.0, -0.0, 7.5, nan, inf, 999.0, None], pl.Float64),
        "yes": ([True, False, None], pl.Boolean),
        "day": (days, pl.Date),
    }
    drawn = {
        n: [own[i] for i in rng.integers(len(own), size=n_rows)] for n, (own, _) in values.items()
    }
    return pl.DataFrame(drawn, schema={name: kind for name, (_, kind) in values.items()})


def polars_chunks(rows: Any, _: Path) -> Any:
    pl = pytest.importorskip("polars")
    parts = [rows[start : start + 7] for start in range(0, len(rows), 7)] or [rows]
    return pl.concat(parts, rechunk=False).lazy()


def parquet(rows: Any, folder: Path) -> Any:
    rows.write_parquet(folder / "rows.parquet", row_group_size=50)
    return folder / "rows.parquet"


ENGINES: dict[str, Any] = {
    "duckdb": lambda rows, _: duckdb.connect().from_arrow(rows.to_arrow()),
    "polars": polars_chunks,
    "parquet": parquet,
}


def some_tables(domains: Any, rng: np.random.Generator) -> list[tuple[Bins, ...]]:
    """One- and two-way tables; an attribute has other cells in another table."""
    fine = {name: full_bins(domains, name, 40) for name in domains.names}
    coarse = {name: equal_bins(domains, name, 3) for name in domains.names}
    pairs = [tuple(rng.permutation(domains.names)[:2]) for _ in range(12)]
    return [
        (),
        *((bins,) for bins in fine.values()),
        *((coarse[first], fine[second]) for first, second in pairs),
        tuple(coarse[name] for name in domains.names[:3]),
    ]


def in_memory(rows: Any, domains: Any) -> PrivateTable:
    """The slow and obvious way: every value is read by itself."""
    return PrivateTable(rows.to_dict(as_series=False), domains)


def check_same_counts(make: Any, folder: Path, seed: int) -> None:
    rows = typed_rows(seed, 400 if seed else 0)
    declaration = declared(TYPED, missing_values=["?", "999", "-9"])
    domains = replace(declaration, missing_in={"name": ("N",), "whole": ("30",)})
    tables = some_tables(domains, np.random.default_rng(seed))
    on_engine = PrivateTable(make(rows, folder), domains)
    for bins, known, counts in zip(
        tables,
        in_memory(rows, domains).counts(tables),
        on_engine.counts(tables),
        strict=True,
    ):
        assert counts.dtype == np.int64
        assert np.array_equal(counts, known), [own.name for own in bins]
        assert counts.sum() == len(rows)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_as_memory_does(engine: str, seed: int, tmp_path: Path) -> None:
    check_same_counts(ENGINES[engine], tmp_path, seed)


@pytest.mark.filterwarnings("ignore")  # Spark warns of its own libraries
@pytest.mark.parametrize("seed", [0, 1])
def test_spark_counts_as_memory_does(spark: Any, seed: int, tmp_path: Path) -> None:
    check_same_counts(lambda rows, _: spark.createDataFrame(rows.to_arrow()), tmp_path, seed)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "other"])
def test_counting_in_the_engine_is_the_same_as_streaming(engine: str) -> None:
    rows = typed_rows(7, 300)
    domains = declared(TYPED, missing_values=["?"])
    tables = some_tables(domains, np.random.default_rng(7))
    source = PrivateTable(ENGINES.get(engine, ENGINES["polars"])(rows, Path()), domains)
    frame = source._columns.frame
    source._columns.frame = counting = (
        OtherFrame(nw.from_native(rows.lazy())) if engine == "other" else copy.copy(frame)
    )
    counting.streams = False  # as on Spark
    for known, counts in zip(
        in_memory(rows, domains).counts(tables), source.counts(tables), strict=True
    ):
        assert np.array_equal(counts, known)


def test_counts_beyond_32_bits() -> None:
    """An engine may say that more rows than 2^31 are in a cell."""
    many = 3_000_000_000
    source = PrivateTable(duckdb.sql("SELECT 1 AS n"), declared({"n": (0, 9)}))
    source._columns.frame = copy.copy(source._columns.frame)
    source._columns.frame.streams = False
    groups = GroupCounts((np.array([1]),), np.array([many]))
    source._columns.frame.slot_counts = lambda plans, sets: [groups for _ in sets]
    bins = equal_bins(source.declared, "n", 9)
    assert source.counts([(bins,)])[0].tolist() == [0, many, *[0] * 8]
    source._columns.n_rows = lambda: many
    assert source.counts([()])[0] == many


def test_columns_that_an_engine_cannot_tell_come_home() -> None:
    pl = pytest.importorskip("polars")
    rows = pl.DataFrame({"t": [datetime.time(10, 0), None], "n": [1, 2]})
    domains = declared({"t": ["10:00:00"], "n": (0, 9)})
    counts = PrivateTable(rows.lazy(), domains).counts([(full_bins(domains, "t"),)])
    assert np.array_equal(
        counts[0], PrivateTable(rows, domains).counts([(full_bins(domains, "t"),)])[0]
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_of_dates_is_no_column_of_numbers(engine: str, tmp_path: Path) -> None:
    source = ENGINES[engine](typed_rows(1, 5), tmp_path)
    with pytest.raises(DataError, match="'day' must hold what was declared"):
        PrivateTable(source, declared({"day": (0, 1)}))
    with pytest.raises(DataError, match="declared column 'dya'"):
        PrivateTable(source, declared({"dya": (0, 1)}))


def test_bins_are_asked_for_once_and_for_declared_attributes() -> None:
    source = PrivateTable({"age": [1], "name": ["x"]}, DOMAINS.only(["age"]))
    with pytest.raises(ParameterError, match="must have bins"):
        source.tables([], [("age",)])
    with pytest.raises(ParameterError, match="one set of bins"):
        source.tables([BINS[0], BINS[0]], [("age",)])
    name = Bins("name", "categorical", categories=("x",))
    with pytest.raises(ParameterError, match="'name' must be a declared attribute"):
        source.tables([name], [("name",)])


def test_nothing_about_the_rows_is_shown() -> None:
    source = PrivateTable({"age": [77] * 1234}, DOMAINS.only(["age"]))
    assert repr(source) == "PrivateTable(age)"


def test_a_changed_file_has_another_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age\n30\n", encoding="utf-8")
    source = PrivateTable(path, DOMAINS.only(["age"]))
    first = source.fingerprint("salt")
    assert source.fingerprint("salt") == first
    assert source.fingerprint("other") != first
    path.write_text("age\n31\n", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert source.fingerprint("salt") != first

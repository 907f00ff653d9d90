"""A fingerprint tells one table from another."""

from __future__ import annotations

import datetime
import random
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import polars as pl
import pytest

from sparsam.data.source._fingerprint import fingerprint, former_fingerprint
from sparsam.data.source.lazy import lazy_relation
from sparsam.data.source.lazy._narwhals import OtherFrame
from sparsam.data.source.lazy._row_hash import row_sums

from .sources import DATA, WORK, every_source


def test_the_fingerprint_is_of_the_content_and_the_salt(tmp_path: Path) -> None:
    sources = every_source(tmp_path)
    same = ("mapping", "records", "pandas", "pandas nullable", "pandas category", "polars")
    more = ("lazy", "pyarrow", "relation")
    prints = {kind: fingerprint(sources[kind], "salt") for kind in (*same, *more)}
    assert len(set(prints.values())) == 1
    assert fingerprint(sources["csv"], "salt") != prints["mapping"]
    assert fingerprint(DATA, "pepper") != prints["mapping"]
    assert fingerprint({**DATA, "age": [30, None, 41, 52, -6]}, "salt") != prints["mapping"]
    assert fingerprint({**DATA, "more": WORK}, "salt") != prints["mapping"]
    assert fingerprint(dict(reversed(DATA.items())), "salt") == prints["mapping"]


MOMENTS = [datetime.datetime(2020, 1, 2, 3, 4, 5, 120_000), datetime.datetime(1969, 12, 31), None]
DAYS = [datetime.date(2020, 1, 2), datetime.date(1969, 12, 31), None]


def typed_rows(seed: int, n_rows: int = 200) -> pl.DataFrame:
    """Rows of every type that engines hash alike, with values that are hard to write."""
    rng = random.Random(seed)
    ends = [0.0, -0.0, 1.5, 1e-300, 5e-324, 1.7976931348623157e308, 2.0**63, -(2.0**63), 0.1]
    more = [float("inf"), float("-inf"), float("nan"), None, 2.0**-960, 2.0**60, 2.0**1020, 7.0]
    bits = [struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0] for _ in range(n_rows)]
    values: dict[str, tuple[list[Any], Any]] = {
        "float": ([*ends, *more, *bits], pl.Float64),
        "small": ([0.1, 2.5, None], pl.Float32),
        "whole": ([2**62, -5, 0, 7, -(2**63), None], pl.Int64),
        "truth": ([True, False, None], pl.Boolean),
        "text": (["a", "", ";", "t1:a;", "\u00e9", "n5", "-", None], pl.String),
        "group": (["x", "y", None], pl.Categorical),
        "day": (DAYS, pl.Date),
        "moment": (MOMENTS, pl.Datetime("us")),
        "amount": ([Decimal("1.50"), Decimal("-2.00"), None], pl.Decimal(8, 2)),
    }
    drawn = {n: [rng.choice(own) for _ in range(n_rows)] for n, (own, _) in values.items()}
    return pl.DataFrame(drawn, schema={name: kind for name, (_, kind) in values.items()})


def print_of(frame: Any) -> str:
    return fingerprint(frame, "salt")


@pytest.mark.parametrize("seed", range(2))
def test_engines_and_memory_hash_rows_alike_in_any_order(seed: int) -> None:
    rows = typed_rows(seed)
    known = print_of(rows.to_dict(as_series=False))
    chunks = [rows[start : start + 40] for start in range(0, len(rows), 40)]
    shuffled = rows.sample(fraction=1, shuffle=True, seed=seed)
    for frame in (
        rows,
        rows.to_arrow(),
        shuffled.lazy(),
        pl.concat(chunks, rechunk=False).lazy(),
        duckdb.connect().from_arrow(shuffled.to_arrow()),
        rows.select(reversed(rows.columns)),
    ):
        assert print_of(frame) == known
    other = OtherFrame(nw.from_native(shuffled.lazy()))
    texts = duckdb.connect().from_arrow(rows.to_arrow())
    assert other.row_sums("key") == lazy_relation(texts).row_sums("key")


@pytest.mark.filterwarnings("ignore")  # Spark warns of its own libraries
def test_spark_hashes_rows_as_the_others_do(spark: Any) -> None:
    rows = typed_rows(5).with_columns(pl.col("group").cast(pl.String))
    frame = spark.createDataFrame(rows.to_arrow())
    wall = "CAST(moment AS TIMESTAMP_NTZ) AS moment"  # Spark's own moments have a time zone
    others = [name for name in rows.columns if name != "moment"]
    assert print_of(frame.selectExpr(*others, wall)) == print_of(rows)


def test_whatever_changes_changes_the_fingerprint() -> None:
    rows = typed_rows(3, 20)
    known = {print_of(rows.lazy())}
    for name in rows.columns:
        cells = rows[name].to_list()
        place = next(i for i, cell in enumerate(cells) if cell != cells[0])
        cells[0] = cells[place]
        known.add(print_of(rows.with_columns(pl.Series(name, cells, rows[name].dtype)).lazy()))
    known |= {print_of(pl.concat([rows, rows[:1]]).lazy()), print_of(rows[1:].lazy())}
    known |= {print_of(rows.rename({"text": "words"}).lazy()), print_of(rows.clear().lazy())}
    known.add(fingerprint(rows.lazy(), "pepper"))
    assert len(known) == len(rows.columns) + 6


def test_cells_cannot_slip_into_their_neighbours() -> None:
    tables = [
        {"a": ["x;t1:y"], "b": ["z"]},
        {"a": ["x"], "b": ["y;t1:z"]},
        {"a": ["x;"], "b": [""]},
    ]
    tables += [{"a": ["-"], "b": [None]}, {"a": [None], "b": ["-"]}, {"a": ["1"], "b": [1]}]
    prints = {print_of(pl.DataFrame(table).lazy()) for table in tables}
    assert prints == {print_of(pl.DataFrame(table).to_arrow()) for table in tables}
    assert len(prints) == len(tables)
    assert prints == {print_of(table) for table in tables}


def test_rows_that_occur_twice_count_twice() -> None:
    once = row_sums([["n1;", "n2;"]], "key")
    assert row_sums([["n1;", "n2;", "n1;"]], "key") != row_sums([["n1;", "n2;", "n2;"]], "key")
    assert row_sums([["n2;", "n1;"]], "key") == once != row_sums([["n2;", "n1;"]], "other key")


def test_the_values_of_earlier_versions(tmp_path: Path) -> None:
    """Ledgers hold them: computed with version 0.1.0."""
    data = {"age": [30, 41], "sex": ["f", "m"]}
    known = "8ec3f653102b2fc6f37d579639d74d7ceb87ce349eb39fd35e58df073e615239"
    for frame in (data, pl.DataFrame(data), pl.LazyFrame(data)):
        assert former_fingerprint(frame, "salt") == known
    assert former_fingerprint({"age": [41, 30], "sex": ["m", "f"]}, "salt") != known
    path = tmp_path / "people.csv"
    path.write_bytes(b"age\n30\n")
    known = "8b1f970cd5c6ae8a078ee66f3883f84da9b0671a058eb3eb7d147b608dc2f044"
    assert fingerprint(path, "salt") == former_fingerprint(path, "salt") == known

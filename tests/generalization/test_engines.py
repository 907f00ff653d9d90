"""Every engine puts every value into the bucket that plain Python puts it into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from tests.generalization.engines import expected, generalization_and_rows, without_refused

from sparsam.data.source import LazyFrame, open_frame
from sparsam.generalization import Generalization
from sparsam.generalization._plans import column_plans


def relation(rows: pl.DataFrame) -> Any:
    connection = duckdb.connect()
    return connection.from_arrow(rows.to_arrow())


def split_up(rows: pl.DataFrame) -> pl.LazyFrame:
    """Rows in many chunks, which polars hands on one by one."""
    return pl.concat([rows[i : i + 7] for i in range(0, len(rows), 7)], rechunk=False).lazy()


MAKERS: dict[str, Callable[[pl.DataFrame], Any]] = {"duckdb": relation, "polars": split_up}
engines = pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
seeds = pytest.mark.parametrize("seed", range(12))


def opened(frame: Any) -> LazyFrame:
    lazy = open_frame(frame)
    assert isinstance(lazy, LazyFrame)
    return lazy


def as_dict(frame: Any) -> dict[str, list[Any]]:
    if isinstance(frame, pl.LazyFrame):
        return frame.collect().to_dict(as_series=False)
    rows = frame.fetchall() if isinstance(frame, duckdb.DuckDBPyRelation) else frame.collect()
    return dict(zip(frame.columns, map(list, zip(*rows, strict=True)), strict=True))


def check_slots(g: Generalization, rows: pl.DataFrame, frame: Any) -> None:
    """The slots that an engine streams home, and its count of refused values."""
    lazy, parts = opened(frame), [part for part in g if part.collected]
    plans, known = column_plans(parts, lazy), expected(g, rows)
    batches = list(lazy.codes(plans, batch_rows=50))
    assert max(len(batch[0]) for batch in batches) <= 50
    for place, part in enumerate(parts):
        slots = np.concatenate([batch[place] for batch in batches])
        assert slots.dtype == plans[place].dtype
        assert slots.tolist() == known[part.name], part.name
    refused = [
        (known[p.name].count(p.n_buckets), known[p.name].count(p.n_buckets + 1)) for p in parts
    ]
    assert lazy.refused(plans) == refused
    assert lazy.n_rows() == len(rows)


def check_frames(
    g: Generalization, rows: pl.DataFrame, make: Callable[[pl.DataFrame], Any]
) -> None:
    """Labels and codes, in the order of the rows, beside a column to keep."""
    good = without_refused(g, rows).with_columns(row=pl.int_range(pl.len()))
    known = expected(g, good)
    labels = as_dict(g.apply(make(good), keep="row"))
    codes = as_dict(g.apply(make(good), keep="row", output="codes"))
    assert labels.pop("row") == codes.pop("row") == list(range(len(good)))
    for part in g:
        if part.collected:
            assert codes.pop(part.name) == known[part.name], part.name
            assert labels.pop(part.name) == [part.labels[b] for b in known[part.name]], part.name
    assert not labels
    assert not codes


@engines
@seeds
def test_slots_come_home_in_order(make: Callable[[pl.DataFrame], Any], seed: int) -> None:
    g, rows = generalization_and_rows(seed)
    check_slots(g, rows, make(rows))


@engines
@seeds
def test_labels_and_codes_are_those_of_one_record(
    make: Callable[[pl.DataFrame], Any], seed: int
) -> None:
    check_frames(*generalization_and_rows(seed), make)


def spark_frame(spark: Any, rows: pl.DataFrame) -> Any:
    texts = [name for name, kind in rows.schema.items() if kind == pl.Categorical]
    table = rows.with_columns(pl.col(texts).cast(pl.String)).to_arrow()
    return spark.createDataFrame(table).repartition(1)


@pytest.mark.filterwarnings("ignore")  # Spark warns of its own libraries
@pytest.mark.parametrize("seed", range(2))
def test_spark_gives_the_same(spark: Any, seed: int) -> None:
    g, rows = generalization_and_rows(seed)
    if not hasattr(pytest.importorskip("pyspark.sql.types"), "TimeType"):  # new in Spark 4.1
        rows = rows.select(name for name, kind in rows.schema.items() if kind != pl.Time)
        g = Generalization(g[name] for name in rows.columns)
    check_slots(g, rows, spark_frame(spark, rows))
    check_frames(g, rows, lambda good: spark_frame(spark, good))

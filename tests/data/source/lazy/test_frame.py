"""What all engines have in common: batches, refusals, and words instead of an engine's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from sparsam._errors import DataError
from sparsam.data.source import ColumnPlan, LazyFrame, open_frame

ROWS = {"age": [3, None, 70, 40], "way": ["car", "bus", "sled", None]}


def relation(rows: Any) -> Any:
    return duckdb.connect().from_arrow(rows if isinstance(rows, pa.Table) else pa.table(rows))


MAKERS: dict[str, Callable[[Any], Any]] = {
    "duckdb": relation,
    "polars": pl.LazyFrame,
}
engines = pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
AGE = ColumnPlan("age", "number", cuts=[17.0, 62.0], missing=3)
WAY = ColumnPlan("way", "text", groups=[(0, ["car"]), (1, ["bus", "train"])])


def opened(frame: Any) -> LazyFrame:
    lazy = open_frame(frame)
    assert isinstance(lazy, LazyFrame)
    return lazy


@engines
def test_codes_are_slots_in_batches(make: Callable[[Any], Any]) -> None:
    batches = list(opened(make(ROWS)).codes([AGE, WAY], batch_rows=3))
    assert max(len(batch[0]) for batch in batches) <= 3
    ages, ways = (np.concatenate(column).tolist() for column in zip(*batches, strict=True))
    assert ages == [0, 3, 2, 1]
    assert ways == [0, 1, WAY.outside_slot, WAY.missing_slot]


@engines
def test_no_plan_and_no_row(make: Callable[[Any], Any]) -> None:
    assert list(opened(make(ROWS)).codes([])) == []
    empty = pl.DataFrame(schema={"age": pl.Int64, "way": pl.String})
    frame = opened(empty.lazy() if make is pl.LazyFrame else make(empty.to_arrow()))
    assert sum(len(batch[0]) for batch in frame.codes([AGE, WAY])) == 0
    assert frame.n_rows() == 0
    assert frame.refused([AGE, WAY]) == [(0, 0), (0, 0)]


@engines
def test_refused_values_are_counted_by_reason(make: Callable[[Any], Any]) -> None:
    frame = opened(make(ROWS))
    strict = ColumnPlan("age", "number", cuts=[17.0], bounds=(10.0, 60.0))
    assert frame.refused([AGE, WAY, strict]) == [(0, 0), (1, 1), (1, 2)]


@engines
def test_refused_values_are_counted_where_each_kind_has_its_own_way(
    make: Callable[[Any], Any],
) -> None:
    odd = ["", "\x00", "\x01", "a\x01b", "\x02", "'", "a"]
    frame = opened(
        make(
            {
                "text": [*odd, "A", "a\x01", None],
                "sparse": [0.0, -0.0, 1e6, 1e300, 0.5, float("nan"), float("inf"), 7.0, None, -1e6],
                "gone": [1.0, 2.0, -9.0, 99.0, None, float("nan"), 3.0, 1.0, 1.0, 1.0],
            }
        )
    )
    text = ColumnPlan("text", "text", groups=[(0, odd[:3]), (1, odd[3:])])
    sparse = ColumnPlan("sparse", "number", groups=[(0, [0.0, 7.0]), (1, [1e6, 1e300])])
    gone = ColumnPlan("gone", "number", cuts=[2.0], bounds=(1.0, 2.0), gone=(-9.0, 99.0))
    nobody = ColumnPlan("text", "text", groups=[(0, [])], missing=0)
    none = ColumnPlan("sparse", "number", groups=[(0, [])], missing=0)
    plans = [text, sparse, gone, nobody, none]
    assert frame.refused(plans) == [(1, 2), (2, 3), (4, 1), (0, 9), (0, 8)]


@engines
@pytest.mark.parametrize("widest", [900.0, 9_000.0, 90_000.0, 0.5])
def test_categories_that_are_numbers_far_apart(make: Callable[[Any], Any], widest: float) -> None:
    members = [*map(float, range(0, 800, 7)), widest + 800]
    groups = [(bucket, members[bucket::3]) for bucket in range(3)]
    labels = ["it's", "b", "c", "none", "other"]
    plan = ColumnPlan("n", "number", groups=groups, missing=3, outside=4, labels=labels)
    values = [*members, -1.0, 1.0, 7.5, widest + 801, None, float("nan"), float("-inf"), -0.0]
    known = [labels[i % 3] for i in range(len(members))]
    known += ["other", "other", "other", "other", "none", "none", "other", "it's"]
    out = opened(make({"n": values})).rebuild([plan], [])
    rows = out.collect()["n"].to_list() if make is pl.LazyFrame else out.fetchnumpy()["n"].tolist()
    assert rows == known


@engines
def test_labels_that_are_the_members_themselves(make: Callable[[Any], Any]) -> None:
    frame = opened(make({"way": ["car", None, "it's", "Car"]}))
    groups = [(0, ["car"]), (1, ["it's"])]
    plan = ColumnPlan("way", "text", groups=groups, outside=2, labels=["car", "it's", "other"])
    out = frame.rebuild([plan], [])
    rows = out.collect()["way"].to_list() if make is pl.LazyFrame else out.fetchall()
    assert rows in (["car", None, "it's", "other"], [("car",), (None,), ("it's",), ("other",)])


def test_where_every_value_has_a_bucket_nothing_is_asked() -> None:
    lost = duckdb.connect().sql("SELECT CAST(error('not asked') AS INTEGER) AS age FROM range(2)")
    assert opened(lost).refused([AGE]) == [(0, 0)]


@engines
def test_a_frame_must_have_a_column(make: Callable[[Any], Any]) -> None:
    with pytest.raises(DataError, match="must have a column"):
        opened(make(ROWS)).rebuild([], [])


def test_what_an_engine_says_is_not_repeated() -> None:
    rows = duckdb.connect().sql("SELECT CAST(error('secret') AS INTEGER) AS age FROM range(2)")
    strict = ColumnPlan("age", "number", cuts=[17.0])
    for asked in (lambda f: f.refused([strict]), lambda f: list(f.codes([AGE]))):
        with pytest.raises(DataError, match="Its engine failed") as caught:
            asked(opened(rows))
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is None


def test_a_connection_is_free_once_the_codes_are_read_or_closed() -> None:
    connection = duckdb.connect()
    frame = opened(connection.sql("SELECT range AS age FROM range(1000000)"))
    batches = frame.codes([AGE])
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert connection.sql("SELECT 1").fetchall() == [(1,)]
    assert sum(len(batch[0]) for batch in frame.codes([AGE])) == 1_000_000
    assert connection.sql("SELECT 1").fetchall() == [(1,)]

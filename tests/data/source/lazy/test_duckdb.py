"""DuckDB: rows keep their order, and nothing is left in the user's database."""

from __future__ import annotations

import datetime
from typing import Any

import duckdb
import numpy as np
import pytest

from sparsam.data.source import ColumnPlan, LazyFrame, open_frame

MANY = [f"c{i:05}" for i in range(700)]
PLANS = [
    ColumnPlan("n", "number", cuts=[float(c) for c in range(0, 2_000_000, 7_001)], missing=0),
    ColumnPlan("c", "text", groups=[(i % 90, [text]) for i, text in enumerate(MANY)], missing=0),
]


@pytest.fixture
def connection() -> Any:
    made = duckdb.connect()
    made.execute("SET threads = 4")
    made.execute(
        "CREATE TABLE people AS SELECT range AS n, 'c' || lpad((range * 7 % 700)::VARCHAR, 5, '0') "
        "AS c FROM range(700000)"
    )
    return made


def opened(relation: Any) -> LazyFrame:
    frame = open_frame(relation)
    assert isinstance(frame, LazyFrame)
    return frame


def test_many_rows_on_many_threads_keep_their_order(connection: Any) -> None:
    frame = opened(connection.table("people"))
    batches = list(frame.codes(PLANS))
    rows = np.arange(700_000)
    numbers, texts = (np.concatenate(column) for column in zip(*batches, strict=True))
    assert (numbers == np.searchsorted(PLANS[0].cuts, rows, side="right")).all()
    assert (texts == rows * 7 % 700 % 90).all()
    kept = frame.rebuild(PLANS[1:], ["n"]).fetchnumpy()
    assert (kept["n"] == rows).all()
    assert (kept["c"] == texts).all()


def test_nothing_is_left_in_the_database(connection: Any) -> None:
    frame = opened(connection.table("people"))
    list(frame.codes(PLANS))
    frame.refused(PLANS)
    frame.rebuild(PLANS[1:], ["n"]).fetchall()
    assert connection.sql("SHOW TABLES").fetchall() == [("people",)]
    types = "SELECT count(*) FROM duckdb_types() WHERE logical_type = 'ENUM' AND NOT internal"
    assert connection.sql(types).fetchall() == [(0,)]


def test_a_plan_can_become_a_view(connection: Any) -> None:
    opened(connection.table("people")).rebuild(PLANS[1:], []).create_view("buckets")
    assert connection.sql("SELECT max(c) FROM buckets").fetchall() == [(89,)]


@pytest.mark.parametrize("size", [255, 256, 257, 65_600])
def test_enums_of_every_width(size: int) -> None:
    members = [f"m{i}" for i in range(size)]
    groups = [(i % 3, [member]) for i, member in enumerate(members)]
    frame = opened(duckdb.connect().sql(f"SELECT 'm{size - 1}' AS x UNION ALL SELECT 'm{size}'"))
    plan = ColumnPlan("x", "text", groups=groups)
    slots = np.concatenate([batch[0] for batch in frame.codes([plan])])
    assert slots.tolist() == [(size - 1) % 3, plan.outside_slot]


@pytest.mark.parametrize("n_buckets", [255, 256, 257])
def test_buckets_of_every_width(n_buckets: int) -> None:
    texts = [f"m{i}" for i in range(600)]
    labels = [f"label {i}" for i in range(n_buckets)]
    groups = [(i, texts[i::n_buckets]) for i in range(n_buckets)]
    numbers = [(i, [float(n) for n in range(i, 600, n_buckets)]) for i in range(n_buckets)]
    plans = [
        ColumnPlan("x", "text", groups=groups, labels=labels),
        ColumnPlan("n", "number", groups=numbers, labels=labels),
    ]
    frame = opened(duckdb.connect().sql("SELECT 'm' || range AS x, range AS n FROM range(600)"))
    known = [labels[i % n_buckets] for i in range(600)]
    assert frame.rebuild(plans, []).fetchall() == [(label, label) for label in known]
    (slots,) = frame.codes(plans[:1])
    assert slots[0].tolist() == [i % n_buckets for i in range(600)]


def test_days_that_never_come() -> None:
    plan = ColumnPlan("d", "date", cuts=[datetime.date(1960, 1, 1)], missing=2)
    days = "unnest(['infinity', '-infinity', '1959-12-31', NULL]::DATE[])"
    (batch,) = opened(duckdb.connect().sql(f"SELECT {days} AS d")).codes([plan])
    assert batch[0].tolist() == [1, 0, 0, 2]


def test_texts_of_other_types() -> None:
    relation = duckdb.connect().sql("SELECT unnest(['b', NULL, 'a']::ENUM('a', 'b')[]) AS x")
    (batch,) = opened(relation).codes([ColumnPlan("x", "text", groups=[(0, ["a"]), (1, ["b"])])])
    assert batch[0].tolist() == [1, 2, 0]


def test_a_default_collation_changes_nothing() -> None:
    connection = duckdb.connect()
    connection.execute("PRAGMA default_collation = 'NOCASE'")
    relation = connection.sql("SELECT unnest(['a', 'A', 'á']) AS x")
    plan = ColumnPlan("x", "text", groups=[(0, ["a"]), (1, ["A"])], outside=2)
    (batch,) = opened(relation).codes([plan])
    assert batch[0].tolist() == [0, 1, 2]
    strict = ColumnPlan("x", "text", groups=[(0, ["a"])], missing=0)
    assert opened(relation).refused([strict]) == [(0, 2)]


def test_the_collation_of_a_column_changes_nothing() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (x VARCHAR COLLATE NOCASE.NOACCENT)")
    connection.execute("INSERT INTO people VALUES ('a'), ('A'), ('á'), (NULL)")
    frame = opened(connection.table("people"))
    plan = ColumnPlan("x", "text", groups=[(0, ["a"]), (1, ["A"])])
    (batch,) = frame.codes([plan])
    assert batch[0].tolist() == [0, 1, plan.outside_slot, plan.missing_slot]
    assert frame.refused([plan]) == [(1, 1)]


@pytest.mark.parametrize("collation", ["", "COLLATE NOCASE.NOACCENT"])
def test_texts_that_are_their_own_labels(collation: str) -> None:
    """Also where a value slips past the count: it has no label."""
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE people (x VARCHAR {collation})")
    connection.execute("INSERT INTO people VALUES ('a'), ('A'), ('á'), ('b'), (NULL), ('it''s')")
    labels = ["b", "A", "it's", "a"]
    plan = ColumnPlan("x", "text", groups=[(i, [t]) for i, t in enumerate(labels)], labels=labels)
    assert plan.own_labels
    labelled = opened(connection.table("people")).rebuild([plan], [])
    assert labelled.fetchall() == [("a",), ("A",), (None,), ("b",), (None,), ("it's",)]
    assert labelled.aggregate("max(x)").fetchall() == [("a",)]  # in the order of the labels


@pytest.mark.parametrize("missing", [None, 2])
def test_a_text_that_reads_like_a_label_is_outside(missing: int | None) -> None:
    relation = duckdb.connect().sql("SELECT unnest(['m', 'missing', NULL, 'x']) AS x")
    groups, labels = (
        [(0, ["m"]), (1, ["f"])],
        ["m", "f"] if missing is None else ["m", "f", "missing"],
    )
    plan = ColumnPlan("x", "text", groups=groups, missing=missing, labels=labels)
    told = None if missing is None else "missing"
    assert opened(relation).rebuild([plan], []).fetchall() == [("m",), (None,), (told,), (None,)]
    assert opened(relation).refused([plan]) == [(0 if missing else 1, 2)]

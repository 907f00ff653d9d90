"""Rows in memory, in DuckDB, in polars and in Spark: what is learned and found is the same."""

from __future__ import annotations

import datetime
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

import sparsam as sp
from sparsam.data import OthersAtHome, RecordCounts, Table, propose_roles
from sparsam.data._read import BYTES_A_CODE
from sparsam.data.sample._record_parts import record_ranges
from sparsam.data.source import LazyFrame, open_frame
from sparsam.data.source.lazy import Draw

ROLES = sp.Roles("works", personal=["age", "sex", "region"])


def rows_of_every_kind(seed: int, n_rows: int = 600) -> pl.DataFrame:
    """Numbers, texts, truths, dates, moments and times of day, of some people missing."""
    rng = np.random.default_rng(seed)
    day = datetime.date(1990, 1, 1)
    noon = datetime.datetime(2024, 3, 1, 23, 59, 59)
    columns: dict[str, Any] = {
        "whole": rng.integers(-40, 40, n_rows),
        "many": rng.normal(0, 1e4, n_rows).round(3),
        "count": rng.geometric(0.01, n_rows).astype(np.int32),
        "text": rng.choice(["a", "A", "a ", "", "ß", "e\u0301", "é", "日本", "17"], n_rows),
        "lots {of} `them`": [f"category {c}" for c in rng.integers(0, 300, n_rows)],
        "truth": rng.random(n_rows) < 0.4,
        "born": [day + datetime.timedelta(int(d)) for d in rng.integers(-9000, 5000, n_rows)],
        "seen": [noon + datetime.timedelta(hours=int(h)) for h in rng.integers(0, 9000, n_rows)],
        "at": [datetime.time(int(h), int(m)) for h, m in rng.integers(0, 24, (n_rows, 2))],
        "told": rng.choice(["1", "2", "unknown"], n_rows),
        "score": rng.choice([1.5, 2.5, -9.0, 7.0], n_rows),
        "nobody": [None] * n_rows,
    }
    frame = pl.DataFrame(columns).with_columns(pl.col("nobody").cast(pl.Int64))
    holes = {name: rng.random(n_rows) < 0.1 for name in ("many", "text", "truth", "born", "seen")}
    frame = frame.with_columns(
        pl.when(pl.Series(hole)).then(None).otherwise(pl.col(name)).alias(name)
        for name, hole in holes.items()
    )
    return frame.with_columns(
        pl.when(pl.Series(rng.random(n_rows) < 0.05))
        .then(float("nan"))
        .otherwise(pl.col("many"))
        .alias("many")
    )


DECLARED = sp.Roles(
    ages={"born": "2024-06-15"},
    missing_values=["unknown"],
    missing_in={"score": ["-9"]},
)


def check_tables(table: Table, known: Table) -> None:
    assert table.attributes == known.attributes
    assert [*table.left_out] == [*known.left_out]
    assert table.notes == known.notes
    assert (table.codes == known.codes).all()
    assert table.numbers.keys() == known.numbers.keys()
    for name, exact in known.numbers.items():
        np.testing.assert_array_equal(table.numbers[name], exact)


@pytest.mark.parametrize("roles", [sp.Roles(), DECLARED], ids=["as it is", "declared"])
def test_reading(engine: Any, roles: sp.Roles) -> None:
    rows = rows_of_every_kind(1)
    if engine.name in ("spark", "connect"):
        rows = without_times(rows)
    check_tables(sp.read(engine(rows), roles=roles), sp.read(rows, roles=roles))


def without_times(rows: pl.DataFrame) -> pl.DataFrame:
    """Spark before 4.1 has no times of day."""
    types = pytest.importorskip("pyspark.sql.types")
    return rows if hasattr(types, "TimeType") else rows.drop("at")


def test_exact_numbers_belong_to_their_rows(engine: Any) -> None:
    rows, roles = rows_of_every_kind(2).select("many", "text"), sp.Roles("many")
    table = sp.read(engine(rows), roles=roles)
    check_tables(table, sp.read(rows, roles=roles))
    assert "many" in table.numbers


def test_roles_are_proposed(engine: Any) -> None:
    rows = rows_of_every_kind(3).drop("at")
    assert propose_roles(engine(rows)) == propose_roles(rows)


@cache
def people() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    n_rows = 2_000
    age, sex = rng.integers(15, 80, n_rows), rng.choice(["female", "male"], n_rows)
    education = rng.choice(["low", "middle", "high"], n_rows)
    region = np.where(rng.random(n_rows) < 0.7, np.where(sex == "male", "north", "south"), "east")
    works = (age > 25) & (age < 65) & (education != "low") ^ (rng.random(n_rows) < 0.05)
    return pl.DataFrame(
        {
            "age": age,
            "sex": sex,
            "education": education,
            "region": region,
            "works": np.where(works, "yes", "no"),
        }
    )


def tree(rows: Any) -> sp.PrivacyTree:
    return sp.PrivacyTree(ROLES, max_leaves=12, min_leaf=20).fit(rows)


def parts(rows: Any) -> Any:
    return sp.split(sp.resolve(rows, ROLES))


@cache
def known(what: str) -> Any:
    """What is found in memory, once for all engines."""
    return FOUND[what](people())


def swept(rows: Any) -> Any:
    fast = sp.Reconstruction(models=("look-up",))
    ways = ["uniform", "privacy tree"]
    front = sp.sweep(rows, ROLES, minimisers=ways, adversary=fast, repeats=1, n_jobs=1)
    chosen = front.choose().generalization
    return [point.assessment for point in front.points], chosen


def attacked(rows: Any) -> Any:
    fast = sp.Reconstruction(models=("look-up",))
    g = tree(people()).generalization_
    return sp.run_attacks(g, parts(rows), ["A1", "A7", "A8"], reconstruction=fast).facts()


def assessed(rows: Any) -> Any:
    fast = sp.Reconstruction(models=("look-up",))
    g = tree(people()).generalization_
    return sp.assess_generalization(g, parts(rows), adversary=fast)


FOUND: dict[str, Any] = {
    "tree": lambda rows: tree(rows).generalization_,
    "sweep": swept,
    "attack": attacked,
    "assess": assessed,
}


@pytest.mark.parametrize("what", FOUND)
def test_the_same_is_found(engine: Any, what: str) -> None:
    assert FOUND[what](engine(people())) == known(what)


def test_the_same_tree_from_rows_in_parts(engine: Any) -> None:
    assert tree(engine(people(), parts=3)).generalization_ == known("tree")


@pytest.mark.parametrize("output", ["labels", "codes"])
def test_applying(engine: Any, output: Any) -> None:
    g, rows = known("tree"), people()
    applied = engine.home(g.apply(engine(rows), keep="works", output=output))
    expected = g.apply(rows, keep="works", output=output)
    assert applied.to_dict(as_series=False) == expected.to_dict(as_series=False)


def lazy(engine: Any, rows: pl.DataFrame, parts: int = 1) -> LazyFrame:
    frame = open_frame(engine(rows, parts))
    if not isinstance(frame, LazyFrame):
        pytest.skip("rows in memory are no lazy frame")
    return frame


@pytest.mark.parametrize(
    ("numbers", "ends"),
    [
        ([3.5, float("nan"), -1.0, None, 9.0, -1.0], [-1.0, -1.0, 9.0]),
        ([4, 2, None, 7], [2, 7]),
        ([float("nan"), None], []),
    ],
)
def test_the_ends_of_a_range(engine: Any, numbers: list[Any], ends: list[Any]) -> None:
    """Of a column whose name an engine might use itself."""
    rows = pl.DataFrame({"low": numbers, "high": ["x"] * len(numbers)}, strict=False)
    found = lazy(engine, rows).outermost("low").native
    assert sorted(engine.home(found)["low"].to_list()) == ends


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_draw_and_the_others_are_all_rows(engine: Any, share: float) -> None:
    rows, draw = people(), Draw(share, seed=3)
    drawn = engine.home(lazy(engine, rows).drawn(draw).native)
    others = engine.home(lazy(engine, rows).drawn(draw, others=True).native)
    assert abs(len(drawn) - share * len(rows)) <= 4 * np.sqrt(len(rows) * share * (1 - share))
    both = pl.concat([drawn, others])
    assert both.sort(both.columns).equals(rows.sort(rows.columns))


def cells(counts: RecordCounts) -> Counter[Any]:
    assert counts.target is not None
    named = {"target": counts.target, **counts.personal}
    return Counter(
        {
            (name, *counts.records[line].tolist(), int(code)): int(people)
            for name, part in named.items()
            for line, code, people in zip(*part, strict=True)
        }
    )


def test_a_sample_and_everyone_else_are_counted_as_all(
    engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsam.data._read.FEWEST_DRAWN", 10)
    rows = people()
    whole = sp.resolve(rows, ROLES)
    a_third = BYTES_A_CODE * rows.width * len(rows) // 3
    task = sp.resolve(engine(rows), ROLES, max_memory=a_third, random_state=2)
    if engine.name == "memory":
        assert task.others is None
        return
    assert task.others is not None
    assert task.n_rows + task.others.n_people == len(rows)
    lookups = {
        attribute.name: (np.arange(attribute.size) * 2 // attribute.size).astype(np.uint16)
        for attribute in whole.table.attributes
    }
    names = [whole.names[a] for a in whole.personal]
    own = OthersAtHome(task, np.arange(task.n_rows)).count(lookups, names)
    everyone = OthersAtHome(whole, np.arange(len(rows))).count(lookups, names)
    assert cells(own) + cells(task.others.count(lookups, names)) == cells(everyone)
    apart = Counter(cells(own))
    sample = np.column_stack([lookups[n][task.table.column(n)] for n in lookups])
    for within in record_ranges(lookups, sample, 3):
        assert within is not None
        apart += cells(task.others.count(lookups, names, within))
    assert apart == cells(everyone)


def test_a_draw_in_spark_does_not_depend_on_how_rows_lie(spark: Any) -> None:
    from tests.engines import Spark

    engine, draw = Spark("spark", spark), Draw(0.3, seed=3)
    rows = pl.concat([people(), people()[:500], pl.DataFrame({"age": [None, 3]})], how="diagonal")
    drawn = engine.home(lazy(engine, rows).drawn(draw).native)
    shuffled = rows.sample(fraction=1.0, shuffle=True, seed=8)
    assert engine.home(lazy(engine, shuffled, parts=5).drawn(draw).native).equals(drawn)
    another = engine.home(lazy(engine, rows).drawn(Draw(0.3, seed=4)).native)
    assert not another.equals(drawn)


def test_equal_rows_in_spark_are_drawn_one_by_one(spark: Any) -> None:
    """More of them than are numbered in one list."""
    same = spark.range(30_000).selectExpr("'x' AS a", "CAST(NULL AS INT) AS b")
    frame = open_frame(same)
    assert isinstance(frame, LazyFrame)
    n_drawn = frame.drawn(Draw(0.25, seed=1)).n_rows()
    assert abs(n_drawn - 7_500) < 4 * 75
    assert frame.drawn(Draw(0.25, seed=1), others=True).n_rows() == 30_000 - n_drawn


def test_spark_moments_are_what_a_clock_shows(spark: Any) -> None:
    """Spark's own moments know their time zone; they are read in that of the session."""
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        query = "SELECT TIMESTAMP'2024-03-01 00:30:00' + make_interval(0, 0, 0, id) AS seen"
        frame = spark.range(0, 40, 1, 1).selectExpr(query.removeprefix("SELECT "))
        clocks = [datetime.datetime(2024, 3, 1, 0, 30) + datetime.timedelta(d) for d in range(40)]
        check_tables(sp.read(frame), sp.read({"seen": clocks}))
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_spark_texts_that_it_compares_without_case(spark: Any) -> None:
    texts = ["a", "A", "b", "a", "á"]
    frame = spark.createDataFrame([(text,) for text in texts], "x STRING COLLATE UTF8_LCASE")
    check_tables(sp.read(frame.coalesce(1)), sp.read({"x": texts}))

"""People outside a sample are counted alike, wherever they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import sparsam as sp
from sparsam._errors import DataError
from sparsam.data import OthersAtHome, RecordCounts, Task, draw_people
from sparsam.data.sample._others import CodedColumn, OthersInEngine, SeveralOthers
from sparsam.data.sample._record_counts import joined, united
from sparsam.data.source import open_frame
from sparsam.data.source.lazy._frame import LazyFrame
from sparsam.data.source.lazy._plan import ColumnPlan, RecordPlan

N = 30_000
ROLES = sp.Roles("pays", categorical=["job", "code"], missing_values=["?"])


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    job = rng.choice(["clerk", "cook", "?", "smith"], N)
    wage = np.round(rng.gamma(2, 900, N), 1)
    return pl.DataFrame(
        {
            "age": pl.Series([None if i % 17 == 0 else int(a) for i, a in
                              enumerate(rng.integers(16, 90, N))]),
            "job": job,
            "code": rng.integers(1, 9, N),
            "wage": wage,
            "pays": np.where(wage + rng.normal(0, 500, N) > 1800, "yes", "no"),
        }
    )  # fmt: skip


def in_engine(people: pl.DataFrame, engine: str) -> Any:
    if engine == "polars":
        return people.lazy()
    connection = duckdb.connect()
    connection.register("people", people)
    return connection.sql("SELECT * FROM people")


def sampled(people: pl.DataFrame, engine: str) -> Task:
    # 10,000 rows of five columns at eight bytes a cell, and a little more
    return sp.resolve(in_engine(people, engine), ROLES, max_memory=500_000, random_state=3)


def lookups_of(task: Task) -> dict[str, Any]:
    halves = {}
    for name in ("age", "job", "wage"):
        size = task.table.attribute(name).size
        halves[name] = (np.arange(size) * 3 // size).astype(np.uint16)
    return halves


def plain(counts: RecordCounts) -> dict[str, Any]:
    assert counts.target is not None
    cells = {"target": counts.target, **counts.personal}
    return {
        "people": Counter(dict(zip(map(tuple, counts.records.tolist()), counts.people.tolist(),
                                   strict=True))),
        **{
            name: Counter(
                {
                    (*counts.records[line].tolist(), int(code)): int(n)
                    for line, code, n in zip(*part, strict=True)
                }
            )
            for name, part in cells.items()
        },
    }  # fmt: skip


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_the_sample_and_the_others_are_everyone(people: pl.DataFrame, engine: str) -> None:
    whole = sp.resolve(in_engine(people, engine), ROLES)
    task = sampled(people, engine)
    assert whole.others is None
    assert task.others is not None
    assert task.table.attributes == whole.table.attributes, "domains come from all rows"
    assert 9_000 < task.n_rows < 16_000
    assert task.n_rows + task.others.n_people == N
    lookups = lookups_of(whole)
    personal = ["job", "code", "age", "wage"]
    everyone = OthersAtHome(whole, np.arange(N)).count(lookups, personal)
    own = OthersAtHome(task, np.arange(task.n_rows)).count(lookups, personal)
    others = task.others.count(lookups, personal)
    together = {name: plain(own)[name] + counts for name, counts in plain(others).items()}
    assert together == plain(everyone)
    several = SeveralOthers([OthersAtHome(task, np.arange(task.n_rows)), task.others])
    assert plain(several.count(lookups, personal)) == plain(everyone)
    assert plain(united([own, others])) == plain(everyone)


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_parts_are_what_is_counted_at_once(
    people: pl.DataFrame, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = sampled(people, engine)
    assert task.others is not None
    lookups, personal = lookups_of(task), ["job", "code", "wage"]
    sample = np.column_stack([lookups[n][task.table.column(n)] for n in lookups])
    at_home = OthersAtHome(task, np.arange(0, task.n_rows, 2))
    for place in (task.others, at_home, SeveralOthers([at_home, task.others])):
        whole = plain(place.count(lookups, personal))
        [counts] = place.parts(lookups, personal, sample)
        assert plain(counts) == whole
        with monkeypatch.context() as small:
            small.setattr("sparsam.data.sample._record_parts.MOST_RECORDS", 10)
            small.setattr("sparsam.data.sample._record_parts._PEOPLE_IN_SLICE", 1_000)
            small.setattr("sparsam.data.sample._record_parts._PEOPLE_AT_ONCE", 4_000)
            parts = list(place.parts(lookups, personal, sample))
        assert len(parts) > 1
        assert plain(joined(parts)) == whole


def test_an_engine_that_does_not_stream_counts_itself(
    people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many people one range of records after the other, each with all columns."""
    task = sampled(people, "duckdb")
    assert task.others is not None
    lookups, personal = lookups_of(task), ["job", "code", "wage"]
    sample = np.column_stack([lookups[n][task.table.column(n)] for n in lookups])
    at_home = OthersAtHome(task, np.arange(0, task.n_rows, 2))
    places = (task.others, SeveralOthers([at_home, task.others]))
    whole = [plain(place.count(lookups, personal)) for place in places]
    asked: list[int] = []
    ask = LazyFrame.record_counts

    def counted(frame: LazyFrame, record: RecordPlan, beside: Any, within: Any) -> Any:
        asked.append(len(beside))
        return ask(frame, record, beside, within)

    monkeypatch.setattr(LazyFrame, "record_counts", counted)
    monkeypatch.setattr("sparsam.data.source.lazy._duckdb.DuckFrame.streams", False)
    monkeypatch.setattr("sparsam.data.sample._others.record_parts", None)
    for place, expected in zip(places, whole, strict=True):
        [counts] = place.parts(lookups, personal, sample)
        assert plain(counts) == expected
        with monkeypatch.context() as small:
            small.setattr("sparsam.data.sample._others.MOST_RECORDS", 10)
            parts = list(place.parts(lookups, personal, sample))
            assert len(parts) > 1
            assert plain(joined(parts)) == expected
        assert asked == [4, 4]
        asked.clear()
        with monkeypatch.context() as small:
            small.setattr("sparsam.data.sample._others._MOST_TOGETHER", 1_000)
            small.setattr("sparsam.data.sample._others._PEOPLE_IN_RANGE", place.n_people // 5)
            parts = list(place.parts(lookups, personal, sample))
        assert asked == [4] * len(parts)
        assert 4 <= len(parts) <= 6
        sizes = [part.n_people for part in parts]
        assert max(sizes) < 2 * min(sizes)
        assert plain(joined(parts)) == expected
        asked.clear()


def test_a_value_that_was_not_there_before_is_an_error(people: pl.DataFrame) -> None:
    task = sampled(people, "duckdb")
    others = task.others
    assert isinstance(others, OthersInEngine)
    later = people.with_columns(job=pl.lit("a new one"))
    changed = replace(others, frame=open_frame(in_engine(later, "duckdb")))
    with pytest.raises(DataError, match="must stay the same while it is read"):
        list(changed.columns_of(["job"]))


def test_counts_at_home_are_those_of_a_loop(people: pl.DataFrame) -> None:
    task = sp.resolve(people, ROLES)
    lookups, rows = lookups_of(task), np.arange(0, N, 3)
    counts = OthersAtHome(task, rows).count(lookups, ["code"])
    slow: Counter[Any] = Counter()
    for row in rows.tolist():
        record = tuple(int(lookups[name][task.table.column(name)[row]]) for name in lookups)
        slow[(*record, int(task.table.column("code")[row]))] += 1
    assert plain(counts)["code"] == slow
    assert counts.n_people == len(rows)


def test_the_same_seed_draws_the_same_rows_on_every_engine(people: pl.DataFrame) -> None:
    first, second = sampled(people, "duckdb"), sampled(people, "polars")
    assert (first.codes == second.codes).all()
    other = sp.read(in_engine(people, "duckdb"), roles=ROLES, max_memory=500_000, random_state=4)
    assert other.n_rows != first.n_rows or (other.column("age") != first.table.column("age")).any()


def test_rows_without_a_target_are_left_out(people: pl.DataFrame) -> None:
    holes = people.with_columns(
        pays=pl.when(pl.int_range(N) % 5 == 0).then(None)
        .when(pl.int_range(N) % 5 == 1).then(pl.lit("?"))
        .otherwise(pl.col("pays"))
    )  # fmt: skip
    roles = sp.Roles(
        "pays", categorical=["job", "code"], missing_values=["?"], drop_missing_target=True
    )
    counted = {}
    for engine in ("duckdb", "polars"):
        task = sp.resolve(in_engine(holes, engine), roles, max_memory=500_000)
        assert task.others is not None
        counts = task.others.count(lookups_of(task), ["code"])
        assert counts.target is not None
        assert (counts.target.codes >= 0).all()
        assert task.n_rows + counts.n_people == 3 * N // 5
        assert counts.personal["code"].counts.sum() == counts.n_people
        counted[engine] = plain(counts)
    assert counted["duckdb"] == counted["polars"]


def test_nothing_collected_is_one_record(people: pl.DataFrame) -> None:
    task = sampled(people, "duckdb")
    assert task.others is not None
    counts = task.others.count({}, ["job"])
    assert counts.records.shape == (1, 0)
    assert counts.people.tolist() == [task.others.n_people]


def test_records_too_many_for_one_number_take_several() -> None:
    record = RecordPlan(tuple(ColumnPlan(f"c{i}", "number", missing=999) for i in range(13)))
    assert len(record.keys) == 3
    rng = np.random.default_rng(0)
    records = rng.integers(0, 1000, (50, 13)).astype(np.uint16)
    keys = [record.packed(key, lambda i: records[:, i].astype(np.int64)) for key in record.keys]
    assert (record.unpacked(keys) == records).all()


def test_people_who_are_left_out_are_nobody_s_others(people: pl.DataFrame) -> None:
    task = sampled(people, "duckdb")
    assert task.take(np.arange(100)).others is None
    assert task.table.take(np.arange(100)).others is None
    drawn = draw_people(task, 5_000)
    assert drawn.n_rows == 5_000
    assert drawn.others is not None
    assert drawn.others.n_people == N - 5_000
    assert drawn.others.count(lookups_of(task), []).n_people == N - 5_000


def test_too_little_memory_for_any_sample_is_said(people: pl.DataFrame) -> None:
    with pytest.raises(DataError, match=r"10,000 rows or more.*Got 1,000 bytes"):
        sp.read(people.lazy(), max_memory=1_000)


def test_a_target_beside_a_sample_is_refused(people: pl.DataFrame) -> None:
    table = sp.read(people.lazy().drop("pays"), max_memory=400_000)
    assert table.others is not None
    with pytest.raises(DataError, match="must be in memory"):
        sp.resolve(table, sp.Roles(), y=np.zeros(table.n_rows))


def test_values_are_coded_a_block_at_a_time(monkeypatch):
    column = CodedColumn(ColumnPlan("x", "text"), [None, "a", 2.5], np.array([7, 3, 1], np.uint16))
    values = np.array(["a", 2.5, None, float("nan"), "a", 2.5, "a"], dtype=object)
    whole = column.coded(values)
    assert whole.tolist() == [3, 1, 7, 7, 3, 1, 3]
    monkeypatch.setattr("sparsam.data.sample._others._AT_ONCE", 3)
    assert column.coded(values).tolist() == whole.tolist()
    assert column.coded(values[:0]).tolist() == []

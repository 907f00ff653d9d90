"""What is published: the right value for every class, in the user's own frame."""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError, RoleError, SparsamWarning
from sparsam.anonymise._classes import Classes
from sparsam.anonymise._publish import Form, publish, published_values
from sparsam.anonymise._published_values import ReleasedRows
from sparsam.data import OwnRecords, Roles, Table, read

LEVELS = ("low", "middle", "high")
ROLES = Roles(ordered={"level": LEVELS}, numeric=["age", "size"])
NAMES = ("age", "size", "level", "job")


@st.composite
def people(draw: st.DrawFn) -> tuple[dict[str, list[Any]], Classes]:
    n = draw(st.integers(1, 14))

    def column(values: Any) -> list[Any]:
        found = draw(st.lists(st.one_of(st.none(), values), min_size=n, max_size=n))
        if all(value is None for value in found):
            found[0] = draw(values)
        return found

    columns = {
        "age": column(st.integers(0, 9)),
        "size": column(st.sampled_from([0.25, 1.5, 2.75, 9.0])),
        "level": column(st.sampled_from(LEVELS)),
        "job": column(st.sampled_from(["cook", "nurse", "smith"])),
    }
    of_row = draw(
        st.lists(st.integers(-1, 3), min_size=n, max_size=n).filter(lambda c: max(c) > -1)
    )
    return columns, Classes(np.array(of_row), 4)


def members(values: list[Any], classes: Classes, number: int) -> list[Any]:
    return [value for value, c in zip(values, classes.of_row, strict=True) if c == number]


def slow_mode(values: list[Any], order: tuple[Any, ...]) -> Any:
    counts = Counter(values)
    most = max(counts.values())
    return next(v for v in (*order, None) if counts.get(v) == most)


def slow_average(name: str, values: list[Any], how: str) -> Any:
    known = sorted(
        (v for v in values if v is not None), key=LEVELS.index if name == "level" else None
    )
    order = {"age": range(10), "size": (0.25, 1.5, 2.75, 9.0), "level": LEVELS}.get(
        name, ("cook", "nurse", "smith")
    )
    if how == "mode" or name == "job":
        return slow_mode(values, tuple(order))
    if len(values) - len(known) > len(known):
        return None
    if how == "mean" and name in ("age", "size"):
        mean = statistics.fmean(known)
        return round(mean) if name == "age" else mean
    return known[(len(known) - 1) // 2]


@pytest.mark.parametrize("how", ["mean", "median", "mode"])
@given(people())
@settings(max_examples=60)
def test_averages_are_what_a_loop_finds(how: Form, case: Any) -> None:
    columns, classes = case
    made = publish(columns, read(columns, roles=ROLES), classes, how)
    kept = [c for c in classes.of_row if c >= 0]
    for name in NAMES:
        expected = [slow_average(name, members(columns[name], classes, c), how) for c in kept]
        found = [None if pd.isna(value) else value for value in made[name]]
        assert found == pytest.approx(expected) if name == "size" else found == expected


@given(st.floats(-1e6, 1e6), st.integers(1, 40))
def test_the_mean_of_equal_numbers_is_that_number(value: float, n: int) -> None:
    columns = {"x": [value] * n + [value + 1.5]}
    classes = Classes(np.append(np.zeros(n, np.int64), 1), 2)
    made = publish(columns, read(columns, roles=Roles(numeric=["x"])), classes)
    assert set(made["x"].tolist()[:-1]) == {columns["x"][0]}


@given(people(), st.integers(0, 5))
@settings(max_examples=60)
def test_a_draw_is_one_record_of_values_that_the_class_has(case: Any, seed: int) -> None:
    columns, classes = case
    table = read(columns, roles=ROLES)
    for missing in ("own", "known"):
        made = publish(columns, table, classes, "draw", missing=missing, random_state=seed)
        again = publish(columns, table, classes, "draw", missing=missing, random_state=seed)
        for name in NAMES:
            cells = [None if pd.isna(value) else value for value in made[name]]
            assert cells == [None if pd.isna(value) else value for value in again[name]]
            kept = [c for c in classes.of_row if c >= 0]
            for number in set(kept):
                inside = members(columns[name], classes, number)
                found = {cell for cell, c in zip(cells, kept, strict=True) if c == number}
                assert len(found) == 1
                assert found <= set(inside)
                if missing == "known" and set(inside) != {None}:
                    assert found != {None}


def test_a_draw_follows_the_class() -> None:
    table = read({"x": ["a"] * 900 + ["b"] * 100})
    drawn = []
    for seed in range(300):
        released = ReleasedRows.of(Classes(np.zeros(1000, np.int64), 1))
        drawn += published_values(table, released, "draw", random_state=seed)["x"]
    assert 20 <= drawn.count("b") <= 42


@given(people(), st.lists(st.sampled_from("yn"), min_size=14, max_size=14))
@settings(max_examples=60)
def test_the_nearest_record_is_one_of_the_majority(case: Any, labels: list[str]) -> None:
    columns, classes = case
    answers = np.array(labels[: len(classes.of_row)])
    table = read(columns, roles=ROLES)
    with pytest.warns(SparsamWarning, match="record of a real person"):
        made = publish(columns, table, classes, "nearest", answers=answers)
    kept = np.flatnonzero(classes.of_row >= 0)
    for place, row in enumerate(kept):
        record = tuple(None if pd.isna(made[n][place]) else made[n][place] for n in NAMES)
        inside = np.flatnonzero(classes.of_row == classes.of_row[row])
        counts = Counter(answers[inside].tolist())
        most = min(label for label in counts if counts[label] == max(counts.values()))
        among = {tuple(columns[n][i] for n in NAMES) for i in inside if answers[i] == most}
        assert record in among


def test_the_nearest_record_is_scaled() -> None:
    """Unscaled distances let one column pick the representative."""
    columns = {"income": [10_000, 10_500, 11_000, 90_000], "children": [9, 1, 0, 1]}
    classes = Classes(np.array([0, 0, 0, 1]), 2)
    with pytest.warns(SparsamWarning):
        made = publish(columns, read(columns), classes, "nearest")
    assert made["income"].tolist() == [10_500] * 3 + [90_000]
    assert made["children"].tolist() == [1, 1, 1, 1]
    far = {"income": [10_000, 10_400, 10_800, 90_000], "children": [1, 9, 1, 1]}
    with pytest.warns(SparsamWarning):
        made = publish(far, read(far), classes, "nearest")
    assert made["children"].tolist() == [1, 1, 1, 1]


@given(people())
@settings(max_examples=60)
def test_ranges_cover_the_class_and_tell_nothing_finer(case: Any) -> None:
    columns, classes = case
    made = publish(columns, read(columns, roles=ROLES), classes, "ranges")
    kept = [c for c in classes.of_row if c >= 0]
    for place, number in enumerate(kept):
        for name in NAMES:
            inside = members(columns[name], classes, number)
            known = {value for value in inside if value is not None}
            text = made[name][place]
            if not known:
                assert pd.isna(text)
                continue
            assert text.endswith(" or missing") == (None in inside)
            check_covers(name, text.removesuffix(" or missing"), known, columns[name])


def check_covers(name: str, text: str, known: set[Any], column: list[Any]) -> None:
    if name in ("age", "size"):
        ends = [float(part) for part in text.replace("–", " to ").split(" to ")]
        assert (ends[0], ends[-1]) == (min(known), max(known))
    elif text == "all values":
        domain = set(LEVELS) if name == "level" else {v for v in column if v is not None}
        assert known == domain
    else:
        assert set(text.split(", ")) == known


def test_runs_and_names_that_look_like_sets() -> None:
    levels = ("a", "b", "c", "d", "e")
    columns = {
        "level": ["b", "c", "d", "a", "e", "a"],
        "job": ["x, y", "x", "y", "missing", "all values", "x"],
    }
    table = read(columns, roles=Roles(ordered={"level": levels}))
    classes = Classes(np.array([0, 0, 0, 1, 1, 2]), 3)
    made = publish(columns, table, classes, "ranges")
    assert made["level"].tolist() == ["b – d"] * 3 + ["a, e"] * 2 + ["a"]
    assert made["job"].tolist() == [
        *['x, "x, y", y'] * 3,
        *['"all values", "missing"'] * 2,
        "x",
    ]


def test_a_range_of_bins_reaches_to_their_ends() -> None:
    values = [float(i) for i in range(100)]
    table = read({"x": values}, max_codes=4)
    made = publish({"x": values}, table, Classes(np.repeat([0, 1], 50), 2), "ranges")
    assert made["x"].tolist() == ["0–49"] * 50 + ["50–99"] * 50


@pytest.mark.parametrize("how", ["mean", "median", "mode", "draw", "ranges"])
@pytest.mark.parametrize("missing", ["own", "known"])
def test_no_row_is_lost_to_a_missing_value(how: Form, missing: Any) -> None:
    """A peer loses every row with a missing value: 200 in, 160 out."""
    rng = np.random.default_rng(0)
    age = rng.integers(0, 90, 200).astype(float)
    age[::5] = np.nan
    frame = pd.DataFrame({"age": age, "who": range(200)})
    classes = Classes(np.arange(200) // 10, 20)
    table = read(frame[["age"]])
    made = publish(frame, table, classes, how, missing=missing, keep=["who"])
    assert made["who"].tolist() == list(range(200))
    if missing == "known" or how in ("mean", "median", "ranges"):
        assert made["age"].notna().all()


def test_the_policy_for_missing_values() -> None:
    columns = {"x": [1, None, None, 5, 7, None], "c": ["a", None, None, "b", "b", None]}
    classes = Classes(np.array([0, 0, 0, 1, 1, 1]), 2)
    table = read(columns)
    for how in ("mean", "median", "mode"):
        own = publish(columns, table, classes, how)
        assert [pd.isna(value) for value in own["x"]] == [True] * 3 + [False] * 3
        assert [pd.isna(value) for value in own["c"]] == [True] * 3 + [False] * 3
        known = publish(columns, table, classes, how, missing="known")
        assert known["x"].tolist()[0] == 1
        assert known["c"].tolist() == ["a"] * 3 + ["b"] * 3


def test_suppressed_rows_and_unnamed_columns_are_not_published() -> None:
    frame = pd.DataFrame({"name": list("abcd"), "age": [1, 2, 3, 4], "y": [0, 1, 0, 1]})
    classes = Classes(np.array([0, -1, 0, -1]), 1)
    made = publish(frame, read(frame[["age"]]), classes, "mean", keep=["y"])
    assert list(made.columns) == ["age", "y"]
    assert made["age"].tolist() == [2, 2]
    assert made["y"].tolist() == [0, 0]
    assert made.index.tolist() == [0, 1]


def test_labels_of_a_hierarchy() -> None:
    columns = {"place": ["Ulm", "Bonn", "Wien", "Graz", "Linz", "Wien"]}
    table = read(columns)
    assert table.attributes[0].domain.categories == ("Bonn", "Graz", "Linz", "Ulm", "Wien")
    levels = [
        ["Bonn", "Graz", "Linz", "Ulm", "Wien"],
        ["Germany", "Austria", "Austria", "Germany", "Austria"],
        ["*"] * 5,
    ]
    classes = Classes(np.array([0, 0, 1, 1, 2, 1]), 3)
    made = publish(columns, table, classes, "hierarchy", hierarchies={"place": levels})
    assert made["place"].tolist() == ["Germany"] * 2 + ["Austria"] * 2 + ["Linz", "Austria"]
    whole = publish(columns, table, classes, "hierarchy", hierarchies={"place": levels[1:2]})
    assert whole["place"].tolist() == ["Germany"] * 2 + ["Austria"] * 4
    mixed = Classes(np.zeros(6, np.int64), 1)
    with pytest.raises(DataError, match="1 of 1 classes have several on all 1 levels"):
        publish(columns, table, mixed, "hierarchy", hierarchies={"place": levels[:1]})
    with pytest.raises(DataError, match="a label for each of its 5 values"):
        publish(columns, table, mixed, "hierarchy", hierarchies={"place": [["*", "*"]]})
    with pytest.raises(RoleError, match="'place' is not an attribute with a hierarchy"):
        publish(columns, table, mixed, "hierarchy")


def test_missing_has_its_label_in_a_hierarchy() -> None:
    columns = {"x": ["a", None, "b", None]}
    table = read(columns)
    levels = [["a", "b", None], ["letter", "letter", "none"], ["*"] * 3]
    classes = Classes(np.array([0, 1, 0, 1]), 2)
    made = publish(columns, table, classes, "hierarchy", hierarchies={"x": levels})
    assert made["x"].tolist() == ["letter", None, "letter", None]
    both = publish(
        columns, table, Classes(np.zeros(4, int), 1), "hierarchy", hierarchies={"x": levels}
    )
    assert both["x"].tolist() == ["*"] * 4


def test_nothing_is_kept_between_calls() -> None:
    """A peer's second call depends on its first."""
    columns = {"x": [1, 2, 3, 4]}
    table = read(columns)
    one, two = Classes(np.array([0, 0, 1, 1]), 2), Classes(np.array([0, 1, 1, 0]), 2)
    first = publish(columns, table, one, "mean")["x"].tolist()
    publish(columns, table, two, "mean")
    assert publish(columns, table, one, "mean")["x"].tolist() == first
    assert columns == {"x": [1, 2, 3, 4]}


def test_own_records_are_published_in_their_own_types() -> None:
    frame = pd.DataFrame(
        {"age": np.array([30, 31, 60, 61], np.int8), "job": pd.Categorical(["a", "b", "b", "b"])}
    )
    own = OwnRecords.open(frame)
    made = publish(frame, own.table, Classes(np.array([0, 0, 1, 1]), 2))
    assert made.dtypes.tolist() == frame.dtypes.tolist()
    assert made["age"].tolist() == [30, 30, 60, 60]


def table_of(n: int) -> Table:
    return read({"x": list(range(n))})


def test_bad_requests_are_refused() -> None:
    columns = {"x": [0, 1, 2], "y": [0, 0, 0]}
    classes = Classes(np.zeros(3, np.int64), 1)
    with pytest.raises(ParameterError, match="'how' parameter of publish must be one of"):
        publish(columns, table_of(3), classes, "best")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'missing' parameter"):
        publish(columns, table_of(3), classes, "mean", missing="drop")  # type: ignore[arg-type]
    with pytest.raises(RoleError, match="'z' is not a column"):
        publish(columns, table_of(3), classes, "mean", keep=["z"])
    with pytest.raises(DataError, match="All 3 are suppressed"):
        publish(columns, table_of(3), Classes(np.full(3, -1), 0))


@pytest.mark.filterwarnings("ignore:'nearest' publishes")
def test_answers_are_one_for_each_row() -> None:
    classes = Classes(np.zeros(3, np.int64), 1)
    with pytest.raises(DataError, match="for each of the 3 rows"):
        publish({"x": [0, 1, 2]}, table_of(3), classes, "nearest", answers=np.zeros(2))


CLASSES = Classes(np.array([0, 0, -1, 1, 1]), 2)
DATA = {
    "id": ["p", "q", "r", "s", "t"],
    "age": [30, 32, 99, 60, 70],
    "job": ["cook", "cook", "smith", "nurse", None],
    "y": [True, False, True, False, True],
}


def check_values(made: Any) -> None:
    assert list(made) == ["age", "job", "y"]
    assert list(made["age"]) == [31, 31, 65, 65]
    assert list(made["job"]) == ["cook", "cook", "nurse", "nurse"]
    assert list(made["y"]) == [True, False, False, True]


def test_pandas_keeps_its_types_and_drops_its_index() -> None:
    frame = pd.DataFrame(DATA, index=pd.Index([10, 20, 30, 40, 50], name="row"))
    frame = frame.astype({"age": "Int16", "job": "category", "y": "boolean"})
    with pytest.warns(SparsamWarning, match="row labels"):
        made = publish(frame, read(frame[["age", "job"]]), CLASSES, "mean", keep=["y"])
    check_values({name: made[name].tolist() for name in made.columns})
    assert made.index.equals(pd.RangeIndex(4))
    assert made.index.name is None
    assert made.dtypes.astype(str).tolist() == ["Int16", "category", "boolean"]
    assert frame.index.tolist() == [10, 20, 30, 40, 50]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_category_that_nobody_has_any_more_is_gone(tmp_path: Path, library: str) -> None:
    """A file lists the categories of a column, those of suppressed people among them."""
    kept = pd.Series(["x", "x", "leper", "y", None], dtype="category")
    frame: Any = pd.DataFrame(DATA).assign(job=lambda f: f["job"].astype("category"), y=kept)
    if library != "pandas":
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    if library == "polars":
        enums = {"job": pl.Enum(["cook", "nurse", "smith"]), "y": pl.Enum(["leper", "x", "y"])}
        frame = pl.from_arrow(frame).cast(enums)
    table = read({n: DATA[n] for n in ("age", "job")})
    made = publish(frame, table, CLASSES, "mean", keep=["y"])
    path = tmp_path / "t.parquet"
    if library == "pandas":
        made.to_parquet(path)
        assert list(made["y"].cat.categories) == ["x", "y"]
    elif library == "polars":
        made.write_parquet(path)
        assert made.schema["y"] == pl.Enum(["x", "y"])
    else:
        pq.write_table(made, path)
        assert pa.types.is_dictionary(made.schema.field("y").type)
    assert pl.read_parquet(path)["y"].to_list() == ["x", "x", "y", None]
    assert b"leper" not in path.read_bytes()
    assert b"smith" not in path.read_bytes()


def test_pandas_keeps_labels_that_are_numbers() -> None:
    frame = pd.DataFrame({0: [1, 3, 5, 7, 9], 1: list("abcde")})
    made = publish(frame, read(frame[[0]]), CLASSES, "mean", keep=["1"])
    assert made.columns.tolist() == [0, 1]
    assert made[0].tolist() == [2, 2, 8, 8]


def test_polars() -> None:
    frame = pl.DataFrame(DATA, schema_overrides={"age": pl.UInt8})
    made = publish(frame, read(frame.select("age", "job")), CLASSES, "mean", keep=["y"])
    assert isinstance(made, pl.DataFrame)
    check_values(made.to_dict(as_series=False))
    assert made.schema["age"] == pl.UInt8
    lazy = publish(frame.lazy(), read(frame.select("age", "job")), CLASSES, "mean", keep=["y"])
    assert made.equals(lazy)


def test_pyarrow() -> None:
    table = pa.table(DATA)
    made = publish(table, read(table.select(["age", "job"])), CLASSES, "mean", keep=["y"])
    assert isinstance(made, pa.Table)
    check_values(made.to_pydict())
    assert made.schema.field("age").type == pa.int64()


def test_mapping_and_table() -> None:
    made = publish(DATA, read({n: DATA[n] for n in ("age", "job")}), CLASSES, "mean", keep=["y"])
    check_values(made)
    whole = read(DATA)
    made = publish(whole, whole.select(["age", "job"]), CLASSES, "mean", keep=["y"])
    check_values({name: made[name].tolist() for name in made.columns})


def test_array() -> None:
    matrix = np.array([[30.0, 1.0], [32.0, 2.0], [99.0, 3.0], [60.0, 4.0], [70.0, 5.0]])
    made = publish(matrix, read(matrix).select(["x0"]), CLASSES, "mean", keep=["x1"])
    assert made.tolist() == [[31, 1], [31, 2], [65, 4], [65, 5]]
    words = publish(matrix, read(matrix).select(["x0"]), CLASSES, "ranges")
    assert words.tolist() == [["30–32"], ["30–32"], ["60–70"], ["60–70"]]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_does_not_publish_its_row_numbers(tmp_path: Path, ending: str) -> None:
    """A peer publishes the original row number as a column."""
    path = tmp_path / f"people.{ending}"
    frame = pd.DataFrame(DATA)
    if ending == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    made = publish(path, read(path).select(["age", "job"]), CLASSES, "mean", keep=["y"])
    check_values({name: made[name].tolist() for name in made.columns})
    assert made.index.tolist() == [0, 1, 2, 3]


def test_a_relation_is_a_pandas_frame_with_new_rows() -> None:
    frame = pd.DataFrame(DATA)
    relation = duckdb.connect().from_df(frame)
    made = publish(relation, read(frame[["age", "job"]]), CLASSES, "mean", keep=["y"])
    assert made["age"].tolist() == [31, 31, 65, 65]
    assert made.index.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_words_change_the_type_and_nothing_else(library: Any) -> None:
    source = library(DATA)
    made = publish(
        source, read({n: DATA[n] for n in ("age", "job")}), CLASSES, "ranges", keep=["y"]
    )
    ages = made["age"].to_pylist() if library is pa.table else list(made["age"])
    assert ages == ["30–32", "30–32", "60–70", "60–70"]
    jobs = made["job"].to_pylist() if library is pa.table else list(made["job"])
    assert jobs == ["cook", "cook", "nurse or missing", "nurse or missing"]

"""What is published: the right value for every class, in the user's own frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sparsam._errors import DataError, ParameterError, RoleError, SparsamWarning
from sparsam.anonymise._classes import Classes
from sparsam.anonymise._publish import publish
from sparsam.data import OwnRecords, Table, read


def test_suppressed_rows_and_unnamed_columns_are_not_published() -> None:
    frame = pd.DataFrame({"name": list("abcd"), "age": [1, 2, 3, 4], "y": [0, 1, 0, 1]})
    classes = Classes(np.array([0, -1, 0, -1]), 1)
    release = publish(frame, read(frame[["age"]]), classes, "mean", keep=["y"])
    assert list(release.columns) == ["age", "y"]
    assert release["age"].tolist() == [2, 2]
    assert release["y"].tolist() == [0, 0]
    assert release.index.tolist() == [0, 1]


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
    release = publish(frame, own.table, Classes(np.array([0, 0, 1, 1]), 2))
    assert release.dtypes.tolist() == frame.dtypes.tolist()
    assert release["age"].tolist() == [30, 30, 60, 60]


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
        release = publish(frame, read(frame[["age", "job"]]), CLASSES, "mean", keep=["y"])
    check_values({name: release[name].tolist() for name in release.columns})
    assert release.index.equals(pd.RangeIndex(4))
    assert release.index.name is None
    assert release.dtypes.astype(str).tolist() == ["Int16", "category", "boolean"]
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
    release = publish(frame, table, CLASSES, "mean", keep=["y"])
    path = tmp_path / "t.parquet"
    if library == "pandas":
        release.to_parquet(path)
        assert list(release["y"].cat.categories) == ["x", "y"]
    elif library == "polars":
        release.write_parquet(path)
        assert release.schema["y"] == pl.Enum(["x", "y"])
    else:
        pq.write_table(release, path)
        assert pa.types.is_dictionary(release.schema.field("y").type)
    assert pl.read_parquet(path)["y"].to_list() == ["x", "x", "y", None]
    assert b"leper" not in path.read_bytes()
    assert b"smith" not in path.read_bytes()


def test_pandas_keeps_labels_that_are_numbers() -> None:
    frame = pd.DataFrame({0: [1, 3, 5, 7, 9], 1: list("abcde")})
    release = publish(frame, read(frame[[0]]), CLASSES, "mean", keep=["1"])
    assert release.columns.tolist() == [0, 1]
    assert release[0].tolist() == [2, 2, 8, 8]


def test_polars() -> None:
    frame = pl.DataFrame(DATA, schema_overrides={"age": pl.UInt8})
    release = publish(frame, read(frame.select("age", "job")), CLASSES, "mean", keep=["y"])
    assert isinstance(release, pl.DataFrame)
    check_values(release.to_dict(as_series=False))
    assert release.schema["age"] == pl.UInt8
    lazy = publish(frame.lazy(), read(frame.select("age", "job")), CLASSES, "mean", keep=["y"])
    assert release.equals(lazy)


def test_pyarrow() -> None:
    table = pa.table(DATA)
    release = publish(table, read(table.select(["age", "job"])), CLASSES, "mean", keep=["y"])
    assert isinstance(release, pa.Table)
    check_values(release.to_pydict())
    assert release.schema.field("age").type == pa.int64()


def test_mapping_and_table() -> None:
    release = publish(DATA, read({n: DATA[n] for n in ("age", "job")}), CLASSES, "mean", keep=["y"])
    check_values(release)
    whole = read(DATA)
    release = publish(whole, whole.select(["age", "job"]), CLASSES, "mean", keep=["y"])
    check_values({name: release[name].tolist() for name in release.columns})


def test_array() -> None:
    matrix = np.array([[30.0, 1.0], [32.0, 2.0], [99.0, 3.0], [60.0, 4.0], [70.0, 5.0]])
    release = publish(matrix, read(matrix).select(["x0"]), CLASSES, "mean", keep=["x1"])
    assert release.tolist() == [[31, 1], [31, 2], [65, 4], [65, 5]]
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
    release = publish(path, read(path).select(["age", "job"]), CLASSES, "mean", keep=["y"])
    check_values({name: release[name].tolist() for name in release.columns})
    assert release.index.tolist() == [0, 1, 2, 3]


def test_a_relation_is_a_pandas_frame_with_new_rows() -> None:
    frame = pd.DataFrame(DATA)
    relation = duckdb.connect().from_df(frame)
    release = publish(relation, read(frame[["age", "job"]]), CLASSES, "mean", keep=["y"])
    assert release["age"].tolist() == [31, 31, 65, 65]
    assert release.index.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_words_change_the_type_and_nothing_else(library: Any) -> None:
    source = library(DATA)
    release = publish(
        source, read({n: DATA[n] for n in ("age", "job")}), CLASSES, "ranges", keep=["y"]
    )
    ages = release["age"].to_pylist() if library is pa.table else list(release["age"])
    assert ages == ["30–32", "30–32", "60–70", "60–70"]
    jobs = release["job"].to_pylist() if library is pa.table else list(release["job"])
    assert jobs == ["cook", "cook", "nurse or missing", "nurse or missing"]

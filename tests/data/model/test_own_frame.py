"""The user's own frame comes back as it was."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sparsam.data.model._own_frame
from sparsam._errors import DataError
from sparsam.data import Roles
from sparsam.data.model._own_records import OwnRecords

from .own_table import ATTRIBUTES, ROLES, people


def test_pandas_comes_back_exactly():
    frame = people()
    own = OwnRecords.open(frame, roles=ROLES)
    made = own.frame(own.table.codes)
    pd.testing.assert_frame_equal(made, frame[ATTRIBUTES].reset_index(drop=True))
    assert type(made.index) is pd.RangeIndex
    assert own.table.names == tuple(name for name in ATTRIBUTES if name != "empty")
    assert set(own.table.left_out) == {"name", "works", "empty"}
    assert "empty: no values at all, left out" in own.table.notes
    assert own.encode(frame).tolist() == own.table.codes.tolist()


def test_polars_and_pyarrow_come_back_exactly():
    frame = people().drop(columns=["empty", "grade"])
    kept = [name for name in ATTRIBUTES if name in frame.columns]
    wide = pl.from_pandas(frame).with_columns(pl.col("text").cast(pl.Enum(["a", "b", "c", "d"])))
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    own = OwnRecords.open(wide, roles=ROLES)
    made = own.frame(own.table.codes)
    assert made.equals(wide.select(kept))
    assert made.schema == wide.select(kept).schema
    assert own.encode(wide).tolist() == own.table.codes.tolist()
    own = OwnRecords.open(pa.concat_tables([arrow[:20], arrow[20:]]), roles=ROLES)
    made = own.frame(own.table.codes)
    assert made.equals(arrow.select(kept))
    assert made.schema.equals(arrow.select(kept).schema)
    assert own.encode(arrow).tolist() == own.table.codes.tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64, bool, object, "U5"])
def test_arrays_come_back_exactly(dtype):
    matrix = np.random.default_rng(0).integers(0, 2, (30, 4)).astype(dtype)
    own = OwnRecords.open(matrix)
    made = own.frame(own.table.codes)
    assert made.dtype == matrix.dtype
    np.testing.assert_array_equal(made, matrix)
    np.testing.assert_array_equal(own.encode(matrix), own.table.codes)
    two = OwnRecords.open(matrix, columns=["x1", "x3"])
    np.testing.assert_array_equal(two.frame(two.table.codes), matrix[:, [1, 3]])


def test_mappings_come_back_with_their_own_columns():
    source = {
        "age": np.array([30, 41, 30], dtype=np.int16),
        "sex": np.array(["f", None, "m"], dtype=object),
        "list": [1.5, 2.5, None],
        "series": pd.Series(["x", "y", "x"], dtype="category"),
    }
    own = OwnRecords.open(source)
    made = own.frame(own.table.codes)
    assert list(made) == list(source)
    assert made["age"].dtype == np.int16
    assert made["age"].tolist() == [30, 41, 30]
    assert made["sex"].tolist() == ["f", None, "m"]
    assert made["list"].tolist() == [1.5, 2.5, None]
    pd.testing.assert_series_equal(made["series"].reset_index(drop=True), source["series"])
    assert own.encode(source).tolist() == own.table.codes.tolist()
    records = [{name: list(values)[row] for name, values in source.items()} for row in (2, 0)]
    assert own.encode(records).tolist() == own.table.codes[[2, 0]].tolist()


def test_files_become_what_pandas_would_read(tmp_path):
    text = "age,sex,zip,paid,works\n30,f,01,1.5,true\n,,02,,false\n52,m,01,2.5,true\n"
    (tmp_path / "people.csv").write_text(text)
    own = OwnRecords.open(tmp_path / "people.csv", roles=Roles("works"))
    made = own.frame(own.table.codes)
    expected = pd.read_csv(tmp_path / "people.csv", dtype={"zip": "str"}).drop(columns="works")
    pd.testing.assert_frame_equal(made, expected)
    assert own.encode(tmp_path / "people.csv").tolist() == own.table.codes.tolist()
    people().drop(columns=["grade", "empty"]).to_parquet(tmp_path / "people.parquet", index=False)
    stored = OwnRecords.open(tmp_path / "people.parquet", roles=ROLES)
    assert stored.frame(stored.table.codes)["age"].tolist() == people()["age"].tolist()


def test_relations_and_lazy_frames_are_collected():
    lazy = pl.DataFrame({"age": [30, 41], "sex": ["f", "m"]}).lazy()
    own = OwnRecords.open(lazy)
    assert own.frame(own.table.codes).equals(lazy.collect())
    own = OwnRecords.open(duckdb.sql("SELECT 1 AS a, 'x' AS b UNION ALL SELECT NULL, 'y'"))
    made = own.frame(own.table.codes).sort_values("b", ignore_index=True)
    pd.testing.assert_frame_equal(made, pd.DataFrame({"a": [1, np.nan], "b": ["x", "y"]}))


def test_without_pandas_a_file_is_a_mapping(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text("age,sex\n30,f\n,m\n")
    monkeypatch.setattr(sparsam.data.model._own_frame, "find_spec", lambda _: None)
    own = OwnRecords.open(tmp_path / "people.csv")
    made = own.frame(own.table.codes)
    assert {name: values.tolist() for name, values in made.items()} == {
        "age": [30, None],
        "sex": ["f", "m"],
    }


def test_numbered_columns_of_pandas_keep_their_labels():
    frame = pd.DataFrame(np.arange(6).reshape(3, 2))
    own = OwnRecords.open(frame)
    pd.testing.assert_frame_equal(own.frame(own.table.codes), frame)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pd.DataFrame({"a": []}), "at least one attribute with values"),
        (pd.DataFrame({"a": pd.Categorical([], ["x"], ordered=True)}), "at least one"),
        ({"a": [1, 2], "b": [1]}, "same number of rows"),
        (np.zeros(3), "Got an array with 1 dimensions"),
        ("nowhere.csv", "Found none"),
        (3, "Got a int instead"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one 'a'"),
    ],
)
def test_bad_sources(source, message):
    with pytest.raises(DataError, match=message):
        OwnRecords.open(source)

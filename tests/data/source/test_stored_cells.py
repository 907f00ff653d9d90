"""Cells as they stand: nothing is trimmed, converted or left out."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.data import write_columns
from sparsam.data.source._stored_cells import row_labels, stored_cells


def written(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_texts_of_a_file_stay_as_they_are(tmp_path: Path, name: str) -> None:
    text = '\ufeffa,b\n1,x \n1.0,""\n01,\n 1,"a,b"\n1,"l1\nl2"\n1,"q""q"\n'
    found = stored_cells(written(tmp_path, text, name))
    assert found["a"].tolist() == ["1", "1.0", "01", " 1", "1", "1"]
    assert found["b"].tolist() == ["x ", "", None, "a,b", "l1\nl2", 'q"q']


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('a,b\nx,1\n"x",2\n', ["x", '"x"']),  # quotes could tell the two apart
        ('a,b\n"x",1\n"y",2\n', ["x", "y"]),
        ('a,b\n"x#",1\ny,2\n', ["x#", "y"]),
        ("a;b\nx,1;1\ny;2\n", ["x,1", "y"]),
        ("a,b\r\nx,1\r\ny,2\r\n", ["x", "y"]),
        ("a,b\n,1\ny,2", [None, "y"]),
    ],
)
def test_quotes_delimiters_and_ends_of_lines(tmp_path: Path, text: str, cells: Any) -> None:
    assert stored_cells(written(tmp_path, text))["a"].tolist() == cells


def test_one_line_that_ends_otherwise_is_seen(tmp_path: Path) -> None:
    assert stored_cells(written(tmp_path, "a\nx\r\ny\n"))["a"].tolist() == ["x\r", "y"]


@pytest.mark.parametrize(
    "text", ["", 'a,b\nx,"secret', "a,b\nsecret\n", 'a,b\nsec"ret,1"\n', "a,a\n1,2\n"]
)
def test_a_damaged_file_is_refused_without_its_cells(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError) as error:
        stored_cells(written(tmp_path, text))
    assert "sec" not in str(error.value)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_bytes_that_are_no_table(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes("a\nM\xfcller\n".encode("latin-1"))
    with pytest.raises(DataError) as error:
        stored_cells(tmp_path / name)
    assert "ller" not in str(error.value)


@given(st.lists(st.text(alphabet="a #\"',;\n\r\t ä", max_size=4), min_size=2, max_size=30))
@settings(max_examples=40)
def test_texts_that_are_written_come_back(tmp_path_factory: Any, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("t") / "t.csv"
    cells = {"n": np.arange(len(texts)), "t": np.array(texts, object)}
    write_columns(cells, path)
    assert stored_cells(path)["t"].tolist() == texts


def test_every_column_of_a_parquet_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=[10, 20])
    frame.to_parquet(tmp_path / "t.parquet")
    found = stored_cells(tmp_path / "t.parquet")
    assert {name: values.tolist() for name, values in found.items()} == {
        "a": [1, 2],
        "__index_level_0__": [10, 20],
    }


def test_a_folder_says_nothing_about_the_cells(tmp_path: Path) -> None:
    folder = tmp_path / "a=7" / "c=x"
    folder.mkdir(parents=True)
    pl.DataFrame({"a": [1, 2]}).write_parquet(folder / "t.parquet")
    found = stored_cells(folder / "t.parquet")
    assert list(found) == ["a"]
    assert found["a"].tolist() == [1, 2]


def test_types_that_numpy_lacks_are_texts(tmp_path: Path) -> None:
    numbers = pa.array(["1.10", "12345678901234567890.12"]).cast(pa.decimal128(30, 2))
    moments = pa.array([1, 2], pa.timestamp("ns"))
    pq.write_table(pa.table({"d": numbers, "t": moments}), tmp_path / "t.parquet")
    found = stored_cells(tmp_path / "t.parquet")
    assert found["d"].tolist() == ["1.10", "12345678901234567890.12"]
    assert len(set(found["t"].tolist())) == 2


@pytest.mark.parametrize("library", ["polars", "pyarrow", "parquet"])
def test_null_and_nan_stay_apart(tmp_path: Path, library: str) -> None:
    frame: Any = pl.DataFrame({"f": [0.5, None, float("nan")], "i": [2**53 + 1, None, 1]})
    if library == "parquet":
        frame.write_parquet(tmp_path / "t.parquet")
        frame = tmp_path / "t.parquet"
    found = stored_cells(frame.to_arrow() if library == "pyarrow" else frame)
    assert [repr(cell) for cell in found["f"].tolist()] == ["0.5", "None", "nan"]
    assert found["i"].tolist() == [2**53 + 1, None, 1]


def test_row_labels() -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    assert not row_labels(frame)
    assert not row_labels(frame.iloc[:1])
    assert row_labels(frame.iloc[::-1])
    assert row_labels(frame.set_index(pd.Index([1, 0])))
    assert row_labels(frame.rename_axis("patient"))
    assert row_labels(frame.set_index("a"))
    assert not row_labels(pl.DataFrame({"a": [1]}))


@pytest.mark.parametrize(
    ("start", "step", "name"), [(0, 1, None), (7, 1, None), (0, 2, None), (0, 1, "n")]
)
def test_row_labels_that_a_file_describes(tmp_path: Path, start: int, step: int, name: Any) -> None:
    frame = pd.DataFrame(
        {"a": [1, 2]}, index=pd.RangeIndex(start, start + 2 * step, step, name=name)
    )
    frame.to_parquet(tmp_path / "t.parquet")
    assert list(stored_cells(tmp_path / "t.parquet")) == ["a"]
    assert row_labels(tmp_path / "t.parquet") == ((start, step, name) != (0, 1, None))
    assert row_labels(frame) == ((start, step, name) != (0, 1, None))


@pytest.mark.parametrize("note", ["{", "[]", '{"index_columns": [7]}'])
def test_notes_that_nobody_can_read(tmp_path: Path, note: str) -> None:
    table = pa.table({"a": [1, 2]}).replace_schema_metadata({"pandas": note})
    pq.write_table(table, tmp_path / "t.parquet")
    assert row_labels(tmp_path / "t.parquet")

"""The labels of rows: not read as data, but seen by whoever must see every column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from sparsam.data import column_names, columns_of, read, row_labels, without_row_labels

AGES = pd.DataFrame({"age": [30, 41, 52], "sex": ["f", "m", "m"]})
PATIENTS = ["p1", "p2", "p3"]


def _indexed() -> dict[str, tuple[pd.DataFrame, tuple[str, ...]]]:
    two = pd.MultiIndex.from_arrays([PATIENTS, [1, 2, 3]], names=["patient", None])
    return {
        "default": (AGES, ()),
        "no rows": (AGES.head(0), ()),
        "head": (AGES.head(2), ()),
        "tail": (AGES.tail(2), ("__index_level_0__",)),
        "text": (AGES.set_axis(PATIENTS), ("__index_level_0__",)),
        "numbers": (AGES.set_axis([0, 1, 2]), ("__index_level_0__",)),
        "named": (AGES.rename_axis("patient"), ("patient",)),
        "a column's name": (AGES.set_axis(PATIENTS).rename_axis("age"), ("__index_level_0__",)),
        "two levels": (AGES.set_axis(two), ("patient", "__index_level_1__")),
        "sorted": (AGES.sort_values("age", ascending=False), ("__index_level_0__",)),
        "dates": (AGES.set_axis(pd.date_range("2020", periods=3)), ("__index_level_0__",)),
        "categories": (AGES.set_axis(pd.Index(PATIENTS, dtype="category")), ("__index_level_0__",)),
    }


@pytest.mark.parametrize("kind", _indexed())
def test_labels_of_a_frame(kind: str) -> None:
    frame, names = _indexed()[kind]
    assert row_labels(frame) == names
    assert column_names(frame) == ("age", "sex")
    assert column_names(frame, physical=True) == ("age", "sex", *names)
    cells = columns_of(frame, ["age", *names], physical=True)
    for level, name in enumerate(names):
        assert cells[name].tolist() == frame.index.get_level_values(level).to_numpy().tolist()
    bare = without_row_labels(frame)
    assert row_labels(bare) == ()
    assert list(bare.columns) == ["age", "sex"]
    assert bare["age"].tolist() == frame["age"].tolist()


@pytest.mark.parametrize("kind", ["text", "two levels", "named", "tail", "dates"])
def test_labels_in_a_file_are_those_of_the_frame(tmp_path: Path, kind: str) -> None:
    frame, names = _indexed()[kind]
    path = tmp_path / "people.parquet"
    frame.to_parquet(path, index=True)
    assert set(column_names(path, physical=True)) == set(pq.read_schema(path).names)
    assert column_names(path, physical=True) == ("age", "sex", *names)
    kept = [name for name in names if not name.startswith("__index")]
    assert column_names(path) == ("age", "sex", *kept)
    assert read(path).names == ("age", "sex", *kept)
    for name in names:
        assert len(columns_of(path, [name], physical=True)[name]) == len(frame)


def test_what_is_no_pandas_frame_has_none(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [30, 41]})
    for source in (frame, {"age": [30]}, np.zeros((2, 2)), [{"age": 1}], tmp_path, read(frame)):
        assert row_labels(source) == ()
        assert without_row_labels(source) is source
    assert column_names(frame, physical=True) == ("age",)
    assert column_names({"age": [30]}, physical=True) == ("age",)

"""Raw columns of anything that holds records."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsam._errors import DataError, RoleError
from sparsam.data import column_names, columns_of, count_rows, is_frame, read

FRAME = pd.DataFrame({"age": [30, 41, 52], "sex": ["f", None, "m"], "zip": ["01", "1", "2"]})

FORMS = {
    "pandas": lambda _: FRAME,
    "polars": lambda _: pl.from_pandas(FRAME),
    "lazy": lambda _: pl.from_pandas(FRAME).lazy(),
    "pyarrow": lambda _: pa.Table.from_pandas(FRAME, preserve_index=False),
    "duckdb": lambda _: duckdb.from_arrow(pa.Table.from_pandas(FRAME, preserve_index=False)),
    "categories": lambda _: FRAME.astype({"sex": "category"}),
    "enum": lambda _: pl.from_pandas(FRAME).cast({"sex": pl.Enum(["f", "m"])}),
    "dict": lambda _: {"age": [30, 41, 52], "sex": ["f", None, "m"], "zip": ["01", "1", "2"]},
    "records": lambda _: [
        {"age": 30, "sex": "f", "zip": "01"},
        {"age": 41, "sex": None, "zip": "1"},
        {"age": 52, "sex": "m", "zip": "2"},
    ],
    "table": lambda _: read(FRAME),
    "csv": lambda folder: _saved(folder / "people.csv"),
    "parquet": lambda folder: _saved(folder / "people.parquet"),
}


def _saved(file):
    FRAME.to_csv(file, index=False) if file.suffix == ".csv" else FRAME.to_parquet(file)
    return file


@pytest.mark.parametrize("form", FORMS)
def test_columns_names_and_rows(tmp_path, form):
    source = FORMS[form](tmp_path)
    assert is_frame(source)
    assert column_names(source) == ("age", "sex", "zip")
    assert count_rows(source) == 3
    found = columns_of(source, ["zip", "age", "sex"], text=["zip"])
    assert list(found) == ["zip", "age", "sex"]
    assert found["age"].tolist() == [30, 41, 52]
    assert found["zip"].tolist() == ["01", "1", "2"]
    sex = found["sex"].tolist()
    assert (sex[0], sex[2]) == ("f", "m")
    assert sex[1] is None or sex[1] != sex[1]


def test_missing_values_of_files_are_none_or_nan(tmp_path):
    (tmp_path / "m.csv").write_text("a,b,c,d\n1,1.5,true,x\n,,,\n?,?,?,?\n")
    found = columns_of(tmp_path / "m.csv", "abcd", missing=["?"])
    assert found["a"].tolist() == [1, None, None]
    assert found["b"][0] == 1.5
    assert np.isnan(found["b"][1:]).all()
    assert found["c"].tolist() == [True, None, None]
    assert found["d"].tolist() == ["x", None, None]
    assert not any(isinstance(values, np.ma.MaskedArray) for values in found.values())


def test_a_misspelt_column(tmp_path):
    for source in (FRAME, read(FRAME), _saved(tmp_path / "people.csv")):
        with pytest.raises(RoleError, match="Did you mean 'age'"):
            columns_of(source, ["agee"])


def test_records_that_lack_a_field():
    with pytest.raises(DataError, match=r"'sex'.*1 of 2 lack it.*\n\n.*None") as caught:
        columns_of([{"age": 77, "sex": "f"}, {"age": 78}], ["age", "sex"])
    assert "78" not in str(caught.value)


@pytest.mark.parametrize("call", [column_names, lambda source: columns_of(source, ["age"])])
def test_records_that_are_none(call):
    with pytest.raises(DataError, match="2 of 3 are something else"):
        call([{"age": 3}, 41, "text"])


def test_names_of_records_are_those_of_all():
    assert column_names([{"a": 1}, {"b": 2, "a": 3}]) == ("a", "b")
    assert column_names([]) == ()


def test_rows_without_columns():
    assert count_rows([{}, {}]) == 2
    assert count_rows(FRAME[[]]) == 3
    assert count_rows({}) == 0
    assert count_rows([]) == 0
    assert count_rows(np.zeros((4, 2))) == 4


def test_what_is_no_frame():
    assert not is_frame([[1, 2]])
    assert not is_frame([])
    assert not is_frame(np.zeros((2, 2)))


def test_two_columns_of_one_name():
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(DataError, match="'a'"):
        columns_of(twice, ["a"])

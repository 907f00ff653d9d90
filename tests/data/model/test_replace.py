"""New values in old columns: the type stays, unless it cannot hold the value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsam._errors import DataError
from sparsam.data.model._replace import Replacement, natural, replace_columns

ROWS = np.array([1, 0, 1])


def new(*values: Any) -> dict[str, Replacement]:
    return {"a": Replacement(values, ROWS)}


@pytest.mark.parametrize(
    ("dtype", "old", "values"),
    [
        ("int8", [1, 2, 3], (7, 9)),
        ("int32", [1, 2, 3], (7, 9)),
        ("uint16", [1, 2, 3], (7, 9)),
        ("float32", [1, 2, 3], (0.5, 9)),
        ("float64", [1, 2, None], (0.25, None)),
        ("Int64", [1, 2, None], (7, None)),
        ("Float32", [1, 2, None], (0.5, None)),
        ("boolean", [True, None, True], (False, None)),
        ("bool", [True, False, True], (False, True)),
        ("string", ["x", "y", None], ("z", None)),
        ("str", ["x", "y", "z"], ("z", "w")),
        ("object", ["x", 1, None], (2, None)),
        (pd.ArrowDtype(pa.int16()), [1, 2, None], (7, None)),
        (pd.CategoricalDtype(["x", "y", "z"], ordered=True), ["x", "y", "x"], ("y", None)),
        (pd.CategoricalDtype([1, 2, 3]), [1, 2, 3], (3, 1)),
    ],
)
def test_a_pandas_column_keeps_its_type(dtype: Any, old: Any, values: Any) -> None:
    frame = pd.DataFrame({"a": pd.Series(old, dtype=dtype), "b": 1})
    frame.index = pd.Index(["p", "q", "r"])
    out = replace_columns(frame, new(*values))
    assert list(out.columns) == ["a"]
    assert out["a"].dtype == frame["a"].dtype
    assert list(out.index) == ["p", "q", "r"]
    expected = [values[i] for i in ROWS]
    found = [None if pd.isna(value) else value for value in out["a"]]
    assert found == expected


@pytest.mark.parametrize(
    ("dtype", "values", "widened"),
    [
        ("int8", (7, 300), "int64"),
        ("int64", (7, 9.5), "float64"),
        ("int64", (7, None), "float64"),
        ("bool", (True, None), "object"),
        ("bool", (1, 0), "int64"),
        ("int64", (True, False), "bool"),
    ],
)
def test_a_value_is_never_changed_to_fit(dtype: str, values: Any, widened: str) -> None:
    old = np.array([1, 0, 1], dtype)
    frame = pd.DataFrame({"a": old})
    expected = [values[i] for i in ROWS]
    for made in (replace_columns(frame, new(*values)), replace_columns({"a": old}, new(*values))):
        assert str(made["a"].dtype) == widened
        found = [None if pd.isna(value) else value for value in made["a"]]
        assert found == expected
        assert [type(v) is bool for v in list(natural(found))] == [False] * 3 or widened != "int64"


def test_only_values_in_use_can_widen_a_type() -> None:
    unused = {"a": Replacement([7, None, "text", 9], np.array([0, 3, 0]))}
    assert replace_columns(pd.DataFrame({"a": [1, 2, 3]}), unused)["a"].dtype == np.int64
    assert replace_columns(pl.DataFrame({"a": [1, 2, 3]}), unused)["a"].dtype == pl.Int64
    assert replace_columns(pa.table({"a": [1, 2, 3]}), unused)["a"].type == pa.int64()
    assert replace_columns({"a": np.array([1, 2, 3])}, unused)["a"].dtype == np.int64


def test_a_pandas_category_is_added_only_if_absent() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y", "x"], categories=["y", "x", "u"])})
    out = replace_columns(frame, new("w", "x"))
    assert list(out["a"].cat.categories) == ["y", "x", "u", "w"]
    assert out["a"].tolist() == ["x", "w", "x"]


@pytest.mark.parametrize(
    ("dtype", "old", "values", "expected"),
    [
        (pl.Int32, [1, 2, 3], (7, None), pl.Int32),
        (pl.UInt8, [1, 2, 3], (7, 300), pl.Int64),
        (pl.Int64, [1, 2, 3], (7, 9.5), pl.Float64),
        (pl.Float32, [1, 2, 3], (7, 9.5), pl.Float32),
        (pl.String, ["x", "y", "z"], ("z", None), pl.String),
        (pl.Boolean, [True, False, None], (False, None), pl.Boolean),
        (pl.Enum(["x", "y"]), ["x", "y", "x"], ("y", None), pl.Enum(["x", "y"])),
        (pl.Enum(["x", "y"]), ["x", "y", "x"], ("w", "x"), pl.Enum(["x", "y", "w"])),
        (pl.Categorical, ["x", "y", "x"], ("w", "x"), pl.Categorical),
        (pl.String, ["x", "y", "z"], (1, 2), pl.Int64),
    ],
)
def test_a_polars_column_keeps_its_type(dtype: Any, old: Any, values: Any, expected: Any) -> None:
    frame = pl.DataFrame({"a": pl.Series(old, dtype=dtype)})
    out = replace_columns(frame, new(*values))
    assert out.schema["a"] == expected
    assert out["a"].to_list() == [values[i] for i in ROWS]


@pytest.mark.parametrize(
    ("kind", "old", "values", "expected"),
    [
        (pa.int32(), [1, 2, 3], (7, None), pa.int32()),
        (pa.uint8(), [1, 2, 3], (7, 300), pa.int64()),
        (pa.int64(), [1, 2, 3], (7, 9.5), pa.float64()),
        (pa.float32(), [1, 2, 3], (7, 9.5), pa.float32()),
        (pa.large_string(), ["x", "y", "z"], ("z", None), pa.large_string()),
        (pa.bool_(), [True, False, None], (False, None), pa.bool_()),
        (
            pa.dictionary(pa.int8(), pa.string()),
            ["x", "y", "x"],
            ("w", None),
            pa.dictionary(pa.int8(), pa.string()),
        ),
    ],
)
def test_an_arrow_column_keeps_its_type(kind: Any, old: Any, values: Any, expected: Any) -> None:
    chunks = [pa.array(old[:1], kind), pa.array(old[1:], kind)]
    table = pa.table({"a": pa.chunked_array(chunks)})
    out = replace_columns(table, new(*values))
    assert out["a"].type == expected
    assert out["a"].to_pylist() == [values[i] for i in ROWS]


def test_an_arrow_dictionary_grows_past_one_byte() -> None:
    levels = [f"v{i}" for i in range(128)]
    table = pa.table(
        {"a": pa.array(levels).dictionary_encode().cast(pa.dictionary(pa.uint8(), pa.string()))}
    )
    made = {"a": Replacement(["new", "v0"], np.arange(128) % 2)}
    assert replace_columns(table, made)["a"].to_pylist() == ["new", "v0"] * 64
    empty = replace_columns(table.slice(0, 0), {"a": Replacement(["new"], np.arange(0))})
    assert empty["a"].to_pylist() == []


def test_columns_of_a_mapping() -> None:
    short = {"a": np.array(["x", "y", "z"])}
    assert replace_columns(short, new("long", "y"))["a"].tolist() == ["y", "long", "y"]
    listed = replace_columns({"a": ["x", None, "y"], "k": [1, 2, 3]}, new(None, "y"), ["k"])
    assert listed["a"].tolist() == ["y", None, "y"]
    assert listed["k"] == [1, 2, 3]


def test_new_columns_come_after_the_one_before_them() -> None:
    made = {name: Replacement([1], np.zeros(3, int)) for name in ("n", "b", "m", "a", "o")}
    frame = {"a": [1, 2, 3], "drop": [0, 0, 0], "b": [1, 2, 3], "keep": [5, 6, 7]}
    for source in (frame, pd.DataFrame(frame), pl.DataFrame(frame), pa.table(frame)):
        out = replace_columns(source, made, ["keep"])
        names = list(getattr(out, "column_names", getattr(out, "columns", out)))
        assert names == ["n", "a", "o", "b", "m", "keep"]
        untyped = replace_columns(source, made, ["keep"], typed=False)
        names = list(getattr(untyped, "column_names", getattr(untyped, "columns", untyped)))
        assert names == ["n", "b", "m", "a", "o", "keep"]


def test_a_column_of_mixed_values_needs_a_library_that_has_them() -> None:
    mixed = {"a": Replacement([1, "x"], ROWS)}
    assert replace_columns(pd.DataFrame({"a": [1, 2, 3]}), mixed)["a"].tolist() == ["x", 1, "x"]
    for frame in (pl.DataFrame({"a": [1, 2, 3]}), pa.table({"a": [1, 2, 3]})):
        with pytest.raises(DataError, match="'a' must be of one type"):
            replace_columns(frame, mixed)


def test_numbers_too_large_for_whole_numbers_are_floats() -> None:
    assert natural([2**70, 1]).dtype == np.float64
    assert natural([]).dtype == object
    assert natural([None]).tolist() == [None]

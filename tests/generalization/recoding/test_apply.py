"""Whole frames are recoded, raw and generalized ones alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.data import read

from .example import FED, MAKERS, RAW, example, plain

everywhere = pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))


@everywhere
def test_every_library_is_fed_the_same(make: Callable[..., Any]) -> None:
    out = example().apply(make(RAW), keep="y")
    for name, values in FED.items():
        assert plain(out[name]) == values
    assert plain(out["y"]) == RAW["y"]


@everywhere
def test_raw_records_and_generalized_ones_are_fed_the_same(make: Callable[..., Any]) -> None:
    recoding, frame = example(), make(RAW)
    fed = recoding.apply(frame)
    for form in ("labels", "codes"):
        z = recoding.generalization.apply(frame, output=form, keep="y")
        again = recoding.represent(z, input=form, keep="y")
        for name in recoding.generalization.names:
            assert plain(again[name]) == plain(fed[name])
        assert plain(again["y"]) == RAW["y"]


def test_one_record_is_fed_as_a_frame_is() -> None:
    recoding = example()
    for i in range(4):
        record = {name: values[i] for name, values in RAW.items()}
        expected = {name: FED[name][i] for name in recoding.generalization.names}
        assert recoding.apply_record(record) == expected
        assert list(recoding.apply_record(record)) == list(recoding.generalization.names)
        for form in ("labels", "codes"):
            z = recoding.generalization.apply_record(record, form)  # type: ignore[arg-type]
            assert recoding.represent_record(z, input=form) == expected  # type: ignore[arg-type]


def test_attributes_that_are_not_collected_need_not_be_there() -> None:
    rows = {name: values for name, values in RAW.items() if name not in ("height", "y")}
    record = {"town": "Bern", "age": 33}
    assert example().apply_record(record) == {"age": 40, "height": 1.75, "town": "Bern"}
    for make in (MAKERS["pandas"], pl.DataFrame, pa.table, dict):
        out = example().apply(make(rows))
        assert plain(out["height"]) == FED["height"]
        # the new column comes right after the attribute before it
        names = list(getattr(out, "column_names", getattr(out, "columns", out)))
        assert names == ["town", "age", "height"]


@pytest.mark.parametrize("make", [MAKERS["pandas"], pl.DataFrame, pa.table, dict])
def test_what_cannot_be_fed_is_refused(make: Callable[..., Any]) -> None:
    recoding = example()
    with pytest.raises(DataError, match="'town' is outside the domain"):
        recoding.apply(make({**RAW, "town": ["Bern", "Genf", None, "Davos"]}))
    with pytest.raises(DataError, match="'age' is missing"):
        recoding.apply(make({**RAW, "age": [33, 16, 80, None]}))
    with pytest.raises(DataError, match="'age'"):
        recoding.apply(make({**RAW, "age": ["a", "b", "c", "d"]}))
    with pytest.raises(DataError, match=r"\['age'\] are absent"):
        recoding.apply(make({"town": RAW["town"]}))
    with pytest.raises(DataError, match=r"\['z'\] are absent"):
        recoding.apply(make(RAW), keep="z")
    with pytest.raises(ParameterError, match="'height' is recoded"):
        recoding.apply(make(RAW), keep="height")
    with pytest.raises(ParameterError, match="'input'"):
        recoding.represent(make(RAW), input="words")  # type: ignore[arg-type]
    z = make({"age": ["under 17"] * 4, "town": ["Bern", None, "Chur", "missing"]})
    with pytest.raises(DataError, match=r"'town' must hold labels of buckets\. 2 of 4"):
        recoding.represent(z)
    for bad in ([0, 1, 2, 3], [0.5, 1, 1, 1], [-1, 0, 0, 0], ["a"] * 4, [0, 1, 2, None]):
        with pytest.raises(DataError, match="'age' must hold numbers of buckets, from 0 to 2"):
            recoding.represent(make({"age": bad, "town": [0, 1, 2, 0]}), input="codes")


def test_what_is_no_frame_in_memory_is_refused() -> None:
    for lazy in (pl.LazyFrame(RAW), duckdb.from_arrow(pa.table(RAW))):
        with pytest.raises(DataError, match="Hint: Collect it first"):
            example().apply(lazy)
    with pytest.raises(DataError, match="Got list instead"):
        example().apply([1, 2])
    with pytest.raises(DataError, match="the same number of rows"):
        example().apply({"age": [1, 2], "town": ["Bern"]})


def test_codes_and_records_that_do_not_fit_are_refused() -> None:
    recoding = example()
    for codes in (np.zeros((2, 2), int), np.zeros(3, int), np.zeros((2, 3))):
        with pytest.raises(DataError, match="3 columns"):
            recoding.leaf_of(codes)
    with pytest.raises(DataError, match="'height' must hold numbers of buckets"):
        recoding.leaf_of(np.array([[0, 1, 0]]))
    with pytest.raises(DataError, match="absent"):
        recoding.apply_record({"age": 3})
    with pytest.raises(DataError, match=r"\['town'\] are absent"):
        recoding.represent_record({"age": "under 17"})
    with pytest.raises(DataError, match="'age' must hold the label"):
        recoding.represent_record({"age": 3, "town": "Bern"})
    for bad in (3, True, "0", None, -1):
        with pytest.raises(DataError, match="'age' must hold the number"):
            recoding.represent_record({"age": bad, "town": 0}, input="codes")
    with pytest.raises(DataError, match="The table has none"):
        recoding.information_loss(read(RAW).take(np.arange(0)))


def test_an_empty_frame_stays_empty() -> None:
    empty = pd.DataFrame(RAW).iloc[:0]
    out = example().apply(empty)
    assert out.shape == (0, 3)
    assert example().represent(np.zeros((0, 3), np.uint16))["age"].size == 0


def test_columns_keep_their_types() -> None:
    frame = pd.DataFrame(
        {
            "age": pd.array(RAW["age"], "Int32"),
            "height": np.array(RAW["height"], np.float32),
            "town": pd.Categorical(RAW["town"], categories=["Genf", "Chur", "Bern"], ordered=True),
        },
        index=pd.date_range("2026-01-01", periods=4),
    )
    out = example().apply(frame)
    assert out.dtypes.equals(frame.dtypes)
    assert out.index.equals(frame.index)
    assert {name: plain(out[name]) for name in FED} == FED
    small = pl.DataFrame(RAW).with_columns(
        pl.col("age").cast(pl.UInt8), pl.col("town").cast(pl.Enum(["Genf", "Chur", "Bern"]))
    )
    assert example().apply(small, keep="y").schema == small.schema
    table = pa.table({**RAW, "town": pa.array(RAW["town"]).dictionary_encode()})
    assert example().apply(table, keep="y").schema == table.schema
    assert plain(example().apply(table)["town"]) == FED["town"]

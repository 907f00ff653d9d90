"""The columns of every eager library, as the same plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsam._errors import DataError
from sparsam.data.source._frame import ArrayFrame, EagerFrame, LazyFrame, labelled, open_frame

DATA = {
    "age": [30, None, 41],
    "height": [1.5, float("nan"), 2.0],
    "sex": ["f", "x", None],
    "works": [True, None, False],
    "nothing": [None, None, None],
}
LIBRARIES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(DATA).astype({"age": "Int64", "works": "boolean"}),
    "polars": lambda: pl.DataFrame(DATA),
    "pyarrow": lambda: pa.table(DATA),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_has_the_same_columns(library: str) -> None:
    frame = open_frame(LIBRARIES[library]())
    assert isinstance(frame, EagerFrame)
    assert frame.names == tuple(DATA)
    ages, gone = frame.column("age").numbers()
    assert ages[[0, 2]].tolist() == [30, 41]
    assert gone is not None
    assert gone.tolist() == [False, True, False]
    heights, gone = frame.column("height").numbers()
    assert gone is None
    np.testing.assert_array_equal(heights, [1.5, np.nan, 2.0])
    assert frame.column("sex").kind in ("text", "objects")
    assert frame.column("sex").places(["f", "m"]).tolist() == [0, 2, 3]
    assert frame.column("works").truths().tolist() == [1, 2, 0]
    assert frame.column("nothing").kind == "nothing"


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_levels_come_with_the_place_of_missing_values(library: str) -> None:
    sexes = pd.Series(["m", None, "f"], dtype="category")
    native = pd.DataFrame({"sex": sexes})
    table = native if library == "pandas" else pa.Table.from_pandas(native)
    frame = open_frame(table)
    assert isinstance(frame, EagerFrame)
    assert frame.column("sex").kind == "levels"
    levels, places = frame.column("sex").levels()
    assert [[*levels, None][place] for place in places] == ["m", None, "f"]


def test_a_mapping_is_arrays_whose_texts_are_objects() -> None:
    frame = open_frame({"age": [30, 41], "sex": ["f", None], "works": [True, False]})
    assert isinstance(frame, ArrayFrame)
    kinds = [frame.column(name).kind for name in frame.names]
    assert kinds == ["number", "objects", "truth"]
    with pytest.raises(DataError, match="must be a list of values"):
        open_frame({"age": np.zeros((2, 2))}).column("age")  # type: ignore[union-attr]


def test_a_lazy_frame_knows_kinds_and_reads_nothing() -> None:
    frame = open_frame(pl.DataFrame(DATA).lazy())
    assert isinstance(frame, LazyFrame)
    assert [frame.kind(name) for name in ("age", "sex", "works")] == ["number", "text", "truth"]


def test_buckets_in_words_or_in_numbers() -> None:
    codes = np.array([1, 0], np.uint8)
    assert labelled(codes, ["a", "b"]).tolist() == ["b", "a"]
    assert labelled(codes, None).dtype == np.uint16


def test_what_is_no_frame_is_told_by_its_type() -> None:
    with pytest.raises(DataError, match="Got int instead"):
        open_frame(3)

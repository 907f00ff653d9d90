"""The order of published rows says nothing about the raw ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam.anonymise import Greedy, shuffled, verify
from sparsam.anonymise.publish._order import row_order

ROWS = {"age": np.repeat([30, 40, 50], 20), "job": np.array(list("abcde") * 12, object)}


@given(st.permutations(range(12)), st.integers(0, 3))
def test_the_order_depends_on_what_is_published_and_the_seed_alone(
    order: list[int], seed: int
) -> None:
    """Whoever knows the seed must not be able to find the raw order again."""
    cells = {
        "n": np.array([1.5, np.nan, 1.5, 2, 2, 2, 0, -1, np.nan, 3, 3, 3]),
        "t": np.array(["a", None, "b", "b", "a", "a", "c", "c", None, "d", "d", "e"], object),
    }
    turned = {name: values[list(order)] for name, values in cells.items()}
    written = [
        [values[row_order(one, seed)].tolist() for values in one.values()]
        for one in (cells, turned)
    ]
    assert repr(written[0]) == repr(written[1])


def test_rows_are_mixed_and_none_is_lost() -> None:
    order = row_order(ROWS, 1)
    assert sorted(order.tolist()) == list(range(60))
    assert abs(np.corrcoef(order, np.arange(60))[0, 1]) < 0.5
    assert row_order(ROWS, 2).tolist() != order.tolist()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_a_frame_stays_what_it_is(library: Any) -> None:
    method = Greedy(k=5, quasi_identifiers=["age"], keep=["job"])
    release = method.fit_transform(library(ROWS))
    mixed = shuffled(release, 3)
    assert isinstance(mixed, type(release))
    assert verify(mixed, method.certificate_).ok
    listed = [
        mixed[name].to_pylist() if library is pa.table else list(mixed[name]) for name in ROWS
    ]
    assert listed[0] != ROWS["age"].tolist()
    assert sorted(zip(*listed, strict=True)) == sorted(zip(*ROWS.values(), strict=True))

"""What an engine is told of declared columns."""

from __future__ import annotations

import duckdb
import pytest

from sparsam._errors import DataError
from sparsam.data.source import EngineColumns, Wanted, open_declared


def opened(query: str, *wanted: Wanted, missing: tuple[str, ...] = ()) -> EngineColumns:
    columns = open_declared(duckdb.sql(query), wanted, missing)
    assert isinstance(columns, EngineColumns)
    return columns


def test_numbers_that_mean_missing_are_told() -> None:
    columns = opened("SELECT 1 AS x", Wanted("x", None, ("-9",)), missing=("999.0", "?"))
    plan = columns.number_plan("x", [0.0, 5.0], 3)
    assert plan.gone == (-9.0, 999.0)
    assert (plan.kind, plan.missing, plan.n_buckets) == ("number", 3, 4)


def test_only_texts_that_a_value_is_written_as_are_told() -> None:
    columns = opened("SELECT 0.5 AS x", Wanted("x", (1, 0.5, "1.50", "many")), missing=("7", "7.0"))
    plan = columns.place_plan("x", [0, 1, 2, 3, 4, 5])
    assert plan.groups == [(0, [1.0]), (1, [0.5]), (5, [7.0])]
    assert (plan.outside, plan.missing) == (4, 5)


def test_whole_numbers_beyond_floats_are_told_apart() -> None:
    members = (2**60, 2**60 + 1)
    columns = opened(
        f"SELECT unnest([{2**60}, {2**60 + 1}, {2**60 + 2}]) AS x", Wanted("x", members)
    )
    (batch,) = columns.frame.codes([columns.place_plan("x", [0, 1, 2, 3])])
    assert batch[0].tolist() == [0, 1, 2]


def test_categories_that_no_engine_can_be_told_are_refused() -> None:
    with pytest.raises(DataError, match="'x' must be texts in UTF-8"):
        opened("SELECT 'a' AS x", Wanted("x", ("\ud800",)))
    with pytest.raises(DataError, match="Its type is list"):
        opened("SELECT [1] AS x", Wanted("x", ("a",)))

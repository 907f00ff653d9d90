"""Whole numbers that find their slots at home get the slots that an engine would give them."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from sparsam.data.source import ColumnPlan, LazyFrame, open_frame
from sparsam.data.source.lazy._whole_numbers import whole_numbers

PLANS = {
    "cuts": ColumnPlan("x", "number", cuts=[-3.5, 0.0, 7.25, 8.0], missing=2),
    "bounds": ColumnPlan("x", "number", cuts=[2.0], bounds=(-1.0, 6.5)),
    "groups": ColumnPlan("x", "number", groups=[(0, [-2.0, 5.0]), (1, [1.0]), (2, [2.5])]),
    "gone": ColumnPlan("x", "number", cuts=[3.0], missing=2, gone=(-9.0, 1.0, 2.5, 12.0)),
    "outside": ColumnPlan("x", "number", groups=[(0, [4.0])], outside=1, missing=0),
}
NUMBERS = [None, *range(-12, 13), 2**31 - 1, -(2**31)]


def slot(plan: ColumnPlan, value: int | None) -> int:
    """The slot of one value, by the definition of a plan."""
    if value is None or value in plan.gone:
        return plan.missing_slot
    if plan.groups is not None:
        return plan.slot_of.get(float(value), plan.outside_slot)
    if plan.bounds is not None and not plan.bounds[0] <= value <= plan.bounds[1]:
        return plan.outside_slot
    return sum(value >= cut for cut in plan.cuts)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize("kind", ["SMALLINT", "INTEGER", "BIGINT", "DOUBLE"])
def test_every_type_gets_the_same_slots(plan: ColumnPlan, kind: str) -> None:
    numbers = [n for n in NUMBERS if kind != "SMALLINT" or n is None or abs(n) < 2**15]
    listed = ", ".join("NULL" if n is None else str(n) for n in numbers)
    relation = duckdb.connect().sql(f"SELECT unnest([{listed}])::{kind} AS x")
    frame = open_frame(relation)
    assert isinstance(frame, LazyFrame)
    slots = np.concatenate([batch[0] for batch in frame.codes([plan])])
    assert slots.tolist() == [slot(plan, n) for n in numbers]
    assert slots.dtype == plan.dtype


def test_too_wide_or_too_large_a_range_is_left_to_the_engine() -> None:
    assert whole_numbers(ColumnPlan("x", "number", cuts=[0.0, 1e5])) is None
    assert whole_numbers(ColumnPlan("x", "number", cuts=[2.0**53])) is None
    assert whole_numbers(ColumnPlan("x", "number", cuts=[float("inf")])) is None
    assert whole_numbers(ColumnPlan("x", "number")) is None


def test_a_column_may_have_any_name() -> None:
    relation = duckdb.connect().sql(
        'SELECT 3 AS "sparsam whole 0", 4 AS "sparsam slot 0", \'a\' AS "0"'
    )
    plans = [
        ColumnPlan("sparsam slot 0", "number", cuts=[3.5]),
        ColumnPlan("0", "text", groups=[(0, ["b"]), (1, ["a"])]),
    ]
    frame = open_frame(relation)
    assert isinstance(frame, LazyFrame)
    (batch,) = frame.codes(plans)
    assert [slots.tolist() for slots in batch] == [[1], [1]]

"""What is to become of a column: slots, their type, and what only a check asks."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from typing import Any

import numpy as np

from sparsam.data.source.lazy._plan import ColumnPlan


def test_slots_are_buckets_and_reasons() -> None:
    plan = ColumnPlan("age", "number", cuts=[17, 62])
    assert (plan.n_buckets, plan.missing_slot, plan.outside_slot) == (3, 3, 4)
    own = ColumnPlan("age", "number", cuts=[17, 62], missing=3)
    assert (own.n_buckets, own.missing_slot, own.refuses) == (4, 3, False)
    groups = ColumnPlan("way", "text", groups=[(0, ["car"]), (1, ["bus"])], missing=0, outside=2)
    assert (groups.n_buckets, groups.outside_slot, groups.refuses) == (3, 2, False)
    assert ColumnPlan("way", "text", groups=[], outside=0, missing=0).n_buckets == 1


def test_the_smallest_type_that_holds_every_slot() -> None:
    assert ColumnPlan("x", "number", cuts=range(253)).dtype is np.uint8
    assert ColumnPlan("x", "number", cuts=range(254)).dtype is np.uint16  # 255 and 2 reasons
    assert ColumnPlan("x", "number", cuts=range(255), missing=0).dtype is np.uint8
    assert ColumnPlan("x", "number", cuts=range(256), missing=0).dtype is np.uint16


def test_bounds_are_two_more_steps() -> None:
    numbers, slots = ColumnPlan("x", "number", cuts=[5], bounds=(0, 9)).steps
    assert numbers == [0.0, 5.0, math.nextafter(9, 10)]
    assert slots == [3, 0, 1, 3]
    dates = (datetime.date(1969, 12, 31), datetime.date(1970, 1, 3))
    assert ColumnPlan("d", "date", cuts=dates).steps[0] == [-1.0, 2.0]
    assert ColumnPlan("t", "time", cuts=[datetime.time(8, 30)]).steps[0] == [510.0]


def test_members_ascend() -> None:
    plan = ColumnPlan("x", "number", groups=[(0, [3.0, 1.0]), (1, [2.0])])
    assert list(plan.slot_of.items()) == [(1.0, 0), (2.0, 1), (3.0, 0)]


def test_a_check_tells_refused_values_and_nothing_else() -> None:
    check = ColumnPlan("x", "number", cuts=[5], bounds=(0, 9), missing=2).check()
    assert (check.cuts, check.missing, check.bounds, check.n_buckets) == ((), 0, (0, 9), 1)
    strict = ColumnPlan("x", "text", groups=[(0, ["a"]), (1, ["b"])], labels=["A", "B"]).check()
    assert (strict.groups, strict.n_buckets, strict.labels) == ([(0, ["a", "b"])], 1, None)
    lax = ColumnPlan("x", "text", groups=[(0, ["a"]), (1, ["b"])], outside=1).check()
    assert (lax.groups, lax.outside, lax.missing) == ([(0, [])], 0, None)


def test_what_own_labels_are() -> None:
    def plan(**changes: Any) -> ColumnPlan:
        groups = [(0, ["b"]), (1, ["a"])]
        return replace(ColumnPlan("x", "text", groups=groups, labels=["b", "a"]), **changes)

    assert plan().own_labels
    assert not plan(labels=None).own_labels
    assert not plan(labels=["a", "b"]).own_labels
    assert not plan(labels=["b", "a", "missing"], missing=2).own_labels
    assert not plan(outside=1).own_labels
    assert not plan(groups=[(0, ["b"]), (1, ["a", "c"])]).own_labels
    assert not plan(kind="number", groups=[(0, [1.0])], labels=["1"]).own_labels

"""Scales, their ends and their round numbers."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from sparsam.report.plot._scale import Scale, span

NUMBERS = st.floats(-1e4, 1e4)


def test_a_single_value_has_a_width():
    low, high = span([0.2])
    assert low < 0.2 < high


def test_a_bend_is_applied_before_a_value_is_placed():
    scale = Scale(math.log(1), math.log(100), 0.0, 200.0, math.log)
    assert math.isclose(scale(10), 100.0)


def test_the_ends_may_be_turned_round():
    down = Scale(3, 0, 66, 0)
    assert [down(value) for value in (-1, 0, 1, 3, 4)] == [0, 0, 22, 66, 66]


@given(NUMBERS, NUMBERS, st.integers(2, 12))
def test_ticks_are_inside_and_not_too_many(first, second, most):
    low, high = span([first, second], least=0.01)
    ticks = Scale(low, high, 0.0, 1.0).ticks(most)
    assert len(ticks) <= most + 1
    assert ticks == sorted(ticks)
    slack = 1e-6 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in ticks)

"""The area under a front."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.assess import area_under_front

SHARES = st.floats(0, 1, allow_nan=False)


def slow(points, low, high, steps=20_000):
    """Walk along the permitted errors and take the best point that is allowed at each."""
    permitted = low + (high - low) * (np.arange(steps) + 0.5) / steps
    best = [max((r for u, r in points if u <= e), default=0.0) for e in permitted]
    return float(np.mean(best))


@given(st.lists(st.tuples(SHARES, SHARES), max_size=6), SHARES, st.floats(0.05, 0.5))
def test_area_is_the_mean_of_the_best(points, low, width):
    found = area_under_front([u for u, _ in points], [r for _, r in points], low, low + width)
    assert found == pytest.approx(slow(points, low, low + width, 4000), abs=2e-3)


def test_an_unsafe_point_adds_nothing():
    few = area_under_front([0.1], [0.4], 0.1, 0.2)
    assert area_under_front([0.1, 0.12], [0.4, 0.3], 0.1, 0.2) == few == pytest.approx(0.4)


def test_the_range_must_be_one():
    with pytest.raises(ParameterError, match="low < high"):
        area_under_front([0.1], [0.2], 0.3, 0.3)


def test_area_of_a_front_lies_between_the_errors_of_its_points(small_front):
    errors = [point.assessment.risk.value for point in small_front.points]
    assert 0 <= small_front.area() <= max(errors)
    assert small_front.area(width=0.5) >= small_front.area(width=0.05)

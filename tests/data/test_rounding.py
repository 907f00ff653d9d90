"""Ranges of columns tell nobody's own number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.data import NumericDomain, read
from sparsam.data._rounding import rounded_range

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**9), 10**9)


@given(st.lists(NUMBERS, min_size=1, max_size=20), st.data())
def test_a_range_holds_its_values_and_shared_ends_stay(numbers, data):
    values = np.unique(np.array(numbers, dtype=np.float64))
    counts = np.array(
        data.draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    )
    domain = rounded_range(values, counts)
    assert domain.low <= values[0] <= values[-1] <= domain.high
    for end, value, count in (
        (domain.low, values[0], counts[0]),
        (domain.high, values[-1], counts[-1]),
    ):
        if count >= SMALLEST_COUNT:
            assert end == value


@pytest.mark.parametrize("digits", [0, 2])
def test_many_numbers_share_an_end(digits):
    highest = np.unique(np.random.default_rng(0).uniform(100, 200, 500).round(digits))
    ends = {rounded_range(np.array([0.0, high]), np.array([9, 1])).high for high in highest}
    assert len(highest) > 80
    assert len(ends) <= 12


@pytest.mark.parametrize(
    ("values", "domain"),
    [
        ([18, 117], NumericDomain(10, 120, integer=True)),
        ([0, 9], NumericDomain(0, 10, integer=True)),
        ([-9_173.77, 184_467.31], NumericDomain(-20_000, 200_000)),
        ([0.1, 0.37], NumericDomain(0.1, 0.38)),
        ([3], NumericDomain(0, 5, integer=True)),
        ([-1.7e308, 1.7e308], NumericDomain(-np.finfo(float).max, np.finfo(float).max, True)),
    ],
)
def test_single_peoples_ends_move_outwards(values, domain):
    assert rounded_range(np.array(values, float), np.ones(len(values), int)) == domain


def test_the_oldest_persons_age_is_nowhere_in_a_table_that_was_read():
    ages = [20, 30, 40, 50] * 10
    table = read({"age": [*ages, 97]})
    assert table.attribute("age").domain == NumericDomain(20, 100, integer=True)
    shared = read({"age": [*ages, *[97] * SMALLEST_COUNT]})
    assert shared.attribute("age").domain == NumericDomain(20, 97, integer=True)

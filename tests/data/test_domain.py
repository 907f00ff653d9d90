"""Ranges and cuts tell nobody's own number."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam._small_counts import SMALLEST_COUNT
from sparsam.data import CategoricalDomain, Domain, NumericDomain, read
from sparsam.data._domain import round_cut, rounded_range
from sparsam.generalization import Generalization


@pytest.mark.parametrize(
    "domain",
    [
        NumericDomain(0, 99, integer=True),
        NumericDomain(-1.5, 2.5),
        CategoricalDomain(("a", "b")),
        CategoricalDomain((1, 2.5), ordered=True),
        CategoricalDomain((False, True)),
    ],
)
def test_survives_json(domain: Domain):
    back = msgspec.json.decode(msgspec.json.encode(domain), type=Domain)
    assert back == domain
    assert hash(back) == hash(domain)


def test_whole_floats_and_numpy_scalars_become_plain_categories():
    domain = CategoricalDomain((1.0, np.int64(2), 2.5))
    assert domain.categories == (1, 2, 2.5)
    assert [type(c) for c in domain.categories] == [int, int, float]


@pytest.mark.parametrize(
    ("low", "high"), [(1, 0), (float("nan"), 1), (0, float("inf")), (float("-inf"), 0)]
)
def test_refuses_a_range_that_is_none(low: float, high: float):
    with pytest.raises(DataError, match="low <= high"):
        NumericDomain(low, high)


@pytest.mark.parametrize("categories", [("a", "a"), (1, 1.0), (float("nan"),)])
def test_refuses_lists_that_are_no_domain(categories: tuple[object, ...]):
    with pytest.raises(DataError):
        CategoricalDomain(categories)  # type: ignore[arg-type]


def test_refuses_a_category_of_another_type():
    with pytest.raises(DataError, match="list"):
        CategoricalDomain(([1],))  # type: ignore[arg-type]


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


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(FLOATS, FLOATS)
def test_round_cut_lies_between_the_two_values(one: float, other: float) -> None:
    assume(one != other)
    low, high = sorted((one, other))
    assert low < round_cut(low, high) <= high


@given(FLOATS)
def test_neighbouring_floats_have_one_cut(low: float) -> None:
    high = math.nextafter(low, math.inf)
    assume(math.isfinite(high))
    assert round_cut(low, high) == high


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4))
def test_whole_numbers_are_cut_at_the_multiple_of_the_largest_unit(low: int, width: int) -> None:
    high = low + width
    if low < 0 <= high:
        expected = 0
    else:
        units = [10**7, *(step * 10**e for e in range(6, -1, -1) for step in (5, 1))]
        expected = next(high // u * u for u in units if low < high // u * u)
    assert round_cut(low, high) == expected


@given(st.integers(-999, 999), st.integers(1, 99), st.integers(-30, 30))
def test_decimals_are_cut_as_whole_numbers_are(low: int, width: int, exponent: int) -> None:
    assume(not low < 0 <= low + width)
    scaled = [float(f"{value}e{exponent}") for value in (low, low + width)]
    whole = int(round_cut(low, low + width))
    assert round_cut(*scaled) == float(f"{whole}e{exponent}")


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (17, 23, 20),
        (61, 62, 62),
        (0.1, 0.3, 0.3),
        (0.25, 0.35, 0.3),
        (-23, -17, -20),
        (-3, 10, 0),
        (-10, -9.5, -9.5),
        (0, 9, 5),
        (1e-25, 1.7e-25, 1.5e-25),
        (1.61e300, 1.72e300, 1.7e300),
        (1.7e308, 1.79e308, 1.75e308),
        (0, 5e-324, 5e-324),
        (49_999.99, 50_000.01, 50_000),
        (123_456_789.25, 123_456_789.35, 123_456_789.3),
    ],
)
def test_round_cut_by_hand(low: float, high: float, cut: float) -> None:
    assert round_cut(low, high) == cut


def test_collecting_everything_names_no_number_of_a_person():
    amounts = [48_271.63, 51_003.27, 55_880.01, 61_234.56]
    cuts = Generalization.identity(read({"amount": amounts})).partitions[0].cuts
    assert cuts == (50_000, 55_000, 60_000)

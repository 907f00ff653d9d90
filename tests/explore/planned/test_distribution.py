from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.explore._bins import Bins
from sparsam.explore.planned._consistency import Margin
from sparsam.explore.planned._distribution import Reading, mean, outliers, quantile, spread_in_cell

Z = 1.959964


def exact(bins: Bins, values: np.ndarray, sd: float = 0.0) -> Margin:
    inside = np.searchsorted(np.array(bins.edges[1:-1]), values[~np.isnan(values)], side="right")
    counts = np.bincount(inside, minlength=bins.n_cells).astype(float)
    counts = np.append(counts, np.isnan(values).sum())
    return Margin(bins, counts, np.eye(bins.size) * sd**2)


def numbers(low: int, high: int) -> Bins:
    return Bins("x", "numeric", edges=tuple(range(low, high + 2)), integer=True)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=80), st.sampled_from([0.25, 0.5, 0.75]))
def test_quantiles_of_counted_numbers_are_exact(values: list[int], level: float) -> None:
    margin = exact(numbers(0, 30), np.array(values, dtype=float))
    estimate = quantile(margin, level, Z)
    ordered = np.sort(values)
    # the least number below or at which that share lies
    assert estimate.value == ordered[max(int(np.ceil(level * len(ordered))) - 1, 0)]
    assert estimate.low == estimate.value == estimate.high


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=4, max_size=80))
def test_outliers_of_counted_numbers_are_exact(values: list[int]) -> None:
    margin = exact(numbers(0, 30), np.array(values, dtype=float))
    first, third = (quantile(margin, level, Z).value for level in (0.25, 0.75))
    reach = 1.5 * (third - first)
    beyond = sum(not first - reach <= value <= third + reach for value in values)
    assert outliers(margin, Z).value == pytest.approx(beyond)


def test_quantiles_in_wide_cells_are_interpolated_smoothly() -> None:
    values = np.random.default_rng(0).gamma(3.0, 10.0, 20_000)
    bins = Bins("x", "numeric", edges=(0, 10, 20, 30, 45, 80, 1000))
    margin = exact(bins, values)
    for level in (0.25, 0.5, 0.75):
        assert quantile(margin, level, Z).value == pytest.approx(
            np.quantile(values, level), rel=0.02
        )
    # P99 lies in a cell that reaches to 1,000
    assert quantile(margin, 0.99, Z).value == pytest.approx(np.quantile(values, 0.99), rel=0.06)
    assert mean(margin, Z).value == pytest.approx(values.mean(), rel=0.03)


def test_the_interval_of_a_quantile_holds_it() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(50, 10, 5_000)
    bins = Bins("x", "numeric", edges=(0, 35, 42, 47, 50, 53, 58, 65, 100))
    margin = exact(bins, values, sd=30.0)
    true, held = np.quantile(values, 0.25), []
    for _ in range(200):
        noisy = Margin(bins, margin.counts + rng.normal(0, 30, bins.size), margin.covariance)
        estimate = quantile(noisy, 0.25, Z)
        held.append(estimate.low <= true <= estimate.high)
    assert 0.9 <= np.mean(held) <= 1.0


def test_the_interval_of_a_quantile_reaches_to_the_edges_of_its_cell() -> None:
    bins = Bins("x", "numeric", edges=(0, 10, 500, 1000))
    counts = np.array([100.0, 800, 100, 0])
    # wherever in their cell people are, these hold the quantile
    assert quantile(Margin(bins, counts, np.zeros((4, 4))), 0.5, Z)[1:] == (10, 500)
    assert quantile(Margin(bins, counts, np.zeros((4, 4))), 0.99, Z)[1:] == (500, 1000)
    # noise that may move the rank beyond an edge opens the next cell
    near = np.array([490.0, 500, 10, 0])
    assert quantile(Margin(bins, near, np.eye(4) * 20.0**2), 0.5, Z)[1:] == (0, 500)
    assert quantile(Margin(bins, near, np.eye(4) * 1.0**2), 0.5, Z)[1:] == (10, 500)


def test_the_interval_of_a_mean_allows_for_every_place_in_a_cell() -> None:
    bins = Bins("x", "numeric", edges=(0, 10, 20))
    estimate = mean(Margin(bins, np.array([50.0, 50, 0]), np.zeros((3, 3))), Z)
    assert estimate == (pytest.approx(10), pytest.approx(5), pytest.approx(15))


def test_the_mean_is_not_drawn_to_where_nobody_is() -> None:
    rng = np.random.default_rng(8)
    bins = numbers(0, 99)
    margin = exact(bins, rng.integers(20, 30, 2_000).astype(float), sd=20.0)
    true, means = float(margin.real @ np.arange(100)) / 2_000, []
    for _ in range(200):
        noisy = Margin(bins, margin.counts + rng.normal(0, 20, bins.size), margin.covariance)
        means.append(mean(noisy, Z))
    assert np.mean([estimate.value for estimate in means]) == pytest.approx(true, abs=1.5)
    assert 0.92 <= np.mean([estimate.low <= true <= estimate.high for estimate in means]) <= 0.98


def test_outliers_have_honest_intervals() -> None:
    rng = np.random.default_rng(2)
    values = rng.exponential(10, 20_000)
    q1, q3 = np.quantile(values, [0.25, 0.75])
    fence = q3 + 1.5 * (q3 - q1)
    bins = Bins("x", "numeric", edges=(0, 1.3, 2.9, 4.7, 7, 9.8, 13.9, 20.8, fence * 1.02, 1000))
    margin, true = exact(bins, values, sd=20.0), (values > fence).sum()
    errors, held = [], []
    for _ in range(200):
        noisy = Margin(bins, margin.counts + rng.normal(0, 20, bins.size), margin.covariance)
        estimate = outliers(noisy, Z)
        errors.append(estimate.value - true)
        held.append(estimate.low <= true <= estimate.high)
    assert abs(np.mean(errors)) < 25
    assert 0.9 <= np.mean(held) <= 1.0


def test_numbers_are_spread_inside_their_cells() -> None:
    bins = Bins("x", "numeric", edges=(0, 1, 10, 100), integer=True)
    margin = Margin(bins, np.array([50.0, 30, 20, 5]), np.eye(4))
    cells = np.array([0, 1, 1, 2, 3])
    spread = spread_in_cell(margin, cells, np.array([0.9, 0.0, 1.0, 0.5, 0.5]))
    assert spread[0] == 0.0
    assert 1 <= spread[1] <= spread[2] <= 9
    assert 10 <= spread[3] <= 99
    assert spread[3] == np.floor(spread[3])
    assert np.isnan(spread[4])


def test_a_wide_cell_of_whole_numbers_is_cut_between_them() -> None:
    bins = Bins("x", "numeric", edges=(0, 10, 20), integer=True)
    reading = Reading(exact(bins, np.repeat(np.arange(20.0), 50)))
    # nobody lies between 4 and 5: up to 4.5 are the five numbers from 0 to 4
    for closed, number in ((True, 4.0), (True, 4.5), (False, 4.5), (False, 5.0)):
        below = reading.weights_below(number, closed=closed)
        assert below.tolist() == pytest.approx([0.5, 0.0])
    assert reading.weights_below(9.5, closed=True).tolist() == [1.0, 0.0]


def test_outliers_allow_for_many_who_share_a_number_close_to_a_fence() -> None:
    """The third quartile is 21, where all of its cell are, so that 40 lies inside the fence."""
    shares = {"0 to 7": 25, "7 to 12": 25, "12 to 20": 24, "21": 15, "22 to 39": 7, "40": 4}
    bins = Bins("x", "numeric", edges=(0, 7, 12, 20, 22, 39.9, 40.3))
    margin = Margin(bins, np.array([*shares.values(), 0]) * 100.0, np.eye(7) * 9.0)
    estimate = outliers(margin, Z)
    assert estimate.value > 300
    assert estimate.low == 0.0
    assert estimate.high < 1_000

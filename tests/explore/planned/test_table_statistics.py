from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from sparsam.explore._bins import Bins
from sparsam.explore.planned._consistency import Margin, fit_margins
from sparsam.explore.planned._reading import Reading
from sparsam.explore.planned._table_statistics import (
    cramers_v,
    mean,
    outliers,
    quantile,
    spearman,
    spread_in_cell,
    tied,
)

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
    found = quantile(margin, level, Z)
    ordered = np.sort(values)
    # the least number below or at which that share lies
    assert found.value == ordered[max(int(np.ceil(level * len(ordered))) - 1, 0)]
    assert found.low == found.value == found.high


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
        found = quantile(noisy, 0.25, Z)
        held.append(found.low <= true <= found.high)
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
    found = mean(Margin(bins, np.array([50.0, 50, 0]), np.zeros((3, 3))), Z)
    assert found == (pytest.approx(10), pytest.approx(5), pytest.approx(15))


def test_the_mean_is_not_drawn_to_where_nobody_is() -> None:
    rng = np.random.default_rng(8)
    bins = numbers(0, 99)
    margin = exact(bins, rng.integers(20, 30, 2_000).astype(float), sd=20.0)
    true, found = float(margin.real @ np.arange(100)) / 2_000, []
    for _ in range(200):
        noisy = Margin(bins, margin.counts + rng.normal(0, 20, bins.size), margin.covariance)
        found.append(mean(noisy, Z))
    assert np.mean([one.value for one in found]) == pytest.approx(true, abs=1.5)
    assert 0.92 <= np.mean([one.low <= true <= one.high for one in found]) <= 0.98


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
        found = outliers(noisy, Z)
        errors.append(found.value - true)
        held.append(found.low <= true <= found.high)
    assert abs(np.mean(errors)) < 25
    assert 0.9 <= np.mean(held) <= 1.0


def pair(one: np.ndarray, two: np.ndarray, bins: Bins) -> np.ndarray:
    codes = [np.searchsorted(np.array(bins.edges[1:-1]), v, side="right") for v in (one, two)]
    table = np.zeros((bins.size, bins.size))
    np.add.at(table, tuple(codes), 1)
    return table


def test_spearman_of_counted_numbers_is_the_textbook_one() -> None:
    rng = np.random.default_rng(3)
    one = rng.integers(0, 6, 2_000)
    two = np.clip(one + rng.integers(-2, 3, 2_000), 0, 5)
    bins = numbers(0, 5)
    margins = exact(bins, one.astype(float)), exact(bins, two.astype(float))
    ties = np.array([tied(margins[0]), tied(margins[1])])
    found = spearman(pair(one, two, bins), 0.0, margins, ties, Z)
    assert found.value == pytest.approx(spearmanr(one, two).statistic)
    assert found.low == pytest.approx(found.value) == found.high


@pytest.mark.parametrize("correlation", [-0.9, -0.4, 0.0, 0.4, 0.9])
def test_coarse_cells_take_little_from_spearman(correlation: float) -> None:
    rng = np.random.default_rng(4)
    both = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], 40_000)
    bins = Bins("x", "numeric", edges=(-9, -0.84, -0.25, 0.25, 0.84, 9))
    margins = exact(bins, both[:, 0]), exact(bins, both[:, 1])
    table = pair(both[:, 0], both[:, 1], bins)
    found = spearman(table, 0.0, margins, np.zeros(2), Z)
    own = np.array([((margin.real / 40_000) ** 3).sum() for margin in margins])
    uncorrected = spearman(table, 0.0, margins, own, Z)
    true = spearmanr(both).statistic
    assert found.value == pytest.approx(true, abs=0.03)
    if correlation:
        assert abs(found.value - true) < abs(uncorrected.value - true)
        assert found.low <= true <= found.high


def test_spearman_is_unbiased_and_its_interval_honest() -> None:
    rng = np.random.default_rng(5)
    one = rng.integers(0, 5, 5_000)
    two = np.where(rng.random(5_000) < 0.3, one, rng.integers(0, 5, 5_000))
    bins = numbers(0, 4)
    true_table = pair(one, two, bins)
    true, values, held = spearmanr(one, two).statistic, [], []
    for _ in range(300):
        noisy = true_table + rng.normal(0, 15, true_table.shape)
        # margins known twice as well as the table's own sums
        sums = [true_table.sum(axis=axis) + rng.normal(0, 10, 6) for axis in (1, 0)]
        sums[1] += (sums[0].sum() - sums[1].sum()) / 6
        margins = tuple(Margin(bins, own, np.eye(6) * 100.0) for own in sums)
        ties = np.array([tied(own) for own in margins])
        fitted = fit_margins(noisy, *sums)
        found = spearman(fitted, 15.0, (margins[0], margins[1]), ties, Z)
        values.append(found.value)
        held.append(found.low <= true <= found.high)
    assert np.mean(values) == pytest.approx(true, abs=0.004)
    assert 0.92 <= np.mean(held) <= 0.98


def test_spearman_of_nobody_says_that_it_knows_nothing() -> None:
    bins = numbers(0, 3)
    empty = exact(bins, np.array([]))
    assert spearman(np.zeros((5, 5)), 1.0, (empty, empty), np.zeros(2), Z) == (0.0, -1.0, 1.0)


def textbook_v(table: np.ndarray) -> float:
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = ((table - expected) ** 2 / expected).sum()
    return float(np.sqrt(chi2 / table.sum() / (min(table.shape) - 1)))


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 5), st.integers(2, 5), st.integers(0, 10_000))
def test_cramers_v_without_noise_is_the_textbook_one(rows: int, columns: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(5, 500, (rows, columns)).astype(float)
    found = cramers_v(table, 1e-9, Z)
    assert found.value == pytest.approx(textbook_v(table), abs=1e-6)
    assert found.low <= found.value <= found.high


def test_cramers_v_is_not_made_of_noise() -> None:
    rng = np.random.default_rng(6)
    shares = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.03, 0.01, 0.01])
    table = np.outer(shares, shares) * 20_000
    table[0, 0], table[1, 1] = table[0, 0] + 900, table[1, 1] + 900
    table[0, 1], table[1, 0] = table[0, 1] - 900, table[1, 0] - 900
    table = rng.poisson(table).astype(float)
    true = textbook_v(table)
    plain, aware, held = [], [], []
    for _ in range(200):
        noisy = fit_margins(
            table + rng.normal(0, 40, table.shape), table.sum(axis=1), table.sum(axis=0)
        )
        found = cramers_v(noisy, 40.0, Z)
        plain.append(textbook_v(np.maximum(noisy, 1e-9)))
        aware.append(found.value)
        held.append(found.low <= true <= found.high)
    assert np.median(np.abs(np.array(aware) - true)) < np.median(np.abs(np.array(plain) - true)) / 3
    assert np.mean(held) >= 0.8


def test_cramers_v_needs_two_categories() -> None:
    assert cramers_v(np.array([[5.0, 7.0]]), 1.0, Z) == (0.0, 0.0, 0.0)


def test_numbers_are_spread_inside_their_cells() -> None:
    bins = Bins("x", "numeric", edges=(0, 1, 10, 100), integer=True)
    margin = Margin(bins, np.array([50.0, 30, 20, 5]), np.eye(4))
    cells = np.array([0, 1, 1, 2, 3])
    found = spread_in_cell(margin, cells, np.array([0.9, 0.0, 1.0, 0.5, 0.5]))
    assert found[0] == 0.0
    assert 1 <= found[1] <= found[2] <= 9
    assert 10 <= found[3] <= 99
    assert found[3] == np.floor(found[3])
    assert np.isnan(found[4])


def test_a_wide_cell_of_whole_numbers_is_cut_between_them() -> None:
    bins = Bins("x", "numeric", edges=(0, 10, 20), integer=True)
    reading = Reading(exact(bins, np.repeat(np.arange(20.0), 50)))
    # nobody lies between 4 and 5: up to 4.5 are the five numbers from 0 to 4
    for closed, number in ((True, 4.0), (True, 4.5), (False, 4.5), (False, 5.0)):
        below = reading.weights_below(number, closed=closed)
        assert below.tolist() == pytest.approx([0.5, 0.0])
    assert reading.weights_below(9.5, closed=True).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("shared", [5, 30, 60])
def test_two_rare_categories_are_held_by_what_the_other_cells_show(shared: int) -> None:
    """150 and 160 of 20,000 have each of two rare categories; noise hides how many have both."""
    people = np.array([[shared, 150 - shared], [160 - shared, 19_690 + shared]], dtype=float)
    rows, columns = people.sum(axis=1), people.sum(axis=0)
    expected = np.outer(rows, columns) / people.sum()
    truth = np.sqrt(((people - expected) ** 2 / expected).sum() / people.sum())
    rng = np.random.default_rng(5)
    held = []
    for _ in range(400):
        noisy = fit_margins(people + rng.normal(scale=40, size=(2, 2)), rows, columns)
        found = cramers_v(noisy, 40.0, 1.96)
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= 0.93


def test_outliers_allow_for_many_who_share_a_number_close_to_a_fence() -> None:
    """The third quartile is 21, where all of its cell are, so that 40 lies inside the fence."""
    shares = {"0 to 7": 25, "7 to 12": 25, "12 to 20": 24, "21": 15, "22 to 39": 7, "40": 4}
    bins = Bins("x", "numeric", edges=(0, 7, 12, 20, 22, 39.9, 40.3))
    margin = Margin(bins, np.array([*shares.values(), 0]) * 100.0, np.eye(7) * 9.0)
    found = outliers(margin, Z)
    assert found.value > 300
    assert found.low == 0.0
    assert found.high < 1_000

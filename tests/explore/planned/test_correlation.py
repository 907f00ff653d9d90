from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from sparsam.explore._bins import Bins
from sparsam.explore.planned._consistency import Margin, fit_margins
from sparsam.explore.planned._correlation import cramers_v, spearman, tied

Z = 1.959964


def exact(bins: Bins, values: np.ndarray, sd: float = 0.0) -> Margin:
    inside = np.searchsorted(np.array(bins.edges[1:-1]), values[~np.isnan(values)], side="right")
    counts = np.bincount(inside, minlength=bins.n_cells).astype(float)
    counts = np.append(counts, np.isnan(values).sum())
    return Margin(bins, counts, np.eye(bins.size) * sd**2)


def numbers(low: int, high: int) -> Bins:
    return Bins("x", "numeric", edges=tuple(range(low, high + 2)), integer=True)


def pair(first: np.ndarray, second: np.ndarray, bins: Bins) -> np.ndarray:
    codes = [np.searchsorted(np.array(bins.edges[1:-1]), v, side="right") for v in (first, second)]
    table = np.zeros((bins.size, bins.size))
    np.add.at(table, tuple(codes), 1)
    return table


def test_spearman_of_counted_numbers_is_the_textbook_one() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 6, 2_000)
    second = np.clip(first + rng.integers(-2, 3, 2_000), 0, 5)
    bins = numbers(0, 5)
    margins = exact(bins, first.astype(float)), exact(bins, second.astype(float))
    ties = np.array([tied(margins[0]), tied(margins[1])])
    rank = spearman(pair(first, second, bins), 0.0, margins, ties, Z)
    assert rank.value == pytest.approx(spearmanr(first, second).statistic)
    assert rank.low == pytest.approx(rank.value) == rank.high


@pytest.mark.parametrize("correlation", [-0.9, -0.4, 0.0, 0.4, 0.9])
def test_coarse_cells_take_little_from_spearman(correlation: float) -> None:
    rng = np.random.default_rng(4)
    both = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], 40_000)
    bins = Bins("x", "numeric", edges=(-9, -0.84, -0.25, 0.25, 0.84, 9))
    margins = exact(bins, both[:, 0]), exact(bins, both[:, 1])
    table = pair(both[:, 0], both[:, 1], bins)
    rank = spearman(table, 0.0, margins, np.zeros(2), Z)
    own = np.array([((margin.real / 40_000) ** 3).sum() for margin in margins])
    uncorrected = spearman(table, 0.0, margins, own, Z)
    true = spearmanr(both).statistic
    assert rank.value == pytest.approx(true, abs=0.03)
    if correlation:
        assert abs(rank.value - true) < abs(uncorrected.value - true)
        assert rank.low <= true <= rank.high


def test_spearman_is_unbiased_and_its_interval_honest() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 5, 5_000)
    second = np.where(rng.random(5_000) < 0.3, first, rng.integers(0, 5, 5_000))
    bins = numbers(0, 4)
    true_table = pair(first, second, bins)
    true, values, held = spearmanr(first, second).statistic, [], []
    for _ in range(300):
        noisy = true_table + rng.normal(0, 15, true_table.shape)
        # margins known twice as well as the table's own sums
        sums = [true_table.sum(axis=axis) + rng.normal(0, 10, 6) for axis in (1, 0)]
        sums[1] += (sums[0].sum() - sums[1].sum()) / 6
        margins = tuple(Margin(bins, own, np.eye(6) * 100.0) for own in sums)
        ties = np.array([tied(own) for own in margins])
        fitted = fit_margins(noisy, *sums)
        rank = spearman(fitted, 15.0, (margins[0], margins[1]), ties, Z)
        values.append(rank.value)
        held.append(rank.low <= true <= rank.high)
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
    v = cramers_v(table, 1e-9, Z)
    assert v.value == pytest.approx(textbook_v(table), abs=1e-6)
    assert v.low <= v.value <= v.high


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
        v = cramers_v(noisy, 40.0, Z)
        plain.append(textbook_v(np.maximum(noisy, 1e-9)))
        aware.append(v.value)
        held.append(v.low <= true <= v.high)
    assert np.median(np.abs(np.array(aware) - true)) < np.median(np.abs(np.array(plain) - true)) / 3
    assert np.mean(held) >= 0.8


def test_cramers_v_needs_two_categories() -> None:
    assert cramers_v(np.array([[5.0, 7.0]]), 1.0, Z) == (0.0, 0.0, 0.0)


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
        v = cramers_v(noisy, 40.0, 1.96)
        held.append(v.low <= truth <= v.high)
    assert np.mean(held) >= 0.93

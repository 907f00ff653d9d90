"""Intervals: known values, scipy's, and how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from sparsam.attack import paired_difference, wilson_interval
from sparsam.attack._statistics import mean_interval, unpaired_difference


@pytest.mark.parametrize(
    ("n_hits", "n_records", "low", "high"),
    [  # Newcombe (1998), table I
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_published(n_hits: int, n_records: int, low: float, high: float) -> None:
    assert wilson_interval(n_hits, n_records) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 5000), st.data(), st.floats(0.5, 0.999))
def test_wilson_is_scipys(n_records: int, data: st.DataObject, confidence: float) -> None:
    n_hits = data.draw(st.integers(0, n_records))
    theirs = binomtest(n_hits, n_records).proportion_ci(confidence, method="wilson")
    ours = wilson_interval(n_hits, n_records, confidence)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert 0 <= ours[0] <= n_hits / n_records + 1e-12
    assert n_hits / n_records - 1e-12 <= ours[1] <= 1


def test_wilson_without_records() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("n_records", [50, 200, 1000])
def test_wilson_covers(n_records: int) -> None:
    hits = np.arange(n_records + 1)
    bounds = np.array([wilson_interval(h, n_records) for h in hits])
    shares = np.linspace(0.02, 0.98, 97)
    inside = (bounds[:, :1] <= shares) & (shares <= bounds[:, 1:])
    coverage = (binom.pmf(hits[:, None], n_records, shares) * inside).sum(axis=0)
    assert coverage.mean() == pytest.approx(0.95, abs=0.01)
    assert coverage.min() > 0.88


def test_mean_interval() -> None:
    values = np.array([0.0, 0.5, 0.5, 1.0])
    half = 1.959964 * np.sqrt(1 / 6) / 2
    assert mean_interval(values) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)
    assert mean_interval(np.array([0.0, 0.0, 0.0, 0.1]))[0] == 0.0
    assert mean_interval(np.array([0.3])) == (0.0, 1.0)
    assert mean_interval(np.array([])) == (0.0, 1.0)


def test_mean_interval_covers() -> None:
    rng = np.random.default_rng(0)
    # Errors on two attributes of one person go together.
    first = rng.random((2000, 400)) < 0.2
    second = np.where(rng.random(first.shape) < 0.7, first, rng.random(first.shape) < 0.2)
    bounds = np.array([mean_interval(row) for row in (1.0 * first + second) / 2])
    covered = (bounds[:, 0] <= 0.2) & (bounds[:, 1] >= 0.2)
    assert covered.mean() == pytest.approx(0.95, abs=0.02)


def test_paired_difference() -> None:
    first, second = np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 0.0])
    mean, (low, high) = paired_difference(first, second)
    half = 1.959964 * np.sqrt(1 / 3) / 2
    assert (mean, low, high) == pytest.approx((0.5, 0.5 - half, 0.5 + half), abs=1e-6)


def test_paired_difference_turns_with_its_arguments() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(50), rng.random(50)
    mean, (low, high) = paired_difference(first, second)
    back, (back_low, back_high) = paired_difference(second, first)
    assert (back, back_low, back_high) == pytest.approx((-mean, -high, -low))
    assert paired_difference(first, first) == (0.0, (0.0, 0.0))


def test_paired_difference_of_bools_and_of_few() -> None:
    assert paired_difference(np.array([True, True]), np.array([False, False]))[0] == 1.0
    assert paired_difference(np.array([1.0]), np.array([0.0])) == (1.0, (-1.0, 1.0))
    assert paired_difference(np.array([]), np.array([])) == (0.0, (-1.0, 1.0))


def test_paired_difference_is_narrower_than_two_intervals() -> None:
    rng = np.random.default_rng(2)
    hard = rng.random(3000) < 0.3
    first, second = hard.astype(float), (hard ^ (rng.random(3000) < 0.02)).astype(float)
    _, (low, high) = paired_difference(first, second)
    apart = np.subtract(*mean_interval(first)[::-1])
    assert high - low < apart / 2


def test_unpaired_difference() -> None:
    first, second = np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0])
    mean, (low, high) = unpaired_difference(first, second)
    half = 1.959964 * np.sqrt(0.25 / 4 + 0.5 / 2)
    assert (mean, low, high) == pytest.approx((0.25, 0.25 - half, 0.25 + half), abs=1e-6)
    assert unpaired_difference(first, second[:1]) == (0.75, (-1.0, 1.0))


def test_unpaired_difference_covers() -> None:
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(500):
        _, (low, high) = unpaired_difference(rng.random(200) < 0.4, rng.random(50) < 0.3)
        covered.append(low <= 0.1 <= high)
    assert np.mean(covered) >= 0.92

"""Bins: about equally many rows in each, and round numbers between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam.data._bins import quantile_bins, round_bins
from sparsam.data._domain import round_cut

rows = st.lists(
    st.tuples(st.floats(-1e6, 1e6), st.integers(1, 9)),
    min_size=1,
    max_size=60,
    unique_by=lambda row: row[0],
)


def borders(bins):
    return np.flatnonzero(np.diff(bins)) + 1


@given(rows, st.integers(2, 12))
def test_as_many_bins_and_no_border_far_from_its_quantile(found, most):
    values, counts = (np.array(column) for column in zip(*sorted(found), strict=True))
    plain, moved = quantile_bins(counts, most), round_bins(values.astype(float), counts, most)
    assert moved[0] == 0
    assert set(np.diff(moved)) <= {0, 1}
    before = np.cumsum(counts) - counts
    reach = counts.sum() / most / 4
    quantiles, round_ones = before[borders(plain)], before[borders(moved)]
    assert len(round_ones) <= len(quantiles)
    for border in round_ones:
        assert np.abs(quantiles - border).min() <= reach + 1e-9
    for quantile in quantiles:
        assert np.abs(round_ones - quantile).min() <= reach + 1e-9


def digits(number):
    return len(f"{number:.12g}".strip("-0").replace(".", "").strip("0"))


@pytest.mark.parametrize("draw", ["lognormal", "normal", "exponential"])
def test_borders_are_round_and_bins_hold_about_as_many(draw):
    rng = np.random.default_rng(3)
    values = np.unique(1_000 * getattr(rng, draw)(size=20_000))
    counts = np.ones(len(values), dtype=int)
    bins = round_bins(values, counts, 64)
    assert bins[-1] == 63
    sizes = np.bincount(bins) / len(values) * 64
    assert sizes.min() >= 0.5 - 0.01
    assert sizes.max() <= 1.5 + 0.01
    plain = quantile_bins(counts, 64)

    def digits_of(bins):
        at = borders(bins)
        return np.mean([digits(round_cut(values[i - 1], values[i])) for i in at])

    assert digits_of(bins) < digits_of(plain) - 1


def test_few_values_of_many_rows_stay_apart():
    counts = np.array([500, 1, 1, 1, 400])
    values = np.array([0.0, 1.1, 1.2, 1.3, 7.7])
    assert len(set(round_bins(values, counts, 4).tolist())) == len(set(quantile_bins(counts, 4)))

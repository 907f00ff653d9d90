"""Intervals of counts: 95 % whatever the count, and never zero alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sparsam.explore._estimate import count_interval
from sparsam.explore._noise import noise_quantile
from sparsam.explore.ledger._costs import Cost, gaussian_cost, laplace_cost
from sparsam.explore.queries._query import around

Z = 1.959963984540054


def _by_ranking(count: float, step: float = 1e-3) -> tuple[float, float]:
    """Rank everything that may be seen by its likelihood ratio; take the first 95 %."""
    seen = np.arange(count - 8.0, count + 8.0, step)
    ratio = norm.logpdf(seen - count) - norm.logpdf(seen - np.maximum(seen, 0.0))
    order = np.argsort(-ratio, kind="stable")
    taken = np.searchsorted(np.cumsum(norm.pdf(seen[order] - count) * step), 0.95) + 1
    return float(seen[order[:taken]].min()), float(seen[order[:taken]].max())


@pytest.mark.parametrize("count", [0.2, 0.5, 1.0, 1.5, 1.9, 2.5, 6.0])
def test_a_count_lies_in_the_interval_of_what_ranks_first_under_it(count: float) -> None:
    low, high = _by_ranking(count)
    assert count_interval(low + 0.01, Z)[1] >= count >= count_interval(high - 0.01, Z)[0]
    assert count_interval(low - 0.01, Z)[1] < count < count_interval(high + 0.01, Z)[0]


def test_a_true_zero_is_missed_in_five_per_cent() -> None:
    seen = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    held = np.mean([count_interval(draw, Z)[0] == 0.0 for draw in seen])
    assert held == pytest.approx(0.95, abs=2e-3)


def _chances(cost: Cost, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """Give every noise that matters, and its exact chance."""
    event = cost.events[0]
    noise = np.arange(-40 * reach - 40, 40 * reach + 41)
    weights = -np.abs(noise) / event.scale
    if event.noise == "gaussian":
        weights = -(noise**2) / (2 * event.scale**2)
    weights = np.exp(weights)
    return noise, weights / weights.sum()


COSTS = {
    **{f"laplace {e}": laplace_cost(e) for e in ("3", "2", "1", "0.7", "0.5", "0.3", "0.1")},
    **{f"gaussian {r}": gaussian_cost(r) for r in ("2", "0.5", "0.2", "0.1", "0.05", "0.01")},
}


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
def test_whole_counts_are_held_in_at_least_95_per_cent(cost: Cost) -> None:
    reach = noise_quantile(cost)
    noise, chances = _chances(cost, reach)
    for count in {0, 1, 2, 3, 5, reach, 2 * reach, 10 * reach + 10}:
        answer = around([str(draw) for draw in noise], (noise + count).tolist(), reach)
        ends = np.array(list(answer["intervals"].values()))
        held = chances[(ends[:, 0] <= count) & (count <= ends[:, 1])].sum()
        assert 0.95 <= held <= max(chances[np.abs(noise) <= reach].sum() + 0.025, 0.97)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e5))
def test_intervals_hold_the_count_that_is_told_and_more(noisy: float, reach: float) -> None:
    low, high = count_interval(noisy, reach)
    assert 0.0 <= low <= max(noisy, 0.0) <= high
    assert high > 0.0
    assert high - low <= 2 * reach * (1 + 1e-9) + 1e-9 * abs(noisy)


@given(st.floats(-50, 50), st.floats(0, 10), st.floats(0.1, 20))
def test_more_seen_moves_both_ends_up(noisy: float, more: float, reach: float) -> None:
    before, after = count_interval(noisy, reach), count_interval(noisy + more, reach)
    assert before[0] <= after[0] + 1e-9
    assert before[1] <= after[1] + 1e-9


def test_without_noise_the_count_is_what_it_is() -> None:
    assert count_interval(7, 0) == (7.0, 7.0)

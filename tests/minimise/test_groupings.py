"""Groups of similar scores: the best of all runs, and no more of them than are of use."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam.minimise._groupings import optimal_groups

SCORES = st.lists(
    st.one_of(st.integers(-3, 3).map(float), st.floats(-100, 100)), min_size=1, max_size=8
)


def _average(scores: np.ndarray, groups: np.ndarray) -> float:
    return float(np.mean([scores[groups == group].var() for group in np.unique(groups)]))


def _best_of_all_runs(scores: np.ndarray, most: int) -> float:
    ascending, n = np.sort(scores), len(scores)
    averages = []
    for n_cuts in range(min(most, n)):
        for cuts in combinations(range(1, n), n_cuts):
            groups = np.searchsorted(np.array(cuts), np.arange(n), side="right")
            averages.append(_average(ascending, groups))
    return min(averages)


@given(SCORES, st.integers(1, 6))
def test_no_other_runs_have_a_smaller_average_variance(numbers: list[float], most: int) -> None:
    scores = np.array(numbers)
    average = _average(scores, optimal_groups(scores, most))
    assert average == pytest.approx(_best_of_all_runs(scores, most), rel=1e-9, abs=1e-8)


@given(SCORES, st.integers(1, 6))
def test_groups_are_runs_numbered_upwards(numbers: list[float], most: int) -> None:
    scores = np.array(numbers)
    groups = optimal_groups(scores, most)
    assert np.unique(groups).tolist() == list(range(groups.max() + 1))
    assert groups.max() < most
    for group in range(groups.max()):
        assert scores[groups == group].max() <= scores[groups == group + 1].min()


@given(SCORES, st.integers(1, 6), st.sampled_from([-4.0, 0.5, 1024.0]))
def test_the_scale_of_the_scores_is_immaterial(
    numbers: list[float], most: int, factor: float
) -> None:
    scores = np.round(np.array(numbers))
    average = _average(scores, optimal_groups(scores, most))
    scaled = _average(scores, optimal_groups(scores * factor, most))
    assert scaled == pytest.approx(average, abs=1e-9)


def test_equal_scores_are_not_told_apart() -> None:
    assert optimal_groups(np.full(7, 0.3), 4).tolist() == [0] * 7
    assert optimal_groups(np.array([2.0, 1.0, 2.0, 1.0]), 4).tolist() == [1, 0, 1, 0]


def test_as_many_groups_as_values() -> None:
    assert optimal_groups(np.array([0.3, 0.1, 0.2]), 9).tolist() == [2, 0, 1]


def test_average_of_variances_is_not_the_sum_of_squares() -> None:
    # Least squares would part 6 from 7: 2 + 2 against 5 + 0. Averages: 5/6 against 5/8.
    assert optimal_groups(np.array([4.0, 5.0, 6.0, 7.0, 9.0]), 2).tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_scores_of_any_size(size: float) -> None:
    assert optimal_groups(np.array([0.0, 5.0, 0.1, 5.2]) * size, 2).tolist() == [0, 1, 0, 1]


def test_many_values() -> None:
    scores = np.random.default_rng(0).permutation(np.repeat([0.0, 4.0, 9.0], 500))
    assert np.array_equal(optimal_groups(scores, 3), np.searchsorted([0.0, 4.0, 9.0], scores))

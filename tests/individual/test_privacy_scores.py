"""Privacy in the choice: what beta does and does not do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparsam._errors import ParameterError
from sparsam.individual import Mask
from sparsam.individual._privacy_scores import (
    graded,
    independence_scores,
    uniqueness_scores,
    votes,
    with_privacy,
)

KEPT = hnp.arrays(bool, (6, 4))
SCORES = hnp.arrays(float, 4, elements=st.floats(0, 1))


@given(kept=KEPT, scores=SCORES, beta=st.floats(0, 1, exclude_max=True))
def test_beta_below_one_changes_nothing(kept: np.ndarray, scores: np.ndarray, beta: float) -> None:
    mask = Mask(kept)
    assert with_privacy(mask, scores, beta) == mask


@given(kept=KEPT, scores=SCORES, beta=st.floats(0, 5))
def test_the_sum_is_the_best_of_all(kept: np.ndarray, scores: np.ndarray, beta: float) -> None:
    mask = with_privacy(Mask(kept), scores, beta)
    assert mask.n_kept == kept.sum()
    total = kept + beta * np.broadcast_to(scores, kept.shape)
    best = np.sort(total.ravel())[::-1][: kept.sum()].sum()
    assert total[mask.kept].sum() == pytest.approx(best)


def test_large_beta_keeps_whole_attributes() -> None:
    kept = np.random.default_rng(0).random((50, 4)) < 0.5
    mask = with_privacy(Mask(kept, algorithm="evolutionary"), [0, 1, 0.2, 0.1], 50.0)
    columns = mask.kept.sum(0)
    assert columns[1] == 50
    assert columns[2] == min(50, kept.sum() - 50)
    assert mask.algorithm == "evolutionary with privacy scores"
    assert mask.facts["beta"] == 50


@given(seed=st.integers(0, 10**6))
def test_graded_moves_towards_privacy_from_the_first_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    utility = rng.random((30, 4))
    mask = Mask(utility > 0.6)
    scores = rng.random(4)
    assert graded(mask, utility, scores, 0.0) == mask
    means = []
    for beta in (0.0, 0.1, 0.3, 1.0, 3.0):
        found = graded(mask, utility, scores, beta)
        assert found.n_kept == mask.n_kept
        means.append(float((found.kept * scores).sum()))
    assert all(a <= b + 1e-9 for a, b in pairwise(means))


def test_graded_acts_below_one() -> None:
    utility = np.random.default_rng(0).random((100, 3))
    mask = Mask(utility > np.quantile(utility, 0.75))
    assert graded(mask, utility, [0, 0.5, 1], 0.2) != mask
    assert with_privacy(mask, [0, 0.5, 1], 0.2) == mask


def test_scores() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(200)
    X = np.column_stack([base, base + 0.01 * rng.random(200), rng.integers(2, size=200)])
    assert uniqueness_scores(X)[2] == 1
    assert uniqueness_scores(X)[:2].max() < 0.01
    assert independence_scores(X)[2] == 1
    assert (uniqueness_scores(X[:, :1]) == 0).all()
    with_constant = np.column_stack([X, np.ones(200)])
    assert independence_scores(with_constant)[3] == 1
    assert np.isfinite(independence_scores(X[:, :1])).all()
    assert votes([[[True, False]], [[True, True]], [[False, False]]]).tolist() == [[2, 1]]


def test_bad_input() -> None:
    mask = Mask([[True, False]])
    with pytest.raises(ParameterError, match="scores"):
        with_privacy(mask, [0, 2], 1.0)
    with pytest.raises(ParameterError, match="scores"):
        with_privacy(mask, [0.5], 1.0)
    with pytest.raises(ParameterError, match="beta"):
        with_privacy(mask, [0, 1], -1.0)


def test_scores_are_of_the_values_that_are_there() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (80, 3)).astype(float)
    X[:, 2] = X[:, 0] + rng.normal(size=80)
    X[rng.random(X.shape) < 0.3] = np.nan
    distinct = [len(set(column[~np.isnan(column)])) for column in X.T]
    low, high = min(distinct), max(distinct)
    expected = [(high - count) / (high - low) for count in distinct]
    assert uniqueness_scores(X) == pytest.approx(expected)
    related = []
    for j in range(3):
        others = []
        for k in range(3):
            both = ~np.isnan(X[:, j]) & ~np.isnan(X[:, k])
            others += [abs(np.corrcoef(X[both, j], X[both, k])[0, 1])] * (j != k)
        related.append(sum(others) / 2)
    scaled = (max(related) - np.array(related)) / (max(related) - min(related))
    assert independence_scores(X) == pytest.approx(scaled)


def test_no_ranking_keeps_what_is_not_there() -> None:
    mask = Mask([[True, False], [False, True]], n_values=3)
    there = np.array([[True, False], [True, True]])
    ranked = with_privacy(mask, [0.0, 1.0], 5.0, there)
    assert ranked.kept.tolist() == [[True, False], [False, True]]
    assert graded(mask, np.ones((2, 2)), [0.0, 1.0], 5.0, there).n_values == 3

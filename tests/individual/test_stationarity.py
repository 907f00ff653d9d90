"""Masks that keep the full model optimal: gradients counted the slow way, and what it brings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.individual import LogisticLearner, NetworkLearner
from sparsam.individual._algorithms import individual_random
from sparsam.individual._arrays import random_bits
from sparsam.individual._first_order import first_order
from sparsam.individual._imputation import impute
from sparsam.individual._stationarity import _Metric, _State, stationarity
from sparsam.individual._training_set import TrainingSet


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 3))
def test_stationarity_counts_gradients_right(
    training_set: Callable[..., TrainingSet], seed: int, classes: int
) -> None:
    small = training_set(30, 4, classes, seed=seed)
    rng = np.random.default_rng(seed)
    kept = random_bits(rng, small.present, 40)
    state = _State(small, _Metric(small, (1.0, 10.0)), kept, None, np.ones(small.shape))
    before = state.gap()
    for _ in range(3):
        state.swaps(rng)
        state.pairs(rng)
    assert state.kept.sum() == 40
    assert state.gap() <= before
    # what is left to win, computed from nothing but the mask
    filled = impute(small.X, state.kept, "gaussian", small.statistics)
    X1 = np.column_stack([filled, np.ones(30)])
    full = np.column_stack([small.X, np.ones(30)])
    gaps, costs = [], []
    for l2 in (1.0, 10.0):
        theta = LogisticLearner(l2).fit_many(small.X[None], small.y, classes)[0]
        r = slow_gradient(theta, X1, small.y, classes, l2)
        H, G = (slow_hessian(theta, rows, small.y, classes, l2) for rows in (full, X1))
        gaps.append(r @ np.linalg.solve(H, r) / 2 / 30)
        moved = np.linalg.solve(G, r)
        costs.append(moved @ H @ moved / 2 / 30)
    assert state.gap() == pytest.approx(np.mean(gaps), rel=1e-2, abs=1e-9)
    kept = state.kept.copy()
    state.settle()
    assert (state.kept == kept).all()
    assert state.gap() == pytest.approx(np.mean(costs), rel=1e-2, abs=1e-9)


def test_stationarity_brings_back_the_full_model(data: TrainingSet) -> None:
    mask = stationarity(data, 0.3, random_state=1)
    chance = individual_random(data, 0.3).kept
    full, few, other = data.fit_many(np.stack([data.full, mask.kept, chance]))
    assert np.abs(few - full).max() < 0.01 < np.abs(other - full).max()
    assert float(mask.facts["gap"]) < 1e-6
    again = stationarity(data, 0.3, start=mask.kept, rounds=10)
    assert float(again.facts["gap"]) <= 2 * float(mask.facts["gap"])


def test_stationarity_for_a_network_uses_a_surrogate(data: TrainingSet) -> None:
    other = TrainingSet(data.X, data.y, data.statistics, NetworkLearner(4, epochs=2))
    few = {"rounds": 10}  # before the metric of an own model is refined
    assert (stationarity(other, 0.2, **few).kept == stationarity(data, 0.2, **few).kept).all()
    for kwargs, word in (
        ({"start": data.full}, "start"),
        ({"strengths": ()}, "strengths"),
        ({"strengths": (-1.0,)}, "strengths"),
        ({"rounds": 0}, "rounds"),
    ):
        with pytest.raises(ParameterError, match=word):
            stationarity(data, 0.2, **kwargs)  # type: ignore[arg-type]
    learned = TrainingSet(data.X, data.y, imputation="learned")
    with pytest.raises(ParameterError, match="learned"):
        stationarity(learned, 0.2)


def slow_gradient(
    theta: np.ndarray, X1: np.ndarray, y: np.ndarray, classes: int, l2: float
) -> np.ndarray:
    weights = theta.reshape(-1, X1.shape[1])
    total = np.zeros_like(weights)
    for x, label in zip(X1, y, strict=True):
        logits = weights @ x
        if classes == 2:
            total[0] += (1 / (1 + np.exp(-logits[0])) - label) * x
        else:
            said = np.exp(logits) / np.exp(logits).sum()
            for k in range(classes):
                total[k] += (said[k] - (k == label)) * x
    total[:, :-1] += l2 * weights[:, :-1]
    total[:, -1] += (0 if classes == 2 else 1e-6) * weights[:, -1]
    return total.ravel()


def slow_hessian(
    theta: np.ndarray, X1: np.ndarray, y: np.ndarray, classes: int, l2: float
) -> np.ndarray:
    found = []
    for step in np.eye(len(theta)) * 1e-5:
        up, down = (slow_gradient(theta + one, X1, y, classes, l2) for one in (step, -step))
        found.append((up - down) / 2e-5)
    return np.array(found)


def test_several_strengths_suit_several_learners(data: TrainingSet) -> None:
    strengths = (0.01, 1.0, 30.0)
    one = stationarity(data, 0.25).kept
    many = stationarity(data, 0.25, strengths=strengths)
    assert many.facts["strengths"] == "0.01, 1, 30"
    filled = [impute(data.X, kept, "gaussian", data.statistics) for kept in (one, many.kept)]
    worst = np.zeros(2)
    for l2 in strengths:
        full, *others = LogisticLearner(l2).fit_many(np.stack([data.X, *filled]), data.y, 2)
        errors = [np.linalg.norm(other - full) / np.linalg.norm(full) for other in others]
        worst = np.maximum(worst, errors)
    assert worst[1] < worst[0]


def test_privacy_inside_the_search(data: TrainingSet) -> None:
    cost = np.array([1.0, 0, 0, 0, 0, 0])
    free = stationarity(data, 0.2, random_state=2)
    careful = stationarity(data, 0.2, privacy=cost, privacy_weight=0.05, random_state=2)
    assert careful.n_kept == free.n_kept
    assert careful.kept[:, 0].sum() < 0.5 * free.kept[:, 0].sum()
    assert float(careful.facts["gap"]) < 0.01
    with pytest.raises(ParameterError, match="privacy"):
        stationarity(data, 0.2, privacy=[1.0], privacy_weight=1)
    with pytest.raises(ParameterError, match="privacy_weight"):
        stationarity(data, 0.2, privacy=cost, privacy_weight=-1)


def test_guided_proposals_find_the_few_values_that_tell() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    X = (rng.random((300, 40)) < np.where(y[:, None] == np.arange(40) % 2, 0.12, 0.04)) * 1.0
    data = TrainingSet(X, y, imputation="zero")
    mask = stationarity(data, 0.05)
    assert (mask.kept == stationarity(data, 0.05, guided=True).kept).all()
    plain = stationarity(data, 0.05, guided=False)
    assert X[mask.kept].mean() > X[plain.kept].mean()
    assert float(mask.facts["gap"]) < float(plain.facts["gap"])


def test_wide_tables_are_matched_on_their_main_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    topics = rng.random((3, 60)) ** 6
    y = rng.integers(3, size=200)
    X = (rng.random((200, 60)) < topics[y]).astype(float)
    data = TrainingSet(X, y, imputation="zero")
    monkeypatch.setattr("sparsam.individual._stationarity._WIDE", 60)
    metric = _Metric(data, (1.0,))
    assert metric.basis is not None
    assert metric.basis.shape == (60, 19)
    mask = stationarity(data, 0.1, random_state=0)
    assert mask.n_kept == 1200
    full, found, chance = data.losses(
        np.stack([data.full, mask.kept, individual_random(data, 0.1).kept])
    )
    assert abs(found - full) < 0.5 * abs(chance - full)
    monkeypatch.setattr("sparsam.individual._first_order.MOST_PARAMETERS", 60)
    with pytest.raises(ParameterError, match="Hessian"):
        first_order(data, 0.1)

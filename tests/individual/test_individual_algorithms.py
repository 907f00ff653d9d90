"""The baselines and the algorithms: exact counts, same seed same mask, and that they help."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.individual import (
    ALGORITHMS,
    LogisticLearner,
    NetworkLearner,
    PublicStatistics,
    TrainingSet,
    evolutionary,
    feature_selection,
    first_order,
    impute,
    individual_random,
    influences,
    modelling,
    random_rows,
    stationarity,
)
from sparsam.individual._baselines import association, random_bits
from sparsam.individual._checks import kept_count
from sparsam.individual._evolutionary import breed, mutate
from sparsam.individual._first_order import _Line
from sparsam.individual._stationarity import _Metric, _State

QUICK = {
    **ALGORITHMS,
    "stationarity": partial(stationarity, rounds=6),
    "evolutionary": partial(evolutionary, population=3, generations=2),
    "modelling": partial(modelling, n_masks=5),
    "first order": partial(first_order, rounds=4),
}


def people(n: int = 400, wide: int = 6, classes: int = 2, seed: int = 0) -> TrainingSet:
    rng = np.random.default_rng(seed)
    base = rng.random((2 * n, wide))
    X = (base + base[:, ::-1] * 0.5) / 1.5
    scores = (X - 0.5) @ rng.normal(size=(wide, classes)) * 8 + rng.gumbel(size=(2 * n, classes))
    return TrainingSet(X[:n], scores.argmax(1)[:n], PublicStatistics.of(X[n:]))


@pytest.fixture(scope="module")
def data() -> TrainingSet:
    return people()


@pytest.mark.parametrize("name", list(QUICK))
@pytest.mark.parametrize("classes", [2, 3])
def test_counts_are_exact_and_seeds_repeat(name: str, classes: int) -> None:
    small = people(40, 5, classes)
    for keep in (0.001, 0.13, 0.5, 0.93, 1.0):
        first = QUICK[name](small, keep, random_state=5)
        assert first.n_kept == kept_count(keep, small.shape) == max(1, round(keep * 200))
        assert first == QUICK[name](small, keep, random_state=5)
        assert first.random_state == 5
        assert first.learner == "logistic regression (l2=1)"
    if name != "feature selection":
        assert first.n_kept == 200
        assert QUICK[name](small, 0.3, random_state=1) != QUICK[name](small, 0.3, random_state=2)


@pytest.mark.parametrize("name", list(QUICK))
def test_bad_shares_and_seeds(name: str) -> None:
    small = people(20, 3)
    for keep in (0, -0.1, 1.1, "all", True):
        with pytest.raises(ParameterError, match="'keep'"):
            QUICK[name](small, keep)
    for seed in (-1, None, 0.5):
        with pytest.raises(ParameterError, match="'random_state'"):
            QUICK[name](small, 0.3, random_state=seed)


def test_baselines_have_their_shapes(data: TrainingSet) -> None:
    columns = feature_selection(data, 2.5 / 6).kept.sum(0)
    assert sorted(columns) == [0, 0, 0, 200, 400, 400]
    strength = association(data.X, data.y)
    assert strength[columns == 400].min() >= strength[columns < 400].max()
    rows = random_rows(data, 0.25).kept.sum(1)
    assert sorted(np.unique(rows)) == [0, 6]
    assert (rows == 6).mean() == 0.25
    single = individual_random(data, 0.25).kept
    assert abs(single.mean(0) - 0.25).max() < 0.1


def test_association_is_the_correlation() -> None:
    data = people(100, 4)
    library = [abs(np.corrcoef(column, data.y)[0, 1]) for column in data.X.T]
    np.testing.assert_allclose(association(data.X, data.y), library)
    constant = np.column_stack([data.X, np.ones(100)])
    assert association(constant, data.y)[-1] == 0


@given(seed=st.integers(0, 10**6), count=st.integers(1, 23), flips=st.integers(0, 12))
def test_breeding_and_mutation_keep_the_count(seed: int, count: int, flips: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = (random_bits(rng, (4, 6), count) for _ in range(2))
    child = breed(rng, one, other)
    assert child.sum() == count
    assert (child[one == other] == one[one == other]).all()
    changed = mutate(rng, child, flips)
    assert changed.sum() == count
    many = min(flips, count, 24 - count)
    assert (changed & ~child).sum() == (child & ~changed).sum() == many


def test_evolution_never_gets_worse(data: TrainingSet) -> None:
    losses = [
        evolutionary(data, 0.1, population=5, generations=g, random_state=3).facts["loss"]
        for g in (1, 3, 6)
    ]
    assert losses[0] >= losses[1] >= losses[2]  # type: ignore[operator]
    start = individual_random(data, 0.1)
    assert losses[2] < data.losses(start.kept[None])[0]


def test_influences_equal_the_means_of_the_equations(data: TrainingSet) -> None:
    small = people(15, 3)
    found = influences(small, 0.5, n_masks=20, random_state=4)
    rng = np.random.default_rng(4)
    masks, losses = [], []
    while len(masks) < 20:  # the same draws, in the same groups
        some = [random_bits(rng, (15, 3), 22) for _ in range(min(16, 20 - len(masks)))]
        masks += some
        losses += small.losses(np.stack(some)).tolist()
    for i in range(15):
        for j in range(3):
            with_it = [loss for mask, loss in zip(masks, losses, strict=True) if mask[i, j]]
            without = [loss for mask, loss in zip(masks, losses, strict=True) if not mask[i, j]]
            expected = np.mean(without) - np.mean(with_it) if with_it and without else 0
            assert found[i, j] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("classes", [2, 3])
def test_first_order_slopes_by_differences(classes: int) -> None:
    data = people(30, 3, classes)
    other = people(40, 3, classes, seed=9)
    line = _Line(data, (other.X, other.y), damping=0.0)
    found = line.slopes(data.X)
    learner = LogisticLearner(tolerance=1e-12)

    def loss(X: np.ndarray) -> float:
        theta = learner.fit_many(X[None], data.y, classes)
        said = learner.probabilities(theta, other.X, classes)[0]
        return float(-np.log(said[np.arange(40), other.y]).mean())

    for i, j in ((0, 0), (7, 2), (29, 1), (13, 0)):
        step = np.zeros_like(data.X)
        step[i, j] = 1e-4
        slope = (loss(data.X + step) - loss(data.X - step)) / 2e-4
        assert found[i, j] == pytest.approx(slope, rel=1e-3, abs=1e-9)


def test_first_order_variants(data: TrainingSet) -> None:
    other = people(seed=8)
    for rule in ("signed", "absolute"):
        mask = first_order(data, 0.2, held_out=(other.X, other.y), rule=rule)  # type: ignore[arg-type]
        assert mask.facts["gradient"] == "held-out"
        assert mask.facts["rule"] == rule
    moving = first_order(data, 0.1, rounds=40)
    start = random_bits(np.random.default_rng(0), data.shape, 240)
    assert data.losses(moving.kept[None])[0] < data.losses(start[None])[0] - 0.01
    with pytest.raises(ParameterError, match="held_out"):
        first_order(data, 0.2, relinearised=False)
    with pytest.raises(ParameterError, match="rule"):
        first_order(data, 0.2, rule="best")  # type: ignore[arg-type]


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 3))
def test_stationarity_counts_gradients_right(seed: int, classes: int) -> None:
    small = people(30, 4, classes, seed=seed)
    rng = np.random.default_rng(seed)
    kept = random_bits(rng, small.shape, 40)
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


def test_stationarity_brings_back_the_full_model(data: TrainingSet) -> None:
    mask = stationarity(data, 0.3, random_state=1)
    chance = individual_random(data, 0.3).kept
    full, few, other = data.fit_many(np.stack([data.full, mask.kept, chance]))
    assert np.abs(few - full).max() < 0.01 < np.abs(other - full).max()
    assert float(mask.facts["gap"]) < 1e-6
    again = stationarity(data, 0.3, start=mask.kept, rounds=10)
    assert float(again.facts["gap"]) <= 2 * float(mask.facts["gap"])


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
    found = stationarity(data, 0.05)
    assert (found.kept == stationarity(data, 0.05, guided=True).kept).all()
    plain = stationarity(data, 0.05, guided=False)
    assert X[found.kept].mean() > X[plain.kept].mean()
    assert float(found.facts["gap"]) < float(plain.facts["gap"])


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

"""Batched learners against scikit-learn, finite differences and themselves one by one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sparsam._errors import DataError, ParameterError
from sparsam.individual import LogisticLearner, NetworkLearner
from sparsam.individual._training_set import TrainingSet


def people(seed: int, n: int, wide: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, wide))
    scores = (X - 0.5) @ rng.normal(size=(wide, classes)) * 4 + rng.gumbel(size=(n, classes))
    return X, scores.argmax(1)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("l2", [1.0, 0.01])
def test_newton_equals_the_library(classes: int, l2: float) -> None:
    X, y = people(0, 150, 5, classes)
    learner = LogisticLearner(l2)
    stack = np.stack([X, X**2, 1 - X])
    parameters = learner.fit_many(stack, y, classes)
    for one, rows in zip(parameters, stack, strict=True):
        library = LogisticRegression(C=1 / l2, tol=1e-10, max_iter=10000).fit(rows, y)
        likely = learner.probabilities(one[None], rows, classes)[0]
        np.testing.assert_allclose(likely, library.predict_proba(rows), atol=2e-4)


def test_many_parameters_are_trained_without_a_hessian(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = people(0, 120, 5, 3)
    learner = LogisticLearner()
    stack = np.stack([X, X**2])
    newton = learner.probabilities(learner.fit_many(stack, y, 3), X, 3)
    monkeypatch.setattr("sparsam.individual._learners.MOST_PARAMETERS", 5)
    other = learner.probabilities(learner.fit_many(stack, y, 3), X, 3)
    np.testing.assert_allclose(newton, other, atol=1e-3)
    assert (newton != other).any()


def test_newton_survives_separable_rows() -> None:
    X = np.linspace(0, 1, 40)[:, None]
    y = (X[:, 0] > 0.5).astype(int)
    learner = LogisticLearner(1e-6)
    parameters = learner.fit_many(X[None], y, 2)
    assert np.isfinite(parameters).all()
    assert (learner.probabilities(parameters, X, 2)[0].argmax(1) == y).all()


@pytest.mark.parametrize("learner", [LogisticLearner(), NetworkLearner(hidden=6, epochs=20)])
def test_a_stack_equals_one_by_one(learner: LogisticLearner | NetworkLearner) -> None:
    X, y = people(1, 80, 4, 3)
    stack = np.stack([X * scale for scale in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)])
    together = learner.fit_many(stack, y, 3)
    alone = np.concatenate([learner.fit_many(rows[None], y, 3) for rows in stack])
    np.testing.assert_allclose(together, alone, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(together, learner.fit_many(stack, y, 3))
    likely = learner.probabilities(together, X, 3)
    np.testing.assert_allclose(likely.sum(2), 1)


def test_network_gradient_by_differences() -> None:
    X, y = people(2, 20, 3, 3)
    learner = NetworkLearner(hidden=4, l2=0.01)
    theta = learner._start(3, 3)[None] + 0.01
    target = np.eye(3)[y]
    stack = X[None]
    found = learner._gradient(stack, stack.transpose(0, 2, 1), target, theta)[0]

    def loss(theta: np.ndarray) -> float:
        likely = learner.probabilities(theta, X, 3)[0]
        w1, _, w2, _ = learner._split(theta, 3, 3)
        penalty = 0.01 / 2 * float((w1**2).sum() + (w2**2).sum())
        return float(-np.log(likely[np.arange(20), y]).mean()) + penalty

    for place in range(theta.shape[1]):
        step = np.zeros_like(theta)
        step[0, place] = 1e-6
        slope = (loss(theta + step) - loss(theta - step)) / 2e-6
        assert found[place] == pytest.approx(slope, abs=1e-6)


def test_network_learns_what_no_line_can() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((300, 2))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)).astype(int)
    learner = NetworkLearner(hidden=16, epochs=300)
    likely = learner.probabilities(learner.fit_many(X[None], y, 2), X, 2)[0]
    assert (likely.argmax(1) == y).mean() > 0.95


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="l2"):
        LogisticLearner(0)
    with pytest.raises(ParameterError, match="hidden"):
        NetworkLearner(0)
    with pytest.raises(ParameterError, match="rate"):
        NetworkLearner(rate=0)
    with pytest.raises(DataError, match="two classes"):
        TrainingSet([[0.0], [1.0]], [0, 0])
    with pytest.raises(DataError, match="class codes"):
        TrainingSet([[0.0], [1.0]], [0.5, 1])
    with pytest.raises(DataError, match="one label per row"):
        TrainingSet([[0.0], [1.0]], [0])
    with pytest.raises(DataError, match="matrix"):
        TrainingSet([0.0, 1.0], [0, 1])

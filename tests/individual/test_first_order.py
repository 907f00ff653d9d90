"""Values chosen to first order: slopes by differences, rules, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.individual import LogisticLearner
from sparsam.individual._arrays import random_bits
from sparsam.individual._first_order import _Line, first_order
from sparsam.individual._training_set import TrainingSet


@pytest.mark.parametrize("classes", [2, 3])
def test_first_order_slopes_by_differences(
    training_set: Callable[..., TrainingSet], classes: int
) -> None:
    data = training_set(30, 3, classes)
    other = training_set(40, 3, classes, seed=9)
    line = _Line(data, (other.X, other.y), damping=0.0)
    slopes = line.slopes(data.X)
    learner = LogisticLearner(tolerance=1e-12)

    def loss(X: np.ndarray) -> float:
        theta = learner.fit_many(X[None], data.y, classes)
        likely = learner.probabilities(theta, other.X, classes)[0]
        return float(-np.log(likely[np.arange(40), other.y]).mean())

    for i, j in ((0, 0), (7, 2), (29, 1), (13, 0)):
        step = np.zeros_like(data.X)
        step[i, j] = 1e-4
        slope = (loss(data.X + step) - loss(data.X - step)) / 2e-4
        assert slopes[i, j] == pytest.approx(slope, rel=1e-3, abs=1e-9)


def test_first_order_variants(training_set: Callable[..., TrainingSet], data: TrainingSet) -> None:
    other = training_set(seed=8)
    for rule in ("signed", "absolute"):
        mask = first_order(data, 0.2, held_out=(other.X, other.y), rule=rule)  # type: ignore[arg-type]
        assert mask.facts["gradient"] == "held-out"
        assert mask.facts["rule"] == rule
    moving = first_order(data, 0.1, rounds=40)
    start = random_bits(np.random.default_rng(0), data.present, 240)
    assert data.losses(moving.kept[None])[0] < data.losses(start[None])[0] - 0.01
    with pytest.raises(ParameterError, match="held_out"):
        first_order(data, 0.2, relinearised=False)
    with pytest.raises(ParameterError, match="rule"):
        first_order(data, 0.2, rule="best")  # type: ignore[arg-type]

"""People to find masks for, and the masks' ingredients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sparsam.individual._imputation import PublicStatistics
from sparsam.individual._training_set import TrainingSet

MakeTrainingSet = Callable[..., TrainingSet]


def _training_set(n: int = 400, wide: int = 6, classes: int = 2, seed: int = 0) -> TrainingSet:
    rng = np.random.default_rng(seed)
    base = rng.random((2 * n, wide))
    X = (base + base[:, ::-1] * 0.5) / 1.5
    scores = (X - 0.5) @ rng.normal(size=(wide, classes)) * 8 + rng.gumbel(size=(2 * n, classes))
    return TrainingSet(X[:n], scores.argmax(1)[:n], PublicStatistics.of(X[n:]))


@pytest.fixture(scope="session")
def training_set() -> MakeTrainingSet:
    """Make people whose attributes go together in pairs; the target follows all of them."""
    return _training_set


@pytest.fixture(scope="session")
def data() -> TrainingSet:
    return _training_set()

"""The people whose values are to go: measured on complete rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sparsam.individual._training_set import TrainingSet


def people(seed: int, n: int, wide: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, wide))
    scores = (X - 0.5) @ rng.normal(size=(wide, classes)) * 4 + rng.gumbel(size=(n, classes))
    return X, scores.argmax(1)


def test_training_set_measures_on_the_complete_rows() -> None:
    X, y = people(3, 120, 4, 2)
    data = TrainingSet(X, y, imputation="mean")
    kept = np.random.default_rng(0).random((2, 120, 4)) < 0.5
    losses = data.losses(kept)
    for one, loss in zip(kept, losses, strict=True):
        filled = np.where(one, X, data.statistics.mean)
        library = LogisticRegression(tol=1e-10, max_iter=10000).fit(filled, y)
        said = library.predict_proba(X)[np.arange(120), y]
        assert loss == pytest.approx(-np.log(said).mean(), abs=1e-5)
    right = LogisticRegression().fit(X, y).score(X, y)
    assert data.accuracies(data.full[None])[0] == pytest.approx(right, abs=0.01)

"""The people whose values are to go: measured on complete rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sparsam._errors import DataError
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


def test_what_is_not_there_is_filled_as_what_is_not_kept() -> None:
    X, y = people(4, 60, 3, 2)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    data = TrainingSet(X, y)
    there = ~np.isnan(X)
    law = data.statistics
    assert law.mean == pytest.approx(np.nanmean(X, axis=0))
    for i in range(60):
        here = there[i]
        inside = law.covariance[np.ix_(here, here)]
        gap = np.linalg.solve(inside, (X[i] - law.mean)[here]) if here.any() else []
        guess = law.mean + law.covariance[:, here] @ gap
        assert data.X[i] == pytest.approx(np.where(here, X[i], guess), abs=1e-6)
    assert data.full.tolist() == there.tolist()
    assert data.n_values == there.sum()
    kept = there & (np.random.default_rng(2).random(X.shape) < 0.5)
    complete = TrainingSet(np.where(there, X, 9.0), y, law)
    assert data.imputed(kept).tolist() == complete.imputed(kept).tolist()
    assert data.imputed(data.full) == pytest.approx(data.X)


def test_a_matrix_without_holes_is_taken_as_it_is() -> None:
    X, y = people(5, 40, 3, 2)
    assert TrainingSet(X, y).X.tolist() == X.tolist()
    with pytest.raises(DataError, match="hold a value"):
        TrainingSet(np.full((4, 2), np.nan), [0, 1, 0, 1])
    with pytest.raises(DataError, match="finite"):
        TrainingSet([[np.inf], [0.0]], [0, 1])

"""Imputation against the obvious row loop with exact solves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.individual._imputation import PublicStatistics, impute


def row_loop(X: np.ndarray, kept: np.ndarray, public: PublicStatistics) -> np.ndarray:
    found = X.copy()
    for i, here in enumerate(kept):
        gone = ~here
        if here.any():
            known = public.covariance[np.ix_(here, here)]
            across = public.covariance[np.ix_(gone, here)]
            deviation = np.linalg.solve(known, X[i, here] - public.mean[here])
            found[i, gone] = public.mean[gone] + across @ deviation
        else:
            found[i] = public.mean
    return found


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 1), wide=st.integers(1, 12))
def test_gaussian_equals_the_row_loop(seed: int, share: float, wide: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.random((60, wide)) @ rng.random((wide, wide))
    public = PublicStatistics.of(rows[:40], ridge=1e-3)
    kept = rng.random((20, wide)) < share
    hidden = np.where(kept, rows[40:], np.nan)
    filled = impute(hidden, kept, "gaussian", public)
    np.testing.assert_allclose(filled, row_loop(rows[40:], kept, public), atol=1e-6)


def test_gaussian_with_constant_and_doubled_attributes() -> None:
    rng = np.random.default_rng(3)
    rows = rng.random((200, 6))
    rows[:, 1], rows[:, 4] = 0.0, rows[:, 3]
    public = PublicStatistics.of(rows)
    for share in (0.1, 0.5, 0.9):
        kept = rng.random(rows.shape) < share
        filled = impute(rows, kept, "gaussian", public)
        assert np.isfinite(filled).all()
        np.testing.assert_allclose(filled, row_loop(rows, kept, public), atol=1e-3)


def test_kept_values_stay_and_nothing_else_is_looked_at() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((30, 4))
    kept = rng.random(rows.shape) < 0.5
    public = PublicStatistics.of(rows)
    hidden = np.where(kept, rows, np.nan)
    for how in ("gaussian", "mean", "zero", "learned"):
        filled = impute(hidden, kept, how, public)  # type: ignore[arg-type]
        np.testing.assert_array_equal(filled[kept], rows[kept])
        assert np.isfinite(filled).all()
    assert (impute(rows, kept, "zero")[~kept] == 0).all()
    by_mean = impute(rows, kept, "mean", public)
    np.testing.assert_array_equal(by_mean[~kept], np.broadcast_to(public.mean, (30, 4))[~kept])


def test_statistics_equal_numpys() -> None:
    rows = np.random.default_rng(0).random((50, 3))
    public = PublicStatistics.of(rows, ridge=0.5)
    np.testing.assert_allclose(public.mean, rows.mean(0))
    np.testing.assert_allclose(public.covariance, np.cov(rows.T, bias=True) + 0.5 * np.eye(3))


def test_learned_statistics_approach_the_true_ones() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(20000, 3)) @ np.array([[1, 0.8, 0], [0, 0.5, 0], [0, 0, 1]])
    kept = rng.random(rows.shape) < 0.5
    found = PublicStatistics.of_minimised(np.where(kept, rows, np.nan), kept)
    np.testing.assert_allclose(found.mean, rows.mean(0), atol=0.03)
    np.testing.assert_allclose(found.covariance, np.cov(rows.T), atol=0.04)
    assert (np.linalg.eigvalsh(found.covariance) > 0).all()
    # with one value per person no pair was ever seen, so nothing is known of the covariances
    single = np.eye(3, dtype=bool)[rng.integers(3, size=len(rows))]
    alone = PublicStatistics.of_minimised(rows, single).covariance
    np.testing.assert_allclose(alone - np.diag(np.diag(alone)), 0, atol=1e-12)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="needs 'statistics'"):
        impute([[1.0]], [[True]], "gaussian")
    with pytest.raises(ParameterError, match="must be one of"):
        impute([[1.0]], [[True]], "magic")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="finite"):
        impute([[np.nan]], [[True]], "zero")
    with pytest.raises(DataError, match="finite"):
        PublicStatistics.of([[np.inf]])

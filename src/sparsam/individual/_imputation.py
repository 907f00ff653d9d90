"""Fill what a mask took away, from statistics of the public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sparsam._checks import check_choice
from sparsam._errors import DataError, ParameterError
from sparsam.individual._arrays import Bits, Matrix, bits, matrix

Imputation = Literal["gaussian", "mean", "zero", "learned"]
RIDGE = 1e-6
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, repr=False)
class PublicStatistics:
    """Mean and covariance that anyone may know, learned from public rows.

    Parameters
    ----------
    mean : ndarray of shape (n_attributes,)
    covariance : ndarray of shape (n_attributes, n_attributes)
        Positive definite.

    Examples
    --------
    >>> PublicStatistics.of([[0.0, 1.0], [1.0, 0.0]]).mean
    array([0.5, 0.5])
    """

    mean: Matrix
    covariance: Matrix

    @classmethod
    def of(cls, X: ArrayLike, ridge: float = RIDGE) -> PublicStatistics:
        """Learn the statistics from public rows; `ridge` is added to each variance.

        Where values are not there (NaN), those that are do: see `of_minimised`.
        """
        rows = matrix(X, "public rows", holes=True)
        present = ~np.isnan(rows)
        if not present.all():
            return cls.of_minimised(rows, present, ridge)
        centred = rows - rows.mean(0)
        covariance = centred.T @ centred / len(rows) + ridge * np.eye(rows.shape[1])
        return cls(rows.mean(0), covariance)

    @classmethod
    def of_minimised(cls, X: ArrayLike, kept: ArrayLike, ridge: float = RIDGE) -> PublicStatistics:
        """Learn the statistics from the kept values alone, when there are no public rows.

        Means and covariances come from the people that kept the value, or both values. A
        covariance of few people is shrunk towards zero, and the matrix is made positive definite.
        """
        here = bits(kept)
        values = np.where(here, np.asarray(X, np.float64), 0.0)
        share = here.astype(np.float64)
        mean = values.sum(0) / np.maximum(share.sum(0), 1)
        centred = np.where(here, values - mean, 0.0)
        pairs = share.T @ share
        # a correlation of m pairs has an error of about 1 / sqrt(m)
        covariance = centred.T @ centred / np.maximum(pairs, 1)
        variance = np.diag(covariance).copy()
        covariance *= pairs / (pairs + here.shape[1])
        np.fill_diagonal(covariance, variance)
        level, axes = np.linalg.eigh(covariance)
        covariance = (axes * np.maximum(level, 0.0)) @ axes.T
        return cls(mean, covariance + ridge * np.eye(len(mean)))


def impute(
    X: ArrayLike,
    kept: ArrayLike,
    how: Imputation = "gaussian",
    statistics: PublicStatistics | None = None,
    *,
    tolerance: float = 1e-9,
) -> Matrix:
    """Fill the values that were not kept; what was kept stays as it is.

    Parameters
    ----------
    X : matrix of shape (n_people, n_attributes)
        Values that are not kept are never looked at: they may be NaN.
    kept : matrix of bool
    how : {"gaussian", "mean", "zero", "learned"}, default="gaussian"
        The mean of a Gaussian given each person's kept values (section 4.1), the mean of the
        attribute, zero, or the Gaussian with statistics learned from the kept values themselves.
    statistics : PublicStatistics
        Needed for "gaussian" and "mean".
    tolerance : float, default=1e-9
        At which relative residual the conjugate gradients of a row end.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> public = PublicStatistics(np.zeros(2), np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> impute([[1.0, np.nan]], [[True, False]], "gaussian", public)
    array([[1. , 0.5]])
    """
    here = bits(kept)
    rows = np.where(here, np.asarray(X, np.float64), 0.0)
    if not np.isfinite(rows).all():
        raise DataError("Kept values must be finite numbers.")
    check_choice("impute", "how", how, get_args(Imputation))
    if how == "zero":
        return rows
    if how == "learned":
        statistics = PublicStatistics.of_minimised(rows, here)
    if statistics is None:
        raise ParameterError(f"The imputation '{how}' needs 'statistics' of public rows.")
    if how == "mean":
        return np.where(here, rows, statistics.mean)
    return gaussian(rows, here, statistics, tolerance)


def gaussian(
    rows: Matrix, here: Bits, statistics: PublicStatistics, tolerance: float = 1e-9
) -> Matrix:
    """Conditional means of all rows at once, by conjugate gradients.

    Each row solves its own system, covariance of the kept values times z = deviation of the kept
    values. One iteration for all rows is one matrix product, since the matrix is the same up to
    the zeros that the mask puts into the vectors.
    """
    scale = np.sqrt(np.diag(statistics.covariance))
    correlation = statistics.covariance / np.outer(scale, scale)
    if here.mean() > 0.5:
        # with little missing, the system of what is missing is the smaller one
        precision = np.linalg.inv(correlation)
        spread = np.sqrt(np.diag(precision))
        known = np.where(here, (rows - statistics.mean) / scale, 0.0)
        goal = np.where(here, 0.0, -(known @ precision) / spread)
        solution = _solve(precision / np.outer(spread, spread), ~here, goal, tolerance)
        deviation = solution / spread
    else:
        goal = np.where(here, (rows - statistics.mean) / scale, 0.0)
        deviation = _solve(correlation, here, goal, tolerance) @ correlation
    return np.where(here, rows, statistics.mean + deviation * scale)


def _solve(system: Matrix, here: Bits, goals: Matrix, tolerance: float) -> Matrix:
    """Solve one masked system per row; rows that are done leave the work."""
    solutions = np.zeros_like(goals)
    power = np.einsum("ij,ij->i", goals, goals)
    goal = tolerance**2 * power
    rows = np.flatnonzero(power > 0)
    if not len(rows):
        return solutions
    open_, left, step = here[rows].astype(np.float64), goals[rows], goals[rows]
    answer, power, goal = np.zeros_like(left), power[rows], goal[rows]
    for _ in range(10 * system.shape[0]):
        moved = step @ system
        moved *= open_
        length = power / np.maximum(np.einsum("ij,ij->i", step, moved), _TINY)
        answer += length[:, None] * step
        left = left - length[:, None] * moved
        after = np.einsum("ij,ij->i", left, left)
        going = after > goal
        if going.sum() < 0.7 * len(rows):
            solutions[rows[~going]] = answer[~going]
            rows, open_, left, step = rows[going], open_[going], left[going], step[going]
            answer, power, after, goal = answer[going], power[going], after[going], goal[going]
            if not len(rows):
                return solutions
        elif not going.any():
            break
        step = left + (after / np.maximum(power, _TINY))[:, None] * step
        power = after
    solutions[rows] = answer
    return solutions

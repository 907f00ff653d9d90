"""Matrices, labels and masks as arrays: checked, counted, drawn and ranked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_share, check_whole
from sparsam._errors import DataError

Matrix = NDArray[np.float64]
Bits = NDArray[np.bool_]
Labels = NDArray[np.intp]


def matrix(X: ArrayLike, name: str = "X", *, holes: bool = False) -> Matrix:
    """Return a matrix of numbers, without holes unless NaN may say that a value is not there.

    Examples
    --------
    >>> matrix([[1, 2]])
    array([[1., 2.]])
    """
    rows = np.asarray(X, np.float64)
    if rows.ndim != 2 or not rows.size:
        raise DataError(
            f"'{name}' must be a matrix with one row per person. Got shape {rows.shape} instead."
        )
    if not (np.isfinite(rows) | (holes & np.isnan(rows))).all():
        raise DataError(f"'{name}' must hold finite numbers only: encode and complete it first.")
    return rows


def labels(y: ArrayLike, n_rows: int, name: str = "y") -> Labels:
    """Return the class codes 0 ... c-1 of all rows, or an error.

    Examples
    --------
    >>> labels([1.0, 0.0], 2)
    array([1, 0])
    """
    truth = np.asarray(y)
    if truth.shape != (n_rows,):
        raise DataError(
            f"'{name}' must have one label per row ({n_rows}). Got shape {truth.shape} instead."
        )
    codes = truth.astype(np.intp, copy=False)
    if not np.array_equal(codes, truth) or (codes < 0).any():
        raise DataError(f"'{name}' must hold the class codes 0, 1, 2, ... as whole numbers.")
    return codes


def bits(kept: ArrayLike, shape: tuple[int, ...] | None = None) -> Bits:
    """Return a boolean matrix, of a given shape where one is asked for.

    Examples
    --------
    >>> bits([[True, False]])
    array([[ True, False]])
    """
    mask = np.asarray(kept)
    if mask.dtype != bool or mask.ndim != 2 or not mask.size:
        raise DataError(
            "A mask must be a boolean matrix, one row per person. "
            f"Got {mask.dtype} of shape {mask.shape} instead."
        )
    if shape is not None and mask.shape != shape:
        raise DataError(f"The mask must have shape {shape}. Got {mask.shape} instead.")
    return mask


def kept_count(keep: float, n_values: int) -> int:
    """How many of the values that there are a share means: the nearest number, and at least one.

    Examples
    --------
    >>> kept_count(1 / 16, 1600)
    100
    """
    check_share("a mask", "keep", keep, above=True)
    return max(1, round(keep * n_values))


def generator(random_state: int) -> np.random.Generator:
    """Random numbers from a seed that a mask can state.

    Examples
    --------
    >>> int(generator(3).integers(10))
    8
    """
    check_whole("a mask", "random_state", random_state, 0)
    return np.random.default_rng(int(random_state))


def random_bits(rng: np.random.Generator, present: Bits, count: int) -> Bits:
    """Set exactly `count` random bits, where a value is there.

    Examples
    --------
    >>> int(random_bits(np.random.default_rng(0), np.ones((3, 4), bool), 5).sum())
    5
    """
    kept = np.zeros(present.size, bool)
    kept[rng.choice(np.flatnonzero(present), count, replace=False)] = True
    return kept.reshape(present.shape)


def top(score: Matrix, count: int) -> Bits:
    """Keep exactly `count` values with the highest score; of equals, those that come first.

    Examples
    --------
    >>> top(np.array([[1.0, 3.0], [2.0, 0.0]]), 2)
    array([[False,  True],
           [ True, False]])
    """
    kept = np.zeros(score.size, bool)
    kept[np.argsort(-score.ravel(), kind="stable")[:count]] = True
    return kept.reshape(score.shape)

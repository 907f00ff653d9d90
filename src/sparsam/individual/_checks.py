"""What every part of this folder asks of a matrix, of labels and of a kept share."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError, ParameterError

Matrix = NDArray[np.float64]
Bits = NDArray[np.bool_]
Labels = NDArray[np.intp]


def matrix(X: ArrayLike, name: str = "X") -> Matrix:
    """Return a matrix of numbers without holes, or an error.

    Examples
    --------
    >>> matrix([[1, 2]])
    array([[1., 2.]])
    """
    found = np.asarray(X, np.float64)
    if found.ndim != 2 or not found.size:
        raise DataError(
            f"'{name}' must be a matrix with one row per person. Got shape {found.shape} instead."
        )
    if not np.isfinite(found).all():
        raise DataError(f"'{name}' must hold finite numbers only: encode and complete it first.")
    return found


def labels(y: ArrayLike, n_rows: int, name: str = "y") -> Labels:
    """Return the class codes 0 ... c-1 of all rows, or an error.

    Examples
    --------
    >>> labels([1.0, 0.0], 2)
    array([1, 0])
    """
    found = np.asarray(y)
    if found.shape != (n_rows,):
        raise DataError(
            f"'{name}' must have one label per row ({n_rows}). Got shape {found.shape} instead."
        )
    codes = found.astype(np.intp, copy=False)
    if not np.array_equal(codes, found) or (codes < 0).any():
        raise DataError(f"'{name}' must hold the class codes 0, 1, 2, ... as whole numbers.")
    return codes


def bits(kept: ArrayLike, shape: tuple[int, ...] | None = None) -> Bits:
    """Return a boolean matrix, of a given shape where one is asked for.

    Examples
    --------
    >>> bits([[True, False]])
    array([[ True, False]])
    """
    found = np.asarray(kept)
    if found.dtype != bool or found.ndim != 2 or not found.size:
        raise DataError(
            "A mask must be a boolean matrix, one row per person. "
            f"Got {found.dtype} of shape {found.shape} instead."
        )
    if shape is not None and found.shape != shape:
        raise DataError(f"The mask must have shape {shape}. Got {found.shape} instead.")
    return found


def seed(random_state: Any) -> int:
    """Return the seed as a whole number that a mask can state.

    Examples
    --------
    >>> seed(3)
    3
    """
    whole = isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool)
    if not whole or random_state < 0:
        raise ParameterError(
            "The 'random_state' parameter must be an int >= 0, so that the mask can state it. "
            f"Got {random_state!r} instead."
        )
    return int(random_state)


def share(value: Any, name: str, *, zero: bool = False) -> float:
    """Check a share of the whole.

    Examples
    --------
    >>> share(0.25, "keep")
    0.25
    """
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not (0 < value <= 1 or (zero and value == 0)):
        low = "[0" if zero else "(0"
        raise ParameterError(
            f"The '{name}' parameter must be a number in {low}, 1]. Got {value!r} instead."
        )
    return float(value)


def positive(value: Any, name: str, least: int = 1) -> int:
    """Check a count.

    Examples
    --------
    >>> positive(20, "population")
    20
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least:
        raise ParameterError(
            f"The '{name}' parameter must be an int >= {least}. Got {value!r} instead."
        )
    return int(value)


def kept_count(keep: float, shape: tuple[int, int]) -> int:
    """How many values a kept share means: the nearest whole number, and at least one.

    Examples
    --------
    >>> kept_count(1 / 16, (100, 16))
    100
    """
    return max(1, round(share(keep, "keep") * shape[0] * shape[1]))

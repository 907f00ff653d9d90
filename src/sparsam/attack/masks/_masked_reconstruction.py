"""How near an adversary comes to the records behind a mask, by filling in what was removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import Interval, mean_interval, wilson_interval

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]


SPLIT = "behind the mask"


def masked_reconstruction(
    X: ArrayLike,
    imputed: ArrayLike,
    kept: ArrayLike,
    *,
    mean: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    adversary: str = "imputation",
) -> Risk:
    """Measure how near imputed records come to the true ones (RCR, eq. 2).

    The distance is Euclidean and not squared: the equation has exp(−‖·‖), although the paper's text
    calls it a Gaussian kernel. The adversary has the kept values, so they count as they are; what
    `imputed` says of them is not read.

    Parameters
    ----------
    X : array of float, shape (n_people, n_attributes)
        The true records. Scaled alike, for instance from 0 to 1, or one attribute rules the rest.
        NaN where a value is not there: nothing is to be learned there.
    imputed : array of float, same shape
        What the adversary fills in.
    kept : array of bool, same shape
    mean : array of float, shape (n_attributes,), optional
        The public mean, for the baseline. That of `X` if not given.
    weights : array of float, shape (n_attributes,), optional
        Factors, at least 0, of the squared differences: how much each attribute matters.
    adversary : str, default="imputation"
        The name of what filled in the values.

    Returns
    -------
    Risk
        `value` is the mean over people of exp(−distance) between the record and its reconstruction
        (RCR): 1 is every record exactly. `baseline` is that of the public mean, said of everyone.
        `details` hold `kept_share` (of the values there are) and the root of the mean square error
        over the removed values (`removed_error`; `naive_error` for the public mean).

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> kept = np.array([[True, True], [False, False]])
    >>> risk = masked_reconstruction(X, np.full((2, 2), 0.5), kept)
    >>> round(risk.value, 3), round(risk.baseline, 3)
    (0.747, 0.493)
    """
    records, mask = checked_mask(X, kept)
    guess = np.asarray(imputed, dtype=np.float64)
    if guess.shape != records.shape:
        raise DataError(
            f"The imputed records must have the shape of the records, {records.shape}. "
            f"Got {guess.shape} instead."
        )
    there = ~np.isnan(records)
    if not np.isfinite(guess[there & ~mask]).all():
        raise DataError("The imputed values must be finite numbers. Some removed ones are not.")
    factors = np.ones(records.shape[1]) if weights is None else _a_row(weights, records, "weights")
    if (factors < 0).any():
        raise ParameterError("The 'weights' parameter must be at least 0. Some are below.")
    public = _means(records) if mean is None else _a_row(mean, records, "mean")
    gone = there & ~mask
    difference = np.where(gone, guess - records, 0.0)
    naive = np.where(there, records - public, 0.0)
    similarity = _similarity(difference, factors)
    return Risk(
        adversary=adversary,
        measure="similarity",
        value=float(similarity.mean()),
        interval=people_interval(similarity),
        baseline=float(_similarity(naive, factors).mean()),
        n=len(records),
        split=SPLIT,
        random_state=0,
        details={
            "removed_error": _root_mean_square(difference[gone]),
            "naive_error": _root_mean_square(naive[gone]),
            "kept_share": kept_share(records, mask),
            "weighted": weights is not None,
            "mean": "X" if mean is None else "public",
        },
    )


def checked_mask(X: ArrayLike, kept: ArrayLike) -> tuple[Matrix, Mask]:
    """Check records and the mask over their values.

    Parameters
    ----------
    X : array of float, shape (n_people, n_attributes)
        NaN where a value is not there.
    kept : array of bool, same shape
    """
    records, mask = np.asarray(X, dtype=np.float64), np.asarray(kept)
    if records.ndim != 2 or not records.size:
        raise DataError(
            "The records must be a matrix of people and attributes, one at least of each. "
            f"Got the shape {records.shape} instead."
        )
    if mask.dtype != bool or mask.shape != records.shape:
        raise DataError(
            f"The 'kept' parameter must be a matrix of truth values of the shape {records.shape}. "
            f"Got {mask.dtype} of the shape {mask.shape} instead."
        )
    if np.isinf(records).any():
        raise DataError("The records must be finite numbers. Some are not.")
    if np.isnan(records[mask]).any():
        raise DataError("A value that is kept must be there. Some are not.")
    if np.isnan(records).all():
        raise DataError("The records must hold a value. Got none.")
    return records, mask


def kept_share(records: Matrix, kept: Mask) -> float:
    """Share of the values there are which is kept.

    Examples
    --------
    >>> kept_share(np.array([[0.0, np.nan], [1.0, 2.0]]), np.array([[True, False], [False, False]]))
    0.3333333333333333
    """
    return float(kept.sum() / np.count_nonzero(~np.isnan(records)))


def people_interval(values: NDArray[np.float64]) -> Interval:
    """Interval of the mean of one value from 0 to 1 per person.

    Where all people have the same value the normal interval would have no width, which promises too
    much: it is then Wilson's.

    Parameters
    ----------
    values : ndarray of float

    Examples
    --------
    >>> low, high = people_interval(np.ones(100))
    >>> round(low, 3), round(high, 3)
    (0.963, 1.0)
    """
    if values.min() == values.max():
        return wilson_interval(float(values.sum()), len(values))
    return mean_interval(values)


def _similarity(difference: Matrix, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    similarity: NDArray[np.float64] = np.exp(-np.sqrt(difference**2 @ weights))
    return similarity


def _means(records: Matrix) -> NDArray[np.float64]:
    there = ~np.isnan(records)
    means: NDArray[np.float64] = np.where(there, records, 0.0).sum(0) / np.maximum(there.sum(0), 1)
    return means


def _root_mean_square(difference: NDArray[np.float64]) -> float | None:
    return float(np.sqrt((difference**2).mean())) if difference.size else None


def _a_row(numbers: ArrayLike, records: Matrix, name: str) -> NDArray[np.float64]:
    row = np.asarray(numbers, dtype=np.float64)
    if row.shape != records.shape[1:] or not np.isfinite(row).all():
        raise ParameterError(
            f"The '{name}' parameter must be one finite number for each of "
            f"{records.shape[1]:,} attributes. Got the shape {row.shape} instead."
        )
    return row

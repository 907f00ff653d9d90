"""How much it says that a minimised record agrees with a person: little, if it would with many."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.attack.masks._ranks import Agreement

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]

_CELLS = 2**22  # entries of covariances held at once


def rarity_of_values(records: Matrix, kept: Mask) -> Matrix:
    """Sum of −log of the share of people who have each kept value, as if values were independent.

    Parameters
    ----------
    records : ndarray of float, shape (n_people, n_attributes)
    kept : ndarray of bool, same shape

    Examples
    --------
    >>> found = rarity_of_values(np.array([[0.0], [0.0], [1.0], [2.0]]), np.ones((4, 1), bool))
    >>> np.exp(-found).round(6).tolist()
    [0.5, 0.5, 0.25, 0.25]
    """
    total = np.zeros(len(records))
    for column, said in zip(records.T, kept.T, strict=True):
        _, places, counts = np.unique(column, return_inverse=True, return_counts=True)
        total += np.where(said, -np.log(counts[places] / len(column)), 0.0)
    return total


def rarity_of_records(agreement: Agreement) -> Matrix:
    """−log of the share of people with whom each record agrees; 0 for an emptied record.

    If the record is equally likely anyone's with whom it agrees, that share times the number of
    people is how many it may be.

    Parameters
    ----------
    agreement : Agreement
    """
    counts = sum(agrees.sum(axis=0) for _, agrees in agreement.blocks())
    share = np.where(agreement.filled, counts, len(agreement.codes)) / len(agreement.codes)
    found: Matrix = -np.log(share)
    return found


def weight_in_matching(agreement: Agreement, rounds: int = 3) -> Matrix:
    """Weigh records when each belongs to one person and each person has one.

    A person with whom a telling record agrees is less likely to own another one. Sums over people
    and over records are brought to 1 in turn (Sinkhorn's scaling of the table of agreement), which
    approximates the chances in a random one-to-one matching. The first round alone is
    `rarity_of_records`, up to a constant.

    Parameters
    ----------
    agreement : Agreement
    rounds : int, default=3
        More bring next to nothing, and each takes as long as all of `rarity_of_records`, twice.
    """
    if rounds < 1:
        raise ParameterError(f"The 'rounds' parameter must be at least 1. Got {rounds!r} instead.")
    filled = agreement.filled
    n_people = len(filled)
    n_emptied = int((~filled).sum())
    person = np.ones(n_people)
    for number in range(rounds):
        sums = sum(person[people] @ agrees for people, agrees in agreement.blocks())
        # An emptied record may be anyone's.
        record = 1.0 / np.where(filled, sums, person.sum())
        if number + 1 < rounds:
            emptied = n_emptied / person.sum()
            for people, agrees in agreement.blocks():
                person[people] = 1.0 / (agrees @ np.where(filled, record, 0.0) + emptied)
    found: Matrix = np.log(record)
    return found


def gaussian_rarity(records: Matrix, kept: Mask, mean: ArrayLike, covariance: ArrayLike) -> Matrix:
    """−log of the probability of each record's kept values, by a public normal law.

    A density says nothing about how many share a value until it is multiplied by the width of one:
    the mean step between the distinct values of the attribute.

    Parameters
    ----------
    records : ndarray of float, shape (n_people, n_attributes)
    kept : ndarray of bool, same shape
    mean, covariance : array of float
        See `gaussian_surprise`.
    """
    values = [np.unique(column) for column in records.T]
    several = np.array([len(one) > 1 for one in values])
    widths = np.array([np.ptp(one) / max(1, len(one) - 1) for one in values])
    logs = np.log(np.where(several, widths, 1.0))
    told = kept & several
    found: Matrix = gaussian_surprise(records, told, mean, covariance) - told @ logs
    return found


def gaussian_surprise(
    records: Matrix, kept: Mask, mean: ArrayLike, covariance: ArrayLike, ridge: float = 1e-6
) -> Matrix:
    """−log of the density of each record's kept values under a public normal law.

    Half of the squared Mahalanobis distance, of the log-determinant and of log 2π for each value;
    0 for an emptied record.

    Parameters
    ----------
    records : ndarray of float, shape (n_people, n_attributes)
    kept : ndarray of bool, same shape
    mean : array of float, shape (n_attributes,)
    covariance : array of float, shape (n_attributes, n_attributes)
    ridge : float, default=1e-6
        Added to the variances, for attributes that depend on one another.
    """
    centre, spread = np.asarray(mean, np.float64), np.asarray(covariance, np.float64)
    n_attributes = records.shape[1]
    if centre.shape != (n_attributes,) or spread.shape != (n_attributes, n_attributes):
        raise ParameterError(
            f"The public mean and covariance must be of {n_attributes:,} attributes. "
            f"Got the shapes {centre.shape} and {spread.shape} instead."
        )
    spread = spread + ridge * np.eye(n_attributes)
    sizes = kept.sum(axis=1)
    surprise = np.zeros(len(records))
    # Records with as many kept values have covariances of one size: solved together.
    for size in np.unique(sizes[sizes > 0]):
        alike = np.flatnonzero(sizes == size)
        for rows in np.array_split(alike, -(-len(alike) * int(size) ** 2 // _CELLS)):
            chosen = np.nonzero(kept[rows])[1].reshape(len(rows), size)
            gap = records[rows[:, None], chosen] - centre[chosen]
            surprise[rows] = _surprise(gap, spread[chosen[:, :, None], chosen[:, None, :]])
    return surprise


def _surprise(gap: Matrix, spread: Matrix) -> Matrix:
    try:
        factor = np.linalg.cholesky(spread)
    except np.linalg.LinAlgError:
        raise DataError("The public covariance must be positive definite. It is not.") from None
    scaled = np.linalg.solve(factor, gap[:, :, None])[:, :, 0]
    logs = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    found: Matrix = 0.5 * (scaled**2).sum(axis=1) + logs + 0.5 * np.log(2 * np.pi) * gap.shape[1]
    return found

"""Few ranges of many numbers: what a person can answer, and a clerk can check."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_RANGES = 32


def equal_runs(counts: NDArray[np.integer], most: int) -> NDArray[np.int64]:
    """Cut ordered codes into at most so many runs with about equally many people in each.

    Parameters
    ----------
    counts : ndarray of int
        How many people have each code.
    most : int

    Returns
    -------
    ndarray of int
        The run of each code, numbered from 0 without gaps.

    Examples
    --------
    >>> equal_runs(np.array([5, 1, 1, 1, 1, 1]), 2)
    array([0, 1, 1, 1, 1, 1])
    """
    middle = np.cumsum(counts) - counts / 2
    run = np.minimum((middle / max(counts.sum(), 1) * most).astype(np.int64), most - 1)
    return np.unique(run, return_inverse=True)[1].astype(np.int64)


def at_most(
    buckets: NDArray[np.integer], counts: NDArray[np.integer], most: int = MAX_RANGES
) -> NDArray[np.int64]:
    """Put neighbouring ranges of a number together until there are at most so many.

    Ranges with about equally many people come of it. What is few enough stays as it is.

    Parameters
    ----------
    buckets : ndarray of int
        The range of each code, in ascending runs.
    counts : ndarray of int
        How many people have each code.
    most : int, default=32

    Returns
    -------
    ndarray of int
        The range of each code, numbered from 0 without gaps.

    Examples
    --------
    >>> at_most(np.arange(6), np.array([5, 1, 1, 1, 1, 1]), 2)
    array([0, 1, 1, 1, 1, 1])
    """
    distinct, numbered = np.unique(buckets, return_inverse=True)
    place: NDArray[np.int64] = numbered.astype(np.int64)
    if len(distinct) > most:
        place = equal_runs(np.bincount(place, counts).astype(np.int64), most)[place]
    return place

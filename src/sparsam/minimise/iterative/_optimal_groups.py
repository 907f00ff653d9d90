"""Group numbers so that the numbers of a group are as alike as possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Variance, as a share of the whole, below which a group is of one kind: far above round-off.
_ROUND_OFF = 1e-12


def optimal_groups(scores: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Put values with similar scores into the same group.

    The groups are runs of the sorted scores, and among all such groupings the average of the
    variances inside the groups is the smallest (Staab et al., appendix C; exact, by dynamic
    programming). More groups are always better unless fewer leave no variance at all: then there
    are no more than are needed for that.

    Parameters
    ----------
    scores : ndarray of float of shape (n_values,)
    most : int
        The most groups, at least 1.

    Returns
    -------
    ndarray of int of shape (n_values,)
        The group of each value, numbered from the lowest scores to the highest.

    Examples
    --------
    >>> import numpy as np
    >>> optimal_groups(np.array([0.1, 7.0, 0.2, 3.0, 3.1]), 3)
    array([0, 2, 0, 1, 1])
    """
    order = np.argsort(scores, kind="stable")
    ascending = scores[order] - scores.mean()
    # Squares of the largest and smallest numbers are not numbers.
    ascending = ascending / max(float(np.abs(ascending).max()), float(np.finfo(float).tiny))
    best, start = _solve(ascending, min(most, len(scores)))
    groups = np.empty(len(scores), dtype=np.int64)
    groups[order] = _runs(start, _fewest(best[:, -1]))
    return groups


def _solve(
    ascending: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For k groups of the first a + 1 values: the sum of variances, and where the last begins."""
    n_values = len(ascending)
    sums, squares = (np.cumsum(np.append(0.0, ascending**power)) for power in (1, 2))
    best = np.full((most, n_values), np.inf)
    start = np.zeros((most, n_values), dtype=np.int64)
    for a in range(n_values):
        sizes = np.arange(a + 1, 0, -1)
        means = (sums[a + 1] - sums[: a + 1]) / sizes
        variances = np.maximum((squares[a + 1] - squares[: a + 1]) / sizes - means**2, 0.0)
        best[0, a] = variances[0]
        for k in range(1, min(most, a + 1)):
            together = best[k - 1, :a] + variances[1:]
            start[k, a] = together.argmin() + 1
            best[k, a] = together[start[k, a] - 1]
    return best, start


def _fewest(sums: NDArray[np.float64]) -> int:
    """The number of groups with the smallest average variance, the fewest if several have it."""
    averages = sums / np.arange(1, len(sums) + 1)
    return int((averages <= averages.min() + _ROUND_OFF).argmax()) + 1


def _runs(start: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    """The group of each sorted value, read off from the last group to the first."""
    groups = np.zeros(start.shape[1], dtype=np.int64)
    end = start.shape[1]
    for k in range(n_groups - 1, 0, -1):
        begin = int(start[k, end - 1])
        groups[begin:end] = k
        end = begin
    return groups

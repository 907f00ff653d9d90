"""Pairs of buckets that may become one, the best of them found again after every merge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


class AnyTwo:
    """Buckets without an order: any two may become one. Of equal pairs the first is the best.

    Parameters
    ----------
    n : int
        How many buckets there are at first.

    Examples
    --------
    >>> pairs = AnyTwo(3)
    >>> pairs.put(*pairs.all(), np.array([0.5, 0.2, 0.9]))
    >>> pairs.best()
    (0, 2)
    >>> pairs.merge(0, 2)
    (array([0]), array([1]))
    """

    def __init__(self, n: int) -> None:
        self._ratios = np.full((n, n), np.inf)
        self._alive = np.ones(n, dtype=bool)

    def all(self) -> Pairs:
        """Every pair, the one that comes first in either bucket's place first."""
        return np.triu_indices(len(self._alive), 1)

    def put(self, x: NDArray[np.int64], z: NDArray[np.int64], ratios: NDArray[np.float64]) -> None:
        """Note how good some pairs are, the lowest number being the best."""
        self._ratios[x, z] = ratios

    def best(self) -> tuple[int, int]:
        """The best pair."""
        x, z = divmod(int(self._ratios.argmin()), len(self._ratios))
        return x, z

    def merge(self, first: int, second: int) -> Pairs:
        """Let the first bucket take in the second, and give the pairs that are other ones now."""
        self._alive[second] = False
        self._ratios[second] = self._ratios[:, second] = np.inf
        others = np.flatnonzero(self._alive)
        others = others[others != first]
        return np.minimum(others, first), np.maximum(others, first)


class Neighbours:
    """Buckets in an order: neighbours may become one, and one of missing values goes anywhere.

    Of equal pairs those of neighbours come before those with missing values.

    Parameters
    ----------
    n : int
        How many buckets there are at first.
    missing : ndarray of bool
        Which is the one of missing values; the last, if there is one.

    Examples
    --------
    >>> pairs = Neighbours(4, np.array([False, False, False, True]))
    >>> pairs.put(*pairs.all(), np.array([0.5, 0.2, 0.9, 0.4, 0.7]))
    >>> pairs.best()
    (1, 2)
    >>> pairs.merge(1, 2)
    (array([0, 1]), array([1, 3]))
    """

    def __init__(self, n: int, missing: NDArray[np.bool_]) -> None:
        self._n = n
        self._lone = n - 1 if missing[-1] else None
        self._n_runs = n if self._lone is None else n - 1
        self._before = list(range(-1, self._n_runs - 1))
        self._after = list(range(1, self._n_runs + 1))
        # a line for the pairs with the next bucket, and one for those with missing values
        self._ratios = np.full((2, n), np.inf)

    def all(self) -> Pairs:
        """Every pair: neighbours, then those with missing values."""
        runs = np.arange(self._n_runs)
        if self._lone is None:
            return runs[:-1], runs[1:]
        lone = np.full(len(runs), self._lone)
        return np.concatenate([runs[:-1], runs]), np.concatenate([runs[1:], lone])

    def put(self, x: NDArray[np.int64], z: NDArray[np.int64], ratios: NDArray[np.float64]) -> None:
        """Note how good some pairs are, the lowest number being the best."""
        line = np.zeros(len(z), np.int64) if self._lone is None else (z == self._lone).astype(int)
        self._ratios[line, x] = ratios

    def best(self) -> tuple[int, int]:
        """The best pair."""
        line, x = divmod(int(self._ratios.argmin()), self._n)
        return x, self._n - 1 if line else self._after[x]

    def merge(self, first: int, second: int) -> Pairs:
        """Let the first bucket take in the second, and give the pairs that are other ones now."""
        if second == self._lone:
            self._lone = None
            self._ratios[1] = np.inf
        else:
            self._ratios[:, second] = self._ratios[0, first] = np.inf
            self._after[first] = self._after[second]
            if self._after[first] < self._n_runs:
                self._before[self._after[first]] = first
        pairs = [(self._before[first], first)] if self._before[first] >= 0 else []
        if self._after[first] < self._n_runs:
            pairs.append((first, self._after[first]))
        if self._lone is not None:
            pairs.append((first, self._lone))
        x, z = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return x, z

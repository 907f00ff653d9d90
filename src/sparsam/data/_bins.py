"""Bins of about equally many rows, whose borders are numbers that people remember."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.data._domain import round_cut

# A border moves to a round number over no more than this share of the rows of a bin.
_MOVES = 0.25


def quantile_bins(counts: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return, for ascending values by how many rows have each, bins of about equally many rows.

    Examples
    --------
    >>> quantile_bins(np.array([1, 1, 1, 5]), 2)
    array([0, 0, 0, 1])
    """
    middle = np.cumsum(counts) - counts / 2
    quantile = np.minimum((middle / counts.sum() * most).astype(np.int64), most - 1)
    return np.cumsum(np.diff(quantile, prepend=quantile[0]) != 0)


def round_bins(
    values: NDArray[np.float64], counts: NDArray[np.int64], most: int
) -> NDArray[np.int64]:
    """Return such bins between which round numbers lie, if such are near.

    Parameters
    ----------
    values : ndarray of float64
        Ascending.
    counts : ndarray of int64
        How many rows have each.
    most : int
        How many bins at most.

    Examples
    --------
    >>> pay = np.arange(1_003, 2_003)
    >>> bins = round_bins(pay.astype(float), np.ones(1_000, dtype=int), 4)
    >>> pay[np.flatnonzero(np.diff(bins)) + 1].tolist()
    [1300, 1500, 1800]
    """
    bins = quantile_bins(counts, most)
    before = np.cumsum(counts) - counts
    borders = np.flatnonzero(np.diff(bins)) + 1
    rows = before[borders]
    reach = _MOVES * counts.sum() / most
    # No border comes nearer to another one than half way.
    between = (rows[1:] + rows[:-1]) / 2
    lowest = np.maximum(rows - reach, np.append(1, between))
    highest = np.minimum(rows + reach, np.append(between, counts.sum()))
    first = np.maximum(np.searchsorted(before, lowest, side="left"), 1)
    last = np.searchsorted(before, highest, side="right") - 1
    begins = np.zeros(len(values), dtype=bool)
    for low, high in zip(first.tolist(), last.tolist(), strict=True):
        cut = round_cut(float(values[low - 1]), float(values[high]))
        begins[np.searchsorted(values, cut)] = True
    return np.cumsum(begins)

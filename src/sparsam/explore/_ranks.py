"""How well each cell fits as the place of a quantile, and what lies far from the quartiles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sparsam.explore._bins import Bins, full_bins
from sparsam.explore._declared import Declared

_GRID = 4096


def grid_bins(declared: Declared, name: str) -> Bins:
    """Return the grid that octiles are chosen on; zero has a cell of its own among whole numbers.

    Sums of money and the like are zero for most people.
    """
    grid = full_bins(declared, name, _GRID)
    zero = {edge for edge in (0.0, 1.0) if grid.edges[0] < edge < grid.edges[-1]}
    if not grid.integer or zero <= set(grid.edges):
        return grid
    return Bins(name, "numeric", tuple(sorted(zero | set(grid.edges))), integer=True)


def rank_scores(counts: NDArray[np.int64], level: Fraction, shift: int = 0) -> NDArray[np.int64]:
    """Score each cell by how far the wanted rank lies from the ranks in it.

    The rank wanted is ``level`` times the number of rows plus `shift`. A score is minus that
    distance times the level's denominator, so that it is a whole number; one row more or less
    moves it by at most what `rank_sensitivity` gives. Before the first cell and
    after the last there is one more for ranks below zero and beyond the last row.
    """
    part, whole = level.numerator, level.denominator
    total = int(counts.sum())
    ends = np.concatenate([[0], np.cumsum(counts), [total]])
    starts = np.concatenate([[0], ends[:-2], [total]])
    target = part * total + shift * whole
    too_high = starts * whole - target
    too_low = target - ends * whole
    too_high[0], too_low[-1] = 0, 0  # the outer two reach to infinity
    scores: NDArray[np.int64] = -np.maximum(np.maximum(too_high, too_low), 0)
    return scores


def rank_sensitivity(level: Fraction) -> int:
    """Return how much one row more or less moves a score."""
    return max(level.numerator, level.denominator - level.numerator)


def fences(first: float, third: float) -> tuple[float, float]:
    """Return the numbers beyond which a value lies far from the quartiles.

    Examples
    --------
    >>> fences(10, 20)
    (-5.0, 35.0)
    """
    reach = 1.5 * (third - first)
    return first - reach, third + reach

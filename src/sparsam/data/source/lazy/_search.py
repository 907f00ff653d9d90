"""Where a number lies among many ascending cuts, found without comparing it with all of them.

An engine works on many values at a time, and a tree of comparisons costs it every branch that any
of these values takes. So the range of the cuts is divided into equal cells: arithmetic finds the
cell of a value, a list says how many cuts lie in the cells before, and two comparisons settle the
rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_MOST_IN_CELL = 2
_CELLS_A_CUT = (1, 2)


class Grid(NamedTuple):
    """Equal cells from the first to the last cut, with at most two cuts in each.

    The cell of a value is ``floor((value - low) * scale)``, with the value put between `low` and
    `high` before. All of these steps are monotone, rounding included: a cut of a lower cell is
    below the value, one of a higher cell above it.

    Attributes
    ----------
    low, high : float
        The first and the last cut.
    scale : float
    below : list of int
        How many cuts lie in the cells before each.
    edges : list of list of float
        The first and the second cut inside each cell; NaN where there is none, which both engines
        hold for larger than any number, infinity included.
    """

    low: float
    high: float
    scale: float
    below: list[int]
    edges: list[list[float]]


def grid_of(cuts: Sequence[float]) -> Grid | None:
    """Divide the range of cuts into cells; None where they lie too unevenly for that.

    Parameters
    ----------
    cuts : sequence of float
        Ascending, and at least two.

    Examples
    --------
    >>> grid_of([10.0, 20.0, 35.0]).below
    [0, 1, 2, 2]
    """
    numbers = np.asarray(cuts, np.float64)
    low, high = float(numbers[0]), float(numbers[-1])
    for each in _CELLS_A_CUT:
        with np.errstate(all="ignore"):
            scale = each * len(numbers) / (high - low)
            cells = np.floor((numbers - low) * scale)
        if not (np.isfinite(scale) and scale > 0 and np.isfinite(cells).all()):
            return None
        places = cells.astype(np.int64)
        counts = np.bincount(places)
        if counts.max() <= _MOST_IN_CELL:
            return _filled(numbers, scale, places, counts)
    return None


def _filled(numbers: np.ndarray, scale: float, places: np.ndarray, counts: np.ndarray) -> Grid:
    below = np.cumsum(counts) - counts
    edges = np.full((_MOST_IN_CELL, len(counts)), np.nan)
    edges[np.arange(len(numbers)) - below[places], places] = numbers
    return Grid(float(numbers[0]), float(numbers[-1]), scale, below.tolist(), edges.tolist())

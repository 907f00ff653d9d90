"""Private octiles of a wide numeric attribute: where most people are, before they are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.explore._bins import Bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._noise import noisy_choice
from sparsam.explore._ranks import rank_scores, rank_sensitivity
from sparsam.explore.ledger._costs import Cost

LEVELS = 3
# Which eighth each choice is of.
_PLACES = (4, 2, 6, 1, 3, 5, 7)
_GRID = 4096
_HALF = Fraction(1, 2)


def grid_bins(declared: Declared, name: str) -> Bins:
    """Return the grid that octiles are chosen on; zero has a cell of its own among whole numbers.

    Sums of money and the like are zero for most people.
    """
    grid = full_bins(declared, name, _GRID)
    zero = {edge for edge in (0.0, 1.0) if grid.edges[0] < edge < grid.edges[-1]}
    if not grid.integer or zero <= set(grid.edges):
        return grid
    return Bins(name, "numeric", tuple(sorted(zero | set(grid.edges))), integer=True)


def choose_octiles(counts: NDArray[np.int64], cost: Cost) -> list[int]:
    """Choose the cells of the octiles by halving, three levels deep.

    The median cell is chosen by the exponential mechanism, then that of either half, then that of
    each quarter. The ranges of one level share no row, so that a level costs one choice (parallel
    composition); what the ranges are was released before.

    Parameters
    ----------
    counts : ndarray of int64
        Of the grid's cells, without missing values.
    cost : Cost
        Of one level.

    Returns
    -------
    list of int
        The chosen cells of the seven ranges in the order 4/8, 2/8, 6/8, 1/8, 3/8, 5/8, 7/8; -1
        for a range that holds no cell.
    """
    chosen: list[int] = []
    for place in range(2**LEVELS - 1):
        low, high = _range(chosen, place, len(counts))
        if low >= high:
            chosen.append(-1)
            continue
        scores = rank_scores(counts[low:high], _HALF)[1:-1]
        chosen.append(low + noisy_choice(scores, cost, rank_sensitivity(_HALF)))
    return chosen


def _range(chosen: Sequence[int], place: int, n_cells: int) -> tuple[int, int]:
    """Return the cells among which the choice at a place of the tree is made.

    The chosen cell belongs to the right half. One that is chosen again as its own right half's
    median holds more than half of it: it is taken out then, so that the rest is seen.
    """
    if place == 0:
        return 0, n_cells
    parent = (place - 1) // 2
    low, high = _range(chosen, parent, n_cells)
    cell = chosen[parent]
    if cell < 0:
        return 0, 0
    repeated = parent > 0 and parent % 2 == 0 and chosen[(parent - 1) // 2] == cell
    if place % 2:
        return (0, 0) if repeated else (low, cell)
    return (cell + 1 if repeated else cell), high


@dataclass(frozen=True)
class Octiles:
    """The octiles that were chosen, as edges.

    Parameters
    ----------
    grid : Bins
    chosen : tuple of int
        What `choose_octiles` gave.
    """

    grid: Bins
    chosen: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.chosen) != 2**LEVELS - 1:
            raise ParameterError(
                f"There must be {2**LEVELS - 1} octiles. Got {len(self.chosen)} instead."
            )

    def edge(self, eighth: int) -> float | None:
        """Return the lower end of an octile's cell; None where its range was empty."""
        cell = self.cell(eighth)
        return None if cell is None else cell[0]

    def cell(self, eighth: int) -> tuple[float, float] | None:
        """Return both ends of an octile's cell; None where its range was empty."""
        cell = self.chosen[_PLACES.index(eighth)]
        return None if cell < 0 else (self.grid.edges[cell], self.grid.edges[cell + 1])

    @property
    def quartiles(self) -> tuple[float, float]:
        """The first and the third one, as the middles of their cells."""
        cells = [self.chosen[_PLACES.index(eighth)] for eighth in (2, 4, 6)]
        first, third = (cells[1] if cell < 0 else cell for cell in (cells[0], cells[2]))
        return float(self.grid.middles[first]), float(self.grid.middles[third])

    @property
    def repeated(self) -> tuple[float, ...]:
        """Both ends of each cell that was chosen twice: many have that very number."""
        cells = [cell for cell in self.chosen if cell >= 0]
        twice = {cell for cell in cells if cells.count(cell) > 1}
        return tuple(self.grid.edges[end] for cell in sorted(twice) for end in (cell, cell + 1))

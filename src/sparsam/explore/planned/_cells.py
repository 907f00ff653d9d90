"""The cells of the second stage: where they are fine depends on what the first stage found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.explore._bins import Bins, coarse_bins, edge_bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._noise import noisy_choice
from sparsam.explore._ranks import fences, rank_scores, rank_sensitivity
from sparsam.explore.ledger._costs import Cost
from sparsam.explore.planned._consistency import Margin, Measured, margins_of
from sparsam.explore.planned._distribution import quantile
from sparsam.explore.planned._plan import FEW_CELLS, LEVELS, MOST_VALUES, pair_cells

# Which octiles cut an attribute into so many cells of a two-way table.
_CUTS = {3: (3, 5), 4: (2, 4, 6), 5: (1, 3, 5, 7), 6: (1, 2, 4, 6, 7), 8: (1, 2, 3, 4, 5, 6, 7)}
# Where cells are cut beside a quartile: this far towards the next octile.
_BESIDE = 0.2
# A number that many people have stands out by this many standard deviations of the noise.
_MANY = 4.0
# Which eighth each choice is of.
_PLACES = (4, 2, 6, 1, 3, 5, 7)
_HALF = Fraction(1, 2)


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


@dataclass(frozen=True)
class Cells:
    """The cells of a numeric attribute.

    Parameters
    ----------
    finest : Bins
        The finest ones that are counted anywhere.
    coarse : Bins
        Those of its one-way table in the second stage: octiles, P1 and P99, numbers that many
        people have or may have, edges close to the quartiles, and the fences beyond which a number
        is an outlier.
    paired : Bins
        Those of its two-way tables: joined coarse cells.
    """

    finest: Bins
    coarse: Bins
    paired: Bins


def wide_cells(declared: Declared, octiles: Octiles, n_cells: int) -> Cells:
    """Choose the cells of an attribute whose octiles were chosen."""
    name = octiles.grid.name
    edges = {eighth: octiles.edge(eighth) for eighth in range(1, 8)}
    cuts = [edge for edge in edges.values() if edge is not None]
    fence_edges = _fence_edges(*octiles.quartiles, octiles.grid.integer)
    beside, own = _beside_quartiles(octiles), [end for cell in _quartiles(octiles) for end in cell]
    coarse = edge_bins(declared, name, [*cuts, *octiles.repeated, *fence_edges, *beside, *own])
    wanted = [edges[eighth] for eighth in _CUTS[n_cells]]
    chosen = [edge for edge in wanted if edge is not None]
    return Cells(coarse, coarse, edge_bins(declared, name, [*chosen, *octiles.repeated]))


def _quartiles(octiles: Octiles) -> list[tuple[float, float]]:
    """Return the cells of the grid that the quartiles were found in."""
    cells = [octiles.cell(eighth) for eighth in (2, 4, 6)]
    return [cell for cell in cells if cell is not None]


def without_empty(margin: Margin, octiles: Octiles) -> Margin:
    """Join what was counted on its own, in case many have that number, and is not so.

    A quartile of rounded numbers is one that many people share, and its cell says so. Otherwise
    the cell is so narrow that it holds nothing but noise, and would tell a wrong density.
    """
    edges = np.array(margin.bins.edges)
    density = margin.real / np.diff(edges)
    drop: set[float] = set()
    cuts = {octiles.edge(eighth) for eighth in range(1, 8)} | {*octiles.repeated, edges[-1]}
    for low, high in _quartiles(octiles):
        cell = int(np.searchsorted(edges, low))
        if high in cuts or edges[cell : cell + 2].tolist() != [low, high]:
            continue
        around = [density[place] for place in (cell - 1, cell + 1) if 0 <= place < len(density)]
        usual = max([0.0, *around]) * (high - low)
        if margin.real[cell] - usual < _MANY * margin.deviations[cell]:
            drop.add(high)
    kept = tuple(edge for edge in margin.bins.edges if edge not in drop)
    return margin.joined(replace(margin.bins, edges=kept)) if drop else margin


def _beside_quartiles(octiles: Octiles) -> list[float]:
    """Return an edge closely below and above each quartile, so that its interval is narrow.

    None where many people have one number: edges beside it would cut where nobody is.
    """
    beside: list[float] = []
    for eighth in () if octiles.repeated else (2, 4, 6):
        near, low, high = (octiles.edge(place) for place in (eighth, eighth - 1, eighth + 1))
        if near is not None:
            beside += [near + _BESIDE * (end - near) for end in (low, high) if end is not None]
    return beside


def narrow_cells(margin: Margin, n_cells: int) -> Cells:
    """Choose the cells of an attribute whose every number was counted."""
    full = margin.bins
    if full.n_cells <= n_cells:
        return Cells(full, full, full)
    octiles = [_edge_near(margin, eighth / 8) for eighth in range(1, 8)]
    shares = margin.real / max(float(margin.real.sum()), 1.0)
    many = np.flatnonzero(shares >= 1 / 8)
    own = [full.edges[end] for cell in many for end in (cell, cell + 1)]
    first, third = (quantile(margin, level, 0.0).value for level in (0.25, 0.75))
    fence_edges = _fence_edges(first, third, full.integer)
    coarse = full
    if full.size > FEW_CELLS:
        tails = [_edge_near(margin, level) for level in (0.01, 0.99)]
        inside = [fence for fence in fence_edges if full.edges[0] < fence < full.edges[-1]]
        coarse = coarse_bins(full, [*octiles, *own, *inside, *tails])
    return Cells(full, coarse, _joined(full, coarse, octiles, own, n_cells))


def _joined(full: Bins, coarse: Bins, octiles: list[float], own: list[float], n_cells: int) -> Bins:
    """Join cells for two-way tables: the wanted octiles, and as many own cells as fit."""
    wanted = [octiles[eighth - 1] for eighth in _CUTS[n_cells]]
    return coarse_bins(coarse if coarse.n_cells > 1 else full, [*wanted, *own])


def _edge_near(margin: Margin, level: float) -> float:
    """Find the edge below which nearest to this share of the counts lies."""
    running = np.concatenate([[0.0], np.cumsum(np.maximum(margin.real, 0.0))])
    inner = np.abs(running[1:-1] - level * running[-1])
    return margin.bins.edges[1 + int(inner.argmin())]


def _fence_edges(first: float, third: float, integer: bool) -> tuple[float, float]:
    """Return the edges beyond which whole cells hold outliers."""
    low, high = fences(first, third)
    return (float(np.ceil(low)), float(np.floor(high)) + 1.0) if integer else (low, high)


def first_margins(declared: Declared, tables: list[Measured]) -> dict[str, Margin]:
    """Return what the one-way tables of stage one tell."""
    if not tables:
        return {}
    finest = {table.bins[0].name: table.bins[0] for table in tables}
    return margins_of(finest, tables)[0]


def choose_cells(
    declared: Declared,
    margins: Mapping[str, Margin],
    octiles: Mapping[str, Octiles],
    pair_sd: float | None,
) -> dict[str, Cells]:
    """Choose the cells of every numeric attribute for stage two."""
    rows = [float(margin.counts.sum()) for margin in margins.values()]
    n_cells = pair_cells(pair_sd, rows[0] if rows else None)
    return {
        name: wide_cells(declared, octiles[name], n_cells)
        if name in octiles
        else narrow_cells(margins[name], n_cells)
        for name in declared.numeric
    }


def first_bins(declared: Declared, name: str) -> Bins:
    """Return the cells that an attribute is counted in by stage one."""
    return full_bins(declared, name, MOST_VALUES)

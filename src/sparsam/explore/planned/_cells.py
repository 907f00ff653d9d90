"""The cells of the second stage: where they are fine depends on what the first stage found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sparsam.explore._bins import Bins, coarse_bins, edge_bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._ranks import fences
from sparsam.explore.planned._consistency import Margin, Measured, margins_of
from sparsam.explore.planned._octiles import Octiles
from sparsam.explore.planned._plan import FEW_CELLS, MOST_VALUES
from sparsam.explore.planned._table_statistics import quantile

# Which octiles cut an attribute into so many cells of a two-way table.
_CUTS = {3: (3, 5), 4: (2, 4, 6), 5: (1, 3, 5, 7), 6: (1, 2, 4, 6, 7), 8: (1, 2, 3, 4, 5, 6, 7)}
# How much of a rank correlation k × k cells hide: this over k squared.
_HIDDEN = 0.15
_DEFAULT = 5
# Where cells are cut beside a quartile: this far towards the next octile.
_BESIDE = 0.2
# A number that many people have stands out by this many standard deviations of the noise.
_MANY = 4.0


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


def pair_cells(noise_sd: float, n_rows: float | None) -> int:
    """Choose how many cells an attribute has in two-way tables.

    More cells hide less of a rank correlation and gather more noise.

    Examples
    --------
    >>> pair_cells(40, 50_000), pair_cells(40, 2_000), pair_cells(1, 50_000)
    (6, 3, 8)
    """
    if n_rows is None:
        return _DEFAULT
    noise = noise_sd / max(n_rows, 1.0)
    return min(_CUTS, key=lambda k: (k * noise) ** 2 + (_HIDDEN / k**2) ** 2)


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
    found: list[float] = []
    for eighth in () if octiles.repeated else (2, 4, 6):
        near, low, high = (octiles.edge(one) for one in (eighth, eighth - 1, eighth + 1))
        if near is not None:
            found += [near + _BESIDE * (end - near) for end in (low, high) if end is not None]
    return found


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
    n_cells = _DEFAULT if pair_sd is None else pair_cells(pair_sd, rows[0] if rows else None)
    return {
        name: wide_cells(declared, octiles[name], n_cells)
        if name in octiles
        else narrow_cells(margins[name], n_cells)
        for name in declared.numeric
    }


def first_bins(declared: Declared, name: str) -> Bins:
    """Return the cells that an attribute is counted in by stage one."""
    return full_bins(declared, name, MOST_VALUES)

from __future__ import annotations

import numpy as np
import pytest

from sparsam.explore import declared
from sparsam.explore._bins import Bins
from sparsam.explore._ranks import grid_bins
from sparsam.explore.ledger._costs import choice_cost
from sparsam.explore.planned._cells import (
    Octiles,
    choose_octiles,
    narrow_cells,
    wide_cells,
    without_empty,
)
from sparsam.explore.planned._consistency import Margin
from sparsam.explore.planned._distribution import quantile

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")


def test_octiles_find_where_people_are() -> None:
    domains = declared({"x": (0, 10_000, "integer")})
    grid = grid_bins(domains, "x")
    values = np.random.default_rng(1).normal(500, 40, 20_000).round()
    counts = np.histogram(values, bins=np.array(grid.edges))[0]
    chosen = Octiles(grid, tuple(choose_octiles(counts, choice_cost(5.0))))
    for eighth in range(1, 8):
        true = np.quantile(values, eighth / 8)
        assert chosen.edge(eighth) == pytest.approx(true, abs=2 * 10_000 / 4_096)
    first, third = chosen.quartiles
    assert third - first == pytest.approx(54, abs=6)


def test_octiles_see_past_a_number_that_most_people_have() -> None:
    domains = declared({"gain": (0, 99_999, "integer")})
    grid = grid_bins(domains, "gain")
    values = np.concatenate([np.zeros(9_000), np.full(500, 5_000), np.full(500, 9_000)])
    counts = np.histogram(values, bins=np.array(grid.edges))[0]
    chosen = Octiles(grid, tuple(choose_octiles(counts, choice_cost(5.0))))
    assert chosen.quartiles == (0.0, 0.0)
    assert chosen.repeated[:2] == (0.0, 1.0)
    assert any(4_900 < grid.edges[cell] < 9_100 for cell in chosen.chosen if cell > 1)
    cells = wide_cells(domains, chosen, 5)
    assert cells.coarse.edges[:2] == (0.0, 1.0)  # what is not zero is an outlier: whole cells


@pytest.mark.parametrize("counts", [[0, 0, 0, 0], [9, 0, 0, 0], [0, 0, 0, 9], [1, 0, 0, 0]])
def test_octiles_of_strange_counts_are_defined(counts: list[int]) -> None:
    chosen = choose_octiles(np.array(counts, dtype=np.int64), choice_cost(1.0))
    assert len(chosen) == 7
    assert all(-1 <= cell < 4 for cell in chosen)


def _looked_at(values: np.ndarray, sd: float, seed: int = 3) -> tuple[Margin, Octiles]:
    """Choose the cells of real numbers, and count them with seeded noise."""
    domains = declared({"x": (0.0, 100.0)})
    grid = grid_bins(domains, "x")
    counts = np.histogram(values, bins=np.array(grid.edges))[0]
    octiles = Octiles(grid, tuple(choose_octiles(counts, choice_cost(5.0))))
    coarse = wide_cells(domains, octiles, 5).coarse
    exact = np.append(np.histogram(values, bins=np.array(coarse.edges))[0], 0).astype(float)
    noisy = exact + np.random.default_rng(seed).normal(scale=sd, size=coarse.size)
    return Margin(coarse, noisy, np.eye(coarse.size) * sd**2), octiles


def test_a_median_of_rounded_numbers_is_the_number_that_many_have() -> None:
    values = np.random.default_rng(4).normal(50, 8, 20_000).round() + 0.3
    margin, octiles = _looked_at(values, sd=20.0)
    clean = without_empty(margin, octiles)
    estimate = quantile(clean, 0.5, 1.96)
    assert estimate.value == pytest.approx(np.median(values), abs=100 / 4096)
    assert estimate.high - estimate.low <= 100 / 4096 + 1e-9
    for level in (0.25, 0.75):
        estimate = quantile(clean, level, 1.96)
        assert estimate.low <= np.quantile(values, level) <= estimate.high


def test_narrow_cells_that_nobody_shares_are_joined() -> None:
    values = np.random.default_rng(5).normal(50, 8, 20_000)
    margin, octiles = _looked_at(values, sd=20.0)
    joined = without_empty(margin, octiles)
    assert joined.bins.n_cells < margin.bins.n_cells
    assert np.diff(joined.bins.edges).min() > 100 / 4096 * 1.01
    assert joined.real.sum() == pytest.approx(margin.real.sum())
    for level in (0.25, 0.5, 0.75):
        estimate = quantile(joined, level, 1.96)
        assert estimate.value == pytest.approx(np.quantile(values, level), abs=0.1)


def test_the_end_of_the_range_stays() -> None:
    domains = declared({"x": (0.0, 100.0)})
    grid = grid_bins(domains, "x")
    octiles = Octiles(grid, (grid.n_cells - 1, 5, -1, 2, 9, -1, -1))
    coarse = wide_cells(domains, octiles, 5).coarse
    margin = Margin(coarse, np.zeros(coarse.size), np.eye(coarse.size))
    assert without_empty(margin, octiles).bins.edges[-1] == 100.0


@pytest.mark.parametrize("seed", range(8))
def test_cells_of_pairs_are_never_cut_by_what_is_joined(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.round(rng.gamma(1 + seed, 2.0, 3_000), seed % 3)
    margin, octiles = _looked_at(values[values < 100], sd=10.0, seed=seed)
    paired = wide_cells(declared({"x": (0.0, 100.0)}), octiles, 8).paired
    assert set(paired.edges) <= set(without_empty(margin, octiles).bins.edges)


def test_fences_are_edges_of_counted_numbers() -> None:
    bins = Bins("x", "numeric", edges=tuple(range(102)), integer=True)
    counts = np.append(np.exp(-0.5 * ((np.arange(101) - 50) / 8) ** 2) * 1_000, 0.0)
    cells = narrow_cells(Margin(bins, counts, np.eye(102)), 5)
    # quartiles 45 and 55: outliers lie below 30 and above 70
    assert {30.0, 71.0} <= set(cells.coarse.edges)
    assert set(cells.paired.edges) <= set(cells.coarse.edges) <= set(cells.finest.edges)
    assert cells.paired.n_cells == 5

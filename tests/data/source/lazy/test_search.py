"""Cells that find the place of a number among many cuts."""

from __future__ import annotations

import math
from bisect import bisect_right

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsam.data.source.lazy._search import grid_of


def place(cuts: list[float], value: float) -> int | None:
    """What an engine computes, in plain Python."""
    grid = grid_of(cuts)
    if grid is None:
        return None
    cell = math.floor((min(max(value, grid.low), grid.high) - grid.low) * grid.scale)
    return grid.below[cell] + sum(value >= edges[cell] for edges in grid.edges)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(NUMBERS, min_size=2, max_size=60, unique=True), st.floats(allow_nan=False))
def test_a_grid_finds_what_a_search_finds(numbers: list[float], value: float) -> None:
    cuts = sorted(numbers)
    for number in (value, *cuts, *(math.nextafter(c, math.inf) for c in cuts)):
        assert place(cuts, number) in (None, bisect_right(cuts, number))


def test_even_cuts_have_a_grid() -> None:
    generator = np.random.default_rng(0)
    for cuts in (np.arange(500.0), np.sort(generator.random(50)), np.linspace(-1e300, 1e300, 99)):
        values = [*cuts, *np.nextafter(cuts, -np.inf), np.inf, -np.inf]
        found = [place(cuts.tolist(), float(value)) for value in values]
        assert found == np.searchsorted(cuts, values, side="right").tolist()


def test_uneven_cuts_have_none() -> None:
    assert grid_of([0.0, 5e-324, 1e-323, 1.0]) is None
    assert grid_of([-1.7e308, 0.0, 1.7e308]) is None
    assert grid_of([float(2**i) for i in range(64)]) is None

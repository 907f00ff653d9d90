"""The Hilbert curve by its defining properties, and groups beside all ways to cut a line."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.anonymise.kernels._hilbert_kernels import best_groups, curve_keys, place_keys
from sparsam.anonymise.kernels._packed_rows import scales_of
from sparsam.data import Attribute, CategoricalDomain, NumericDomain


def places(points: list[tuple[int, ...]], n_bits: int) -> list[int]:
    """The place of each point as one long whole number."""
    codes = np.array(points, dtype=np.uint16)
    n = codes.shape[1]
    n_words = -(-n * n_bits // 64)
    keys = np.zeros((len(codes), n_words), np.uint64)
    starts = np.arange(n) * 2**n_bits
    cells = np.tile(np.arange(2**n_bits), n)
    curve_keys(codes, np.arange(n), starts, cells, n_bits, keys)
    whole = [sum(int(word) << 64 * (n_words - 1 - w) for w, word in enumerate(k)) for k in keys]
    return [one >> (64 * n_words - n * n_bits) for one in whole]


def distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("n", "n_bits"), [(1, 1), (1, 5), (2, 1), (2, 5), (3, 1), (3, 3), (4, 2), (5, 2), (8, 1)]
)
def test_the_curve_visits_every_cell_once_and_only_steps_to_neighbours(n: int, n_bits: int) -> None:
    cells = list(product(range(2**n_bits), repeat=n))
    positions = places(cells, n_bits)
    assert sorted(positions) == list(range(len(cells)))
    along = [cell for _, cell in sorted(zip(positions, cells, strict=True))]
    assert all(distance(a, b) == 1 for a, b in pairwise(along))


@pytest.mark.parametrize(("n", "n_bits"), [(2, 4), (3, 3), (4, 2)])
def test_every_smaller_cube_is_one_stretch(n: int, n_bits: int) -> None:
    cells = list(product(range(2**n_bits), repeat=n))
    cubes: dict[tuple[int, ...], list[int]] = {}
    for cell, place in zip(cells, places(cells, n_bits), strict=True):
        cubes.setdefault(tuple(x // 2 for x in cell), []).append(place)
    assert all(max(cube) - min(cube) == 2**n - 1 for cube in cubes.values())


@pytest.mark.parametrize(("n", "n_bits"), [(9, 8), (8, 9), (8, 16), (5, 13), (16, 4), (13, 5)])
def test_places_of_more_than_one_word(n: int, n_bits: int) -> None:
    rng = np.random.default_rng(n)
    corner = tuple(int(x) * 2 for x in rng.integers(0, 2 ** (n_bits - 1), n))
    axes = min(n, 9)
    steps = [(*s, *(0,) * (n - axes)) for s in product((0, 1), repeat=axes)]
    cube = [tuple(a + b for a, b in zip(corner, step, strict=True)) for step in steps]
    positions = places(cube, n_bits)
    assert len(set(positions)) == len(cube)
    assert len({place >> n for place in positions}) == 1  # one stretch of the cube of side 2
    along = sorted(zip(positions, cube, strict=True))
    assert all(distance(a, b) == 1 for (i, a), (j, b) in pairwise(along) if j == i + 1)


@given(st.data())
def test_bounds_are_found_by_all_words(data: Any) -> None:
    word = st.sampled_from([0, 1, 2, 2**63, 2**64 - 1])
    n_words = data.draw(st.integers(1, 3))
    line = st.lists(st.tuples(*[word] * n_words), max_size=8)
    bounds, keys = sorted(data.draw(line)), data.draw(line)
    shape = (-1, n_words)
    positions = place_keys(
        np.array(bounds, np.uint64).reshape(shape), np.array(keys, np.uint64).reshape(shape)
    )
    assert positions.tolist() == [bisect_right(bounds, key) for key in keys]


def _width(codes: Any, attributes: Any) -> float:
    total = 0.0
    for column, attribute in zip(codes.T, attributes, strict=True):
        values = set(column.tolist())
        if not attribute.ordered:
            total += (len(values) - 1) / max(1, attribute.size - 1)
        elif attribute.missing and attribute.n_values in values:
            total += 1.0 if len(values) > 1 else 0.0
        elif attribute.n_values > 1:
            ends = attribute.lows if attribute.numeric else np.arange(attribute.n_values)
            total += (ends[max(values)] - ends[min(values)]) / (ends[-1] - ends[0])
    return float(total)


ATTRIBUTES = (
    Attribute("n", NumericDomain(0, 9), [0.0, 1.0, 2.0, 9.0], [0.0, 1.0, 2.0, 9.0], True),
    Attribute("c", CategoricalDomain(("a", "b", "c")), missing=True),
    Attribute("o", CategoricalDomain(("a", "b", "c"), ordered=True)),
)


@settings(max_examples=150)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 14), fewest=st.integers(1, 7))
def test_groups_lose_as_little_as_the_best_of_all_ways_to_cut(
    seed: int, n: int, fewest: int
) -> None:
    rng = np.random.default_rng(seed)
    sizes = [attribute.size for attribute in ATTRIBUTES]
    codes = np.column_stack([rng.integers(0, s, n) for s in sizes]).astype(np.uint16)
    ends = np.cumsum(rng.integers(1, 4, n))
    begins, least = best_groups(codes, ends, scales_of(ATTRIBUTES), fewest)
    at = [0, *ends.tolist()]
    best = [0.0] + [np.inf] * n
    for j in range(1, n + 1):
        for i in range(j):
            rows = at[j] - at[i]
            if rows >= fewest:
                best[j] = min(best[j], best[i] + rows * _width(codes[i:j], ATTRIBUTES))
    assert least == pytest.approx(np.array(best[1:]))
    stop, total = n, 0.0
    while stop > 0 and np.isfinite(best[n]):
        start = int(begins[stop - 1])
        assert at[stop] - at[start] >= fewest
        total += (at[stop] - at[start]) * _width(codes[start:stop], ATTRIBUTES)
        stop = start
    if np.isfinite(best[n]):
        assert total == pytest.approx(best[n])

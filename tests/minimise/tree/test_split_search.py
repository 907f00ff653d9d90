"""The compiled scan against the impurity computed afresh for every prefix."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.minimise.tree._split_search import ABSENT, LEFT, RIGHT, Split, scan_order


def _sum_of_squares_per_row(counts: np.ndarray) -> Fraction:
    total = int(counts.sum())
    return Fraction(int((counts.astype(int) ** 2).sum()), total) if total else Fraction(0)


def _gains(
    counts: np.ndarray, blocks: list[slice], coefficients: list[float]
) -> list[tuple[int, int, Fraction]]:
    """Rows left, rows right and gain of each prefix of the lines as they stand."""
    found = []
    for length in range(1, len(counts)):
        gain = Fraction(0)
        for block, coefficient in zip(blocks, coefficients, strict=True):
            left, right = counts[:length, block].sum(axis=0), counts[length:, block].sum(axis=0)
            change = _sum_of_squares_per_row(left) + _sum_of_squares_per_row(right)
            gain += Fraction(coefficient) * (change - _sum_of_squares_per_row(left + right))
        found.append(
            (int(counts[:length, blocks[0]].sum()), int(counts[length:, blocks[0]].sum()), gain)
        )
    return found


@given(st.data())
@settings(deadline=None)
def test_scan_finds_the_best_prefix(data: st.DataObject) -> None:
    n_lines, sizes = (
        data.draw(st.integers(1, 6)),
        data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)),
    )
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows = [
        [rng.multinomial(n, np.full(size, 1 / size)) for size in sizes]
        for n in rng.integers(1, 12, n_lines)
    ]
    counts = np.array([np.concatenate(line) for line in rows], dtype=np.int32)
    starts = np.array([0, *np.cumsum(sizes)], dtype=np.int64)
    blocks = [slice(starts[q], starts[q + 1]) for q in range(len(sizes))]
    coefficients = [1.5, *(-0.25 * rng.integers(0, 3, len(sizes) - 1))]
    min_leaf = data.draw(st.integers(1, 8))
    order = rng.permutation(n_lines)
    gain, length = scan_order(
        counts, order, counts.sum(axis=0, dtype=np.int64), starts, np.array(coefficients), min_leaf
    )
    gains = _gains(counts[order], blocks, coefficients)
    allowed = [g for left, right, g in gains if min(left, right) >= min_leaf]
    best = max([Fraction(0), *allowed])
    assert gain == pytest.approx(float(best), abs=1e-9)
    if length:
        left, right, own = gains[length - 1]
        assert float(own) == pytest.approx(gain, abs=1e-9)
        assert min(left, right) >= min_leaf
    else:
        assert best < 1e-9


def test_attribute_that_tells_nothing_gains_nothing_in_spite_of_round_off() -> None:
    rng = np.random.default_rng(0)
    starts, coefficients = np.array([0, 2]), np.array([2.0])
    for _ in range(500):
        shares = rng.integers(1, 50, 2)
        counts = (shares * rng.integers(1, 50, (4, 1))).astype(np.int32)
        totals = counts.sum(axis=0, dtype=np.int64)
        assert scan_order(counts, np.arange(4), totals, starts, coefficients, 1) == (0.0, 0)


def test_first_of_equal_prefixes_wins() -> None:
    counts = np.array([[0, 3], [3, 0], [0, 3]], dtype=np.int32)
    totals = counts.sum(axis=0, dtype=np.int64)
    _, length = scan_order(counts, np.arange(3), totals, np.array([0, 2]), np.array([2.0]), 1)
    assert length == 1


def test_split_knows_which_codes_go_left() -> None:
    split = Split(0, np.array([LEFT, RIGHT, ABSENT]), 5, 2, 0.1)
    assert split.goes_left.tolist() == [True, False, False]

"""Columns counted together, and each by itself."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.counting._boosted_tree import fill_table, part, together


@pytest.mark.parametrize("sizes", [[2], [300], [2, 3, 2, 5, 40], [256, 2, 300, 1, 7], [17] * 6])
@pytest.mark.parametrize("n_rows", [1, 40, 3000])
def test_what_is_counted_together_is_what_is_counted_alone(sizes: list[int], n_rows: int) -> None:
    rng = np.random.default_rng(len(sizes) + n_rows)
    codes = np.stack([rng.integers(0, size, n_rows) for size in sizes], axis=1).astype(np.uint16)
    joint, joint_starts, members = together(codes, sizes)
    rows = rng.permutation(n_rows).astype(np.int32)
    first, last = n_rows // 3, n_rows
    slopes = rng.normal(size=(n_rows, 2))
    starts = np.array([0, *np.cumsum(sizes)])
    table = np.full((starts[-1], 2), np.nan)
    cells = np.full((joint_starts[-1], 2), np.nan)
    fill_table(codes, starts, joint, joint_starts, members, rows, first, last, slopes, cells, table)
    expected = np.zeros_like(table)
    for row in rows[first:last]:
        for column in range(len(sizes)):
            expected[starts[column] + codes[row, column]] += slopes[row]
    np.testing.assert_allclose(table, expected, atol=1e-9)


def test_columns_of_few_codes_are_counted_together() -> None:
    codes = np.array([[1, 2, 250], [0, 1, 3]], dtype=np.uint16)
    joint, starts, members = together(codes, [2, 3, 251])
    assert joint.tolist() == [[5, 250], [1, 3]]
    assert starts.tolist() == [0, 6, 257]
    assert members.tolist() == [[1, 0, 1], [0, 0, 3], [2, 1, 1]]


def test_records_are_parted_in_their_order() -> None:
    codes = np.array([0, 1, 2, 1, 0, 2], dtype=np.uint16)
    rows = np.arange(6, dtype=np.int32)
    left = np.array([True, False, True])
    middle = part(rows, 1, 6, codes, left, np.empty(6, np.int32))
    assert middle == 4
    assert rows.tolist() == [0, 2, 4, 5, 1, 3]

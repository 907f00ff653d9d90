"""Rows as numbers, and back."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DataError
from sparsam.anonymise.large._key_layout import KeyLayout, counted_keys


@pytest.mark.parametrize("sizes", [(1, 2, 300), (65_000,) * 9, (200, 256)])
def test_codes_come_back(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, size, 500).astype(np.uint16) for size in sizes]
    layout = KeyLayout(sizes)
    keys = layout.keys(columns)
    assert keys.shape == (500, layout.n_words)
    for place, codes in enumerate(columns):
        assert layout.column(keys, place).tolist() == codes.tolist()
    packed = layout.packed(keys, np.arange(500))
    assert packed.numbers.tolist() == list(range(500))
    assert packed.cells[:, : len(sizes)].tolist() == np.column_stack(columns).tolist()


def test_equal_rows_are_counted() -> None:
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 50, (1000, 1)).astype(np.uint64)
    known, often = np.unique(keys, return_counts=True)
    own, counts = counted_keys(keys.copy())
    assert own.ravel().tolist() == known.tolist()
    assert counts.tolist() == often.tolist()


def test_a_code_that_was_not_there_before_is_refused() -> None:
    with pytest.raises(DataError, match="must not change while it is read"):
        KeyLayout((3,)).keys([np.array([0, 3], np.uint8)])

"""Different rows and their numbers stand for all rows."""

from __future__ import annotations

import numpy as np

from sparsam.anonymise.large._released_records import ReleasedRecords
from sparsam.anonymise.proof._cells import cells_hash


def records(seed: int) -> ReleasedRecords:
    rng = np.random.default_rng(seed)
    values = {"a": [3, 1, 3, None, 7], "b": ["x", 5, "x ", "y"]}
    blocks = [rng.integers(0, 4, (6, 2)).astype(np.uint16) for _ in range(2)]
    return ReleasedRecords.of(values, blocks, [rng.integers(1, 5, 6) for _ in range(2)])


def test_the_hash_is_that_of_the_rows() -> None:
    for seed in range(10):
        own = records(seed)
        batches = list(own.batches(seed))
        rows = [np.concatenate(column) for column in zip(*batches, strict=True)]
        assert len(rows[0]) == own.n_rows
        cells = {
            name: np.array([own.values[name][place] for place in column], object)
            for name, column in zip(own.values, rows, strict=True)
        }
        assert own.sha256() == cells_hash(cells)
        turned = own.ordered(["b", "a"])
        assert turned.sha256() == cells_hash({"b": cells["b"], "a": cells["a"]})


def test_equal_values_are_one_and_mixed_ones_are_texts() -> None:
    own = ReleasedRecords.of(
        {"b": ["x", 5, "x", "unused"]}, [np.array([[0], [1], [2]], np.uint16)], [np.ones(3, int)]
    )
    assert own.values == {"b": ["5", "x"]}
    assert own.places.ravel().tolist() == [0, 1, 1]

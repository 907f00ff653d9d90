"""The distinct records against a dictionary that counts tuples."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.counting import distinct_records, record_keys

SIZES = st.lists(st.sampled_from([1, 2, 3, 7, 300, 65_000]), min_size=1, max_size=8)


def _codes(sizes: list[int], n_rows: int, seed: int) -> np.ndarray:
    # few different codes, spread over the whole range, so that rows do repeat
    rng = np.random.default_rng(seed)
    columns = [rng.choice([0, size // 2, size - 1], n_rows) for size in sizes]
    return np.asfortranarray(np.column_stack(columns).astype(np.uint16))


@given(SIZES, st.integers(0, 60), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_distinct_records_equal_counted_tuples(sizes: list[int], n_rows: int, seed: int) -> None:
    codes = _codes(sizes, n_rows, seed)
    rows = [tuple(row) for row in codes.tolist()]
    counted = Counter(rows)
    found = distinct_records(codes, sizes)
    assert [tuple(record) for record in found.records.tolist()] == sorted(counted)
    assert found.counts.tolist() == [counted[record] for record in sorted(counted)]
    assert [tuple(found.records[i].tolist()) for i in found.index] == rows
    assert len(found) == len(counted)


@given(SIZES, st.integers(1, 40), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_keys_are_equal_and_ordered_as_the_rows_are(
    sizes: list[int], n_rows: int, seed: int
) -> None:
    codes = _codes(sizes, n_rows, seed)
    keys = record_keys(codes, sizes).tolist()
    rows = [tuple(row) for row in codes.tolist()]
    by_key = [rows[i] for i in np.argsort(keys, kind="stable")]
    assert by_key == sorted(rows)
    assert len(set(keys)) == len(set(rows))


def test_keys_of_more_combinations_than_an_integer_holds() -> None:
    sizes = [65_000] * 12  # 65,000^12 is far above 2^63
    codes = np.full((4, 12), 64_999, dtype=np.uint16)
    codes[1, 0], codes[2, 11] = 0, 0
    found = distinct_records(codes, sizes)
    assert found.counts.tolist() == [1, 1, 2]
    assert found.index.tolist() == [2, 0, 1, 2]


def test_tabulate_counts_another_column() -> None:
    codes = np.array([[0, 1], [1, 0], [0, 1], [0, 1]], dtype=np.uint16)
    other = np.array([2, 0, 2, 1], dtype=np.uint16)
    table = distinct_records(codes, (2, 2)).tabulate(other, 4)
    assert table.tolist() == [[0, 1, 2, 0], [1, 0, 0, 0]]


def test_attributes_that_are_not_collected_do_not_tell_records_apart() -> None:
    found = distinct_records(np.zeros((5, 3), dtype=np.uint16), (1, 1, 1))
    assert found.counts.tolist() == [5]
    assert found.records.tolist() == [[0, 0, 0]]

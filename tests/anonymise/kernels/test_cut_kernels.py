"""Compiled parts of a cut, beside what a loop finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsam.anonymise.kernels._cut_kernels import count_all, middle, sort_codes
from sparsam.anonymise.kernels._packed_rows import (
    Span,
    make_room,
    pack_rows,
    scales_of,
)
from sparsam.anonymise.kernels._tree_kernels import (
    find_bounds,
)
from sparsam.data import Attribute, CategoricalDomain


def town(size: int, name: str = "town") -> Attribute:
    return Attribute(name, CategoricalDomain(tuple(f"v{i}" for i in range(size))))


@given(st.lists(st.floats(-5, 5, width=16), min_size=1, max_size=80))
def test_sorting_is_descending_with_equal_keys_by_code(keys: list[float]) -> None:
    order, sorted_keys = np.arange(len(keys)), np.array(keys, dtype=np.float64)
    sort_codes(order, sorted_keys, len(keys))
    assert order.tolist() == sorted(range(len(keys)), key=lambda i: -keys[i])
    assert sorted_keys.tolist() == [keys[i] for i in order]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=60))
def test_the_middle_parts_most_evenly(values: list[int]) -> None:
    counts = np.bincount(values, minlength=10)
    span = Span(0, len(values), np.array([0]), np.array([9]))
    at, n_left = middle(counts, 0, span, 0, len(values))
    evenness = [min((np.array(values) <= t).sum(), (np.array(values) > t).sum()) for t in range(9)]
    assert min(n_left, len(values) - n_left) == max(evenness)
    if max(evenness):
        assert n_left == (np.array(values) <= at).sum()


def test_counting_tightens_bounds_to_codes_that_occur() -> None:
    scales = scales_of((town(6, "a"), town(4, "b")))
    codes = np.array([[9, 9], [2, 3], [4, 3], [2, 3]], np.uint16) % 6
    rows, room = pack_rows(codes, scales.sizes), make_room(scales)
    room.counts[:] = 77  # what an earlier class left behind
    span = Span(1, 4, np.array([0, 0]), np.array([5, 3]))
    count_all(rows.cells, span, scales.starts, room.counts)
    assert (span.low.tolist(), span.high.tolist()) == ([2, 3], [4, 3])
    assert room.counts[2:5].tolist() == [2, 0, 1]
    assert room.counts[9] == 3
    loose = Span(1, 4, np.array([0, 0]), np.array([5, 3]))
    find_bounds(rows.cells, loose)
    assert (loose.low.tolist(), loose.high.tolist()) == ([2, 3], [4, 3])

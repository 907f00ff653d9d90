"""Compiled parts of growing a tree, each beside a few plain lines."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsam.anonymise.kernels._packed_rows import (
    QUOTA,
    SHARED,
    Grown,
    make_room,
    pack_rows,
    scales_of,
)
from sparsam.anonymise.kernels._tree_kernels import (
    divide_packed,
    keep_mask,
    route_rows,
)
from sparsam.data import Attribute, CategoricalDomain


def town(size: int, name: str = "town") -> Attribute:
    return Attribute(name, CategoricalDomain(tuple(f"v{i}" for i in range(size))))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(0, 1))
def test_dividing_keeps_the_order_on_both_sides(values: list[int], wide: int) -> None:
    scales = scales_of((town(300 if wide else 10),))
    rows = pack_rows(np.array(values, np.uint16)[:, None], scales.sizes)
    room = make_room(scales)
    room.goes_left[[1, 4, 5]] = True
    room.cut[SHARED] = -1
    middle = divide_packed(rows, room, 0, 0, len(values))
    left = [i for i, value in enumerate(values) if value in (1, 4, 5)]
    right = [i for i, value in enumerate(values) if value not in (1, 4, 5)]
    assert middle == len(left)
    assert rows.numbers.tolist() == left + right
    assert rows.cells[:, 0].tolist() == [values[i] for i in left + right]


def test_a_shared_code_fills_its_quota_and_other_rows_stay() -> None:
    scales = scales_of((town(3),))
    rows = pack_rows(np.array([[2], [1], [0], [1], [1], [2]], np.uint16), scales.sizes)
    room = make_room(scales)
    room.goes_left[0] = True
    room.cut[SHARED], room.cut[QUOTA] = 1, 2
    assert divide_packed(rows, room, 0, 1, 5) == 4
    assert rows.numbers.tolist() == [0, 1, 2, 3, 4, 5]


def test_masks_are_kept_bit_by_bit_in_memory_that_grows() -> None:
    masks, goes_left = np.zeros(1, np.uint8), np.zeros(20, np.bool_)
    goes_left[[0, 9, 19]] = True
    masks = keep_mask(masks, 0, goes_left, 20)
    masks = keep_mask(masks, 3, ~goes_left, 20)
    bits = np.unpackbits(masks[:6], bitorder="little")
    assert np.flatnonzero(bits[:24]).tolist() == [0, 9, 19]
    assert bits[24:44].tolist() == (~goes_left).astype(int).tolist()


def test_routing_by_threshold_by_mask_and_with_missing_values() -> None:
    tree = Grown(
        attribute=np.array([0, -1, 1, -1, -1], np.int32),
        threshold=np.array([1, -1, -1, -1, -1], np.int32),
        missing_left=np.array([True, False, False, False, False]),
        mask_at=np.array([-1, -1, 0, -1, -1]),
        children=np.array([[1, 2], [-1, -1], [3, 4], [-1, -1], [-1, -1]], np.int32),
        leaf=np.array([-1, 0, -1, 1, 2], np.int32),
        masks=np.array([0b101], np.uint8),
    )
    codes = np.array([[0, 0], [1, 1], [2, 0], [2, 1], [2, 2], [3, 1]], np.uint16)
    assert route_rows(tree, np.array([3, -1]), codes).tolist() == [0, 0, 1, 2, 1, 0]

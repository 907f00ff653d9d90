"""How rows are laid out, and what spans of codes cost."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.anonymise.kernels._packed_rows import make_room, pack_rows, scales_of
from sparsam.data import Attribute, CategoricalDomain, NumericDomain


def test_small_codes_take_a_byte_and_large_ones_two() -> None:
    codes = np.array([[1, 255], [0, 3]], np.uint16)
    small = pack_rows(codes, np.array([2, 256]))
    large = pack_rows(codes, np.array([2, 257]))
    assert (small.cells.dtype, large.cells.dtype) == (np.uint8, np.uint16)
    for rows in (small, large):
        assert rows.cells[:, :2].tolist() == codes.tolist()
        assert rows.numbers.tolist() == [0, 1]


def test_ten_small_attributes_take_sixteen_bytes() -> None:
    codes = np.zeros((5, 10), np.uint16)
    assert pack_rows(codes, np.full(10, 256)).words.shape == (5, 2)
    assert pack_rows(codes, np.full(10, 256), np.arange(5), 5).words.shape == (5, 2)


def test_a_label_lies_behind_the_codes_and_many_labels_widen_the_cells() -> None:
    codes = np.array([[1], [0]], np.uint16)
    few = pack_rows(codes, np.array([2]), np.array([1, 0]), 2)
    many = pack_rows(codes, np.array([2]), np.array([299, 0]), 300)
    assert few.cells[:, 1].tolist() == [1, 0]
    assert many.cells[:, 1].tolist() == [299, 0]
    assert many.numbers.tolist() == [0, 1]


def test_costs_of_each_kind() -> None:
    ends = np.array([10.0, 20.0, 50.0])
    number = Attribute("n", NumericDomain(10, 50), ends, ends, missing=True)
    order = Attribute("o", CategoricalDomain(("low", "middle", "high"), ordered=True))
    town = Attribute("t", CategoricalDomain(("a", "b", "c", "d")), missing=True)
    scales = scales_of((number, order, town))
    assert scales.sizes.tolist() == [4, 3, 5]
    assert scales.starts.tolist() == [0, 4, 7]
    assert scales.lows[:3].tolist() == [0.0, 0.25, 1.0]
    assert scales.highs[4:7].tolist() == [0.0, 0.5, 1.0]
    assert scales.units[2] == pytest.approx(0.25)
    assert scales.missing.tolist() == [3, -1, -1]
    assert scales.ordered.tolist() == [True, True, False]


def test_one_value_and_huge_values_cost_finite_amounts() -> None:
    single = Attribute("one", NumericDomain(3, 3), np.array([3.0]), np.array([3.0]))
    ends = np.array([-1.7e308, 1.7e308])
    huge = Attribute("huge", NumericDomain(*ends), ends, ends)
    scales = scales_of((single, huge))
    assert scales.highs.tolist() == [0.0, 0.0, 1.0]
    assert np.isfinite(scales.units).all()


def test_room_fits_the_largest_attribute() -> None:
    town = Attribute("t", CategoricalDomain(("a", "b", "c")), missing=True)
    room = make_room(scales_of((town, town)), 3)
    assert room.sums.shape == (8, 3)
    assert len(room.goes_left) == 4

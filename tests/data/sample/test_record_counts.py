"""Counts of records are put together, taken apart and made coarser without losing anybody."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from sparsam.data.sample._record_counts import (
    Cells,
    RecordCounts,
    bucket_plan,
    coarser,
    divided,
    joined,
    people_cells,
    places_among,
    united,
)


def counts_of(records: NDArray[np.uint16], seed: int = 0) -> RecordCounts:
    """Count people with these records, who have some classes and values of "x"."""
    rng = np.random.default_rng(seed)
    distinct, lines = np.unique(records, axis=0, return_inverse=True)
    lines = lines.reshape(-1)
    return RecordCounts(
        records=distinct,
        people=np.bincount(lines, minlength=len(distinct)),
        target=people_cells(lines, rng.integers(-1, 2, len(lines))),
        personal={"x": people_cells(lines, rng.integers(0, 300, len(lines)).astype(np.uint16))},
    )


def people_in(counts: RecordCounts) -> list[Counter[tuple[int, ...]]]:
    """How many people there are by record, with their class, and with their value."""
    records = [tuple(record) for record in counts.records.tolist()]
    told = [Counter(dict(zip(records, counts.people.tolist(), strict=True)))]
    for cells in (counts.target, counts.personal["x"]):
        assert cells is not None
        each = zip(*(numbers.tolist() for numbers in cells), strict=True)
        told.append(Counter({(*records[line], code): n for line, code, n in each}))
    return told


@pytest.fixture
def records() -> NDArray[np.uint16]:
    return np.random.default_rng(1).integers(0, 5, (2_000, 3)).astype(np.uint16)


def test_cells_are_as_narrow_as_their_numbers() -> None:
    numbers = [np.array([0, most], np.int64) for most in (2**31 - 1, 127, 2**31)]
    cells = Cells.of(*numbers)
    assert [part.dtype for part in cells] == [np.int32, np.int8, np.int64]
    assert [part.tolist() for part in cells] == [part.tolist() for part in numbers]
    codes = np.array([-1, 1], np.int64)  # a class that the sample has not
    assert Cells.of(codes, codes, codes).codes.tolist() == [-1, 1]


@pytest.mark.parametrize("most", [1, 1 << 25])
def test_people_are_counted_alike_in_a_table_and_in_order(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsam.data.sample._record_counts._MOST_CELLS", most)
    cells = people_cells(np.array([1, 0, 1, 1]), np.array([-1, 2, -1, 0]))
    assert [numbers.tolist() for numbers in cells] == [[0, 1, 1], [2, -1, 0], [1, 2, 1]]


def test_parts_are_the_whole(records: NDArray[np.uint16]) -> None:
    whole = counts_of(records)
    parts = list(divided(whole, 50))
    assert [len(part.records) for part in parts] == [50, 50, 25]
    assert people_in(joined(parts)) == people_in(whole)
    assert joined([whole]) is whole


def test_united_counts_are_sums(records: NDArray[np.uint16]) -> None:
    some = [counts_of(records[:700], 1), counts_of(records[500:], 2)]
    together = people_in(united(some))
    assert together == [a + b for a, b in zip(*map(people_in, some), strict=True)]


def test_records_are_found_among_others() -> None:
    others = np.array([[3, 0], [1, 1], [2, 9]], np.uint16)
    asked = np.array([[2, 9], [0, 0], [3, 0]], np.uint16)
    places, there = places_among(asked, others)
    assert there.tolist() == [True, False, True]
    assert places[there].tolist() == [2, 0]


def test_without_columns_there_is_one_record() -> None:
    nothing = np.empty((1, 0), np.uint16)
    assert places_among(nothing, nothing)[0].tolist() == [0]
    counts = RecordCounts(nothing, np.array([3]), None, {})
    assert united([counts, counts]).people.tolist() == [6]


def test_coarser_counts_follow_from_finer_ones(records: NDArray[np.uint16]) -> None:
    finer = {name: np.arange(5, dtype=np.uint16) for name in "abc"}
    halves = np.array([0, 0, 1, 1, 1], np.uint16)
    coarse = {"a": halves, "c": np.arange(5, dtype=np.uint16)}
    rough = np.column_stack([halves[records[:, 0]], records[:, 2]])
    assert people_in(coarser(counts_of(records), finer, coarse)) == people_in(counts_of(rough))


def test_a_column_in_which_all_are_alike_is_packed_too() -> None:
    records = np.array([[0, 1, 0], [0, 0, 0]], np.uint16)
    plan = bucket_plan([1, 2, 1])
    assert plan.keys == ((0, 1, 2),)
    packed = [plan.packed(key, lambda i: records[:, i].astype(np.int64)) for key in plan.keys]
    assert (plan.unpacked(packed) == records).all()

"""Joint counts of nodes against counting row by row, through any sequence of divisions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.counting import Node, Rows, _rows

Table = tuple[np.ndarray, list[int], list[tuple[np.ndarray, int]]]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    response_sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    n_rows = draw(st.integers(1, 50))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = [rng.integers(0, size, n_rows) for size in sizes]
    codes = np.asfortranarray(np.column_stack(columns).astype(np.uint16))
    responses = [(rng.integers(0, s, n_rows).astype(np.uint16), s) for s in response_sizes]
    return codes, sizes, responses


def _slowly(table: Table, rows: list[int]) -> np.ndarray:
    codes, sizes, responses = table
    counts = np.zeros((sum(sizes), sum(size for _, size in responses)), dtype=int)
    for row in rows:
        for a in range(len(sizes)):
            first = 0
            for values, size in responses:
                counts[sum(sizes[:a]) + codes[row, a], first + values[row]] += 1
                first += size
    return counts


@given(tables(), st.data())
@settings(deadline=None, max_examples=60)
def test_counts_of_divided_nodes_equal_counting_row_by_row(
    table: Table, data: st.DataObject
) -> None:
    codes, sizes, responses = table
    rows = Rows(codes, sizes, responses)
    root = rows.root()
    leaves: list[tuple[Node, list[int]]] = [(root, list(range(len(codes))))]
    np.testing.assert_array_equal(root.counts, _slowly(table, leaves[0][1]))
    for _ in range(data.draw(st.integers(0, 4))):
        node, members = leaves.pop(data.draw(st.integers(0, len(leaves) - 1)))
        if data.draw(st.booleans()):
            rows.release(node)
        attribute = data.draw(st.integers(0, len(sizes) - 1))
        size = sizes[attribute]
        left_codes = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
        sides = rows.divide(node, attribute, left_codes)
        for side, goes in zip(sides, (True, False), strict=True):
            inside = [row for row in members if left_codes[codes[row, attribute]] == goes]
            assert side.n_rows == len(inside)
            np.testing.assert_array_equal(side.counts, _slowly(table, inside))
            leaves.append((side, inside))
    for node, members in leaves:
        rows.recount(node)
        np.testing.assert_array_equal(node.counts, _slowly(table, members))


def test_dividing_keeps_the_order_of_rows_on_both_sides() -> None:
    codes = np.array([[1], [0], [1], [0], [1]], dtype=np.uint16)
    rows = Rows(codes, [2], [(np.zeros(5, dtype=np.uint16), 1)])
    rows.divide(rows.root(), 0, np.array([True, False]))
    assert rows._order.tolist() == [1, 3, 0, 2, 4]


def test_attributes_may_be_responses_too() -> None:
    rng = np.random.default_rng(1)
    sizes = [3, 257, 256, 300]  # of more than 256 codes one takes two bytes
    codes = np.column_stack([rng.integers(0, s, 300) for s in sizes]).astype(np.uint16)
    codes[0] = [2, 256, 255, 299]
    target = (rng.integers(0, 2, 300).astype(np.uint16), 2)
    given = [target, (codes[:, 3], 300), (codes[:, 0], 3)]
    rows = Rows(codes, sizes, [target], also=[3, 0])
    assert rows.response_sizes == (2, 300, 3)
    for node in rows.divide(rows.root(), 1, np.arange(257) % 2 == 0):
        inside = rows._order[node.start : node.stop].tolist()
        np.testing.assert_array_equal(node.counts, _slowly((codes, sizes, given), inside))


def test_small_nodes_forget_their_counts_and_large_ones_do_not() -> None:
    codes = np.zeros((1000, 1), dtype=np.uint16)
    rows = Rows(codes, [2], [(np.zeros(1000, dtype=np.uint16), 2)])
    root = rows.root()
    rows.release(root)
    assert root.counts is not None
    small, _ = rows.divide(root, 0, np.array([False, True]))
    rows.release(small)
    assert small.counts is None
    rows.release(small)


def test_responses_with_more_codes_than_sixteen_bits() -> None:
    values = np.array([0, 59_999, 59_999], dtype=np.uint16)
    rows = Rows(np.zeros((3, 1), dtype=np.uint16), [1], [(values, 60_000), (values, 60_000)])
    counts = rows.root().counts
    assert counts is not None
    cells = {int(cell): int(counts[0, cell]) for cell in np.flatnonzero(counts[0])}
    assert cells == {0: 1, 59_999: 2, 60_000: 1, 119_999: 2}


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_any_number_of_threads_counts_the_same(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_rows, "_ROWS_WORTH_A_THREAD", 10)
    rng = np.random.default_rng(0)
    sizes = [3, 5, 2, 4, 7]
    codes = np.column_stack([rng.integers(0, s, 5000) for s in sizes]).astype(np.uint16)
    responses = [(codes[:, 2], 2), (codes[:, 4], 7)]
    rows = Rows(codes, sizes, responses)
    rows._threads = threads
    np.testing.assert_array_equal(
        rows.root().counts, _slowly((codes, sizes, responses), list(range(5000)))
    )


def test_more_rows_than_counts_can_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparsam.counting._rows.MOST_ROWS", 2)
    with pytest.raises(DataError, match=r"at most 2 rows\. Got 3"):
        Rows(np.zeros((3, 1), np.uint16), (1,), [(np.zeros(3, np.uint16), 1)])

"""Joint counts against the slow obvious version."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.counting import _joint
from sparsam.counting._joint import JointCounts, cells_of, joint_counts


def oracle(columns: list[np.ndarray], sizes: list[int], places: tuple[int, ...]) -> np.ndarray:
    table = np.zeros([sizes[p] for p in places], np.int64)
    for row in range(len(columns[0])):
        table[tuple(int(columns[p][row]) for p in places)] += 1
    return table


@pytest.mark.parametrize("n_rows", [0, 1, 7, 200])
def test_tables_are_those_of_the_obvious_loop(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_joint, "_BLOCK", 64)  # several blocks, the last one not full
    rng = np.random.default_rng(n_rows)
    sizes = [3, 300, 1, 12]
    kinds = [np.uint8, np.uint16, np.uint8, np.uint16]
    columns = [rng.integers(0, s, n_rows).astype(k) for s, k in zip(sizes, kinds, strict=True)]
    wanted = [(), (0,), (1,), (0, 1), (1, 0), (3, 1), (2, 3), (0, 2, 3), (1, 1)]
    found = joint_counts(columns, sizes, wanted)
    for places, table in zip(wanted, found, strict=True):
        assert table.dtype == np.int64
        assert np.array_equal(table, oracle(columns, sizes, places))


def test_a_code_beyond_its_size_is_refused() -> None:
    with pytest.raises(ParameterError, match="below its size, 2"):
        joint_counts([np.array([0, 2], np.uint8)], [2], [(0,)])


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ParameterError, match="one length"):
        joint_counts([np.zeros(2, np.uint8), np.zeros(3, np.uint8)], [1, 1], [(0, 1)])


def test_a_table_too_large_for_memory_is_refused() -> None:
    columns = [np.zeros(1, np.uint16)] * 2
    with pytest.raises(ParameterError, match="at most"):
        joint_counts(columns, [60_000, 60_000], [(0, 1)])


floats = st.floats(allow_nan=True, allow_infinity=True)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(floats, max_size=30),
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False), max_size=12, unique_by=lambda v: v + 0.0
    ),
)
def test_cells_are_those_of_searchsorted(values: list[float], edges: list[float]) -> None:
    inner = np.sort(np.array(edges, dtype=float))
    with np.errstate(over="ignore", under="ignore"):
        given_ = np.array([*values, *inner, *np.nextafter(inner, -np.inf)], dtype=float)
    expected = np.searchsorted(inner, given_, side="right")
    expected[np.isnan(given_)] = 99
    assert np.array_equal(cells_of(given_, inner, 99), expected)


def test_many_cells_have_wider_codes() -> None:
    inner = np.linspace(0, 1, 1000)
    values = np.random.default_rng(0).uniform(-0.1, 1.1, 5000)
    found = cells_of(np.append(values, np.nan), inner, 1001)
    assert found.dtype == np.uint16
    assert np.array_equal(found[:-1], np.searchsorted(inner, values, side="right"))
    assert found[-1] == 1001


def test_batches_add_up_to_the_whole() -> None:
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, size, 300).astype(np.uint8) for size in (3, 5)]
    wanted = [(), (0,), (1, 0), (0, 1, 0)]
    counts = JointCounts([3, 5], wanted)
    for start, end in ((0, 0), (0, 100), (100, 101), (101, 300)):
        counts.add([column[start:end] for column in columns])
    for table, known in zip(counts.tables(), joint_counts(columns, [3, 5], wanted), strict=True):
        assert np.array_equal(table, known)
    with pytest.raises(ParameterError, match="below its size, 3"):
        counts.add([columns[1] + np.uint8(3), columns[1]])

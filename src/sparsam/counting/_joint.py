"""Joint counts of a few columns of codes: many small tables in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.counting._compiled import compiled

Codes = NDArray[np.unsignedinteger]
# All columns of so many rows stay in a core's cache while every pair of them is counted.
_BLOCK = 1 << 16
_MOST_CELLS = 1 << 28
_SLOTS = 4096


def joint_counts(
    columns: Sequence[Codes], sizes: Sequence[int], wanted: Sequence[tuple[int, ...]]
) -> list[NDArray[np.int64]]:
    """Count how often the codes of several columns occur together.

    Parameters
    ----------
    columns : sequence of ndarray of uint8 or uint16
        One array of codes per column, all of the same length.
    sizes : sequence of int
        How many codes each column has.
    wanted : sequence of tuple of int
        Which columns each table is over, by their places; an empty tuple counts the rows.

    Returns
    -------
    list of ndarray of int64
        One table each, shaped by the sizes of its columns. Every row is counted once in each.

    Examples
    --------
    >>> sex, work = np.array([0, 1, 1], np.uint8), np.array([2, 0, 2], np.uint8)
    >>> joint_counts([sex, work], [2, 3], [(0, 1)])[0]
    array([[0, 0, 1],
           [1, 0, 1]])
    """
    counts = JointCounts(sizes, wanted)
    counts.add(columns)
    return counts.tables()


class JointCounts:
    """Joint counts of rows that come a batch at a time.

    Parameters
    ----------
    sizes : sequence of int
        How many codes each column has.
    wanted : sequence of tuple of int
        Which columns each table is over, by their places; an empty tuple counts the rows.

    Examples
    --------
    >>> counts = JointCounts([2], [(0,)])
    >>> for batch in ([0, 1], [1]):
    ...     counts.add([np.array(batch, np.uint8)])
    >>> counts.tables()[0]
    array([1, 2])
    """

    def __init__(self, sizes: Sequence[int], wanted: Sequence[tuple[int, ...]]) -> None:
        _check_size(sizes, wanted)
        self._sizes, self._wanted = list(sizes), list(wanted)
        self._counts = [
            np.zeros(prod(sizes[place] for place in places), np.int64) for places in wanted
        ]

    def add(self, columns: Sequence[Codes]) -> None:
        """Count more rows.

        Parameters
        ----------
        columns : sequence of ndarray of uint8 or uint16
            One array of codes per column, all of the same length.
        """
        n_rows, sizes = _check(columns, self._sizes), self._sizes
        for start in range(0, n_rows, _BLOCK):
            block = [column[start : start + _BLOCK] for column in columns]
            for places, table in zip(self._wanted, self._counts, strict=True):
                if len(places) == 2:
                    first, second = places
                    _add_pair(block[first], block[second], sizes[second], table)
                elif len(places) == 1:
                    _add_one(block[places[0]], table)
                elif places:
                    _add_many([block[p] for p in places], [sizes[p] for p in places], table)
                else:
                    table[0] += min(_BLOCK, n_rows - start)

    def tables(self) -> list[NDArray[np.int64]]:
        """Return one table each, shaped by the sizes of its columns."""
        return [
            counts.reshape([self._sizes[place] for place in places])
            for places, counts in zip(self._wanted, self._counts, strict=True)
        ]


@compiled()
def _add_one(codes: Codes, counts: NDArray[np.int64]) -> None:
    for row in range(codes.shape[0]):
        counts[codes[row]] += 1


@compiled()
def _add_pair(first: Codes, second: Codes, width: int, counts: NDArray[np.int64]) -> None:
    for row in range(first.shape[0]):
        counts[np.int64(first[row]) * width + np.int64(second[row])] += 1


def _add_many(block: Sequence[Codes], sizes: Sequence[int], counts: NDArray[np.int64]) -> None:
    cells = np.ravel_multi_index([codes.astype(np.int64) for codes in block], tuple(sizes))
    np.add.at(counts, cells, 1)


def cells_of(values: NDArray[np.float64], inner: NDArray[np.float64], missing: int) -> Codes:
    """Return the cell of every number: how many of the ascending inner edges are at most it.

    The same as ``np.searchsorted(inner, values, side="right")``, but a table over the range tells
    where to begin. NaN is in the cell `missing`.

    Examples
    --------
    >>> cells_of(np.array([-5.0, 1.0, 2.5, np.inf, np.nan]), np.array([1.0, 2.0]), 3)
    array([0, 1, 2, 2, 3], dtype=uint8)
    """
    small = max(len(inner), missing) < 256
    codes: Codes = np.empty(len(values), np.dtype("u1" if small else "u2"))
    if not len(inner):
        codes[:] = np.where(np.isnan(values), missing, 0)
        return codes
    low = float(inner[0])
    with np.errstate(over="ignore"):
        width = float(inner[-1]) - low
    scale = _SLOTS / width if width > 0 and np.isfinite(width) and width > 1e-300 else 0.0
    starts = low + np.arange(_SLOTS + 1) / scale if scale else np.full(_SLOTS + 1, low)
    first = np.searchsorted(inner, starts, side="right")
    _fill_cells(values, inner, low, scale, first, missing, codes)
    return codes


@compiled()
def _fill_cells(
    values: NDArray[np.float64],
    inner: NDArray[np.float64],
    low: float,
    scale: float,
    first: NDArray[np.int64],
    missing: int,
    codes: Codes,
) -> None:
    last = inner.shape[0]
    for row in range(values.shape[0]):
        value = values[row]
        if np.isnan(value):
            codes[row] = missing
            continue
        if value < inner[0]:
            codes[row] = 0
            continue
        if value >= inner[last - 1]:
            codes[row] = last
            continue
        # the slot is only a guess: rounding may put it one too far to either side, and an
        # infinite range makes it no number at all
        place = (value - low) * scale
        slot = 0
        if place > 0:
            slot = int(place) if place < _SLOTS else _SLOTS
        cell = first[slot]
        while cell < last and inner[cell] <= value:
            cell += 1
        while cell > 0 and value < inner[cell - 1]:
            cell -= 1
        codes[row] = cell


def _check(columns: Sequence[Codes], sizes: Sequence[int]) -> int:
    lengths = {len(column) for column in columns}
    if len(columns) != len(sizes) or len(lengths) > 1:
        raise ParameterError("Columns of codes must be of one length, and have a size each.")
    for column, size in zip(columns, sizes, strict=True):
        if column.size and int(column.max()) >= size:  # the loops do not look where they write
            raise ParameterError(f"The codes of a column must be below its size, {size}.")
    return lengths.pop() if lengths else 0


def _check_size(sizes: Sequence[int], wanted: Sequence[tuple[int, ...]]) -> None:
    for places in wanted:
        cells = prod(sizes[place] for place in places)
        if cells > _MOST_CELLS:
            raise ParameterError(
                f"A table must have at most {_MOST_CELLS:,} cells. Got {cells:,} instead."
            )

"""Count identical records: a few hundred distinct ones, however many people there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LARGEST_KEY = 2**62


@dataclass(frozen=True, repr=False)
class DistinctRecords:
    """The distinct records of a table and how often each occurs.

    Attributes
    ----------
    records : ndarray of uint16 of shape (n_distinct, n_attributes)
        In lexicographic order.
    counts : ndarray of int64 of shape (n_distinct,)
    index : ndarray of int64 of shape (n_rows,)
        Which distinct record each row is.
    """

    records: NDArray[np.uint16]
    counts: NDArray[np.int64]
    index: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.counts.shape[0])

    def tabulate(self, codes: NDArray[np.uint16], size: int) -> NDArray[np.int64]:
        """Joint counts of (distinct record, code of another column)."""
        cells = self.index * size + codes
        return np.bincount(cells, minlength=len(self) * size).reshape(len(self), size)


def distinct_records(codes: NDArray[np.uint16], sizes: Sequence[int]) -> DistinctRecords:
    """Find the distinct rows of a matrix of codes and count them.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    sizes : sequence of int
        Number of codes of each attribute.

    Examples
    --------
    >>> import numpy as np
    >>> found = distinct_records(np.array([[1, 0], [0, 2], [1, 0]], np.uint16), (2, 3))
    >>> found.records.tolist(), found.counts.tolist(), found.index.tolist()
    ([[0, 2], [1, 0]], [1, 2], [1, 0, 1])
    """
    keys, span = _short_keys(codes, sizes)
    if span <= _slots(len(keys)):
        counts = np.bincount(keys, minlength=span)
        present = np.flatnonzero(counts)
        ranks = np.empty(span, dtype=np.int64)
        ranks[present] = np.arange(len(present))
        index = ranks[keys]
        first = np.empty(len(present), dtype=np.int64)
        first[index[::-1]] = np.arange(len(keys) - 1, -1, -1)  # the first one is written last
        return DistinctRecords(codes[first], counts[present], index)
    _, first, index, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    return DistinctRecords(codes[first], counts.astype(np.int64), index.astype(np.int64))


def record_keys(codes: NDArray[np.uint16], sizes: Sequence[int]) -> NDArray[np.int64]:
    """One integer for each row, equal for equal rows, in lexicographic order of the rows."""
    return _short_keys(codes, sizes)[0]


def _short_keys(codes: NDArray[np.uint16], sizes: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """The same, kept as small as a look at all keys so far can make them, and what bounds them."""
    keys = np.zeros(codes.shape[0], dtype=np.int64)
    most, span = _slots(len(keys)), 1
    for column, size in enumerate(sizes):
        if size == 1:
            continue
        if span <= most < span * size:
            keys, span = _ranked(keys, span)
        elif span * size > _LARGEST_KEY:
            # Ranks keep equality and order, and are never more than there are rows.
            values, keys = np.unique(keys, return_inverse=True)
            keys = keys.astype(np.int64)
            span = len(values)
        keys = keys * size + codes[:, column]
        span *= size
    return keys, span


def _slots(n_rows: int) -> int:
    """How large a table of all keys may be to cost less than sorting them."""
    return max(1 << 12, 4 * n_rows)


def _ranked(keys: NDArray[np.int64], span: int) -> tuple[NDArray[np.int64], int]:
    """Number the keys that occur, in their order, by a table of all that could."""
    present = np.zeros(span, dtype=bool)
    present[keys] = True
    ranks = np.cumsum(present) - 1
    return ranks[keys], int(ranks[-1]) + 1

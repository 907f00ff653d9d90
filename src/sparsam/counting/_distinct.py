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
    keys = record_keys(codes, sizes)
    _, first, index, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    return DistinctRecords(codes[first], counts.astype(np.int64), index.astype(np.int64))


def record_keys(codes: NDArray[np.uint16], sizes: Sequence[int]) -> NDArray[np.int64]:
    """One integer for each row, equal for equal rows, in lexicographic order of the rows."""
    keys = np.zeros(codes.shape[0], dtype=np.int64)
    span = 1
    for column, size in enumerate(sizes):
        if size == 1:
            continue
        if span * size > _LARGEST_KEY:
            # Ranks keep equality and order, and are never more than there are rows.
            values, keys = np.unique(keys, return_inverse=True)
            keys = keys.astype(np.int64)
            span = len(values)
        keys = keys * size + codes[:, column]
        span *= size
    return keys

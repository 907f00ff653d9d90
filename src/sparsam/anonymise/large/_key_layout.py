"""Rows as one or a few whole numbers each: sorted, equal ones fall together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.anonymise.kernels._packed_rows import Cells, Packed

Keys = NDArray[np.uint64]
Codes = NDArray[np.unsignedinteger]
_WORD = 64


@dataclass(frozen=True)
class KeyLayout:
    """Where the codes of each column lie in the words of a key.

    Parameters
    ----------
    sizes : tuple of int
        Number of codes of each column.

    Examples
    --------
    >>> layout = KeyLayout((100, 3))
    >>> keys = layout.keys([np.array([7, 99], np.uint8), np.array([2, 0], np.uint8)])
    >>> layout.n_words, layout.column(keys, 0).tolist(), layout.column(keys, 1).tolist()
    (1, [7, 99], [2, 0])
    """

    sizes: tuple[int, ...]

    @cached_property
    def places(self) -> tuple[tuple[int, int, int], ...]:
        """For each column its word, the bit that it begins at, and its number of bits."""
        places, word, used = [], 0, 0
        for size in self.sizes:
            bits = max(1, (size - 1).bit_length())
            if used + bits > _WORD:
                word, used = word + 1, 0
            places.append((word, used, bits))
            used += bits
        return tuple(places)

    @property
    def n_words(self) -> int:
        """How many words a key has."""
        return self.places[-1][0] + 1

    @property
    def cell(self) -> type[np.uint8] | type[np.uint16]:
        """The smallest type of all codes."""
        return np.uint8 if max(self.sizes) <= np.iinfo(np.uint8).max + 1 else np.uint16

    @property
    def packed_words(self) -> int:
        """How many words a record has, once it is laid out for being moved about."""
        return -(-(len(self.sizes) * np.dtype(self.cell).itemsize + 4) // 8)

    def keys(self, columns: Sequence[Codes]) -> Keys:
        """Put the codes of rows together.

        Parameters
        ----------
        columns : sequence of ndarray

        Returns
        -------
        ndarray of uint64 of shape (n_rows, n_words)
        """
        from sparsam.anonymise.kernels._weighted_kernels import add_codes

        keys = np.zeros((len(columns[0]), self.n_words), np.uint64)
        for codes, size, (word, shift, _) in zip(columns, self.sizes, self.places, strict=True):
            if add_codes(keys, word, codes, shift) >= size:
                raise DataError(
                    "A table must not change while it is read. It has values now that it did not "
                    "have before."
                )
        return keys

    def column(self, keys: Keys, place: int) -> Keys:
        """Return the codes of one column.

        Parameters
        ----------
        keys : ndarray of uint64 of shape (n_rows, n_words)
        place : int
        """
        word, shift, bits = self.places[place]
        codes: Keys = (keys[:, word] >> np.uint64(shift)) & np.uint64((1 << bits) - 1)
        return codes

    def packed(self, keys: Keys, counts: NDArray[np.integer]) -> Packed:
        """Lay records out for being moved about; the number of each is how many people have it.

        Parameters
        ----------
        keys : ndarray of uint64 of shape (n_records, n_words)
        counts : ndarray of int
        """
        words = np.zeros((len(keys), self.packed_words), np.uint64)
        cells: Cells = words.view(self.cell)
        for place in range(len(self.sizes)):
            cells[:, place] = self.column(keys, place)
        numbers = words.view(np.uint32)[:, -1]
        numbers[:] = counts
        return Packed(words, np.empty_like(words), cells, numbers, np.empty(0))


def counted_keys(keys: Keys) -> tuple[Keys, NDArray[np.int64]]:
    """Find the different keys, and how many rows have each.

    Parameters
    ----------
    keys : ndarray of uint64 of shape (n_rows, n_words)
        Sorted in place, where a key has one word; all rows count as different elsewhere.

    Examples
    --------
    >>> keys, counts = counted_keys(np.array([[5], [3], [5]], np.uint64))
    >>> keys.ravel().tolist(), counts.tolist()
    ([3, 5], [1, 2])
    """
    if keys.shape[1] > 1 or not len(keys):
        return keys, np.ones(len(keys), np.int64)
    only = keys[:, 0]
    only.sort()
    starts = np.flatnonzero(np.concatenate([[True], only[1:] != only[:-1]]))
    counts = np.diff(np.append(starts, len(only)))
    return only[starts].reshape(-1, 1), counts

"""One number for each distinct record, kept over many questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LARGEST_KEY = 2**62
_MOST_RECORDS = 2**31


class Places:
    """Numbers keys in the order in which they are first seen.

    Examples
    --------
    >>> places = Places()
    >>> places.add(np.array([3, 8]))
    array([0, 1])
    >>> places.find(np.array([8, 5]))
    array([ 1, -1])
    """

    def __init__(self) -> None:
        self._keys = np.empty(0, np.int64)  # in order
        self._places = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of each key, and -1 for one that was never seen."""
        if not len(self._keys):
            return np.full(len(keys), -1, np.int64)
        at = np.searchsorted(self._keys, keys)
        np.minimum(at, len(self._keys) - 1, out=at)
        return np.where(self._keys[at] == keys, self._places[at], -1)

    def add(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number new keys, which must be in order and different, and give their numbers."""
        new = np.arange(len(self), len(self) + len(keys), dtype=np.int64)
        at = np.searchsorted(self._keys, keys)
        at += np.arange(len(keys))
        before = np.ones(len(self) + len(keys), dtype=bool)
        before[at] = False
        self._keys = _put(before, self._keys, keys)
        self._places = _put(before, self._places, new)
        return new


def _put(
    before: NDArray[np.bool_], known: NDArray[np.int64], new: NDArray[np.int64]
) -> NDArray[np.int64]:
    """What is known already at the places where it is marked to be, what is new at the others."""
    both = np.empty(len(before), np.int64)
    both[before], both[~before] = known, new
    return both


class RecordKeys:
    """One integer for each record, the same whenever the record comes again.

    Where the records are too many for one integer, those of the first attributes are numbered as
    they come, and the number stands for them.

    Parameters
    ----------
    sizes : sequence of int
        The number of codes of each attribute.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = tuple(sizes)
        self._first: dict[int, Places] = {}  # for some attributes, the records up to there
        span = 1
        for a, size in enumerate(self._sizes):
            if span * size > _LARGEST_KEY:
                self._first[a] = Places()
                span = _MOST_RECORDS
            span *= size
        after = np.cumprod([1, *self._sizes[:0:-1]], dtype=object)[::-1][: len(self._sizes)]
        self._steps = None if self._first else after.astype(np.int64)  # between neighbouring codes

    def __call__(self, codes: NDArray[np.uint16]) -> NDArray[np.int64]:
        """The keys of some records; in the order of the records where nothing is numbered."""
        if self._steps is not None:
            return np.asarray(codes @ self._steps, np.int64)
        keys = np.zeros(len(codes), np.int64)
        for a, size in enumerate(self._sizes):
            if a in self._first:
                keys = _numbered(self._first[a], keys)
            if size > 1:
                keys *= size
                keys += codes[:, a]
        return keys


def _numbered(places: Places, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    distinct, index = np.unique(keys, return_inverse=True)
    found = places.find(distinct)
    new = np.flatnonzero(found < 0)
    found[new] = places.add(distinct[new])
    return found[index]

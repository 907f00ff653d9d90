"""Count the records of people whose codes come by, a part of the records after the other.

Of a hundred million people there may be tens of millions of different records, each with a few
values of every attribute: more than memory should hold at once. Records are therefore divided, in
their order, into slices with about as many people each, and the codes of as many people as memory
has room for are kept while everyone comes by. Where these are not all, everyone comes by again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sparsam.data.sample._record_counts import (
    Lookup,
    RecordCounts,
    bucket_plan,
    joined,
    people_cells,
    ranked,
    united,
    unpacked,
)
from sparsam.data.source.lazy import RecordPlan, RecordRange

Columns = list[NDArray[np.integer]]
MOST_RECORDS = 1_000_000  # in a part
_PEOPLE_IN_SLICE = 1 << 20
_PEOPLE_AT_ONCE = 1 << 25  # whose codes, one or two bytes each, are here
# A slice with so many times the people has few records, each of many: they are counted early.
_MANY_SLICES = 4


def record_parts(
    columns_of: Callable[[Sequence[str]], Iterator[Columns]],
    lookups: Mapping[str, Lookup],
    personal: Sequence[str],
    sample: NDArray[np.uint16],
    *,
    n_people: int,
    has_classes: bool,
) -> Iterator[RecordCounts]:
    """Count generalized records, in parts of no more than about a million in their order.

    Parameters
    ----------
    columns_of : callable
        Given names of attributes, everyone's codes of these and, last, the classes of the target,
        a few people after the other. It is called as often as everyone must come by.
    lookups : mapping of str to ndarray
        For each collected attribute, the bucket of each of its codes.
    personal : sequence of str
        The attributes whose values are counted beside the records.
    sample : ndarray of uint16 of shape (n, n_columns)
        The records of some people who are like all these.
    n_people : int
        About how many there are.
    has_classes : bool
        Whether there are classes.

    Yields
    ------
    RecordCounts
    """
    counting = _Counting(lookups, personal, has_classes)
    borders = counting.borders(sample, -(-n_people // _PEOPLE_IN_SLICE))
    n_slices, at_once = len(borders) + 1, max(1, _PEOPLE_AT_ONCE // _PEOPLE_IN_SLICE)
    waiting: list[RecordCounts] = []
    for first in range(0, n_slices, at_once):
        slices = [_Slice(counting) for _ in range(first, min(first + at_once, n_slices))]
        for columns in columns_of(counting.names):
            _deal(columns, counting, borders, first, slices)
        while slices:
            counts = slices.pop(0).counts()
            n_waiting = sum(len(part.records) for part in waiting)
            if waiting and n_waiting + len(counts.records) > MOST_RECORDS:
                yield joined(waiting)
                waiting = []
            if len(counts.records) or (not waiting and not slices):
                waiting.append(counts)
    yield joined(waiting)


def record_ranges(
    lookups: Mapping[str, Lookup], sample: NDArray[np.uint16], n_ranges: int
) -> list[RecordRange] | list[None]:
    """Ranges in which about as many people are each, in their order.

    Parameters
    ----------
    lookups : mapping of str to ndarray
        For each collected attribute, the bucket of each of its codes.
    sample : ndarray of uint16 of shape (n, n_columns)
        The records of some people: where many have the same, there are fewer ranges.
    n_ranges : int

    Returns
    -------
    list of RecordRange, or of None
        None stands for all records, where there is nothing to divide.
    """
    record = bucket_plan([int(lookup.max()) + 1 for lookup in lookups.values()])
    borders = _borders(record, sample, n_ranges)
    if not len(borders):
        return [None]
    sizes = tuple(record.columns[place].n_buckets for place in record.keys[0])
    return [RecordRange(sizes, *pair) for pair in pairwise([None, *borders.tolist(), None])]


def _borders(record: RecordPlan, sample: NDArray[np.uint16], n_slices: int) -> NDArray[np.int64]:
    if not record.keys or not len(sample):
        return np.empty(0, np.int64)
    keys: NDArray[np.int64] = record.packed(
        record.keys[0], lambda place: sample[:, place].astype(np.int64)
    )
    keys.sort()
    return np.unique(keys[len(keys) * np.arange(1, n_slices) // n_slices])


def _deal(
    columns: Columns,
    counting: _Counting,
    borders: NDArray[np.int64],
    first: int,
    slices: Sequence[_Slice],
) -> None:
    """Add to each slice its own people; the first has this number."""
    if not len(borders):
        slices[0].add(columns)
        return
    number = np.searchsorted(borders, counting.key(columns, 0), side="right") - first
    rows = np.flatnonzero((number >= 0) & (number < len(slices)))
    own = number[rows].astype(np.uint16)
    rows = rows[np.argsort(own, kind="stable")]
    ends = np.cumsum(np.bincount(own, minlength=len(slices)))
    dealt = [np.split(column[rows], ends[:-1]) for column in columns]
    for place, each in enumerate(slices):
        each.add([column[place] for column in dealt])


class _Counting:
    """How people are counted whose codes are given.

    Parameters
    ----------
    lookups, personal, has_classes
        As for `record_parts`.

    Attributes
    ----------
    names : list of str
        The attributes whose codes are asked for.
    """

    def __init__(
        self, lookups: Mapping[str, Lookup], personal: Sequence[str], has_classes: bool
    ) -> None:
        self.names = list(dict.fromkeys([*lookups, *personal]))
        self._buckets = [lookup.astype(np.int64) for lookup in lookups.values()]
        self._record = bucket_plan([int(lookup.max()) + 1 for lookup in lookups.values()])
        self._personal, self._has_classes = personal, has_classes

    def key(self, columns: Columns, number: int) -> NDArray[np.int64]:
        """One of the whole numbers that the records of people are packed into.

        The collected attributes are the first columns.
        """
        key: NDArray[np.int64] = self._record.packed(
            self._record.keys[number], lambda place: self._buckets[place][columns[place]]
        )
        return key

    def borders(self, sample: NDArray[np.uint16], n_slices: int) -> NDArray[np.int64]:
        """The first number of each slice but the first one, where slices have as many people."""
        return _borders(self._record, sample, n_slices)

    def count(self, columns: Columns) -> RecordCounts:
        """Count the records of people."""
        n_people = len(columns[0]) if columns else 0
        keys = [self.key(columns, number) for number in range(len(self._record.keys))]
        whole, index = ranked(keys, n_people)
        del keys
        return RecordCounts(
            records=unpacked(self._record, whole),
            people=np.bincount(index, minlength=len(whole[0]) if whole else 1),
            target=people_cells(index, columns[-1]) if self._has_classes else None,
            personal={
                name: people_cells(index, columns[self._place[name]]) for name in self._personal
            },
        )

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}


class _Slice:
    """The people of one slice: their codes until these are many, and counts of others.

    Parameters
    ----------
    counting : _Counting
    """

    def __init__(self, counting: _Counting) -> None:
        self._counting = counting
        self._people: list[Columns] = []
        self._counted: list[RecordCounts] = []
        self._n_people = 0

    def add(self, columns: Columns) -> None:
        """Keep the codes of some people."""
        self._people.append(columns)
        self._n_people += len(columns[0])
        if self._n_people > _MANY_SLICES * _PEOPLE_IN_SLICE:
            self._counted = [self.counts()]

    def counts(self) -> RecordCounts:
        """Count everyone so far."""
        if self._people:
            columns = [np.concatenate(own) for own in zip(*self._people, strict=True)]
            self._counted.append(self._counting.count(columns))
            self._people, self._n_people = [], 0
        elif not self._counted:
            nobody: Columns = [np.zeros(0, np.uint8)] * (len(self._counting.names) + 1)
            return self._counting.count(nobody)
        return self._counted[0] if len(self._counted) == 1 else united(self._counted)

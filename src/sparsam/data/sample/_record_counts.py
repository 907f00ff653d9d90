"""How many people have each generalized record, and which values go with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source.lazy import ColumnPlan, RecordPlan

Lookup = NDArray[np.uint16]
Numbers = NDArray[np.signedinteger]
# A table of so many cells is counted at once.
_MOST_CELLS = 1 << 25


class Cells(NamedTuple):
    """How many people have each record and value, where there are any.

    There may be millions of cells for each attribute, so their numbers are as narrow as can be.

    Attributes
    ----------
    lines : ndarray of int
        Which distinct record.
    codes : ndarray of int
        Which value beside it.
    counts : ndarray of int
    """

    lines: Numbers
    codes: Numbers
    counts: Numbers

    @classmethod
    def of(
        cls,
        lines: NDArray[np.integer],
        codes: NDArray[np.integer],
        counts: NDArray[np.integer],
    ) -> Cells:
        """Keep the numbers in the smallest types that hold them."""
        return cls(_narrow(lines), _narrow(codes), _narrow(counts))


@dataclass(frozen=True, repr=False)
class RecordCounts:
    """The generalized records of many people, counted.

    Attributes
    ----------
    records : ndarray of uint16 of shape (n_distinct, n_columns)
        In lexicographic order.
    people : ndarray of int64
        How many share each.
    target : Cells or None
        By class; None where the target is a number. A value that is no class of the sample is -1.
    personal : mapping of str to Cells
        By the code of each personal attribute.
    """

    records: NDArray[np.uint16]
    people: NDArray[np.int64]
    target: Cells | None
    personal: Mapping[str, Cells]

    @property
    def n_people(self) -> int:
        """How many people there are."""
        return int(self.people.sum())


def united(counted: Sequence[RecordCounts]) -> RecordCounts:
    """The people of several counts of like records together.

    Parameters
    ----------
    counted : sequence of RecordCounts
    """
    records, index = _distinct(np.concatenate([counts.records for counts in counted]))
    lines = np.split(index, np.cumsum([len(counts.records) for counts in counted])[:-1])

    def together(cells: Sequence[Cells]) -> Cells:
        parts = [(own[c.lines], c.codes, c.counts) for own, c in zip(lines, cells, strict=True)]
        return summed(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    targets = [counts.target for counts in counted if counts.target is not None]
    people = np.zeros(len(records), dtype=np.int64)
    for own, counts in zip(lines, counted, strict=True):
        people[own] += counts.people
    return RecordCounts(
        records=records,
        people=people,
        target=together(targets) if targets else None,
        personal={
            name: together([counts.personal[name] for counts in counted])
            for name in counted[0].personal
        },
    )


def joined(parts: Sequence[RecordCounts]) -> RecordCounts:
    """Counts of parts of the records as one.

    Parameters
    ----------
    parts : sequence of RecordCounts
        In the order of their records, of which no two parts have the same.
    """
    if len(parts) == 1:
        return parts[0]
    before = np.cumsum([0, *(len(part.records) for part in parts)])

    def together(cells: Sequence[Cells]) -> Cells:
        lines = [c.lines.astype(np.int64) + n for c, n in zip(cells, before, strict=False)]
        _, codes, counts = zip(*cells, strict=True)
        return Cells.of(np.concatenate(lines), np.concatenate(codes), np.concatenate(counts))

    targets = [part.target for part in parts if part.target is not None]
    return RecordCounts(
        records=np.concatenate([part.records for part in parts]),
        people=np.concatenate([part.people for part in parts]),
        target=together(targets) if targets else None,
        personal={
            name: together([part.personal[name] for part in parts]) for name in parts[0].personal
        },
    )


def divided(counts: RecordCounts, most: int) -> Iterator[RecordCounts]:
    """Parts of so many records each, in their order.

    Parameters
    ----------
    counts : RecordCounts
    most : int
    """
    for first in range(0, len(counts.records), most):
        last = min(first + most, len(counts.records))

        def of(cells: Cells, first: int = first, last: int = last) -> Cells:
            start, stop = np.searchsorted(cells.lines, [first, last])
            lines, codes, people = (numbers[start:stop] for numbers in cells)
            return Cells.of(lines - first, codes, people)

        yield RecordCounts(
            records=counts.records[first:last],
            people=counts.people[first:last],
            target=None if counts.target is None else of(counts.target),
            personal={name: of(cells) for name, cells in counts.personal.items()},
        )


def places_among(
    records: NDArray[np.uint16], others: NDArray[np.uint16]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where some records are among others, which are distinct, and whether they are there at all.

    Parameters
    ----------
    records, others : ndarray of uint16
        With the same columns.
    """
    distinct, index = _distinct(np.concatenate([others, records]))
    places = np.full(len(distinct), -1)
    places[index[: len(others)]] = np.arange(len(others))
    found = places[index[len(others) :]]
    return found, found >= 0


def coarser(
    counts: RecordCounts, finer: Mapping[str, Lookup], lookups: Mapping[str, Lookup]
) -> RecordCounts:
    """The counts of coarser records, from those of finer ones.

    Parameters
    ----------
    counts : RecordCounts
    finer, lookups : mapping of str to ndarray
        The bucket of each code that the records have, and that they shall have.
    """
    names = list(finer)
    records = np.empty((len(counts.records), len(lookups)), dtype=np.uint16)
    for column, (name, lookup) in enumerate(lookups.items()):
        _, code = np.unique(finer[name], return_index=True)
        records[:, column] = lookup[code][counts.records[:, names.index(name)]]
    distinct, lines = _distinct(records)
    people = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(people, lines, counts.people)

    def of(cells: Cells) -> Cells:
        return summed(lines[cells.lines], cells.codes, cells.counts)

    target = None if counts.target is None else of(counts.target)
    return RecordCounts(distinct, people, target, {n: of(c) for n, c in counts.personal.items()})


def bucket_plan(sizes: Sequence[int]) -> RecordPlan:
    """How buckets, of which each column has so many, become a few whole numbers."""
    return RecordPlan(
        tuple(ColumnPlan(str(i), "number", missing=size - 1) for i, size in enumerate(sizes))
    )


def ranked(
    keys: Sequence[NDArray[np.int64]], n_rows: int
) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """The distinct combinations of keys in their order, and which of them each row has."""
    if not keys:
        return [], np.zeros(n_rows, dtype=np.int64)
    whole, index = np.unique(keys[0], return_inverse=True)
    columns = [whole]
    for key in keys[1:]:
        values, own = np.unique(key, return_inverse=True)
        pairs, index = np.unique(index * len(values) + own, return_inverse=True)
        columns = [column[pairs // len(values)] for column in columns] + [
            values[pairs % len(values)]
        ]
    return columns, index.astype(np.int64, copy=False)


def unpacked(record: RecordPlan, keys: Sequence[NDArray[np.int64]]) -> NDArray[np.uint16]:
    """The records that distinct combinations of keys stand for."""
    return record.unpacked(keys) if keys else np.empty((1, 0), dtype=np.uint16)


def _distinct(records: NDArray[np.uint16]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """The distinct records in their order, and which of them each is."""
    plan = bucket_plan([int(column.max(initial=0)) + 1 for column in records.T])
    keys = [plan.packed(key, lambda i: records[:, i].astype(np.int64)) for key in plan.keys]
    whole, index = ranked(keys, len(records))
    return unpacked(plan, whole), index


def people_cells(lines: NDArray[np.int64], codes: NDArray[np.integer]) -> Cells:
    """Count people, each given by the line and the code, of which -1 is one too."""
    size = int(codes.max(initial=0)) + 2
    cells = lines * size + codes + 1
    n_cells = (int(lines.max(initial=0)) + 1) * size
    if n_cells <= min(_MOST_CELLS, 4 * len(cells)):
        counts = np.bincount(cells, minlength=n_cells)
        present = np.flatnonzero(counts)
        return Cells.of(present // size, present % size - 1, counts[present])
    present, counts = np.unique(cells, return_counts=True)
    return Cells.of(present // size, present % size - 1, counts)


def summed(lines: Numbers, codes: Numbers, counts: Numbers) -> Cells:
    """Put equal cells together."""
    size = int(codes.max(initial=0)) + 2  # -1 is a code too
    cells, index = np.unique(lines.astype(np.int64) * size + codes + 1, return_inverse=True)
    total = np.zeros(len(cells), dtype=np.int64)
    np.add.at(total, index, counts)
    return Cells.of(cells // size, cells % size - 1, total)


def _narrow(numbers: NDArray[np.integer]) -> Numbers:
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return numbers.astype(
        next(k for k in kinds if np.iinfo(k).min <= low <= high <= np.iinfo(k).max)
    )

"""The people of a large table who are not in the sample that was drawn from it.

Nobody learns from them, and none of their records comes here. What is reported of a generalization
is counted on them where they are: how many share each generalized record, and which values of the
target and of the personal attributes go with it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source.lazy import ColumnPlan, LazyFrame, RecordPlan, RecordsBeside

if TYPE_CHECKING:
    from sparsam.data._task import Task

Lookup = NDArray[np.uint16]
Numbers = NDArray[np.signedinteger]
# Of more people an engine is asked for one column after the other: each answer may have gigabytes.
_MOST_TOGETHER = 20_000_000
# Values that an engine gave are looked up so many at a time: as objects they take much memory.
_AT_ONCE = 1 << 20
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
        cls, lines: NDArray[np.int64], codes: NDArray[np.int64], counts: NDArray[np.int64]
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


class Others(ABC):
    """People who are counted where they are, and never learned from.

    Attributes
    ----------
    n_people : int
        How many rows they have; some may lack a target.
    """

    n_people: int

    @abstractmethod
    def count(self, lookups: Mapping[str, Lookup], personal: Sequence[str]) -> RecordCounts:
        """Count generalized records.

        Parameters
        ----------
        lookups : mapping of str to ndarray
            For each collected attribute, the bucket of each of its codes.
        personal : sequence of str
            The attributes whose values are counted beside the records.
        """


class OthersAtHome(Others):
    """People whose codes are in memory.

    Parameters
    ----------
    task : Task
        Everyone.
    rows : ndarray of int64
        Those who are counted.
    """

    def __init__(self, task: Task, rows: NDArray[np.int64]) -> None:
        self._task, self._rows = task, rows
        self.n_people = len(rows)

    def count(self, lookups: Mapping[str, Lookup], personal: Sequence[str]) -> RecordCounts:
        """Count generalized records."""
        sizes = [int(lookup.max()) + 1 for lookup in lookups.values()]
        record = RecordPlan(
            tuple(
                ColumnPlan(n, "number", missing=s - 1) for n, s in zip(lookups, sizes, strict=True)
            )
        )
        names = list(lookups)

        def buckets(place: int) -> NDArray[np.int64]:
            return lookups[names[place]][self._codes(names[place])].astype(np.int64)

        keys = [record.packed(key, buckets) for key in record.keys]
        whole, index = _ranked(keys, len(self._rows))
        target = None if self._task.numbers is not None else self._task.target[self._rows]
        people = np.bincount(index, minlength=len(whole[0]) if whole else 1)
        return RecordCounts(
            records=_unpacked(record, whole),
            people=people,
            target=None if target is None else _cells(index, target),
            personal={name: _cells(index, self._codes(name)) for name in personal},
        )

    def _codes(self, name: str) -> NDArray[np.uint16]:
        return self._task.table.column(name)[self._rows]


@dataclass(frozen=True, repr=False)
class CodedColumn:
    """A column in an engine, and the codes of what is in it.

    Attributes
    ----------
    plan : ColumnPlan
        The code of each value.
    values : list or None
        Its distinct values; None where they are too many to come home one by one.
    codes : ndarray of uint16
        The code of each of these values.
    """

    plan: ColumnPlan
    values: list[Any] | None
    codes: NDArray[np.uint16]

    def buckets(self, lookup: Lookup) -> ColumnPlan:
        """The bucket of each value."""
        plan = self.plan
        missing = None if plan.missing is None else int(lookup[plan.missing])
        if plan.groups is None:
            known = lookup[: len(plan.cuts) + 1].astype(int)
            cuts = [cut for cut, step in zip(plan.cuts, np.diff(known), strict=True) if step]
            return replace(plan, cuts=cuts, missing=missing)
        groups: dict[int, list[Any]] = {}
        for code, members in plan.groups:
            groups.setdefault(int(lookup[code]), []).extend(members)
        return replace(plan, groups=sorted(groups.items()), missing=missing)

    def coded(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The codes of values as the engine gives them."""
        assert self.values is not None
        known = {
            _plain(value): int(code) for value, code in zip(self.values, self.codes, strict=True)
        }
        codes = np.empty(len(values), dtype=np.int64)
        for start in range(0, len(values), _AT_ONCE):
            block = slice(start, start + _AT_ONCE)
            codes[block] = [known[_plain(value)] for value in values[block].tolist()]
        return codes


@dataclass(frozen=True, repr=False)
class OthersInEngine(Others):
    """People whose records stay in an engine.

    Attributes
    ----------
    frame : LazyFrame
        Their rows.
    columns : mapping of str to CodedColumn
    n_people : int
    target : tuple of (str, ndarray) or None
        The column of the target, and the class of each of its codes, -1 for none.
    """

    frame: LazyFrame
    columns: Mapping[str, CodedColumn]
    n_people: int
    target: tuple[str, NDArray[np.int64]] | None = None

    def with_target(self, name: str, classes: NDArray[np.int64]) -> OthersInEngine:
        """The same people, those without a target left out; without classes it is a number."""
        frame = self.frame.without_missing(self.columns[name].plan)
        return replace(self, frame=frame, target=(name, classes) if len(classes) else None)

    def count(self, lookups: Mapping[str, Lookup], personal: Sequence[str]) -> RecordCounts:
        """Count generalized records, by one query."""
        record = RecordPlan(tuple(self.columns[n].buckets(lookup) for n, lookup in lookups.items()))
        asked = ([] if self.target is None else [self.target[0]]) + list(personal)
        beside = [self.columns[name] for name in asked]
        whole: list[NDArray[np.int64]] = []
        cells = []
        for column, answer in self._answers(record, beside):
            # Everyone is counted beside each column, so that each tells of the same records.
            whole, lines = _ranked(answer.keys, len(answer.counts))
            codes = (
                np.asarray(answer.values, dtype=np.int64)
                if column.values is None
                else column.coded(answer.values)
            )
            cells.append(_summed(lines, codes, answer.counts))
            del answer  # before the engine makes the next one
        n_records = len(whole[0]) if whole else 1
        people = np.bincount(cells[0].lines, cells[0].counts, n_records).astype(np.int64)
        target = None
        if self.target is not None:
            first = cells.pop(0)
            target = _summed(first.lines, self.target[1][first.codes], first.counts)
        by_name = dict(zip(personal, cells, strict=True))
        return RecordCounts(_unpacked(record, whole), people, target, by_name)

    def _answers(
        self, record: RecordPlan, beside: Sequence[CodedColumn]
    ) -> Iterator[tuple[CodedColumn, RecordsBeside]]:
        """What the engine counts beside each column, each let go before the next is made."""
        together = len(beside) if self.n_people <= _MOST_TOGETHER else 1
        for first in range(0, len(beside), together):
            some = beside[first : first + together]
            asked = [c.plan if c.values is None else c.plan.name for c in some]
            answers = self.frame.record_counts(record, asked)
            for column in some:
                yield column, answers.pop(0)


class SeveralOthers(Others):
    """The people of several places together.

    Parameters
    ----------
    places : sequence of Others
    """

    def __init__(self, places: Sequence[Others]) -> None:
        self._places = places
        self.n_people = sum(place.n_people for place in places)

    def count(self, lookups: Mapping[str, Lookup], personal: Sequence[str]) -> RecordCounts:
        """Count generalized records in each place."""
        counted = [place.count(lookups, personal) for place in self._places]
        records, index = np.unique(
            np.concatenate([c.records for c in counted]), axis=0, return_inverse=True
        )
        lines = np.split(index.reshape(-1), np.cumsum([len(c.records) for c in counted])[:-1])

        def together(cells: Sequence[Cells]) -> Cells:
            parts = [(own[c.lines], c.codes, c.counts) for own, c in zip(lines, cells, strict=True)]
            return _summed(*(np.concatenate(part) for part in zip(*parts, strict=True)))

        targets = [c.target for c in counted if c.target is not None]
        people = np.zeros(len(records), dtype=np.int64)
        for own, c in zip(lines, counted, strict=True):
            people[own] += c.people
        return RecordCounts(
            records=records,
            people=people,
            target=together(targets) if targets else None,
            personal={name: together([c.personal[name] for c in counted]) for name in personal},
        )


def people_together(counted: Sequence[RecordCounts]) -> NDArray[np.int64]:
    """How many people share each record that occurs in any of several counts of like records."""
    records = np.concatenate([counts.records for counts in counted])
    _, index = np.unique(records, axis=0, return_inverse=True)
    people = np.concatenate([counts.people for counts in counted])
    together = np.zeros(int(index.max(initial=0)) + 1, dtype=np.int64)
    np.add.at(together, index.reshape(-1), people)
    return together


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
    distinct, index = np.unique(records, axis=0, return_inverse=True)
    lines = index.reshape(-1).astype(np.int64)
    people = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(people, lines, counts.people)

    def of(cells: Cells) -> Cells:
        return _summed(lines[cells.lines], cells.codes, cells.counts)

    target = None if counts.target is None else of(counts.target)
    return RecordCounts(distinct, people, target, {n: of(c) for n, c in counts.personal.items()})


def _ranked(
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


def _unpacked(record: RecordPlan, keys: Sequence[NDArray[np.int64]]) -> NDArray[np.uint16]:
    return record.unpacked(keys) if keys else np.empty((1, 0), dtype=np.uint16)


def _cells(lines: NDArray[np.int64], codes: NDArray[Any]) -> Cells:
    """Count people, each given by the line and the code."""
    size = int(codes.max(initial=0)) + 1
    cells = lines * size + codes
    n_cells = (int(lines.max(initial=0)) + 1) * size
    if n_cells <= _MOST_CELLS:
        counts = np.bincount(cells, minlength=n_cells)
        present = np.flatnonzero(counts)
        return Cells.of(present // size, present % size, counts[present])
    present, counts = np.unique(cells, return_counts=True)
    return Cells.of(present // size, present % size, counts)


def _summed(lines: Numbers, codes: Numbers, counts: Numbers) -> Cells:
    """Put equal cells together."""
    size = int(codes.max(initial=0)) + 2  # -1 is a code too
    cells, index = np.unique(lines.astype(np.int64) * size + codes + 1, return_inverse=True)
    summed = np.zeros(len(cells), dtype=np.int64)
    np.add.at(summed, index, counts)
    return Cells.of(cells // size, cells % size - 1, summed)


def _narrow(numbers: NDArray[np.int64]) -> Numbers:
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return numbers.astype(
        next(k for k in kinds if np.iinfo(k).min <= low <= high <= np.iinfo(k).max)
    )


def _plain(value: Any) -> Any:
    """A value to look up by: NaN is missing, too."""
    return None if isinstance(value, float) and math.isnan(value) else value

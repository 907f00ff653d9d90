"""The people of a large table who are not in the sample that was drawn from it.

Nobody learns from them. What is reported of a generalization is counted on them: how many share
each generalized record, and which values of the target and of the personal attributes go with it.
Where an engine streams, their codes come by, and are let go when they are counted; where it does
not, it counts them itself, and no record comes here.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data.sample._record_counts import (
    Lookup,
    RecordCounts,
    bucket_plan,
    divided,
    people_cells,
    ranked,
    summed,
    united,
    unpacked,
)
from sparsam.data.sample._record_parts import MOST_RECORDS, Columns, record_parts, record_ranges
from sparsam.data.source.lazy import ColumnPlan, LazyFrame, RecordPlan, RecordRange

if TYPE_CHECKING:
    from sparsam.data._task import Task

# Of more people an engine is asked for one range of records after the other, each with about so
# many people: an answer may have a gigabyte.
_MOST_TOGETHER, _PEOPLE_IN_RANGE = 20_000_000, 10_000_000
# Values that an engine gave are looked up so many at a time: as objects they take much memory.
_AT_ONCE = 1 << 20


class Others(ABC):
    """People who are counted where they are, and never learned from.

    Attributes
    ----------
    n_people : int
        How many rows they have; some may lack a target.
    """

    n_people: int

    @property
    @abstractmethod
    def streams(self) -> bool:
        """Whether their codes can come by, a batch after the other."""

    @property
    @abstractmethod
    def has_classes(self) -> bool:
        """Whether the target has classes."""

    @abstractmethod
    def count(
        self,
        lookups: Mapping[str, Lookup],
        personal: Sequence[str],
        within: RecordRange | None = None,
    ) -> RecordCounts:
        """Count generalized records.

        Parameters
        ----------
        lookups : mapping of str to ndarray
            For each collected attribute, the bucket of each of its codes.
        personal : sequence of str
            The attributes whose values are counted beside the records.
        within : RecordRange, optional
            Which records are counted; by default all.
        """

    def parts(
        self, lookups: Mapping[str, Lookup], personal: Sequence[str], sample: NDArray[np.uint16]
    ) -> Iterator[RecordCounts]:
        """Count generalized records, a part of them after the other, in their order.

        Of many people there may be many more records than memory has room for at once.

        Parameters
        ----------
        lookups, personal
            As for `count`.
        sample : ndarray of uint16 of shape (n, n_columns)
            The records of some people who are like these: the parts are divided by them.
        """
        if not self.streams:
            n_ranges = -(-self.n_people // _PEOPLE_IN_RANGE)
            many = self.n_people > _MOST_TOGETHER
            for within in record_ranges(lookups, sample, n_ranges if many else 1):
                yield from divided(self.count(lookups, personal, within), MOST_RECORDS)
            return
        yield from record_parts(
            self.columns_of,
            lookups,
            personal,
            sample,
            n_people=self.n_people,
            has_classes=self.has_classes,
        )

    @abstractmethod
    def columns_of(self, names: Sequence[str]) -> Iterator[Columns]:
        """Yield codes of some attributes, and last the classes, of a few people after the other."""


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

    @property
    def streams(self) -> bool:
        """Whether their codes can come by, a batch after the other."""
        return True

    @property
    def has_classes(self) -> bool:
        """Whether the target has classes."""
        return self._task.numbers is None

    def count(
        self,
        lookups: Mapping[str, Lookup],
        personal: Sequence[str],
        within: RecordRange | None = None,
    ) -> RecordCounts:
        """Count generalized records."""
        record = bucket_plan([int(lookup.max()) + 1 for lookup in lookups.values()])
        names, rows = list(lookups), self._rows

        def codes(name: str) -> NDArray[np.uint16]:
            return self._task.table.column(name)[rows]

        def buckets(place: int) -> NDArray[np.int64]:
            return lookups[names[place]][codes(names[place])].astype(np.int64)

        if within is not None:
            rows = rows[within.holds(buckets)]
        keys = [record.packed(key, buckets) for key in record.keys]
        whole, index = ranked(keys, len(rows))
        people = np.bincount(index, minlength=len(whole[0]) if whole else 1)
        return RecordCounts(
            records=unpacked(record, whole),
            people=people,
            target=people_cells(index, self._task.target[rows]) if self.has_classes else None,
            personal={name: people_cells(index, codes(name)) for name in personal},
        )

    def columns_of(self, names: Sequence[str]) -> Iterator[Columns]:
        """Yield codes of some attributes, and last the classes, of a few people after the other."""
        columns = [self._task.table.column(name) for name in names]
        types = [np.min_scalar_type(self._task.table.attribute(name).size) for name in names]
        if self.has_classes:
            columns.append(self._task.target)
            types.append(np.min_scalar_type(len(self._task.classes)))
        for start in range(0, len(self._rows), _AT_ONCE):
            rows = self._rows[start : start + _AT_ONCE]
            yield [c[rows].astype(t) for c, t in zip(columns, types, strict=True)]


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

    @property
    def streams(self) -> bool:
        """Whether their codes can come by, a batch after the other."""
        return self.frame.streams

    @property
    def has_classes(self) -> bool:
        """Whether the target has classes."""
        return self.target is not None

    def columns_of(self, names: Sequence[str]) -> Iterator[Columns]:
        """Yield codes of some attributes, and last the classes, of a few people after the other."""
        asked = [*names, *(() if self.target is None else (self.target[0],))]
        plans = [self.columns[name].plan for name in asked]
        batches = self.frame.codes(plans, ordered=False)
        for batch in batches:
            for slots, plan in zip(batch, plans, strict=True):
                if plan.refuses and slots.max(initial=0) >= plan.n_buckets:
                    raise changed_table()
            if self.target is not None:
                batch[-1] = self.target[1].astype(np.int32)[batch[-1]]
            yield batch

    def with_target(self, name: str, classes: NDArray[np.int64]) -> OthersInEngine:
        """The same people, those without a target left out; without classes it is a number."""
        frame = self.frame.without_missing(self.columns[name].plan)
        return replace(self, frame=frame, target=(name, classes) if len(classes) else None)

    def count(
        self,
        lookups: Mapping[str, Lookup],
        personal: Sequence[str],
        within: RecordRange | None = None,
    ) -> RecordCounts:
        """Count generalized records, by one query."""
        record = RecordPlan(tuple(self.columns[n].buckets(lookup) for n, lookup in lookups.items()))
        asked = ([] if self.target is None else [self.target[0]]) + list(personal)
        beside = [self.columns[name] for name in asked]
        answers = self.frame.record_counts(
            record, [c.plan if c.values is None else c.plan.name for c in beside], within
        )
        whole: list[NDArray[np.int64]] = []
        cells = []
        for column in beside:
            answer = answers.pop(0)
            # Everyone is counted beside each column, so that each tells of the same records.
            whole, lines = ranked(answer.keys, len(answer.counts))
            codes = (
                np.asarray(answer.values, dtype=np.int64)
                if column.values is None
                else column.coded(answer.values)
            )
            cells.append(summed(lines, codes, answer.counts))
            del answer  # before the next one is looked at
        n_records = len(whole[0]) if whole else 1
        people = np.bincount(cells[0].lines, cells[0].counts, n_records).astype(np.int64)
        target = None
        if self.target is not None:
            first = cells.pop(0)
            target = summed(first.lines, self.target[1][first.codes], first.counts)
        by_name = dict(zip(personal, cells, strict=True))
        return RecordCounts(unpacked(record, whole), people, target, by_name)


class SeveralOthers(Others):
    """The people of several places together.

    Parameters
    ----------
    places : sequence of Others
    """

    def __init__(self, places: Sequence[Others]) -> None:
        self._places = places
        self.n_people = sum(place.n_people for place in places)

    @property
    def streams(self) -> bool:
        """Whether the codes of all of them can come by."""
        return all(place.streams for place in self._places)

    @property
    def has_classes(self) -> bool:
        """Whether the target has classes."""
        return all(place.has_classes for place in self._places)

    def count(
        self,
        lookups: Mapping[str, Lookup],
        personal: Sequence[str],
        within: RecordRange | None = None,
    ) -> RecordCounts:
        """Count generalized records in each place."""
        return united([place.count(lookups, personal, within) for place in self._places])

    def columns_of(self, names: Sequence[str]) -> Iterator[Columns]:
        """Yield codes of some attributes, and last the classes, of a few people after the other."""
        for place in self._places:
            yield from place.columns_of(names)


def changed_table() -> DataError:
    """Make the error for a table whose rows were others when they were asked for again."""
    return DataError(
        "A table must stay the same while it is read. Its engine gave other rows the second time."
        "\n\nHint: store what a query draws at random, or wait until nobody writes to the table."
    )


def _plain(value: Any) -> Any:
    """A value to look up by: NaN is missing, too."""
    return None if isinstance(value, float) and math.isnan(value) else value

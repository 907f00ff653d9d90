"""A frame whose rows stay in an engine: what all engines have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data.source._engine import Wording, unreadable_frame, worded
from sparsam.data.source.lazy._counts import GroupCounts, Names, parts_of
from sparsam.data.source.lazy._draw import Draw
from sparsam.data.source.lazy._plan import (
    ColumnPlan,
    LazyKind,
    RecordPlan,
    RecordRange,
    slot_name,
)
from sparsam.data.source.lazy._row_hash import EXACT_DIGITS, CellKind, RowSums
from sparsam.data.source.lazy._stream import Codes

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

Refused = list[tuple[int, int]]
BATCH_ROWS = 1 << 17


class Written(NamedTuple):
    """What became of a table that was to be written to a file.

    Attributes
    ----------
    n_rows : int
        How many rows the file has.
    refused : list of (int, int)
        For each column, how many values are missing and how many outside, and have no bucket.
        Where there are any, no file was written.
    """

    n_rows: int
    refused: Refused


class RecordsBeside(NamedTuple):
    """How many rows share each generalized record and each value of one column beside it.

    Attributes
    ----------
    keys : list of ndarray of int64
        The records, as `RecordPlan` packs them.
    values : ndarray
        Masked where one is missing.
    counts : ndarray of int64
    """

    keys: list[NDArray[np.int64]]
    values: NDArray[Any]
    counts: NDArray[np.int64]


class LazyFrame(ABC):
    """A frame whose rows stay in an engine.

    Parameters
    ----------
    frame : narwhals LazyFrame
    wording : callable, optional
        What is said when the engine fails, see `worded`.

    Attributes
    ----------
    streams : bool
        Whether codes come home a few at a time, and cost less than to be counted in the engine.
    driven : bool
        Whether what comes home passes through a driver, which has little memory of its own.
    """

    streams: ClassVar[bool] = False
    driven: ClassVar[bool] = False

    def __init__(self, frame: nw.LazyFrame[Any], wording: Wording = unreadable_frame) -> None:
        self._frame, self._wording = frame, wording
        self._schema = worded(frame.collect_schema, wording)
        self.names: tuple[str, ...] = tuple(self._schema.names())

    def kind(self, name: str) -> LazyKind:
        """What the values of a column are."""
        dtype = self._schema[name]
        if dtype.is_numeric():
            return "number"
        if dtype == nw.Boolean:
            return "truth"
        if dtype == nw.Date:
            return "date"
        if dtype == nw.Datetime:
            return "moment"
        if dtype == nw.Time:
            return "time"
        return "text" if dtype in (nw.String, nw.Categorical, nw.Enum) else "other"

    def integer(self, name: str) -> bool:
        """Whether a column holds whole numbers that 64 bits with a sign hold."""
        dtype = self._schema[name]
        return dtype.is_integer() and dtype not in (nw.UInt64, nw.Int128, nw.UInt128)

    def tells(self, name: str) -> bool:
        """Whether the values of a column mean the same in the engine as at home."""
        return self.kind(name) != "other" and not self.zoned(name)

    def zoned(self, name: str) -> bool:
        """Whether a column holds moments with a time zone."""
        dtype = self._schema[name]
        return isinstance(dtype, nw.Datetime) and dtype.time_zone is not None

    def whole(self, name: str) -> bool:
        """Whether the numbers of a column are whole by its type."""
        return self._schema[name].is_integer()

    def nested(self, name: str) -> bool:
        """Whether a column holds lists or records."""
        return self._schema[name].is_nested()

    def categories(self, name: str) -> tuple[str, ...] | None:
        """The categories of a column that has a list of them; empty where it is not known."""
        dtype = self._schema[name]
        if isinstance(dtype, nw.Enum):
            return tuple(dtype.categories)
        return () if dtype == nw.Categorical else None

    def _numbers(self, name: str) -> NDArray[np.float64]:
        """Bring the numbers of a column home, in the order of the rows; NaN for a missing one."""
        column = self._frame.select(nw.col(name).cast(nw.Float64)).collect()[name]
        return np.asarray(column.fill_null(float("nan")).to_numpy(), dtype=np.float64)

    def refused(self, plans: Sequence[ColumnPlan]) -> Refused:
        """Count, for each column, the missing and the outside values that have no bucket.

        One aggregate query that reads the columns concerned, or none when every value has a bucket.
        """
        strict = [place for place, plan in enumerate(plans) if plan.refuses]
        counts: Refused = [(0, 0)] * len(plans)
        if not strict:
            return counts
        checks = [plans[place].check() for place in strict]
        pairs = worded(lambda: self._count(checks), self._wording)
        for place, pair in zip(strict, pairs, strict=True):
            counts[place] = pair
        return counts

    @abstractmethod
    def _count(self, checks: Sequence[ColumnPlan]) -> Refused:
        """Count the values in the slots for missing and for outside values, in one query."""

    def rebuild(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        """Make a lazy frame of the same engine from buckets and from columns to keep."""
        if not plans and not keep:
            msg = (
                "A lazy frame must have a column, and nothing is collected."
                "\n\nHint: Keep a column beside them, such as the target."
            )
            raise DataError(msg)
        return worded(lambda: self._rebuilt(plans, keep), self._wording)

    @abstractmethod
    def _rebuilt(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        """Make the lazy frame of `rebuild`; a value without a bucket is null."""

    def codes(
        self,
        plans: Sequence[ColumnPlan],
        *,
        numbers: Sequence[str] = (),
        batch_rows: int = BATCH_ROWS,
        ordered: bool = True,
    ) -> Iterator[list[Any]]:
        """Bring buckets home, a batch of rows at a time, in the order of the rows.

        The engine executes its query once, and only a few batches are in memory at a time. While
        they are read, a connection of DuckDB is busy with them; it is free again when all were
        read, or when the iterator is closed.

        Parameters
        ----------
        plans : sequence of ColumnPlan
        numbers : sequence of str
            Columns whose numbers come home as they are, beside the buckets.
        batch_rows : int
            The most rows in a batch.
        ordered : bool, default=True
            Whether the order of the rows matters; an engine may be faster where it does not.

        Yields
        ------
        list of ndarray
            For each plan the *slots* of the rows, in ``plan.dtype``: buckets, and for a value that
            has none ``plan.n_buckets`` where it is missing, one more where it is outside. Then
            float64 for each column of numbers, NaN for a missing one.
        """
        if not plans:
            return
        batches = iter(self._rows(plans, numbers, ordered or bool(numbers)))
        while (batch := worded(lambda: next(batches, None), self._wording)) is not None:
            for start in range(0, len(batch[0]), batch_rows):
                yield [slots[start : start + batch_rows] for slots in batch]

    @abstractmethod
    def _slots(self, plans: Sequence[ColumnPlan], ordered: bool) -> Iterator[list[Codes]]:
        """Yield the slots in whatever batches the engine makes."""

    def _rows(
        self, plans: Sequence[ColumnPlan], numbers: Sequence[str], ordered: bool
    ) -> Iterator[list[Any]]:
        """Yield slots and numbers; an engine that keeps its rows in order may be asked twice."""
        exact, start = [self._numbers(name) for name in numbers], 0
        for slots in self._slots(plans, ordered):
            stop = start + len(slots[0])
            yield [*slots, *(column[start:stop] for column in exact)]
            start = stop

    def slot_counts(
        self, plans: Sequence[ColumnPlan], sets: Sequence[tuple[int, ...]]
    ) -> list[GroupCounts]:
        """Count the rows by the slots of several sets of columns; only the counts come home.

        Parameters
        ----------
        plans : sequence of ColumnPlan
        sets : sequence of tuple of int
            Each names plans by their places. An empty one counts all rows.

        Returns
        -------
        list of GroupCounts
            One for each set, whose columns are the slots; in no order.
        """
        coded = self._of(worded(partial(self._coded, plans), self._wording))
        counted = coded.group_counts([tuple(map(slot_name, places)) for places in sets])
        return [
            GroupCounts(
                tuple(
                    column.astype(np.int64) - self._first_slot(plans[place])
                    for place, column in zip(places, groups.columns, strict=True)
                ),
                groups.counts,
            )
            for places, groups in zip(sets, counted, strict=True)
        ]

    def n_rows(self) -> int:
        """Count the rows."""
        return worded(self._n_rows, self._wording)

    @abstractmethod
    def _n_rows(self) -> int: ...

    @property
    def native(self) -> Any:
        """The frame itself."""
        return self._frame.to_native()

    def row_sums(self, key: str) -> RowSums:
        """Add up keyed hashes of all rows, whatever their order: no row comes home.

        Parameters
        ----------
        key : str

        Returns
        -------
        RowSums
            The same from every engine for the same values: whole numbers and 64-bit floats,
            truth values, texts, dates and moments without a time zone. Lists, records and bytes
            are hashed as an engine writes them.
        """
        kinds = [(name, self._cell_kind(name)) for name in sorted(self.names)]
        return worded(partial(self._row_sums, kinds, key), self._wording)

    @abstractmethod
    def _row_sums(self, kinds: Sequence[tuple[str, CellKind]], key: str) -> RowSums: ...

    def _cell_kind(self, name: str) -> CellKind:
        dtype = self._schema[name]
        if dtype.is_integer() or self.zoned(name):
            return "whole"
        if dtype.is_float():
            return "float"
        if dtype.is_decimal():
            return self._decimal_kind(name)
        return "truth" if dtype == nw.Boolean else "text"

    def _decimal_kind(self, name: str) -> CellKind:
        """Decimal numbers of few digits are hashed as the 64-bit floats that they are read as."""
        dtype = self._schema[name]
        digits = getattr(dtype, "precision", None)
        return "float" if digits is not None and digits <= EXACT_DIGITS else "decimal"

    def group_counts(self, sets: Sequence[Names]) -> list[GroupCounts]:
        """Count the rows by several sets of columns; only the counts come home.

        Parameters
        ----------
        sets : sequence of tuple of str
            Each names columns. An empty one counts all rows.

        Returns
        -------
        list of GroupCounts
            One for each set, in no order.
        """
        counted: list[GroupCounts] = []
        for part in parts_of(sets):
            counted += worded(partial(self._group_counts, part), self._wording)
        return counted

    @abstractmethod
    def _group_counts(self, sets: list[Names]) -> list[GroupCounts]: ...

    def record_counts(
        self,
        record: RecordPlan,
        beside: Sequence[str | ColumnPlan],
        within: RecordRange | None = None,
    ) -> list[RecordsBeside]:
        """Count the rows by their generalized record and, in turn, one column beside it.

        The engine packs a record into one whole number, and looks at its rows once.

        Parameters
        ----------
        record : RecordPlan
        beside : sequence of str or ColumnPlan
            Columns as they are, or as slots.
        within : RecordRange, optional
            Which records are counted; by default all.

        Returns
        -------
        list of RecordsBeside
            One for each column beside, in no order.
        """
        keys = tuple(_key(i) for i in range(len(record.keys)))
        sets = [(*keys, _beside(i)) for i in range(len(beside))]
        return [
            RecordsBeside(
                [np.asarray(key, dtype=np.int64) for key in groups.columns[:-1]],
                groups.columns[-1],
                groups.counts,
            )
            for groups in self._packed(record, beside, within).group_counts(sets)
        ]

    def whole_records(
        self, record: RecordPlan, others: Sequence[str]
    ) -> tuple[NDArray[np.uint16], list[NDArray[Any]], NDArray[np.int64]]:
        """Count the rows that have the same record and the same values of all other columns.

        Parameters
        ----------
        record : RecordPlan
        others : sequence of str

        Returns
        -------
        ndarray of uint16 of shape (n_distinct, n_columns), list of ndarray, ndarray of int64
            The records, the values beside each, and how many rows are like it.
        """
        keys = [_key(i) for i in range(len(record.keys))]
        sets = [(*keys, *map(_beside, range(len(others))))]
        [groups] = self._packed(record, others).group_counts(sets)
        packed = [np.asarray(key, dtype=np.int64) for key in groups.columns[: len(keys)]]
        none = np.empty((len(groups), 0), np.uint16)
        records = record.unpacked(packed) if packed else none
        return records, list(groups.columns[len(keys) :]), groups.counts

    def _packed(
        self,
        record: RecordPlan,
        beside: Sequence[str | ColumnPlan],
        within: RecordRange | None = None,
    ) -> LazyFrame:
        """A frame of the whole numbers that records are packed into, and of columns beside."""
        plans = [*record.columns, *(b for b in beside if isinstance(b, ColumnPlan))]
        names = [b for b in beside if isinstance(b, str)]
        coded = nw.from_native(self._coded(plans, list(dict.fromkeys(names))))

        def slots(place: int) -> nw.Expr:
            return nw.col(slot_name(place)).cast(nw.Int64) - self._first_slot(plans[place])

        if within is not None:
            coded = coded.filter(within.holds(slots))
        columns = [record.packed(key, slots).alias(_key(i)) for i, key in enumerate(record.keys)]
        later = iter(range(len(record.columns), len(plans)))
        for i, b in enumerate(beside):
            column = nw.col(b) if isinstance(b, str) else slots(next(later))
            columns.append(column.alias(_beside(i)))
        return type(self)(coded.select(*columns), self._wording)

    def without_missing(self, plan: ColumnPlan) -> LazyFrame:
        """Return the rows that have a value of a column; of numbers NaN is none."""
        if plan.missing is None:
            return self
        column = nw.col(plan.name)
        known = ~column.is_null()
        if self._schema[plan.name].is_float():
            known &= ~column.is_nan()
        gone = [m for slot, members in plan.groups or () for m in members if slot == plan.missing]
        gone += plan.gone
        if gone:
            known &= ~column.is_in(gone)
        return type(self)(self._frame.filter(known), self._wording)

    @abstractmethod
    def _coded(self, plans: Sequence[ColumnPlan], keep: Sequence[str] = ()) -> Any:
        """A frame of slots, by ``slot_name``, and of columns that pass through."""

    def _first_slot(self, plan: ColumnPlan) -> int:
        """The number that stands for slot 0 there."""
        return 0

    def sizes(self, names: Sequence[str]) -> tuple[int, list[int]]:
        """Return the number of rows, and about how many values each of some columns has."""
        n_rows, *sizes = worded(partial(self._sizes, names), self._wording)
        return int(n_rows), [int(size) for size in sizes]

    @abstractmethod
    def _sizes(self, names: Sequence[str]) -> Sequence[Any]: ...

    def _of(self, native: Any) -> LazyFrame:
        return type(self)(nw.from_native(native), self._wording)

    def in_order(self, name: str) -> bool:
        """Tell whether the rows of a column ascend or descend; no, where rows have no order."""
        return worded(partial(self._in_order, name), self._wording)

    @abstractmethod
    def _in_order(self, name: str) -> bool: ...

    def only(self, names: Sequence[str]) -> LazyFrame:
        """Return a frame of some columns."""
        return self._of(self._only(names))

    def _only(self, names: Sequence[str]) -> Any:
        return self._frame.select(*names).to_native()

    def called(self, names: Mapping[str, str]) -> LazyFrame:
        """Return a frame of some columns under other names.

        Parameters
        ----------
        names : mapping of str to str
            For each column, its new name.
        """
        columns = [nw.col(old).alias(new) for old, new in names.items()]
        return type(self)(self._frame.select(*columns), self._wording)

    def as_days(self, name: str) -> LazyFrame:
        """Return a frame of one column of moments, as dates."""
        return self._of(self._as_days(name))

    def _as_days(self, name: str) -> Any:
        return self._frame.select(nw.col(name).dt.date().alias(name)).to_native()

    def some_values(self, name: str, every: int) -> LazyFrame:
        """Return the rows of a column of numbers whose value a hash picks, every so-manieth.

        Equal values are picked together.
        """
        return self._of(self._some_values(name, every))

    @abstractmethod
    def _some_values(self, name: str, every: int) -> Any: ...

    def outermost(self, name: str) -> LazyFrame:
        """Return the rows of a column of numbers that have the least or the greatest."""
        return self._of(worded(partial(self._outermost, name), self._wording))

    def _outermost(self, name: str) -> Any:
        known = nw.col(name)
        if self._schema[name].is_float():  # NaN is no number, but to some engines the greatest
            known = nw.when(~known.is_nan()).then(known)
        row = self._frame.select(low=known.min(), high=known.max()).collect().row(0)
        ends = [end for end in row if end is not None]
        return self._frame.select(name).filter(nw.col(name).is_in(ends)).to_native()

    def drawn(self, draw: Draw, *, others: bool = False) -> LazyFrame:
        """Return the rows that are drawn, or all others.

        Parameters
        ----------
        draw : Draw
        others : bool, default=False
        """
        return self._of(self._drawn(draw, others))

    @abstractmethod
    def _drawn(self, draw: Draw, others: bool) -> Any: ...


def refused_of(checks: Sequence[ColumnPlan], counts: Sequence[int]) -> Refused:
    """Tell how many values are refused, where it was counted how many are not.

    Parameters
    ----------
    checks : sequence of ColumnPlan
    counts : sequence of int
        The rows; then for each column the values that are there, and those of them that have a
        bucket.
    """
    n_rows, *rest = counts
    return [
        (n_rows - there if check.missing is None else 0, there - known)
        for check, there, known in zip(checks, rest[::2], rest[1::2], strict=True)
    ]


def _key(i: int) -> str:
    return f"record_{i}"


def _beside(i: int) -> str:
    return f"beside_{i}"

"""A frame whose rows stay in an engine: what all engines have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data.source._engine import unreadable_frame, worded
from sparsam.data.source.lazy._plan import ColumnPlan, LazyKind
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


class LazyFrame(ABC):
    """A frame whose rows stay in an engine.

    Parameters
    ----------
    frame : narwhals LazyFrame
    """

    def __init__(self, frame: nw.LazyFrame[Any]) -> None:
        self._frame = frame
        self._schema = worded(frame.collect_schema, unreadable_frame)
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

    def refused(self, plans: Sequence[ColumnPlan]) -> Refused:
        """Count, for each column, the missing and the outside values that have no bucket.

        One aggregate query that reads the columns concerned, or none when every value has a bucket.
        """
        strict = [place for place, plan in enumerate(plans) if plan.refuses]
        counts: Refused = [(0, 0)] * len(plans)
        if not strict:
            return counts
        checks = [plans[place].check() for place in strict]
        pairs = worded(lambda: self._count(checks), unreadable_frame)
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
                "\n\nHint: Name a column in `keep`, such as the target."
            )
            raise DataError(msg)
        return worded(lambda: self._rebuilt(plans, keep), unreadable_frame)

    @abstractmethod
    def _rebuilt(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        """Make the lazy frame of `rebuild`; a value without a bucket is null."""

    def codes(
        self, plans: Sequence[ColumnPlan], *, batch_rows: int = BATCH_ROWS
    ) -> Iterator[list[Codes]]:
        """Bring buckets home, a batch of rows at a time, in the order of the rows.

        The engine executes its query once, and only a few batches are in memory at a time. While
        they are read, a connection of DuckDB is busy with them; it is free again when all were
        read, or when the iterator is closed.

        Parameters
        ----------
        plans : sequence of ColumnPlan
        batch_rows : int
            The most rows in a batch.

        Yields
        ------
        list of ndarray
            For each plan the *slots* of the rows, in ``plan.dtype``: buckets, and for a value that
            has none ``plan.n_buckets`` where it is missing, one more where it is outside.
        """
        if not plans:
            return
        batches = iter(self._slots(plans))
        while (batch := worded(lambda: next(batches, None), unreadable_frame)) is not None:
            for start in range(0, len(batch[0]), batch_rows):
                yield [slots[start : start + batch_rows] for slots in batch]

    @abstractmethod
    def _slots(self, plans: Sequence[ColumnPlan]) -> Iterator[list[Codes]]:
        """Yield the slots in whatever batches the engine makes."""

    def n_rows(self) -> int:
        """Count the rows."""
        return worded(self._n_rows, unreadable_frame)

    @abstractmethod
    def _n_rows(self) -> int: ...

"""The different whole rows of a frame whose rows stay in an engine.

What comes home of a different row is a whole number or two: the engine numbers the values of each
column that has few of them, and packs these numbers together. So millions of different rows pass
through the memory of Spark's driver, where as many lines of texts would not fit.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._lazy import LazyModule
from sparsam.data.large._whole_rows import NumberedCells, WholeRows, in_engine, rows_of_relation
from sparsam.data.sample._others import changed_table
from sparsam.data.source._engine import is_relation, unreadable_frame, worded
from sparsam.data.source._source import column_names
from sparsam.data.source.lazy import ColumnPlan, LazyFrame, RecordPlan, open_lazy

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

_MOST_LISTED = 10_000  # values of one column, which the query of an engine lists


def whole_rows_of_frame(frame: Any) -> WholeRows:
    """Count the different rows of a relation or of a lazy frame, where they are.

    Parameters
    ----------
    frame : DuckDB relation, polars or Spark frame
    """
    names = list(column_names(frame))
    rows = rows_of_relation(frame, names) if is_relation(frame) else None
    return _Frame(frame, names).run() if rows is None else rows


def counted_there(table: Any) -> bool:
    """Whether the rows of a frame are counted where they are, however much memory is free here.

    Those of Spark would all pass through its driver, whose memory is another.

    Parameters
    ----------
    table : any
    """
    if is_relation(table) or not in_engine(table):
        return False
    frame = open_lazy(nw.from_native(table))
    return frame.driven and not any(map(frame.nested, frame.names))


class _Frame:
    """Counts the rows of a lazy frame, whose values are texts there where a text tells them."""

    def __init__(self, frame: Any, names: Sequence[str]) -> None:
        own = open_lazy(nw.from_native(frame))
        self.names = {name: f"c{place}" for place, name in enumerate(names)}
        lazy = nw.from_native(own.called(self.names).native)
        schema = worded(lazy.collect_schema, unreadable_frame)
        self.cells = {name: _cell_of(kind) for name, kind in schema.items()}
        # floats always, since engines group 0.0 and -0.0 together
        told = [name for name, cell in self.cells.items() if cell is not None]
        texts = lazy.with_columns(nw.col(*told).cast(nw.String)) if told else lazy
        self.frame: LazyFrame = open_lazy(texts)

    def run(self) -> WholeRows:
        listed = self._listed()
        plans = {name: _plan(name, texts) for name, texts in listed.items()}
        others = [name for name in self.cells if name not in listed]
        records, values, counts = self.frame.whole_records(
            RecordPlan(tuple(plans.values())), others
        )
        columns = dict(zip(others, map(_numbered, values), strict=True))
        for (name, texts), slots in zip(listed.items(), records.T, strict=True):
            columns[name] = _present(slots, texts)
        return WholeRows(
            {name: self._meant(own, columns[own]) for name, own in self.names.items()}, counts
        )

    def _listed(self) -> dict[str, list[str]]:
        """The texts of each column that has few."""
        told = [name for name, cell in self.cells.items() if cell is not None]
        _, sizes = self.frame.sizes(told)
        few = [n for n, size in zip(told, sizes, strict=True) if size <= _MOST_LISTED]
        counted = self.frame.group_counts([(name,) for name in few])
        texts = [sorted(np.ma.compressed(groups.columns[0])) for groups in counted]
        return dict(zip(few, texts, strict=True))

    def _meant(self, name: str, column: NumberedCells) -> NumberedCells:
        cell = self.cells[name]
        if cell is None:
            return column
        return NumberedCells(column.number, [None if c is None else cell(c) for c in column.cells])


def _cell_of(kind: Any) -> Callable[[str], Any] | None:
    """What the text of a value means; None where the value is grouped as it is."""
    if kind.is_integer():
        return int
    if kind == nw.Float32:
        return lambda text: float(str(np.float32(text)))  # the shortest number that means it
    if kind.is_float():
        return float
    if kind == nw.Boolean:
        return lambda text: text == "true"
    if kind == nw.Date:
        return datetime.date.fromisoformat
    return str if kind in (nw.String, nw.Categorical, nw.Enum) else None


def _plan(name: str, texts: Sequence[str]) -> ColumnPlan:
    """Number the texts in their order, then missing, then what was not there a moment ago."""
    groups = [(place, [text]) for place, text in enumerate(texts)] or [(0, ["any"])]
    n_texts = len(groups)
    return ColumnPlan(name, "text", groups=groups, missing=n_texts, outside=n_texts + 1)


def _present(slots: NDArray[np.uint16], texts: Sequence[str]) -> NumberedCells:
    """Number the cells that occur."""
    cells = [*(texts or ["any"]), None]
    present = np.flatnonzero(np.bincount(slots, minlength=len(cells)))
    if present[-1:] >= len(cells):
        raise changed_table()
    place = np.zeros(len(cells), np.int64)
    place[present] = np.arange(len(present))
    return NumberedCells(place[slots], [cells[slot] for slot in present])


def _numbered(values: NDArray[Any]) -> NumberedCells:
    place: dict[Any, int] = {}
    rows = np.ma.getdata(values).astype(object)
    rows[np.ma.getmaskarray(values)] = None
    numbers = [place.setdefault(value, len(place)) for value in rows.tolist()]
    return NumberedCells(np.array(numbers, np.int64), list(place))

"""Rows of a table in an engine, which come home as numbers of their values, batch by batch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, hint
from sparsam.data._attribute import Attribute
from sparsam.data._domain import CategoricalDomain, plain
from sparsam.data._open import open_as
from sparsam.data._read import RowsInEngine, encode_column, text_columns
from sparsam.data.roles._roles import Roles
from sparsam.data.source._column import Column
from sparsam.data.source._source import LazyColumns
from sparsam.data.source.lazy import ColumnPlan

MOST_VALUES = 65_000  # of a column that is published as it is
_EXACT = 2**53
_KINDS = ("number", "text", "truth", "date")

Codes = NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False, repr=False)
class CodedRows:
    """A table whose rows stay in an engine.

    Attributes
    ----------
    attributes : tuple of Attribute
        Columns that are encoded.
    kept : dict of str to list
        Columns that are passed on as they are: the values of each, None where one is missing.
    n_rows : int
    """

    attributes: tuple[Attribute, ...]
    kept: dict[str, list[Any]]
    n_rows: int
    _columns: LazyColumns
    _plans: tuple[ColumnPlan, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each column has, those that are kept last."""
        return (*(a.size for a in self.attributes), *map(len, self.kept.values()))

    def batches(self) -> Iterator[list[Codes]]:
        """Bring rows home, column by column: the codes, and the places among the values kept."""
        for batch in self._columns.frame.codes(self._plans):
            yield list(batch)


def coded_rows(
    source: Any, names: Sequence[str], keep: Sequence[str], roles: Roles
) -> CodedRows | None:
    """Open columns of a table in an engine, with one pass over their values.

    Parameters
    ----------
    source : path, DuckDB relation or lazy frame
    names : sequence of str
        Columns to encode.
    keep : sequence of str
        Columns to pass on as they are; each has at most 65,000 values.
    roles : Roles
        Kinds, orders, domains and texts that mean missing.

    Returns
    -------
    CodedRows or None
        None where the rows are in memory, or a column must come home to be read.
    """
    opened = open_as(source, roles)
    columns = opened.lazy([*names, *keep], text=text_columns(roles))
    if columns is None:
        return None
    rows = RowsInEngine(columns, roles)
    if not rows.n_rows:
        raise DataError("A table must have at least one row. Got none.")
    attributes, plans = [], []
    for name in names:
        part = encode_column(rows.column(name), roles, 256)
        if part is None:
            attributes.append(Attribute(name, CategoricalDomain(("any",)), missing=True))
            plans.append(_always_missing(columns, name))
        else:
            attributes.append(part.attribute)
            plans.append(rows.plan(part))
    kept = {}
    for name in keep:
        kept[name], plan = _as_it_is(columns, rows.as_it_is(name))
        plans.append(plan)
    return CodedRows(tuple(attributes), kept, rows.n_rows, columns, tuple(plans))


def _always_missing(columns: LazyColumns, name: str) -> ColumnPlan:
    place = columns.places[name]
    kind = columns.frame.kind(place)
    return ColumnPlan(place, kind, groups=[(0, ["any"] if kind == "text" else [0.0])], missing=1)


def _as_it_is(columns: LazyColumns, column: Column) -> tuple[list[Any], ColumnPlan]:
    """Number the values of a column, each by itself."""
    place = columns.places[column.name]
    kind = columns.frame.kind(place)
    n_values = column.n_values or len(column.values)
    if n_values > MOST_VALUES or kind not in _KINDS:
        what = f"{n_values:,} values" if kind in _KINDS else "values of another kind"
        ways_out = (
            "leave the column out, round its numbers or publish a threshold of them, or allow so "
            "much memory that the table fits: "
        )
        raise DataError(
            f"A column of a large table that is published as it is must hold numbers, texts, truth "
            f"values or dates, at most {MOST_VALUES:,} of them. '{column.name}' has {what}."
            + hint(f"{ways_out}max_memory", f"{ways_out}--max-memory")
        )
    gone = np.ma.getmaskarray(column.values)
    raw = list(np.ma.getdata(column.values))
    known = [v for v, m in zip(raw, gone.tolist(), strict=True) if not m and not _is_nan(v)]
    values = sorted({_plain(value, kind) for value in known})
    if kind == "number" and any(isinstance(v, int) and abs(v) > _EXACT for v in values):
        raise DataError(
            f"A column of a large table that is published as it is must hold whole numbers below "
            f"2**53. '{column.name}' holds larger ones.\n\nHint: convert the column to text."
        )
    members = [[value] if kind == "text" else [_number(value, kind)] for value in values]
    groups = list(enumerate(members)) or [(0, ["any"] if kind == "text" else [0.0])]
    # missing is the last of them, whether it occurs or not
    return [*(values or [None]), None], ColumnPlan(place, kind, groups=groups, missing=len(groups))


def _is_nan(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and math.isnan(value)


def _plain(value: Any, kind: str) -> Any:
    if kind == "date":
        return np.datetime64(value, "D")
    if kind == "truth":
        return bool(value)
    return str(value) if kind == "text" else plain(value)


def _number(value: Any, kind: str) -> float:
    if kind == "date":
        return float((value - np.datetime64("1970-01-01")).astype(np.int64))
    return float(value)

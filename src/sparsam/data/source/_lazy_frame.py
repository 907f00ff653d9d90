"""Recode the columns of a frame that lives in an engine: polars lazy, DuckDB, Spark, dask.

Nothing is read here but counts of the values that must be refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import narwhals.stable.v2 as nw

from sparsam._errors import DataError
from sparsam.data.source._engine import unreadable_frame, worded

Members = Sequence[str] | Sequence[float]
LazyKind = Literal["number", "text", "truth", "other"]


@dataclass(frozen=True)
class ColumnPlan:
    """What becomes of one column, in plain data.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "text", "truth"}
        How its values are compared: as 64-bit floats, as text, or as the numbers 0 and 1.
    cuts : sequence of float
        Intervals ``[cuts[i - 1], cuts[i])`` are the buckets, unless there are groups.
    groups : sequence of (int, members) or None
        Bucket and members of every group.
    bounds : (float, float) or None
        Numbers outside are refused.
    missing, outside : int or None
        Bucket of missing values and of values in no group; None refuses them.
    labels : sequence of str or None
        Labels to give out instead of bucket numbers.
    """

    name: str
    kind: LazyKind
    cuts: Sequence[float] = ()
    groups: Sequence[tuple[int, Members]] | None = None
    bounds: tuple[float, float] | None = None
    missing: int | None = None
    outside: int | None = None
    labels: Sequence[str] | None = None


class LazyFrame:
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
        return "text" if dtype in (nw.String, nw.Categorical, nw.Enum) else "other"

    def refused(self, plans: Sequence[ColumnPlan]) -> list[tuple[int, int]]:
        """Count, for each column, the missing and the outside values that have no bucket.

        One aggregate query over the engine, or none when every value has a bucket.
        """
        counts: list[nw.Expr] = []
        for i, plan in enumerate(plans):
            for j, condition in enumerate(_offences(plan)):
                if condition is not None:
                    number = nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).sum()
                    counts.append(number.alias(f"{i}_{j}"))
        totals = worded(lambda: self._one_row(counts), unreadable_frame) if counts else {}
        return [(totals.get(f"{i}_0", 0), totals.get(f"{i}_1", 0)) for i in range(len(plans))]

    def _one_row(self, expressions: list[nw.Expr]) -> dict[str, int]:
        result = self._frame.select(*expressions)
        native = result.to_native()
        if result.implementation.is_duckdb():  # without pyarrow, which narwhals would collect into
            row, names = native.fetchall()[0], native.columns
        else:
            collected = result.collect()
            row, names = collected.row(0), collected.columns
        return {name: int(count or 0) for name, count in zip(names, row, strict=True)}

    def rebuild(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        """Make a lazy frame of the same engine from buckets and from columns to keep."""
        if not plans and not keep:
            msg = (
                "A lazy frame must have a column, and nothing is collected."
                "\n\nHint: Name a column in `keep`, such as the target."
            )
            raise DataError(msg)
        recoded = [self._typed(plan, _expression(plan)) for plan in plans]
        kept = [nw.col(name) for name in keep]
        return worded(lambda: self._frame.select(*recoded, *kept).to_native(), unreadable_frame)

    def _typed(self, plan: ColumnPlan, expression: nw.Expr) -> nw.Expr:
        if plan.labels is None:
            expression = expression.cast(nw.UInt16)
        elif self._frame.implementation.is_polars():
            expression = expression.cast(nw.Enum(list(plan.labels)))
        return expression.alias(plan.name)


def _expression(plan: ColumnPlan) -> nw.Expr:
    """Guard missing values first: a when/then chain would put them into the last bucket."""
    value, missing = _value(plan), _missing(plan)
    guarded = nw.when(missing).then(_bucket(plan, plan.missing))
    if plan.groups is None:
        inner = _intervals(plan, value, 0, len(plan.cuts))
        if plan.bounds is not None:
            refused = _beyond(value, plan.bounds)
            inner = nw.when(refused).then(_bucket(plan, None)).otherwise(inner)
    else:
        inner = _groups(plan, value, [group for group in plan.groups if group[1]])
    return guarded.otherwise(inner)


def _value(plan: ColumnPlan) -> nw.Expr:
    column = nw.col(plan.name)
    if plan.kind == "text":
        return column.cast(nw.String)
    if plan.kind == "truth":
        column = column.cast(nw.Int8)
    return column.cast(nw.Float64)


def _missing(plan: ColumnPlan) -> nw.Expr:
    value = _value(plan)
    return value.is_null() if plan.kind == "text" else value.is_null() | value.is_nan()


def _beyond(value: nw.Expr, bounds: tuple[float, float]) -> nw.Expr:
    return (value < bounds[0]) | (value > bounds[1])


def _bucket(plan: ColumnPlan, bucket: int | None) -> nw.Expr:
    """Write a bucket; what is refused becomes null, should it slip past the count."""
    dtype = nw.Int64 if plan.labels is None else nw.String
    if bucket is None:
        return nw.lit(None, dtype)
    return nw.lit(bucket if plan.labels is None else plan.labels[bucket], dtype)


def _intervals(plan: ColumnPlan, value: nw.Expr, first: int, last: int) -> nw.Expr:
    """Write the intervals first..last as a balanced tree: hundreds of cuts would nest too deep."""
    if first == last:
        return _bucket(plan, first)
    middle = (first + last) // 2
    below = nw.when(value < nw.lit(plan.cuts[middle], nw.Float64))
    left = _intervals(plan, value, first, middle)
    return below.then(left).otherwise(_intervals(plan, value, middle + 1, last))


def _groups(plan: ColumnPlan, value: nw.Expr, groups: Sequence[tuple[int, Members]]) -> nw.Expr:
    """Write groups as a balanced tree behind a test for values in no group."""
    outside = _bucket(plan, plan.outside)
    if not groups:
        return outside

    def tree(part: Sequence[tuple[int, Members]]) -> nw.Expr:
        if len(part) == 1:
            return _bucket(plan, part[0][0])
        half = len(part) // 2
        left = nw.when(value.is_in(_members(part[:half]))).then(tree(part[:half]))
        return left.otherwise(tree(part[half:]))

    return nw.when(value.is_in(_members(groups))).then(tree(groups)).otherwise(outside)


def _members(groups: Sequence[tuple[int, Members]]) -> list[Any]:
    return [member for _, members in groups for member in members]


def _offences(plan: ColumnPlan) -> tuple[nw.Expr | None, nw.Expr | None]:
    """Return the conditions under which a value is refused: missing, and outside."""
    value, missing = _value(plan), _missing(plan)
    outside: nw.Expr | None = None
    if plan.groups is None and plan.bounds is not None:
        outside = ~missing & _beyond(value, plan.bounds)
    if plan.groups is not None and plan.outside is None:
        members = _members(plan.groups)
        outside = ~missing & ~value.is_in(members) if members else ~missing
    return (missing if plan.missing is None else None), outside

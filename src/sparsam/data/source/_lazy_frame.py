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
class Recoding:
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

    def refused(self, recodings: Sequence[Recoding]) -> list[tuple[int, int]]:
        """Count, for each column, the missing and the outside values that have no bucket.

        One aggregate query over the engine, or none when every value has a bucket.
        """
        counts: list[nw.Expr] = []
        for i, recoding in enumerate(recodings):
            for j, condition in enumerate(_offences(recoding)):
                if condition is not None:
                    number = nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).sum()
                    counts.append(number.alias(f"{i}_{j}"))
        found = worded(lambda: self._one_row(counts), unreadable_frame) if counts else {}
        return [(found.get(f"{i}_0", 0), found.get(f"{i}_1", 0)) for i in range(len(recodings))]

    def _one_row(self, expressions: list[nw.Expr]) -> dict[str, int]:
        result = self._frame.select(*expressions)
        native = result.to_native()
        if result.implementation.is_duckdb():  # without pyarrow, which narwhals would collect into
            row, names = native.fetchall()[0], native.columns
        else:
            collected = result.collect()
            row, names = collected.row(0), collected.columns
        return {name: int(count or 0) for name, count in zip(names, row, strict=True)}

    def rebuild(self, recodings: Sequence[Recoding], keep: Sequence[str]) -> Any:
        """Make a lazy frame of the same engine from buckets and from columns to keep."""
        if not recodings and not keep:
            msg = (
                "A lazy frame must have a column, and nothing is collected."
                "\n\nHint: Name a column in `keep`, such as the target."
            )
            raise DataError(msg)
        made = [self._typed(recoding, _expression(recoding)) for recoding in recodings]
        kept = [nw.col(name) for name in keep]
        return worded(lambda: self._frame.select(*made, *kept).to_native(), unreadable_frame)

    def _typed(self, recoding: Recoding, expression: nw.Expr) -> nw.Expr:
        if recoding.labels is None:
            expression = expression.cast(nw.UInt16)
        elif self._frame.implementation.is_polars():
            expression = expression.cast(nw.Enum(list(recoding.labels)))
        return expression.alias(recoding.name)


def _expression(recoding: Recoding) -> nw.Expr:
    """Guard missing values first: a when/then chain would put them into the last bucket."""
    value, missing = _value(recoding), _missing(recoding)
    guarded = nw.when(missing).then(_bucket(recoding, recoding.missing))
    if recoding.groups is None:
        inner = _intervals(recoding, value, 0, len(recoding.cuts))
        if recoding.bounds is not None:
            refused = _beyond(value, recoding.bounds)
            inner = nw.when(refused).then(_bucket(recoding, None)).otherwise(inner)
    else:
        inner = _groups(recoding, value, [group for group in recoding.groups if group[1]])
    return guarded.otherwise(inner)


def _value(recoding: Recoding) -> nw.Expr:
    column = nw.col(recoding.name)
    if recoding.kind == "text":
        return column.cast(nw.String)
    if recoding.kind == "truth":
        column = column.cast(nw.Int8)
    return column.cast(nw.Float64)


def _missing(recoding: Recoding) -> nw.Expr:
    value = _value(recoding)
    return value.is_null() if recoding.kind == "text" else value.is_null() | value.is_nan()


def _beyond(value: nw.Expr, bounds: tuple[float, float]) -> nw.Expr:
    return (value < bounds[0]) | (value > bounds[1])


def _bucket(recoding: Recoding, bucket: int | None) -> nw.Expr:
    """Write a bucket; what is refused becomes null, should it slip past the count."""
    dtype = nw.Int64 if recoding.labels is None else nw.String
    if bucket is None:
        return nw.lit(None, dtype)
    return nw.lit(bucket if recoding.labels is None else recoding.labels[bucket], dtype)


def _intervals(recoding: Recoding, value: nw.Expr, first: int, last: int) -> nw.Expr:
    """Write the intervals first..last as a balanced tree: hundreds of cuts would nest too deep."""
    if first == last:
        return _bucket(recoding, first)
    middle = (first + last) // 2
    below = nw.when(value < nw.lit(recoding.cuts[middle], nw.Float64))
    left = _intervals(recoding, value, first, middle)
    return below.then(left).otherwise(_intervals(recoding, value, middle + 1, last))


def _groups(recoding: Recoding, value: nw.Expr, groups: Sequence[tuple[int, Members]]) -> nw.Expr:
    """Write groups as a balanced tree behind a test for values in no group."""
    outside = _bucket(recoding, recoding.outside)
    if not groups:
        return outside

    def tree(part: Sequence[tuple[int, Members]]) -> nw.Expr:
        if len(part) == 1:
            return _bucket(recoding, part[0][0])
        half = len(part) // 2
        left = nw.when(value.is_in(_members(part[:half]))).then(tree(part[:half]))
        return left.otherwise(tree(part[half:]))

    return nw.when(value.is_in(_members(groups))).then(tree(groups)).otherwise(outside)


def _members(groups: Sequence[tuple[int, Members]]) -> list[Any]:
    return [member for _, members in groups for member in members]


def _offences(recoding: Recoding) -> tuple[nw.Expr | None, nw.Expr | None]:
    """Return the conditions under which a value is refused: missing, and outside."""
    value, missing = _value(recoding), _missing(recoding)
    outside: nw.Expr | None = None
    if recoding.groups is None and recoding.bounds is not None:
        outside = ~missing & _beyond(value, recoding.bounds)
    if recoding.groups is not None and recoding.outside is None:
        members = _members(recoding.groups)
        outside = ~missing & ~value.is_in(members) if members else ~missing
    return (missing if recoding.missing is None else None), outside

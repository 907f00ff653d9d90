"""Any other engine that narwhals speaks: a tree of conditions, which every engine understands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data.source.lazy._batches import sums_of_batches
from sparsam.data.source.lazy._counts import COUNT, GroupCounts, Names, series_values
from sparsam.data.source.lazy._draw import Draw
from sparsam.data.source.lazy._frame import LazyFrame, Refused
from sparsam.data.source.lazy._plan import WRITTEN, ColumnPlan, slot_name
from sparsam.data.source.lazy._row_hash import CellKind, RowSums
from sparsam.data.source.lazy._stream import Codes

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

# Each is a clause of the query: more take engines minutes.
_MOST_BUCKETS = 5_000


class OtherFrame(LazyFrame):
    """A frame of dask, Ibis or another engine without a way of its own here.

    Parameters
    ----------
    frame : narwhals LazyFrame
    """

    def _count(self, checks: Sequence[ColumnPlan]) -> Refused:
        counts = [
            nw.when(_expression(plan, None) == slot)
            .then(nw.lit(1))
            .otherwise(nw.lit(0))
            .sum()
            .alias(f"{i}_{slot}")
            for i, plan in enumerate(checks)
            for slot in (plan.n_buckets, plan.n_buckets + 1)
        ]
        row = [int(count or 0) for count in self._frame.select(*counts).collect().row(0)]
        return [(row[2 * i], row[2 * i + 1]) for i in range(len(checks))]

    def _rebuilt(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        _check_size(plans)
        recoded = [_rebuilt(plan) for plan in plans]
        return self._frame.select(*recoded, *map(nw.col, keep)).to_native()

    def _slots(self, plans: Sequence[ColumnPlan], ordered: bool) -> Iterator[list[Codes]]:
        home = nw.from_native(self._coded(plans)).lazy().collect()
        columns = [home[slot_name(i)].to_numpy() for i in range(len(plans))]
        yield [np.asarray(c, plan.dtype) for c, plan in zip(columns, plans, strict=True)]

    def _row_sums(self, kinds: Sequence[tuple[str, CellKind]], key: str) -> RowSums:
        return sums_of_batches([self._frame.collect().to_arrow()], key)

    def _coded(self, plans: Sequence[ColumnPlan], keep: Sequence[str] = ()) -> Any:
        _check_size(plans)
        coded = [_expression(plan, None).alias(slot_name(i)) for i, plan in enumerate(plans)]
        return self._frame.select(*coded, *map(nw.col, keep)).to_native()

    def _n_rows(self) -> int:
        return int(self._frame.select(nw.len()).collect().item())

    def _group_counts(self, sets: list[Names]) -> list[GroupCounts]:
        return [self._counted(names) for names in sets]

    def _counted(self, names: Names) -> GroupCounts:
        number = nw.len().alias(COUNT)
        counted = self._frame.group_by(*names).agg(number) if names else self._frame.select(number)
        answer = counted.collect()
        columns = tuple(series_values(answer[name]) for name in names)
        return GroupCounts(columns, answer[COUNT].to_numpy().astype(np.int64))

    def _sizes(self, names: Sequence[str]) -> Sequence[Any]:
        sizes = [len(self._counted((name,))) for name in names]  # n_unique is wrong on dask
        return [self._n_rows(), *sizes]

    def _in_order(self, name: str) -> bool:
        return False

    def _some_values(self, name: str, every: int) -> Any:
        raise _no_sample()

    def _drawn(self, draw: Draw, others: bool) -> Any:
        raise _no_sample()


def _check_size(plans: Sequence[ColumnPlan]) -> None:
    n_buckets = sum(plan.n_buckets for plan in plans)
    if n_buckets > _MOST_BUCKETS:
        raise DataError(
            f"This engine is asked for at most {_MOST_BUCKETS:,} buckets in one query. "
            f"The generalization has {n_buckets:,}.\n\nHint: Collect the frame first."
        )


def _rebuilt(plan: ColumnPlan) -> nw.Expr:
    expression = _expression(plan, plan.labels or range(plan.n_buckets))
    if plan.labels is None:
        expression = expression.cast(nw.UInt16)
    return expression.alias(plan.name)


def _expression(plan: ColumnPlan, outputs: Sequence[Any] | None) -> nw.Expr:
    """Write what is given out for each slot; slots themselves where outputs are None."""

    def leaf(slot: int) -> nw.Expr:
        if outputs is None:
            return nw.lit(slot, nw.Int64)
        dtype = nw.Int64 if plan.labels is None else nw.String
        return nw.lit(outputs[slot] if slot < len(outputs) else None, dtype)

    value = _value(plan)
    missing = value.is_null() if plan.kind == "text" else value.is_null() | value.is_nan()
    if plan.groups is None:
        numbers, slots = plan.steps
        known = _intervals(value, numbers, [leaf(slot) for slot in slots])
    else:
        groups = [(leaf(bucket), list(members)) for bucket, members in plan.groups if members]
        known = _groups(value, groups, leaf(plan.outside_slot))
    # first: a when/then chain would put missing values into the last bucket
    return nw.when(missing).then(leaf(plan.missing_slot)).otherwise(known)


def _value(plan: ColumnPlan) -> nw.Expr:
    value = _present(plan)
    return nw.when(~value.is_in(plan.gone)).then(value) if plan.gone else value


def _present(plan: ColumnPlan) -> nw.Expr:
    column = nw.col(plan.name)
    if plan.kind == "written":
        text = column.cast(nw.String).str.strip_chars()
        return nw.when(text.str.contains(WRITTEN)).then(text).cast(nw.Float64)
    if plan.kind == "text":
        return column.cast(nw.String)
    if plan.kind == "time":
        minutes = column.dt.hour().cast(nw.Int64) * 60 + column.dt.minute().cast(nw.Int64)
        return minutes.cast(nw.Float64)
    if plan.kind in ("date", "moment"):
        date = column.dt.date() if plan.kind == "moment" else column
        return _days(date) if plan.age_on is None else _age(date, plan)
    if plan.kind == "truth":
        column = column.cast(nw.Int8)
    return column.cast(nw.Float64)


def _days(date: nw.Expr) -> nw.Expr:
    return date.cast(nw.Datetime("us")).dt.timestamp("us").cast(nw.Float64) / 86_400_000_000


def _age(birth: nw.Expr, plan: ColumnPlan) -> nw.Expr:
    on = plan.age_on
    assert on is not None
    in_year = birth.dt.month().cast(nw.Int64) * 100 + birth.dt.day().cast(nw.Int64)
    waits = nw.when(in_year > on.month * 100 + on.day).then(nw.lit(1)).otherwise(nw.lit(0))
    return (nw.lit(on.year) - birth.dt.year().cast(nw.Int64) - waits).cast(nw.Float64)


def _intervals(value: nw.Expr, numbers: Sequence[float], leaves: Sequence[nw.Expr]) -> nw.Expr:
    """Write intervals as a balanced tree: hundreds of cuts would nest too deep."""
    if not numbers:
        return leaves[0]
    middle = len(numbers) // 2
    below = nw.when(value < nw.lit(numbers[middle], nw.Float64))
    left = _intervals(value, numbers[:middle], leaves[: middle + 1])
    right = _intervals(value, numbers[middle + 1 :], leaves[middle + 1 :])
    return below.then(left).otherwise(right)


def _groups(
    value: nw.Expr, groups: Sequence[tuple[nw.Expr, list[Any]]], outside: nw.Expr
) -> nw.Expr:
    """Write groups as a balanced tree behind a test for values in no group."""
    if not groups:
        return outside

    def members(part: Sequence[tuple[nw.Expr, list[Any]]]) -> list[Any]:
        return [member for _, listed in part for member in listed]

    def tree(part: Sequence[tuple[nw.Expr, list[Any]]]) -> nw.Expr:
        if len(part) == 1:
            return part[0][0]
        half = len(part) // 2
        left = nw.when(value.is_in(members(part[:half]))).then(tree(part[:half]))
        return left.otherwise(tree(part[half:]))

    return nw.when(value.is_in(members(groups))).then(tree(groups)).otherwise(outside)


def _no_sample() -> DataError:
    return DataError(
        "Rows are drawn by DuckDB, polars or Spark. This engine is another one."
        "\n\nHint: allow more memory, or write the table to a Parquet file first."
    )

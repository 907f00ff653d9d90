"""polars: every expression works on one row at a time, so that frames can be streamed.

`replace_strict` and `search_sorted` of an expression are not such: they hold whole columns. Where
comparisons would be too many, a function asks a polars series for the same instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsam._lazy import LazyModule
from sparsam.data.source.lazy._batches import sums_of_batches
from sparsam.data.source.lazy._counts import COUNT, GroupCounts, Names, series_values
from sparsam.data.source.lazy._draw import Draw
from sparsam.data.source.lazy._frame import LazyFrame, Refused, refused_of
from sparsam.data.source.lazy._plan import WRITTEN, ColumnPlan, slot_name
from sparsam.data.source.lazy._row_hash import CellKind, RowSums
from sparsam.data.source.lazy._stream import Codes, stream_codes

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars")

_PLACE = "place of the row"
# polars evaluates every branch for every row: up to here that is faster than a look-up.
_FEW = 24
_ROW = "sparsam row"
_MANY_ROWS = 1 << 20
# What is given out for each slot: null, where its values are refused.
Outputs = Sequence[int | None]


class PolarsFrame(LazyFrame):
    """A lazy frame of polars.

    Parameters
    ----------
    frame : narwhals LazyFrame
    """

    streams = True

    def _count(self, checks: Sequence[ColumnPlan]) -> Refused:
        counts = [
            count.sum().alias(f"{what} {i}")
            for i, check in enumerate(checks)
            for what, count in zip(("there", "known"), _is_known(check), strict=True)
        ]
        row = self.native.select(pl.len(), *counts).collect(engine="streaming").row(0)
        return refused_of(checks, row)

    def _rebuilt(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        recoded = [_given_out(plan) for plan in plans]
        return self._frame.to_native().select(*recoded, *map(pl.col, keep))

    def _slots(self, plans: Sequence[ColumnPlan], ordered: bool) -> Iterator[list[Codes]]:
        if ordered:
            numbered = self.native.with_row_index(_ROW).select(_ROW, *_code_columns(plans))
            frames = _in_order(numbered.collect_batches(engine="streaming"))
        else:
            coded = self._coded(plans)
            frames = coded.collect_batches(engine="streaming", maintain_order=False)
        for frame in frames:
            yield from stream_codes(frame, [plan.dtype for plan in plans])

    def _coded(self, plans: Sequence[ColumnPlan], keep: Sequence[str] = ()) -> Any:
        return self.native.select(*_code_columns(plans), *map(pl.col, keep))

    def _row_sums(self, kinds: Sequence[tuple[str, CellKind]], key: str) -> RowSums:
        rows = self.native.cast({pl.Null: pl.String})  # DuckDB takes no column without a type
        batches = rows.collect_batches(engine="streaming", maintain_order=False)
        return sums_of_batches(_larger(batches), key)

    def _n_rows(self) -> int:
        return int(self._frame.to_native().select(pl.len()).collect(engine="streaming").item())

    def _group_counts(self, sets: list[Names]) -> list[GroupCounts]:
        rows = self.native
        number = pl.len().alias(COUNT)
        asked = [
            rows.group_by([pl.col(n).alias(f"c{i}") for i, n in enumerate(names)]).agg(number)
            if names
            else rows.select(number)
            for names in sets
        ]
        answers = pl.collect_all(asked, engine="streaming")
        return [
            GroupCounts(
                tuple(series_values(answer[f"c{i}"]) for i in range(len(names))),
                answer[COUNT].to_numpy().astype(np.int64),
            )
            for names, answer in zip(sets, answers, strict=True)
        ]

    def _sizes(self, names: Sequence[str]) -> Sequence[Any]:
        asked = [pl.col(n).approx_n_unique().alias(f"c{i}") for i, n in enumerate(names)]
        row: Sequence[Any] = self.native.select(pl.len(), *asked).collect(engine="streaming").row(0)
        return row

    def _in_order(self, name: str) -> bool:
        before = pl.col(name).shift()
        told = [(pl.col(name) >= before).all(), (pl.col(name) <= before).all()]
        answer = self.native.select(told[0].alias("up"), told[1].alias("down")).collect()
        return any(answer.row(0))

    def _some_values(self, name: str, every: int) -> Any:
        return self.native.select(name).filter(pl.col(name).hash(0) % every == 0)

    def _drawn(self, draw: Draw, others: bool) -> Any:
        value = draw.value(pl.col(_PLACE).cast(pl.Int64))
        drawn = value >= draw.threshold if others else value < draw.threshold
        return self.native.with_row_index(_PLACE).filter(drawn).drop(_PLACE)


def _larger(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Put small batches together: a query for each would take longer than the rows."""
    waiting: list[pl.DataFrame] = []
    for frame in frames:
        waiting.append(frame)
        if sum(map(len, waiting)) >= _MANY_ROWS:
            yield pl.concat(waiting)
            waiting = []
    if waiting:
        yield pl.concat(waiting)


def _in_order(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Hand numbered rows on in their order: polars may finish a later batch before an earlier."""
    waiting: dict[int, pl.DataFrame] = {}
    following = 0
    for frame in frames:
        if len(frame):
            waiting[frame[_ROW][0]] = frame.drop(_ROW)
        while following in waiting:
            ready = waiting.pop(following)
            following += len(ready)
            yield ready


def _code_columns(plans: Sequence[ColumnPlan]) -> list[pl.Expr]:
    types = {"uint8": pl.UInt8, "uint16": pl.UInt16}
    return [
        _slots(plan, range(plan.n_buckets + 2)).cast(types[plan.dtype.__name__]).alias(slot_name(i))
        for i, plan in enumerate(plans)
    ]


def _given_out(plan: ColumnPlan) -> pl.Expr:
    buckets = _slots(plan, [*range(plan.n_buckets), None, None])
    if plan.labels is None:
        return buckets.alias(plan.name)
    labels = pl.Enum(list(plan.labels))
    if hasattr(buckets.cat, "to"):
        physical = pl.UInt8 if len(plan.labels) < 256 else pl.UInt16
        return buckets.cast(physical).cat.to(labels).alias(plan.name)
    return buckets.cast(pl.UInt32).cast(labels).alias(plan.name)  # polars 1


def _is_known(check: ColumnPlan) -> tuple[pl.Expr, pl.Expr]:
    """Tell the values that are there, and those of them that have a bucket."""
    text = check.kind == "text"
    value = pl.col(check.name).cast(pl.String) if text else _value(check)
    there = value.is_not_null() if text else value <= float("inf")
    if check.groups is None and check.bounds is not None:
        low, after = check.steps[0]
        return there, (value >= low) & (value < after)
    if check.groups is not None and check.outside is None:
        return there, value.is_in(list(check.slot_of))
    return there, there


def _slots(plan: ColumnPlan, outputs: Outputs) -> pl.Expr:
    """Write what is given out for the slot of a value.

    Nothing may be asked of the whole expression twice: polars computes a part of it once only where
    the parts around it differ, and a column would be looked up again for each of its buckets.
    """
    if plan.groups is None:
        return _interval_slots(plan, outputs)
    return _text_slots(plan, outputs) if plan.kind == "text" else _number_slots(plan, outputs)


def _interval_slots(plan: ColumnPlan, outputs: Outputs) -> pl.Expr:
    value, (numbers, slots) = _value(plan), plan.steps
    given = [outputs[slot] for slot in slots]
    missing = _output(outputs[plan.missing_slot])
    is_there = value <= float("inf")  # neither null nor NaN is
    if len(numbers) <= _FEW:
        leaves = list(map(_output, given))
        leaves[-1] = pl.when(is_there).then(leaves[-1]).otherwise(missing)
        return _tree(value, [pl.lit(number, pl.Float64) for number in numbers], leaves)
    cuts, known = pl.Series(numbers), pl.Series(given, dtype=pl.UInt16)
    found = _one_by_one(value, lambda s: known.gather(cuts.search_sorted(s, side="right")))
    return pl.when(is_there).then(found).otherwise(missing)


def _tree(value: pl.Expr, cuts: Sequence[pl.Expr], leaves: Sequence[pl.Expr]) -> pl.Expr:
    """Compare with cuts of the value's own type: for any other polars converts it each time."""
    if not cuts:
        return leaves[0]
    middle = len(cuts) // 2
    left = _tree(value, cuts[:middle], leaves[: middle + 1])
    right = _tree(value, cuts[middle + 1 :], leaves[middle + 1 :])
    return pl.when(value < cuts[middle]).then(left).otherwise(right)


def _text_slots(plan: ColumnPlan, outputs: Outputs) -> pl.Expr:
    """Members that share a bucket stand side by side in an Enum: its numbers are then compared."""
    column, by_slot = pl.col(plan.name), sorted(plan.slot_of.items(), key=lambda pair: pair[1])
    gone = pl.when(column.is_null()).then(_output(outputs[plan.missing_slot]))
    unknown = gone.otherwise(_output(outputs[plan.outside_slot]))
    if not by_slot:
        return unknown
    members = pl.Enum([str(member) for member, _ in by_slot])
    place = column.cast(pl.String).cast(members, strict=False).to_physical().cast(pl.UInt32)
    given = [outputs[slot] for _, slot in by_slot]
    starts = [i for i, slot in enumerate(given) if i == 0 or slot != given[i - 1]]
    if given == list(range(len(given))):
        known: pl.Expr = place.cast(pl.UInt16)
    elif len(starts) <= _FEW:
        cuts = [pl.lit(i, pl.UInt32) for i in starts[1:]]
        known = _tree(place, cuts, [_output(given[i]) for i in starts])
    else:
        of_place = pl.Series(given, dtype=pl.UInt16)
        known = _one_by_one(place, of_place.gather)
    return pl.when(place.is_not_null()).then(known).otherwise(unknown)


def _number_slots(plan: ColumnPlan, outputs: Outputs) -> pl.Expr:
    value, members = _value(plan), list(plan.slot_of)
    given = [outputs[slot] for slot in plan.slot_of.values()]
    outside = pl.when(value <= float("inf")).then(_output(outputs[plan.outside_slot]))
    unknown = outside.otherwise(_output(outputs[plan.missing_slot]))
    if len(members) > _FEW:
        numbers, known = pl.Series(members), pl.Series(given, dtype=pl.UInt16)
        found = _one_by_one(value, lambda s: s.replace_strict(numbers, known, default=None))
        return pl.when(found.is_not_null()).then(found).otherwise(unknown)
    for member, output in zip(members, given, strict=True):
        unknown = pl.when(value == member).then(_output(output)).otherwise(unknown)
    return unknown


def _one_by_one(column: pl.Expr, function: Callable[[pl.Series], pl.Series]) -> pl.Expr:
    """Ask a series; polars is told that no row depends on another."""
    return column.map_batches(function, return_dtype=pl.UInt16, is_elementwise=True)


def _output(output: int | None) -> pl.Expr:
    return pl.lit(output, dtype=pl.UInt16)


def _value(plan: ColumnPlan) -> pl.Expr:
    value = _present(plan)
    return pl.when(~value.is_in(plan.gone)).then(value) if plan.gone else value


def _present(plan: ColumnPlan) -> pl.Expr:
    column = pl.col(plan.name)
    if plan.kind == "written":
        text = column.cast(pl.String).str.strip_chars()
        return pl.when(text.str.contains(WRITTEN)).then(text).cast(pl.Float64, strict=False)
    if plan.kind == "time":
        return (column.cast(pl.Int64) // 60_000_000_000).cast(pl.Float64)
    if plan.kind in ("date", "moment"):
        date = column.dt.date() if plan.kind == "moment" else column
        return date.cast(pl.Int32).cast(pl.Float64) if plan.age_on is None else _age(date, plan)
    if plan.kind == "truth":
        column = column.cast(pl.UInt8)
    return column.cast(pl.Float64)


def _age(birth: pl.Expr, plan: ColumnPlan) -> pl.Expr:
    on = plan.age_on
    assert on is not None
    in_year = birth.dt.month().cast(pl.Int32) * 100 + birth.dt.day().cast(pl.Int32)
    waits = (in_year > on.month * 100 + on.day).cast(pl.Int32)
    return (on.year - birth.dt.year() - waits).cast(pl.Float64)

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
from sparsam.data.source.lazy._frame import LazyFrame, Refused
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


class PolarsFrame(LazyFrame):
    """A lazy frame of polars.

    Parameters
    ----------
    frame : narwhals LazyFrame
    """

    streams = True

    def _count(self, checks: Sequence[ColumnPlan]) -> Refused:
        counts = [
            (_slots(plan) == slot).sum().alias(f"{i}_{slot}")
            for i, plan in enumerate(checks)
            for slot in (plan.n_buckets, plan.n_buckets + 1)
        ]
        row = self._frame.to_native().select(counts).collect(engine="streaming").row(0)
        return [(row[2 * i], row[2 * i + 1]) for i in range(len(checks))]

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
        _slots(plan).cast(types[plan.dtype.__name__]).alias(slot_name(i))
        for i, plan in enumerate(plans)
    ]


def _given_out(plan: ColumnPlan) -> pl.Expr:
    slots = _slots(plan)
    if plan.refuses:
        slots = pl.when(slots < plan.n_buckets).then(slots)
    if plan.labels is None:
        return slots.cast(pl.UInt16).alias(plan.name)
    labels = pl.Enum(list(plan.labels))
    if hasattr(slots.cat, "to"):
        physical = pl.UInt8 if len(plan.labels) < 256 else pl.UInt16
        return slots.cast(physical).cat.to(labels).alias(plan.name)
    return slots.cast(pl.UInt32).cast(labels).alias(plan.name)  # polars 1


def _slots(plan: ColumnPlan) -> pl.Expr:
    if plan.groups is None:
        return _interval_slots(plan)
    return _text_slots(plan) if plan.kind == "text" else _number_slots(plan)


def _interval_slots(plan: ColumnPlan) -> pl.Expr:
    value, (numbers, slots) = _value(plan), plan.steps
    missing = _slot(plan.missing_slot)
    is_there = value <= float("inf")  # neither null nor NaN is
    if len(numbers) <= _FEW:
        leaves = [_slot(slot) for slot in slots]
        leaves[-1] = pl.when(is_there).then(leaves[-1]).otherwise(missing)
        return _tree(value, numbers, leaves)
    cuts, known = pl.Series(numbers), pl.Series(slots, dtype=pl.UInt16)
    found = _one_by_one(value, lambda s: known.gather(cuts.search_sorted(s, side="right")))
    return pl.when(is_there).then(found).otherwise(missing)


def _tree(value: pl.Expr, numbers: Sequence[float], leaves: Sequence[pl.Expr]) -> pl.Expr:
    if not numbers:
        return leaves[0]
    middle = len(numbers) // 2
    left = _tree(value, numbers[:middle], leaves[: middle + 1])
    right = _tree(value, numbers[middle + 1 :], leaves[middle + 1 :])
    return pl.when(value < numbers[middle]).then(left).otherwise(right)


def _text_slots(plan: ColumnPlan) -> pl.Expr:
    """Members that share a bucket stand side by side in an Enum: its numbers are then compared."""
    column, by_slot = pl.col(plan.name), sorted(plan.slot_of.items(), key=lambda pair: pair[1])
    gone = pl.when(column.is_null()).then(_slot(plan.missing_slot))
    unknown = gone.otherwise(_slot(plan.outside_slot))
    if not by_slot:
        return unknown
    members = pl.Enum([str(member) for member, _ in by_slot])
    place = column.cast(pl.String).cast(members, strict=False).to_physical().cast(pl.UInt32)
    slots = [slot for _, slot in by_slot]
    starts = [i for i, slot in enumerate(slots) if i == 0 or slot != slots[i - 1]]
    if slots == list(range(len(slots))):
        known: pl.Expr = place.cast(pl.UInt16)
    elif len(starts) <= _FEW:
        known = _tree(place, [float(i) for i in starts[1:]], [_slot(slots[i]) for i in starts])
    else:
        of_place = pl.Series(slots, dtype=pl.UInt16)
        known = _one_by_one(place, of_place.gather)
    return pl.when(place.is_not_null()).then(known).otherwise(unknown)


def _number_slots(plan: ColumnPlan) -> pl.Expr:
    value = _value(plan)
    outside = pl.when(value <= float("inf")).then(_slot(plan.outside_slot))
    unknown = outside.otherwise(_slot(plan.missing_slot))
    members, slots = list(plan.slot_of), list(plan.slot_of.values())
    if len(members) > _FEW:
        numbers, known = pl.Series(members), pl.Series(slots, dtype=pl.UInt16)
        found = _one_by_one(value, lambda s: s.replace_strict(numbers, known, default=None))
        return pl.when(found.is_not_null()).then(found).otherwise(unknown)
    for member, slot in zip(members, slots, strict=True):
        unknown = pl.when(value == member).then(_slot(slot)).otherwise(unknown)
    return unknown


def _one_by_one(column: pl.Expr, function: Callable[[pl.Series], pl.Series]) -> pl.Expr:
    """Ask a series; polars is told that no row depends on another."""
    return column.map_batches(function, return_dtype=pl.UInt16, is_elementwise=True)


def _slot(slot: int) -> pl.Expr:
    return pl.lit(slot, dtype=pl.UInt16)


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

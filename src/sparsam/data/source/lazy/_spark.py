"""Spark: categories through a broadcast join, which keeps rows where they are.

Everything is SQL text, which classic frames and those of Spark Connect take alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sparsam.data.source.lazy._counts import (
    GroupCounts,
    Names,
    arrow_columns,
    grouping_sets,
    sets_apart,
)
from sparsam.data.source.lazy._draw import Draw
from sparsam.data.source.lazy._frame import LazyFrame, Refused
from sparsam.data.source.lazy._plan import WRITTEN, ColumnPlan, LazyKind
from sparsam.data.source.lazy._row_hash import CellKind, RowSums, hashed, sum_of, sums_sql
from sparsam.data.source.lazy._sql import Dialect, counted, counts_sql, projections, value_name
from sparsam.data.source.lazy._stream import Codes, stream_codes

_PLACE = "sparsam_place_of_the_row"
# Spark has no unsigned types: slots travel as signed numbers, and their first bit is turned.
_SLOTS = {"uint8": ("TINYINT", 128), "uint16": ("SMALLINT", 32_768)}


class SparkDialect(Dialect):
    """How Spark writes it."""

    infinity = "double('Infinity')"
    string = "STRING"
    bucket = "INT"

    def slots(self, plan: ColumnPlan) -> tuple[list[str], str]:
        """Return what stands for every slot, and the type of that."""
        kind, half = _SLOTS[plan.dtype.__name__]
        return [str(n - half) for n in range(plan.n_buckets + 2)], kind

    def quoted(self, name: str) -> str:
        """Return a name in quotes."""
        return "`" + name.replace("`", "``") + "`"

    def text(self, text: str) -> str:
        """Return a text as a literal, in which no sign can mean anything else."""
        return f"CAST({_bytes(text)} AS STRING)"

    def number(self, number: float) -> str:
        """Return a number as a DOUBLE."""
        return f"{float(number)!r}D" if math.isfinite(number) else f"double('{number!r}')"

    def n_bytes(self, text: str) -> str:
        """Return how many bytes a text has."""
        return f"octet_length({text})"

    def from_hex(self, digits: str) -> str:
        """Return 16 hexadecimal digits as a number whose sum over all rows is exact."""
        return f"CAST(conv({digits}, 16, 10) AS DECIMAL(38, 0))"

    def item(self, items: Sequence[str], index: str) -> str:
        """Return an item of a list, counted from 0."""
        return f"get(array({', '.join(items)}), {index})"

    def value(self, plan: ColumnPlan) -> str:
        """Return what is compared."""
        column = self.quoted(plan.name)
        if plan.kind == "text":
            return f"CAST({column} AS STRING)"
        if plan.kind == "number":
            return f"CAST({column} AS DOUBLE)"
        if plan.kind == "written":
            spaces = self.text(r"(?U)^\s+|\s+$")
            text = f"regexp_replace(CAST({column} AS STRING), {spaces}, '')"
            known = f"regexp_like({text}, {self.text(WRITTEN)})"
            return f"CAST(CASE WHEN {known} THEN {text} END AS DOUBLE)"
        if plan.kind == "truth":
            return f"CAST(CAST({column} AS INT) AS DOUBLE)"
        if plan.kind == "time":
            return f"CAST(hour({column}) * 60 + minute({column}) AS DOUBLE)"
        date = f"to_date({column})" if plan.kind == "moment" else column
        if plan.age_on is None:
            return f"CAST(datediff({date}, DATE'1970-01-01') AS DOUBLE)"
        day = plan.age_on.month * 100 + plan.age_on.day
        waits = f"CASE WHEN month({date}) * 100 + day({date}) > {day} THEN 1 ELSE 0 END"
        return f"CAST({plan.age_on.year} - year({date}) - {waits} AS DOUBLE)"

    def place(self, plan: ColumnPlan, value: str, i: int) -> str:
        """Return the place of a text, which a join has found."""
        return self.quoted(_found(i))


class SparkFrame(LazyFrame):
    """A frame of Spark, classic or of Spark Connect.

    Parameters
    ----------
    frame : narwhals LazyFrame
    """

    def kind(self, name: str) -> LazyKind:
        """What the values of a column are."""
        known = super().kind(name)
        if known != "other":
            return known
        native = self._frame.to_native().schema[self.names.index(name)].dataType
        return "time" if type(native).__name__ == "TimeType" else known

    def _count(self, checks: Sequence[ColumnPlan]) -> Refused:
        coded = self._projected(checks, (), slots=True)
        return counted(coded.selectExpr(*counts_sql(checks, SparkDialect())).collect()[0])

    def _rebuilt(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        return self._projected(plans, keep, slots=False)

    def _slots(self, plans: Sequence[ColumnPlan], ordered: bool) -> Iterator[list[Codes]]:
        home = self._coded(plans).toArrow()
        for batch in stream_codes(home, [plan.dtype for plan in plans]):
            yield [slots ^ slots.dtype.type(_SLOTS[slots.dtype.name][1]) for slots in batch]

    def _coded(self, plans: Sequence[ColumnPlan]) -> Any:
        return self._projected(plans, (), slots=True)

    def _first_slot(self, plan: ColumnPlan) -> int:
        return -_SLOTS[plan.dtype.__name__][1]

    def _n_rows(self) -> int:
        return int(self._frame.to_native().count())

    def _row_sums(self, kinds: Sequence[tuple[str, CellKind]], key: str) -> RowSums:
        rows, dialect = self.native, SparkDialect()
        for projection in hashed([(self._cell(*kind), kind[1]) for kind in kinds], key, dialect):
            rows = rows.selectExpr(*projection)
        return sum_of(rows.selectExpr(*sums_sql(dialect)).collect()[0])

    def _cell(self, name: str, kind: CellKind) -> str:
        column = SparkDialect().quoted(name)
        if self.zoned(name):
            return f"unix_micros({column})"
        if self.nested(name):
            return f"to_json(struct({column}))"
        casts = {"text": "STRING", "float": "DOUBLE"}
        return f"CAST({column} AS {casts[kind]})" if kind in casts else column

    def _projected(self, plans: Sequence[ColumnPlan], keep: Sequence[str], *, slots: bool) -> Any:
        dialect = SparkDialect()
        lists = projections(plans, keep, dialect, slots=slots)
        frame = self._frame.to_native().selectExpr(*lists.values)
        for i, plan in enumerate(plans):
            if plan.kind == "text" and plan.slot_of:
                value = dialect.quoted(value_name(i))
                key = f"CAST({value} AS BINARY) AS {dialect.quoted(_key(i))}"
                members = self._members(plan, i)
                frame = frame.selectExpr("*", key).join(members.hint("broadcast"), _key(i), "left")
        if lists.places:
            frame = frame.selectExpr("*", *lists.places)
        return frame.selectExpr(*lists.outputs)

    def _members(self, plan: ColumnPlan, i: int) -> Any:
        """Make a small table of the members of groups, by their bytes: no collation matters."""
        rows = ", ".join(f"({_bytes(str(m))}, {place})" for place, m in enumerate(plan.slot_of))
        quoted = SparkDialect().quoted
        query = f"SELECT * FROM VALUES {rows} AS members({quoted(_key(i))}, {quoted(_found(i))})"
        return self._frame.to_native().sparkSession.sql(query)

    def _group_counts(self, sets: list[Names]) -> list[GroupCounts]:
        query = grouping_sets(sets, "\0", SparkDialect())
        # braces are how Spark marks the frame
        query = query.replace("{", "{{").replace("}", "}}").replace("\0", "{rows}")
        answer = self.native.sparkSession.sql(query, rows=self.native)
        return sets_apart(sets, arrow_columns(answer.toArrow()))

    def _sizes(self, names: Sequence[str]) -> Sequence[Any]:
        asked = (f"approx_count_distinct({SparkDialect().quoted(name)})" for name in names)
        return tuple(self.native.selectExpr("count(*)", *asked).collect()[0])

    def _in_order(self, name: str) -> bool:
        return False

    def _some_values(self, name: str, every: int) -> Any:
        column = SparkDialect().quoted(name)
        picked = self.native.filter(f"pmod(xxhash64({column}), {every}) = 0")
        return picked.selectExpr(column)

    def _drawn(self, draw: Draw, others: bool) -> Any:
        numbered = self.native.selectExpr("*", f"monotonically_increasing_id() AS {_PLACE}")
        compared = ">=" if others else "<"
        return numbered.filter(f"{draw.sql(_PLACE)} {compared} {draw.threshold}").drop(_PLACE)


def _bytes(text: str) -> str:
    return f"X'{text.encode().hex()}'"


def _key(i: int) -> str:
    return f"sparsam key {i}"


def _found(i: int) -> str:
    return f"sparsam member {i}"

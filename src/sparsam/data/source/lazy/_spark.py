"""Spark: categories through a broadcast join, which keeps rows where they are.

Everything is SQL text, which classic frames and those of Spark Connect take alike. Rows have no
order that Spark promises: what is drawn follows from the values of a row, not from its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from sparsam.data.source.lazy._counts import (
    GroupCounts,
    Names,
    arrow_columns,
    grouping_sets,
    sets_apart,
)
from sparsam.data.source.lazy._draw import PRIME, Draw
from sparsam.data.source.lazy._frame import LazyFrame, Refused
from sparsam.data.source.lazy._plan import WRITTEN, ColumnPlan, LazyKind
from sparsam.data.source.lazy._row_hash import CellKind, RowSums, hashed, sum_of, sums_sql
from sparsam.data.source.lazy._sql import Dialect, counted, counts_sql, projections, value_name
from sparsam.data.source.lazy._stream import Codes, stream_codes

_ROW, _EQUAL, _FIRST, _WHICH = (f"sparsam {what}" for what in ("row", "equal", "first", "which"))
_ROWS = "\0"  # in no name that a column can have
_AT_ONCE = 4096  # equal rows that are numbered in one list
# Spark has no unsigned types: slots travel as signed numbers, and their first bit is turned.
_SLOTS = {"uint8": ("TINYINT", 128), "uint16": ("SMALLINT", 32_768)}


class SparkDialect(Dialect):
    """How Spark writes it."""

    infinity = "double('Infinity')"
    string = "STRING"
    bucket = "INT"
    # Spark writes a program for each query; Java does not compile one of many comparisons, but a
    # list is data.
    few = 4

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

    driven: ClassVar[bool] = True

    def kind(self, name: str) -> LazyKind:
        """What the values of a column are."""
        known = super().kind(name)
        if known != "other":
            return known
        native = self._frame.to_native().schema[self.names.index(name)].dataType
        return "time" if type(native).__name__ == "TimeType" else known

    def tells(self, name: str) -> bool:
        """Whether the values of a column mean the same in the engine as at home."""
        return self.kind(name) != "other"

    def _count(self, checks: Sequence[ColumnPlan]) -> Refused:
        coded = self._projected(checks, (), slots=True)
        return counted(coded.selectExpr(*counts_sql(checks, SparkDialect())).collect()[0])

    def _rebuilt(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        return self._projected(plans, keep, slots=False)

    def _slots(self, plans: Sequence[ColumnPlan], ordered: bool) -> Iterator[list[Codes]]:
        return self._rows(plans, (), ordered)

    def _rows(
        self, plans: Sequence[ColumnPlan], numbers: Sequence[str], ordered: bool
    ) -> Iterator[list[Any]]:
        """Yield slots and numbers of one execution: in another one rows may come otherwise."""
        home = self._projected(plans, (), slots=True, numbers=numbers).toArrow()
        types = [*(plan.dtype for plan in plans), *([np.float64] * len(numbers))]
        for batch in stream_codes(home, types):
            slots = [c ^ c.dtype.type(_SLOTS[c.dtype.name][1]) for c in batch[: len(plans)]]
            yield [*slots, *batch[len(plans) :]]

    def _coded(self, plans: Sequence[ColumnPlan], keep: Sequence[str] = ()) -> Any:
        return self._projected(plans, keep, slots=True)

    def _first_slot(self, plan: ColumnPlan) -> int:
        """The number that stands for slot 0 there."""
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

    def _projected(
        self,
        plans: Sequence[ColumnPlan],
        keep: Sequence[str],
        *,
        slots: bool,
        numbers: Sequence[str] = (),
    ) -> Any:
        dialect = SparkDialect()
        exact = [
            f"coalesce(CAST({dialect.quoted(name)} AS DOUBLE), double('NaN')) AS `{_number(i)}`"
            for i, name in enumerate(numbers)
        ]
        kept = [*keep, *map(_number, range(len(numbers)))]
        lists = projections(plans, kept, dialect, slots=slots)
        frame = self.native.selectExpr("*", *exact) if exact else self.native
        frame = frame.selectExpr(*lists.values)
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
        names = list(dict.fromkeys(name for named in sets for name in named))
        plain = self._plain(names) if names else self.native
        query = grouping_sets(sets, _ROWS, SparkDialect())
        return sets_apart(sets, arrow_columns(_asked(query, plain).toArrow()))

    def _plain(self, names: Sequence[str]) -> Any:
        """Return columns in which values differ where a clock or a reader sees that they do.

        A moment is what a clock in the session's time zone shows, and a text is its bytes, however
        Spark was told to compare texts.
        """
        quoted = SparkDialect().quoted
        types = {"TimestampType": "TIMESTAMP_NTZ", "StringType": "STRING COLLATE UTF8_BINARY"}
        native = {field.name: type(field.dataType).__name__ for field in self.native.schema}
        return self.native.selectExpr(
            *(
                f"CAST({quoted(name)} AS {types[native[name]]}) AS {quoted(name)}"
                if native[name] in types
                else quoted(name)
                for name in names
            )
        )

    def _sizes(self, names: Sequence[str]) -> Sequence[Any]:
        asked = (f"approx_count_distinct({SparkDialect().quoted(name)})" for name in names)
        return tuple(self.native.selectExpr("count(*)", *asked).collect()[0])

    def _in_order(self, name: str) -> bool:
        return False

    def _only(self, names: Sequence[str]) -> Any:
        return self.native.selectExpr(*map(SparkDialect().quoted, names))

    def called(self, names: Mapping[str, str]) -> LazyFrame:
        """Return a frame of some columns under other names, whatever signs are in the old ones."""
        quoted = SparkDialect().quoted
        columns = (f"{quoted(old)} AS {quoted(new)}" for old, new in names.items())
        return self._of(self.native.selectExpr(*columns))

    def _as_days(self, name: str) -> Any:
        column = SparkDialect().quoted(name)
        return self.native.selectExpr(f"to_date({column}) AS {column}")

    def _outermost(self, name: str) -> Any:
        column, low, high = map(SparkDialect().quoted, (name, "sparsam low", "sparsam high"))
        # to Spark NaN is the greatest number
        known = f"CASE WHEN NOT isnan(CAST({column} AS DOUBLE)) THEN {column} END"
        ends = f"SELECT min({known}) AS {low}, max({known}) AS {high} FROM {_ROWS}"
        either = f"{column} = {low} OR {column} = {high}"
        query = f"SELECT {column} FROM {_ROWS} CROSS JOIN ({ends}) AS ends WHERE {either}"
        return _asked(query, self._plain([name]))

    def _some_values(self, name: str, every: int) -> Any:
        column = SparkDialect().quoted(name)
        picked = self.native.filter(f"pmod(xxhash64({column}), {every}) = 0")
        return picked.selectExpr(column)

    def _drawn(self, draw: Draw, others: bool) -> Any:
        """Draw by a hash of the row; equal rows are numbered, and each is drawn for itself.

        What is drawn is in an order of its own, which is that of the hash: neither the rows nor
        their order depend on how Spark has divided the table.
        """
        quoted = SparkDialect().quoted
        listed = ", ".join(map(quoted, self.names))
        # Spark passes over what is null when it hashes
        hashed = ", ".join(f"{quoted(name)}, isnull({quoted(name)})" for name in self.names)
        row, equal, first, which = map(quoted, (_ROW, _EQUAL, _FIRST, _WHICH))
        place = f"pmod(xxhash64({row}, {which}), {PRIME}L)"
        last = f"least({first} + {_AT_ONCE}, {equal}) - 1"
        counted = (
            f"SELECT {listed}, xxhash64({hashed}) AS {row}, count(*) AS {equal} "
            f"FROM {_ROWS} GROUP BY {listed}"
        )
        begun = f"SELECT *, explode(sequence(0L, {equal} - 1, {_AT_ONCE}L)) AS {first}"
        numbered = f"SELECT *, explode(sequence({first}, {last})) AS {which}"
        query = f"{numbered} FROM ({begun} FROM ({counted}))"
        compared = ">=" if others else "<"
        rows = _asked(query, self._plain(self.names))
        drawn = rows.filter(f"{draw.sql(place)} {compared} {draw.threshold}")
        if not others:
            drawn = drawn.orderBy(*map(quoted, (_ROW, *self.names, _WHICH)))
        return drawn.select(*map(quoted, self.names))


def _asked(query: str, frame: Any) -> Any:
    """Ask a query of a frame; braces are how Spark marks the frame in it."""
    marked = query.replace("{", "{{").replace("}", "}}").replace(_ROWS, "{rows}")
    return frame.sparkSession.sql(marked, rows=frame)


def _bytes(text: str) -> str:
    return f"X'{text.encode().hex()}'"


def _key(i: int) -> str:
    return f"sparsam key {i}"


def _number(i: int) -> str:
    return f"sparsam number {i}"


def _found(i: int) -> str:
    return f"sparsam member {i}"

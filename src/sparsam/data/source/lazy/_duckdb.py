"""DuckDB: categories through an ENUM, which it looks up by a hash; numbers through comparisons.

What is given out is a projection of the user's relation: no table and no join, so that rows keep
their order and nothing is left in the user's database. Only what is counted may be joined.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source._engine import listed, quoted
from sparsam.data.source._number_forms import PLAIN, sql_text
from sparsam.data.source.lazy._counts import GroupCounts, Names, grouping_sets, sets_apart
from sparsam.data.source.lazy._draw import Draw
from sparsam.data.source.lazy._frame import LazyFrame, Refused, refused_of
from sparsam.data.source.lazy._plan import ColumnPlan, LazyKind
from sparsam.data.source.lazy._row_hash import CellKind, RowSums, hashed, sum_of, sums_sql
from sparsam.data.source.lazy._sql import Dialect, projections, value_name, value_sql
from sparsam.data.source.lazy._stream import Codes, stream_codes
from sparsam.data.source.lazy._whole_numbers import WholeNumbers, whole_numbers

_ROWS, _PLACE = "rows_to_count", "place_of_the_row"
_SLOTS = {"uint8": "UTINYINT", "uint16": "USMALLINT"}


class DuckDialect(Dialect):
    """How DuckDB writes it."""

    infinity = "CAST('inf' AS DOUBLE)"
    string = "VARCHAR"
    bucket = "USMALLINT"

    def slots(self, plan: ColumnPlan) -> tuple[list[str], str]:
        """Return what stands for every slot, and the type of that."""
        return [str(n) for n in range(plan.n_buckets + 2)], _SLOTS[plan.dtype.__name__]

    def labels(self, plan: ColumnPlan) -> tuple[list[str], str]:
        """Return the places of the labels: no text is written before it is known which."""
        return [str(n) for n in range(len(plan.labels or ()))], _SLOTS[plan.dtype.__name__]

    def given_out(self, plan: ColumnPlan, value: str, found: str) -> str:
        """Return the label of a value, as an ENUM, which takes a byte or two for each row."""
        labels = plan.labels or ()
        kind = f"ENUM({listed(labels)})"
        if plan.own_labels:
            return f"TRY_CAST({value} AS {kind})"
        return f"CAST({_one_literal(labels)} AS {kind}[])[CAST({found} AS INTEGER) + 1]"

    def quoted(self, name: str) -> str:
        """Return a name in quotes."""
        return quoted(name)

    def text(self, text: str) -> str:
        """Return a text as a literal."""
        return sql_text(text)

    def number(self, number: float) -> str:
        """Return a number as a DOUBLE: without an exponent it would be a DECIMAL."""
        written = repr(float(number))
        if not math.isfinite(number):
            return f"'{written}'::DOUBLE"
        return written if "e" in written else f"{written}e0"

    def n_bytes(self, text: str) -> str:
        """Return how many bytes a text has."""
        return f"strlen({text})"

    def from_hex(self, digits: str) -> str:
        """Return 16 hexadecimal digits as a number whose sum over all rows is exact."""
        return f"CAST('0x' || {digits} AS UBIGINT)"

    def item(self, items: Sequence[str], index: str) -> str:
        """Return an item of a list, counted from 0."""
        return _item(items, f"{index} + 1")

    def value(self, plan: ColumnPlan) -> str:
        """Return what is compared."""
        column = quoted(plan.name)
        if plan.kind == "text":
            return f"CAST({column} AS VARCHAR)"
        if plan.kind == "number":
            return f"CAST({column} AS DOUBLE)"
        if plan.kind == "written":
            text = PLAIN.plain(f"CAST({column} AS VARCHAR)")
            return f"TRY_CAST(CASE WHEN contains({text}, '_') THEN NULL ELSE {text} END AS DOUBLE)"
        if plan.kind == "truth":
            return f"CAST(CAST({column} AS TINYINT) AS DOUBLE)"
        if plan.kind == "time":
            return f"CAST(hour({column}) * 60 + minute({column}) AS DOUBLE)"
        date = f"CAST({column} AS DATE)" if plan.kind == "moment" else column
        if plan.age_on is None:
            return (
                f"coalesce(epoch({date}) / 86400, CASE WHEN {date} = DATE 'infinity' THEN "
                f"{self.infinity} WHEN {date} = DATE '-infinity' THEN -{self.infinity} END)"
            )
        day = plan.age_on.month * 100 + plan.age_on.day
        waits = f"CASE WHEN month({date}) * 100 + day({date}) > {day} THEN 1 ELSE 0 END"
        return f"CAST({plan.age_on.year} - year({date}) - {waits} AS DOUBLE)"

    def place(self, plan: ColumnPlan, value: str, i: int) -> str:
        """Return the place of a text among the members of a plan's groups."""
        return _place([str(member) for member in plan.slot_of], value)

    def place_of_whole(self, members: Sequence[int], number: str) -> str:
        """Return the place of a whole number among others, which is that of its text."""
        return _place(list(map(str, members)), f"CAST(CAST({number} AS BIGINT) AS VARCHAR)")


_DIALECT = DuckDialect()


def _projected(
    relation: Any, plans: Sequence[ColumnPlan], keep: Sequence[str], *, slots: bool
) -> Any:
    lists = projections(plans, keep, _DIALECT, slots=slots)
    relation = relation.project(", ".join(lists.values))
    if lists.places:
        relation = relation.project(", ".join(["*", *lists.places]))
    return relation.project(", ".join(lists.outputs))


class DuckFrame(LazyFrame):
    """A relation of DuckDB.

    Parameters
    ----------
    frame : narwhals LazyFrame
    """

    streams = True

    def kind(self, name: str) -> LazyKind:
        """What the values of a column are."""
        known = super().kind(name)
        native = self._frame.to_native().types[self.names.index(name)]
        return "time" if known == "other" and native.id == "time_ns" else known

    def _count(self, checks: Sequence[ColumnPlan]) -> Refused:
        values = [
            f"{value_sql(c, _DIALECT)} AS {quoted(value_name(i))}" for i, c in enumerate(checks)
        ]
        asked = [count for i, check in enumerate(checks) for count in _counts(check, i)]
        rows = self.native.project(", ".join(values)).aggregate(", ".join(["count(*)", *asked]))
        # of no rows DuckDB counts null
        return refused_of(checks, [count or 0 for count in rows.fetchall()[0]])

    def _rebuilt(self, plans: Sequence[ColumnPlan], keep: Sequence[str]) -> Any:
        return self._projected(plans, keep, slots=False)

    def _slots(self, plans: Sequence[ColumnPlan], ordered: bool) -> Iterator[list[Codes]]:
        whole = {place: w for place, plan in enumerate(plans) if (w := self._whole(plan))}
        others = [place for place in range(len(plans)) if place not in whole]
        relation = self._frame.to_native()
        shifted = [
            f"CAST({w.sql(quoted(plans[place].name))} AS {_SLOTS[w.dtype.__name__]}) "
            f"AS {quoted(_whole_name(place))}"
            for place, w in whole.items()
        ]
        if shifted:
            relation = relation.project(", ".join(["*", *shifted]))
        kept = [_whole_name(place) for place in whole]
        coded = _projected(relation, [plans[place] for place in others], kept, slots=True)
        types = [*(plans[place].dtype for place in others), *(w.dtype for w in whole.values())]
        order = [*others, *whole]
        for batch in stream_codes(coded, types):
            slots = dict(zip(order, batch, strict=True))
            yield [
                whole[place].looked_up(slots[place]) if place in whole else slots[place]
                for place in range(len(plans))
            ]

    def _whole(self, plan: ColumnPlan) -> WholeNumbers | None:
        """Where the numbers of a column come home to, if it is one of whole numbers."""
        return whole_numbers(plan) if self.integer(plan.name) else None

    def _coded(self, plans: Sequence[ColumnPlan], keep: Sequence[str] = ()) -> Any:
        return self._projected(plans, keep, slots=True)

    def _n_rows(self) -> int:
        return int(self._frame.to_native().aggregate("count(*)").fetchall()[0][0])

    def _row_sums(self, kinds: Sequence[tuple[str, CellKind]], key: str) -> RowSums:
        rows = self.native
        for projection in hashed([(self._cell(*kind), kind[1]) for kind in kinds], key, _DIALECT):
            rows = rows.project(", ".join(projection))
        return sum_of(rows.aggregate(", ".join(sums_sql(_DIALECT))).fetchall()[0])

    def _cell(self, name: str, kind: CellKind) -> str:
        column = quoted(name)
        if self.zoned(name):
            return f"epoch_us({column})"
        casts = {"text": "VARCHAR", "float": "DOUBLE"}
        return f"CAST({column} AS {casts[kind]})" if kind in casts else column

    def _projected(self, plans: Sequence[ColumnPlan], keep: Sequence[str], *, slots: bool) -> Any:
        return _projected(self._frame.to_native(), plans, keep, slots=slots)

    def _numbers(self, name: str) -> NDArray[np.float64]:
        numbers = self.native.project(f"CAST({quoted(name)} AS DOUBLE) AS n").fetchnumpy()["n"]
        return np.asarray(np.ma.filled(numbers, np.nan), dtype=np.float64)

    def _group_counts(self, sets: list[Names]) -> list[GroupCounts]:
        query = grouping_sets(sets, _ROWS, DuckDialect())
        return sets_apart(sets, self.native.query(_ROWS, query).fetchnumpy())

    def _sizes(self, names: Sequence[str]) -> Sequence[Any]:
        asked = (f"approx_count_distinct({quoted(name)})" for name in names)
        row: Sequence[Any] = self.native.aggregate(", ".join(["count(*)", *asked])).fetchall()[0]
        return row

    def _in_order(self, name: str) -> bool:
        steps = self.native.project(f"{quoted(name)} AS v, lag({quoted(name)}) OVER () AS b")
        told = "coalesce(bool_and(v >= b), true), coalesce(bool_and(v <= b), true)"
        return any(steps.aggregate(told).fetchall()[0])

    def _outermost(self, name: str) -> Any:
        column = quoted(name)
        # to DuckDB NaN is the greatest number
        known = f"CASE WHEN NOT isnan(CAST({column} AS DOUBLE)) THEN {column} END"
        low, high = quoted("sparsam low"), quoted("sparsam high")
        ends = f"SELECT min({known}) AS {low}, max({known}) AS {high} FROM {_ROWS}"
        either = f"{column} = {low} OR {column} = {high}"
        query = f"SELECT {column} FROM {_ROWS} CROSS JOIN ({ends}) AS ends WHERE {either}"
        return self.native.query(_ROWS, query)

    def _some_values(self, name: str, every: int) -> Any:
        column = quoted(name)
        return self.native.filter(f"hash({column}) % {every} = 0").project(column)

    def _drawn(self, draw: Draw, others: bool) -> Any:
        numbered = self.native.project(f"*, row_number() OVER () - 1 AS {_PLACE}")
        compared = ">=" if others else "<"
        drawn = numbered.filter(f"{draw.sql(_PLACE)} {compared} {draw.threshold}")
        return drawn.project(f"* EXCLUDE ({_PLACE})")


def _place(members: Sequence[str], text: str) -> str:
    return f"CAST(enum_code(TRY_CAST({text} AS ENUM({listed(members)}))) AS BIGINT)"


def _item(items: Sequence[str], which: str) -> str:
    """Write an item of a list, counted from 1.

    A list costs DuckDB a little for each of its items, once in two thousand rows: what comes again
    and again is a list of its own. Numbers are one text, which is read as a list.
    """
    if all(item == "NULL" or item.isdigit() for item in items):
        kind = _unsigned(max((int(item) for item in items if item != "NULL"), default=0))
        return f"('[{', '.join(items)}]'::{kind}[])[{which}]"
    different = {item: str(place) for place, item in enumerate(dict.fromkeys(items), 1)}
    if 2 * len(different) <= len(items):
        which = _item([different[item] for item in items], which)
        items = list(different)
    return f"([{', '.join(items)}])[{which}]"


def _unsigned(largest: int) -> str:
    """Return the smallest type of whole numbers up to one."""
    return "UTINYINT" if largest < 2**8 else "USMALLINT" if largest < 2**16 else "UINTEGER"


def _counts(check: ColumnPlan, i: int) -> tuple[str, str]:
    """Write what counts the values that are there, and those of them that have a bucket.

    Members are looked up in a hash table: in a count the order of rows, which a join might change,
    does not matter. No collation does either.
    """
    value = quoted(value_name(i))
    there = f"{value} IS NOT NULL" if check.kind == "text" else f"{value} <= {_DIALECT.infinity}"
    known = there
    if check.groups is None and check.bounds is not None:
        low, after = map(_DIALECT.number, check.steps[0])
        known = f"{value} >= {low} AND {value} < {after}"
    elif check.groups is not None and check.outside is None:
        if not check.slot_of:
            known = "FALSE"
        elif check.kind == "text":
            members = _one_literal([str(member) for member in check.slot_of])
            known = f'{value} COLLATE "BINARY" IN (SELECT unnest({members}))'
        else:
            members = ", ".join(map(_DIALECT.number, check.slot_of))
            known = f"{value} IN (SELECT unnest([{members}]))"
    return f"count_if({there})", f"count_if({known})"


def _one_literal(texts: Sequence[str]) -> str:
    """Write a list of texts as one text that is split: DuckDB plans that a hundred times faster."""
    joined = "".join(texts)
    between = next(sign for sign in map(chr, range(1, 0x110000)) if sign not in joined)
    return f"string_split({sql_text(between.join(texts))}, {sql_text(between)})"


def _whole_name(place: int) -> str:
    return f"sparsam whole {place}"

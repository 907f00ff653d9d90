"""SQL that puts the values of a column into buckets: for DuckDB, and for Spark.

Each column takes up to three projections, one above the other, so that no engine computes a value
twice: what is compared, where it lies among cuts or members, and what is given out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from sparsam.data.source.lazy._plan import ColumnPlan, slot_name
from sparsam.data.source.lazy._search import grid_of

_LEAF = 8
# Up to here a 64-bit float tells all whole numbers apart.
_WHOLE = 2.0**53


class Dialect(ABC):
    """How one engine writes what the engines write differently.

    Attributes
    ----------
    infinity, string, bucket : str
        A number, and the types of labels and of bucket numbers.
    few : int
        Up to so many cuts comparing with every one of them is faster than a search.
    widest : int
        Whole numbers in a range narrower than this are looked up in a list of all of them.
    """

    infinity: ClassVar[str]
    string: ClassVar[str]
    bucket: ClassVar[str]
    few: ClassVar[int] = 32
    widest: ClassVar[int] = 1 << 14

    @abstractmethod
    def slots(self, plan: ColumnPlan) -> tuple[list[str], str]:
        """Return what stands for every slot where slots are wanted, and the type of that."""

    def labels(self, plan: ColumnPlan) -> tuple[list[str], str]:
        """Return what stands for every label until it is given out, and the type of that."""
        return [self.text(label) for label in plan.labels or ()], self.string

    def given_out(self, plan: ColumnPlan, value: str, found: str) -> str:
        """Return the label of a value, from what was found to stand for it."""
        return found

    @abstractmethod
    def quoted(self, name: str) -> str:
        """Return a name in quotes."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Return a text as a literal."""

    @abstractmethod
    def number(self, number: float) -> str:
        """Return a number as a 64-bit float."""

    @abstractmethod
    def n_bytes(self, text: str) -> str:
        """Return how many bytes a text has."""

    @abstractmethod
    def from_hex(self, digits: str) -> str:
        """Return 16 hexadecimal digits as a number whose sum over all rows is exact."""

    @abstractmethod
    def item(self, items: Sequence[str], index: str) -> str:
        """Return an item of a list, counted from 0."""

    @abstractmethod
    def value(self, plan: ColumnPlan) -> str:
        """Return what is compared: a text, or a 64-bit float that is null or NaN when missing."""

    @abstractmethod
    def place(self, plan: ColumnPlan, value: str, i: int) -> str:
        """Return the place of a text among the members of a plan's groups; null where it is none.

        Parameters
        ----------
        plan : ColumnPlan
        value : str
        i : int
            Which of the plans it is.
        """

    def place_of_whole(self, members: Sequence[int], number: str) -> str | None:
        """Return the place of a whole number among others; null where it is none of them.

        None where a search is as fast.
        """
        return None


class SqlColumn(NamedTuple):
    """The steps by which the buckets of a column are found.

    Attributes
    ----------
    value : str
        Over the frame's own columns.
    place : str or None
        Over the value.
    output : str
        Over both.
    """

    value: str
    place: str | None
    output: str


def sql_column(
    plan: ColumnPlan, outputs: Sequence[str], kind: str, dialect: Dialect, i: int
) -> SqlColumn:
    """Write the steps for one column.

    Parameters
    ----------
    plan : ColumnPlan
    outputs : sequence of str
        What is given out for each slot, as SQL.
    kind : str
        The type of that.
    dialect : Dialect
    i : int
        Which of the plans it is: its value will be called ``value_name(i)``.
    """
    steps = _Steps(plan, outputs, dialect, i)
    if plan.groups is None:
        place, output = steps.intervals()
    elif plan.kind == "text":
        place, output = None, steps.texts()
    else:
        place, output = steps.numbers()
    return SqlColumn(value_sql(plan, dialect), place, f"CAST({output} AS {kind})")


def value_sql(plan: ColumnPlan, dialect: Dialect) -> str:
    """Write what is compared, null where it is a number that means missing."""
    value = dialect.value(plan)
    for number in plan.gone:
        value = f"nullif({value}, {dialect.number(number)})"
    return value


class Projections(NamedTuple):
    """The select lists of three projections, one above the other.

    Attributes
    ----------
    values, places, outputs : list of str
        Of the second, the columns that it adds.
    """

    values: list[str]
    places: list[str]
    outputs: list[str]


def projections(
    plans: Sequence[ColumnPlan], keep: Sequence[str], dialect: Dialect, *, slots: bool
) -> Projections:
    """Write the projections that turn a frame into labels or buckets, or into slots.

    Parameters
    ----------
    plans : sequence of ColumnPlan
    keep : sequence of str
        Columns that pass through.
    dialect : Dialect
    slots : bool
        Whether the slots of the values are wanted; these columns are called ``slot_name(i)``.
    """
    kept = [dialect.quoted(name) for name in keep]
    values, places, outputs = list(kept), [], []
    for i, plan in enumerate(plans):
        given, kind = dialect.slots(plan) if slots else _given_out(plan, dialect)
        column = sql_column(plan, given, kind, dialect, i)
        output = column.output
        if plan.labels is not None and not slots:
            output = dialect.given_out(plan, dialect.quoted(value_name(i)), output)
        values.append(f"{column.value} AS {dialect.quoted(value_name(i))}")
        if column.place is not None:
            places.append(f"{column.place} AS {dialect.quoted(place_name(i))}")
        name = slot_name(i) if slots else plan.name
        outputs.append(f"{output} AS {dialect.quoted(name)}")
    return Projections(values, places, [*outputs, *kept])


def _given_out(plan: ColumnPlan, dialect: Dialect) -> tuple[list[str], str]:
    if plan.labels is None:
        return [str(n) for n in range(plan.n_buckets)], dialect.bucket
    return dialect.labels(plan)


def counts_sql(checks: Sequence[ColumnPlan], dialect: Dialect) -> list[str]:
    """Write what counts the slots for missing and for outside values of every plan."""
    return [
        f"count_if({dialect.quoted(slot_name(i))} = "
        f"{dialect.slots(plan)[0][plan.n_buckets + reason]})"
        for i, plan in enumerate(checks)
        for reason in (0, 1)
    ]


def counted(row: Sequence[int]) -> list[tuple[int, int]]:
    """Return the answers to `counts_sql` in pairs."""
    return [(int(a or 0), int(b or 0)) for a, b in zip(row[::2], row[1::2], strict=True)]


def value_name(i: int) -> str:
    """Return what the value of the i-th plan is called between projections."""
    return f"sparsam value {i}"


def place_name(i: int) -> str:
    """Return what the place of that value is called."""
    return f"sparsam place {i}"


class _Steps:
    def __init__(self, plan: ColumnPlan, outputs: Sequence[str], dialect: Dialect, i: int) -> None:
        self._plan, self._outputs, self._dialect, self._i = plan, outputs, dialect, i
        self._value, self._place = dialect.quoted(value_name(i)), dialect.quoted(place_name(i))
        self._missing = outputs[plan.missing_slot] if plan.missing_slot < len(outputs) else "NULL"
        self._outside = outputs[plan.outside_slot] if plan.outside_slot < len(outputs) else "NULL"
        # Neither null nor NaN is at most infinity: this is what tells missing values in the end.
        self._is_there = f"{self._value} <= {dialect.infinity}"

    def intervals(self) -> tuple[str | None, str]:
        numbers, slots = self._plan.steps
        leaves = [self._output(slot) for slot in slots]
        if len(numbers) <= self._dialect.few:
            return None, self._tree(numbers, leaves, 0, len(numbers))
        if self._listed(numbers):
            low, high = numbers[0] - 1, numbers[-1]
            each = range(int(low), int(high) + 1)
            every = [leaves[bisect_right(numbers, n)] for n in each]
            between = f"least(greatest({self._value}, {self._number(low)}), {self._number(high)})"
            index = f"CAST(floor({between}) - {self._number(low)} AS INTEGER)"
            picked = self._dialect.item(every, index)
            return None, f"CASE WHEN {self._is_there} THEN {picked} ELSE {self._missing} END"
        place = f"CASE WHEN {self._is_there} THEN {self._search(numbers, 0)} END"
        known = self._pick(leaves, self._place)
        return place, f"CASE WHEN {self._place} IS NULL THEN {self._missing} ELSE {known} END"

    def texts(self) -> str:
        members, slots = list(self._plan.slot_of), list(self._plan.slot_of.values())
        rest = f"CASE WHEN {self._value} IS NULL THEN {self._missing} ELSE {self._outside} END"
        if not slots:
            return rest
        place = self._dialect.place(self._plan, self._value, self._i)
        given = [self._output(slot) for slot in slots]
        if given == [self._dialect.text(str(member)) for member in members]:
            known = f"CASE WHEN {place} IS NOT NULL THEN {self._value} END"
        else:
            known = self._pick(given, place)
        refuses = self._missing == self._outside == "NULL"
        return known if refuses else f"coalesce({known}, {rest})"

    def numbers(self) -> tuple[str | None, str]:
        members = [float(member) for member in self._plan.slot_of]
        known = [self._output(slot) for slot in self._plan.slot_of.values()]
        rest = f"WHEN {self._is_there} THEN {self._outside} ELSE {self._missing} END"
        if len(members) <= _LEAF:
            each = zip(members, known, strict=True)
            met = "".join(f"WHEN {self._value} = {self._number(m)} THEN {out} " for m, out in each)
            return None, f"CASE {met}{rest}"
        low, high = members[0], members[-1]
        if self._listed(members):
            at = dict(zip(members, known, strict=True))
            every = [at.get(low + n, self._outside) for n in range(int(high - low) + 1)]
            inside = self._whole_within(low, high)
            index = f"CAST({self._value} - {self._number(low)} AS INTEGER)"
            return None, f"CASE WHEN {inside} THEN {self._dialect.item(every, index)} {rest}"
        if max(abs(low), abs(high)) < _WHOLE and all(map(float.is_integer, members)):
            inside = f"CASE WHEN {self._whole_within(low, high)} THEN {self._value} END"
            place = self._dialect.place_of_whole(list(map(int, members)), inside)
            if place is not None:
                return None, f"coalesce({self._pick(known, place)}, CASE {rest})"
        place = f"CASE WHEN {self._is_there} THEN {self._search(members, 0)} END"
        own = self._dialect.item(["NULL", *map(self._number, members)], self._place)
        picked = self._dialect.item(["NULL", *known], self._place)
        return place, f"CASE WHEN {own} = {self._value} THEN {picked} {rest}"

    def _listed(self, numbers: Sequence[float]) -> bool:
        """Whether these are whole numbers, and all between them can be listed."""
        narrow = numbers[-1] - numbers[0] < self._dialect.widest
        return narrow and all(number.is_integer() for number in numbers)

    def _whole_within(self, low: float, high: float) -> str:
        return (
            f"{self._value} >= {self._number(low)} AND {self._value} <= {self._number(high)} "
            f"AND {self._value} = floor({self._value})"
        )

    def _output(self, slot: int) -> str:
        """A refused value, which slips past the count, becomes null unless slots are given out."""
        return self._outputs[slot] if slot < len(self._outputs) else "NULL"

    def _number(self, number: float) -> str:
        return self._dialect.number(number)

    def _pick(self, items: Sequence[str], place: str) -> str:
        if list(items) == [str(n) for n in range(len(items))]:
            return place
        return self._dialect.item(items, place)

    def _tree(self, numbers: Sequence[float], leaves: Sequence[str], first: int, last: int) -> str:
        """Write the intervals first..last as a balanced tree; what is missing falls to its end."""
        if last - first > _LEAF:
            middle = (first + last) // 2
            left = self._tree(numbers, leaves, first, middle)
            right = self._tree(numbers, leaves, middle + 1, last)
            return f"CASE WHEN {self._below(numbers[middle])} THEN {left} ELSE {right} END"
        each = range(first, last)
        below = "".join(f"WHEN {self._below(numbers[n])} THEN {leaves[n]} " for n in each)
        if last == len(numbers):
            return f"CASE {below}WHEN {self._is_there} THEN {leaves[last]} ELSE {self._missing} END"
        return f"CASE {below}ELSE {leaves[last]} END"

    def _below(self, number: float) -> str:
        return f"{self._value} < {self._number(number)}"

    def _search(self, numbers: Sequence[float], before: int) -> str:
        """Write how many of ascending numbers, and of those before them, are at most the value."""
        if len(numbers) <= _LEAF:
            each = enumerate(numbers, before)
            below = "".join(f"WHEN {self._below(number)} THEN {n} " for n, number in each)
            after = before + len(numbers)
            return f"CASE {below}ELSE {after} END" if numbers else str(before)
        grid = grid_of(numbers)
        if grid is None:
            middle = len(numbers) // 2
            left = self._search(numbers[:middle], before)
            right = self._search(numbers[middle + 1 :], before + middle + 1)
            return f"CASE WHEN {self._below(numbers[middle])} THEN {left} ELSE {right} END"
        low, high, scale = map(self._number, (grid.low, grid.high, grid.scale))
        between = f"least(greatest({self._value}, {low}), {high})"
        cell = f"CAST(floor(({between} - {low}) * {scale}) AS INTEGER)"
        found = self._dialect.item([str(before + n) for n in grid.below], cell)
        for edges in grid.edges:
            edge = self._dialect.item([self._number(each) for each in edges], cell)
            found += f" + CAST({self._value} >= {edge} AS INTEGER)"
        return f"({found})"

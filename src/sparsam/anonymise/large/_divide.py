"""Divide a table that need not fit: part by part, each in memory by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError, hint
from sparsam.anonymise._classes import SUPPRESSED, Division, Method
from sparsam.anonymise._privacy_models import Closeness
from sparsam.anonymise._publish import Form
from sparsam.anonymise._published_values import Missing
from sparsam.anonymise._sample import Layout, Sample
from sparsam.anonymise._settle import settle
from sparsam.anonymise._tight_loss import TightLoss, TightVariant
from sparsam.anonymise.kernels._packed_rows import MEDIAN, Packed, Plan, make_room, scales_of
from sparsam.anonymise.large._class_runs import PEOPLE, ClassRuns, PublishedColumn, lost_rows
from sparsam.anonymise.large._first_cuts import Parts, first_cuts
from sparsam.anonymise.large._key_layout import KeyLayout, Keys, counted_keys
from sparsam.anonymise.large._released_records import ReleasedRecords
from sparsam.anonymise.methods._full_domain import FullDomain
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.anonymise.proof._certificate import Terms
from sparsam.data import Attribute, Table
from sparsam.data.large import CodedRows
from sparsam.generalization import Levels

Losses = Mapping[TightVariant, float]
VARIANTS: tuple[TightVariant, ...] = ("range", "share", "values")
_BLOCK = 1 << 19  # classes that are looked at together
_RANGES, _FEWEST_RECORDS = 16, 50_000  # ranges of records that threads share out
_MOST_THREADS = 8
_FEW_LABELS = 20


@dataclass(frozen=True, eq=False, repr=False)
class LargeTable:
    """A table that is to be released without being in memory, and how.

    Attributes
    ----------
    rows : CodedRows
        The quasi-identifiers and the sensitive columns, encoded; those to keep, and the labels
        behind them, as they are.
    layout : Layout
    method : Method
    label : str or None
        The kept column that guides the method.
    publish, missing, hierarchies, max_suppressed, random_state
        See `Anonymiser`.
    budget : int
        Bytes that one part may take.
    """

    rows: CodedRows
    layout: Layout
    method: Method
    label: str | None
    publish: Form
    missing: Missing
    hierarchies: Mapping[str, Any] | None
    max_suppressed: float
    random_state: int
    budget: int

    @property
    def quasi_identifiers(self) -> tuple[Attribute, ...]:
        """The attributes by which people could be recognised."""
        return self.rows.attributes[: len(self.layout.quasi_identifiers)]

    @property
    def counts_alone(self) -> bool:
        """Whether equal records go together, so that they are counted first."""
        strict = isinstance(self.method, Mondrian) and self.method.strict
        return strict and self.layout.promise.plain_k is not None

    @property
    def keys(self) -> KeyLayout:
        """How a row is put into one number."""
        return KeyLayout(self.rows.sizes)

    @property
    def row_bytes(self) -> int:
        """What a row takes in memory at most."""
        keys, n_columns = self.keys, len(self.rows.sizes)
        moved = 8 * keys.n_words + 16 * keys.packed_words + 16
        return moved if self.counts_alone else moved + 2 * n_columns + 64


@dataclass
class Divided:
    """What came of dividing.

    Attributes
    ----------
    records : ReleasedRecords
    losses : dict of str to TightLoss
        By their definitions.
    terms : tuple of Terms
        What is promised.
    n_suppressed, n_merged : int
        Rows that are left out, and rows that joined another class than their own.
    facts : dict
        What a certificate states about how it was done.
    """

    records: ReleasedRecords
    losses: dict[TightVariant, TightLoss]
    terms: tuple[Terms, ...]
    n_suppressed: int = 0
    n_merged: int = 0
    facts: dict[str, Any] = field(default_factory=dict)


def divide(table: LargeTable) -> Divided:
    """Divide people into classes, and list what is published.

    Parameters
    ----------
    table : LargeTable
    """
    scales = scales_of(table.quasi_identifiers)
    fewest = table.layout.promise.plain_k or table.layout.promise.least_rows
    most = max(table.budget // table.row_bytes, 2 * fewest)
    if table.rows.n_rows > most:
        _check_parts(table, most)
    parts = first_cuts(table.rows, scales, max(1, fewest), most)
    released = _Released(table)
    for node, n_rows in zip(parts.places, parts.rows, strict=True):
        keys = _brought_home(table, parts, node, n_rows)
        if table.counts_alone:
            released.add(_mondrian(table, keys))
        else:
            _by_method(table, keys, released)
    divided = released.finish()
    if len(parts.places) > 1:
        divided.facts["parts"] = len(parts.places)
    return divided


def _check_parts(table: LargeTable, most: int) -> None:
    """Refuse what needs all rows at once, where they do not fit."""
    needs = None
    if isinstance(table.method, FullDomain):
        needs = "FullDomain, which generalizes the whole table at once,"
    elif any(isinstance(part, Closeness) for part in table.layout.promise.parts):
        needs = "t-closeness, which compares with the whole table,"
    if needs is not None:
        ways_out = "choose Mondrian, which divides the table part by part, or allow more memory: "
        raise DataError(
            f"{needs} must have all {table.rows.n_rows:,} rows in memory. {most:,} fit."
            + hint(f"{ways_out}max_memory", f"{ways_out}--max-memory")
        )


def _brought_home(table: LargeTable, parts: Parts, node: int, n_rows: int) -> Keys:
    layout = table.keys
    keys = np.empty((n_rows, layout.n_words), np.uint64)
    start = 0
    for columns in parts.batches(table.rows, node):
        stop = start + len(columns[0])
        if stop > n_rows:
            break
        keys[start:stop] = layout.keys(columns)
        start = stop
    if start != n_rows:
        raise DataError(
            "A table must not change while it is read. It has another number of rows now."
        )
    return keys


def _mondrian(table: LargeTable, keys: Keys) -> ClassRuns:
    """Cut the records of a part as strict Mondrian does, several ranges of them at once."""
    from sparsam.anonymise.kernels._weighted_kernels import grow_weighted

    scales = scales_of(table.quasi_identifiers)
    k = table.layout.promise.plain_k
    assert k is not None
    distinct, counts = counted_keys(keys)
    n_people = len(keys)
    rows = table.keys.packed(distinct, counts)
    del distinct, keys
    plan, room = Plan(MEDIAN, k, 0.0, 0), make_room(scales)
    smallest = max(len(counts) // _RANGES, _FEWEST_RECORDS)
    most = min(n_people // k, len(counts)) + 1
    begins = np.sort(grow_weighted(plan, rows, scales, room, most, smallest)[0])
    ends = np.append(begins[1:], len(counts))

    def grown(begin: int, end: int) -> NDArray[np.int64]:
        part = _range(rows, begin, end)
        leaves = min(int(part.numbers.sum(dtype=np.int64)) // k, end - begin) + 1
        starts, _ = grow_weighted(plan, part, scales, make_room(scales), leaves, 0)
        return begin + np.sort(starts)

    with ThreadPoolExecutor(_n_threads()) as pool:
        starts = np.concatenate(list(pool.map(grown, begins.tolist(), ends.tolist())))
    return ClassRuns(rows.cells, rows.numbers, starts, np.append(starts[1:], len(counts)))


def _range(rows: Packed, begin: int, end: int) -> Packed:
    own = slice(begin, end)
    moved = rows.words[own], rows.spare[own], rows.cells[own]
    return Packed(*moved, rows.numbers[own], rows.response)


def _n_threads() -> int:
    return max(1, min(_MOST_THREADS, os.cpu_count() or 1))


def _by_method(table: LargeTable, keys: Keys, released: _Released) -> None:
    """Divide the rows of a part with any method."""
    layout, attributes = table.keys, table.rows.attributes
    codes = np.empty((len(keys), len(attributes)), np.uint16, order="F")
    for place in range(len(attributes)):
        codes[:, place] = layout.column(keys, place)
    codes.setflags(write=False)
    coded = Table(attributes=attributes, codes=codes)
    sensitive = table.layout.sensitive
    demand = table.layout.promise.bound(coded.select(sensitive) if sensitive else coded, {})
    own = coded.select(table.layout.quasi_identifiers)
    sample = Sample(table.layout, None, own, {}, demand)
    division = Division(
        own.codes,
        own.attributes,
        demand,
        _answers(table, keys),
        table.hierarchies,
        table.max_suppressed,
    )
    partition = table.method.part(division)
    settled = settle(partition.classes, sample, table.max_suppressed)
    of_row = settled.classes.of_row
    order = np.argsort(of_row, kind="stable")[settled.classes.n_suppressed :]
    cells = np.empty((len(order), len(layout.sizes)), layout.cell)
    for place in range(len(layout.sizes)):
        cells[:, place] = layout.column(keys, place)[order]
    starts = np.flatnonzero(np.diff(of_row[order], prepend=SUPPRESSED))
    ones = np.ones(len(order), np.uint32)
    released.note(table.method.labels(partition, own), table.method.facts(partition))
    released.demand = demand
    released.n_merged += settled.n_merged
    released.n_suppressed += settled.classes.n_suppressed
    if len(order):
        released.add(ClassRuns(cells, ones, starts, np.append(starts[1:], len(order))))


def _answers(table: LargeTable, keys: Keys) -> NDArray[Any] | None:
    """What guides the method: numbers where there are many, else labels."""
    if table.label is None:
        return None
    names = list(table.rows.kept)
    place = names.index(table.label)
    codes = table.keys.column(keys, len(table.rows.attributes) + place).astype(np.int64)
    values = table.rows.kept[table.label]
    if (codes == len(values) - 1).any():
        raise DataError(f"Every row must have a label. '{table.label}' is missing in some.")
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values[:-1])
    if numeric and len(values) - 1 > _FEW_LABELS:
        return np.array(values[:-1], np.float64)[codes]
    return codes


class _Released:
    """Gathers what is published, part by part."""

    def __init__(self, table: LargeTable) -> None:
        self.table = table
        self.n_suppressed = self.n_merged = 0
        self.demand = table.layout.promise
        self.facts: dict[str, Any] = {}
        self._levels: Mapping[str, Levels] | None = self._given_levels()
        self._columns: list[PublishedColumn] | None = None
        self._rng = np.random.default_rng(table.random_state)
        self._blocks: list[NDArray[np.unsignedinteger]] = []
        self._counts: list[NDArray[np.int64]] = []
        self._lost = {a.name: dict.fromkeys(VARIANTS, 0.0) for a in table.quasi_identifiers}

    def note(self, levels: Mapping[str, Levels] | None, facts: Mapping[str, Any]) -> None:
        """Take the labels and the facts of a method over."""
        if levels is not None:
            self._levels = levels
        self.facts |= facts

    def add(self, runs: ClassRuns) -> None:
        """Add the classes of one part."""
        if self._columns is None:
            self._columns = self._made_columns()
        columns = self._columns
        starts = range(0, len(runs), _BLOCK)
        pieces = [
            replace(runs, starts=runs.starts[s : s + _BLOCK], stops=runs.stops[s : s + _BLOCK])
            for s in starts
        ]
        if all(column.coded for column in columns):
            with ThreadPoolExecutor(_n_threads()) as pool:
                looked_at = list(pool.map(self._published, pieces))
        else:
            looked_at = [self._published(piece) for piece in pieces]
        for block, counts, lost in looked_at:
            self._blocks.append(block)
            self._counts.append(counts)
            for name, each in lost.items():
                for variant, loss in each.items():
                    self._lost[name][variant] += loss

    def _published(
        self, runs: ClassRuns
    ) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64], dict[str, Losses]]:
        assert self._columns is not None
        n_kept = len(self.table.layout.keep)
        coded = all(column.coded for column in self._columns)
        kind = np.uint16 if coded else np.uint32
        block = np.empty((len(runs), len(self._columns) + n_kept), kind)
        lost: dict[str, Losses] = {}
        people = np.zeros(len(runs), np.int64)
        for place, column in enumerate(self._columns):
            summary = runs.summary(place, column.attribute)
            block[:, place] = column.of(runs, place, summary, self._rng)
            lost[column.attribute.name] = lost_rows(summary, column.attribute, VARIANTS)
            people = summary[PEOPLE]
        if not n_kept:
            return block, people, lost
        block, counts = self._with_kept(runs, block)
        return block, counts, lost

    def _with_kept(
        self, runs: ClassRuns, block: NDArray[np.unsignedinteger]
    ) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]:
        """Part the people of every class by what is published of them as it is."""
        first = len(self.table.rows.attributes)
        n_kept = len(self.table.layout.keep)
        lengths = runs.stops - runs.starts
        begins = np.cumsum(lengths) - lengths
        records = np.arange(int(lengths.sum())) + np.repeat(runs.starts - begins, lengths)
        kept = runs.cells[records, first : first + n_kept]
        owner = np.repeat(np.arange(len(runs)), lengths)
        order = np.lexsort([*kept.T[::-1], owner])
        owner, kept, weights = owner[order], kept[order], runs.weights[records][order]
        new = np.ones(len(order), bool)
        new[1:] = (owner[1:] != owner[:-1]) | (kept[1:] != kept[:-1]).any(axis=1)
        at = np.flatnonzero(new)
        wider = block[owner[at]]
        wider[:, len(self.table.layout.quasi_identifiers) :] = kept[at]
        return wider, np.add.reduceat(weights.astype(np.int64), at)

    def finish(self) -> Divided:
        """Return everything that was added."""
        table, n_rows = self.table, self.table.rows.n_rows
        if not self._blocks:
            raise DataError(
                f"A release must have rows. All {n_rows:,} are suppressed."
                "\n\nHint: ask for a smaller k, or name fewer quasi-identifiers."
            )
        assert self._columns is not None
        values: dict[str, Sequence[Any]] = {c.attribute.name: c.values for c in self._columns}
        values |= {name: table.rows.kept[name] for name in table.layout.keep}
        records = ReleasedRecords.of(values, self._blocks, self._counts)
        losses = {}
        for variant in VARIANTS:
            each = {
                name: (lost[variant] + self.n_suppressed) / n_rows
                for name, lost in self._lost.items()
            }
            losses[variant] = TightLoss(float(np.mean(list(each.values()))), each, variant)
        terms = tuple(part.terms for part in self.demand.parts)
        return Divided(records, losses, terms, self.n_suppressed, self.n_merged, self.facts)

    def _made_columns(self) -> list[PublishedColumn]:
        table = self.table
        levels = self._levels or {}
        return [
            PublishedColumn(a, table.publish, table.missing, levels.get(a.name))
            for a in table.quasi_identifiers
        ]

    def _given_levels(self) -> Mapping[str, Levels] | None:
        table = self.table
        if table.publish != "hierarchy" or table.hierarchies is None:
            return None
        known = {a.name: a for a in table.quasi_identifiers}
        return {
            name: given.levels(known[name]) if hasattr(given, "levels") else given
            for name, given in table.hierarchies.items()
            if name in known
        }


def check_large(table: LargeTable) -> None:
    """Refuse what can only be done with all rows in memory.

    Parameters
    ----------
    table : LargeTable
    """
    if table.layout.entity is not None:
        what = "whose row it is (the entity)"
    elif table.publish == "nearest":
        what = "the record of a real person"
    elif any(name not in table.layout.keep for name in table.layout.sensitive):
        what = "promises about a column that is not published"
    else:
        return
    ways_out = "allow so much memory that the table fits: "
    raise ParameterError(
        f"A table that does not fit into memory can be released without {what} only."
        + hint(f"{ways_out}max_memory", f"{ways_out}--max-memory")
    )

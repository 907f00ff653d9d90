"""Read a table once, and encode it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names, check_whole
from sparsam._errors import DataError, RoleError, hint
from sparsam._memory import memory_budget
from sparsam.data._attribute import MAX_CATEGORIES, Attribute, as_numbers
from sparsam.data._bins import round_bins
from sparsam.data._code_plan import code_plan
from sparsam.data._domain import CategoricalDomain, Domain, NumericDomain, plain, rounded_range
from sparsam.data._factor import Factored, factorise, from_dictionary
from sparsam.data._moments import Moments, encode_moments, moments_of, no_dates
from sparsam.data._near_identifiers import is_numbering, nearly_unique
from sparsam.data._open import open_as
from sparsam.data._table import Table
from sparsam.data._target import Target
from sparsam.data.roles._roles import Roles
from sparsam.data.sample._others import CodedColumn, OthersInEngine, changed_table
from sparsam.data.source._column import Column
from sparsam.data.source._missing_texts import without_texts
from sparsam.data.source._source import MOST_IN_ENGINE, LazyColumns, Source, check_distinct
from sparsam.data.source.lazy import ColumnPlan, Draw, LazyFrame

# What a cell takes: two bytes for its code, and as much again for each of the parts, copies and
# tables of counts that learning makes of it.
BYTES_A_CODE = 8
FEWEST_DRAWN = 10_000

# Where a name is given that must be a column.
_DECLARED = (
    *("numeric", "categorical", "ordered", "domains", "dates", "ages", "missing_in", "units"),
    "special",
)


def read(
    source: str | os.PathLike[str] | Any,
    *,
    roles: Roles | None = None,
    max_codes: int = 256,
    cuts: Mapping[str, Sequence[float]] | None = None,
    max_memory: int | str | None = None,
    random_state: int = 0,
) -> Table:
    """Read a table from a file, a data frame or plain Python, and encode it.

    Numbers become numeric attributes, and so do dates and times of day, also where every text of
    a column is one; other text, truth values and declared categories become categorical ones;
    None, NaN, NaT and the empty field of a CSV file are missing. A column without any value is
    left out, with a note. Identifiers and ignored columns are not read at all.

    Parameters
    ----------
    source : path, frame, mapping, ndarray or Table
        The path of a .csv, .tsv, .jsonl, .json (each also .gz), .parquet or .xlsx file; a pandas,
        polars (also lazy), pyarrow, DuckDB or Spark frame; a mapping of names to columns; a
        two-dimensional array, whose columns are called x0, x1, ...; or a table that was read
        before, which is returned as it is.
    roles : Roles, optional
        What the user declares: kinds, orders, domains, identifiers, texts that mean missing.
    max_codes : int, default=256
        A numeric column with more distinct values is cut into so many quantile bins, at round
        numbers where some are near: whatever is learned then asks people for these. Dates are told
        apart by month (by day, if all lie within two), or by year, decade or century where
        there are more months.
    cuts : mapping of str to sequence of float, optional
        For numeric columns: numbers that no bin may lie across, such as the cuts of a
        generalization that is to be applied later.
    max_memory : int or str, optional
        How much memory the codes may take, and what is learned from them: bytes, or a text such as
        "4GB". By default half of what is free. Of a table whose rows stay in an engine, and whose
        codes would take more, a random sample is drawn there. Domains come from all rows, and so
        does what is counted on `others` later; `notes` says so.
    random_state : int, default=0
        The seed of that sample: the same one draws the same rows.

    Returns
    -------
    Table

    Examples
    --------
    >>> read({"age": [30, 41, None], "sex": ["f", "m", "m"]}).attributes
    (Attribute('age', numeric, 2 values, missing), Attribute('sex', categorical, 2 values))
    """
    if isinstance(source, Table):
        return source
    check_whole("read", "max_codes", max_codes, 2, MAX_CATEGORIES)
    check_whole("read", "random_state", random_state, 0)
    budget = Budget(memory_budget("read", max_memory), random_state)
    roles = roles if roles is not None else Roles()
    opened = open_as(source, roles)
    _check_names(opened.names, roles)
    return _encode(opened, roles, max_codes, cuts or {}, budget)


class Budget(NamedTuple):
    """How much memory a table may take, and the seed of the sample that is drawn beyond it."""

    memory: int
    seed: int

    def draw(self, n_rows: int, n_columns: int) -> Draw | None:
        """The rows to draw; None where all fit."""
        most = self.memory // (BYTES_A_CODE * n_columns)
        if n_rows <= most:
            return None
        if most < FEWEST_DRAWN:
            needed = FEWEST_DRAWN * BYTES_A_CODE * n_columns
            raise DataError(
                f"A sample must have {FEWEST_DRAWN:,} rows or more. With {n_columns:,} columns "
                f"these take {needed:,} bytes. Got {self.memory:,} bytes."
                + hint("allow more with max_memory", "--max-memory allows more")
            )
        return Draw(most / n_rows, self.seed)


def target_of(roles: Roles, names: tuple[str, ...]) -> Target | None:
    """Return the target: a column as it is, even if its name looks like an expression."""
    if roles.targets:
        listed = ", ".join(f"'{text}'" for text in roles.targets)
        raise RoleError(
            f"One target is expected here. The roles name {len(roles.targets)}: {listed}."
            + hint(
                "minimise_for_purposes takes all of them; else name one: "
                "dataclasses.replace(roles, target='...', targets=())",
                "name one of them with --target",
            )
        )
    return None if roles.target is None else _target(roles.target, names)


def targets_of(roles: Roles, names: tuple[str, ...]) -> tuple[Target, ...]:
    """Return the targets of all purposes."""
    return tuple(_target(text, names) for text in roles.purposes)


def _target(text: str, names: tuple[str, ...]) -> Target:
    return Target(text) if text in names else Target.parse(text)


def text_columns(roles: Roles) -> set[str]:
    """Columns whose declared categories are texts, even where they look like numbers."""
    declared = {
        n: d.categories for n, d in roles.domains.items() if isinstance(d, CategoricalDomain)
    }
    listed = {**declared, **roles.ordered}
    return {name for name, known in listed.items() if any(isinstance(c, str) for c in known)}


def _check_names(names: tuple[str, ...], roles: Roles) -> None:
    if not names:
        raise DataError("A table must have at least one column. Got none.")
    check_distinct(names)
    for role in ("identifiers", "ignore", *_DECLARED):
        check_names(getattr(roles, role), names, role)


def _encode(
    source: Source,
    roles: Roles,
    max_codes: int,
    cuts: Mapping[str, Sequence[float]],
    budget: Budget,
) -> Table:
    edges = {name: Target(name, "bins", tuple(places)) for name, places in cuts.items()}
    targets = {target.column: target for target in targets_of(roles, source.names)}
    edges |= targets
    left_out = [name for name in source.names if name in roles.unread]
    notes = [*source.notes]
    notes += [
        f"{name}: ignored, left out" if name in roles.ignore else f"{name}: identifier, left out"
        for name in left_out
    ]
    wanted = [name for name in source.names if name not in roles.unread]
    rows = _rows_of(source, wanted, roles, budget)
    encoded: list[Encoded] = []
    for name in wanted:
        try:
            column = rows.column(name)
            part = encode_column(column, roles, max_codes, edges.get(name))
        except NearlyUniqueError:
            if name in roles.declared or name in targets:
                raise
            left_out.append(name)
            notes.append(set_aside(name))
            continue
        if part is None:
            left_out.append(name)
            notes.append(f"{name}: no values at all, left out")
        else:
            encoded.append(part)
            notes += [f"{name}: {column.remark}"] if column.remark else []
            notes += part.notes
    if not encoded:
        raise DataError("A table must have at least one column with values. Got none.")
    codes = rows.matrix(encoded)
    others = rows.others(encoded, len(codes))
    if others is not None:
        notes.append(f"a random sample of {len(codes):,} of {rows.n_rows:,} rows was drawn")
    return Table(
        attributes=tuple(part.attribute for part in encoded),
        codes=codes,
        notes=tuple(notes),
        left_out=tuple(left_out),
        numbers=rows.numbers(encoded),
        numbered=tuple(part.attribute.name for part in encoded if part.numbering),
        others=others,
    )


class NearlyUniqueError(DataError):
    """A column has too many categories, as nearly every row has one of its own."""


def set_aside(name: str) -> str:
    """Return the note that a column is set aside as an identifier, and how to keep it."""
    return (
        f"{name}: looks like an identifier, as nearly every row has a value of its own: set aside "
        "(to use it all the same, declare it categorical or numeric)"
    )


def _check_any(n_rows: int) -> None:
    if n_rows == 0:
        raise DataError(
            "A table must have at least one row. Got none."
            "\n\nHint: was the file written to its end?"
        )


def _rows_of(
    source: Source, names: Sequence[str], roles: Roles, budget: Budget
) -> _RowsAtHome | RowsInEngine:
    """Load columns, or count what is in them where they stay in an engine."""
    text = text_columns(roles)
    wide = source.in_file and len(names) > MOST_IN_ENGINE
    columns = source.lazy(names, text=text) if names and not wide else None
    if columns is None:
        return _RowsAtHome(source, text)
    return RowsInEngine(columns, roles, budget)


class _RowsAtHome:
    """Columns that are loaded one at a time, whole."""

    def __init__(self, source: Source, text: Collection[str]) -> None:
        self._source, self._text = source, text
        self.n_rows: int | None = None

    def column(self, name: str) -> Column:
        column = self._source.column(name, text=name in self._text)
        n_rows = len(column)
        _check_any(n_rows)
        if n_rows != (self.n_rows or n_rows):
            raise DataError(
                f"'{name}' must have as many rows as the columns before it, "
                f"{self.n_rows:,}. Got {n_rows:,} instead."
            )
        self.n_rows = n_rows
        return column

    def matrix(self, encoded: Sequence[Encoded]) -> NDArray[np.uint16]:
        codes = np.empty((len(encoded[0].codes), len(encoded)), dtype=np.uint16, order="F")
        for place, part in enumerate(encoded):
            codes[:, place] = part.codes
        codes.setflags(write=False)
        return codes

    def numbers(self, encoded: Sequence[Encoded]) -> dict[str, NDArray[np.float64]]:
        return {p.attribute.name: p.numbers for p in encoded if p.numbers is not None}

    def others(self, encoded: Sequence[Encoded], n_drawn: int) -> OthersInEngine | None:
        return None


class RowsInEngine:
    """Columns whose distinct values are counted, and whose rows come home as codes.

    Parameters
    ----------
    columns : LazyColumns
    roles : Roles
    budget : Budget, optional
        What all rows may take before a sample of them is drawn; no limit when left out.

    Attributes
    ----------
    n_rows : int
        How many rows there are.
    """

    def __init__(self, columns: LazyColumns, roles: Roles, budget: Budget | None = None) -> None:
        self._columns, self._roles, self._budget = columns, roles, budget
        self.n_rows, self._counted = columns.counted()
        _check_any(self.n_rows)
        self._numbers: dict[str, NDArray[np.float64]] = {}

    def as_it_is(self, name: str) -> Column:
        """The distinct values of a column, and how many rows have each."""
        return self._counted[name]

    def column(self, name: str) -> Column:
        """The distinct values of a column, with texts that mean missing left out."""
        column, texts = self._counted[name], frozenset(self._roles.missing_texts(name))
        if column.n_values is not None and not len(column.values):
            raise _too_many(name, column.n_values, unique=column.n_values > 0.75 * self.n_rows)
        return without_texts(column, texts) if texts else column

    def matrix(self, encoded: Sequence[Encoded]) -> NDArray[np.uint16]:
        """The codes of all rows, or of those that are drawn."""
        draw = self._draw(encoded)
        plans = [self.plan(part) for part in encoded]
        exact = [part.attribute.name for part in encoded if part.numbers is not None]
        batches = self._batches(draw, plans, exact)
        n_rows = self.n_rows
        if draw is not None:  # how many these are is not known before
            drawn = [np.concatenate(slots) for slots in zip(*batches, strict=True)]
            batches, n_rows = iter([drawn]), len(drawn[0])
        self._numbers = {name: np.empty(n_rows) for name in exact}
        codes = np.empty((n_rows, len(encoded)), dtype=np.uint16, order="F")
        start = 0
        for batch in batches:
            stop = start + len(batch[0])
            if stop > n_rows:
                raise changed_table()
            for place in range(len(plans)):
                codes[start:stop, place] = batch[place]
            for name, numbers in zip(exact, batch[len(plans) :], strict=True):
                self._numbers[name][start:stop] = numbers
            start = stop
        if start < n_rows:
            raise changed_table()
        codes.setflags(write=False)
        return codes

    def _draw(self, encoded: Sequence[Encoded]) -> Draw | None:
        budget = self._budget
        return None if budget is None else budget.draw(self.n_rows, len(encoded))

    def _frame(self, draw: Draw | None, *, others: bool = False) -> LazyFrame:
        frame = self._columns.frame
        return frame if draw is None else frame.drawn(draw, others=others)

    def _batches(
        self, draw: Draw | None, plans: Sequence[ColumnPlan], exact: Sequence[str]
    ) -> Iterator[list[Any]]:
        """Bring rows home; each value must have been counted before."""
        places = [self._columns.places[name] for name in exact]
        for batch in self._frame(draw).codes(plans, numbers=places):
            for slots, plan in zip(batch, plans, strict=False):
                if plan.refuses and slots.max(initial=0) >= plan.n_buckets:
                    raise changed_table()
            yield batch

    def plan(self, part: Encoded) -> ColumnPlan:
        """How the engine codes a column as it was encoded here."""
        name = part.attribute.name
        place = self._columns.places[name]
        kind = self._columns.frame.kind(place)
        return code_plan(place, kind, self._counted[name], part.attribute, part.codes)

    def numbers(self, encoded: Sequence[Encoded]) -> dict[str, NDArray[np.float64]]:
        """The exact numbers that came home beside the codes."""
        return self._numbers

    def others(self, encoded: Sequence[Encoded], n_drawn: int) -> OthersInEngine | None:
        """The rows that were not drawn; None where all were."""
        draw = self._draw(encoded)
        if draw is None:
            return None
        columns = {part.attribute.name: self._coded(part) for part in encoded}
        return OthersInEngine(self._frame(draw, others=True), columns, self.n_rows - n_drawn)

    def _coded(self, part: Encoded) -> CodedColumn:
        column = self._counted[part.attribute.name]
        many = part.attribute.binned or column.n_values is not None
        return CodedColumn(self.plan(part), None if many else column.values.tolist(), part.codes)


class Encoded(NamedTuple):
    """An attribute, the codes of its rows, what there is to say about it, and exact numbers."""

    attribute: Attribute
    codes: NDArray[np.uint16]
    notes: tuple[str, ...] = ()
    numbers: NDArray[np.float64] | None = None
    numbering: bool = False


def encode_column(
    column: Column,
    roles: Roles,
    max_codes: int,
    target: Target | None = None,
    *,
    calendar: bool = True,
) -> Encoded | None:
    """Find the domain of a column and encode its rows; None when it has no value at all.

    Parameters
    ----------
    column : Column
        The column as it came.
    roles : Roles
        What the user declared about it.
    max_codes : int
        The most codes that a numeric column gets before it is cut into bins.
    target : Target or None
        What is predicted from this column: no bin may lie across its edges, and where it is the
        column as it is, numbers that are cut into bins are kept beside them.
    calendar : bool, default=True
        Whether dates and times of day are read as such. If not, texts of them stay texts, and
        other ones are an error.
    """
    name = column.name
    declared = roles.domains.get(name)
    if name in roles.ordered:
        declared = CategoricalDomain(tuple(roles.ordered[name]), ordered=True)
    if declared is None and column.order and name not in roles.numeric:
        declared = CategoricalDomain(tuple(column.order), ordered=column.ordered)
    as_text = name in roles.categorical or isinstance(declared, CategoricalDomain)
    factored = _factored(column, roles, as_text or column.categorical)
    if isinstance(declared, CategoricalDomain):
        return _declared(name, factored, declared)
    if factored.kind == "empty" and declared is None:
        return None
    kinds = (*roles.numeric, *roles.dates, *roles.ages)
    if (as_text or column.categorical) and declared is None and name not in kinds:
        return _categorical(name, factored)
    moments = moments_of(name, factored, roles, declared) if calendar else None
    if not calendar and (factored.kind in ("date", "time") or name in (*roles.dates, *roles.ages)):
        raise no_dates(name)
    if isinstance(moments, Moments):
        return _dated(name, moments, declared, max_codes, target)
    if declared is not None or name in roles.numeric or factored.kind == "number":
        return _numeric(name, factored, declared, max_codes, target)
    return _categorical(name, factored, () if moments is None else (moments,))


def _factored(column: Column, roles: Roles, as_text: bool) -> Factored:
    missing = frozenset(roles.missing_texts(column.name))
    factored = factorise(column.name, column.values, missing=missing, as_text=as_text)
    if column.positions is not None:
        return from_dictionary(factored, column.positions)
    return factored._replace(
        weights=column.weights, in_order=column.in_order, n_values=column.n_values
    )


def _declared(name: str, factored: Factored, domain: CategoricalDomain) -> Encoded:
    attribute = Attribute(name, domain, missing=factored.has_missing)
    return Encoded(attribute, attribute.encode_factored(factored))


def _too_many(name: str, n_values: int, unique: bool) -> DataError:
    kind = NearlyUniqueError if unique else DataError
    return kind(
        f"'{name}' must have at most {MAX_CATEGORIES:,} categories. Got {n_values:,} instead."
        + hint(
            "list it under identifiers if it names a person, or under ignore",
            "--identifier if it names a person, or --ignore",
        )
    )


def _categorical(name: str, factored: Factored, notes: tuple[str, ...] = ()) -> Encoded:
    if len(factored.values) > MAX_CATEGORIES:
        raise _too_many(name, len(factored.values), nearly_unique(factored.counts()))
    domain = CategoricalDomain(tuple(plain(value) for value in factored.values))
    attribute = Attribute(name, domain, missing=factored.has_missing)
    # the distinct values are in the order of the domain, so that positions are codes
    codes = np.where(factored.codes < 0, attribute.n_values, factored.codes)
    return Encoded(attribute, codes.astype(np.uint16), notes)


def _dated(
    name: str,
    moments: Moments,
    declared: NumericDomain | None,
    max_codes: int,
    target: Target | None,
) -> Encoded | None:
    if moments.domain.age_on is None and moments.factored.values.size:
        if declared is not None:
            _check_range(name, moments.factored, declared)
        return Encoded(*encode_moments(name, moments, declared, max_codes, target))
    part = _numeric(name, moments.factored, declared, max_codes, target)
    if part is None or moments.domain.age_on is None:
        return part
    ends = msgspec.structs.asdict(moments.domain)
    ends |= {end: getattr(part.attribute.domain, end) for end in ("low", "high")}
    attribute = replace(part.attribute, domain=NumericDomain(**ends))
    return part._replace(attribute=attribute, notes=(*moments.note(name), *part.notes))


def _numeric(
    name: str, factored: Factored, declared: Domain | None, max_codes: int, target: Target | None
) -> Encoded | None:
    numbers = factorise(name, as_numbers(name, factored))
    factored = factored.recoded(numbers)
    values = factored.values.astype(np.float64)
    if not values.size:
        return _nothing(name, factored, declared)
    bins = _bins(values, factored.counts(), max_codes, target)
    if isinstance(declared, NumericDomain):
        _check_range(name, factored, declared)
        domain = declared
    else:
        domain = rounded_range(values, factored.counts())
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    ends = np.append(starts[1:], len(values)) - 1
    attribute = Attribute(name, domain, values[starts], values[ends], factored.has_missing)
    lookup = np.append(bins, attribute.n_values).astype(np.uint16)
    kept = attribute.binned and target is not None and target.kind == "as is"
    exact = np.append(values, np.nan)[factored.codes] if kept else None
    notes, numbering = _notes(attribute, factored), is_numbering(name, factored)
    return Encoded(attribute, lookup[factored.codes], notes, exact, numbering)


def _nothing(name: str, factored: Factored, declared: Domain | None) -> Encoded | None:
    """Encode a column without any value: possible only where its range is declared."""
    if not isinstance(declared, NumericDomain):
        return None
    ends = np.array([declared.low]), np.array([declared.high])
    attribute = Attribute(name, declared, *ends, missing=True)
    return Encoded(attribute, np.ones(len(factored.codes), dtype=np.uint16))


def _bins(
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    max_codes: int,
    target: Target | None,
) -> NDArray[np.int64]:
    """Return the bin of every distinct value: its own, or one of about equally many rows."""
    if len(values) <= max_codes:
        return np.arange(len(values))
    changes = np.diff(round_bins(values, counts, max_codes), prepend=0) != 0
    if target is not None:
        segments = target.segments(values)
        changes |= np.diff(segments, prepend=segments[0]) != 0
    return np.cumsum(changes)


def _check_range(name: str, factored: Factored, domain: NumericDomain) -> None:
    values = factored.values.astype(np.float64)
    outside = (values < domain.low) | (values > domain.high)
    broken = (np.floor(values) != values) & domain.integer
    for bad, what in ((outside, "outside it"), (broken, "that are no whole number")):
        if bad.any():
            rows = int(factored.counts()[bad].sum())
            raise DataError(
                f"'{name}' must lie in its declared domain. Got {rows:,} rows {what}."
                "\n\nHint: widen the declared domain, or correct the rows."
            )


def _notes(attribute: Attribute, factored: Factored) -> tuple[str, ...]:
    name, distinct = attribute.name, len(factored.values)
    notes = []
    if attribute.binned:
        many = f"{distinct:,}" if factored.n_values is None else f"about {factored.n_values:,}"
        notes.append(f"{name}: {many} values cut into {attribute.n_values:,} quantile bins")
    whole = isinstance(attribute.domain, NumericDomain) and attribute.domain.integer
    if whole and 20 <= distinct == factored.n_rows:
        notes.append(
            f"{name}: another whole number in every row; "
            "if it names a person, list it under identifiers"
        )
    return tuple(notes)


def declare(table: Table, roles: Roles, max_codes: int = 256) -> Table:
    """Return the table with the declared kinds, orders, domains and missing values.

    A table that was read with the same roles comes back as it is.

    Parameters
    ----------
    table : Table
        The table.
    roles : Roles
        What the user declares.
    max_codes : int, default=256
        See `read`.
    """
    for role in _DECLARED:
        check_names(getattr(roles, role), [*table.names, *table.left_out], role)
    for attribute in table.attributes:
        if not _fits(attribute, roles):
            table = _again(table, attribute, roles, max_codes)
    return table


def _fits(attribute: Attribute, roles: Roles) -> bool:
    name, domain = attribute.name, attribute.domain
    if name in roles.ordered:
        return domain == CategoricalDomain(tuple(roles.ordered[name]), ordered=True)
    if name in roles.ages:
        return _fits_age(domain, roles.ages[name], roles.domains.get(name))
    if name in roles.domains:
        return domain == roles.domains[name]
    if name in roles.dates:
        return isinstance(domain, NumericDomain) and domain.unit is not None
    if isinstance(domain, NumericDomain):
        return name not in roles.categorical
    return name not in roles.numeric and not {*roles.missing_texts(name)} & {*domain.categories}


def _fits_age(domain: Domain, on: str, declared: Domain | None) -> bool:
    if not isinstance(domain, NumericDomain) or domain.age_on != on:
        return False
    ends = (domain.low, domain.high)
    return not isinstance(declared, NumericDomain) or ends == (declared.low, declared.high)


def _again(table: Table, attribute: Attribute, roles: Roles, max_codes: int) -> Table:
    declared, codes = roles.domains.get(attribute.name), table.column(attribute.name)
    dated = isinstance(attribute.domain, NumericDomain) and attribute.domain.unit is not None
    if isinstance(declared, NumericDomain) and attribute.numeric and not dated:
        return table.with_column(_ranged(attribute, declared), codes)
    if attribute.binned:
        raise DataError(
            f"'{attribute.name}' was cut into bins on reading, before it was declared otherwise."
            "\n\nHint: read the table with these roles: read(source, roles=roles)."
        )
    values = attribute.decode(codes)
    encoded = encode_column(Column(attribute.name, values), roles, max_codes)
    if encoded is None:
        raise DataError(f"'{attribute.name}' has no values at all.\n\nHint: drop it.")
    return table.with_column(encoded.attribute, encoded.codes)


def _ranged(attribute: Attribute, declared: NumericDomain) -> Attribute:
    values = np.concatenate([attribute.lows, attribute.highs])
    outside = (values < declared.low) | (values > declared.high)
    broken = (np.floor(values) != values) & declared.integer
    if (outside | broken).any():
        raise DataError(
            f"'{attribute.name}' must lie in its declared domain. It holds numbers that do not."
            "\n\nHint: widen the declared domain, or correct the rows."
        )
    on = attribute.domain.age_on if isinstance(attribute.domain, NumericDomain) else None
    if on is not None:
        declared = msgspec.structs.replace(declared, age_on=on)
    return replace(attribute, domain=declared)

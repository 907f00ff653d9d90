"""The columns of a table, read as somebody declared them, and never refused for one cell.

An error that only some people's values cause would tell that they are there. So a text in a column
of numbers is a missing number, and a category that is not declared is "unseen"; nothing here raises
because of what a row holds. Only a table's shape can be refused: its columns and their types.
"""

from __future__ import annotations

import datetime
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import suggestion
from sparsam._errors import DataError
from sparsam.data._domain import Category
from sparsam.data._table import Table
from sparsam.data.source._engine import (
    Engine,
    csv_table,
    damaged_csv,
    is_relation,
    listed,
    quoted,
)
from sparsam.data.source._format import ANY_FORMAT, FileFormat
from sparsam.data.source._number_forms import base_form
from sparsam.data.source._source import (
    Column,
    CsvSource,
    ParquetSource,
    Source,
    check_distinct,
    open_source,
)
from sparsam.data.source._table_file import TableFile
from sparsam.data.source._text import EncodingError

Places = NDArray[np.uint16]


@dataclass(frozen=True)
class Wanted:
    """A column, and what is declared of it.

    Parameters
    ----------
    name : str
    members : tuple of categories or None
        The categories; None for a column of numbers.
    missing : tuple of str
        Texts that mean missing in this column alone.
    """

    name: str
    members: tuple[Category, ...] | None = None
    missing: tuple[str, ...] = ()


class DeclaredColumns(ABC):
    """Columns read by declaration, one at a time.

    Parameters
    ----------
    wanted : sequence of Wanted
    missing : collection of str
        Texts that mean missing. One that is a number means missing among numbers too.
    """

    def __init__(self, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        self.wanted = {column.name: column for column in wanted}
        self.missing = frozenset(missing)
        self.lookups = {
            column.name: member_texts(column.name, column.members)
            for column in wanted
            if column.members is not None
        }

    def texts(self, name: str) -> frozenset[str]:
        """Return all texts that mean missing in a column."""
        return self.missing.union(self.wanted[name].missing)

    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows, which is private."""

    @abstractmethod
    def _numbers(self, name: str) -> NDArray[np.float64]: ...

    @abstractmethod
    def places(self, name: str) -> Places:
        """Return each row's place in the list of members; then one for unseen, one for missing."""

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return each row's number; NaN where it is missing or no number."""
        values = self._numbers(name)
        for number in map(read_number, self.texts(name)):
            if np.isfinite(number):
                values = np.where(values == number, np.nan, values)
        return values


def open_declared(
    source: Any,
    wanted: Sequence[Wanted],
    missing: Collection[str] = (),
    form: FileFormat = ANY_FORMAT,
) -> DeclaredColumns:
    """Open a table to be read as declared.

    Parameters
    ----------
    source : path, frame, mapping, list of records, Table or DuckDB relation
    wanted : sequence of Wanted
        Only these columns are read.
    missing : collection of str
        Texts that mean missing.
    form : FileFormat
        How a file is written. How its numbers are written is not guessed: a guess is an answer.

    Returns
    -------
    DeclaredColumns
    """
    names = [column.name for column in wanted]
    if is_relation(source):
        check_columns(names, tuple(source.columns))
        source = source.project(", ".join(map(quoted, names)))
    opened = open_source(source, form, private=True)
    if isinstance(opened, CsvSource):
        return _CsvColumns(opened, wanted, missing)
    check_distinct(opened.names)
    if isinstance(opened, ParquetSource):
        return _ParquetColumns(opened, wanted, missing)
    if opened.names or opened.n_rows:  # a list without any record has no names
        check_columns(names, opened.names)
    return _MemoryColumns(opened, wanted, missing)


class _MemoryColumns(DeclaredColumns):
    """Columns that are in memory; each is converted once and kept."""

    def __init__(self, source: Source, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        super().__init__(wanted, missing)
        if isinstance(source.origin, Table):
            _check_exact(source.origin, list(self.wanted))
        self._kept: dict[str, NDArray[Any]] = {}
        for column in wanted:
            loaded = source.column(column.name)
            values = loaded.values if loaded.positions is None else loaded.positions
            if values.ndim != 1:
                raise wrong_type(column.name, "lists")
            if column.members is None:
                self._kept[column.name] = _column_numbers(loaded)
            else:
                lookup = self.lookups[column.name]
                self._kept[column.name] = _column_places(
                    loaded, lookup, len(column.members), self.texts(column.name)
                )
        if len({len(values) for values in self._kept.values()}) > 1:
            raise DataError("Every column must have the same number of rows. They do not.")

    def n_rows(self) -> int:
        return len(next(iter(self._kept.values()))) if self._kept else 0

    def _numbers(self, name: str) -> NDArray[np.float64]:
        return self._kept[name]

    def places(self, name: str) -> Places:
        return self._kept[name]


def member_texts(name: str, members: Sequence[Category]) -> dict[str, int]:
    """Every text that stands for a member, and the member's place.

    Examples
    --------
    >>> member_texts("x", ["a", 1, True])
    {'a': 0, '1': 1, '1.0': 1, 'true': 2, 'True': 2}
    """
    places: dict[str, int] = {}
    for place, member in enumerate(members):
        for text in _texts(member):
            if places.setdefault(text, place) != place:
                raise DataError(
                    f"The categories of '{name}' must differ as text. Two of them do not."
                )
    return places


def check_columns(names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a declared attribute that the table does not have."""
    for name in names:
        if name not in known:
            raise DataError(
                f"The table must have the declared column '{name}'.{suggestion(name, known)}"
            )


def wrong_type(name: str, what: str) -> DataError:
    """Make the error for a column of a type that cannot be read as declared."""
    return DataError(
        f"'{name}' must hold what was declared. Its type is {what}."
        "\n\nHint: convert the column to numbers or to text, or declare no domain for it."
    )


def read_number(value: object) -> float:
    """Read one cell as a number; NaN where it is none.

    Examples
    --------
    >>> read_number(" 12 "), read_number(True), read_number("twelve")
    (12.0, 1.0, nan)
    """
    if isinstance(value, str):
        value = value.strip()
        if "_" in value or not value.isascii():  # what only Python takes for a number
            return np.nan
    elif not isinstance(value, numbers.Real | Decimal | np.bool_):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf  # type: ignore[operator]
    except (ValueError, TypeError, ArithmeticError):
        return np.nan


def _texts(member: Category) -> tuple[str, ...]:
    if isinstance(member, bool):
        return ("true", "True") if member else ("false", "False")
    if isinstance(member, int):
        return (str(member), f"{member}.0")
    return (member,) if isinstance(member, str) else (repr(member),)


def text_of(value: object) -> str | None:
    """Write one cell as the text that members are known by; None for a missing one."""
    if isinstance(value, str):
        return str(value)
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real | Decimal):
        number = read_number(value)
        if np.isnan(number):
            return None
        return str(int(number)) if number.is_integer() else repr(number)
    if isinstance(value, datetime.date | datetime.time | np.datetime64):
        return None if isinstance(value, np.datetime64) and np.isnat(value) else str(value)
    return "\0"  # nothing that a category can be


def _column_numbers(column: Column) -> NDArray[np.float64]:
    if column.positions is not None:
        entries = np.array([*map(read_number, column.values.tolist()), np.nan])
        rows: NDArray[np.float64] = entries[column.positions]
        return rows
    values = column.values
    if values.dtype.kind in "mM":
        raise wrong_type(column.name, "dates or times")
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values.data if mask is not None else values)
    if plain.dtype.kind in "biuf":
        read = plain.astype(np.float64)
    else:
        read = np.fromiter(map(read_number, plain.tolist()), np.float64, len(plain))
    if mask is not None:
        read[mask] = np.nan
    return read


def _column_places(
    column: Column, lookup: dict[str, int], n_members: int, missing: Collection[str]
) -> Places:
    unseen, gone = n_members, n_members + 1

    def place(value: object) -> int:
        text = text_of(value)
        if text is None or text in missing:
            return gone
        return lookup.get(text, unseen)

    if column.positions is not None:
        entries = np.array([*map(place, column.values.tolist()), gone], dtype=np.uint16)
        rows: Places = entries[column.positions]
        return rows
    values = column.values
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values.data if mask is not None else values)
    if plain.dtype.kind in "biufmM":
        distinct, inverse = np.unique(plain, return_inverse=True)
        places = np.array([place(value) for value in distinct], dtype=np.uint16)[inverse]
    else:
        places = _object_places(plain.tolist(), place)
    if mask is not None:
        places[mask] = gone
    return places


def _object_places(values: list[Any], place: Callable[[object], int]) -> Places:
    """Look every distinct text up once; other cells, which may not be hashable, one by one."""
    known: dict[str, int] = {}
    places = np.empty(len(values), dtype=np.uint16)
    for row, value in enumerate(values):
        if type(value) is str:
            known_place = known.get(value)
            if known_place is None:
                known_place = known[value] = place(value)
            places[row] = known_place
        else:
            places[row] = place(value)
    return places


def _check_exact(table: Table, names: Sequence[str]) -> None:
    for name in names:
        if table.attribute(name).binned:
            raise DataError(
                f"'{name}' must not have been cut into bins that were read from the data; in this "
                "Table it was.\n\nHint: hand over the frame or the file itself."
            )


_GONE, _UNSEEN = 65_535, 65_534
_NUMBERS = {
    *("tinyint", "smallint", "integer", "bigint", "hugeint", "float", "double", "decimal"),
    *("utinyint", "usmallint", "uinteger", "ubigint", "uhugeint", "boolean"),
}
_TEXTS = {"varchar", "enum", "uuid", "null"}


class _FileColumns(DeclaredColumns):
    """What both kinds of files share: the expressions that turn a cell into a number or a code.

    A Parquet file stays on the disk, and a column is read when it is asked for. Of a CSV file the
    declared columns are kept, as numbers and as codes. A file that is damaged is refused when it
    is opened, before anybody is charged for an answer. A text that is not in UTF-8 is not: in a
    Parquet file it is unseen, or a missing number; in a CSV file its whole row is missing.
    """

    def __init__(
        self,
        engine: Engine,
        wanted: Sequence[Wanted],
        missing: Collection[str],
        form: FileFormat = ANY_FORMAT,
    ) -> None:
        super().__init__(wanted, missing)
        self._engine, self._form = engine, form
        self._tables: dict[str, NDArray[np.uint16]] = {}

    def _expression(self, name: str, column: str, kind: str) -> str:
        """Write the SQL for one column, given what type of column it is."""
        if self.wanted[name].members is None:
            if kind not in _NUMBERS | _TEXTS:
                raise wrong_type(name, kind.replace("_", " "))
            inner = column
            if kind in _TEXTS:
                text = base_form(self._form).plain(f"CAST({column} AS VARCHAR)")
                inner = f"CASE WHEN contains({text}, '_') THEN NULL ELSE {text} END"
            return f"CAST(coalesce(TRY_CAST({inner} AS DOUBLE), 'nan'::DOUBLE) AS DOUBLE)"
        if kind in ("list", "struct", "map", "array", "union"):
            raise wrong_type(name, kind)
        inner = f"CAST({column} AS DOUBLE)" if kind in ("decimal", "float", "double") else column
        text = f"CAST({inner} AS VARCHAR)"
        gone = f"{column} IS NULL OR {text} IN ({listed([*self.texts(name), 'nan'])})"
        if kind not in ("float", "double"):
            gone = f"{column} IS NULL OR {text} IN ({listed(self.texts(name))})"
        code = f"coalesce(enum_code(TRY_CAST({text} AS {self._enum(name)})), {_UNSEEN})"
        return f"CAST(CASE WHEN {gone} THEN {_GONE} ELSE {code} END AS USMALLINT)"

    def _enum(self, name: str) -> str:
        """Make a type of the texts of the members: DuckDB looks them up by a hash."""
        lookup = self.lookups[name]
        place = f"members{len(self._tables)}"
        query = f"CREATE TYPE {place} AS ENUM ({listed(lookup)})"
        self._engine.run(query, [], lambda _: _no_texts(name))
        n_members = len(self.wanted[name].members or ())
        table = np.full(1 << 16, n_members, dtype=np.uint16)
        table[: len(lookup)] = list(lookup.values())
        table[_GONE] = n_members + 1
        self._tables[name] = table
        return place


class _ParquetColumns(_FileColumns):
    def __init__(
        self, source: ParquetSource, wanted: Sequence[Wanted], missing: Collection[str]
    ) -> None:
        super().__init__(source.engine, wanted, missing)
        self._parquet = parquet = source.parquet
        check_distinct(parquet.names)
        check_columns(list(self.wanted), parquet.names)
        self._places = {name: parquet.names.index(name) for name in self.wanted}
        self._expressions = {
            name: self._expression(name, parquet.columns[at], parquet.types[at].id)
            for name, at in self._places.items()
        }
        parquet.check(list(self._places.values()))

    def n_rows(self) -> int:
        return self._parquet.n_rows()

    def _column(self, name: str) -> NDArray[Any]:
        return _plain(self._parquet.column(self._places[name], self._expressions[name]))

    def _numbers(self, name: str) -> NDArray[np.float64]:
        return self._column(name).astype(np.float64, copy=False)

    def places(self, name: str) -> Places:
        rows: Places = self._tables[name][self._column(name)]
        return rows


class _CsvColumns(_FileColumns):
    def __init__(
        self, source: CsvSource, wanted: Sequence[Wanted], missing: Collection[str]
    ) -> None:
        super().__init__(Engine(), wanted, missing, source.form)
        self._source = source
        _check_header(source.origin, list(self.wanted), source.names)
        self._columns = {name: f"d{at}" for at, name in enumerate(self.wanted)}
        try:
            self._load()
        except EncodingError:
            # one person's text must not decide whether the others are answered for
            self._engine, self._tables = Engine(), {}
            self._load(any_text=True)

    def _load(self, any_text: bool = False) -> None:
        names, file = self._source.names, self._source.origin
        select = ", ".join(
            f"{self._expression(name, f'c{names.index(name)}', 'varchar')} AS {column}"
            for name, column in self._columns.items()
        )
        header, form = self._source.header, self._source.form
        csv_table(self._engine, file, header, form, select=select, any_text=any_text)

    def _fetch(self, expression: str) -> NDArray[Any]:
        query, file = f"SELECT {expression} AS c FROM t", self._source.origin
        return _plain(
            self._engine.columns(query, [], lambda e: damaged_csv(file, e, self._form))[0]
        )

    def n_rows(self) -> int:
        return int(self._fetch("count(*)")[0])

    def _numbers(self, name: str) -> NDArray[np.float64]:
        return self._fetch(self._columns[name]).astype(np.float64, copy=False)

    def places(self, name: str) -> Places:
        rows: Places = self._tables[name][self._fetch(self._columns[name])]
        return rows


def _check_header(file: TableFile, wanted: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a header without a declared column; one that has none may be a person's record."""
    if wanted and not set(wanted) & set(names):
        more = f" and {len(wanted) - 1} more" if len(wanted) > 1 else ""
        raise DataError(
            f"The table must have the declared columns: '{wanted[0]}'{more}. The first line of "
            f"'{file.name}' names none of them.\n\nHint: is it a line of names?"
        )
    check_columns(wanted, names)


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(values.data if isinstance(values, np.ma.MaskedArray) else values)


def _no_texts(name: str) -> DataError:
    return DataError(f"The categories of '{name}' must be texts in UTF-8. One is not.")

"""Files read as declared, by DuckDB: one column of numbers or of small codes at a time."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data.source._columns import check_distinct
from sparsam.data.source._declared_codes import (
    DeclaredColumns,
    Places,
    Wanted,
    check_columns,
    wrong_type,
)
from sparsam.data.source._engine import (
    EncodingError,
    Engine,
    ParquetFile,
    csv_table,
    damaged_csv,
    table_file,
)
from sparsam.data.source._header import header_of

_GONE, _UNSEEN = 65_535, 65_534
_NUMBERS = {
    *("tinyint", "smallint", "integer", "bigint", "hugeint", "float", "double", "decimal"),
    *("utinyint", "usmallint", "uinteger", "ubigint", "uhugeint", "boolean"),
}
_TEXTS = {"varchar", "enum", "uuid", "null"}


def open_declared_file(
    path: str | os.PathLike[str], wanted: Sequence[Wanted], missing: Collection[str]
) -> DeclaredColumns:
    """Open a CSV or Parquet file to be read as declared.

    A Parquet file stays on the disk, and a column is read when it is asked for. Of a CSV file the
    declared columns are kept, as numbers and as codes. A file that is damaged is refused here,
    before anybody is charged for an answer. A text that is not in UTF-8 is not: in a Parquet file
    it is unseen, or a missing number; in a CSV file its whole row is missing.
    """
    file, kind = table_file(path)
    if kind == "parquet":
        return _ParquetColumns(file, wanted, missing)
    return _CsvColumns(file, wanted, missing)


class _FileColumns(DeclaredColumns):
    """What both kinds of files share: the expressions that turn a cell into a number or a code."""

    def __init__(self, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        super().__init__(wanted, missing)
        self._engine = Engine()
        self._tables: dict[str, NDArray[np.uint16]] = {}

    def _expression(self, name: str, column: str, kind: str) -> str:
        """Write the SQL for one column, given what type of column it is."""
        if self.wanted[name].members is None:
            if kind not in _NUMBERS | _TEXTS:
                raise wrong_type(name, kind.replace("_", " "))
            inner = column
            if kind in _TEXTS:
                text = f"trim(CAST({column} AS VARCHAR))"
                inner = f"CASE WHEN contains({text}, '_') THEN NULL ELSE {text} END"
            return f"CAST(coalesce(TRY_CAST({inner} AS DOUBLE), 'nan'::DOUBLE) AS DOUBLE)"
        if kind in ("list", "struct", "map", "array", "union"):
            raise wrong_type(name, kind)
        inner = f"CAST({column} AS DOUBLE)" if kind in ("decimal", "float", "double") else column
        text = f"CAST({inner} AS VARCHAR)"
        gone = f"{column} IS NULL OR {text} IN ({_listed([*self.missing, 'nan'])})"
        if kind not in ("float", "double"):
            gone = f"{column} IS NULL OR {text} IN ({_listed(self.missing)})"
        code = f"coalesce(enum_code(TRY_CAST({text} AS {self._enum(name)})), {_UNSEEN})"
        return f"CAST(CASE WHEN {gone} THEN {_GONE} ELSE {code} END AS USMALLINT)"

    def _enum(self, name: str) -> str:
        """Make a type of the texts of the members: DuckDB looks them up by a hash."""
        lookup = self.lookups[name]
        place = f"members{len(self._tables)}"
        query = f"CREATE TYPE {place} AS ENUM ({_listed(lookup)})"
        self._engine.run(query, [], lambda _: _no_texts(name))
        n_members = len(self.wanted[name].members or ())
        table = np.full(1 << 16, n_members, dtype=np.uint16)
        table[: len(lookup)] = list(lookup.values())
        table[_GONE] = n_members + 1
        self._tables[name] = table
        return place


class _ParquetColumns(_FileColumns):
    def __init__(self, file: Path, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        super().__init__(wanted, missing)
        self._parquet = parquet = ParquetFile(file, self._engine, any_text=True)
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
        found: Places = self._tables[name][self._column(name)]
        return found


class _CsvColumns(_FileColumns):
    def __init__(self, file: Path, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        super().__init__(wanted, missing)
        self._file = file
        delimiter, names = header_of(file, rows=0)
        _check_header(file, list(self.wanted), names)
        self._columns = {name: f"d{at}" for at, name in enumerate(self.wanted)}
        try:
            self._load(delimiter, names)
        except EncodingError:
            # one person's text must not decide whether the others are answered for
            self._engine, self._tables = Engine(), {}
            self._load(delimiter, names, any_text=True)

    def _load(self, delimiter: str, names: Sequence[str], any_text: bool = False) -> None:
        made = [
            f"{self._expression(name, f'c{names.index(name)}', 'varchar')} AS {column}"
            for name, column in self._columns.items()
        ]
        csv_table(
            self._engine,
            self._file,
            delimiter,
            len(names),
            select=", ".join(made),
            any_text=any_text,
        )

    def _fetch(self, expression: str) -> NDArray[Any]:
        query = f"SELECT {expression} AS c FROM t"
        return _plain(self._engine.columns(query, [], lambda e: damaged_csv(self._file, e))[0])

    def n_rows(self) -> int:
        return int(self._fetch("count(*)")[0])

    def _numbers(self, name: str) -> NDArray[np.float64]:
        return self._fetch(self._columns[name]).astype(np.float64, copy=False)

    def places(self, name: str) -> Places:
        found: Places = self._tables[name][self._fetch(self._columns[name])]
        return found


def _check_header(file: Path, wanted: Sequence[str], names: Sequence[str]) -> None:
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


def _listed(texts: Collection[str]) -> str:
    """Write texts as SQL literals; an empty list as one that nothing equals."""
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts) or "NULL"


def _no_texts(name: str) -> DataError:
    return DataError(f"The categories of '{name}' must be texts in UTF-8. One is not.")

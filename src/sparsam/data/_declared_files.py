"""Files read as declared, by DuckDB: one column of numbers or of small codes at a time."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data._columns import check_distinct
from sparsam.data._declared_codes import (
    DeclaredColumns,
    Places,
    Wanted,
    check_columns,
    wrong_type,
)
from sparsam.data._files import (
    _damaged,
    _header,
    _literal,
    _quoted,
    _top_level,
    connect,
    database_error,
)

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
    declared columns are kept, as numbers and as codes.
    """
    file = Path(os.path.abspath(path))
    if not file.is_file():
        raise DataError(f"A table must be a file on this machine. Found none at '{path}'.")
    packed = file.suffix.lower() == ".gz"
    ending = Path(file.stem).suffix.lower() if packed else file.suffix.lower()
    if ending in (".parquet", ".pq") and not packed:
        return _ParquetColumns(file, wanted, missing)
    if ending in (".csv", ".tsv", ".txt", ".tab"):
        return _CsvColumns(file, wanted, missing)
    raise DataError(
        "A table's file must end in .csv, .csv.gz, .tsv, .tsv.gz or .parquet. "
        f"Got '{file.name}' instead."
    )


class _FileColumns(DeclaredColumns):
    """What both kinds of files share: the expressions that turn a cell into a number or a code."""

    def __init__(self, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        super().__init__(wanted, missing)
        self._connection = connect()
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
        self._connection.execute(f"CREATE TYPE {place} AS ENUM ({_listed(lookup)})")
        n_members = len(self.wanted[name].members or ())
        table = np.full(1 << 16, n_members, dtype=np.uint16)
        table[: len(lookup)] = list(lookup.values())
        table[_GONE] = n_members + 1
        self._tables[name] = table
        return place

    def _fetch(self, query: str, parameters: Sequence[Any] = ()) -> NDArray[Any]:
        found = self._connection.execute(query, list(parameters)).fetchnumpy()
        values = next(iter(found.values()))
        if isinstance(values, np.ma.MaskedArray):
            values = values.data
        return np.asarray(values)


class _ParquetColumns(_FileColumns):
    def __init__(self, file: Path, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        super().__init__(wanted, missing)
        self._file = _literal(file)
        try:
            relation = self._connection.from_parquet(self._file)
            columns, kinds = list(relation.columns), [kind.id for kind in relation.types]
            schema = self._connection.execute(
                "SELECT name, num_children FROM parquet_schema(?)", [self._file]
            ).fetchall()
        except database_error():
            raise DataError(
                f"'{file.name}' must be a Parquet file. It cannot be read as one."
            ) from None
        names = _top_level(schema)
        check_distinct(names)
        check_columns(list(self.wanted), names)
        self._expressions = {
            name: self._expression(name, _quoted(columns[at]), kinds[at])
            for name, at in ((name, names.index(name)) for name in self.wanted)
        }

    def n_rows(self) -> int:
        return int(self._fetch("SELECT count(*) FROM read_parquet(?)", [self._file])[0])

    def _column(self, name: str) -> NDArray[Any]:
        query = f"SELECT {self._expressions[name]} AS c FROM read_parquet(?)"
        return self._fetch(query, [self._file])

    def _numbers(self, name: str) -> NDArray[np.float64]:
        return self._column(name).astype(np.float64, copy=False)

    def places(self, name: str) -> Places:
        found: Places = self._tables[name][self._column(name)]
        return found


class _CsvColumns(_FileColumns):
    def __init__(self, file: Path, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        super().__init__(wanted, missing)
        delimiter, names = _header(file)
        check_distinct(names)
        check_columns(list(self.wanted), names)
        self._columns = {name: f"d{at}" for at, name in enumerate(self.wanted)}
        made = [
            f"{self._expression(name, f'c{names.index(name)}', 'varchar')} AS {column}"
            for name, column in self._columns.items()
        ]
        query = (
            f"CREATE TABLE t AS SELECT {', '.join(made)} FROM read_csv(?, auto_detect = false, "
            "header = true, delim = ?, quote = '\"', escape = '\"', columns = ?, nullstr = ?)"
        )
        types = {f"c{i}": "VARCHAR" for i in range(len(names))}
        try:
            self._connection.execute(query, [_literal(file), delimiter, types, [""]])
        except database_error() as error:
            raise _damaged(file, str(error)) from None

    def n_rows(self) -> int:
        return int(self._fetch("SELECT count(*) FROM t")[0])

    def _numbers(self, name: str) -> NDArray[np.float64]:
        values = self._fetch(f"SELECT {self._columns[name]} AS c FROM t")
        return values.astype(np.float64, copy=False)

    def places(self, name: str) -> Places:
        codes = self._fetch(f"SELECT {self._columns[name]} AS c FROM t")
        found: Places = self._tables[name][codes]
        return found


def _listed(texts: Collection[str]) -> str:
    """Write texts as SQL literals; an empty list as one that nothing equals."""
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts) or "NULL"

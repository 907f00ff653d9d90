"""Tables in files, read by DuckDB: nothing is executed, nothing outside the file is touched."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sparsam._errors import DataError
from sparsam.data._columns import Column, Source

if TYPE_CHECKING:
    import duckdb

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "temp_directory": "",  # personal data must not spill to a disk
}
# The row labels that pandas writes into a Parquet file.
_INDEX = re.compile(r"__index_level_\d+__")
_DELIMITERS = (",", ";", "\t", "|")
# Whole numbers of at most 15 digits are exact as floats. A leading zero marks a code such as a
# postal code, which is text.
_WHOLE = r"\s*[+-]?(0|[1-9][0-9]{0,14})\s*"
_NUMBER = (
    r"\s*([+-]?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?"
    r"|[nN]a[nN]|[+-]?(inf|Inf|INF|Infinity|infinity))\s*"
)


def open_file(
    path: str | os.PathLike[str], missing: Collection[str] = (), text: Collection[str] = ()
) -> Source:
    """Open a CSV, TSV or Parquet file on this machine.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, .txt (each also with .gz) or .parquet.
    missing : collection of str
        Texts that mean missing.
    text : collection of str
        Columns of a CSV file that stay text, even where they look like numbers.
    """
    file = Path(os.path.abspath(path))
    if not file.is_file():
        raise DataError(f"A table must be a file on this machine. Found none at '{path}'.")
    ending = "".join(file.suffixes[-2:]).lower() if file.suffix == ".gz" else file.suffix.lower()
    if ending in (".parquet", ".pq"):
        return _parquet(file)
    if ending.removesuffix(".gz") in (".csv", ".tsv", ".txt", ".tab"):
        return _csv(file, missing, text)
    raise DataError(
        "A table's file must end in .csv, .csv.gz, .tsv, .tsv.gz or .parquet. "
        f"Got '{file.name}' instead."
    )


def open_relation(relation: Any) -> Source:
    """Open a DuckDB relation: one execution, so that all columns have the same order of rows."""
    names = tuple(relation.columns)
    loaded: dict[str, Any] = {}

    def load(place: int) -> Column:
        if not loaded:
            loaded.update(relation.fetchnumpy())
        return _typed(names[place], relation.types[place], loaded[names[place]])

    return Source(names, load)


def _parquet(file: Path) -> Source:
    connection = connect()
    try:
        relation = connection.from_parquet(_literal(file))
        columns, types = list(relation.columns), list(relation.types)
        schema = connection.execute(
            "SELECT name, num_children FROM parquet_schema(?)", [_literal(file)]
        ).fetchall()
    except database_error():
        raise DataError(
            f"'{file.name}' must be a Parquet file. It cannot be read as one."
        ) from None
    kept = [(i, name) for i, name in enumerate(_top_level(schema)) if not _INDEX.fullmatch(name)]

    def load(place: int) -> Column:
        at, name = kept[place]
        query = f"SELECT {_quoted(columns[at])} FROM read_parquet(?)"
        values = connection.execute(query, [_literal(file)]).fetchnumpy()
        return _typed(name, types[at], next(iter(values.values())))

    return Source(tuple(name for _, name in kept), load)


def _top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """Return the columns' own names: DuckDB renames those that differ only by case."""
    names = []
    inside = 0
    for name, children in schema[1:]:
        if inside == 0:
            names.append(name)
            inside = 1
        inside += (children or 0) - 1
    return names


def _csv(file: Path, missing: Collection[str], text: Collection[str]) -> Source:
    delimiter, names = _header(file)
    connection = connect()
    query = (
        "CREATE TABLE t AS SELECT * FROM read_csv(?, auto_detect = false, header = true, "
        "delim = ?, quote = '\"', escape = '\"', columns = ?, nullstr = ?)"
    )
    columns = {f"c{i}": "VARCHAR" for i in range(len(names))}
    try:
        connection.execute(query, [_literal(file), delimiter, columns, ["", *missing]])
    except database_error() as error:
        raise _damaged(file, str(error)) from None
    sniffed = _sniff(connection, len(names))
    types = ["VARCHAR" if n in text else t for n, t in zip(names, sniffed, strict=True)]

    def load(place: int) -> Column:
        query = f"SELECT CAST(trim(c{place}) AS {types[place]}) AS c FROM t"
        if types[place] == "VARCHAR":
            query = f"SELECT c{place} AS c FROM t"
        return Column(names[place], connection.execute(query).fetchnumpy()["c"])

    return Source(names, load)


def _header(file: Path) -> tuple[str, tuple[str, ...]]:
    """Read the first record with every delimiter, and keep the one that finds most names."""
    given = ("\t",) if file.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ()
    try:
        found = {delimiter: _first(file, delimiter) for delimiter in given or _DELIMITERS}
    except (OSError, csv.Error, EOFError):
        raise _no_text(file) from None
    delimiter, names = max(found.items(), key=lambda item: len(item[1]))
    if any("\ufffd" in name for name in names):
        raise _no_text(file)
    if not names:
        raise DataError(f"'{file.name}' must begin with a line of column names. It is empty.")
    if not all(names):
        place = names.index("") + 1
        raise DataError(f"Every column of '{file.name}' must have a name. Column {place} has none.")
    return delimiter, names


def _no_text(file: Path) -> DataError:
    return DataError(f"'{file.name}' must be a text file in UTF-8. Its first line is not.")


def _first(file: Path, delimiter: str) -> tuple[str, ...]:
    packed = file.suffix.lower() == ".gz"
    with (
        gzip.open(file) if packed else file.open("rb") as raw,
        io.TextIOWrapper(raw, "utf-8-sig", errors="replace", newline="") as lines,
    ):
        return tuple(name.strip() for name in next(csv.reader(lines, delimiter=delimiter), []))


def _sniff(connection: duckdb.DuckDBPyConnection, n_columns: int) -> list[str]:
    """Find the type of every column from all of its values, not from a sample."""
    checks = ", ".join(
        f"bool_and(regexp_full_match(c{i}, '{_WHOLE}')), "
        f"bool_and(regexp_full_match(c{i}, '{_NUMBER}')), "
        f"bool_and(lower(c{i}) IN ('true', 'false'))"
        for i in range(n_columns)
    )
    answers = cast(
        "tuple[bool | None, ...]", connection.execute(f"SELECT {checks} FROM t").fetchone()
    )
    kinds = ("BIGINT", "DOUBLE", "BOOLEAN")
    return [
        next((kind for kind, yes in zip(kinds, answers[3 * i :], strict=False) if yes), "VARCHAR")
        for i in range(n_columns)
    ]


def _damaged(file: Path, message: str) -> DataError:
    """Say where a CSV file is damaged; DuckDB's own message would quote the line."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    where = f" Line {line[1]} is damaged." if line else " It is damaged."
    what = ""
    if fields:
        what = f" It has {fields[2]} fields where the first line has {fields[1]}."
    elif "unicode" in message:
        what = " It is not in UTF-8."
    elif "unterminated quote" in message:
        what = " It opens a quote that is never closed."
    return DataError(f"'{file.name}' must be a CSV file in UTF-8.{where}{what}")


def _typed(name: str, kind: Any, values: Any) -> Column:
    """Return a column of DuckDB; an ENUM brings the order of its categories."""
    if not isinstance(values, np.ndarray):
        values = np.asarray(values, dtype=object)
    if kind.id == "enum":
        order = tuple(str(category) for category in kind.children[0][1])
        return Column(name, values, categorical=True, order=order)
    if kind.id == "uuid":
        texts = [None if value is None else str(value) for value in values.tolist()]
        return Column(name, np.array(texts, dtype=object))
    return Column(name, values)


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory that fetches nothing and writes nothing to a disk by itself."""
    import duckdb

    return duckdb.connect(":memory:", config=_CONFIG)


def database_error() -> type[Exception]:
    """The base of the errors that DuckDB raises."""
    import duckdb

    return duckdb.Error


def _literal(file: Path) -> str:
    """Return the path with the signs that DuckDB would read as a pattern made literal."""
    return re.sub(r"([*?\[])", r"[\1]", str(file))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

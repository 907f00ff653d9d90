"""Tables in files, read by DuckDB: nothing is executed, nothing outside the file is touched."""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from sparsam._errors import DataError
from sparsam.data._columns import Column, Source
from sparsam.data._engine import (
    Engine,
    ParquetFile,
    csv_table,
    damaged_csv,
    is_packed,
    relation_columns,
    table_file,
)
from sparsam.data._row_labels import is_row_label
from sparsam.data._worded import unreadable_frame

_DELIMITERS = (",", ";", "\t", "|")
# Whole numbers of at most 15 digits are exact as floats. A leading zero marks a code such as a
# postal code, which is text.
_WHOLE = r"\s*[+-]?(0|[1-9][0-9]{0,14})\s*"
_NUMBER = (
    r"\s*([+-]?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?"
    r"|[nN]a[nN]|[+-]?(inf|Inf|INF|Infinity|infinity))\s*"
)


def open_file(
    path: str | os.PathLike[str],
    missing: Collection[str] = (),
    text: Collection[str] = (),
    *,
    physical: bool = False,
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
    physical : bool, default=False
        Whether labels of rows that pandas wrote into a Parquet file are columns too.
    """
    file, kind = table_file(path)
    return _parquet(file, physical) if kind == "parquet" else _csv(file, missing, text)


def open_relation(relation: Any) -> Source:
    """Open a DuckDB relation: one execution, so that all columns have the same order of rows."""
    names = tuple(relation.columns)
    loaded: dict[str, Any] = {}

    def load(place: int) -> Column:
        if not loaded:
            loaded.update(relation_columns(relation, unreadable_frame))
        return _typed(names[place], relation.types[place], loaded[names[place]])

    return Source(names, load)


def _parquet(file: Path, physical: bool) -> Source:
    parquet = ParquetFile(file, Engine())
    kept = [(i, n) for i, n in enumerate(parquet.names) if physical or not is_row_label(n)]

    def load(place: int) -> Column:
        at, name = kept[place]
        return _typed(name, parquet.types[at], parquet.column(at))

    return Source(tuple(name for _, name in kept), load)


def _csv(file: Path, missing: Collection[str], text: Collection[str]) -> Source:
    delimiter, names = header_of(file)
    engine = Engine()
    csv_table(engine, file, delimiter, len(names), missing=list(missing))
    sniffed = _sniff(engine, file, len(names))
    types = ["VARCHAR" if n in text else t for n, t in zip(names, sniffed, strict=True)]

    def load(place: int) -> Column:
        query = f"SELECT CAST(trim(c{place}) AS {types[place]}) AS c FROM t"
        if types[place] == "VARCHAR":
            query = f"SELECT c{place} AS c FROM t"
        values = engine.columns(query, [], lambda error: damaged_csv(file, error))[0]
        return Column(names[place], values)

    return Source(names, load)


def header_of(file: Path) -> tuple[str, tuple[str, ...]]:
    """Read the first record with every delimiter, and keep the one that finds most names."""
    given = ("\t",) if file.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ()
    try:
        found = {delimiter: _first(file, delimiter) for delimiter in given or _DELIMITERS}
    except (csv.Error, EOFError, zlib.error, gzip.BadGzipFile):
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
    with (
        gzip.open(file) if is_packed(file) else file.open("rb") as raw,
        io.TextIOWrapper(raw, "utf-8-sig", errors="replace", newline="") as lines,
    ):
        return tuple(name.strip() for name in next(csv.reader(lines, delimiter=delimiter), []))


def _sniff(engine: Engine, file: Path, n_columns: int) -> list[str]:
    """Find the type of every column from all of its values, not from a sample."""
    checks = ", ".join(
        f"bool_and(regexp_full_match(c{i}, '{_WHOLE}')), "
        f"bool_and(regexp_full_match(c{i}, '{_NUMBER}')), "
        f"bool_and(lower(c{i}) IN ('true', 'false'))"
        for i in range(n_columns)
    )
    query = f"SELECT {checks} FROM t"
    answers = engine.rows(query, [], lambda error: damaged_csv(file, error))[0]
    kinds = ("BIGINT", "DOUBLE", "BOOLEAN")
    return [
        next((kind for kind, yes in zip(kinds, answers[3 * i :], strict=False) if yes), "VARCHAR")
        for i in range(n_columns)
    ]


def _typed(name: str, kind: Any, values: Any) -> Column:
    """Return a column of DuckDB; an ENUM brings the order of its categories."""
    if kind.id == "enum":
        order = tuple(str(category) for category in kind.children[0][1])
        return Column(name, values, categorical=True, order=order)
    if kind.id == "uuid":
        texts = [None if value is None else str(value) for value in values.tolist()]
        return Column(name, np.array(texts, dtype=object))
    return Column(name, values)

"""Tables in files, read by DuckDB: nothing is executed, nothing outside the file is touched."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from sparsam.data.source._columns import Column, Source
from sparsam.data.source._engine import (
    Engine,
    ParquetFile,
    csv_table,
    damaged_csv,
    relation_columns,
    table_file,
)
from sparsam.data.source._header import header_of
from sparsam.data.source._worded import unreadable_frame

# The row labels that pandas writes into a Parquet file.
_INDEX = re.compile(r"__index_level_\d+__")
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
    file, kind = table_file(path)
    return _parquet(file) if kind == "parquet" else _csv(file, missing, text)


def open_relation(relation: Any) -> Source:
    """Open a DuckDB relation: one execution, so that all columns have the same order of rows."""
    names = tuple(relation.columns)
    loaded: dict[str, Any] = {}

    def load(place: int) -> Column:
        if not loaded:
            loaded.update(relation_columns(relation, unreadable_frame))
        return _typed(names[place], relation.types[place], loaded[names[place]])

    return Source(names, load)


def _parquet(file: Path) -> Source:
    parquet = ParquetFile(file, Engine())
    kept = [(i, name) for i, name in enumerate(parquet.names) if not _INDEX.fullmatch(name)]

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

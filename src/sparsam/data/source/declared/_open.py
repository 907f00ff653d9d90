"""Open a table whose columns somebody declared, in memory or where its rows are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from sparsam.data.source._engine import Wording, is_relation, quoted, unreadable_frame
from sparsam.data.source._format import ANY_FORMAT, FileFormat
from sparsam.data.source._source import (
    CsvSource,
    ParquetSource,
    Source,
    check_distinct,
    open_source,
)
from sparsam.data.source.declared._columns import (
    DeclaredColumns,
    Wanted,
    check_columns,
    wrong_type,
)
from sparsam.data.source.declared._csv import CsvColumns
from sparsam.data.source.declared._memory import MemoryColumns
from sparsam.data.source.declared._on_engine import EngineColumns
from sparsam.data.source.lazy import lazy_relation

_NUMBERS = {
    *("tinyint", "smallint", "integer", "bigint", "hugeint", "float", "double", "decimal"),
    *("utinyint", "usmallint", "uinteger", "ubigint", "uhugeint", "boolean"),
}
_PARTS = {"float", "double", "decimal", "boolean"}
_TEXTS = {"varchar", "enum", "uuid", "null"}
_NESTED = {"list", "struct", "map", "array", "union"}


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
    opened = open_source(source, form, private=True)
    if isinstance(opened, CsvSource):
        return CsvColumns(opened, wanted, missing)
    check_distinct(opened.names)
    if isinstance(opened, ParquetSource):
        return _parquet_columns(opened, wanted, missing)
    if opened.names or opened.n_rows:  # a list without any record has no names
        check_columns(names, opened.names)
    if is_relation(opened.origin):
        return _duck_columns(opened.origin, names, wanted, missing, unreadable_frame)
    return _lazy_columns(opened, wanted, missing) or MemoryColumns(opened, wanted, missing)


def _parquet_columns(
    source: ParquetSource, wanted: Sequence[Wanted], missing: Collection[str]
) -> EngineColumns:
    """Open the columns of a file; one that is damaged is refused before anybody is charged."""
    parquet = source.parquet
    names = [column.name for column in wanted]
    check_distinct(parquet.names)
    check_columns(names, parquet.names)
    places = [parquet.names.index(name) for name in names]
    relation = parquet.relation(places)
    wording = partial(source.damaged, places)
    columns = _duck_columns(relation, relation.columns, wanted, missing, wording)
    parquet.check(places)
    return columns


def _duck_columns(
    relation: Any,
    places: Sequence[str],
    wanted: Sequence[Wanted],
    missing: Collection[str],
    wording: Wording,
) -> EngineColumns:
    """Open the columns of a relation of DuckDB.

    What is neither a number nor a truth value is read as text. So is a whole number that stands for
    a category: DuckDB looks a text up by a hash, and for many equal ones in a row only once.
    """
    listed = []
    for i, (place, column) in enumerate(zip(places, wanted, strict=True)):
        kind = relation.types[relation.columns.index(place)].id
        known = _NUMBERS | _TEXTS if column.members is None else {kind} - _NESTED
        if kind not in known:
            raise wrong_type(column.name, kind.replace("_", " "))
        as_it_is = kind == "varchar" or kind in (_NUMBERS if column.members is None else _PARTS)
        cell = quoted(place) if as_it_is else f"CAST({quoted(place)} AS VARCHAR)"
        listed.append(f"{cell} AS d{i}")
    frame = lazy_relation(relation.project(", ".join(listed)), wording)
    own = {column.name: f"d{i}" for i, column in enumerate(wanted)}
    return EngineColumns(frame, own, wanted, missing)


def _lazy_columns(
    source: Source, wanted: Sequence[Wanted], missing: Collection[str]
) -> EngineColumns | None:
    """Open the columns of a frame in an engine; None where they must come home to be read."""
    columns = source.lazy([column.name for column in wanted])
    if columns is None:
        return None
    frame, places = columns.frame, columns.places
    if not all(EngineColumns.takes(frame, places[column.name], column) for column in wanted):
        return None
    return EngineColumns(frame, places, wanted, missing)

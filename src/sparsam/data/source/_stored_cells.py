"""Cells exactly as they stand: every physical column of a file, every value of a frame.

Reading a table to learn from it may trim, convert and leave out. Whoever checks a table that is
passed on must see all of it: `1.0` beside `1`, a trailing blank, null beside NaN, row labels.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data._table import Table
from sparsam.data.source._engine import Engine, ParquetFile, is_relation, literal, no_parquet
from sparsam.data.source._source import (
    Source,
    check_distinct,
    column_names,
    columns_of,
    open_source,
)
from sparsam.data.source._table_file import open_bytes
from sparsam.data.source.csv_files import header_of

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

Cells = dict[str, NDArray[Any]]

_PARQUET = (".parquet", ".pq")
_TEXTS = (".csv", ".tsv", ".txt", ".tab")
_UNREADABLE = (ValueError, AttributeError, TypeError)
# What numpy holds without a change; all other types are written out by the engine as texts.
_WHOLE = ("tinyint", "smallint", "integer", "bigint")
_EXACT = {"boolean", "float", "double", "varchar", *_WHOLE, *(f"u{kind}" for kind in _WHOLE)}


def stored_cells(source: Any) -> Cells:
    """Load every column of a table, as it is stored.

    Parameters
    ----------
    source : path, frame, mapping, list of records, ndarray or Table
        Of a Parquet file all columns come, those that hold pandas' row labels too. The cells of a
        CSV file are texts and None; where a column is not quoted in one way all through, its cells
        come with their quotes.

    Returns
    -------
    dict of str to ndarray
        Null and NaN, 0.0 and -0.0, None and "" are different cells.
    """
    if isinstance(source, Source):
        source = source.origin
    if isinstance(source, str | os.PathLike):
        file = Path(os.path.abspath(source))
        if file.suffix.lower() in _PARQUET:
            return _parquet(file)
        if not file.name.lower().removesuffix(".gz").endswith(_TEXTS):
            raise DataError(
                "A table's file must end in .csv, .csv.gz, .tsv, .tsv.gz or .parquet. "
                f"Got '{file.name}' instead."
            )
        return _csv(file)
    if isinstance(source, Table | list | tuple):
        return columns_of(source, column_names(source))
    if isinstance(source, Mapping):
        check_distinct([str(name) for name in source])
        return {str(name): _exact(name, values) for name, values in source.items()}
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame) and not is_relation(source):
        frame = frame.collect()
    if isinstance(frame, nw.DataFrame):
        names = open_source(source).names
        return {name: _exact(name, frame[:, place]) for place, name in enumerate(names)}
    return columns_of(source, column_names(source))


def row_labels(source: Any) -> bool:
    """Whether a table carries row labels beside its columns, other than 0, 1, 2, ...

    Parameters
    ----------
    source : frame or path
        Labels that a Parquet file holds as a column are among its `stored_cells`; those that it
        only describes, such as "from 1000 on", are meant here.

    Examples
    --------
    >>> row_labels({"age": [30, 41]})
    False
    """
    if isinstance(source, str | os.PathLike):
        file = Path(os.path.abspath(source))
        return file.suffix.lower() in _PARQUET and _described_labels(file)
    # of the type: a frame of Spark Connect has a column of any name that it is asked for
    labels = getattr(source, "index", None) if hasattr(type(source), "iloc") else None
    if labels is None:
        return False
    counted = type(labels).__name__ == "RangeIndex" and (labels.start, labels.step) == (0, 1)
    return not counted or labels.name is not None


def _described_labels(file: Path) -> bool:
    """Whether pandas would give the rows of a Parquet file labels that no column holds."""
    query = "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'pandas'::BLOB"
    try:
        notes = Engine().rows(query, [literal(file)], lambda _: no_parquet(file))
        described = [json.loads(note).get("index_columns", []) for (note,) in notes]
    except (*_UNREADABLE, DataError):
        return True  # notes that nobody can read may say anything
    plain = {"kind": "range", "name": None, "start": 0, "step": 1, "stop": 0}
    labels = [label for listed in described for label in listed if not isinstance(label, str)]
    return any(not isinstance(label, dict) or {**label, "stop": 0} != plain for label in labels)


def _exact(name: Any, values: Any) -> NDArray[Any]:
    """Return the values of a column of any library; null and NaN stay apart."""
    series = values
    if not isinstance(series, nw.Series):
        series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return _one_nan(columns_of({str(name): values}, [str(name)])[str(name)])
    temporal = series.dtype.is_temporal()
    listed = series.dtype in (nw.Categorical, nw.Enum) or series.dtype.is_nested()
    plain = isinstance(getattr(series.to_native(), "dtype", None), np.dtype)
    whole = plain or temporal or (series.dtype != nw.Decimal and not series.null_count())
    if whole and not listed:
        return _one_nan(np.asarray(series.to_numpy()))
    objects = np.empty(len(series), dtype=object)
    objects[:] = series.to_list()
    return objects


def _one_nan(values: NDArray[Any]) -> NDArray[Any]:
    """Make one NaN of all: in memory the bits of one are an accident of arithmetic."""
    if values.dtype.kind != "f" or not np.isnan(values).any():
        return values
    return np.where(np.isnan(values), values.dtype.type(np.nan), values)


def _parquet(file: Path) -> Cells:
    parquet = ParquetFile(file, Engine())
    check_distinct(parquet.names)
    cells = {}
    for place, name in enumerate(parquet.names):
        column = parquet.columns[place]
        exact = str(parquet.types[place]).lower() in _EXACT
        wanted = column if exact else f"CAST({column} AS VARCHAR)"
        cells[name] = _unmasked(parquet.column(place, wanted))
    return cells


def _unmasked(values: Any) -> NDArray[Any]:
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    if not values.mask.any():
        return np.asarray(values.data)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values.data.tolist()
    if values.dtype.kind == "f" and values.dtype.itemsize < 8:
        objects[:] = list(values.data)
    objects[np.asarray(values.mask)] = None
    return objects


def _csv(file: Path) -> Cells:
    text = _text(file)
    records = _records(file, text)
    delimiter = header_of(file).delimiter
    split = _splitter(file, delimiter)
    header, *rows = [split(place, record) for place, record in enumerate(records, start=1)]
    names = [_unquoted(name) for name in header]
    check_distinct(names)
    for place, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise _damaged(file, f"Record {place:,} has {len(row):,} fields, not {len(names):,}.")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {name: _cells(column, delimiter) for name, column in zip(names, columns, strict=True)}


def _text(file: Path) -> str:
    try:
        with open_bytes(file) as opened:
            return opened.read().decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"There is no file '{file.name}'.") from None
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile):
        raise _damaged(file, "Its bytes are no such text.") from None


def _damaged(file: Path, how: str) -> DataError:
    return DataError(f"'{file.name}' must be a whole CSV file in UTF-8. {how}")


def _records(file: Path, text: str) -> list[str]:
    """Divide the text into records; a line break between quotes belongs to a cell."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    records = lines
    if '"' in text:
        records, parts, inside = [], [], False
        for line in lines:
            parts.append(line)
            inside ^= line.count('"') % 2 == 1
            if not inside:
                records.append("\n".join(parts))
                parts = []
        if parts:
            raise _damaged(file, "It opens a quote that is never closed.")
    if not records:
        raise _damaged(file, "It is empty.")
    if all(record.endswith("\r") for record in records):
        return [record[:-1] for record in records]
    return records


def _splitter(file: Path, delimiter: str) -> Callable[[int, str], list[str]]:
    """Return the function that divides a record into fields, with the quotes that they have."""
    sign = re.escape(delimiter)
    field = re.compile(rf'("(?:[^"]|"")*"|[^"{sign}]*)({sign}|\Z)')

    def split(place: int, record: str) -> list[str]:
        if '"' not in record:
            return record.split(delimiter)
        fields: list[str] = []
        at, more = 0, delimiter
        while more:
            hit = field.match(record, at)
            if hit is None:
                raise _damaged(file, f"Record {place:,} has a quote inside a field.")
            fields.append(hit[1])
            at, more = hit.end(), hit[2]
        return fields

    return split


def _cells(fields: Sequence[str], delimiter: str) -> NDArray[Any]:
    """Return the texts of a column; with their quotes, where quotes could tell rows apart."""
    texts = np.empty(len(fields), dtype=object)
    signs = (delimiter, '"', "\r", "\n")
    distinct = {field: field.startswith('"') for field in set(fields)}
    bare = {field: _unquoted(field) for field in distinct}
    must = {field: not bare[field] or any(s in bare[field] for s in signs) for field in distinct}
    filled = [field for field in distinct if field]
    as_usual = all(distinct[f] == must[f] for f in filled)
    # DuckDB quotes what another reader could take for a comment, too
    as_duckdb = all(distinct[f] == (must[f] or "#" in bare[f]) for f in filled)
    if not (as_usual or as_duckdb or all(distinct[f] for f in filled)):
        bare = {field: field for field in distinct}
    texts[:] = [bare[field] if field else None for field in fields]
    return texts


def _unquoted(field: str) -> str:
    return field[1:-1].replace('""', '"') if field.startswith('"') else field

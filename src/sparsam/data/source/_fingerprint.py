"""A salted hash that tells one table from another."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data.source._column import Column
from sparsam.data.source._database import database_address
from sparsam.data.source._engine import is_relation
from sparsam.data.source._source import Source, open_source, table_places
from sparsam.data.source._table_file import Piped
from sparsam.data.source.declared._cells import read_number, text_of
from sparsam.data.source.lazy import (
    LazyFrame,
    cell_text,
    lazy_relation,
    open_lazy,
    row_sums,
    sums_of_batches,
)

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

_CHUNK = 1 << 22
# What the fingerprint of rows begins with: that of a file, and what earlier versions gave for
# anything else, begins with a hexadecimal digit.
OF_ROWS = "rows:"
# Earlier versions brought all rows home, so that no table of more was ever told from others.
_MOST_FORMER = 20_000_000


def fingerprint(source: Any, salt: str) -> str:
    """Hash a table with a salt.

    The bytes of a file, or of several; the names and the rows of anything else, whatever library
    or engine holds them and in whatever order its rows and columns are. An engine hashes its own
    rows: none comes home from DuckDB or Spark, and from polars a batch at a time.

    Parameters
    ----------
    source : path, frame, mapping, list of records, Table or DuckDB relation
    salt : str
        Keeps others from trying tables until one fits.

    Returns
    -------
    str
        64 hexadecimal digits; for rows, "rows:" before them.

    Notes
    -----
    Tables are the same when the same rows occur equally often in them. A whole number is the same
    as the 64-bit float of its value, and NaN is missing. The hash of a row is the MD5 of a key,
    which is made from the salt, and of a text that no other row has; see `LazyFrame.row_sums`.

    Examples
    --------
    >>> first = fingerprint({"age": [30, 41], "sex": ["f", "m"]}, "salt")
    >>> first == fingerprint({"sex": ["m", "f"], "age": [41.0, 30.0]}, "salt")
    True
    >>> first == fingerprint({"sex": ["f", "m"], "age": [30, 42]}, "salt")
    False
    """
    origin = _origin(source)
    if isinstance(origin, Piped | str | os.PathLike):
        return _of_file(origin, salt)
    key = _keyed(salt, b"key of rows").hexdigest()
    frame = _lazy(origin)
    if frame is not None:
        names, sums = sorted(frame.names), frame.row_sums(key)
    elif _is_arrow(origin):
        names, sums = sorted(origin.column_names), sums_of_batches([origin], key)
    else:
        opened = _opened(origin)
        names = sorted(opened.names)
        sums = row_sums([_cells(opened.column(name)) for name in names], key)
    digest = _keyed(salt, json.dumps([names, *map(str, sums)]).encode())
    return OF_ROWS + digest.hexdigest()


def former_fingerprint(source: Any, salt: str) -> str:
    """Hash a table as earlier versions did: the values of a frame, in the order of its rows.

    Parameters
    ----------
    source : path, frame, mapping, list of records, Table or DuckDB relation
    salt : str
    """
    origin = _origin(source)
    if isinstance(origin, Piped | str | os.PathLike):
        return _of_file(origin, salt)
    frame = _lazy(origin)
    if frame is not None and frame.n_rows() > _MOST_FORMER:
        return ""
    digest, opened = _keyed(salt), _opened(origin)
    for name in sorted(opened.names):
        digest.update(json.dumps(name).encode())
        digest.update(_bytes(opened.column(name)))
    return digest.hexdigest()


def _keyed(salt: str, content: bytes = b"") -> hmac.HMAC:
    return hmac.new(salt.encode(), content, digestmod=hashlib.sha256)


def _origin(source: Any) -> Any:
    """What is hashed: a file, or rows; those of a database are asked for there."""
    origin = source.origin if isinstance(source, Source) else source
    if isinstance(origin, str | os.PathLike) and database_address(origin) is not None:
        return open_source(origin).origin
    return origin


def _opened(origin: Any) -> Source:
    return open_source(origin, private=isinstance(origin, list | tuple))


def _lazy(origin: Any) -> LazyFrame | None:
    """Return the frame of an engine, polars among them; None for what else is in memory."""
    if is_relation(origin):
        return lazy_relation(origin)
    frame = nw.from_native(origin, pass_through=True)
    if isinstance(frame, nw.DataFrame) and frame.implementation.is_polars():
        return open_lazy(frame.lazy())
    return open_lazy(frame) if isinstance(frame, nw.LazyFrame) else None


def _is_arrow(origin: Any) -> bool:
    """Whether something is a table of pyarrow, each of whose columns has a type."""
    frame = nw.from_native(origin, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or not frame.implementation.is_pyarrow():
        return False
    return nw.Unknown not in frame.schema.dtypes()


def _of_file(origin: Piped | str | os.PathLike[str], salt: str) -> str:
    digest = _keyed(salt)
    if isinstance(origin, Piped):
        digest.update(origin.content)
    else:
        for file in table_places(str(origin)) or [Path(origin)]:
            _add_file(digest, file)
    return digest.hexdigest()


def _add_file(digest: hmac.HMAC, path: Path) -> None:
    if not path.is_file():
        raise DataError(f"A table must be a file on this machine. Found none at '{path}'.")
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)


def _cells(column: Column) -> NDArray[Any]:
    """Write every row's cell as it is hashed; each distinct one once."""
    values = column.values
    if column.positions is not None:
        entries = np.array([*(_cell(value) for value in values), _cell(None)], dtype=object)
        rows: NDArray[Any] = entries[column.positions]
        return rows
    plain = np.asarray(np.ma.getdata(values))
    if plain.dtype.kind in "biufmM":
        distinct, inverse = np.unique(plain, return_inverse=True)
        cells = np.array([_cell(value) for value in distinct], dtype=object)[inverse]
    else:
        known: dict[str, str] = {}
        cells = np.array([_known_cell(value, known) for value in plain.tolist()], dtype=object)
    cells[np.ma.getmaskarray(values)] = _cell(None)
    return cells


def _cell(value: object) -> str:
    return f"{cell_text(value)};"


def _known_cell(value: object, known: dict[str, str]) -> str:
    if type(value) is not str:
        return _cell(value)
    cell = known.get(value)
    if cell is None:
        cell = known[value] = _cell(value)
    return cell


def _bytes(column: Column) -> bytes:
    values = column.values
    if column.positions is not None:
        entries = np.empty(len(values) + 1, dtype=object)
        entries[:-1], entries[-1] = values, None
        values = entries[column.positions]
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        values = values.data.astype(object)
        values[mask] = None
    if values.dtype.kind in "biuf":
        return _numbers(values.astype(np.float64))
    texts = [text_of(value) for value in values.tolist()]
    numbers = [read_number(value) for value in values.tolist()]
    plain = not any(isinstance(value, str) for value in values.tolist())
    if plain and all(t is None or not np.isnan(n) for t, n in zip(texts, numbers, strict=True)):
        return _numbers(np.array(numbers, dtype=np.float64))
    return json.dumps(texts).encode()


def _numbers(values: np.ndarray[Any, np.dtype[np.float64]]) -> bytes:
    clean = np.where(np.isnan(values), np.nan, values) + 0.0
    return bytes(np.asarray(clean, dtype="<f8").tobytes())

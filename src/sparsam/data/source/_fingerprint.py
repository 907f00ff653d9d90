"""A salted hash that tells one table from another."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from sparsam._errors import DataError
from sparsam.data.source._source import Column, Source, open_source
from sparsam.data.source._table_file import Piped
from sparsam.data.source.declared._cells import read_number, text_of

_CHUNK = 1 << 22


def fingerprint(source: Any, salt: str) -> str:
    """Hash a table with a salt.

    The bytes of a file; the names and the values of anything else, whatever library holds them
    and in whatever order its columns are.

    Parameters
    ----------
    source : path, frame, mapping, list of records, Table or DuckDB relation
    salt : str
        Keeps others from trying tables until one fits.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> first = fingerprint({"age": [30, 41], "sex": ["f", "m"]}, "salt")
    >>> first == fingerprint({"sex": ["f", "m"], "age": [30.0, 41.0]}, "salt")
    True
    >>> first == fingerprint({"sex": ["f", "m"], "age": [30, 42]}, "salt")
    False
    """
    digest = hmac.new(salt.encode(), digestmod=hashlib.sha256)
    origin = source.origin if isinstance(source, Source) else source
    if isinstance(origin, Piped):
        digest.update(origin.content)
        return digest.hexdigest()
    if isinstance(origin, str | os.PathLike):
        _add_file(digest, Path(origin))
        return digest.hexdigest()
    opened = open_source(origin, private=isinstance(origin, list | tuple))
    for name in sorted(opened.names):
        digest.update(json.dumps(name).encode())
        digest.update(_bytes(opened.column(name)))
    return digest.hexdigest()


def _add_file(digest: hmac.HMAC, path: Path) -> None:
    if not path.is_file():
        raise DataError(f"A table must be a file on this machine. Found none at '{path}'.")
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)


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

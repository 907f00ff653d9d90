"""A salted hash that tells one table from another."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sparsam._errors import DataError
from sparsam.data._table import Table
from sparsam.data.source._columns import Column, open_source, to_array
from sparsam.data.source._declared_codes import _text, read_number
from sparsam.data.source._raw_columns import column_names

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
    >>> one = fingerprint({"age": [30, 41], "sex": ["f", "m"]}, "salt")
    >>> one == fingerprint({"sex": ["f", "m"], "age": [30.0, 41.0]}, "salt")
    True
    >>> one == fingerprint({"sex": ["f", "m"], "age": [30, 42]}, "salt")
    False
    """
    digest = hmac.new(salt.encode(), digestmod=hashlib.sha256)
    if isinstance(source, str | os.PathLike):
        _add_file(digest, Path(source))
        return digest.hexdigest()
    for column in sorted(_columns(source), key=lambda column: column.name):
        digest.update(json.dumps(column.name).encode())
        digest.update(_bytes(column))
    return digest.hexdigest()


def _add_file(digest: hmac.HMAC, path: Path) -> None:
    if not path.is_file():
        raise DataError(f"A table must be a file on this machine. Found none at '{path}'.")
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)


def _columns(source: Any) -> list[Column]:
    if isinstance(source, Table):
        return [Column(name, values) for name, values in source.to_dict().items()]
    if isinstance(source, list | tuple) and all(isinstance(r, Mapping) for r in source):
        names = column_names(source)
        return [Column(n, to_array([r.get(n) for r in source])) for n in names]
    opened = open_source(source)
    return [opened.load(place) for place in range(len(opened.names))]


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
    texts = [_text(value) for value in values.tolist()]
    numbers = [read_number(value) for value in values.tolist()]
    plain = not any(isinstance(value, str) for value in values.tolist())
    if plain and all(t is None or not np.isnan(n) for t, n in zip(texts, numbers, strict=True)):
        return _numbers(np.array(numbers, dtype=np.float64))
    return json.dumps(texts).encode()


def _numbers(values: np.ndarray[Any, np.dtype[np.float64]]) -> bytes:
    clean = np.where(np.isnan(values), np.nan, values) + 0.0
    return bytes(np.asarray(clean, dtype="<f8").tobytes())

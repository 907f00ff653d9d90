"""Raw columns of new records, before anything is encoded or generalized."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data._names import check_names
from sparsam.data._table import Table
from sparsam.data.source._columns import Column, check_distinct, open_source


def is_frame(source: Any) -> bool:
    """Whether something is a table with named columns (and not a bare array).

    Examples
    --------
    >>> is_frame({"age": [30, 41]}), is_frame([{"age": 30}]), is_frame([[30], [41]])
    (True, True, False)
    """
    if isinstance(source, Table | str | os.PathLike | Mapping):
        return True
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(record, Mapping) for record in source)
    frame = nw.from_native(source, pass_through=True)
    return isinstance(frame, nw.DataFrame | nw.LazyFrame)


def columns_of(
    source: Any,
    names: Sequence[str],
    text: Collection[str] = (),
    missing: Collection[str] = (),
) -> dict[str, NDArray[Any]]:
    """Load the named columns of a table, or of a list of records, as they are.

    Parameters
    ----------
    source : frame, Table, path, mapping or list of records
    names : sequence of str
    text : collection of str
        Columns of a CSV file that stay text, even where they look like numbers.
    missing : collection of str
        Texts that mean missing, in a CSV file.

    Returns
    -------
    dict of str to ndarray
        None or NaN where a value is missing.
    """
    if isinstance(source, Table):
        decoded = source.to_dict()
        check_names(names, source.names)
        return {name: decoded[name] for name in names}
    if isinstance(source, list | tuple):
        return _transposed(source, names)
    opened = open_source(source, missing, text)
    check_distinct(opened.names)
    check_names(names, opened.names)
    return {name: _values(opened.load(opened.names.index(name))) for name in names}


def count_rows(source: Any) -> int:
    """How many records there are, even where they have no column at all.

    Examples
    --------
    >>> count_rows([{}, {}]), count_rows({"age": [30, 41, 52]})
    (2, 3)
    """
    if isinstance(source, Table | list | tuple | np.ndarray):
        return len(source)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return len(source)  # a model is asked often, mostly about such frames
    if not isinstance(source, str | os.PathLike | Mapping):
        frame = nw.from_native(source, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return len(frame)
    names = column_names(source)[:1]
    return len(columns_of(source, names)[names[0]]) if names else 0


def column_names(source: Any) -> tuple[str, ...]:
    """Names of the columns of a table, or of the fields of a list of records."""
    if isinstance(source, Table):
        return source.names
    if isinstance(source, list | tuple):
        _check_records(source)
        return tuple(dict.fromkeys(str(name) for record in source for name in record))
    return open_source(source).names


def _values(column: Column) -> NDArray[Any]:
    if column.positions is None:
        return _filled(column.values)
    entries = np.append(np.asarray(column.values, dtype=object), [None])
    found: NDArray[Any] = entries[column.positions]
    return found


def _filled(values: NDArray[Any]) -> NDArray[Any]:
    """The values of a masked array, None or NaN where one is missing."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not values.mask.any():
        return np.asarray(values.data)
    if values.dtype.kind == "f":
        return np.asarray(values.filled(np.nan))
    filled = np.array(values.data, dtype=object)
    filled[values.mask] = None
    return filled


def _check_records(records: Sequence[Any]) -> None:
    other = sum(not isinstance(record, Mapping) for record in records)
    if other:
        raise DataError(
            f"A list of records must hold mappings of names to values. {other:,} of "
            f"{len(records):,} are something else.\n\nHint: give [{{'age': 40}}], or a frame."
        )


def _transposed(
    records: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> dict[str, NDArray[Any]]:
    _check_records(records)
    columns = {}
    for name in names:
        lacking = sum(name not in record for record in records)
        if lacking:
            raise DataError(
                f"Every record must have the field '{name}'. {lacking:,} of {len(records):,} lack "
                f"it.\n\nHint: give None for a value that is missing."
            )
        values = np.empty(len(records), dtype=object)
        values[:] = [record[name] for record in records]
        columns[name] = values
    return columns

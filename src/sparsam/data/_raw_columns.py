"""Raw columns of new records, before anything is encoded or generalized."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data._columns import Column, check_distinct, open_source
from sparsam.data._names import check_names
from sparsam.data._table import Table


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
    source: Any, names: Sequence[str], text: Collection[str] = ()
) -> dict[str, NDArray[Any]]:
    """Load the named columns of a table, or of a list of records, as they are.

    Parameters
    ----------
    source : frame, Table, path, mapping or list of records
    names : sequence of str
    text : collection of str
        Columns of a CSV file that stay text, even where they look like numbers.

    Returns
    -------
    dict of str to ndarray
    """
    if isinstance(source, Table):
        decoded = source.to_dict()
        check_names(names, source.names)
        return {name: decoded[name] for name in names}
    if isinstance(source, list | tuple):
        return _transposed(source, names)
    opened = open_source(source, text=text)
    check_distinct(opened.names)
    check_names(names, opened.names)
    return {name: _values(opened.load(opened.names.index(name))) for name in names}


def column_names(source: Any) -> tuple[str, ...]:
    """Names of the columns of a table, or of the fields of a list of records."""
    if isinstance(source, Table):
        return source.names
    if isinstance(source, list | tuple):
        return tuple(dict.fromkeys(str(name) for record in source for name in record))
    return open_source(source).names


def _values(column: Column) -> NDArray[Any]:
    if column.positions is None:
        return column.values
    entries = np.append(np.asarray(column.values, dtype=object), [None])
    found: NDArray[Any] = entries[column.positions]
    return found


def _transposed(
    records: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> dict[str, NDArray[Any]]:
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

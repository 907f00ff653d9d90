"""Columns of the user's own frame, kept so that rows of other values can be made of them.

No type is ever guessed: a new column is gathered from values that the user's column held.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data._table import Table
from sparsam.data.source._engine import is_relation
from sparsam.data.source._frame import ArrayFrame
from sparsam.data.source._source import Source, check_distinct, collected, open_source

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

# Values in the type of the user's own column: an array of numpy or pandas, or a narwhals series.
Values = Any
Build = Callable[[Sequence[Values], int], Any]


@dataclass(frozen=True)
class OwnFrame:
    """The user's own columns, and how to make a frame of the same library of others.

    Attributes
    ----------
    native : frame, mapping or ndarray
        The user's frame itself.
    names : tuple of str
        The names of the columns.
    library : str
        The library, in a word.
    column : callable
        Returns the values of the column at a place.
    builder : callable
        Returns, for the places of columns, the function that makes a frame of such columns from
        their values and the number of rows.
    """

    native: Any
    names: tuple[str, ...]
    library: str
    column: Callable[[int], Values]
    builder: Callable[[Sequence[int]], Build]


def open_own(source: Any, text: Collection[str] = ()) -> OwnFrame:
    """Open the user's own frame.

    A file, a DuckDB relation and a `Table` become a pandas frame where pandas is installed, as
    most models that are kept in files were fitted on one, and a dict of arrays elsewhere.

    Parameters
    ----------
    source : path, frame, mapping, ndarray or Table
    text : collection of str
        Columns of a CSV file that stay text.
    """
    if isinstance(source, Source) and not source.in_file:
        source = source.origin
    if is_relation(source) or isinstance(source, Source | str | os.PathLike | Table):
        opened = open_source(source)
        columns = (
            _decoded(source) if isinstance(source, Table) else opened.columns(opened.names, text)
        )
        return _pandas(as_pandas(columns)) if find_spec("pandas") else _mapping(columns)
    if isinstance(source, np.ndarray):
        return _matrix(source)
    if isinstance(source, Mapping):
        return _mapping(source)
    open_source(source)  # refuses what is no frame, and two columns of one name
    frame = nw.from_native(source)
    if isinstance(frame, nw.LazyFrame):
        frame = collected(frame)
    return _pandas(frame.to_native()) if frame.implementation.is_pandas() else _other(frame)


def gather(values: Values, rows: NDArray[Any]) -> Values:
    """Return the values at these rows, in the same type."""
    return values[rows] if isinstance(values, nw.Series) else values.take(rows)


def one_of_each(name: str, values: Values, rows: NDArray[np.int64], plain: Sequence[Any]) -> Values:
    """Return one value of the user's own type for every code.

    Parameters
    ----------
    name : str
        The column, for error messages.
    values : values of a column
    rows : ndarray of int
        For every code a row that holds it, -1 where none does.
    plain : sequence
        For every code its plain value: a code without a row is made of it.
    """
    lacking = {code: plain[code] for code in np.flatnonzero(rows < 0).tolist()}
    return put_values(name, gather(values, np.maximum(rows, 0)), lacking)


def put_values(name: str, values: Values, plain: Mapping[int, Any]) -> Values:
    """Put plain values into a column of the user's own type.

    Parameters
    ----------
    name : str
        The column, for error messages.
    values : values of a column
    plain : mapping of int to value
        What to put where.
    """
    try:
        for place, value in plain.items():
            values = _put(values, place, value)
    except (TypeError, ValueError, OverflowError, NotImplementedError, nw.exceptions.NarwhalsError):
        raise _unfit(name, len(plain)) from None
    return values


def as_pandas(columns: Mapping[Any, Any]) -> Any:
    """Make a pandas frame as pandas itself would read it from a file: NaN where a value is missing.

    Parameters
    ----------
    columns : mapping of names to arrays, lists or series
    """
    import pandas as pd

    series = {}
    for name, values in columns.items():
        tidy = values
        if isinstance(values, np.ndarray) and values.dtype == object:
            gone = np.fromiter((value is None for value in values), bool, len(values))
            tidy = np.where(gone, np.nan, values)
        series[name] = pd.Series(tidy).infer_objects()
    return pd.DataFrame(series)


def _put(values: Values, code: int, plain: Any) -> Values:
    if isinstance(values, nw.Series):
        return _put_series(values, code, plain)
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "U":  # numpy would cut a longer text short
            values = values.astype(np.result_type(values, np.asarray(plain)))
        values[code] = plain
        return values
    known = getattr(values, "categories", None)
    if known is not None:  # intervals and dates go by their names
        plain = next((category for category in known if str(category) == str(plain)), plain)
    values[code] = plain
    return values


def _put_series(series: nw.Series[Any], code: int, plain: Any) -> nw.Series[Any]:
    if series.implementation.is_pyarrow():
        return _put_arrow(series.to_native(), code, plain)
    if series.dtype == nw.Boolean and plain is not None:
        plain = bool(plain)
    put = series.scatter([code], [plain])
    if put.dtype != series.dtype or (put[code] is None and plain is not None):
        raise TypeError
    return put


def _put_arrow(column: Any, code: int, plain: Any) -> nw.Series[Any]:
    import pyarrow as pa

    joined = pa.chunked_array([*column.chunks, pa.array([plain]).cast(column.type)])
    order = np.arange(len(column))
    order[code] = len(column)
    return nw.from_native(joined.unify_dictionaries().take(order), series_only=True)


def _unfit(name: str, lacking: int) -> DataError:
    return DataError(
        f"'{name}' must be of a type that holds every value of its domain. It cannot hold one "
        f"of the {lacking:,} that no row has.\n\nHint: declare only values that the column's "
        "type allows, or change its type."
    )


def _decoded(table: Table) -> dict[str, NDArray[Any]]:
    """The columns of a table, in types that can hold a missing value where one is possible."""
    return {
        attribute.name: attribute.decode(np.append(codes, attribute.n_values))[:-1]
        if attribute.missing
        else attribute.decode(codes)
        for attribute, codes in zip(table.attributes, table.codes.T, strict=True)
    }


def _pandas(frame: Any) -> OwnFrame:
    import pandas as pd

    labels = frame.columns

    def column(place: int) -> Values:
        series = frame.iloc[:, place]
        return series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array

    def builder(places: Sequence[int]) -> Build:
        kept = labels[list(places)]

        def build(columns: Sequence[Values], n_rows: int) -> Any:
            index = pd.RangeIndex(n_rows)  # one for all columns: pandas then aligns none of them
            # pandas would turn an array of objects into a column of texts by itself
            series = {
                place: pd.Series(values, index, dtype=values.dtype, copy=False)
                if values.dtype == object
                else values
                for place, values in enumerate(columns)
            }
            built = pd.DataFrame(series, index=index, copy=False)
            built.columns = kept
            return built

        return build

    names = tuple(str(label) for label in labels)
    return OwnFrame(frame, names, "pandas", column, builder)


def _other(frame: nw.DataFrame[Any]) -> OwnFrame:
    names = tuple(frame.columns)
    backend = frame.implementation
    library: Any = nw.get_native_namespace(frame)

    def builder(places: Sequence[int]) -> Build:
        kept = [names[place] for place in places]

        def build(columns: Sequence[Values], n_rows: int) -> Any:
            named = dict(zip(kept, columns, strict=True))
            if backend.is_pyarrow():  # narwhals would go through it value by value
                return library.table({name: series.to_native() for name, series in named.items()})
            return nw.from_dict(named, backend=backend).to_native()

        return build

    return OwnFrame(
        frame.to_native(), names, str(backend.value), lambda place: frame[names[place]], builder
    )


def _matrix(source: NDArray[Any]) -> OwnFrame:
    names = open_source(source).names

    def builder(places: Sequence[int]) -> Build:
        def build(columns: Sequence[Values], n_rows: int) -> NDArray[Any]:
            matrix = np.empty((n_rows, len(columns)), np.result_type(source.dtype, *columns))
            for place, values in enumerate(columns):
                matrix[:, place] = values
            return matrix

        return build

    return OwnFrame(source, names, "numpy", lambda place: source[:, place], builder)


def _mapping(source: Mapping[Any, Any]) -> OwnFrame:
    keys = list(source)
    names = tuple(str(key) for key in keys)
    check_distinct(names)
    arrays = ArrayFrame({name: source[key] for name, key in zip(names, keys, strict=True)})
    native = {
        name: _mapped(source[key], arrays, name) for name, key in zip(names, keys, strict=True)
    }

    def column(place: int) -> Values:
        values = native[names[place]]
        return nw.from_native(values, series_only=True, pass_through=True)

    def builder(places: Sequence[int]) -> Build:
        kept = [keys[place] for place in places]

        def build(columns: Sequence[Values], n_rows: int) -> dict[Any, Any]:
            return dict(zip(kept, map(_native, columns), strict=True))

        return build

    return OwnFrame(native, names, "mapping", column, builder)


def _mapped(values: Any, arrays: ArrayFrame, name: str) -> Any:
    series = nw.from_native(values, series_only=True, pass_through=True)
    return values if isinstance(series, nw.Series) else arrays.column(name).values


def _native(values: Values) -> Any:
    return values.to_native() if isinstance(values, nw.Series) else values

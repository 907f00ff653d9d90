"""The columns of whatever the user hands over, one at a time, as numpy arrays."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data._table import duplicates
from sparsam.data.source._engine import is_relation
from sparsam.data.source._worded import unreadable_column, unreadable_frame, worded

_EXPECTED = (
    "A table must be a pandas, polars, pyarrow or DuckDB frame, a mapping of names to columns, "
    "a two-dimensional array, or the path of a CSV or Parquet file."
)


@dataclass(frozen=True, repr=False)
class Column:
    """One column as it came.

    Attributes
    ----------
    name : str
        Its name.
    values : ndarray
        One value per row, or the dictionary that `positions` points into.
    positions : ndarray or None
        For a column that came with a dictionary: the entry of every row, -1 for missing.
    categorical : bool
        Whether the source says that the values are categories.
    order : tuple or None
        All categories in the order that the source gives them.
    ordered : bool
        Whether that order means something.
    """

    name: str
    values: NDArray[Any]
    positions: NDArray[Any] | None = None
    categorical: bool = False
    order: tuple[Any, ...] | None = None
    ordered: bool = False


@dataclass(frozen=True)
class Source:
    """The names of the columns, and how to load the one at a position."""

    names: tuple[str, ...]
    load: Callable[[int], Column]


def open_source(
    source: Any,
    missing: Collection[str] = (),
    text: Collection[str] = (),
    *,
    any_text: bool = False,
) -> Source:
    """Look at what the user hands over without loading the columns.

    Parameters
    ----------
    source : path, frame, mapping or ndarray
        See `read`.
    missing : collection of str
        Texts that mean missing: in a file they must not turn a column of numbers into text.
    text : collection of str
        Columns of a CSV file that stay text, even where they look like numbers.
    any_text : bool, default=False
        Whether a text of a pyarrow column that is not in UTF-8 is read too, with a mark for what
        cannot be; if not, it is an error.
    """
    if isinstance(source, (str, os.PathLike)):
        from sparsam.data.source._files import open_file

        return open_file(source, missing, text)
    if isinstance(source, np.ndarray):
        return _array(source)
    if isinstance(source, Mapping):
        return _mapping(source)
    if is_relation(source):
        from sparsam.data.source._files import open_relation

        return open_relation(source)
    return _frame(source, any_text)


def check_distinct(names: Collection[str]) -> None:
    """Refuse column names that occur more than once."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise duplicates(twice)


def to_array(values: Any) -> NDArray[Any]:
    """Return a sequence as an array without changing the type of any value in it."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, (list, tuple, range)):
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
        return array
    return np.asarray(values)


def series_column(name: str, values: Any) -> Column:
    """Return a column from a series of any library, or from a sequence."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _series(name, series)
    return Column(name, to_array(values))


def _array(source: NDArray[Any]) -> Source:
    if source.ndim != 2:
        raise DataError(f"{_EXPECTED} Got an array with {source.ndim} dimensions.")
    names = tuple(f"x{i}" for i in range(source.shape[1]))
    return Source(names, lambda i: Column(names[i], source[:, i]))


def _mapping(source: Mapping[Any, Any]) -> Source:
    names = tuple(str(name) for name in source)
    columns = list(source.values())

    def load(place: int) -> Column:
        column = series_column(names[place], columns[place])
        if column.values.ndim != 1:
            raise DataError(
                f"'{names[place]}' must be a list of values, one per row. "
                f"Got {column.values.ndim} dimensions instead."
            )
        return column

    return Source(names, load)


def _frame(source: Any, any_text: bool = False) -> Source:
    names = getattr(source, "column_names", None)  # pyarrow
    if names is None and not hasattr(source, "collect_schema"):
        names = getattr(source, "columns", None)
    if names is not None:
        check_distinct([str(name) for name in names])
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = collected(frame)
    if not isinstance(frame, nw.DataFrame):
        raise DataError(f"{_EXPECTED} Got a {type(source).__name__} instead.")
    eager = frame
    labels = tuple(str(name) for name in eager.columns)
    return Source(labels, lambda i: _series(labels[i], eager[:, i], any_text))


def collected(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run the query of a lazy frame."""
    return worded(frame.collect, unreadable_frame)


def _series(name: str, series: nw.Series[Any], any_text: bool = False) -> Column:
    def wording(error: Exception) -> DataError:
        return unreadable_column(name, error)

    try:
        return worded(lambda: _converted(name, series), wording)
    except DataError:
        if not any_text:
            raise
    return worded(lambda: Column(name, _any_text(series.to_arrow())), wording)


def _any_text(column: Any) -> NDArray[Any]:
    """Decode the texts of a pyarrow column one by one, whatever bytes they are."""
    if hasattr(column, "combine_chunks"):
        column = column.combine_chunks()
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    found = column.cast("binary").to_pylist()
    return to_array([None if text is None else text.decode(errors="replace") for text in found])


def _converted(name: str, series: nw.Series[Any]) -> Column:
    if series.dtype in (nw.Categorical, nw.Enum):
        if series.implementation.is_pandas_like():
            return _pandas_categorical(name, series.to_native())
        values = series.cast(nw.String).to_numpy()
        order = tuple(series.dtype.categories) if isinstance(series.dtype, nw.Enum) else None
        return Column(name, values, categorical=True, order=order)
    if series.dtype.is_nested():
        return Column(name, np.array(series.to_list() or [None], dtype=object))
    return Column(name, series.to_numpy())


def _pandas_categorical(name: str, series: Any) -> Column:
    categories = series.cat.categories.to_numpy(dtype=object)
    simple = all(isinstance(c, (str, int, float, np.bool_, np.number)) for c in categories)
    if not simple:  # intervals, dates: their names are the categories
        categories = np.array([str(c) for c in categories], dtype=object)
    ordered = bool(series.cat.ordered)
    return Column(
        name,
        categories,
        positions=series.cat.codes.to_numpy(),
        categorical=True,
        order=tuple(categories) if ordered else None,
        ordered=ordered,
    )

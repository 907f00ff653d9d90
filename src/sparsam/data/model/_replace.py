"""Put other values into the columns of a frame, in the types that the columns have."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._lazy import LazyModule

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

_MISSING_TYPES = frozenset({"NAType", "NaTType"})


@dataclass(frozen=True, repr=False)
class Replacement:
    """The new values of one column: few distinct ones, and which of them each row has.

    Parameters
    ----------
    values : sequence of str, int, float, bool or None
    index : ndarray of int
        For each row the position of its value.
    """

    values: Sequence[Any]
    index: NDArray[np.intp]

    def used(self) -> Replacement:
        """Leave out the values that no row has."""
        counts = np.bincount(self.index, minlength=len(self.values))
        place = np.cumsum(counts > 0) - 1
        kept = [value for value, count in zip(self.values, counts, strict=True) if count]
        return Replacement(kept, place[self.index])

    def array(self) -> NDArray[Any]:
        """Return the value of each row, in the narrowest plain type of numpy.

        Examples
        --------
        >>> Replacement([1, None], np.array([0, 1])).array()
        array([ 1., nan])
        """
        rows: NDArray[Any] = natural(self.values)[self.index]
        return rows


def replace_columns(
    source: Any, new: Mapping[str, Replacement], keep: Sequence[str] = (), *, typed: bool = True
) -> Any:
    """Make a frame of the same library with other values in some of its columns.

    A column keeps its type unless the type cannot hold a new value: no value is ever changed to
    fit. Rows keep their order and pandas its index.

    Parameters
    ----------
    source : pandas, polars or pyarrow frame, or mapping of arrays
    made : mapping of str to Replacement
        Columns that the source lacks are added after the one before them in this mapping.
    keep : sequence of str, default=()
        Columns to pass through as they are; all others are dropped.
    typed : bool, default=True
        Whether columns keep their places and types; if not, the new ones come first, in the order
        and in the plain types of `made`.

    Returns
    -------
    frame

    Examples
    --------
    >>> rows = {"age": np.array([30, 41], np.int8), "name": ["x", "y"]}
    >>> replace_columns(rows, {"age": Replacement([20, 40], np.array([0, 1]))})
    {'age': array([20, 40], dtype=int8)}
    """
    if isinstance(source, Mapping):
        names = _order(list(source), new, keep) if typed else [*new, *keep]
        return {
            name: _numpy(source.get(name) if typed else None, new[name])
            if name in new
            else source[name]
            for name in names
        }
    frame = nw.from_native(source, eager_only=True)
    names = _order(frame.columns, new, keep) if typed else [*new, *keep]
    return _rebuild(frame, new, names, set(frame.columns) if typed else set())


def without_unused(source: Any) -> Any:
    """Return the same frame without categories that no row has: a file would list them.

    Parameters
    ----------
    source : pandas, polars or pyarrow frame, or mapping of arrays
    """
    if isinstance(source, Mapping):
        return source
    frame = nw.from_native(source, eager_only=True)
    native, library = frame.to_native(), nw.get_native_namespace(frame)
    if frame.implementation.is_pandas():
        for place, dtype in enumerate(native.dtypes):
            if isinstance(dtype, library.CategoricalDtype):
                used = native.iloc[:, place].cat.remove_unused_categories()
                native.isetitem(place, used)
    elif frame.implementation.is_polars():
        for place, column in enumerate(native.iter_columns()):
            if column.dtype == library.Enum:
                seen = set(column.cast(library.String).drop_nulls().unique().to_list())
                used = [level for level in column.dtype.categories.to_list() if level in seen]
                native = native.replace_column(place, column.cast(library.Enum(used)))
    elif frame.implementation.is_pyarrow():
        for place, field in enumerate(native.schema):
            if library.types.is_dictionary(field.type):
                native = native.set_column(place, field.name, _used_levels(library, native[place]))
    return native


def _used_levels(library: Any, column: Any) -> Any:
    """Return a dictionary column of pyarrow with the levels that occur, in their order."""
    whole = column.unify_dictionaries().combine_chunks()
    codes = whole.indices.cast("int64").fill_null(-1).to_numpy()
    used = np.unique(codes[codes >= 0])
    place = np.full(len(whole.dictionary) + 1, -1, np.int64)
    place[used] = np.arange(len(used))
    rows = place[codes]
    index = library.array(rows, mask=rows < 0).cast(column.type.index_type)
    return library.DictionaryArray.from_arrays(
        index, whole.dictionary.take(library.array(used)), ordered=column.type.ordered
    )


def _rebuild(
    frame: nw.DataFrame[Any],
    new: Mapping[str, Replacement],
    names: list[str],
    typed: Collection[str],
) -> Any:
    native, library = frame.to_native(), nw.get_native_namespace(frame)
    build: Callable[..., Any] | None = None
    if frame.implementation.is_pandas():
        build = _pandas
    elif frame.implementation.is_polars():
        build = _polars
    elif frame.implementation.is_pyarrow():
        build = _arrow
    if build is None:
        plain = {name: new[name].array() if name in new else frame[name] for name in names}
        return nw.from_dict(plain, backend=frame.implementation).to_native()
    columns = {
        name: build(library, name, native[name] if name in typed else None, new[name])
        if name in new
        else native[name]
        for name in names
    }
    if build is _pandas:
        return library.DataFrame(columns, index=native.index, copy=False)
    return library.DataFrame(columns) if build is _polars else library.table(columns)


def _order(names: Sequence[str], new: Mapping[str, Replacement], keep: Iterable[str]) -> list[str]:
    """Keep the places of columns; a new one comes after the one before it in `made`."""
    kept = set(keep)
    order = [name for name in names if name in new or name in kept]
    present, place = set(order), 0
    for name in new:
        if name not in present:
            order.insert(place, name)
        place = order.index(name) + 1
    return order


def natural(values: Sequence[Any]) -> NDArray[Any]:
    """Return values as the narrowest plain array: whole numbers, numbers, truth values or objects.

    Examples
    --------
    >>> natural([1, 2.5]), natural([True, None])
    (array([1. , 2.5]), array([True, None], dtype=object))
    """
    kinds = {type(value) for value in values if value is not None}
    holes = any(value is None for value in values)
    if kinds and kinds <= {int, float}:
        whole = kinds == {int} and not holes and all(abs(value) < 2**63 for value in values)
        return np.asarray(values, np.int64 if whole else np.float64)
    if kinds == {bool} and not holes:
        return np.asarray(values, bool)
    objects = np.empty(len(values), object)
    objects[:] = list(values)
    return objects


def _numpy(like: Any, new: Replacement) -> NDArray[Any]:
    if not isinstance(like, np.ndarray):
        return new.array()
    few = new.used()
    if like.dtype == object:
        rows: NDArray[Any] = _objects(few.values, like)[few.index]
        return rows
    built = _fitting(few.values, lambda v: np.array(v, like.dtype), np.ndarray.tolist)
    return few.array() if built is None else np.asarray(built[few.index])


def _objects(values: Sequence[Any], like: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return values as objects, missing as the column has it: None, NaN or another mark."""
    hole = None
    if any(value is None for value in values):
        hole = next((cell for cell in like if _same(None, cell)), None)
    objects = np.empty(len(values), object)
    objects[:] = [hole if value is None else value for value in values]
    return objects


def _fitting(
    values: Sequence[Any], build: Callable[[list[Any]], Any], read: Callable[[Any], list[Any]]
) -> Any:
    """Build a small column of the wanted type, or None where the values would not come back."""
    try:
        built = build(list(values))
        back = read(built)
    except (TypeError, ValueError, OverflowError):  # what each library raises for a misfit
        return None
    return built if all(map(_same, values, back)) else None


def _same(value: Any, back: Any) -> bool:
    if value is None:
        gone = type(back).__name__ in _MISSING_TYPES
        return back is None or gone or (isinstance(back, float) and math.isnan(back))
    if isinstance(value, bool) != isinstance(back, bool):
        return False
    if isinstance(value, int | float) and isinstance(back, float):
        return math.isclose(value, back, rel_tol=1e-3)  # a short float rounds
    return bool(value == back)


def _levels(levels: list[Any], values: Sequence[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Add the values that are no level yet, and find the place of each value; -1 is missing."""
    place = {(isinstance(level, bool), level): i for i, level in enumerate(levels)}
    more = []
    for value in values:
        key = (isinstance(value, bool), value)
        if value is not None and key not in place:
            place[key] = len(place)
            more.append(value)
    places = [place.get((isinstance(value, bool), value), -1) for value in values]
    return more, np.asarray(places, np.int64)


def _pandas(library: Any, name: str, column: Any, new: Replacement) -> Any:
    if column is None:
        return new.array()
    few, dtype = new.used(), column.dtype
    if isinstance(dtype, library.CategoricalDtype):
        levels = dtype.categories.tolist()
        more, places = _levels(levels, few.values)
        if more:
            dtype = library.CategoricalDtype([*levels, *more], dtype.ordered)
        return library.Categorical.from_codes(places[few.index], dtype=dtype)
    if str(dtype) == "object":
        objects = _objects(few.values, column.to_numpy())[few.index]
        # as a series, since pandas would turn bare objects into texts by itself
        return library.Series(objects, index=column.index, dtype=object, copy=False)
    built = _fitting(few.values, lambda v: library.Series(v, dtype=dtype), lambda s: s.tolist())
    return few.array() if built is None else built.array.take(few.index)


def _polars(library: Any, name: str, column: Any, new: Replacement) -> Any:
    def build(values: list[Any], dtype: Any) -> Any:
        try:
            return library.Series(name, values, dtype=dtype, strict=True)
        except library.exceptions.PolarsError as error:
            raise ValueError from error

    if column is not None:
        new, dtype = new.used(), column.dtype
        if dtype == library.Enum:
            levels = dtype.categories.to_list()
            more, _ = _levels(levels, new.values)
            dtype = library.Enum([*levels, *map(str, more)]) if more else dtype
        built = _fitting(new.values, lambda v: build(v, dtype), lambda s: s.to_list())
        if built is not None:
            return built.gather(new.index)
    small = natural(new.values)
    kind = None if small.dtype.kind == "O" else library.Series(small).dtype
    built = _fitting(new.values, lambda v: build(v, kind), lambda s: s.to_list())
    return _found(name, built).gather(new.index)


def _arrow(library: Any, name: str, column: Any, new: Replacement) -> Any:
    if column is not None:
        new = new.used()
        if library.types.is_dictionary(column.type):
            return _arrow_dictionary(library, column, new)
        built = _fitting(
            new.values, lambda v: library.array(v, type=column.type), lambda a: a.to_pylist()
        )
        if built is not None:
            return built.take(library.array(new.index))
    small = natural(new.values)
    kind = None if small.dtype.kind == "O" else library.from_numpy_dtype(small.dtype)
    built = _fitting(new.values, lambda v: library.array(v, type=kind), lambda a: a.to_pylist())
    return _found(name, built).take(library.array(new.index))


def _arrow_dictionary(library: Any, column: Any, few: Replacement) -> Any:
    whole = column.unify_dictionaries().combine_chunks()
    levels = whole.dictionary.to_pylist()
    more, places = _levels(levels, few.values)
    dictionary = library.array([*levels, *more], type=column.type.value_type)
    kind = column.type.index_type
    if more and len(levels) + len(more) > 127:
        kind = library.int32()
    rows = places[few.index]
    index = library.array(rows, mask=rows < 0).cast(kind)
    return library.DictionaryArray.from_arrays(index, dictionary, ordered=column.type.ordered)


def _found(name: str, built: Any) -> Any:
    if built is None:
        msg = (
            f"The new values of '{name}' must be of one type: a column of this library holds "
            "text, numbers or truth values, and not several of them."
        )
        raise DataError(msg)
    return built

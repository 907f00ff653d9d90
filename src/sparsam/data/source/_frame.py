"""Columns of any eager frame library as plain arrays, and plain arrays as columns again.

Everything that applying a generalization needs of pandas, polars, pyarrow or a mapping of arrays is
here; frames that live in an engine are in `lazy`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data._factor import Factored, factorise
from sparsam.data.source._engine import unreadable_column, worded
from sparsam.data.source.lazy import LazyFrame, open_lazy

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

P = ParamSpec("P")
T = TypeVar("T")

Kind = Literal["number", "text", "truth", "date", "time", "levels", "objects", "nothing", "other"]
Numbers = tuple[NDArray[Any], NDArray[np.bool_] | None]
Recoded = Mapping[str, tuple[NDArray[Any], Sequence[str] | None]]


def _worded_column(
    method: Callable[Concatenate[SeriesColumn, P], T],
) -> Callable[Concatenate[SeriesColumn, P], T]:
    """Word the errors of a method that reads the values of a column."""

    @wraps(method)
    def call(column: SeriesColumn, /, *args: P.args, **options: P.kwargs) -> T:
        return worded(
            lambda: method(column, *args, **options),
            lambda error: unreadable_column(str(column.series.name), error),
        )

    return call


@dataclass(frozen=True)
class SeriesColumn:
    """One column of an eager frame.

    Parameters
    ----------
    series : narwhals Series
    """

    series: nw.Series[Any]

    def __len__(self) -> int:
        return len(self.series)

    @cached_property
    def _holes(self) -> int:
        return int(self.series.null_count())

    @cached_property
    def kind(self) -> Kind:
        """What the values are: numbers, text, dates, levels, Python objects, nothing and so on."""
        dtype = self.series.dtype
        if self._holes == len(self):
            return "nothing"
        if dtype.is_numeric():
            return "number"
        if dtype == nw.Boolean:
            return "truth"
        if dtype == nw.String:
            return "text"
        if dtype in (nw.Categorical, nw.Enum):
            return "text" if self.series.implementation.is_polars() else "levels"
        if dtype in (nw.Date, nw.Datetime):
            return "date"
        if dtype == nw.Time:
            return "time"
        return "objects" if dtype == nw.Object else "other"

    def _mask(self) -> NDArray[np.bool_] | None:
        return np.asarray(self.series.is_null().to_numpy(), bool) if self._holes else None

    @_worded_column
    def numbers(self) -> Numbers:
        """Return the numbers, and a mask of the missing ones where NaN does not mark them."""
        series = self.series
        if not series.dtype.is_integer():
            series = series if series.dtype == nw.Float32 else series.cast(nw.Float64)
            filled = series.fill_null(float("nan")) if self._holes else series
            return filled.to_numpy().astype(np.float64, copy=False), None
        if series.dtype in (nw.Int128, nw.UInt128):
            series = series.cast(nw.Float64)
        filled = series.fill_null(0) if self._holes else series
        return filled.to_numpy(), self._mask()

    @_worded_column
    def moments(self) -> NDArray[np.float64]:
        """Return dates as days since 1970-01-01, times of day as minutes; NaN is missing."""
        return _numbers(factorise(str(self.series.name), wall_clock(self.series).to_numpy()))

    @_worded_column
    def truths(self) -> NDArray[np.uint8]:
        """Return 0 for false, 1 for true and 2 for missing."""
        filled = self.series.fill_null(value=False) if self._holes else self.series
        return _with_missing(filled.to_numpy().astype(np.uint8), self._mask(), 2)

    @_worded_column
    def places(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the position in `texts`, or its length when unseen, one more when missing."""
        if self.series.implementation.is_polars():
            places = _polars_places(self.series.to_native(), texts)
        elif find_spec("pyarrow"):
            places = _arrow_places(self.series, texts)
        else:
            known = {text: place for place, text in enumerate(texts)}
            places = np.asarray([known.get(value, len(texts)) for value in self.objects()])
        return _with_missing(places, self._mask(), len(texts) + 1)

    @_worded_column
    def levels(self) -> tuple[list[Any], NDArray[Any]]:
        """Return the levels of a categorical column, and each row's; missing comes after them."""
        native = self.series.to_native()
        if self.series.implementation.is_pyarrow():
            array = native.unify_dictionaries().combine_chunks()
            levels = array.dictionary.to_pylist()
            codes = array.indices.cast("int64").fill_null(len(levels)).to_numpy()
            return levels, codes
        levels = native.cat.categories.tolist()
        codes = native.cat.codes.to_numpy().astype(np.int64)
        return levels, np.where(codes < 0, len(levels), codes)

    @_worded_column
    def objects(self) -> list[Any]:
        """Return the values as Python objects."""
        return self.series.to_list()


@dataclass(frozen=True, repr=False)
class ArrayColumn:
    """One array of a mapping: text is Python objects, and there are no levels.

    Parameters
    ----------
    values : ndarray
    """

    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def kind(self) -> Kind:
        """What the values are."""
        if not len(self):
            return "nothing"
        kinds = {"i": "number", "u": "number", "f": "number", "b": "truth", "M": "date"}
        return kinds.get(self.values.dtype.kind, "objects")  # type: ignore[return-value]

    def numbers(self) -> Numbers:
        """Return the numbers; NaN is missing."""
        floats = self.values.dtype.kind == "f"
        return self.values.astype(np.float64, copy=False) if floats else self.values, None

    def moments(self) -> NDArray[np.float64]:
        """Return dates as days since 1970-01-01; NaN is missing."""
        return _numbers(factorise("", self.values))

    def truths(self) -> NDArray[np.uint8]:
        """Return 0 for false and 1 for true."""
        return self.values.astype(np.uint8)

    def objects(self) -> list[Any]:
        """Return the values as Python objects."""
        return list(self.values)


class EagerFrame:
    """A frame in memory, of pandas, polars, pyarrow or a like library.

    Parameters
    ----------
    frame : narwhals DataFrame
    """

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self._frame = frame
        self.names: tuple[str, ...] = tuple(frame.columns)

    def column(self, name: str) -> SeriesColumn:
        """Return one column."""
        return SeriesColumn(self._frame[name])

    def rebuild(self, recoded: Recoded, keep: Sequence[str]) -> Any:
        """Make a frame of the same library from buckets and from columns to keep."""
        native, implementation = self._frame.to_native(), self._frame.implementation
        library: Any = nw.get_native_namespace(self._frame)
        if implementation.is_pandas():
            return _pandas_frame(library, native, recoded, keep)
        if implementation.is_polars():
            new = [_polars_series(library, name, *pair) for name, pair in recoded.items()]
            return library.DataFrame([*new, *native.select(keep).get_columns()])
        if implementation.is_pyarrow():
            arrays = {name: _arrow_array(library, *pair) for name, pair in recoded.items()}
            arrays.update({name: native[name] for name in keep})
            return library.table(arrays) if arrays else native.select([])
        values = {name: labelled(*pair) for name, pair in recoded.items()}
        columns = {**values, **{name: self._frame[name] for name in keep}}
        return nw.from_dict(columns, backend=implementation).to_native()


class ArrayFrame:
    """A mapping of names to arrays.

    Parameters
    ----------
    columns : mapping of str to array
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = columns
        self.names: tuple[str, ...] = tuple(columns)

    def column(self, name: str) -> ArrayColumn:
        """Return one column."""
        values = self._columns[name]
        if not isinstance(values, np.ndarray):
            values = np.asarray(values, dtype=_array_type(values))
        if values.ndim != 1:
            raise DataError(f"'{name}' must be a list of values. Got {values.ndim} dimensions.")
        return ArrayColumn(values)

    def rebuild(self, recoded: Recoded, keep: Sequence[str]) -> dict[str, Any]:
        """Make a dict from buckets and from columns to keep."""
        new: dict[str, Any] = {name: labelled(*pair) for name, pair in recoded.items()}
        return {**new, **{name: self._columns[name] for name in keep}}


def open_frame(source: Any) -> EagerFrame | LazyFrame | ArrayFrame:
    """Recognise a frame of any supported library.

    Parameters
    ----------
    source : frame, DuckDB relation or mapping of arrays

    Returns
    -------
    EagerFrame, LazyFrame or ArrayFrame

    Raises
    ------
    DataError
        It is none of these, or two columns share a name.
    """
    if isinstance(source, Mapping):
        return ArrayFrame(source)
    try:
        frame = nw.from_native(source)
    except TypeError:
        msg = (
            "A pandas, polars or pyarrow frame, a DuckDB relation, a Table or a mapping of arrays "
            f"was expected. Got {type(source).__name__} instead."
        )
        raise DataError(msg) from None
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"Every column must have a name of its own. {error}") from None
    return open_lazy(frame) if isinstance(frame, nw.LazyFrame) else EagerFrame(frame)


def labelled(codes: NDArray[Any], labels: Sequence[str] | None) -> NDArray[Any]:
    """Return the labels of the buckets, or the bucket numbers where there are none."""
    if labels is None:
        return codes.astype(np.uint16, copy=False)
    texts = np.empty(len(labels), object)
    texts[:] = labels
    rows: NDArray[Any] = texts[codes]
    return rows


def _array_type(values: Any) -> type[object] | None:
    """Let numpy find the type of numbers only: it would turn None and 1 among text into text."""
    kinds = {type(value) for value in values}
    return None if kinds and (kinds <= {int, float} or kinds == {bool}) else object


def wall_clock(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return moments that know their time zone as the date and time that a clock there shows."""
    if isinstance(series.dtype, nw.Datetime) and series.dtype.time_zone is not None:
        return series.dt.replace_time_zone(None)
    return series


def _numbers(moments: Factored) -> NDArray[np.float64]:
    values = np.append(moments.values.astype(np.float64), np.nan)
    rows: NDArray[np.float64] = values[moments.codes]
    return rows


def _with_missing(
    codes: NDArray[Any], mask: NDArray[np.bool_] | None, missing: int
) -> NDArray[Any]:
    if mask is None:
        return codes
    if missing > np.iinfo(codes.dtype).max:
        codes = codes.astype(np.int64)
    return np.where(mask, codes.dtype.type(missing), codes)


def _polars_places(native: Any, texts: Sequence[str]) -> NDArray[Any]:
    library: Any = nw.get_native_namespace(native)
    codes = native.cast(library.Enum(list(texts)), strict=False).to_physical()
    if len(texts) > 250:  # one byte would not hold the two places after the last
        codes = codes.cast(library.UInt32)
    places: NDArray[Any] = codes.fill_null(len(texts)).to_numpy()
    return places


def _arrow_places(series: nw.Series[Any], texts: Sequence[str]) -> NDArray[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    native = series.to_native() if series.implementation.is_pyarrow() else series.to_arrow()
    if not (pa.types.is_string(native.type) or pa.types.is_large_string(native.type)):
        native = native.cast(pa.large_string())
    codes = pc.index_in(native, value_set=pa.array(texts, type=native.type))
    places: NDArray[Any] = pc.fill_null(codes, len(texts)).to_numpy()
    return places


def _pandas_frame(library: Any, native: Any, recoded: Recoded, keep: Sequence[str]) -> Any:
    columns: dict[str, Any] = {}
    for name, (codes, labels) in recoded.items():
        if labels is None:
            columns[name] = codes.astype(np.uint16, copy=False)
        else:
            columns[name] = library.Categorical.from_codes(codes, categories=list(labels))
    columns.update({name: native[name] for name in keep})
    return library.DataFrame(columns, index=native.index, copy=False)


def _polars_series(
    library: Any, name: str, codes: NDArray[Any], labels: Sequence[str] | None
) -> Any:
    if labels is None:
        return library.Series(name, codes.astype(np.uint16, copy=False))
    dtype = library.Enum(list(labels))
    series = library.Series(name, codes)
    if hasattr(series.cat, "to"):
        return series.cat.to(dtype)
    return series.cast(library.UInt32).cast(dtype)  # polars 1


def _arrow_array(library: Any, codes: NDArray[Any], labels: Sequence[str] | None) -> Any:
    if labels is None:
        return library.array(codes.astype(np.uint16, copy=False))
    index = library.array(codes.astype(np.int8 if len(labels) < 128 else np.int32))
    return library.DictionaryArray.from_arrays(index, library.array(list(labels)))

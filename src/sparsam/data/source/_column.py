"""One column of a table, as its library hands it over, ready to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data.source._engine import unreadable_column, worded
from sparsam.data.source._frame import wall_clock
from sparsam.data.source._loaded import nested

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

_NESTED = {
    **dict.fromkeys(("list", "array"), "lists"),
    **dict.fromkeys(("struct", "map", "union", "variant"), "records"),
}


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
    remark : str
        What was guessed about it, or might be meant otherwise.
    weights : ndarray of int64 or None
        Where equal rows were counted before: how many have each of the values, which all differ.
    in_order : bool
        Whether the rows of such a column ascend or descend, as far as that was found out.
    n_values : int or None
        About how many values such a column has, where those here stand for more.
    """

    name: str
    values: NDArray[Any]
    positions: NDArray[Any] | None = None
    categorical: bool = False
    order: tuple[Any, ...] | None = None
    ordered: bool = False
    remark: str = ""
    weights: NDArray[np.int64] | None = None
    in_order: bool = False
    n_values: int | None = None

    def __len__(self) -> int:
        if self.weights is not None:
            return int(self.weights.sum())
        return len(self.values if self.positions is None else self.positions)

    def objects(self) -> NDArray[Any]:
        """Return one value per row, None or NaN where it is missing."""
        if self.positions is None:
            return filled(self.values)
        entries = np.append(np.asarray(self.values, dtype=object), [None])
        rows: NDArray[Any] = entries[self.positions]
        return rows


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
        return frame_column(name, series)
    return Column(name, to_array(values))


def filled(values: NDArray[Any]) -> NDArray[Any]:
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


def check_flat(name: str, kind: Any) -> None:
    """Refuse a column of DuckDB that holds lists or records."""
    if kind.id in _NESTED:
        raise nested(name, _NESTED[kind.id])


def typed_column(name: str, kind: Any, values: Any) -> Column:
    """Return a column of DuckDB; an ENUM brings the order of its categories."""
    check_flat(name, kind)
    if kind.id == "enum":
        order = tuple(str(category) for category in kind.children[0][1])
        return Column(name, values, categorical=True, order=order)
    if kind.id == "uuid":
        texts = [None if value is None else str(value) for value in values.tolist()]
        return Column(name, np.array(texts, dtype=object))
    return Column(name, values)


def frame_column(name: str, series: nw.Series[Any], any_text: bool = False) -> Column:
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
    cells = column.cast("binary").to_pylist()
    return to_array([None if cell is None else cell.decode(errors="replace") for cell in cells])


def _converted(name: str, series: nw.Series[Any]) -> Column:
    if series.dtype in (nw.Categorical, nw.Enum):
        if series.implementation.is_pandas_like():
            return _pandas_categorical(name, series.to_native())
        values = series.cast(nw.String).to_numpy()
        order = tuple(series.dtype.categories) if isinstance(series.dtype, nw.Enum) else None
        return Column(name, values, categorical=True, order=order)
    if series.dtype.is_nested():
        return Column(name, np.array(series.to_list() or [None], dtype=object))
    return Column(name, wall_clock(series).to_numpy())


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

"""Records in the shape that a model takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import suggestion
from sparsam._errors import DataError, ParameterError, hint
from sparsam._lazy import LazyModule
from sparsam.data.model._own_frame import as_pandas
from sparsam.data.source._source import column_names, columns_of

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")


def select(records: Any, columns: Sequence[str] | None) -> Any:
    """Return the columns that the model wants, in its order, in the records' own library.

    Parameters
    ----------
    records : frame, mapping or ndarray
        An array has no names: it passes as it is.
    columns : sequence of str or None
        All of them where it is None.
    """
    if columns is None or isinstance(records, np.ndarray):
        return records
    wanted = list(columns)
    if isinstance(records, Mapping):
        _check(wanted, [str(name) for name in records])
        return {name: records[name] for name in wanted}
    frame = nw.from_native(records)
    names = frame.collect_schema().names()
    if names == wanted:
        return records
    _check(wanted, names)
    return frame.select(wanted).to_native()


def as_table(records: Any, columns: Sequence[str] | None) -> Any:
    """Return records that scikit-learn can take: a mapping or a bare array gets a frame.

    Parameters
    ----------
    records : frame, mapping or ndarray
    columns : sequence of str or None
        The names of the columns of a bare array, for a model that wants names.
    """
    bare = isinstance(records, np.ndarray)
    if isinstance(records, Mapping):
        if not find_spec("pandas"):
            return _objects(records)
    elif not (bare and columns is not None and find_spec("pandas")):
        return records
    if not bare:
        return as_pandas(records)
    import pandas as pd

    if records.ndim == 2 and columns is not None and records.shape[1] == len(columns):
        return pd.DataFrame(records, columns=list(columns))
    return records


def as_matrix(records: Any, dtype: Any = np.float32) -> NDArray[Any]:
    """Return all columns as one matrix of numbers, NaN where a value is missing.

    Parameters
    ----------
    records : frame, mapping or ndarray
    dtype : numpy type, default=float32

    Examples
    --------
    >>> as_matrix({"age": [30, 41], "member": [True, False]})
    array([[30.,  1.],
           [41.,  0.]], dtype=float32)
    """
    if isinstance(records, np.ndarray):
        names: Sequence[str] = [f"x{place}" for place in range(records.shape[1])]
        raw: Mapping[str, NDArray[Any]] = dict(zip(names, records.T, strict=True))
    else:
        names = column_names(records)
        raw = columns_of(records, names)
    return np.column_stack([numbers_of(name, raw[name], dtype) for name in names])


def numbers_of(name: str, values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Return one column as numbers; text is an error, and so is a missing whole number."""
    text = values.dtype.kind not in "iufbO" or (
        values.dtype == object and any(isinstance(value, str) for value in values)
    )
    if text:
        raise ParameterError(
            f"The model takes numbers only. '{name}' holds something else."
            + hint(
                "give black_box an encoder, a function of the frame that returns the numbers that "
                "the model was trained on",
                "save the model together with what encodes its columns, as a pipeline",
            )
        )
    if values.dtype == object:
        gone = np.array([value is None or value != value for value in values])  # noqa: PLR0124
        values = np.where(gone, np.nan, values).astype(np.float64)
    if np.dtype(dtype).kind in "iu" and values.dtype.kind == "f":
        bad = int((~np.isfinite(values) | (values != np.floor(values))).sum())
        if bad:
            raise DataError(
                f"The model takes whole numbers in '{name}'. Got {bad:,} rows with something else."
            )
    return values.astype(dtype)


def texts_of(name: str, values: NDArray[Any]) -> NDArray[np.object_]:
    """Return one column as texts; a missing one is an error."""
    gone = 0
    if values.dtype == object:
        gone = sum(value is None or value != value for value in values)  # noqa: PLR0124
    elif values.dtype.kind == "f":
        gone = int(np.isnan(values).sum())
    if gone:
        raise DataError(
            f"The model takes texts in '{name}', none of them missing. Got {gone:,} rows without."
            + hint(
                "give black_box an encoder that puts in what the model was trained on",
                "save the model together with what fills its columns, as a pipeline",
            )
        )
    texts = np.empty(len(values), dtype=object)
    texts[:] = [str(value) for value in values.tolist()]
    return texts


def _objects(records: Mapping[Any, Any]) -> NDArray[np.object_]:
    columns = list(records.values())
    matrix = np.empty((len(columns[0]) if columns else 0, len(columns)), dtype=object)
    for place, values in enumerate(columns):
        matrix[:, place] = values
    return matrix


def _check(wanted: Sequence[str], names: Sequence[str]) -> None:
    lacking = [name for name in wanted if name not in names]
    if lacking:
        raise ParameterError(
            f"The records must have every column that the model takes. They lack '{lacking[0]}'"
            f"{f' and {len(lacking) - 1} more' if len(lacking) > 1 else ''}."
            f"{suggestion(lacking[0], names)}"
        )

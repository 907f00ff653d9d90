"""Recode whole frames: raw ones (the minimisation procedure) and generalized ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, Table
from sparsam.data.source import open_frame
from sparsam.data.source._frame import ArrayColumn, ArrayFrame, Column, EagerFrame
from sparsam.data.source._lazy_frame import LazyFrame
from sparsam.generalization._categorical_partition import categorical_partition
from sparsam.generalization._column_slots import column_slots
from sparsam.generalization._document import Partition
from sparsam.generalization._generalization import Generalization
from sparsam.generalization._record import check_columns
from sparsam.generalization._refusal import check_slots


def raw_buckets(
    generalization: Generalization, source: Any, keep: Sequence[str] = ()
) -> NDArray[np.uint16]:
    """Put raw records into buckets.

    Parameters
    ----------
    generalization : Generalization
    source : Table, frame or mapping of arrays
    keep : sequence of str, default=()
        Columns that the source must have too.

    Returns
    -------
    ndarray of uint16, shape (n, n_attributes)
    """
    if isinstance(source, Table):
        check_columns(source.names, keep)
        return generalization.apply_codes(source)

    def read(part: Partition, column: Column | ArrayColumn) -> NDArray[np.unsignedinteger]:
        return check_slots(part.name, column_slots(part, column), part.n_buckets)

    return _matrix(generalization, source, keep, read)


def given_buckets(
    generalization: Generalization, source: Any, given: str, keep: Sequence[str] = ()
) -> NDArray[np.uint16]:
    """Read the buckets of generalized records.

    Parameters
    ----------
    generalization : Generalization
    source : frame or mapping of arrays, or ndarray of codes
    given : {"labels", "codes"}
    keep : sequence of str, default=()
        Columns that the source must have too.

    Returns
    -------
    ndarray of uint16, shape (n, n_attributes)
    """
    if isinstance(source, np.ndarray):
        return check_codes(generalization, source)
    read = _by_label if given == "labels" else _by_number
    return _matrix(generalization, source, keep, read)


def check_codes(generalization: Generalization, codes: NDArray[Any]) -> NDArray[Any]:
    """Raise unless an array holds a bucket of every attribute for every record."""
    width = len(generalization)
    if codes.ndim != 2 or codes.shape[1] != width or codes.dtype.kind not in "iu":
        msg = f"Codes must be a matrix of whole numbers with {width} columns, one an attribute."
        raise DataError(msg)
    for column, part in enumerate(generalization):
        _check_numbers(part, codes[:, column])
    return codes


def _check_numbers(part: Partition, numbers: NDArray[Any]) -> None:
    if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < part.n_buckets:
        msg = f"'{part.name}' must hold numbers of buckets, from 0 to {part.n_buckets - 1}."
        raise DataError(msg)


def _matrix(
    generalization: Generalization,
    source: Any,
    keep: Sequence[str],
    read: Callable[[Partition, Column | ArrayColumn], NDArray[Any]],
) -> NDArray[np.uint16]:
    frame = open_frame(source)
    if isinstance(frame, LazyFrame):
        msg = (
            "A recoding is applied to frames in memory. Got one that lives in an engine."
            "\n\nHint: Collect it first, or apply the generalization, which stays lazy."
        )
        raise DataError(msg)
    check_columns(frame.names, [*generalization.collected, *keep])
    codes = np.zeros((_n_rows(frame, source), len(generalization)), np.uint16, order="F")
    for place, part in enumerate(generalization):
        if not part.collected:
            continue
        column = frame.column(part.name)
        if len(column) != len(codes):
            msg = f"All columns must have the same number of rows. '{part.name}' has another."
            raise DataError(msg)
        codes[:, place] = read(part, column)
    return codes


def _n_rows(frame: EagerFrame | ArrayFrame, source: Any) -> int:
    if isinstance(source, Mapping):
        return len(frame.column(frame.names[0])) if frame.names else 0
    if hasattr(source, "num_rows"):  # pyarrow: len() is right too, but not in every version
        return int(source.num_rows)
    return len(source)


def _by_label(part: Partition, column: Column | ArrayColumn) -> NDArray[np.unsignedinteger]:
    domain = CategoricalDomain(part.labels)
    labels = categorical_partition(part.name, domain, [[label] for label in part.labels])
    slots = column_slots(labels, column)
    other = int(np.count_nonzero(slots >= part.n_buckets))
    if other:
        msg = (
            f"'{part.name}' must hold labels of buckets. {other:,} of {len(slots):,} values are "
            "none.\n\nHint: Generalise the records first, or use `apply` for raw ones."
        )
        raise DataError(msg)
    return slots


def _by_number(part: Partition, column: Column | ArrayColumn) -> NDArray[Any]:
    if column.kind == "nothing" and not len(column):
        return np.empty(0, np.uint16)
    numbers, missing = column.numbers() if column.kind == "number" else (np.full(1, -1), None)
    whole = numbers.dtype.kind in "iu" or bool(np.all(np.mod(numbers, 1) == 0))
    if not whole or missing is not None:
        numbers = np.full(1, -1)
    _check_numbers(part, numbers)
    return numbers.astype(np.uint16)


def kept_columns(generalization: Generalization, keep: str | Iterable[str]) -> list[str]:
    """Return the columns to keep; none of them may be an attribute of the recoding."""
    kept = [keep] if isinstance(keep, str) else list(keep)
    for name in kept:
        if name in generalization:
            msg = f"'{name}' is recoded and must not be kept as it is. Take it out of `keep`."
            raise ParameterError(msg)
    return kept


def check_given(given: str) -> None:
    """Raise unless the input is one of the two kinds."""
    if given not in ("labels", "codes"):
        msg = f"The 'input' parameter must be 'labels' or 'codes'. Got {given!r} instead."
        raise ParameterError(msg)

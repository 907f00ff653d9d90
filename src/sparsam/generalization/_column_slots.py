"""The buckets of a whole column, by lookup tables over what the column holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source._frame import ArrayColumn, Column
from sparsam.generalization._categorical_partition import CategoricalPartition
from sparsam.generalization._document import Partition
from sparsam.generalization._refusal import WRONG_TYPE, slot_type

Slots = NDArray[np.unsignedinteger]
_LARGEST_TABLE = 2**17


def column_slots(partition: Partition, column: Column | ArrayColumn) -> Slots:
    """Return the slot of every value: its bucket, or a reason why it has none.

    Parameters
    ----------
    partition : Partition
    column : Column or ArrayColumn

    Returns
    -------
    ndarray of uint8 or uint16
    """
    kind, dtype = column.kind, slot_type(partition.n_buckets)
    if kind == "nothing":
        return np.full(len(column), partition.slot(None), dtype)
    if kind == "number":
        return number_slots(partition, *column.numbers())
    if kind == "levels" and isinstance(column, Column):
        levels, rows = column.levels()
        return _slots_of(partition, [*levels, None], rows)
    if kind == "objects":
        return np.asarray(list(map(partition.slot, column.objects())), dtype)
    if kind == "truth":
        return _slots_of(partition, [False, True, None], column.truths())
    if (
        kind == "text"
        and isinstance(column, Column)
        and isinstance(partition, CategoricalPartition)
    ):
        return _text_slots(partition, column)
    return np.full(len(column), partition.n_buckets + WRONG_TYPE, dtype)


def _text_slots(partition: CategoricalPartition, column: Column) -> Slots:
    texts, slots = partition.text_slots()
    return np.take(slots, column.places(texts))


def _slots_of(partition: Partition, values: list[Any], rows: NDArray[Any]) -> Slots:
    slots = np.asarray([partition.slot(value) for value in values], slot_type(partition.n_buckets))
    return np.take(slots, rows)


def number_slots(
    partition: Partition, values: NDArray[Any], missing: NDArray[np.bool_] | None
) -> Slots:
    """Return the slot of every number.

    Parameters
    ----------
    partition : Partition
    values : ndarray of integers or float64
        NaN is missing.
    missing : ndarray of bool or None
        More missing values.

    Returns
    -------
    ndarray of uint8 or uint16
    """
    if values.dtype.kind not in "iu":
        slots = partition.number_slots(values)
    else:
        slots = _integer_slots(partition, values)
    if missing is not None:
        slots[missing] = partition.slot(None)
    return slots


def _integer_slots(partition: Partition, values: NDArray[Any]) -> Slots:
    """Look integers up in a table of their whole range, which is small as a rule."""
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if not values.size:
        return np.empty(0, slot_type(partition.n_buckets))
    if values.dtype.itemsize <= 2:  # no need to find the range: every integer has an entry
        unsigned = np.dtype(f"u{values.dtype.itemsize}")
        every = np.arange(np.iinfo(unsigned).max + 1).astype(unsigned)
        return np.take(_table(partition, every.view(values.dtype)), values.view(unsigned))
    low, high = int(values.min()), int(values.max())
    if high - low >= _LARGEST_TABLE:
        return partition.number_slots(values.astype(np.float64))
    lowest = values.dtype.type(low)
    every = np.arange(high - low + 1).astype(values.dtype) + lowest
    places = (values - lowest).astype(np.intp, copy=False)
    slots: Slots = np.take(_table(partition, every), places)
    return slots


def _table(partition: Partition, integers: NDArray[Any]) -> Slots:
    return partition.number_slots(integers.astype(np.float64))

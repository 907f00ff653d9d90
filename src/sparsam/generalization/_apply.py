"""Generalise a whole frame: the same type comes out, with the collected attributes only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice
from sparsam._errors import DataError, ParameterError
from sparsam.data import NumericDomain, Table, ages
from sparsam.data.source import (
    ArrayColumn,
    ArrayFrame,
    EagerFrame,
    LazyFrame,
    SeriesColumn,
    Source,
    labelled,
    open_frame,
)
from sparsam.generalization._partition import CategoricalPartition, NumericPartition, Partition
from sparsam.generalization._partition_base import WRONG_TYPE, check_slots, slot_type
from sparsam.generalization._plans import check_refused, column_plans, kinds_of, labels_of

if TYPE_CHECKING:
    from sparsam.generalization._generalization import Generalization


def apply(
    generalization: Generalization, source: Any, keep: str | Iterable[str], output: str
) -> Any:
    """Generalise a frame, a mapping of arrays or a table.

    Parameters
    ----------
    generalization : Generalization
    source : frame
    keep : str or iterable of str
    output : {"labels", "codes"}

    Returns
    -------
    frame
    """
    check_output(output)
    kept = [keep] if isinstance(keep, str) else list(keep)
    _check_kept(generalization, kept)
    partitions = [part for part in generalization.partitions if part.collected]
    needed = [*(part.name for part in partitions), *kept]
    if isinstance(source, Table):
        check_columns(source.names, needed)
        return _apply_table(source, partitions, kept, output)
    frame = open_frame(source)
    check_columns(frame.names, needed)
    if isinstance(frame, LazyFrame):
        return _apply_lazily(frame, partitions, kept, output)
    return _apply_eagerly(frame, partitions, kept, output)


def _check_kept(generalization: Generalization, keep: Sequence[str]) -> None:
    for name in keep:
        if name in generalization:
            msg = f"'{name}' is generalised and must not be kept as it is. Take it out of `keep`."
            raise ParameterError(msg)


def _apply_table(
    table: Table, partitions: list[Partition], keep: list[str], output: str
) -> dict[str, NDArray[Any]]:
    recoded: dict[str, NDArray[Any]] = {}
    for part in partitions:
        codes = part.lookup(table.attribute(part.name))[table.column(part.name)]
        recoded[part.name] = labelled(codes, labels_of(part, output))
    kept = {name: table.attribute(name).decode(table.column(name)) for name in keep}
    return {**recoded, **kept}


def _apply_eagerly(
    frame: EagerFrame | ArrayFrame, partitions: list[Partition], keep: list[str], output: str
) -> Any:
    recoded: dict[str, tuple[NDArray[np.unsignedinteger], tuple[str, ...] | None]] = {}
    for part in partitions:
        slots = column_slots(part, frame.column(part.name))
        buckets = check_slots(part.name, slots, part.n_buckets)
        recoded[part.name] = buckets, labels_of(part, output)
    return frame.rebuild(recoded, keep)


def _apply_lazily(
    frame: LazyFrame, partitions: list[Partition], keep: list[str], output: str
) -> Any:
    plans = column_plans(partitions, frame, output)
    check_refused(plans, frame.refused(plans))
    return frame.rebuild(plans, keep)


class AppliedInPlace(NamedTuple):
    """Rows of a file or a database, generalized where they are.

    Attributes
    ----------
    relation : DuckDB relation
    remarks : mapping of str to str
        What was guessed about columns.
    """

    relation: Any
    remarks: Mapping[str, str]


def apply_in_place(
    generalization: Generalization,
    source: Source,
    keep: Sequence[str],
    output: str,
    text: Collection[str] = (),
) -> AppliedInPlace | None:
    """Generalise the rows of a file or a database where they are.

    Parameters
    ----------
    generalization : Generalization
    source : Source
    keep : sequence of str
    output : {"labels", "codes"}
    text : collection of str
        Columns of a CSV file that stay text.

    Returns
    -------
    AppliedInPlace or None
        None where rows are in memory, or must come home to be read, such as dates that are texts.
    """
    check_output(output)
    _check_kept(generalization, keep)
    partitions = [part for part in generalization.partitions if part.collected]
    names = [*(part.name for part in partitions), *keep]
    engine, columns = source.engine, source.in_place(names, text)
    if engine is None or columns is None:
        return None
    engine.keep_within(max(_LEAST_MEMORY, _MEMORY_OF_COLUMN * len(names)))
    frame = columns.frame.called({place: name for name, place in columns.places.items()})
    if not all(frame.kind(part.name) in kinds_of(part) for part in partitions):
        return None
    relation = _apply_lazily(frame, partitions, list(keep), output)
    return AppliedInPlace(relation, columns.remarks)


# What an engine may hold of rows on their way from one file to another.
_LEAST_MEMORY, _MEMORY_OF_COLUMN = 1 << 30, 100 << 20
Slots = NDArray[np.unsignedinteger]
_LARGEST_TABLE = 2**17


def column_slots(partition: Partition, column: SeriesColumn | ArrayColumn) -> Slots:
    """Return the slot of every value: its bucket, or a reason why it has none.

    Parameters
    ----------
    partition : Partition
    column : SeriesColumn or ArrayColumn

    Returns
    -------
    ndarray of uint8 or uint16
    """
    kind, dtype = column.kind, slot_type(partition.n_buckets)
    if kind == "nothing":
        return np.full(len(column), partition.slot(None), dtype)
    if isinstance(partition, NumericPartition) and kind in (partition.domain.unit, "date"):
        return _moment_slots(partition, kind, column)
    if isinstance(partition, NumericPartition) and _one_by_one(partition.domain, kind):
        return _each_slot(partition, column.objects())
    if kind == "number":
        return number_slots(partition, *column.numbers())
    if kind == "levels" and isinstance(column, SeriesColumn):
        levels, rows = column.levels()
        return _slots_of(partition, [*levels, None], rows)
    if kind == "objects":
        return np.asarray(list(map(partition.slot, column.objects())), dtype)
    if kind == "truth":
        return _slots_of(partition, [False, True, None], column.truths())
    if (
        kind == "text"
        and isinstance(column, SeriesColumn)
        and isinstance(partition, CategoricalPartition)
    ):
        return _text_slots(partition, column)
    return np.full(len(column), partition.n_buckets + WRONG_TYPE, dtype)


def _moment_slots(
    partition: NumericPartition, kind: str, column: SeriesColumn | ArrayColumn
) -> Slots:
    domain = partition.domain
    if domain.unit != kind and domain.age_on is None:
        return np.full(
            len(column), partition.n_buckets + WRONG_TYPE, slot_type(partition.n_buckets)
        )
    numbers = column.moments()
    if domain.age_on is not None:
        numbers = ages(domain.age_on, numbers)
    return partition.number_slots(numbers)


def _one_by_one(domain: NumericDomain, kind: str) -> bool:
    """Whether texts are read as dates, or numbers such as 19600131."""
    dated = domain.unit is not None or domain.age_on is not None
    return dated and kind in ("text", "number")


def _each_slot(partition: NumericPartition, values: list[Any]) -> Slots:
    """Look every distinct value up once."""
    slots = {value: partition.slot(value) for value in set(values)}
    return np.asarray([slots[value] for value in values], slot_type(partition.n_buckets))


def _text_slots(partition: CategoricalPartition, column: SeriesColumn) -> Slots:
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


class RecordPlan:
    """What to do with one record, worked out once.

    Parameters
    ----------
    partitions : tuple of Partition
    """

    __slots__ = ("_steps",)

    def __init__(self, partitions: tuple[Partition, ...]) -> None:
        self._steps = [
            (partition.name, partition.bucket, partition.labels)
            for partition in partitions
            if partition.collected
        ]

    def apply(self, record: Mapping[str, Any], output: str) -> dict[str, Any]:
        """Generalise one record.

        Parameters
        ----------
        record : mapping
        output : {"labels", "codes"}

        Returns
        -------
        dict
        """
        check_output(output)
        try:
            if output == "codes":
                return {name: bucket(record[name]) for name, bucket, _ in self._steps}
            return {name: labels[bucket(record[name])] for name, bucket, labels in self._steps}
        except KeyError:
            absent = [name for name, _, _ in self._steps if name not in record]
            msg = (
                f"The record must have every collected attribute. {absent} are absent."
                "\n\nHint: Give None for a missing value."
            )
            raise DataError(msg) from None


def check_columns(names: Iterable[str], needed: Iterable[str]) -> None:
    """Raise unless the data have every column that is needed."""
    known = set(names)
    absent = [name for name in needed if name not in known]
    if absent:
        msg = f"The data must have every collected and every kept column. {absent} are absent."
        raise DataError(msg)


def check_output(output: str) -> None:
    """Raise unless the output is one of the two kinds."""
    check_choice("apply", "output", output, ("labels", "codes"))

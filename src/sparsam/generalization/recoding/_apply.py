"""Recode whole frames: raw ones (the minimisation procedure) and generalized ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice
from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, Table
from sparsam.data.model import Replacement
from sparsam.data.source import (
    ArrayColumn,
    ArrayFrame,
    EagerFrame,
    LazyFrame,
    SeriesColumn,
    open_frame,
)
from sparsam.generalization._apply import check_columns, column_slots
from sparsam.generalization._generalization import Generalization
from sparsam.generalization._partition import Partition, categorical_partition
from sparsam.generalization._partition_base import check_slots
from sparsam.generalization.recoding._tree import Branch, Leaf, Node, Value


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

    def read(part: Partition, column: SeriesColumn | ArrayColumn) -> NDArray[np.unsignedinteger]:
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
        msg = (
            f"Codes must be a matrix of whole numbers with {width} columns, one for each attribute."
        )
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
    read: Callable[[Partition, SeriesColumn | ArrayColumn], NDArray[Any]],
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


def _by_label(part: Partition, column: SeriesColumn | ArrayColumn) -> NDArray[np.unsignedinteger]:
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


def _by_number(part: Partition, column: SeriesColumn | ArrayColumn) -> NDArray[Any]:
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
    check_choice("represent", "input", given, ("labels", "codes"))


_Test = tuple[str, frozenset[int], int, int]
_End = tuple[tuple[tuple[str, tuple[Value, ...]], ...], dict[str, Value]]


class Feed:
    """Which value of an attribute is fed for which bucket in which leaf, worked out once.

    Parameters
    ----------
    generalization : Generalization
    representatives : dict of str to tuple
    nodes : tuple of Branch or Leaf
    """

    def __init__(
        self,
        generalization: Generalization,
        representatives: dict[str, tuple[Value, ...]],
        nodes: tuple[Node, ...],
    ) -> None:
        self._values: dict[str, list[Value]] = {}
        self._own: dict[str, NDArray[np.intp]] = {}
        self._at_leaf: dict[str, NDArray[np.intp]] = {}
        for name in generalization.names:
            known: dict[tuple[bool, Value], int] = {}
            own = [_place(known, value) for value in representatives[name]]
            at_leaf = [
                _place(known, node.record[name])
                if isinstance(node, Leaf) and name in node.record
                else -1
                for node in nodes
            ]
            self._values[name] = [value for _, value in known]
            self._own[name] = np.asarray(own, np.intp)
            self._at_leaf[name] = np.asarray(at_leaf, np.intp)

    def replacements(self, codes: NDArray[Any], leaves: NDArray[np.intp]) -> dict[str, Replacement]:
        """Return the fed values of every attribute.

        Parameters
        ----------
        codes : ndarray of int, shape (n, n_attributes)
        leaves : ndarray of int, shape (n,)

        Returns
        -------
        dict of str to Replacement
        """
        fed = {}
        for column, (name, values) in enumerate(self._values.items()):
            constant = self._at_leaf[name][leaves]
            own = self._own[name][codes[:, column]]
            fed[name] = Replacement(values, np.where(constant < 0, own, constant))
        return fed


def _place(known: dict[tuple[bool, Value], int], value: Value) -> int:
    """Number the distinct values; True is not 1."""
    return known.setdefault((isinstance(value, bool), value), len(known))


class RecordWalk:
    """One record down the tree in plain Python, worked out once.

    Parameters
    ----------
    generalization : Generalization
    representatives : dict of str to tuple
    nodes : tuple of Branch or Leaf
    """

    __slots__ = ("_labels", "_names", "_nodes")

    def __init__(
        self,
        generalization: Generalization,
        representatives: dict[str, tuple[Value, ...]],
        nodes: tuple[Node, ...],
    ) -> None:
        self._names = generalization.names
        self._labels = {
            part.name: {label: bucket for bucket, label in enumerate(part.labels)}
            for part in generalization
            if part.collected
        }
        self._nodes: list[_Test | _End] = []
        for node in nodes:
            if isinstance(node, Branch):
                test = (node.attribute, frozenset(node.left), node.then, node.otherwise)
                self._nodes.append(test)
            else:
                asked = tuple((name, representatives[name]) for name in node.asks)
                self._nodes.append((asked, node.record))

    def feed(self, buckets: Mapping[str, int]) -> dict[str, Value]:
        """Return the record that is fed for the buckets of one person.

        Parameters
        ----------
        buckets : mapping of str to int
            Of every collected attribute.

        Returns
        -------
        dict
            Every attribute, in the recoding's order.
        """
        node = self._nodes[0]
        while len(node) == 4:
            name, left, then, otherwise = node
            node = self._nodes[then if buckets[name] in left else otherwise]
        asked, record = node
        if not asked:
            return dict(record)
        fed = {**record, **{name: values[buckets[name]] for name, values in asked}}
        return {name: fed[name] for name in self._names}

    def buckets(self, generalized: Mapping[str, Any], given: str) -> dict[str, int]:
        """Read the buckets of one generalized record, by label or by number."""
        codes = {}
        for name, numbers in self._labels.items():
            if name not in generalized:
                absent = [name for name in self._labels if name not in generalized]
                msg = f"The record must have every collected attribute. {absent} are absent."
                raise DataError(msg)
            value = generalized[name]
            if given == "codes":
                codes[name] = _bucket_number(name, value, len(numbers))
                continue
            bucket = numbers.get(value) if isinstance(value, str) else None
            if bucket is None:
                raise DataError(f"'{name}' must hold the label of a bucket. It holds none.")
            codes[name] = bucket
        return codes


def _bucket_number(name: str, value: Any, n_buckets: int) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not 0 <= value < n_buckets:
        msg = f"'{name}' must hold the number of a bucket, from 0 to {n_buckets - 1}."
        raise DataError(msg)
    return int(value)

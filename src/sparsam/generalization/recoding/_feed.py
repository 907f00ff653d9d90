"""The record that the model is fed: representatives of own buckets, values of the leaf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data.model import Replacement
from sparsam.generalization._generalization import Generalization
from sparsam.generalization.recoding._tree import Branch, Leaf, Node, Value

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
        made = {}
        for column, (name, values) in enumerate(self._values.items()):
            constant = self._at_leaf[name][leaves]
            own = self._own[name][codes[:, column]]
            made[name] = Replacement(values, np.where(constant < 0, own, constant))
        return made


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
        found = {**record, **{name: values[buckets[name]] for name, values in asked}}
        return {name: found[name] for name in self._names}

    def buckets(self, generalized: Mapping[str, Any], given: str) -> dict[str, int]:
        """Read the buckets of one generalized record, by label or by number."""
        found = {}
        for name, numbers in self._labels.items():
            if name not in generalized:
                absent = [name for name in self._labels if name not in generalized]
                msg = f"The record must have every collected attribute. {absent} are absent."
                raise DataError(msg)
            value = generalized[name]
            if given == "codes":
                found[name] = _bucket_number(name, value, len(numbers))
                continue
            bucket = numbers.get(value) if isinstance(value, str) else None
            if bucket is None:
                raise DataError(f"'{name}' must hold the label of a bucket. It holds none.")
            found[name] = bucket
        return found


def _bucket_number(name: str, value: Any, n_buckets: int) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not 0 <= value < n_buckets:
        msg = f"'{name}' must hold the number of a bucket, from 0 to {n_buckets - 1}."
        raise DataError(msg)
    return int(value)

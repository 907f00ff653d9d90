"""Which buckets of a generalization may become one, and which may be parted again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, Task
from sparsam.minimise._buckets import numbered_by_first_code
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._growth import hierarchies
from sparsam.minimise._hierarchy import Hierarchy

Lookups = list[NDArray[np.int64]]

# Beyond this many buckets only neighbours in order of the target's share are tried.
_MOST_FOR_ALL_PAIRS = 12
_MOST_LENGTHS = 16  # of the first part, when a bucket is parted


@dataclass(frozen=True)
class Move:
    """Buckets of one attribute that become one.

    Attributes
    ----------
    attribute : int
    buckets : tuple of int
        At least two, ascending.
    """

    attribute: int
    buckets: tuple[int, ...]


class Moves:
    """Every coarsening that the kinds of the attributes and the constraints permit.

    Neighbours of an ordered attribute, any two groups of categories, all children of a node of a
    hierarchy; and every attribute may be left out altogether.

    Parameters
    ----------
    task : Task
    constraints : Constraints
    """

    def __init__(self, task: Task, constraints: Constraints) -> None:
        self._attributes = task.table.attributes
        self._fixed = {task.names.index(name) for name in constraints.must_keep}
        trees = hierarchies(task, constraints)
        self._nodes = {a: _inner_nodes(tree, self._attributes[a].size) for a, tree in trees.items()}
        self._shares = [_target_shares(task, a) for a in range(len(self._attributes))]

    def nothing(self, lookups: Lookups) -> Lookups:
        """One bucket for each attribute, but for those that must be kept."""
        return [x if a in self._fixed else np.zeros_like(x) for a, x in enumerate(lookups)]

    def merges(self, lookups: Lookups) -> Iterator[Move]:
        """The merges of a generalization, given by the bucket of each code."""
        for a, lookup in enumerate(lookups):
            if a in self._fixed or not lookup.any():
                continue
            found = {buckets for buckets in self._of_attribute(a, lookup) if len(buckets) > 1}
            found.add(tuple(range(int(lookup.max()) + 1)))
            yield from (Move(a, buckets) for buckets in sorted(found))

    def _of_attribute(self, a: int, lookup: NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
        if a in self._nodes:
            yield from (tuple(np.unique(lookup[codes]).tolist()) for codes in self._nodes[a])
        elif self._attributes[a].ordered:
            yield from _neighbours(self._attributes[a], lookup)
        elif lookup.max() < _MOST_FOR_ALL_PAIRS:
            yield from combinations(range(int(lookup.max()) + 1), 2)
        else:
            yield from self._alike(a, lookup)

    def _alike(self, a: int, lookup: NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
        """Groups next to each other, or but one, by the share of the last class in them."""
        ranked = np.argsort(self._share_of_last(a, lookup), kind="stable").tolist()
        for step in (1, 2):
            yield from (_pair(*pair) for pair in zip(ranked, ranked[step:], strict=False))

    def splits(
        self, a: int, fine: NDArray[np.int64], lookup: NDArray[np.int64]
    ) -> list[NDArray[np.int64]]:
        """Ways to part one bucket of an attribute in two, between the buckets of a finer one.

        The finer one itself comes last; a hierarchy has no other way.
        """
        if a in self._fixed or fine.max() == lookup.max():
            return []
        found: list[NDArray[np.int64]] = []
        if a not in self._nodes:
            rank = np.arange(int(fine.max()) + 1, dtype=float)
            ordered = self._attributes[a].ordered
            rank = rank if ordered else self._share_of_last(a, fine)
            for bucket in range(int(lookup.max()) + 1):
                inside = np.unique(fine[lookup == bucket])
                inside = inside[np.argsort(rank[inside], kind="stable")]
                found += [_parted(fine, lookup, part) for part in _parts(inside, ordered)]
        return [*found, fine]

    def _share_of_last(self, a: int, lookup: NDArray[np.int64]) -> NDArray[np.float64]:
        people, last = self._shares[a]
        return np.bincount(lookup, last) / np.maximum(np.bincount(lookup, people), 1.0)


def _parts(inside: NDArray[np.int64], ordered: bool) -> Iterator[NDArray[np.int64]]:
    """The first few; of not too many categories also each one alone."""
    lengths = np.linspace(1, len(inside) - 1, min(len(inside) - 1, _MOST_LENGTHS)).round()
    yield from (inside[: int(length)] for length in lengths)
    if not ordered and len(inside) <= _MOST_FOR_ALL_PAIRS:
        yield from (inside[place : place + 1] for place in range(1, len(inside) - 1))


def _parted(
    fine: NDArray[np.int64], lookup: NDArray[np.int64], part: NDArray[np.int64]
) -> NDArray[np.int64]:
    return numbered_by_first_code(np.where(np.isin(fine, part), lookup.max() + 1, lookup))


def _neighbours(attribute: Attribute, lookup: NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
    values = lookup[: attribute.n_values]
    yield from {_pair(*pair) for pair in pairwise(values)}
    if attribute.missing and lookup[-1] not in values:
        yield from {_pair(bucket, lookup[-1]) for bucket in values}


def _pair(first: int, second: int) -> tuple[int, ...]:
    return tuple(sorted({int(first), int(second)}))


def _inner_nodes(tree: Hierarchy, size: int) -> list[list[int]]:
    """The codes below each node that is not a category itself."""
    nodes: list[list[int]] = []

    def visit(codes: list[int]) -> bool:
        nodes.append(codes)
        return False

    tree.coarsest(visit, size)
    return nodes


def _target_shares(task: Task, a: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How many people have each code, and how many of them are of the last class."""
    codes, size = task.codes[:, a], task.sizes[a]
    last = task.target == len(task.classes) - 1
    people = np.bincount(codes, minlength=size)
    return people.astype(float), np.bincount(codes[last], minlength=size).astype(float)

"""Which buckets of a generalization may become one, and which may be opened again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, Task
from sparsam.generalization import CodeTree
from sparsam.minimise._constraints import Constraints
from sparsam.minimise.tree._buckets import numbered_by_first_code

Lookups = list[NDArray[np.int64]]

# Beyond this many buckets only neighbours in order of the target's share are tried.
_MOST_FOR_ALL_PAIRS = 12


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
    atoms : sequence of ndarray of int, optional
        For each attribute the atom of each code, where buckets are of atoms instead of codes. The
        missing value of an ordered attribute is an atom of its own; those of a hierarchy are nodes.
    """

    def __init__(
        self, task: Task, constraints: Constraints, atoms: Sequence[NDArray[np.int64]] | None = None
    ) -> None:
        self._attributes = task.table.attributes
        self._fixed = {task.names.index(name) for name in constraints.must_keep}
        trees = constraints.trees(task)
        atoms = atoms or [np.arange(size) for size in task.sizes]
        self._nodes = {a: _inner_nodes(tree, atoms[a]) for a, tree in trees.items()}
        self._shares = [_target_shares(task, a, atom) for a, atom in enumerate(atoms)]

    def nothing(self, lookups: Lookups) -> Lookups:
        """One bucket for each attribute, but for those that must be kept."""
        return [x if a in self._fixed else np.zeros_like(x) for a, x in enumerate(lookups)]

    def merges(self, lookups: Lookups) -> Iterator[Move]:
        """The merges of a generalization, given by the bucket of each code."""
        for a, lookup in enumerate(lookups):
            if a in self._fixed or not lookup.any():
                continue
            pairs = {buckets for buckets in self._of_attribute(a, lookup) if len(buckets) > 1}
            pairs.add(tuple(range(int(lookup.max()) + 1)))
            yield from (Move(a, buckets) for buckets in sorted(pairs))

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

    def has_hierarchy(self, a: int) -> bool:
        """Whether the categories of an attribute may only be grouped as a hierarchy does."""
        return a in self._nodes

    def openings(self, a: int, lookup: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """For each bucket that is a group of the hierarchy, the buckets when it is opened.

        The parts of a group are the largest groups inside it, and the categories in none of them.
        """
        groups = sorted((set(codes) for codes in self._nodes[a]), key=len, reverse=True)
        for bucket in range(int(lookup.max()) + 1):
            inside = set(np.flatnonzero(lookup == bucket).tolist())
            if inside not in groups:
                continue
            opened = lookup.copy()
            left = set(inside)
            for group in (group for group in groups if group < inside):
                if group <= left:
                    opened[sorted(group)] = len(lookup) + min(group)
                    left -= group
            opened[sorted(left)] = len(lookup) + np.array(sorted(left), dtype=np.int64)
            yield numbered_by_first_code(opened)

    def _share_of_last(self, a: int, lookup: NDArray[np.int64]) -> NDArray[np.float64]:
        people, last = self._shares[a]
        return np.bincount(lookup, last) / np.maximum(np.bincount(lookup, people), 1.0)


def _neighbours(attribute: Attribute, lookup: NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
    values = lookup[:-1] if attribute.missing else lookup
    yield from {_pair(*pair) for pair in pairwise(values)}
    if attribute.missing and lookup[-1] not in values:
        yield from {_pair(bucket, lookup[-1]) for bucket in values}


def _pair(first: int, second: int) -> tuple[int, ...]:
    return tuple(sorted({int(first), int(second)}))


def _inner_nodes(tree: CodeTree, atom: NDArray[np.int64]) -> list[list[int]]:
    """The atoms below each node that is not an atom itself."""
    nodes: list[list[int]] = []

    def visit(codes: list[int]) -> bool:
        below = np.unique(atom[codes]).tolist()
        if len(below) > 1:
            nodes.append(below)
        return len(below) == 1

    tree.coarsest(visit, len(atom))
    return nodes


def _target_shares(
    task: Task, a: int, atom: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How many people have each atom, and how many of them are of the last class."""
    atoms, size = atom[task.codes[:, a]], int(atom.max()) + 1
    last = task.target == len(task.classes) - 1
    people = np.bincount(atoms, minlength=size)
    return people.astype(float), np.bincount(atoms[last], minlength=size).astype(float)

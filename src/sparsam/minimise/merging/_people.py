"""A sample for the search over partitions: its codes in atoms, and joint sums over the people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, Task
from sparsam.generalization import CodeTree
from sparsam.minimise._partitions import code_counts
from sparsam.minimise.tree._splits import numbered_by_first_code

Floats = NDArray[np.float64]
Lookup = NDArray[np.int64]

_MOST_ATOMS = 600  # of one attribute
_MOST_ATOMS_IN_ALL = 2_500  # the tables of pairs have the square of it
_FEWEST_ATOMS = 8
_CERTAIN = 0.005  # nobody's class is likelier than all but this


class People:
    """People in the rows of a task, and how likely each class is for each of them.

    Parameters
    ----------
    task : Task
    likely : ndarray of float of shape (n_rows, n_classes)
    trees : mapping of int to CodeTree, optional
        The hierarchies of some attributes; their atoms are nodes.

    Attributes
    ----------
    atoms : list of ndarray of int
        For each attribute the atom of each code: runs or groups of codes that the search does not
        part. Nearly always the codes themselves; coarser where an attribute has very many.
    columns : list of ndarray of int
        For each attribute the atom of each person.
    sizes, starts : list of int, ndarray of int
        The number of atoms of each attribute, and where they begin when all stand side by side.
    likely : ndarray of float of shape (n_rows, n_classes)
        Kept away from 0 and 1.
    counts : ndarray of float
        How many people have each atom, the atoms of all attributes side by side.
    pair_counts : ndarray of float32
        How many people have each two of these atoms.
    weights : ndarray of float
        What a guess of each personal attribute counts, one in all.
    """

    def __init__(
        self, task: Task, likely: Floats, trees: Mapping[int, CodeTree] | None = None
    ) -> None:
        self.task = task
        self.n_rows = task.n_rows
        self.attributes = task.table.attributes
        likely = np.clip(likely, _CERTAIN, 1.0)
        self.likely: Floats = likely / likely.sum(axis=1, keepdims=True)
        self.atoms = _atoms(task, self.likely, trees or {})
        self.sizes = [int(atom.max()) + 1 for atom in self.atoms]
        self.starts = np.array([0, *np.cumsum(self.sizes)])
        self.columns = [atom[task.codes[:, a]] for a, atom in enumerate(self.atoms)]
        self._keys = {
            (a, b): self.columns[a] * self.sizes[b] + self.columns[b]
            for a, b in combinations(range(len(self.sizes)), 2)
        }
        self.counts = self.sums(None)
        self.pair_counts = self.pairs(None).astype(np.float32)
        total = sum(task.weights)
        self.weights: Floats = np.array(task.weights, float) / (total if total > 0 else 1.0)

    def block(self, a: int) -> slice:
        """Where the atoms of an attribute stand among all of them."""
        return slice(int(self.starts[a]), int(self.starts[a + 1]))

    def sums(self, weights: Floats | None) -> Floats:
        """The sum of weights over the people of each atom."""
        parts = zip(self.columns, self.sizes, strict=True)
        sums = [np.bincount(column, weights, minlength=size) for column, size in parts]
        return np.concatenate(sums).astype(float)

    def class_sums(self, weights: Floats) -> Floats:
        """The same for one weight of each person and class."""
        return np.stack([self.sums(line) for line in weights.T], axis=1)

    def pairs(self, weights: Floats | None) -> Floats:
        """The sum of weights over the people of each two atoms."""
        table = np.zeros((self.starts[-1], self.starts[-1]))
        for (a, b), keys in self._keys.items():
            size = self.sizes[a] * self.sizes[b]
            joint = np.bincount(keys, weights, minlength=size).reshape(self.sizes[a], -1)
            table[self.block(a), self.block(b)] = joint
            table[self.block(b), self.block(a)] = joint.T
        table[np.diag_indices(len(table))] = self.sums(weights)
        return table

    def lookups(self, of_codes: Sequence[NDArray[np.integer]]) -> list[Lookup]:
        """The bucket of each atom where codes have buckets: that of most of its people."""
        buckets = []
        counts = code_counts(self.task.codes, self.task.sizes)
        for atom, lookup, people in zip(self.atoms, of_codes, counts, strict=True):
            votes = np.zeros((int(atom.max()) + 1, int(lookup.max()) + 1))
            np.add.at(votes, (atom, lookup), people + 1e-9)
            buckets.append(numbered_by_first_code(votes.argmax(axis=1)))
        return buckets

    def of_codes(self, lookups: Sequence[Lookup]) -> list[Lookup]:
        """The bucket of each code where atoms have buckets."""
        return [lookup[atom] for lookup, atom in zip(lookups, self.atoms, strict=True)]


def _atoms(task: Task, likely: Floats, trees: Mapping[int, CodeTree]) -> list[Lookup]:
    sizes = np.array(task.sizes)
    fixed = np.isin(np.arange(len(sizes)), task.personal)
    most = _MOST_ATOMS
    while most > _FEWEST_ATOMS:
        caps = np.where(fixed, _MOST_ATOMS, most)
        if np.minimum(sizes, caps).sum() <= _MOST_ATOMS_IN_ALL:
            break
        most //= 2
    caps = np.where(fixed, _MOST_ATOMS, most)
    counts = code_counts(task.codes, task.sizes)
    atoms = [
        _grouped(attribute, task.codes[:, a], counts[a], likely[:, -1], int(caps[a]))
        for a, attribute in enumerate(task.table.attributes)
    ]
    for a, tree in trees.items():
        atoms[a] = tree.at_most(int(caps[a]), task.sizes[a])
    return atoms


def _grouped(
    attribute: Attribute,
    codes: NDArray[np.integer],
    counts: NDArray[np.int64],
    last: Floats,
    most: int,
) -> Lookup:
    """Codes in order, or by how likely the last class is, in runs of about equally many people."""
    if attribute.size <= most:
        return np.arange(attribute.size, dtype=np.int64)
    order = np.arange(attribute.n_values if attribute.ordered else attribute.size)
    if not attribute.ordered:
        share = np.bincount(codes, last, minlength=attribute.size) / np.maximum(counts, 1)
        order = np.argsort(share, kind="stable")
    people = counts[order] + 1e-9
    middle = (np.cumsum(people) - people / 2) / people.sum()
    group = np.full(attribute.size, most - 1, dtype=np.int64)  # a missing value stays apart
    group[order] = np.minimum(middle * (most - 1), most - 2).astype(np.int64)
    return numbered_by_first_code(group)


class Layout:
    """Where each atom's bucket stands when the buckets of all attributes stand side by side.

    Parameters
    ----------
    lookups : list of ndarray of int
        For each attribute the bucket of each atom.

    Attributes
    ----------
    sizes : list of int
        How many buckets each attribute has.
    starts : ndarray of int
        Where the buckets of each attribute begin.
    places : ndarray of int
        For each atom, the atoms of all attributes side by side, the place of its bucket.
    """

    def __init__(self, lookups: list[Lookup]) -> None:
        self.lookups = lookups
        self.sizes = [int(lookup.max()) + 1 for lookup in lookups]
        self.starts = np.array([0, *np.cumsum(self.sizes)])
        parts = zip(lookups, self.starts[:-1], strict=True)
        self.places = np.concatenate([lookup + start for lookup, start in parts])

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def collected(self) -> list[int]:
        """The attributes with more than one bucket."""
        return [a for a, size in enumerate(self.sizes) if size > 1]

    def block(self, a: int) -> slice:
        """Where the buckets of an attribute stand."""
        return slice(int(self.starts[a]), int(self.starts[a + 1]))

    @cached_property
    def _runs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.places, kind="stable")
        return order, np.searchsorted(self.places[order], np.arange(len(self)))

    def rows(self, of_atoms: Floats) -> Floats:
        """Sums over the atoms of each bucket, from one row for each atom."""
        order, borders = self._runs
        return np.asarray(np.add.reduceat(of_atoms[order], borders, axis=0))

    def columns(self, of_atoms: Floats) -> Floats:
        """Sums over the atoms of each bucket, from one column for each atom."""
        order, borders = self._runs
        return np.asarray(np.add.reduceat(of_atoms[:, order], borders, axis=1))

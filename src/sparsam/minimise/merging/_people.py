"""A sample for the search over partitions: atoms, joint sums, and what boosted trees tell of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.counting import Boosting, DistinctRecords, compiled, distinct_records
from sparsam.data import Attribute, Task
from sparsam.generalization import CodeTree
from sparsam.minimise._partitions import code_counts
from sparsam.minimise._splits import numbered_by_first_code

Floats = NDArray[np.float64]
Lookup = NDArray[np.int64]
_MOST_ATOMS = 600  # of one attribute
_MOST_ATOMS_IN_ALL = 2_500  # the tables of pairs have the square of it
_FEWEST_ATOMS = 8
_CERTAIN = 0.005  # nobody's class is likelier than all but this
_MOST_CLASSES = 5  # one model for each of them
_FEWEST_PEOPLE = 100
_FOLDS = 2
_TEACHER_FOLDS = 3
_FEWEST_IN_LEAF = 20
_COMMON = 100  # people in a category, in the mean: their own class hardly shows in its share
_SHRINK = 5.0  # as if so many average people more had been seen in each category
_TEACHER = Boosting(rounds=100, rate=0.1)
_NUMBER_TEACHER = Boosting(fewest=20.0)
_OUTERMOST = 0.005  # of the people, at either end, whose numbers are not told apart
_STUDENT = Boosting(rounds=60, rate=0.2, fewest=20.0)
_MOST_PEOPLE = 60_000  # to learn from in each fold: more teach no more that a bucket could keep


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
    matrix : ndarray of uint16 of shape (n_rows, n_attributes)
        The atom of each person and attribute, column by column.
    columns : list of ndarray of int
        For each attribute the atom of each person.
    sizes, starts : list of int, ndarray of int
        The number of atoms of each attribute, and where they begin when all stand side by side.
    likely : ndarray of float of shape (n_rows, n_classes)
        Kept away from 0 and 1.
    spread : float
        How much there is to be told: of classes one, of numbers their variance against that of a
        coin. What is gained is worth the same share of it.
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
        self.spread = 1.0 if task.numbers is None else 4 * float(self.likely[:, -1].var())
        self.atoms = _atoms(task, self.likely, trees or {})
        self.sizes = [int(atom.max()) + 1 for atom in self.atoms]
        self.starts = np.array([0, *np.cumsum(self.sizes)])
        self.columns = [atom[task.codes[:, a]] for a, atom in enumerate(self.atoms)]
        self.matrix = np.empty(task.codes.shape, dtype=np.uint16, order="F")
        self._cells = np.empty(task.codes.shape, dtype=np.uint32)
        for a, column in enumerate(self.columns):
            self.matrix[:, a] = column
            self._cells[:, a] = column + self.starts[a]
        self.counts = self.sums(np.ones((task.n_rows, 1)))[:, 0]
        self.pair_counts = self._pair_counts()
        total = sum(task.weights)
        self.weights: Floats = np.array(task.weights, float) / (total if total > 0 else 1.0)

    @cached_property
    def _code_counts(self) -> list[NDArray[np.int64]]:
        return code_counts(self.task.codes, self.task.sizes)

    def block(self, a: int) -> slice:
        """Where the atoms of an attribute stand among all of them."""
        return slice(int(self.starts[a]), int(self.starts[a + 1]))

    def sums(self, weights: Floats) -> Floats:
        """The sums of some weights of each person over the people of each atom."""
        table = np.zeros((self.starts[-1], weights.shape[1]))
        add_weights(self._cells, np.ascontiguousarray(weights), table)
        return table

    def _pair_counts(self) -> NDArray[np.float32]:
        table = np.zeros((self.starts[-1], self.starts[-1]), dtype=np.float32)
        count_pairs(self._cells, table)
        return table

    def pairs_with(self, layout: Layout, weights: Floats | None) -> Floats:
        """The sum of weights over the people of each atom and each bucket."""
        if weights is None:
            return layout.rows(self.pair_counts).T.astype(float)
        table = np.zeros((self.starts[-1], len(layout)))
        in_all = self.sums(weights[:, None])[:, 0]
        several = np.array(layout.collected, dtype=np.int64)
        add_pairs(self._cells, several, layout.places.astype(np.uint32), weights, table)
        for a, size in enumerate(layout.sizes):
            if size == 1:  # everyone is in its only bucket
                table[:, layout.starts[a]] = in_all
        return table

    def lookups(self, of_codes: Sequence[NDArray[np.integer]]) -> list[Lookup]:
        """The bucket of each atom where codes have buckets: that of most of its people."""
        buckets = []
        for atom, lookup, people in zip(self.atoms, of_codes, self._code_counts, strict=True):
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


@compiled()
def add_weights(cells: NDArray[np.uint32], weights: Floats, table: Floats) -> None:
    """Add each person's weights at each atom of the person."""
    for row in range(cells.shape[0]):
        for a in range(cells.shape[1]):
            for k in range(weights.shape[1]):
                table[cells[row, a], k] += weights[row, k]


@compiled()
def count_pairs(cells: NDArray[np.uint32], table: NDArray[np.float32]) -> None:
    """Count each person where two of the person's atoms meet."""
    for row in range(cells.shape[0]):
        for a in range(cells.shape[1]):
            for b in range(a, cells.shape[1]):
                table[cells[row, a], cells[row, b]] += 1.0
    for first in range(table.shape[0]):
        for second in range(first):
            table[first, second] = table[second, first]


@compiled()
def add_pairs(
    cells: NDArray[np.uint32],
    attributes: NDArray[np.int64],
    places: NDArray[np.uint32],
    weights: Floats,
    table: Floats,
) -> None:
    """Add each person's weight where an atom of the person meets a bucket of some attributes."""
    buckets = np.empty(attributes.shape[0], dtype=np.uint32)
    for row in range(cells.shape[0]):
        weight = weights[row]
        for b in range(attributes.shape[0]):
            buckets[b] = places[cells[row, attributes[b]]]
        for a in range(cells.shape[1]):
            line = table[cells[row, a]]
            for b in range(attributes.shape[0]):
                line[buckets[b]] += weight


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

    def others(self, a: int) -> NDArray[np.int64]:
        """Where the buckets of all other attributes stand."""
        own = self.block(a)
        return np.concatenate([np.arange(own.start), np.arange(own.stop, len(self))])

    @cached_property
    def _runs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.places, kind="stable")
        return order, np.searchsorted(self.places[order], np.arange(len(self)))

    def rows(self, of_atoms: NDArray[Any]) -> Floats:
        """Sums over the atoms of each bucket, from one row for each atom."""
        order, borders = self._runs
        return np.asarray(np.add.reduceat(of_atoms[order], borders, axis=0))


def boosted_loss(people: People, lookups: list[Lookup], random_state: int) -> float:
    """Loss when boosted trees tell the likely classes from the buckets of people not seen.

    Where records are rare, counts in them say too little, and the loss by counts is too high.

    Parameters
    ----------
    people : People
    lookups : list of ndarray of int
        For each attribute the bucket of each atom.
    random_state : int

    Returns
    -------
    float
        As in `Position`; infinite where there are too many classes or too few people.
    """
    n_classes = people.likely.shape[1]
    if n_classes > _MOST_CLASSES or people.n_rows < _FEWEST_PEOPLE:
        return float(np.inf)
    fold = np.random.default_rng(random_state).permutation(people.n_rows) % _FOLDS
    collected = [a for a, lookup in enumerate(lookups) if lookup.any()]
    sizes = [int(lookups[a].max()) + 1 for a in collected]
    buckets = np.empty((people.n_rows, len(collected)), dtype=np.uint16, order="F")
    for column, a in enumerate(collected):
        buckets[:, column] = lookups[a][people.columns[a]]
    distinct = distinct_records(buckets, sizes)
    # The shares of two classes sum to one: the second follows.
    told = people.likely[:, : 1 if n_classes == 2 else n_classes]
    forecast = np.zeros_like(people.likely)
    for held_out in range(_FOLDS):
        asked = fold == held_out
        counts, sums = _totals(distinct, ~asked, told)
        codes = _ranked(people, distinct, collected, counts, sums)
        means = _STUDENT.means(codes, sizes, sums, counts)
        forecast[asked, : told.shape[1]] = means[distinct.index[asked]]
    if n_classes == 2:
        forecast[:, 1] = 1 - forecast[:, 0]
    return loss_of(forecast, people.likely)


def _totals(
    distinct: DistinctRecords, seen: NDArray[np.bool_], told: Floats
) -> tuple[Floats, Floats]:
    """How many of the people seen have each record, and the sums of what is told of them."""
    index, size = distinct.index[seen], len(distinct)
    sums = [np.bincount(index, line[seen], minlength=size) for line in told.T]
    return np.bincount(index, minlength=size).astype(float), np.stack(sums, axis=1)


def _ranked(
    people: People,
    distinct: DistinctRecords,
    collected: Sequence[int],
    counts: Floats,
    sums: Floats,
) -> NDArray[np.uint16]:
    """Buckets in their order, or by how likely the last class is among those seen."""
    codes = distinct.records.copy()
    for column, a in enumerate(collected):
        if not people.attributes[a].ordered:
            buckets = distinct.records[:, column]
            n_seen = np.bincount(buckets, counts)
            # That of the last class falls where that of the only other one, which is told, rises.
            likely = np.bincount(buckets, sums[:, -1]) / np.maximum(n_seen, 1.0)
            rank = np.argsort(np.argsort(likely, kind="stable"), kind="stable")
            codes[:, column] = rank[buckets]
    return codes


@compiled(error_model="numpy")
def loss_of(forecast: Floats, likely: Floats) -> float:
    """Mean of the error of the best guess and the squared distance from the likely classes."""
    n_rows = forecast.shape[0]
    right, distance = 0.0, 0.0
    for row in range(n_rows):
        best = 0
        for k in range(forecast.shape[1]):
            if forecast[row, k] > forecast[row, best]:
                best = k
            apart = likely[row, k] - forecast[row, k]
            distance += apart * apart
        right += likely[row, best]
    loss: float = (1.0 - right / n_rows + distance / n_rows) / 2.0
    return loss


def likely_classes(task: Task, random_state: int = 0) -> NDArray[np.float64]:
    """Probability of each class for each person, from boosted trees that have not seen the person.

    Counts of classes in a rare record are noise; means of these probabilities are much less so.

    Parameters
    ----------
    task : Task
    random_state : int

    Returns
    -------
    ndarray of float of shape (n_rows, n_classes)
    """
    rng = np.random.default_rng(random_state)
    fold = rng.permutation(task.n_rows) % _TEACHER_FOLDS
    n_classes = len(task.classes) if task.numbers is None else 1
    likely = np.zeros((task.n_rows, n_classes))
    for held_out in np.unique(fold):
        seen = np.flatnonzero(fold != held_out)
        seen = seen if len(seen) <= _MOST_PEOPLE else rng.choice(seen, _MOST_PEOPLE, False)
        predicted = _predicted if task.numbers is None else _told
        likely[fold == held_out] = predicted(task, seen, fold == held_out, random_state)
    return likely if task.numbers is None else _low_or_high(likely[:, 0])


def _low_or_high(told: Floats) -> Floats:
    """Numbers as shares of two classes, low and high.

    The squared distance of two shares is then that of the numbers, which is what R² is about; but
    for the lowest and the highest, which are no further out than most.
    """
    low, high = np.quantile(told, [_OUTERMOST, 1 - _OUTERMOST])
    share = np.clip((told - low) / (high - low if high > low else 1.0), 0.0, 1.0)
    return np.stack([1 - share, share], axis=1)


def _told(
    task: Task, seen: NDArray[np.int64], asked: NDArray[np.bool_], random_state: int
) -> Floats:
    """The number of each person who is asked for, as boosted trees tell it."""
    assert task.numbers is not None
    if len(seen) < 2 * _FEWEST_IN_LEAF:
        return np.full((int(asked.sum()), 1), task.numbers[seen].mean())
    inputs = code_inputs(task, seen, random_state)
    ranks = [np.unique(column, return_inverse=True)[1] for column in inputs.T]
    codes = np.stack(ranks, axis=1).astype(np.uint16)
    people = np.zeros(task.n_rows)
    people[seen] = 1.0
    sums = (people * task.numbers)[:, None]
    sizes = [int(rank.max()) + 1 for rank in ranks]
    return _NUMBER_TEACHER.means(codes, sizes, sums, people)[asked]


def _predicted(
    task: Task, seen: NDArray[np.int64], asked: NDArray[np.bool_], random_state: int
) -> NDArray[np.float64]:
    n_classes = len(task.classes)
    truth = task.target[seen]
    counts = np.bincount(truth, minlength=n_classes)
    if (counts > 0).sum() < 2 or len(seen) < 2 * _FEWEST_IN_LEAF:
        return np.tile((counts + 1.0) / (counts + 1.0).sum(), (int(asked.sum()), 1))
    inputs = code_inputs(task, seen, random_state)
    ranks = [np.unique(column, return_inverse=True)[1] for column in inputs.T]
    codes = np.stack(ranks, axis=1).astype(np.uint16)
    classes = np.zeros((task.n_rows, n_classes))
    classes[seen, truth] = 1.0
    sizes = [int(rank.max()) + 1 for rank in ranks]
    return _TEACHER.shares(codes, sizes, classes)[asked]


def code_inputs(task: Task, seen: NDArray[np.int64], random_state: int) -> NDArray[np.float64]:
    """Codes in their order, or categories by the share of the last class among those seen.

    Where the target is a number, by the mean of it.

    Where categories are rare, those seen are dealt into parts, and the share for each part comes
    from the others: a share that is mostly the person's own class would teach the model nonsense.
    """
    columns = task.codes.astype(float)
    part = np.full(task.n_rows, _TEACHER_FOLDS)  # nobody else is left out of the shares
    part[seen] = np.random.default_rng(random_state).permutation(len(seen)) % _TEACHER_FOLDS
    last = task.target == len(task.classes) - 1 if task.numbers is None else task.numbers
    for a, attribute in enumerate(task.table.attributes):
        if attribute.ordered:
            continue
        codes, size = task.codes[:, a], attribute.size
        common = len(seen) >= _COMMON * size
        for left_out in range(_TEACHER_FOLDS + 1):
            counted = seen if common else seen[part[seen] != left_out]
            people = np.bincount(codes[counted], minlength=size)
            of_last = np.bincount(codes[counted], last[counted], minlength=size)
            average = last[counted].mean() if len(counted) else 0.0
            share = (of_last + _SHRINK * average) / (people + _SHRINK)
            columns[part == left_out, a] = share[codes[part == left_out]]
    return columns

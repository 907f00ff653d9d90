"""Merge the buckets of a generalization one after the other, at the least price of risk first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from sparsam.counting import compiled, distinct_records, record_keys
from sparsam.data import Attribute, Task
from sparsam.generalization import CodeTree
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._splits import numbered_by_first_code

_LEAST_RISK = 1e-9  # keeps the price of a merge finite that takes no risk away
Counts = NDArray[np.float32]
# As if so many people more had been seen in each record, who are like those in the bucket.
STRENGTH = 4.0
Lookups = list[NDArray[np.int64]]
# Beyond this many buckets only neighbours in order of the target's share are tried.
_MOST_FOR_ALL_PAIRS = 12


@dataclass(frozen=True)
class Step:
    """A generalization on the way, and what it costs and reveals.

    Attributes
    ----------
    lookups : list of ndarray of int
        For each attribute the bucket of each code.
    score : Score
    n_records : int
        How many different records the people have; 0 where nobody counted.
    """

    lookups: Lookups
    score: Score
    n_records: int = 0


def merge_path(tables: MergeTables, moves: Moves) -> list[Step]:
    """Merge buckets until there is nothing left to merge.

    The price of risk rises from zero. At each price the merge that lowers loss + price * risk
    most is made; when none lowers it, the price rises to the least at which one would.
    """
    price = 0.0
    steps = [Step(tables.lookups, tables.score)]
    while changes := {move: tables.change(move) for move in moves.merges(tables.lookups)}:
        price = max(price, min(_price(change) for change in changes.values()))
        tables = tables.after(_cheapest(changes, price))
        steps.append(Step(tables.lookups, tables.score))
    return steps


def _price(change: Score) -> float:
    """The price of risk at which a merge begins to pay."""
    return change.loss / max(-change.risk, _LEAST_RISK)


def _cheapest(changes: dict[Move, Score], price: float) -> Move:
    paying = {move: change for move, change in changes.items() if _price(change) <= price}
    return min(paying, key=lambda move: paying[move].priced(price))


def unbeaten(steps: Sequence[Step], most: int, n_rows: int | None = None) -> list[Step]:
    """Steps that no other one beats on both loss and risk, the riskiest first.

    Parameters
    ----------
    steps : sequence of Step
    most : int
        When there are more, those most alike their neighbours are left out.
    n_rows : int, optional
        How many people the scores come from. Then those are kept too, as far as there is room and
        the coarsest first, whose loss is not beaten by more than two standard errors: which of
        them is better, these people cannot tell, so the simplest deserve a look.
    """
    ranked = sorted(steps, key=lambda step: (step.score.risk, step.score.loss))
    kept, beaten, least = list[Step](), list[tuple[int, float, int]](), np.inf
    for place, step in enumerate(ranked):
        loss = step.score.loss
        if loss < least:
            kept.append(step)
            least = loss
        elif n_rows and loss - least <= 2 * np.sqrt(least * (1 - least) / n_rows):
            beaten.append((_n_buckets(step), loss - least, place))
    kept = _spread_out(kept, most)
    kept += [ranked[place] for _, _, place in sorted(beaten)[: most - len(kept)]]
    return sorted(kept, key=lambda step: (-step.score.risk, -step.score.loss))


def _n_buckets(step: Step) -> int:
    return sum(int(lookup.max()) + 1 for lookup in step.lookups)


def _spread_out(steps: Sequence[Step], most: int) -> list[Step]:
    """Leave out one after the other whose neighbours are nearest to each other, never an end."""
    kept = list(steps)
    if len(kept) <= most:
        return kept
    scores = np.array([[step.score.loss, step.score.risk] for step in kept])
    places = np.abs(np.diff(scores, axis=0)) / np.maximum(np.ptp(scores, axis=0), _LEAST_RISK)
    where = np.concatenate([[0.0], np.cumsum(places.sum(axis=1))]).tolist()
    while len(kept) > most:
        gaps = np.array(where[2:]) - np.array(where[:-2])
        least = int(gaps.argmin()) + 1 if len(gaps) else 0
        del kept[least], where[least]
    return kept


@dataclass(frozen=True)
class Score:
    """What a generalization costs and reveals.

    Attributes
    ----------
    loss : float
        On the target, given the generalized record: the mean of the error of the best guess and
        of the Gini value, which also sees what does not change the guess yet.
    risk : float
        Share of personal values guessed rightly, given the generalized record.
    """

    loss: float
    risk: float

    def priced(self, price: float) -> float:
        """Loss and risk in one number."""
        return self.loss + price * self.risk


class MergeTables:
    """The people of a table counted by generalized record.

    Parameters
    ----------
    task : Task
    lookups : sequence of ndarray of int
        For each attribute the bucket of each code, numbered by first code.
    likely : ndarray of float of shape (n_rows, n_classes)
        Probability of each class for each person.

    Notes
    -----
    The adversary guesses the value that is most frequent in the record, as if a few people more
    had been seen there who are like all people in the value's own bucket.
    """

    def __init__(self, task: Task, lookups: Lookups, likely: NDArray[np.float64]) -> None:
        self.lookups = [np.asarray(lookup, dtype=np.int64) for lookup in lookups]
        self._personal = task.personal
        total = sum(task.weights)
        self._weights = np.array(task.weights) / total if total > 0 else np.zeros(len(task.weights))
        self._n_rows = task.n_rows
        self._starts = np.array([0, *np.cumsum([task.sizes[p] for p in task.personal])])
        buckets = np.empty(task.codes.shape, dtype=np.uint16, order="F")
        for a, lookup in enumerate(self.lookups):
            buckets[:, a] = lookup[task.codes[:, a]]
        distinct = distinct_records(buckets, self._sizes)
        self.records = distinct.records.astype(np.int64)
        self._target: NDArray[np.float64] = np.stack(
            [np.bincount(distinct.index, share, minlength=len(distinct)) for share in likely.T],
            axis=1,
        )
        self._counts: Counts = np.empty((len(distinct), self._starts[-1]), dtype=np.float32)
        for q, p in enumerate(task.personal):
            block = distinct.tabulate(task.codes[:, p], task.sizes[p])
            self._counts[:, self._starts[q] : self._starts[q + 1]] = block

    def __len__(self) -> int:
        return len(self.records)

    @property
    def n_cells(self) -> int:
        """How many joint counts of records and personal values there are."""
        return int(self._counts.size)

    @property
    def _sizes(self) -> list[int]:
        return [int(lookup.max()) + 1 for lookup in self.lookups]

    @cached_property
    def _prior(self) -> Counts:
        """For each record, the people added: like those who share the own bucket."""
        prior = np.empty_like(self._counts)
        for q, p in enumerate(self._personal):
            block = slice(self._starts[q], self._starts[q + 1])
            codes, lookup = self._personal_counts[block], self.lookups[p]
            prior[:, block] = _own_bucket_shares(codes, lookup)[self.records[:, p]]
        return prior

    @cached_property
    def _hits(self) -> NDArray[np.float64]:
        return self._guessed(self._counts, self._prior, self._target.sum(axis=1))

    @cached_property
    def _losses(self) -> NDArray[np.float64]:
        return self._lost(self._target)

    @property
    def score(self) -> Score:
        """Loss and risk now, each between 0 and 1."""
        return Score(
            float(self._losses.sum() / self._n_rows),
            float(self._hits.sum(axis=0) @ self._weights / self._n_rows),
        )

    def change(self, move: Move) -> Score:
        """What the move would add to the loss, and to the risk."""
        rows, borders = self._groups(move)
        if not rows.size:
            return Score(0.0, 0.0)
        own, prior = self._reprice(move)
        more_loss, more_hits = merged_change(
            rows,
            np.append(borders, len(rows)),
            (self._target, self._losses),
            (self._counts, self._prior, self._hits, self._weights),
            self._starts,
            own,
            prior,
        )
        return Score(more_loss / self._n_rows, more_hits / self._n_rows)

    def after(self, move: Move) -> MergeTables:
        """The tables once the move is made."""
        lookup = self.lookups[move.attribute]
        joined = np.where(np.isin(lookup, move.buckets), move.buckets[0], lookup)
        lookups = list(self.lookups)
        lookups[move.attribute] = numbered_by_first_code(joined)
        return self.coarsened(lookups)

    def coarsened(self, lookups: Lookups) -> MergeTables:
        """The tables of a coarser generalization."""
        merged = copy(self)
        for derived in ("_prior", "_hits", "_losses", "_keys", "_personal_counts"):
            merged.__dict__.pop(derived, None)
        merged.lookups = lookups
        records = self.records.copy()
        for a, (fine, coarse) in enumerate(zip(self.lookups, lookups, strict=True)):
            if fine is not coarse:
                renamed = np.zeros(int(fine.max()) + 1, dtype=np.int64)
                renamed[fine] = coarse
                records[:, a] = renamed[records[:, a]]
        keys = record_keys(records.astype(np.uint16), merged._sizes)
        rows = np.argsort(keys, kind="stable")
        borders = _borders(keys[rows])
        merged.records = records[rows[borders]]
        merged._target = np.add.reduceat(self._target[rows], borders)
        merged._counts = np.add.reduceat(self._counts[rows], borders, axis=0)
        return merged

    @cached_property
    def _keys(self) -> list[NDArray[np.int64]]:
        """For each attribute, a number for each record that is equal where all others are."""
        sizes = self._sizes
        records = self.records.astype(np.uint16)
        others = [[b for b in range(len(sizes)) if b != a] for a in range(len(sizes))]
        return [record_keys(records[:, bs], [sizes[b] for b in bs]) for bs in others]

    def _groups(self, move: Move) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The records that the move touches, those that become equal together, and the borders."""
        inside = np.zeros(self._sizes[move.attribute], dtype=bool)
        inside[list(move.buckets)] = True
        rows = np.flatnonzero(inside[self.records[:, move.attribute]])
        keys = self._keys[move.attribute][rows]
        order = np.argsort(keys, kind="stable")
        return rows[order], _borders(keys[order])

    def _reprice(self, move: Move) -> tuple[int, Counts]:
        """Which personal attribute the move is about, and the people added in its new bucket."""
        if move.attribute not in self._personal:
            return -1, np.zeros(0, dtype=np.float32)
        q = self._personal.index(move.attribute)
        block = slice(self._starts[q], self._starts[q + 1])
        inside = np.isin(self.lookups[move.attribute], move.buckets)
        return q, _shares(np.where(inside, self._personal_counts[block], 0.0))

    @cached_property
    def _personal_counts(self) -> NDArray[np.float64]:
        return np.asarray(self._counts.sum(axis=0, dtype=float))

    def _guessed(
        self, counts: Counts, prior: Counts, people: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """How many people's values the best guess gets right, by record and attribute."""
        if not self._personal:
            return np.zeros((len(counts), 0))
        best = np.maximum.reduceat(counts + prior, self._starts[:-1], axis=1)
        return np.asarray(best * (people / (people + STRENGTH))[:, None])

    def _lost(self, target: NDArray[np.float64]) -> NDArray[np.float64]:
        """The loss on the target in each record."""
        people = target.sum(axis=1, keepdims=True)
        shares = target / people
        return np.asarray(people[:, 0] * (1 - (shares.max(axis=1) + (shares**2).sum(axis=1)) / 2))


@compiled(error_model="numpy")
def merged_change(
    rows: NDArray[np.int64],
    borders: NDArray[np.int64],
    of_target: tuple[NDArray[np.float64], NDArray[np.float64]],
    of_personal: tuple[Counts, Counts, NDArray[np.float64], NDArray[np.float64]],
    starts: NDArray[np.int64],
    own: int,
    own_prior: Counts,
) -> tuple[float, float]:
    """What is lost more, and guessed more, when records become one in each run of rows.

    `own` is the personal attribute that is merged, whose prior is `own_prior` then; -1 if none is.
    A record that stays alone changes nothing but what is guessed of this one.
    """
    target, losses = of_target
    counts, prior, hits, weights = of_personal
    n_classes, n_personal = target.shape[1], starts.shape[0] - 1
    shares, line = np.empty(n_classes), np.empty(counts.shape[1], dtype=np.float32)
    more_loss, more_hits = 0.0, 0.0
    for run in range(borders.shape[0] - 1):
        first, last = borders[run], borders[run + 1]
        alone = last - first == 1
        if alone and own < 0:
            continue
        lowest, beyond = (own, own + 1) if alone else (0, n_personal)
        shares[:] = 0.0
        line[starts[lowest] : starts[beyond]] = 0.0
        for place in range(first, last):
            row = rows[place]
            for k in range(n_classes):
                shares[k] += target[row, k]
            for cell in range(starts[lowest], starts[beyond]):
                line[cell] += counts[row, cell]
            for q in range(lowest, beyond):
                more_hits -= weights[q] * hits[row, q]
            if not alone:
                more_loss -= losses[row]
        people = 0.0
        for k in range(n_classes):
            people += shares[k]
        if not alone:
            highest, squares = 0.0, 0.0
            for k in range(n_classes):
                share = shares[k] / people
                highest = max(highest, share)
                squares += share * share
            more_loss += people * (1 - (highest + squares) / 2)
        for q in range(lowest, beyond):
            best = np.float32(0.0)
            for cell in range(starts[q], starts[q + 1]):
                added = own_prior[cell - starts[q]] if q == own else prior[rows[first], cell]
                best = max(best, line[cell] + added)
            more_hits += weights[q] * best * people / (people + STRENGTH)
    return more_loss, more_hits


def _borders(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each run of equal keys begins."""
    return np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))


def _own_bucket_shares(codes: NDArray[np.float64], lookup: NDArray[np.int64]) -> Counts:
    """For each bucket, the people added: as its codes occur."""
    inside = lookup[None, :] == np.arange(int(lookup.max()) + 1)[:, None]
    return np.stack([_shares(line) for line in np.where(inside, codes, 0.0)])


def _shares(codes: NDArray[np.float64]) -> Counts:
    return np.asarray(STRENGTH * codes / max(codes.sum(), 1.0), dtype=np.float32)


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

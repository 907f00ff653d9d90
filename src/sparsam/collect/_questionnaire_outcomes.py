"""What the answers so far leave open: which attributes and which ranges can still matter.

A *region* holds the buckets that are still possible for each attribute. The outcome of a full
record is the prediction of its leaf where that is settled, and else the record that is fed. All
that is said here about a region is exact: two buckets are told apart if and only if some answers
to the rest lead to different outcomes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.generalization._recoding import Recoding
from sparsam.generalization._recoding_tree import Branch, Leaf, Value

Region = tuple[int, ...]
"""For each attribute of the tree a number whose bits are the buckets that are still possible."""

_Matrix = NDArray[np.float64]


class Outcomes:
    """The outcomes of a recoding, worked out once.

    Parameters
    ----------
    recoding : Recoding

    Attributes
    ----------
    names : tuple of str
        The attributes that the tree tests or a leaf asks for: no other one can matter.
    """

    def __init__(self, recoding: Recoding) -> None:
        self.recoding = recoding
        self.nodes = recoding.nodes
        g = recoding.generalization
        tested = {node.attribute for node in self.nodes if isinstance(node, Branch)}
        asked = {name for leaf in recoding.leaves.values() for name in leaf.asks}
        self.names = tuple(name for name in g.names if name in tested | asked)
        self.sizes = tuple(g[name].n_buckets for name in self.names)
        self.place = {name: i for i, name in enumerate(self.names)}
        self.everything: Region = tuple((1 << size) - 1 for size in self.sizes)
        self.paths = [self._path(number) for number in range(len(self.nodes))]
        self.boxes = [
            _bits([path[i] for path in self.paths], size) for i, size in enumerate(self.sizes)
        ]
        self._number_outcomes()

    def _path(self, number: int) -> Region:
        """The buckets that the path to a node leaves, as bits."""
        possible = self.recoding.possible(number)
        return tuple(
            sum(1 << bucket for bucket in possible[name]) if name in possible else full
            for name, full in zip(self.names, self.everything, strict=True)
        )

    def _number_outcomes(self) -> None:
        """Give equal outcomes the same number: settled ones below zero, open leaves from zero."""
        self.outcome: dict[int, int] = {}
        self.leaf: dict[int, Leaf] = {}
        settled: dict[Any, int] = {}
        opened: dict[Any, int] = {}
        for number, leaf in self.recoding.leaves.items():
            if leaf.prediction is not None:
                key = _key(leaf.prediction)
                self.outcome[number] = settled.setdefault(key, -1 - len(settled))
            else:
                known = (leaf.asks, tuple((name, _key(v)) for name, v in leaf.record.items()))
                self.outcome[number] = opened.setdefault(known, len(opened))
                self.leaf.setdefault(self.outcome[number], leaf)
        self._number_values()

    def _number_values(self) -> None:
        """Number the values that open leaves feed for each bucket, and for all attributes else."""
        self.fed: list[NDArray[np.intp]] = []
        for name, size in zip(self.names, self.sizes, strict=True):
            known: dict[Any, int] = {}
            own = [
                known.setdefault(_key(v), len(known)) for v in self.recoding.representatives[name]
            ]
            rows = [
                own
                if name in leaf.asks
                else [known.setdefault(_key(leaf.record[name]), len(known))] * size
                for leaf in self.leaf.values()
            ]
            self.fed.append(np.asarray(rows, np.intp).reshape(len(rows), size))
        rest: dict[Any, int] = {}
        others = [n for n in self.recoding.generalization.names if n not in self.place]
        self.rest = np.asarray(
            [
                rest.setdefault(tuple(_key(leaf.record[name]) for name in others), len(rest))
                for leaf in self.leaf.values()
            ],
            np.intp,
        )

    def state(self, region: Region) -> State:
        """Say what a region leaves open."""
        return State(self, region)


def _bits(masks: list[int], size: int) -> _Matrix:
    """Write numbers as rows of zeros and ones, one a bucket."""
    rows = [[mask >> bucket & 1 for bucket in range(size)] for mask in masks]
    return np.asarray(rows, np.float64)


def _key(value: Value) -> tuple[bool, Value]:
    return isinstance(value, bool), value


class State:
    """What one region leaves open.

    The tree is restricted to the region, and every branch with one outcome on both sides is let
    go. The nodes that are left at the ends are the *cells*; each is a box of buckets.

    Parameters
    ----------
    outcomes : Outcomes
    region : tuple of int

    Attributes
    ----------
    candidates : list of str
        The attributes that may matter, those that the tree tests first: no other one can.
    """

    def __init__(self, outcomes: Outcomes, region: Region) -> None:
        self._of = outcomes
        self.region = region
        self._live = self._find_live()
        self._cells, self._outcome, tests = self._reduce()
        self._open = np.flatnonzero(self._outcome >= 0)
        self._leaves = self._outcome[self._open]
        asked = [n for leaf in self._leaves.tolist() for n in self._of.leaf[leaf].asks]
        self.candidates = list(dict.fromkeys([*tests, *asked]))
        self._classes: dict[int, list[tuple[int, ...]]] = {}

    def _find_live(self) -> list[int]:
        """The nodes that the region can still reach, parents first."""
        live, waiting = list[int](), [0]
        while waiting:
            number = waiting.pop()
            live.append(number)
            node = self._of.nodes[number]
            if isinstance(node, Branch):
                place = self._of.place[node.attribute]
                for child in (node.otherwise, node.then):
                    if self._of.paths[child][place] & self.region[place]:
                        waiting.append(child)
        return live

    def _reduce(self) -> tuple[list[int], NDArray[np.intp], list[str]]:
        """Find the cells, the outcome of each, and the attributes that are tested on the way."""
        nodes, one = self._of.nodes, dict[int, int | None]()
        for number in reversed(self._live):
            node = nodes[number]
            if isinstance(node, Leaf):
                one[number] = self._of.outcome[number]
                continue
            below = {one[child] for child in (node.then, node.otherwise) if child in one}
            one[number] = below.pop() if len(below) == 1 else None
        cells, tests, level = list[int](), list[str](), [0]
        while level:  # level by level, so that the tests come in the order of their depth
            further: list[int] = []
            for number in level:
                node = nodes[number]
                if one[number] is not None:
                    cells.append(number)
                elif isinstance(node, Branch):
                    children = [child for child in (node.then, node.otherwise) if child in one]
                    tests += [node.attribute] * (len(children) == 2)
                    further += children
            level = further
        return cells, np.asarray([one[number] for number in cells], np.intp), tests

    @property
    def single(self) -> bool:
        """Whether one cell is left: then what is needed is needed whatever else is answered."""
        return len(self._cells) == 1

    @cached_property
    def _inside(self) -> dict[int, _Matrix]:
        """For each attribute that may matter: which cell holds which bucket of the region."""
        places = [self._of.place[name] for name in self.candidates]
        region = {i: _bits([self.region[i]], self._of.sizes[i]) for i in places}
        return {i: self._of.boxes[i][self._cells] * region[i] for i in places}

    @cached_property
    def _apart(self) -> dict[int, NDArray[np.bool_]]:
        """For each attribute: which two cells have no bucket in common."""
        return {i: inside @ inside.T == 0 for i, inside in self._inside.items()}

    @cached_property
    def _n_apart(self) -> NDArray[np.int64]:
        total: NDArray[np.int64] = np.sum(list(self._apart.values()), axis=0, dtype=np.int64)
        return total

    def _meet(self, place: int) -> NDArray[np.bool_]:
        """Which two cells have common buckets in all attributes but one."""
        meet: NDArray[np.bool_] = self._n_apart - self._apart[place] == 0
        return meet

    @cached_property
    def _differ(self) -> NDArray[np.bool_]:
        """Which two cells have different outcomes for the same answers, bar the one apart."""
        differ = np.not_equal.outer(self._outcome, self._outcome)
        rest = self._of.rest[self._leaves]
        pairs = np.not_equal.outer(rest, rest)
        if len(self._leaves) > 1:
            for place, fed in enumerate(self._of.fed):
                pairs |= self._unlike(place, fed[self._leaves])
        differ[np.ix_(self._open, self._open)] = pairs
        return np.asarray(differ)

    def _unlike(self, place: int, values: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which two open cells feed different values of an attribute for a common bucket."""
        if place not in self._inside:  # not asked, so each leaf feeds one value
            return np.asarray(np.not_equal.outer(values[:, 0], values[:, 0]))
        held = self._inside[place][self._open] > 0
        pairs = np.zeros((len(held), len(held)), bool)
        for bucket in np.flatnonzero(held.any(axis=0)):
            both = np.logical_and.outer(held[:, bucket], held[:, bucket])
            pairs |= both & np.not_equal.outer(values[:, bucket], values[:, bucket])
        return pairs

    def classes(self, name: str) -> list[tuple[int, ...]]:
        """Put the buckets that can lead to no difference together.

        Parameters
        ----------
        name : str

        Returns
        -------
        list of tuple of int
            Ascending; one class only where the attribute does not matter.
        """
        place = self._of.place[name]
        if place not in self._classes:
            mask, size = self.region[place], self._of.sizes[place]
            buckets = [bucket for bucket in range(size) if mask >> bucket & 1]
            matters = name in self.candidates and len(buckets) > 1
            self._classes[place] = (
                _components(buckets, self._apart_buckets(place, buckets))
                if matters
                else [tuple(buckets)]
            )
        return self._classes[place]

    def _apart_buckets(self, place: int, buckets: list[int]) -> NDArray[np.bool_]:
        """Which two buckets must be told apart."""
        if self.single:
            fed = self._of.fed[place][self._leaves[0]][buckets]
            return np.asarray(np.not_equal.outer(fed, fed))
        holds = self._inside[place].T[buckets]
        differ = (self._differ & self._meet(place)).astype(np.float64)
        apart: NDArray[np.bool_] = holds @ differ @ holds.T > 0
        if self._open.size:
            apart |= self._fed_apart(place, buckets)
        return apart

    def _fed_apart(self, place: int, buckets: list[int]) -> NDArray[np.bool_]:
        """Which two buckets make open cells feed different values of the attribute itself."""
        holds = self._inside[place].T[buckets][:, self._open]
        meet = self._meet(place)[np.ix_(self._open, self._open)].astype(np.float64)
        values = self._of.fed[place][self._leaves].T[buckets]
        pairs = holds @ meet @ holds.T
        for value in np.unique(values):  # all pairs but those that feed the same value
            of_value = holds * (values == value)
            pairs -= of_value @ meet @ of_value.T
        apart: NDArray[np.bool_] = pairs > 0.5
        return apart

    def needs(self, name: str) -> bool:
        """Say whether an attribute can still change the outcome."""
        return name in self.candidates and len(self.classes(name)) > 1

    def leaf(self) -> int:
        """Give the number of the first leaf that is still possible."""
        nodes = self._of.nodes
        return min(number for number in self._live if isinstance(nodes[number], Leaf))

    def record(self) -> dict[str, Value]:
        """Give the record that is fed for the region, once nothing is needed."""
        number = self.leaf()
        leaf = self._of.recoding.leaves[number]
        fed = dict(leaf.record)
        for name in leaf.asks:
            i = self._of.place[name]
            possible = self.region[i] & self._of.paths[number][i]
            lowest = (possible & -possible).bit_length() - 1
            fed[name] = self._of.recoding.representatives[name][lowest]
        return {name: fed[name] for name in self._of.recoding.generalization.names}


def _components(buckets: list[int], apart: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Group buckets that need not be told apart; being alike is an equivalence."""
    found: list[tuple[int, ...]] = []
    taken: set[int] = set()
    for i, bucket in enumerate(buckets):
        if bucket not in taken:
            alike = tuple(b for b, told in zip(buckets, apart[i].tolist(), strict=True) if not told)
            taken.update(alike)
            found.append(alike)
    return found

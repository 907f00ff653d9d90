"""What the answers so far leave open: which attributes and which ranges can still matter.

A *region* holds the buckets that are still possible for each attribute. The outcome of a full
record is the prediction of its leaf where that is settled, and else the record that is fed. All
that is said here about a region is exact: two buckets are told apart if and only if some answers
to the rest lead to different outcomes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sparsam.generalization import FieldError
from sparsam.generalization.recoding import Branch, Leaf, Recoding, Value, buckets_of

Region = tuple[int, ...]
"""For each attribute of the tree a number whose bits are the buckets that are still possible."""

_Matrix = NDArray[np.float64]
_MOST_EFFORT: Final = 2**29


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
        self.paths = [recoding.paths.masks(name) for name in self.names]
        """For each attribute and node the buckets that the path to the node leaves, as bits."""
        self._number_outcomes()
        self._check_effort(len(self.state(self.everything).cells))
        self._number_values()

    def _check_effort(self, n_cells: int) -> None:
        """Refuse what would take minutes and gigabytes: every two cells are compared."""
        each = 8 * len(self.sizes) + sum(self.sizes)
        effort = n_cells**2 * each + n_cells * sum(size**2 for size in self.sizes)
        if n_cells > 1 and effort > _MOST_EFFORT:
            msg = (
                f"A questionnaire compares all outcomes with one another. {n_cells:,} of them, "
                f"over {sum(self.sizes):,} buckets, are too many: make the recoding with fewer "
                "leaves."
            )
            raise FieldError(msg, "recoding.nodes")

    def _number_outcomes(self) -> None:
        """Return equal outcomes the same number: settled ones below zero, open leaves from zero."""
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

    def _number_values(self) -> None:
        """Number the values that open leaves feed for each bucket, and for all attributes else."""
        self.fed: list[NDArray[np.intp]] = []
        for name, size in zip(self.names, self.sizes, strict=True):
            known: dict[Any, int] = {}
            own = [
                known.setdefault(_key(v), len(known)) for v in self.recoding.representatives[name]
            ]
            rows = [
                [known.setdefault(_key(leaf.record[name]), len(known))] * size
                if name in leaf.record
                else own
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
        """Return what a region leaves open."""
        return State(self, region)


def _bits(masks: list[int], size: int) -> _Matrix:
    """Write numbers as rows of zeros and ones, one for each bucket."""
    width = (size + 7) // 8
    raw = b"".join(mask.to_bytes(width, "little") for mask in masks)
    packed = np.frombuffer(raw, np.uint8).reshape(len(masks), width)
    bits = np.unpackbits(packed, axis=1, count=size, bitorder="little")
    return bits.astype(np.float64)


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
    cells : list of int
        Numbers of nodes.
    candidates : list of str
        The attributes that may matter, those that the tree tests first: no other one can.
    """

    def __init__(self, outcomes: Outcomes, region: Region) -> None:
        self._of = outcomes
        self.region = region
        self._live = self._find_live()
        self.cells, self._outcome, tests = self._reduce()
        self._open = np.flatnonzero(self._outcome >= 0)
        self._leaves = self._outcome[self._open]
        asked = [n for leaf in self._leaves.tolist() for n in self._of.leaf[leaf].asks]
        self.candidates = list(dict.fromkeys([*tests, *asked]))
        self._known = frozenset(self.candidates)
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
                    if self._of.paths[place][child] & self.region[place]:
                        waiting.append(child)
        return live

    def _reduce(self) -> tuple[list[int], NDArray[np.intp], list[str]]:
        """Find the cells, the outcome of each, and the attributes that are tested on the way."""
        nodes, single = self._of.nodes, dict[int, int | None]()
        for number in reversed(self._live):
            node = nodes[number]
            if isinstance(node, Leaf):
                single[number] = self._of.outcome[number]
                continue
            below = {single[child] for child in (node.then, node.otherwise) if child in single}
            single[number] = below.pop() if len(below) == 1 else None
        cells, tests, level = list[int](), list[str](), [0]
        while level:  # level by level, so that the tests come in the order of their depth
            further: list[int] = []
            for number in level:
                node = nodes[number]
                if single[number] is not None:
                    cells.append(number)
                elif isinstance(node, Branch):
                    children = [child for child in (node.then, node.otherwise) if child in single]
                    tests += [node.attribute] * (len(children) == 2)
                    further += children
            level = further
        return cells, np.asarray([single[number] for number in cells], np.intp), tests

    @property
    def single(self) -> bool:
        """Whether one cell is left: then what is needed is needed whatever else is answered."""
        return len(self.cells) == 1

    @cached_property
    def _inside(self) -> dict[int, _Matrix]:
        """For each attribute that may matter: which cell holds which bucket of the region."""
        places = [self._of.place[name] for name in self.candidates]
        region = {i: _bits([self.region[i]], self._of.sizes[i]) for i in places}
        paths = {i: [self._of.paths[i][cell] for cell in self.cells] for i in places}
        return {i: _bits(paths[i], self._of.sizes[i]) * region[i] for i in places}

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
            buckets = buckets_of(self.region[place])
            if name not in self._known or len(buckets) == 1:
                self._classes[place] = [tuple(buckets)]
            elif self.single:
                fed = self._of.fed[place][self._leaves[0]][buckets]
                self._classes[place] = _alike(buckets, fed.tolist())
            else:
                self._classes[place] = _components(buckets, self._apart_buckets(place, buckets))
        return self._classes[place]

    def _apart_buckets(self, place: int, buckets: list[int]) -> NDArray[np.bool_]:
        """Which two buckets must be told apart."""
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
        name = self._of.names[place]
        records = [self._of.leaf[leaf].record for leaf in self._leaves.tolist()]
        asks = np.asarray([name not in record for record in records])
        # a cell that asks feeds a value for each bucket, any other one the same for all of them
        asked, fixed = holds[:, asks], holds[:, ~asks]
        constant = values[0, ~asks]
        own = values[:, np.flatnonzero(asks)[0]] if asks.any() else values[:, 0]
        pairs = (asked @ meet[np.ix_(asks, asks)] @ asked.T) * np.not_equal.outer(own, own)
        across = (asked @ meet[np.ix_(asks, ~asks)]) * np.not_equal.outer(own, constant)
        pairs += across @ fixed.T + fixed @ across.T
        unlike = meet[np.ix_(~asks, ~asks)] * np.not_equal.outer(constant, constant)
        pairs += fixed @ unlike @ fixed.T
        apart: NDArray[np.bool_] = pairs > 0.5
        return apart

    def needs(self, name: str) -> bool:
        """Return whether an attribute can still change the outcome."""
        return name in self._known and len(self.classes(name)) > 1

    def leaf(self) -> int:
        """Return the number of the first leaf that is still possible."""
        nodes = self._of.nodes
        return min(number for number in self._live if isinstance(nodes[number], Leaf))

    def record(self) -> dict[str, Value]:
        """Return the record that is fed for the region, once nothing is needed."""
        number = self.leaf()
        leaf = self._of.recoding.leaves[number]
        fed = dict(leaf.record)
        for name in leaf.asks:
            i = self._of.place[name]
            possible = self.region[i] & self._of.paths[i][number]
            lowest = (possible & -possible).bit_length() - 1
            fed[name] = self._of.recoding.representatives[name][lowest]
        return {name: fed[name] for name in self._of.recoding.generalization.names}


def _alike(buckets: list[int], values: list[int]) -> list[tuple[int, ...]]:
    """Group buckets that have the same value."""
    groups: dict[int, list[int]] = {}
    for bucket, value in zip(buckets, values, strict=True):
        groups.setdefault(value, []).append(bucket)
    return [tuple(group) for group in groups.values()]


def _components(buckets: list[int], apart: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Group buckets that need not be told apart; being alike is an equivalence."""
    groups: list[tuple[int, ...]] = []
    taken: set[int] = set()
    for i, bucket in enumerate(buckets):
        if bucket not in taken:
            alike = tuple(b for b, told in zip(buckets, apart[i].tolist(), strict=True) if not told)
            taken.update(alike)
            groups.append(alike)
    return groups

"""The procedure of Goldsteen et al. 2021, section 3.1, as printed: prune, or un-generalise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, Table
from sparsam.generalization import Generalization, Recoding
from sparsam.generalization.recoding import Branch, Leaf, Node
from sparsam.minimise._constraints import Constraints
from sparsam.minimise.model._ladder import Ranges, identity, mean_penalty, stand_in
from sparsam.minimise.model._limits import Namer
from sparsam.minimise.model._oracle import Agreement, Answers, Oracle
from sparsam.minimise.model._recoding import label_of, prediction_task
from sparsam.minimise.tree._growth import Growth, buckets_of
from sparsam.minimise.tree._splits import LEFT, RIGHT, Split, TreeNode, leaves_of, tree_shape

LEAF_REPRESENTATIVES = ("nearest", "median", "mean", "random")


@dataclass(frozen=True)
class Stage:
    """One state of the procedure.

    Attributes
    ----------
    depth : int
        Where the tree is cut off.
    kept : frozenset of int
        Attributes that are not generalised.
    score : float
        What is kept of the model's answers on the people that it is judged on.
    """

    depth: int
    kept: frozenset[int]
    score: float


class _Judge:
    """Measures stages, and knows whether they are good enough."""

    def __init__(
        self,
        search: PaperSearch,
        codes: NDArray[np.uint16],
        agreement: Agreement,
        target: float,
        aim: float,
    ) -> None:
        self._search, self._codes, self._agreement = search, codes, agreement
        self._target, self._aim = target, aim
        self._met: dict[tuple[int, frozenset[int]], bool] = {}

    def __call__(self, depth: int, kept: frozenset[int]) -> Stage:
        score = self._agreement.kept(self._search.answers(self._codes, depth, kept))
        self._met[depth, kept] = score.holds(self._target, self._aim)
        return Stage(depth, kept, score.score)

    def met(self, stage: Stage) -> bool:
        return self._met[stage.depth, stage.kept]


class PaperSearch:
    """Grow a tree on the model's answers, then prune it or give attributes back.

    Parameters
    ----------
    table : Table
        The people to learn from.
    answers : array
        What the model answers for them.
    oracle : Oracle
    representative : {"nearest", "median", "mean", "random"}
    ilag : {"corrected", "paper"}
        What a feature counts whose removal gains nothing: infinitely much, or its NCP (eq. 3).
    constraints : Constraints
        Attributes of `must_keep` are not generalised; those of `must_drop`, and those with more
        values than they may have buckets, are not given back.
    weights : ndarray of float
        How much the information loss of each attribute counts; 1 if all count alike.
    rng : Generator
    namer : Namer, optional
        Puts rare categories with others, where there are any.
    """

    def __init__(
        self,
        table: Table,
        answers: Answers,
        oracle: Oracle,
        representative: str,
        ilag: str,
        constraints: Constraints,
        weights: NDArray[np.float64],
        rng: np.random.Generator,
        namer: Namer | None = None,
    ) -> None:
        self._namer = namer
        self._table, self._oracle, self._how, self._ilag = table, oracle, representative, ilag
        self._constraints, self._weights, self._rng = constraints, weights, rng
        self._always = frozenset(table.names.index(name) for name in constraints.must_keep)
        self._returnable = self._may_be_given_back()
        self._classes = oracle.classes(answers)
        everyone = prediction_task(table, np.zeros(table.n_rows, np.int64), 1)
        self._hierarchies = constraints.trees(everyone)
        self._splits = self._grow()
        full = tree_shape(self._splits, table.n_rows)
        self.depth = max(node.depth for node in full)
        self._stages: dict[int, tuple[list[TreeNode], NDArray[np.uint16]]] = {}
        self._combined: dict[int, list[NDArray[np.int64]]] = {}

    def _grow(self) -> Sequence[Split]:
        kinds = np.unique(self._classes)
        if len(kinds) < 2:
            return ()
        classes = np.searchsorted(kinds, self._classes)
        task = prediction_task(self._table, classes, len(kinds))
        growth = Growth(
            task,
            privacy=0.0,
            min_leaf=1,
            category_orders="target",
            constraints=self._constraints,
        )
        return growth.grow(task.n_rows)

    def _may_be_given_back(self) -> frozenset[int]:
        limits = self._constraints.max_buckets
        return frozenset(
            a
            for a, attribute in enumerate(self._table.attributes)
            if attribute.name not in self._constraints.must_drop
            and attribute.size <= limits.get(attribute.name, attribute.size)
        )

    def run(
        self, codes: NDArray[np.uint16], agreement: Agreement, target: float, aim: float
    ) -> list[Stage]:
        """All stages, the last of which is the result.

        Parameters
        ----------
        codes : ndarray of uint16
            The people that the generalization is judged on.
        agreement : Agreement
            With the model's answers for them.
        target, aim : float
            The score asked for, and how many standard errors above it to stay.
        """
        judge = _Judge(self, codes, agreement, target, aim)
        stages = [judge(self.depth, self._always)]
        if judge.met(stages[0]):
            while stages[-1].depth > 0:
                pruned = judge(stages[-1].depth - 1, self._always)
                if not judge.met(pruned):
                    break
                stages.append(pruned)
            return stages
        while not judge.met(stages[-1]) and self._returnable - stages[-1].kept:
            options = self._given_back(stages[-1], judge)
            stages.append(min(options, key=lambda option: option[0])[1])
        return stages

    def _given_back(
        self, stage: Stage, judge: _Judge
    ) -> Iterator[tuple[tuple[float, float], Stage]]:
        """ILAG of each attribute that is still generalised, and the stage without it."""
        losses = self._weights * [
            of_attribute.loss for of_attribute in self.ranges(stage.depth, stage.kept)
        ]
        for a in sorted(self._returnable - stage.kept):
            option = judge(stage.depth, stage.kept | {a})
            loss = float(losses[a])
            yield (self._score(loss, option.score - stage.score), loss), option

    def _score(self, loss: float, gain: float) -> float:
        if self._ilag == "paper":
            return loss / gain if gain != 0 else loss
        return loss / gain if gain > 0 else np.inf

    def ranges(self, depth: int, kept: frozenset[int]) -> list[Ranges]:
        """The global ranges: all split values of each attribute, or every value if it is kept."""
        partitions = []
        for a, attribute in enumerate(self._table.attributes):
            counts = np.bincount(self._table.codes[:, a], minlength=attribute.size)
            if a in kept:
                whole = identity(attribute, counts)
                partitions.append(whole if self._namer is None else self._namer.ranges(a, whole))
                continue
            buckets = self._buckets(depth)[a]
            chosen = [
                _common(attribute, np.flatnonzero(buckets == b), counts, self._rng)
                for b in range(int(buckets.max()) + 1)
            ]
            loss = mean_penalty(attribute, buckets, counts)
            partitions.append(Ranges(buckets, np.array(chosen), loss))
        return partitions

    def fed(
        self, codes: NDArray[np.uint16], depth: int, kept: frozenset[int]
    ) -> NDArray[np.uint16]:
        """What the model is fed: the leaf's representative, and the kept attributes as they are."""
        nodes, representatives = self._stage(depth)
        fed = representatives[leaves_of(nodes, codes)]
        for a in kept:
            fed[:, a] = codes[:, a]
        return fed

    def answers(self, codes: NDArray[np.uint16], depth: int, kept: frozenset[int]) -> Answers:
        """What the model answers then."""
        return self._oracle(self.fed(codes, depth, kept))

    def _stage(self, depth: int) -> tuple[list[TreeNode], NDArray[np.uint16]]:
        if depth not in self._stages:
            shape = tree_shape(self._splits, self._table.n_rows, depth)
            nodes = [_by_buckets(node, self._buckets(depth)) for node in shape]
            leaf = leaves_of(nodes, self._table.codes)
            order = np.argsort(leaf, kind="stable")
            starts = np.searchsorted(leaf[order], np.arange(len(nodes) + 1))
            records = np.zeros((len(nodes), len(self._table.attributes)), dtype=np.uint16)
            for number, node in enumerate(nodes):
                if node.split is None:
                    records[number] = self._representative(
                        order[starts[number] : starts[number + 1]]
                    )
            self._stages[depth] = nodes, records
        return self._stages[depth]

    def _buckets(self, depth: int) -> list[NDArray[np.int64]]:
        """All split values of each attribute above a depth, combined."""
        if depth not in self._combined:
            shape = tree_shape(self._splits, self._table.n_rows, depth)
            cut = [node.split for node in shape if node.split is not None]
            self._combined[depth] = [
                self._buckets_of(a, cut) for a in range(len(self._table.attributes))
            ]
        return self._combined[depth]

    def _buckets_of(self, a: int, cut: Sequence[Split]) -> NDArray[np.int64]:
        attribute = self._table.attributes[a]
        # once an attribute has all the buckets that it may have, any cut may be between them
        limited = attribute.name in self._constraints.max_buckets
        used = any(split.attribute == a for split in cut)
        splits = self._splits if limited and used else cut
        buckets = buckets_of(a, attribute, splits, self._hierarchies.get(a))
        return buckets if self._namer is None else self._namer.buckets(a, buckets)

    def _representative(self, members: NDArray[np.int64]) -> NDArray[np.uint16]:
        """The member nearest the median among those of the majority, or a made-up middle."""
        codes = self._table.codes[members]
        _, place, counts = np.unique(
            self._classes[members], return_inverse=True, return_counts=True
        )
        majority = codes[place == counts.argmax()]
        how = "median" if self._how == "nearest" else self._how
        middle = [
            _middle(attribute, majority[:, a], how, self._rng)
            for a, attribute in enumerate(self._table.attributes)
        ]
        if self._how != "nearest":
            return np.array(middle, dtype=np.uint16)
        apart = np.zeros(len(majority))
        for a, attribute in enumerate(self._table.attributes):
            apart += _distance(attribute, majority[:, a], middle[a])
        return np.asarray(majority[int(apart.argmin())], dtype=np.uint16)

    def recoding(self, generalization: Generalization, stage: Stage) -> Recoding:
        """The recoding of a stage."""
        ranges = self.ranges(stage.depth, stage.kept)
        nodes, records = self._stage(stage.depth)
        attributes = self._table.attributes
        asks = tuple(attributes[a].name for a in sorted(stage.kept) if ranges[a].n_buckets > 1)
        recoded: list[Node] = []
        for number, node in enumerate(nodes):
            if node.split is not None:
                a = node.split.attribute
                left = np.unique(ranges[a].buckets[node.split.goes_left])
                recoded.append(
                    Branch(attributes[a].name, tuple(left.tolist()), node.left, node.right)
                )
                continue
            record = {
                attribute.name: self._oracle.values(attribute, records[number, a : a + 1])[0]
                for a, attribute in enumerate(attributes)
                if attribute.name not in asks
            }
            answer = None if asks else label_of(self._oracle, self._oracle(records[[number]]))
            recoded.append(Leaf(asks, record, answer))
        representatives = {
            attribute.name: self._oracle.values(attribute, ranges[a].representatives)
            for a, attribute in enumerate(attributes)
        }
        return Recoding(generalization, representatives, recoded)


def _by_buckets(node: TreeNode, buckets: Sequence[NDArray[np.int64]]) -> TreeNode:
    """Send a code that a node never met where the others of its bucket go."""
    if node.split is None:
        return node
    own = buckets[node.split.attribute]
    left = np.isin(own, own[node.split.goes_left])
    split = replace(node.split, sides=np.where(left, LEFT, RIGHT))
    return replace(node, split=split)


def _middle(
    attribute: Attribute, codes: NDArray[np.uint16], how: str, rng: np.random.Generator
) -> int:
    counts = np.bincount(codes, minlength=attribute.size)
    return stand_in(attribute, np.flatnonzero(counts), counts, how, rng)


def _common(
    attribute: Attribute,
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    rng: np.random.Generator,
) -> int:
    seen = codes[counts[codes] > 0]
    return stand_in(attribute, seen, counts, "median", rng) if len(seen) else int(codes[0])


def _distance(attribute: Attribute, codes: NDArray[np.uint16], middle: int) -> NDArray[np.float64]:
    """How far codes are from one of them, between 0 and 1 for every attribute alike."""
    if not attribute.numeric:
        span = max(attribute.n_values - 1, 1)
        apart = (
            np.abs(codes.astype(float) - middle) / span if attribute.ordered else codes != middle
        )
        return np.asarray(np.minimum(apart, 1.0), dtype=float)
    gone = codes >= attribute.n_values
    if middle >= attribute.n_values:
        return np.asarray(~gone, dtype=float)
    values = attribute.lows[np.where(gone, 0, codes)]
    extent = float(attribute.highs[-1] - attribute.lows[0]) or 1.0
    apart = np.abs(values - attribute.lows[middle]) / extent
    return np.asarray(np.where(gone, 1.0, apart), dtype=float)

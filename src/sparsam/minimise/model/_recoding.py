"""From ranges and a tree over them to the recoding that feeds the unchanged model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, CategoricalDomain, Roles, Table, Task
from sparsam.generalization import Generalization, Recoding
from sparsam.generalization.recoding import MAX_PARTED, Branch, Leaf, Node
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._privacy_tree import Growth
from sparsam.minimise._ranges import equal_runs
from sparsam.minimise._splits import TreeNode, leaves_of, tree_shape, with_neighbours
from sparsam.minimise.model._ladder import Ranges
from sparsam.minimise.model._oracle import Answers, Oracle

_Shape = tuple[list[TreeNode], dict[int, NDArray[np.int64]]]

_MOST_RUNS = 64  # of the buckets of an attribute, that a branch may part
_MOST_COMPARED, _MOST_FOR_EACH = 2**28, 2**22  # buckets, as a questionnaire compares them
_MOST_ASKED = 150_000  # records, to find out what need not be asked
_SAME_NUMBER = 0.01  # of the spread of the answers, for a model that answers with numbers
Differs = Callable[[NDArray[np.uint16], NDArray[np.int64]], NDArray[np.bool_]]
Constants = dict[int, dict[int, int]]


class SettledTree:
    """Finds out which people need not be asked everything, since the answer is certain already.

    A tree over the buckets is grown on the model's answers to the records that it is fed. A leaf
    in which all of at least `fewest` people get the same answer is settled: one record stands for
    all of them. In every other leaf the person's own buckets go on counting.

    Parameters
    ----------
    attributes : sequence of Attribute
    ranges : sequence of Ranges
    codes : ndarray of uint16
        The people to learn from.
    oracle : Oracle
    fixed : collection of str, default=()
        Attributes that are fed as they are, so that no leaf may stand for them.
    """

    def __init__(
        self,
        attributes: Sequence[Attribute],
        ranges: Sequence[Ranges],
        codes: NDArray[np.uint16],
        oracle: Oracle,
        fixed: Collection[str] = (),
    ) -> None:
        self._attributes, self._ranges, self._oracle = attributes, ranges, oracle
        self._fixed = [
            a
            for a, (attribute, of_attribute) in enumerate(zip(attributes, ranges, strict=True))
            if attribute.name in fixed and of_attribute.n_buckets > 1
        ]
        self._buckets = self._buckets_of(codes)
        self._fed = np.column_stack(
            [of_attribute.stand_ins[codes[:, a]] for a, of_attribute in enumerate(ranges)]
        )
        self._answers = oracle(self._fed)
        self._classes = oracle.classes(self._answers)
        self._runs = [self._runs_of(a) for a in range(len(attributes))]
        self._shapes: dict[int, _Shape] = {}

    def settled(self, codes: NDArray[np.uint16], fewest: int) -> tuple[NDArray[np.int64], Answers]:
        """Which of other people are in a leaf that is settled, and the answers that they get.

        Parameters
        ----------
        codes : ndarray of uint16
        fewest : int
            As for `recoding`.
        """
        nodes, members = self._shape(fewest)
        large = [n for n, people in members.items() if self._is_settled(people, fewest)]
        if self._fixed or not large:
            return np.empty(0, np.int64), self._answers[:0]
        records = [self._stands_for(members[n]) for n in large]
        answers = self._oracle(np.array(records, dtype=np.uint16))
        leaf = leaves_of(nodes, self._buckets_of(codes))
        place = np.full(len(nodes), -1)
        place[large] = np.arange(len(large))
        inside = np.flatnonzero(place[leaf] >= 0)
        return inside, answers[place[leaf[inside]]]

    def fits(self, fewest: int) -> bool:
        """Whether leaves and buckets are few enough for a recoding, and to put questions in order.

        To put questions in order, all leaves are compared with one another, bucket by bucket, and
        for each person the buckets of each attribute.
        """
        nodes, leaves = self._shape(fewest)
        parted = sum(len(node.split.sides) for node in nodes if node.split is not None)
        sizes = [of_attribute.n_buckets for of_attribute in self._ranges]
        compared = len(leaves) ** 2 * (8 * len(sizes) + sum(sizes))
        for_each = len(leaves) * sum(size**2 for size in sizes)
        few = compared <= _MOST_COMPARED and for_each <= _MOST_FOR_EACH
        return parted <= MAX_PARTED and few

    def recoding(self, generalization: Generalization, fewest: int | None) -> Recoding:
        """The recoding; with no `fewest` everyone is asked everything that is collected."""
        nodes, members = self._shape(fewest)
        constants = self._constants(members, fewest)
        possible = _possible(nodes, [of_attribute.n_buckets for of_attribute in self._ranges])
        recoded = [
            self._branch(node, possible[n])
            if node.split is not None
            else self._leaf(members[n], possible[n], fewest, constants[n])
            for n, node in enumerate(nodes)
        ]
        representatives = {
            a.name: self._oracle.values(a, of_attribute.representatives)
            for a, of_attribute in zip(self._attributes, self._ranges, strict=True)
        }
        return Recoding(generalization, representatives, recoded)

    def _buckets_of(self, codes: NDArray[np.uint16]) -> NDArray[np.uint16]:
        buckets = [of_attribute.buckets[codes[:, a]] for a, of_attribute in enumerate(self._ranges)]
        return np.asfortranarray(np.column_stack(buckets).astype(np.uint16))

    def _shape(self, fewest: int | None) -> _Shape:
        """The nodes of the tree, and the people of each leaf."""
        if fewest is None or fewest not in self._shapes:
            nodes = [TreeNode(None)] if fewest is None else self._grow(fewest)
            leaf = leaves_of(nodes, self._buckets)
            leaves = [n for n, node in enumerate(nodes) if not node.split]
            shape = nodes, {n: np.flatnonzero(leaf == n) for n in leaves}
            if fewest is None:
                return shape
            self._shapes[fewest] = shape
        return self._shapes[fewest]

    def _constants(self, members: Mapping[int, NDArray[np.int64]], fewest: int | None) -> Constants:
        """What need not be asked in leaves that are large enough to tell."""
        large = {
            n: people if fewest is not None and len(people) >= fewest else people[:0]
            for n, people in members.items()
        }
        # one record stands for all people of a settled leaf, whatever need not be asked there
        settled = (
            [] if self._fixed else [n for n, p in large.items() if self._is_settled(p, fewest)]
        )
        if self._n_asked(large) > _MOST_ASKED:  # where it does not matter, nothing is asked
            large = {n: people[:0] if n in settled else people for n, people in large.items()}
            left = _MOST_ASKED
            for n in sorted(large, key=lambda n: len(large[n]), reverse=True):
                left -= self._n_asked({n: large[n]})
                large[n] = large[n] if left >= 0 else large[n][:0]
        return needless(self._fed, large, self._differs, self._fixed, settled)

    def _n_asked(self, leaves: Mapping[int, NDArray[np.int64]]) -> int:
        """How many records it takes to find out what need not be asked in some leaves."""
        return len(self._attributes) * sum(map(len, leaves.values()))

    def _is_settled(self, people: NDArray[np.int64], fewest: int | None) -> bool:
        """Whether enough people of a leaf get the same answer, and no other."""
        return (
            fewest is not None
            and len(people) >= fewest
            and len(np.unique(self._classes[people])) == 1
        )

    def _differs(self, records: NDArray[np.uint16], people: NDArray[np.int64]) -> NDArray[np.bool_]:
        spread = self._answers.std(axis=0)
        return differing(self._oracle, self._oracle(records), self._answers[people], spread)

    def _grow(self, fewest: int) -> list[TreeNode]:
        kinds = np.unique(self._classes)
        if len(kinds) < 2:
            return [TreeNode(None)]
        task = self._task(np.searchsorted(kinds, self._classes), len(kinds))
        growth = Growth(
            task, privacy=0.0, min_leaf=fewest, category_orders="target", constraints=Constraints()
        )
        shape = tree_shape(growth.grow(task.n_rows), task.n_rows)
        shape = with_neighbours(shape, [attribute.ordered for attribute in task.table.attributes])
        return [self._in_buckets(node) for node in shape]

    def _runs_of(self, a: int) -> NDArray[np.int64]:
        """For each bucket of an attribute the run that a branch parts, where there are many.

        What grows a tree remembers a count for each of them in each leaf.
        """
        attribute, n_buckets = self._attributes[a], self._ranges[a].n_buckets
        if not attribute.ordered or n_buckets <= _MOST_RUNS:
            return np.arange(n_buckets)
        counts = np.bincount(self._buckets[:, a], minlength=n_buckets)
        if not self._is_missing_apart(a):
            return equal_runs(counts, _MOST_RUNS)
        runs = equal_runs(counts[:-1], _MOST_RUNS)
        return np.append(runs, runs[-1] + 1)

    def _is_missing_apart(self, a: int) -> bool:
        """Whether missing values have a bucket of their own, which is then the last."""
        attribute, buckets = self._attributes[a], self._ranges[a].buckets
        return attribute.missing and bool(
            buckets[attribute.n_values] > buckets[: attribute.n_values].max()
        )

    def _in_buckets(self, node: TreeNode) -> TreeNode:
        """A node that parts runs as one that parts their buckets."""
        if node.split is None:
            return node
        sides = node.split.sides[self._runs[node.split.attribute]]
        return replace(node, split=replace(node.split, sides=sides))

    def _task(self, classes: NDArray[np.int64], n_classes: int) -> Task:
        attributes = []
        for a, (attribute, runs) in enumerate(zip(self._attributes, self._runs, strict=True)):
            names = tuple(str(run) for run in range(int(runs.max()) + 1))
            # a missing value may have a bucket of its own at the end: no order then
            ordered = attribute.ordered and not self._is_missing_apart(a)
            attributes.append(Attribute(attribute.name, CategoricalDomain(names, ordered=ordered)))
        codes = [runs[self._buckets[:, a]] for a, runs in enumerate(self._runs)]
        table = Table(
            tuple(attributes), np.asfortranarray(np.column_stack(codes).astype(np.uint16))
        )
        return prediction_task(table, classes, n_classes)

    def _branch(self, node: TreeNode, possible: list[NDArray[np.bool_]]) -> Node:
        assert node.split is not None
        a = node.split.attribute
        left = np.flatnonzero(node.split.goes_left & possible[a])
        return Branch(self._attributes[a].name, tuple(left.tolist()), node.left, node.right)

    def _leaf(
        self,
        members: NDArray[np.int64],
        possible: list[NDArray[np.bool_]],
        fewest: int | None,
        constants: Mapping[int, int],
    ) -> Node:
        if self._is_settled(members, fewest):
            settled = self._settled(members)
            if settled is not None:
                return settled
        asks, record = [], {}
        for a, (attribute, of_attribute) in enumerate(
            zip(self._attributes, self._ranges, strict=True)
        ):
            if possible[a].sum() > 1 and a not in constants:
                asks.append(attribute.name)
            else:
                code = constants.get(a, of_attribute.representatives[int(possible[a].argmax())])
                record[attribute.name] = self._oracle.values(attribute, np.array([code]))[0]
        if not asks:
            answer = self._oracle(self._fed_alone(possible, constants))
            return Leaf((), record, label_of(self._oracle, answer))
        return Leaf(tuple(asks), record)

    def _fed_alone(
        self, possible: list[NDArray[np.bool_]], constants: Mapping[int, int]
    ) -> NDArray[np.uint16]:
        codes = [
            constants.get(a, of_attribute.representatives[int(possible[a].argmax())])
            for a, of_attribute in enumerate(self._ranges)
        ]
        return np.array([codes], dtype=np.uint16)

    def _settled(self, members: NDArray[np.int64]) -> Leaf | None:
        """The commonest generalized record stands for all, where fixed attributes let it."""
        codes = self._stands_for(members)
        record = {
            attribute.name: self._oracle.values(attribute, codes[a : a + 1])[0]
            for a, attribute in enumerate(self._attributes)
            if a not in self._fixed
        }
        fed = np.repeat(codes[None], len(members), axis=0).astype(np.uint16)
        if not self._fixed:
            return Leaf((), record, label_of(self._oracle, self._oracle(fed[:1])))
        for a in self._fixed:
            fed[:, a] = self._ranges[a].representatives[self._buckets[members, a]]
        if (self._oracle(fed) != self._answers[members]).any():
            return None
        return Leaf(tuple(self._attributes[a].name for a in self._fixed), record)

    def _stands_for(self, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """The commonest generalized record of some people, in codes."""
        records, counts = np.unique(self._buckets[members], axis=0, return_counts=True)
        buckets = records[int(counts.argmax())]
        return np.array(
            [
                of_attribute.representatives[b]
                for of_attribute, b in zip(self._ranges, buckets, strict=True)
            ]
        )


def differing(
    oracle: Oracle, answers: Answers, before: Answers, spread: Any = None
) -> NDArray[np.bool_]:
    """Which answers are others than before; numbers may differ a little.

    Parameters
    ----------
    oracle : Oracle
    answers, before : array
    spread : array, optional
        The standard deviation of answers that are numbers; of those before if it is not given.
    """
    if not oracle.regression:
        return np.asarray(answers != before)
    margin = _SAME_NUMBER * (before.std(axis=0) if spread is None else spread)
    return np.asarray((np.abs(answers - before) > margin).any(axis=1))


def label_of(oracle: Oracle, answer: Answers) -> Any:
    """The model's one answer as a plain value; several outputs have no single word."""
    label = oracle.labels(answer)[0]
    if isinstance(label, tuple | np.ndarray):
        return ", ".join(map(str, label))
    return label.item() if isinstance(label, np.generic) else label


def _possible(
    nodes: Sequence[TreeNode], n_buckets: Sequence[int]
) -> dict[int, list[NDArray[np.bool_]]]:
    """For each node the buckets of each attribute that the path to it leaves."""
    possible = {0: [np.ones(size, dtype=bool) for size in n_buckets]}
    for number, node in enumerate(nodes):
        if node.split is None:
            continue
        a, left = node.split.attribute, node.split.goes_left
        for child, side in ((node.left, left), (node.right, ~left)):
            possible[child] = list(possible[number])
            possible[child][a] = possible[number][a] & side
    return possible


def prediction_task(
    table: Table, classes: NDArray[np.int64], n_classes: int, roles: Roles | None = None
) -> Task:
    """A table whose target is what a model answers."""
    names = tuple(str(kind) for kind in range(n_classes))
    declared = roles if roles is not None else Roles()
    return Task(table, classes.astype(np.uint16), names, "the model's answer", (), (), declared)


def needless(
    fed: NDArray[np.uint16],
    members: Mapping[int, NDArray[np.int64]],
    differs: Differs,
    spared: Collection[int] = (),
    settled: Collection[int] = (),
) -> Constants:
    """For each leaf the attributes that may be one value for all its people, and that value.

    An attribute is fixed at the commonest value of a leaf where no answer changes by it, those
    that change the fewest answers first; what is fixed already stays so for the next.

    Parameters
    ----------
    fed : ndarray of uint16
        What the model is fed for each person.
    members : mapping of int to ndarray of int
        The people of each leaf.
    differs : callable
        From records and the people that they are for to whether the model answers otherwise.
    spared : collection of int
        Attributes that must stay as they are.
    settled : collection of int
        Leaves that need no values. They count only for which attributes are tried first.
    """
    constants: Constants = {leaf: {} for leaf in members}
    leaves = [leaf for leaf, people in members.items() if len(people)]
    if not leaves:
        return constants
    common = {leaf: _commonest(fed[members[leaf]]) for leaf in leaves}
    everyone = np.concatenate([members[leaf] for leaf in leaves])
    at_leaf = np.concatenate([np.full(len(members[leaf]), leaf) for leaf in leaves])
    values = np.concatenate([np.tile(common[leaf], (len(members[leaf]), 1)) for leaf in leaves])
    free = [a for a in range(fed.shape[1]) if a not in spared]
    alone = _changed_alone(fed, everyone, values, free, differs)
    order = sorted(free, key=lambda a: int(alone[a].sum()))
    spoiled = {a: set(at_leaf[alone[a]].tolist()) for a in free}
    # only where it changes nothing alone may it change nothing together with others
    tried = {
        leaf: [a for a in order if leaf not in spoiled[a]] for leaf in leaves if leaf not in settled
    }
    fed = fed.copy()
    while tried:
        asked = [
            _Trial(leaf, members[leaf], fed[members[leaf]], attributes, common[leaf])
            for leaf, attributes in tried.items()
        ]
        tried = {}
        for trial, n_fixed in zip(asked, _how_many_hold(asked, differs), strict=True):
            for a in trial.attributes[:n_fixed]:
                fed[trial.people, a] = trial.values[a]
                constants[trial.leaf][a] = int(trial.values[a])
            rest = trial.attributes[n_fixed + 1 :]  # the one after the last that holds does not
            if rest:
                tried[trial.leaf] = rest
    return constants


@dataclass(frozen=True, repr=False)
class _Trial:
    """Attributes of a leaf that are to be fixed one after the other, as long as that holds."""

    leaf: int
    people: NDArray[np.int64]
    fed: NDArray[np.uint16]
    attributes: list[int]
    values: NDArray[np.uint16]

    def records(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint16]]]:
        """For each attribute the people whom it changes, and their records from then on."""
        fed = self.fed.copy()
        for a in self.attributes:
            other = np.flatnonzero(fed[:, a] != self.values[a])
            fed[other, a] = self.values[a]
            yield self.people[other], fed[other]


def _how_many_hold(trials: Sequence[_Trial], differs: Differs) -> list[int]:
    """For each leaf how many attributes may be fixed before an answer changes; asked at once."""
    steps = [list(trial.records()) for trial in trials]
    flat = [step for of_leaf in steps for step in of_leaf]
    sizes = [len(people) for people, _ in flat]
    changed = np.zeros(sum(sizes), dtype=bool)
    if len(changed):
        people = np.concatenate([people for people, _ in flat])
        changed = differs(np.concatenate([records for _, records in flat]), people)
    parts = iter(np.split(changed, np.cumsum(sizes)[:-1]))
    holds = [[not next(parts).any() for _ in of_leaf] for of_leaf in steps]
    return [[*of_leaf, False].index(False) for of_leaf in holds]


def _changed_alone(
    fed: NDArray[np.uint16],
    people: NDArray[np.int64],
    values: NDArray[np.uint16],
    free: Sequence[int],
    differs: Differs,
) -> dict[int, NDArray[np.bool_]]:
    """For each attribute, whose answer changes when it alone is another value."""
    other = {a: np.flatnonzero(fed[people, a] != values[:, a]) for a in free}
    records = []
    for a in free:
        records.append(fed[people[other[a]]])
        records[-1][:, a] = values[other[a], a]
    changed = {a: np.zeros(len(people), dtype=bool) for a in free}
    if any(len(rows) for rows in records):
        asked = people[np.concatenate([other[a] for a in free])]
        answers = differs(np.concatenate(records), asked)
        ends = np.cumsum([len(rows) for rows in records])[:-1]
        for a, part in zip(free, np.split(answers, ends), strict=True):
            changed[a][other[a]] = part
    return changed


def _commonest(codes: NDArray[np.uint16]) -> NDArray[np.uint16]:
    return np.array([np.bincount(column).argmax() for column in codes.T], dtype=np.uint16)

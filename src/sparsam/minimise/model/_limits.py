"""Which partitions of an attribute the search may choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError, hint
from sparsam._small_counts import SMALLEST_COUNT
from sparsam.data import Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._partitions import code_counts
from sparsam.minimise.model._ladder import Ranges, mean_penalty, without_rare


def within(
    ladders: Sequence[Sequence[Ranges]], task: Task, constraints: Constraints
) -> list[list[Ranges]]:
    """The partitions of each attribute that the constraints allow, from fine to coarse.

    Parameters
    ----------
    ladders : sequence of sequence of Ranges
        For each attribute the finest partition first.
    task : Task
        The people to learn from.
    constraints : Constraints
    """
    trees = constraints.trees(task)
    allowed = []
    for a, (name, ladder) in enumerate(zip(task.names, ladders, strict=True)):
        levels = list(ladder)
        if a in trees:
            nodes = {
                most: trees[a].at_most(most, task.sizes[a]) for most in range(task.sizes[a], 0, -1)
            }
            levels = [levels[0], *_distinct(task, a, ladder, list(nodes.values()))]
        if name in constraints.must_keep:
            levels = levels[:1]
        if name in constraints.must_drop:
            levels = [level for level in levels if level.n_buckets == 1]
        most = constraints.max_buckets.get(name)
        if most is not None:
            levels = [level for level in levels if level.n_buckets <= most]
        if not levels:
            raise ParameterError(f"No partition of '{name}' meets the constraints.")
        allowed.append(levels)
    return allowed


def with_constants(
    ladders: Sequence[Sequence[Ranges]], record: NDArray[np.uint16]
) -> list[list[Ranges]]:
    """The same, and at the end of each ladder that gives its attribute up the value of one record.

    Parameters
    ----------
    ladders : sequence of sequence of Ranges
    record : ndarray of uint16
        Codes of one person.
    """
    longer = [list(ladder) for ladder in ladders]
    for levels, code in zip(longer, record, strict=True):
        if levels[-1].n_buckets == 1:
            levels.append(replace(levels[-1], representatives=np.array([code], dtype=np.int64)))
    return longer


def _distinct(
    task: Task, a: int, ladder: Sequence[Ranges], nodes: Sequence[NDArray[np.int64]]
) -> list[Ranges]:
    """Partitions along a hierarchy, with the values that stand for their buckets."""
    attribute = task.table.attributes[a]
    counts = np.bincount(task.codes[:, a], minlength=attribute.size)
    partitions: list[Ranges] = []
    for buckets in nodes:
        n_buckets = int(buckets.max()) + 1
        if partitions and partitions[-1].n_buckets == n_buckets:
            continue
        common = [
            int(codes[counts[codes].argmax()])
            for codes in (np.flatnonzero(buckets == b) for b in range(n_buckets))
        ]
        loss = mean_penalty(attribute, buckets, counts)
        partitions.append(Ranges(buckets, np.array(common), loss))
    return partitions


class Namer:
    """Puts every rare category of an attribute with the commonest one, which may be named.

    Where no category may be named, they go with the missing values.

    Parameters
    ----------
    task : Task
        All people.
    rare : sequence of ndarray of bool
        For each attribute, the codes of categories that fewer than five people have.
    """

    def __init__(self, task: Task, rare: Sequence[NDArray[np.bool_]]) -> None:
        self._attributes, self._rare = task.table.attributes, rare
        self._counts = code_counts(task.codes, task.sizes)
        self._same = [self._goes_with(a) for a in range(len(rare))]

    def _goes_with(self, a: int) -> NDArray[np.uint16]:
        attribute, rare = self._attributes[a], self._rare[a]
        same = np.arange(attribute.size, dtype=np.uint16)
        if not rare.any():
            return same
        if rare[: attribute.n_values].all() and not attribute.missing:
            raise DataError(
                f"None of the categories of '{attribute.name}' is shared by {SMALLEST_COUNT} "
                "people, so that none may be named, and the model must be fed one."
                + hint(
                    "list it under identifiers if the model does without it, or declare its "
                    "categories under `domains` in the roles",
                    "--ignore it if the model does without it, or declare its categories in a "
                    "roles file",
                )
            )
        common = np.where(rare, -1, self._counts[a])
        if not rare[: attribute.n_values].all():
            common[attribute.n_values :] = -1
        same[rare] = common.argmax()
        return same

    def codes(self, codes: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """The codes of people, rare ones replaced."""
        if not any(rare.any() for rare in self._rare):
            return codes
        return np.column_stack([same[codes[:, a]] for a, same in enumerate(self._same)])

    def ranges(self, a: int, ranges: Ranges) -> Ranges:
        """Ranges of an attribute in which rare categories share a bucket with a common one."""
        return without_rare(
            ranges, self._attributes[a], self._counts[a], self._rare[a], self._same[a]
        )

    def buckets(self, a: int, buckets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Buckets of an attribute in which rare categories share one with a common one."""
        if not self._rare[a].any():
            return buckets
        return np.unique(buckets[self._same[a]], return_inverse=True)[1].astype(np.int64)

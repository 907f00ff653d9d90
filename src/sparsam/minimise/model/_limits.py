"""Which partitions of an attribute the search may choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.data import Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise.model._ladder import Ranges, mean_penalty
from sparsam.minimise.tree._growth import hierarchies


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
    trees = hierarchies(task, constraints)
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
            levels = [one for one in levels if one.n_buckets == 1]
        most = constraints.max_buckets.get(name)
        if most is not None:
            levels = [one for one in levels if one.n_buckets <= most]
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
    task: Task, a: int, ladder: Sequence[Ranges], found: Sequence[NDArray[np.int64]]
) -> list[Ranges]:
    """Partitions along a hierarchy, with the values that stand for their buckets."""
    attribute = task.table.attributes[a]
    counts = np.bincount(task.codes[:, a], minlength=attribute.size)
    made: list[Ranges] = []
    for buckets in found:
        n_buckets = int(buckets.max()) + 1
        if made and made[-1].n_buckets == n_buckets:
            continue
        common = [
            int(codes[counts[codes].argmax()])
            for codes in (np.flatnonzero(buckets == b) for b in range(n_buckets))
        ]
        loss = mean_penalty(attribute, buckets, counts)
        made.append(Ranges(buckets, np.array(common), loss))
    return made

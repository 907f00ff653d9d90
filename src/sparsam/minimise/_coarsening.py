"""Collect no more than a generalization does, and perhaps less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, Task
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import Minimiser
from sparsam.minimise._partitions import Partitions, code_counts, rare_together


def coarsenings(
    generalization: Generalization, task: Task, minimiser: Minimiser
) -> list[Generalization]:
    """The path of a minimiser among the generalizations that a given one refines.

    Parameters
    ----------
    generalization : Generalization
        The finest.
    task : Task
        The people to learn from, at full resolution.
    minimiser : Minimiser
        Learns as if nobody's record told more than that generalization does.

    Returns
    -------
    list of Generalization
        None tells values apart that the given one does not.
    """
    constraints = minimiser.constraints or Constraints()
    constraints.check(task)
    task = rare_together(task, constraints)
    counts = code_counts(task.codes, task.sizes)
    same = [
        _representatives(attribute, generalization[attribute.name].lookup(attribute), counts[a])
        for a, attribute in enumerate(task.table.attributes)
    ]
    codes = np.array(task.codes, order="F")
    for a, representative in enumerate(same):
        codes[:, a] = representative[codes[:, a]]
    partition = Partitions(task, constraints, minimiser.unseen)
    return [
        Generalization(
            [
                partition(a, _dense(found[attribute.name].lookup(attribute)[same[a]]))
                for a, attribute in enumerate(task.table.attributes)
            ],
            about=found.about,
        )
        for found in minimiser.path(replace(task, table=replace(task.table, codes=codes)))
    ]


def _representatives(
    attribute: Attribute, buckets: NDArray[np.uint16], counts: NDArray[np.int64]
) -> NDArray[np.uint16]:
    """For each code the commonest of its bucket; that of missing values only where it is alone."""
    people = counts + 1.0
    people[attribute.n_values :] = 0.5
    same = np.empty(attribute.size, dtype=np.uint16)
    for bucket in np.unique(buckets):
        codes = np.flatnonzero(buckets == bucket)
        same[codes] = codes[people[codes].argmax()]
    return same


def _dense(buckets: NDArray[np.uint16]) -> NDArray[np.int64]:
    return np.unique(buckets, return_inverse=True)[1].astype(np.int64)

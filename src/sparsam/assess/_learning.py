"""Whom the models and adversaries of a sweep learn from."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from sparsam.data import Split, Task

MOST_PEOPLE = 100_000
_KNOWN: WeakKeyDictionary[Split, Split] = WeakKeyDictionary()


def learning_part(data: Split) -> Split:
    """The same split with no more people to learn from than many models need.

    Where a training part is large, more of it moves the figures of dozens of candidates by less
    than they differ, and takes minutes. Nobody is left out of the parts to choose and report on.
    """
    if data.train.n_rows <= MOST_PEOPLE:
        return data
    if data not in _KNOWN:
        _KNOWN[data] = replace(data, train=some_people(data.train, data.random_state))
    return _KNOWN[data]


def some_people(task: Task, random_state: int) -> Task:
    """All people, or as many as models learn from, drawn at random."""
    if task.n_rows <= MOST_PEOPLE:
        return task
    drawn = np.random.default_rng(random_state).permutation(task.n_rows)[:MOST_PEOPLE]
    return task.take(np.sort(drawn))

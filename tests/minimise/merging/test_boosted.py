"""Boosted trees: nobody's own class is used, and rare records hide nothing."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam import load_example
from sparsam.data import Roles, Task, resolve
from sparsam.minimise.merging._boosted import boosted_loss, likely_classes
from sparsam.minimise.merging._people import People
from sparsam.minimise.merging._position import Position


def _people(task: Task) -> People:
    return People(task, np.eye(len(task.classes))[task.target])


def _nothing(people: People) -> list[np.ndarray]:
    return [np.zeros(size, dtype=np.int64) for size in people.sizes]


def test_boosted_trees_see_what_rare_records_hide() -> None:
    rng = np.random.default_rng(4)
    frame = {f"n{a}": rng.integers(0, 12, 1_500) for a in range(5)}
    task = resolve(frame, Roles(personal="all"), y=(frame["n0"] > 5) ^ (frame["n1"] > 5))
    people = _people(task)
    finest = [np.arange(size) for size in people.sizes]
    nothing = _nothing(people)
    boosted = boosted_loss(people, finest, 0)
    assert boosted < 0.05
    assert boosted < Position(people, finest).score.loss
    assert boosted_loss(people, nothing, 0) == pytest.approx(
        Position(people, nothing).score.loss, abs=0.02
    )
    assert boosted_loss(_people(task.take(np.arange(50))), nothing, 0) == np.inf


@pytest.fixture(scope="module")
def example() -> Task:
    return resolve(load_example(), Roles("employed")).take(np.arange(1_500))


def test_nobodys_own_class_is_used(example: Task) -> None:
    task = example.take(np.arange(600))
    target = task.target.copy()
    target[7] = 1 - target[7]
    other = Task(
        task.table, target, task.classes, "target", task.personal, task.weights, task.roles
    )
    here, there = likely_classes(task), likely_classes(other)
    assert np.array_equal(here[7], there[7])
    assert not np.array_equal(here, there)
    assert np.allclose(here.sum(axis=1), 1)

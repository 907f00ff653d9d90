"""Splits and merges at one price after the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from sparsam.data import Roles, Task, resolve
from sparsam.minimise import Constraints, Merging
from sparsam.minimise.merging._forward_backward import Proposals, forward_backward
from sparsam.minimise.merging._people import People
from sparsam.minimise.merging._position import Position


def _people(task: Task) -> People:
    return People(task, np.eye(len(task.classes))[task.target])


def _nothing(people: People) -> list[np.ndarray]:
    return [np.zeros(size, dtype=np.int64) for size in people.sizes]


@pytest.fixture(scope="module")
def needs_two() -> Task:
    """The target needs one cut of age and one town; size and colour say nothing."""
    rng = np.random.default_rng(1)
    frame = {
        "age": rng.integers(0, 8, 3_000),
        "size": rng.integers(0, 5, 3_000),
        "town": rng.choice(list("abcd"), 3_000),
        "colour": rng.choice(list("xyz"), 3_000),
    }
    return resolve(frame, Roles(), y=(frame["age"] < 3) | (frame["town"] == "c"))


def test_search_splits_where_the_target_needs_it(needs_two: Task) -> None:
    people = _people(needs_two)
    steps = forward_backward(
        Position(people, _nothing(people)), Proposals(people, Constraints()), (0.5, 0.1, 0.02)
    )
    age, size, town, colour = steps[-1][-1].lookups
    assert age.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert town.tolist() == [0, 0, 1, 0]
    assert not size.any()
    assert not colour.any()


def test_each_price_begins_where_the_one_before_ended(needs_two: Task) -> None:
    people = _people(needs_two)
    found = forward_backward(
        Position(people, _nothing(people)), Proposals(people, Constraints()), (1.0, 0.1)
    )
    for before, after in pairwise(found):
        assert before[-1].score == after[0].score
    for price, steps in zip((1.0, 0.1), found, strict=True):
        values = [step.score.priced(price) for step in steps]
        assert all(later < earlier for earlier, later in pairwise(values))


def test_groups_of_a_hierarchy_open_and_close_whole() -> None:
    rng = np.random.default_rng(2)
    town = rng.choice(list("abcd"), 2_000)
    task = resolve({"town": town}, Roles(), y=np.isin(town, ["a", "b"]))
    lines = {"a": ["x"], "b": ["x"], "c": ["y"], "d": ["y"]}
    found = Merging(constraints=Constraints(hierarchies={"town": lines}), min_leaf=10)
    for generalization in found.path(task):
        assert set(generalization["town"].groups) <= {
            ("a", "b"), ("c", "d"), ("a",), ("b",), ("c",), ("d",), ("a", "b", "c", "d")
        }  # fmt: skip
    assert any(g["town"].n_buckets == 2 for g in found.path(task))

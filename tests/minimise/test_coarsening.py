"""A path below a given generalization."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.data import Roles, Task, resolve
from sparsam.generalization import Generalization
from sparsam.minimise import Constraints, Merging, coarsenings
from sparsam.minimise._uniform import Uniform


@pytest.fixture(scope="module")
def task() -> Task:
    """The age and the town tell who works; nobody knows some of the ages."""
    rng = np.random.default_rng(1)
    age = rng.integers(20, 60, 600).astype(float)
    town = rng.choice(list("abcdef"), 600)
    works = (age > 40) ^ (town == "a") ^ (rng.random(600) < 0.1)
    age[rng.random(600) < 0.1] = np.nan
    return resolve({"age": age, "town": town, "works": works}, Roles("works"))


def test_nothing_is_told_apart_that_was_not(task: Task) -> None:
    path = Merging(min_leaf=10).path(task)
    finest = max(path, key=lambda g: g.n_buckets)
    coarser = coarsenings(finest, task, Merging(min_leaf=10))
    assert coarser
    assert all(finest.refines(g) for g in coarser)
    assert min(g.n_buckets for g in coarser) < finest.n_buckets


def test_full_resolution_leaves_the_path_as_it_is(task: Task) -> None:
    [finest] = Uniform().path(task, [1000])
    minimiser = Uniform()
    assert coarsenings(finest, task, minimiser) == minimiser.path(task)


def test_nothing_stays_nothing(task: Task) -> None:
    nothing = Generalization.nothing(task.table)
    assert {g.n_buckets for g in coarsenings(nothing, task, Uniform())} == {2}


def test_constraints_hold(task: Task) -> None:
    [finest] = Uniform().path(task, [5])
    limited = Uniform(constraints=Constraints(max_buckets={"age": 2}))
    assert max(g["age"].n_buckets for g in coarsenings(finest, task, limited)) <= 2
    with pytest.raises(ParameterError, match="not an attribute"):
        coarsenings(finest, task, Uniform(constraints=Constraints(must_drop=["zip"])))

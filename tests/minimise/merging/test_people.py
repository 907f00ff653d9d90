"""People in atoms: sums are those over the people."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsam import load_example
from sparsam.data import Roles, Task, resolve
from sparsam.minimise import Merging
from sparsam.minimise.merging._people import Layout, People, boosted_loss, likely_classes
from sparsam.minimise.merging._position import Position

QUIET = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def _people(task: Task) -> People:
    return People(task, np.eye(len(task.classes))[task.target])


def _drawn(people: People, data: st.DataObject) -> list[np.ndarray]:
    """Any grouping of the atoms, numbered by first atom."""
    lookups = []
    for size in people.sizes:
        drawn = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
        _, first, inverse = np.unique(drawn, return_index=True, return_inverse=True)
        lookups.append(np.argsort(np.argsort(first))[inverse].astype(np.int64))
    return lookups


@given(st.data())
@QUIET
def test_sums_are_those_over_the_people(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task())
    people = _people(task)
    weights = np.arange(task.n_rows, dtype=float)
    finest = Layout([np.arange(size) for size in people.sizes])
    pairs = people.pairs_with(finest, weights)
    for a in range(len(people.sizes)):
        for b in range(len(people.sizes)):
            block = pairs[people.block(a), people.block(b)]
            slow, n_people = np.zeros_like(block), np.zeros_like(block)
            for person, weight in enumerate(weights):
                place = people.columns[a][person], people.columns[b][person]
                slow[place] += weight
                n_people[place] += 1
            assert np.allclose(block, slow)
            assert (people.pair_counts[people.block(a), people.block(b)] == n_people).all()
    layout = Layout(_drawn(people, data))
    collapsed = layout.rows(people.pairs_with(layout, weights))
    assert np.allclose(collapsed, layout.rows(layout.rows(pairs).T).T)
    changed = data.draw(st.integers(0, len(people.sizes) - 1))
    before = Position(people, layout.lookups)
    other = [*layout.lookups]
    other[changed] = _drawn(people, data)[changed]
    position = Layout(other)
    slow = position.rows(people.pairs_with(position, before._spread))
    assert np.allclose(before.curvature_with(position, changed), slow)


def test_very_many_values_are_grouped_into_atoms() -> None:
    rng = np.random.default_rng(3)
    number = np.where(rng.random(6_000) < 0.1, np.nan, rng.permutation(6_000))
    label = rng.integers(0, 3_000, 6_000).astype(str)
    roles = Roles(personal=["label"], categorical=["label"], numeric=["number"])
    task = resolve({"number": number, "label": label}, roles, y=np.nan_to_num(number) < 2_000)
    people = _people(task)
    assert max(people.sizes) <= 600
    assert (people.atoms[0][:-1] < people.atoms[0][-1]).all()  # missing stays apart
    assert (np.diff(people.atoms[0]) >= 0).all()
    finest = [np.arange(size) for size in people.sizes]
    again = people.lookups(people.of_codes(finest))
    assert all((x == y).all() for x, y in zip(again, finest, strict=True))
    path = Merging(max_rows=3_000).fit_task(task).path_
    assert any(g.collected == ("number",) for g in path)


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


def test_a_number_is_told_as_a_share_of_low_and_high():
    """Shares lie apart as the numbers do, but for the outermost."""
    rng = np.random.default_rng(0)
    x, job = rng.random(1500), rng.integers(0, 3, 1500)
    pay = 10 * x + 5 * job + rng.normal(0, 0.5, 1500)
    task = resolve({"x": x, "job": np.array(list("abc"))[job]}, Roles(), y=pay)
    likely = likely_classes(task)
    assert likely.shape == (1500, 2)
    np.testing.assert_allclose(likely.sum(axis=1), 1)
    assert (likely >= 0).all()
    # nobody's own number was seen, and the noise is not told
    assert np.corrcoef(likely[:, 1], 10 * x + 5 * job)[0, 1] > 0.99

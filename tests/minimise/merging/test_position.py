"""The search's estimates: sums are those of the people, risk and loss those of the definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsam.attack import GeneralizedRecords, Reconstruction
from sparsam.data import Roles, Task, resolve, split
from sparsam.generalization import Generalization
from sparsam.minimise._partitions import code_counts, partition_of
from sparsam.minimise.merging._merge_path import Score
from sparsam.minimise.merging._people import People
from sparsam.minimise.merging._position import PairRisk, Position

QUIET = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def _people(task: Task) -> People:
    return People(task, np.eye(len(task.classes))[task.target])


def _nothing(people: People) -> list[np.ndarray]:
    return [np.zeros(size, dtype=np.int64) for size in people.sizes]


def _drawn(people: People, data: st.DataObject) -> list[np.ndarray]:
    """Any grouping of the atoms, numbered by first atom."""
    lookups = []
    for size in people.sizes:
        drawn = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
        _, first, inverse = np.unique(drawn, return_index=True, return_inverse=True)
        lookups.append(np.argsort(np.argsort(first))[inverse].astype(np.int64))
    return lookups


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


@given(st.data())
@QUIET
def test_scores_stay_in_their_range(any_task: Any, data: st.DataObject) -> None:
    people = _people(data.draw(any_task()))
    score = Position(people, _drawn(people, data)).score
    assert 0 <= score.loss <= 1.5
    assert -1e-9 <= score.risk <= 1 + 1e-6


def test_loss_sees_interactions() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 2, (2, 2_000))
    task = resolve({"one": one, "two": two}, Roles(personal="all"), y=one ^ two)
    people = _people(task)
    apart = [np.array([0, 1]), np.array([0, 1])]
    assert Position(people, apart).score.loss < 0.05
    assert Position(people, [apart[0], np.zeros(2, np.int64)]).score.loss > 0.3


def test_a_fit_from_the_position_before_is_the_same_fit(needs_two: Task) -> None:
    people = _people(needs_two)
    start = Position(people, _nothing(people))
    age = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    town = np.array([0, 0, 1, 0])
    there = start.replaced(0, age).replaced(2, town)
    cold = Position(people, [age, start.lookups[1], town, start.lookups[3]])
    assert there.score.loss == pytest.approx(cold.score.loss, abs=0.01)
    assert there.score.risk == cold.score.risk
    assert start.replaced(0, age) is start.replaced(0, age)


def test_a_score_prices_loss_and_risk() -> None:
    assert Score(0.2, 0.5).priced(0.1) == pytest.approx(0.25)


@given(st.data())
@QUIET
def test_risk_of_a_change_is_that_of_the_changed(any_task: Any, data: st.DataObject) -> None:
    people = _people(data.draw(any_task()))
    lookups, others = _drawn(people, data), _drawn(people, data)
    risk = PairRisk(people, lookups)
    for a, other in enumerate(others):
        changed = [*lookups[:a], other, *lookups[a + 1 :]]
        assert risk.after(a, other) == pytest.approx(PairRisk(people, changed).value)


def test_risk_is_near_that_of_the_adversary(needs_two: Task) -> None:
    data = split(needs_two)
    people = _people(data.train)
    lookups = [x.copy() for x in _nothing(people)]
    lookups[2][2:] = 1
    counts = code_counts(data.train.codes, data.train.sizes)
    parts = zip(data.train.table.attributes, lookups, counts, strict=True)
    records = GeneralizedRecords.of(Generalization([partition_of(*part) for part in parts]), data)
    measured = 1 - Reconstruction(models=("look-up",)).guess(records, data).risk("test").value
    assert Position(people, lookups).score.risk == pytest.approx(measured, abs=0.04)


def test_risk_counts_attributes_by_their_weights(needs_two: Task) -> None:
    lookups = [np.zeros(size, dtype=np.int64) for size in needs_two.sizes]
    lookups[2] = np.arange(4)  # the town in full resolution, the colour not at all
    risks = {}
    for weights in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (3.0, 1.0)):
        task = replace(needs_two, weights=weights)
        risks[weights] = Position(_people(task), lookups).score.risk
    assert risks[1.0, 0.0] == 1.0
    assert risks[0.0, 1.0] < 0.5
    assert risks[1.0, 1.0] == pytest.approx((1 + risks[0.0, 1.0]) / 2)
    assert risks[3.0, 1.0] == pytest.approx((3 + risks[0.0, 1.0]) / 4)

"""Merge paths: the score is what it says, every merge coarsens, beaten steps go."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsam.data import Roles, Task, resolve
from sparsam.generalization import Generalization
from sparsam.minimise import Constraints, Uniform
from sparsam.minimise._partitions import (
    code_counts,
    full_resolution,
    partition_of,
)
from sparsam.minimise.merging._merge_path import (
    STRENGTH,
    Lookups,
    MergeTables,
    Move,
    Moves,
    Score,
    Step,
    merge_path,
    unbeaten,
)

QUIET = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])


def _certain(task: Task) -> np.ndarray:
    return np.eye(len(task.classes))[task.target]


def _tables(task: Task, lookups: Lookups | None = None) -> MergeTables:
    finest = [full_resolution(attribute) for attribute in task.table.attributes]
    return MergeTables(task, lookups or finest, _certain(task))


def _generalization(task: Task, lookups: Lookups) -> Generalization:
    counts = code_counts(task.codes, task.sizes)
    parts = zip(task.table.attributes, lookups, counts, strict=True)
    return Generalization([partition_of(*part) for part in parts])


def _by_hand(task: Task, lookups: Lookups) -> Score:
    """Loss and risk person by person, from the definitions."""
    lines = [tuple(x[c] for x, c in zip(lookups, row, strict=True)) for row in task.codes.tolist()]
    loss = risk = 0.0
    for line in set(lines):
        rows = [i for i, other in enumerate(lines) if other == line]
        shares = [np.mean(task.target[rows] == c) for c in range(len(task.classes))]
        loss += len(rows) * (1 - max(shares) + 1 - sum(s * s for s in shares)) / 2
        for p, weight in zip(task.personal, task.weights, strict=True):
            alike = [i for i in range(task.n_rows) if lookups[p][task.codes[i, p]] == line[p]]
            best = max(
                np.sum(task.codes[rows, p] == v) + STRENGTH * np.mean(task.codes[alike, p] == v)
                for v in range(task.sizes[p])
            )
            share = weight / sum(task.weights) if sum(task.weights) else 0.0
            risk += share * best * len(rows) / (len(rows) + STRENGTH)
    return Score(loss / task.n_rows, risk / task.n_rows)


def _near(first: Score, second: Score) -> bool:
    return np.allclose([first.loss, first.risk], [second.loss, second.risk], atol=1e-5)


@given(st.data())
@QUIET
def test_score_is_that_of_the_definitions(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task())
    generalization = Uniform(buckets=data.draw(st.integers(1, 4))).fit_task(task).generalization_
    lookups = [
        generalization[attribute.name].lookup(attribute).astype(np.int64)
        for attribute in task.table.attributes
    ]
    assert _near(_tables(task, lookups).score, _by_hand(task, lookups))


@given(st.data())
@QUIET
def test_change_is_what_the_merge_changes(any_task: Any, data: st.DataObject) -> None:
    tables = _tables(task := data.draw(any_task()))
    for move in Moves(task, Constraints()).merges(tables.lookups):
        after, change = tables.after(move), tables.change(move)
        told = Score(tables.score.loss + change.loss, tables.score.risk + change.risk)
        assert _near(after.score, told)
        assert _near(after.score, _tables(task, after.lookups).score)


@given(st.data())
@QUIET
def test_each_step_down_coarsens_the_one_before(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(most_values=6))
    steps = merge_path(_tables(task), Moves(task, Constraints()))
    path = [_generalization(task, step.lookups) for step in steps]
    for fine, coarse in pairwise(path):
        assert fine.refines(coarse)
        assert not coarse.refines(fine)
    assert not path[-1].collected


def test_merges_that_cost_nothing_come_first() -> None:
    rng = np.random.default_rng(0)
    age = rng.integers(0, 8, 800)
    task = resolve({"age": age}, Roles(personal="all"), y=age < 3)
    steps = merge_path(_tables(task), Moves(task, Constraints()))
    assert [step.score.loss for step in steps[:7]] == [0.0] * 7
    assert _generalization(task, steps[6].lookups)["age"].cuts == (3,)


def _steps(*scores: tuple[float, float]) -> list[Step]:
    return [Step([], Score(*score)) for score in scores]


def test_beaten_steps_are_left_out() -> None:
    steps = _steps((0.1, 0.9), (0.2, 0.5), (0.2, 0.6), (0.3, 0.5), (0.4, 0.1))
    kept = unbeaten(steps, most=9)
    assert [step.score for step in kept] == [Score(0.1, 0.9), Score(0.2, 0.5), Score(0.4, 0.1)]


def test_steps_beaten_by_noise_only_are_kept_where_there_is_room() -> None:
    steps = _steps((0.1, 0.9), (0.2, 0.5), (0.21, 0.6), (0.205, 0.7), (0.3, 0.55))
    assert unbeaten(steps, 9, n_rows=10_000) == [steps[0], steps[3], steps[1]]
    assert unbeaten(steps, 9, n_rows=1_000) == [steps[0], steps[3], steps[2], steps[1]]
    assert unbeaten(steps, 3, n_rows=1_000) == [steps[0], steps[3], steps[1]]


def test_of_steps_beaten_by_noise_the_coarsest_are_kept() -> None:
    scores = ((0.1, 0.9), (0.2, 0.5), (0.21, 0.6), (0.205, 0.7))
    steps = [Step([np.arange(n)], Score(*one)) for n, one in zip((9, 5, 2, 6), scores, strict=True)]
    assert unbeaten(steps, 3, n_rows=1_000) == [steps[0], steps[2], steps[1]]


def test_steps_like_their_neighbours_go_first_when_there_are_too_many() -> None:
    steps = _steps((0.1, 0.9), (0.2, 0.5), (0.21, 0.49), (0.22, 0.48), (0.5, 0.1))
    assert unbeaten(steps, 3) == [steps[0], steps[3], steps[4]]
    assert unbeaten(steps, 2) == [steps[0], steps[4]]
    assert unbeaten(steps, 1) == [steps[0]]


def test_ordered_merges_are_of_neighbours_and_of_missing_values() -> None:
    task = resolve({"n": [1.0, 2.0, 3.0, None] * 5}, Roles(), y=[0, 1] * 10)
    found = list(Moves(task, Constraints()).merges([np.arange(4)]))
    pairs = [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert sorted(found, key=lambda m: m.buckets) == sorted(
        [*(Move(0, pair) for pair in pairs), Move(0, (0, 1, 2, 3))], key=lambda m: m.buckets
    )


def test_categories_of_a_hierarchy_merge_into_its_nodes_only() -> None:
    lines = {"a": ["x"], "b": ["x"], "c": ["y"], "d": ["y"]}
    task = resolve({"h": list("abcd") * 5}, Roles(), y=[0, 1] * 10)
    moves = Moves(task, Constraints(hierarchies={"h": lines}))
    assert {move.buckets for move in moves.merges([np.arange(4)])} == {(0, 1), (2, 3), (0, 1, 2, 3)}
    assert moves.has_hierarchy(0)
    assert [x.tolist() for x in moves.openings(0, np.zeros(4, np.int64))] == [[0, 0, 1, 1]]
    opened = [x.tolist() for x in moves.openings(0, np.array([0, 0, 1, 1]))]
    assert opened == [[0, 1, 2, 2], [0, 0, 1, 2]]

"""Merging: the score is what it says, every merge coarsens, demands hold, nothing is random."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsam import load_example
from sparsam._errors import ParameterError
from sparsam.assess import sweep
from sparsam.assess._candidates import MINIMISERS, default_candidates
from sparsam.data import Roles, Task, resolve, split
from sparsam.generalization import Generalization
from sparsam.minimise import Constraints, Merging, Uniform
from sparsam.minimise._partitions import (
    code_counts,
    full_resolution,
    partition_of,
    rare_codes,
)
from sparsam.minimise.merging._merge_search import Step, merge_path, unbeaten
from sparsam.minimise.merging._moves import Lookups, Move, Moves
from sparsam.minimise.merging._tables import STRENGTH, MergeTables, Score
from sparsam.minimise.merging._teacher import likely_classes

QUIET = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def example() -> Task:
    return resolve(load_example(), Roles("employed")).take(np.arange(1_500))


@pytest.fixture(scope="module")
def merged(example: Task) -> Merging:
    return Merging(start_leaves=6, min_leaf=50).fit_task(example)


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
    found = Uniform(buckets=data.draw(st.integers(1, 4))).fit_task(task).generalization_
    lookups = [
        found[attribute.name].lookup(attribute).astype(np.int64)
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


@pytest.mark.parametrize("privacy", [0.0, 0.1, 1.0])
def test_demands_hold_all_along_the_path(example: Task, privacy: float) -> None:
    names = example.names
    demands = Constraints(must_keep=[names[3]], must_drop=[names[0]], max_buckets={names[1]: 2})
    found = Merging(privacy=privacy, start_leaves=8, constraints=demands).fit_task(example)
    rare = rare_codes(example, demands)[3]
    for generalization in found.path_:
        assert generalization[names[3]].n_buckets == example.sizes[3] - rare.sum() + rare.any()
        assert generalization[names[0]].n_buckets == 1
        assert generalization[names[1]].n_buckets <= 2
    assert found.generalization_ in found.path_


def test_path_trades_loss_for_risk(example: Task, merged: Merging) -> None:
    loss, risk = merged.scores_.T
    assert (np.diff(risk) <= 0).all()
    for own, at in zip(loss, risk, strict=True):
        least = loss[risk <= at].min()
        assert own - least <= 2 * np.sqrt(least * (1 - least) / example.n_rows)
    assert 3 < len(merged.path_) <= 64
    assert not merged.path_[-1].collected
    assert len({g.partitions for g in merged.path_}) == len(merged.path_)


def test_a_short_path_keeps_both_ends(example: Task) -> None:
    settings = {"start_leaves": 4, "min_leaf": 50}
    short = Merging(max_path=4, **settings).path(example)
    assert len(short) == 4
    assert not short[-1].collected
    assert Merging(privacy=0.0, **settings).fit_task(example).generalization_.collected == (
        short[0].collected
    )


def test_privacy_chooses_the_point(example: Task, merged: Merging) -> None:
    settings = {"start_leaves": 6, "min_leaf": 50}
    for privacy in (0.0, 1.0):
        found = Merging(privacy=privacy, **settings).fit_task(example)
        chosen = (merged.scores_ @ [1 - privacy, privacy]).argmin()
        assert found.generalization_.partitions == merged.path_[chosen].partitions


def test_two_processes_find_the_same_path(example: Task, merged: Merging) -> None:
    with parallel_config(n_jobs=2):
        again = Merging(start_leaves=6, min_leaf=50).fit_task(example)
    np.testing.assert_array_equal(again.scores_, merged.scores_)
    assert again.path_ == merged.path_


def test_same_seed_same_path(example: Task, merged: Merging) -> None:
    again = Merging(start_leaves=6, min_leaf=50)
    assert tuple(again.path(example)) == merged.path_
    assert not hasattr(again, "path_")


def test_at_most_so_many_people_are_drawn(example: Task) -> None:
    drawn = [
        Merging(start_leaves=2, max_rows=600, random_state=seed).fit_task(example).scores_
        for seed in (0, 0, 1)
    ]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_trees_alone_are_taken_where_tables_are_too_wide(
    example: Task, merged: Merging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsam.minimise.merging._merging._MOST_CELLS", 1)
    narrow = Merging(start_leaves=6, min_leaf=50).fit_task(example)
    assert len(narrow.path_) <= len(merged.path_)
    assert not narrow.path_[-1].collected


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


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("privacy", 1.5), ("start_leaves", 0), ("max_path", 0), ("max_rows", 0.5), ("unseen", "x")],
)
def test_senseless_parameters_are_refused(example: Task, parameter: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=parameter):
        Merging(**{parameter: value}).fit_task(example)


def test_sweep_takes_the_whole_path(example: Task) -> None:
    assert "merging" in MINIMISERS
    data = split(example.take(np.arange(800)))
    candidates = list(default_candidates(data.train, ("merging",)))
    front = sweep(data, minimisers="merging", n_jobs=1)
    assert {point.candidate.minimiser for point in front.points} == {"merging"}
    assert len(front.points) == len(candidates)


@parametrize_with_checks([Merging(), Merging(start_leaves=4, min_leaf=1)])
def test_scikit_learns_own_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)

"""Merging: the score is what it says, every merge coarsens, demands hold, nothing is random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

from sparsam import load_example
from sparsam._errors import ParameterError
from sparsam.assess import sweep
from sparsam.assess._candidates import MINIMISERS, default_candidates
from sparsam.data import Roles, Task, resolve, split
from sparsam.minimise import Constraints, Merging
from sparsam.minimise._partitions import (
    rare_codes,
)


@pytest.fixture(scope="module")
def example() -> Task:
    return resolve(load_example(), Roles("employed")).take(np.arange(1_500))


@pytest.fixture(scope="module")
def merged(example: Task) -> Merging:
    return Merging(start_leaves=6, min_leaf=50).fit_task(example)


def test_demands_hold_all_along_the_path(example: Task) -> None:
    names = example.names
    demands = Constraints(must_keep=[names[3]], must_drop=[names[0]], max_buckets={names[1]: 2})
    merging = Merging(start_leaves=8, constraints=demands).fit_task(example)
    rare = rare_codes(example, demands)[3]
    for generalization in merging.path_:
        assert generalization[names[3]].n_buckets == example.sizes[3] - rare.sum() + rare.any()
        assert generalization[names[0]].n_buckets == 1
        assert generalization[names[1]].n_buckets <= 2
    assert merging.generalization_ in merging.path_


def test_path_trades_loss_for_risk(example: Task, merged: Merging) -> None:
    loss, risk = merged.scores_.T
    assert (np.diff(risk) <= 0).all()
    for own, at in zip(loss, risk, strict=True):
        least = loss[risk <= at].min()
        assert own - least <= 2 * np.sqrt(least * (1 - least) / example.n_rows)
    assert 3 < len(merged.path_) <= 64
    assert not merged.path_[-1].collected
    assert len({g.partitions for g in merged.path_}) == len(merged.path_)


def test_a_short_path_keeps_both_ends(example: Task, merged: Merging) -> None:
    short = Merging(max_path=4, start_leaves=6, min_leaf=50).path(example)
    assert len(short) == 4
    assert not short[-1].collected
    assert short[0].collected == merged.path_[merged.scores_[:, 0].argmin()].collected


def test_privacy_chooses_the_point(example: Task, merged: Merging) -> None:
    trusting = Merging(privacy=0.0, start_leaves=6, min_leaf=50).fit_task(example)
    for merging in (merged, trusting):
        chosen = (merged.scores_ @ [1 - merging.privacy, merging.privacy]).argmin()
        assert merging.generalization_.partitions == merged.path_[chosen].partitions


def test_same_seed_same_path_in_two_processes(example: Task, merged: Merging) -> None:
    again = Merging(start_leaves=6, min_leaf=50)
    with parallel_config(n_jobs=2):
        assert tuple(again.path(example)) == merged.path_
    assert not hasattr(again, "path_")


def test_at_most_so_many_people_are_drawn(example: Task) -> None:
    drawn = [
        Merging(start_leaves=2, max_rows=600, random_state=seed).fit_task(example).scores_
        for seed in (0, 1)
    ]
    assert not np.array_equal(*drawn)


def test_trees_alone_are_taken_where_tables_are_too_wide(
    example: Task, merged: Merging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsam.minimise.merging._merging._MOST_CELLS", 1)
    narrow = Merging(start_leaves=6, min_leaf=50).fit_task(example)
    assert len(narrow.path_) <= len(merged.path_)
    assert not narrow.path_[-1].collected


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

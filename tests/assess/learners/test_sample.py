"""Turns: everyone is held out once, and judged by those who have not learned from them."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.assess.learners import _sample
from sparsam.assess.learners._sample import ranges_of, samples, turns
from sparsam.attack import GeneralizedRecords
from sparsam.data import Roles, resolve, split
from sparsam.generalization import Generalization


def parts(n_rows: int, rare: float = 0.1):
    rng = np.random.default_rng(0)
    columns = {"a": rng.integers(0, 5, n_rows), "b": rng.choice(["x", "y"], n_rows)}
    return split(resolve(columns, Roles(), y=np.arange(n_rows) < max(1, rare * n_rows)))


@pytest.mark.parametrize("n_rows", [5, 60, 3000])
def test_everyone_is_held_out_once(n_rows: int) -> None:
    data = parts(n_rows)
    n_people = data.train.n_rows + data.validation.n_rows
    held_out = []
    for turn in turns(data):
        away = np.concatenate(turn.halves)
        held_out.append(away)
        np.testing.assert_array_equal(np.union1d(turn.learned, away), np.arange(n_people))
        assert not np.intersect1d(turn.learned, away).size
        assert not np.intersect1d(*turn.halves).size
    np.testing.assert_array_equal(np.sort(np.concatenate(held_out)), np.arange(n_people))
    assert turns(data) is turns(data)


def test_each_fold_has_its_share_of_a_rare_class() -> None:
    data = parts(2000, rare=0.02)
    target = np.concatenate([data.train.target, data.validation.target])
    of_rare = [int(target[np.concatenate(turn.halves)].sum()) for turn in turns(data)]
    assert max(of_rare) - min(of_rare) <= 1


def test_a_large_validation_part_is_held_out_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sample, "LARGE_VALIDATION", 50)
    data = parts(600)
    [turn] = turns(data)
    np.testing.assert_array_equal(turn.learned, np.arange(data.train.n_rows))
    held_out = np.sort(np.concatenate(turn.halves))
    np.testing.assert_array_equal(held_out, data.train.n_rows + np.arange(data.validation.n_rows))


def test_sums_are_those_of_the_people() -> None:
    data = parts(300)
    records = GeneralizedRecords.of(Generalization.identity(data.train.table), data)
    target = np.concatenate([data.train.target, data.validation.target])
    for turn, sample in samples(records, data):
        assert sample.unordered == [records.columns.index(1)]
        np.testing.assert_array_equal(sample.people, sample.sums.sum(axis=1))
        np.testing.assert_array_equal(
            sample.sums.sum(axis=0), np.bincount(target[turn.learned], minlength=2)
        )
        for half, held_out in zip(turn.halves, sample.held_out, strict=True):
            classes = np.bincount(target[half], minlength=2)
            np.testing.assert_array_equal(held_out.sum(axis=0), [*classes, len(half)])


def test_ranges_hold_about_as_many_people_each() -> None:
    assert ranges_of(np.array([5.0, 5, 5, 5]), 2).tolist() == [0, 0, 1, 1]
    assert ranges_of(np.array([97.0, 1, 1, 1]), 4).tolist() == [0, 1, 1, 1]
    assert ranges_of(np.array([1.0, 1, 1]), 8).tolist() == [0, 1, 2]

"""The baselines and the algorithms: exact counts, same seed same mask, and that they help."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.individual._algorithms import (
    association,
    breed,
    evolutionary,
    feature_selection,
    individual_random,
    influences,
    modelling,
    mutate,
    random_rows,
)
from sparsam.individual._arrays import kept_count, random_bits
from sparsam.individual._first_order import first_order
from sparsam.individual._individual_minimiser import ALGORITHMS
from sparsam.individual._stationarity import stationarity
from sparsam.individual._training_set import TrainingSet

QUICK = {
    **ALGORITHMS,
    "stationarity": partial(stationarity, rounds=6),
    "evolutionary": partial(evolutionary, population=3, generations=2),
    "modelling": partial(modelling, n_masks=5),
    "first order": partial(first_order, rounds=4),
}


@pytest.mark.parametrize("name", list(QUICK))
@pytest.mark.parametrize("classes", [2, 3])
def test_counts_are_exact_and_seeds_repeat(
    training_set: Callable[..., TrainingSet], name: str, classes: int
) -> None:
    small = training_set(40, 5, classes)
    for keep in (0.001, 0.13, 0.5, 0.93, 1.0):
        first = QUICK[name](small, keep, random_state=5)
        assert first.n_kept == kept_count(keep, small.n_values) == max(1, round(keep * 200))
        assert first == QUICK[name](small, keep, random_state=5)
        assert first.random_state == 5
        assert first.learner == "logistic regression (l2=1)"
    if name != "feature selection":
        assert first.n_kept == 200
        assert QUICK[name](small, 0.3, random_state=1) != QUICK[name](small, 0.3, random_state=2)


@pytest.mark.parametrize("name", list(QUICK))
def test_bad_shares_and_seeds(training_set: Callable[..., TrainingSet], name: str) -> None:
    small = training_set(20, 3)
    for keep in (0, -0.1, 1.1, "all", True):
        with pytest.raises(ParameterError, match="'keep'"):
            QUICK[name](small, keep)
    for seed in (-1, None, 0.5):
        with pytest.raises(ParameterError, match="'random_state'"):
            QUICK[name](small, 0.3, random_state=seed)


def test_baselines_have_their_shapes(data: TrainingSet) -> None:
    columns = feature_selection(data, 2.5 / 6).kept.sum(0)
    assert sorted(columns) == [0, 0, 0, 200, 400, 400]
    strength = association(data.X, data.y)
    assert strength[columns == 400].min() >= strength[columns < 400].max()
    rows = random_rows(data, 0.25).kept.sum(1)
    assert sorted(np.unique(rows)) == [0, 6]
    assert (rows == 6).mean() == 0.25
    single = individual_random(data, 0.25).kept
    assert abs(single.mean(0) - 0.25).max() < 0.1


def test_association_is_the_correlation(training_set: Callable[..., TrainingSet]) -> None:
    data = training_set(100, 4)
    library = [abs(np.corrcoef(column, data.y)[0, 1]) for column in data.X.T]
    np.testing.assert_allclose(association(data.X, data.y), library)
    constant = np.column_stack([data.X, np.ones(100)])
    assert association(constant, data.y)[-1] == 0


@given(seed=st.integers(0, 10**6), count=st.integers(1, 23), flips=st.integers(0, 12))
def test_breeding_and_mutation_keep_the_count(seed: int, count: int, flips: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = (random_bits(rng, np.ones((4, 6), bool), count) for _ in range(2))
    child = breed(rng, one, other)
    assert child.sum() == count
    assert (child[one == other] == one[one == other]).all()
    changed = mutate(rng, child, np.ones((4, 6), bool), flips)
    assert changed.sum() == count
    many = min(flips, count, 24 - count)
    assert (changed & ~child).sum() == (child & ~changed).sum() == many


def test_evolution_never_gets_worse(data: TrainingSet) -> None:
    losses = [
        evolutionary(data, 0.1, population=5, generations=g, random_state=3).facts["loss"]
        for g in (1, 3, 6)
    ]
    assert losses[0] >= losses[1] >= losses[2]  # type: ignore[operator]
    start = individual_random(data, 0.1)
    assert losses[2] < data.losses(start.kept[None])[0]


def test_influences_equal_the_means_of_the_equations(
    training_set: Callable[..., TrainingSet], data: TrainingSet
) -> None:
    small = training_set(15, 3)
    slopes = influences(small, 0.5, n_masks=20, random_state=4)
    rng = np.random.default_rng(4)
    masks, losses = [], []
    while len(masks) < 20:  # the same draws, in the same groups
        some = [
            random_bits(rng, np.ones((15, 3), bool), 22) for _ in range(min(16, 20 - len(masks)))
        ]
        masks += some
        losses += small.losses(np.stack(some)).tolist()
    for i in range(15):
        for j in range(3):
            with_it = [loss for mask, loss in zip(masks, losses, strict=True) if mask[i, j]]
            without = [loss for mask, loss in zip(masks, losses, strict=True) if not mask[i, j]]
            expected = np.mean(without) - np.mean(with_it) if with_it and without else 0
            assert slopes[i, j] == pytest.approx(expected, abs=1e-10)


def with_holes(data: TrainingSet, seed: int = 0) -> TrainingSet:
    """Take a quarter of the values away, before anything is learned."""
    rows = data.values.copy()
    rows[np.random.default_rng(seed).random(rows.shape) < 0.25] = np.nan
    rows[0] = np.nan  # of this person nothing is there at all
    return TrainingSet(rows, data.y, data.statistics)


@pytest.mark.parametrize("name", list(QUICK))
def test_what_is_not_there_is_never_kept(
    training_set: Callable[..., TrainingSet], name: str
) -> None:
    holes = with_holes(training_set(40, 5))
    assert holes.n_values < 160
    for keep in (0.001, 0.3, 0.97, 1.0):
        mask = QUICK[name](holes, keep, random_state=5)
        assert not (mask.kept & np.isnan(holes.values)).any()
        assert mask.n_kept == max(1, round(keep * holes.n_values))
        assert (mask.n_values, mask.kept_share) == (holes.n_values, mask.n_kept / holes.n_values)
    assert mask.kept.tolist() == holes.full.tolist()


def test_baselines_keep_whole_attributes_and_people_as_far_as_they_are_there(
    training_set: Callable[..., TrainingSet],
) -> None:
    holes = with_holes(training_set(40, 5))
    there = holes.present
    chosen = feature_selection(holes, 0.5).kept
    whole = [j for j in range(5) if (chosen[:, j] == there[:, j]).all() and there[:, j].any()]
    part = [j for j in range(5) if chosen[:, j].any() and j not in whole]
    assert len(part) <= 1
    assert chosen.sum() == round(0.5 * holes.n_values)
    rows = random_rows(holes, 0.5).kept
    assert sum(bool(rows[i].any() and (rows[i] != there[i]).any()) for i in range(40)) <= 1


def test_association_is_over_those_who_have_the_value() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 3)), rng.integers(0, 2, 60)
    X[rng.random(X.shape) < 0.3] = np.nan
    found = association(X, y)
    for j in range(3):
        there = ~np.isnan(X[:, j])
        assert found[j] == pytest.approx(abs(np.corrcoef(X[there, j], y[there])[0, 1]))

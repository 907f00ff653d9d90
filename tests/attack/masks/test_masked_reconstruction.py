"""The reconstruction risk behind a mask (RCR, eq. 2), against a slow and obvious version."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.attack.masks._masked_reconstruction import (
    checked_mask,
    masked_reconstruction,
    people_interval,
)

SEEDS = st.integers(0, 2**32 - 1)


def _draw(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 9)), int(rng.integers(1, 6)))
    return rng.random(shape), rng.random(shape), rng.random(shape) < rng.random()


def _slow_rcr(X: np.ndarray, guess: np.ndarray, kept: np.ndarray, weights: np.ndarray) -> float:
    total = 0.0
    for i in range(X.shape[0]):
        square = 0.0
        for k in range(X.shape[1]):
            value = X[i, k] if kept[i, k] else guess[i, k]
            square += weights[k] * (X[i, k] - value) ** 2
        total += math.exp(-math.sqrt(square))
    return total / X.shape[0]


@given(SEEDS)
def test_equals_the_loop_over_people_and_values(seed: int) -> None:
    X, guess, kept = _draw(seed)
    weights = np.random.default_rng(seed).random(X.shape[1])
    plain = masked_reconstruction(X, guess, kept)
    weighted = masked_reconstruction(X, guess, kept, weights=weights)
    assert plain.value == pytest.approx(_slow_rcr(X, guess, kept, np.ones(X.shape[1])))
    assert weighted.value == pytest.approx(_slow_rcr(X, guess, kept, weights))
    assert weighted.details["weighted"]
    removed = [(X[i, k] - guess[i, k]) ** 2 for i, k in zip(*np.nonzero(~kept), strict=True)]
    if removed:
        assert plain.details["removed_error"] == pytest.approx(
            math.sqrt(sum(removed) / len(removed))
        )
    else:
        assert plain.details["removed_error"] is None


@settings(max_examples=25)
@given(SEEDS)
def test_random_rows_are_linear_in_the_kept_share(seed: int) -> None:
    X, guess, _ = _draw(seed)
    n_people = len(X)
    nothing = masked_reconstruction(X, guess, np.zeros(X.shape, bool)).value
    for n_kept in range(n_people + 1):
        risks = []
        for rows in combinations(range(n_people), n_kept):
            kept = np.zeros(X.shape, bool)
            kept[list(rows)] = True
            risks.append(masked_reconstruction(X, guess, kept).value)
        share = n_kept / n_people
        assert np.mean(risks) == pytest.approx(share + (1 - share) * nothing)


@given(SEEDS)
def test_each_kept_row_adds_the_same_whoever_else_is_kept(seed: int) -> None:
    X, guess, _ = _draw(seed)
    rng = np.random.default_rng(seed)
    rows = rng.random(len(X)) < 0.5

    def risk(rows: np.ndarray) -> float:
        return masked_reconstruction(X, guess, np.repeat(rows[:, None], X.shape[1], 1)).value

    none = np.zeros(len(X), bool)
    alone = [risk(np.arange(len(X)) == i) - risk(none) for i in np.flatnonzero(rows)]
    assert risk(rows) == pytest.approx(risk(none) + sum(alone))


@given(SEEDS)
def test_keeping_more_never_lowers_it_and_all_is_1(seed: int) -> None:
    X, guess, kept = _draw(seed)
    more = kept | (np.random.default_rng(seed).random(X.shape) < 0.3)
    less_risk, more_risk = (masked_reconstruction(X, guess, mask) for mask in (kept, more))
    assert more_risk.value >= less_risk.value
    assert masked_reconstruction(X, guess, np.ones(X.shape, bool)).value == 1


@given(SEEDS)
def test_with_nothing_kept_and_the_mean_filled_in_it_is_the_baseline(seed: int) -> None:
    X, guess, _ = _draw(seed)
    mean = guess[0]
    filled = np.broadcast_to(mean, X.shape)
    risk = masked_reconstruction(X, filled, np.zeros(X.shape, bool), mean=mean)
    assert risk.value == pytest.approx(risk.baseline)
    assert risk.advantage == pytest.approx(0)
    assert risk.details["removed_error"] == pytest.approx(risk.details["naive_error"])
    low, high = risk.interval
    assert low <= risk.value <= high


def test_what_is_imputed_for_a_kept_value_is_not_read() -> None:
    X, kept = np.array([[0.2, 0.4]]), np.array([[True, False]])
    risk = masked_reconstruction(X, np.array([[np.nan, 0.3]]), kept)
    assert risk.value == pytest.approx(math.exp(-0.1))


def test_it_is_not_the_square_of_the_distance() -> None:
    X = np.array([[0.0, 0.0]])
    risk = masked_reconstruction(X, np.array([[3.0, 4.0]]), np.zeros((1, 2), bool))
    assert risk.value == pytest.approx(math.exp(-5))


def test_plain_data_and_text() -> None:
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    kept = np.array([[True, True], [False, True], [False, False]])
    risk = masked_reconstruction(X, np.full((3, 2), 0.5), kept, mean=[0.5, 0.5], adversary="mean")
    assert json.loads(json.dumps(risk.to_dict()))["details"] == {}  # of so few people
    assert risk.details["kept_share"] == 0.5
    assert risk.details["mean"] == "public"
    assert risk.details["removed_error"] == risk.details["naive_error"] == 0.5
    assert str(risk) == "mean: not told, on so few people (behind the mask)"
    many = masked_reconstruction(np.tile(X, (3, 1)), np.full((9, 2), 0.5), np.tile(kept, (3, 1)))
    assert str(many).startswith("imputation: similarity 0.")


def test_interval_has_a_width_even_if_all_are_alike() -> None:
    low, high = people_interval(np.ones(10))
    assert low < 0.75
    assert high == pytest.approx(1)
    assert people_interval(np.tile([0.0, 1.0], 50)) == pytest.approx((0.4015, 0.5985), abs=1e-4)


def test_bad_input() -> None:
    X, kept = np.full((2, 2), 77.125), np.zeros((2, 2), bool)
    with pytest.raises(DataError, match=r"a matrix of people and attributes.*\(2,\)"):
        checked_mask(X[0], kept)
    with pytest.raises(DataError, match="one at least of each"):
        checked_mask(np.zeros((0, 2)), np.zeros((0, 2), bool))
    with pytest.raises(DataError, match="truth values"):
        checked_mask(X, kept.astype(int))
    with pytest.raises(DataError, match=r"of the shape \(2, 2\)"):
        checked_mask(X, kept[:1])
    with pytest.raises(DataError, match="finite") as caught:
        checked_mask(np.where([[True, False], [False, False]], np.inf, X), kept)
    assert "77" not in str(caught.value)
    with pytest.raises(DataError, match="imputed records must have the shape"):
        masked_reconstruction(X, X[:1], kept)
    with pytest.raises(DataError, match="removed ones are not"):
        masked_reconstruction(X, X * np.nan, kept)
    with pytest.raises(ParameterError, match="'mean' parameter"):
        masked_reconstruction(X, X, kept, mean=[1.0])
    with pytest.raises(ParameterError, match="'weights' parameter"):
        masked_reconstruction(X, X, kept, weights=[1.0, np.inf])
    with pytest.raises(ParameterError, match="at least 0"):
        masked_reconstruction(X, X, kept, weights=[1.0, -1.0])


@given(SEEDS)
def test_what_is_not_there_is_not_reconstructed(seed: int) -> None:
    X, guess, kept = _draw(seed)
    rng = np.random.default_rng(seed)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[0, 0] = 0.5
    there = ~np.isnan(X)
    kept &= there
    risk = masked_reconstruction(X, guess, kept, mean=guess[0])
    # as if a guess were right wherever there is nothing to guess
    same = np.where(there, X, guess)
    assert risk.value == pytest.approx(_slow_rcr(same, guess, kept, np.ones(X.shape[1])))
    naive = np.where(there, np.broadcast_to(guess[0], X.shape), same)
    nothing = np.zeros(X.shape, bool)
    assert risk.baseline == pytest.approx(_slow_rcr(same, naive, nothing, np.ones(X.shape[1])))
    assert risk.details["kept_share"] == kept.sum() / there.sum()


def test_a_kept_value_must_be_there() -> None:
    with pytest.raises(DataError, match="must be there"):
        masked_reconstruction([[np.nan, 1.0]], [[0.0, 0.0]], np.array([[True, True]]))
    with pytest.raises(DataError, match="hold a value"):
        masked_reconstruction([[np.nan]], [[0.0]], np.array([[False]]))

"""Re-identification of minimised records (RIR, eq. 3), against brute force."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from sparsam._errors import DataError, ParameterError
from sparsam.attack.masks import _reidentification as module
from sparsam.attack.masks._reidentification import (
    EVIDENCE,
    Agreement,
    expected_reciprocal_rank,
    gaussian_rarity,
    gaussian_surprise,
    grades,
    harmonic_numbers,
    rarity_of_records,
    rarity_of_values,
    reidentification,
    weight_in_matching,
)

SEEDS = st.integers(0, 2**32 - 1)
WITHOUT_STATISTICS = [word for word in EVIDENCE if word != "gaussian"]


def _draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Few distinct values, so that ties are the rule; some records are emptied."""
    rng = np.random.default_rng(seed)
    n_people, n_attributes = int(rng.integers(1, 13)), int(rng.integers(1, 6))
    X = rng.integers(0, rng.integers(1, 5), (n_people, n_attributes)) / 4
    kept = rng.random(X.shape) < rng.random()
    kept[rng.random(n_people) < 0.2] = False
    return X, kept


def _slow_distance(known: np.ndarray, record: np.ndarray, kept: np.ndarray) -> float:
    """Euclidean over the kept values, scaled to all of them; an emptied record is farthest."""
    if not kept.any():
        return math.inf
    gaps = [(a - b) ** 2 for a, b, there in zip(known, record, kept, strict=True) if there]
    return math.sqrt(sum(gaps) * len(kept) / len(gaps))


def _slow_ranks(
    X: np.ndarray, kept: np.ndarray, weights: np.ndarray, emptied: str
) -> tuple[list[float], list[float]]:
    """Sort all records for each person, and take the mean of 1 / rank over the places of ties."""
    reciprocal, first = [], []
    for i, known in enumerate(X):
        if not kept[i].any() and emptied == "absent":
            reciprocal.append(0.0)
            first.append(0.0)
            continue
        keys = []
        for j in range(len(X)):
            distance = _slow_distance(known, X[j], kept[j])
            weight = 0.0 if math.isinf(distance) else round(-float(weights[j]), 9)
            keys.append((distance, weight))
        places = [place for place, key in enumerate(sorted(keys), 1) if key == keys[i]]
        reciprocal.append(sum(1 / place for place in places) / len(places))
        first.append(1 / len(places) if places[0] == 1 else 0.0)
    return reciprocal, first


def _agrees(X: np.ndarray, kept: np.ndarray) -> np.ndarray:
    n_people = len(X)
    table = [
        [bool(kept[j].any()) and all(X[i, kept[j]] == X[j, kept[j]]) for j in range(n_people)]
        for i in range(n_people)
    ]
    return np.array(table)


def _slow_weights(word: str | None, X: np.ndarray, kept: np.ndarray) -> np.ndarray:
    table, n_people = _agrees(X, kept), len(X)
    if word == "values":
        return np.array(
            [
                sum(-math.log(np.mean(X[:, k] == X[j, k])) for k in range(X.shape[1]) if kept[j, k])
                for j in range(n_people)
            ]
        )
    if word == "records":
        shares = [table[:, j].mean() if kept[j].any() else 1.0 for j in range(n_people)]
        return -np.log(shares)
    if word == "matching":
        chances = np.where(kept.any(axis=1), table, True).astype(float)
        record = np.ones(n_people)
        person = np.ones(n_people)
        for number in range(3):
            if number:
                person = 1 / (chances * record).sum(axis=1)
            record = 1 / (chances * person[:, None]).sum(axis=0)
        return np.log(record)
    return np.zeros(n_people)


@pytest.mark.parametrize("emptied", ["absent", "last"])
@pytest.mark.parametrize("word", WITHOUT_STATISTICS)
@settings(max_examples=40)
@given(seed=SEEDS)
def test_equals_brute_force(word: str | None, emptied: str, seed: int) -> None:
    X, kept = _draw(seed)
    risk = reidentification(X, kept, evidence=word, emptied=emptied)
    reciprocal, first = _slow_ranks(X, kept, _slow_weights(word, X, kept), emptied)
    assert risk.value == pytest.approx(np.mean(reciprocal), abs=1e-12)
    assert risk.details["ranked_first"] == pytest.approx(np.mean(first), abs=1e-12)
    assert risk.details["n_emptied"] == sum(not row.any() for row in kept)
    low, high = risk.interval
    assert low <= risk.value + 1e-12
    assert risk.value <= high + 1e-12


@settings(max_examples=40)
@given(SEEDS)
def test_gaussian_evidence_equals_a_loop_over_records(seed: int) -> None:
    X, kept = _draw(seed)
    rng = np.random.default_rng(seed)
    n_attributes = X.shape[1]
    mean, root = rng.random(n_attributes), rng.normal(size=(n_attributes, n_attributes))
    spread = root @ root.T + np.eye(n_attributes)
    weights, surprise = [], []
    for record, mask in zip(X, kept, strict=True):
        for densities, there in (
            (surprise, mask),
            (weights, mask & np.array([len(set(column)) > 1 for column in X.T])),
        ):
            density = 0.0
            if there.any():
                inner = (spread + 1e-6 * np.eye(n_attributes))[np.ix_(there, there)]
                density = multivariate_normal(mean[there], inner).logpdf(record[there])
            densities.append(-float(density))
        for k in np.flatnonzero(mask):
            values = sorted(set(X[:, k]))
            if len(values) > 1:
                weights[-1] -= math.log((values[-1] - values[0]) / (len(values) - 1))
    assert gaussian_surprise(X, kept, mean, spread) == pytest.approx(surprise, abs=1e-9)
    assert gaussian_rarity(X, kept, mean, spread) == pytest.approx(weights, abs=1e-9)
    risk = reidentification(X, kept, evidence="gaussian", mean=mean, covariance=spread)
    assert risk.value == pytest.approx(
        np.mean(_slow_ranks(X, kept, np.array(weights), "absent")[0])
    )


@settings(max_examples=60)
@given(SEEDS, st.sampled_from(WITHOUT_STATISTICS))
def test_of_random_rows_is_the_kept_share_if_no_two_are_alike(seed: int, word: str | None) -> None:
    rng = np.random.default_rng(seed)
    n_people, n_attributes = int(rng.integers(1, 30)), int(rng.integers(1, 4))
    X = rng.integers(0, 3, (n_people, n_attributes)).astype(float)
    X[:, 0] = rng.permutation(n_people)
    rows = rng.random(n_people) < rng.random()
    kept = np.repeat(rows[:, None], n_attributes, axis=1)
    risk = reidentification(X, kept, evidence=word)
    assert risk.value == rows.mean() == risk.details["kept_share"] == risk.details["ranked_first"]
    # Guessed last, the emptied records add what a random order of them is worth.
    last = reidentification(X, kept, evidence=word, emptied="last")
    sums = harmonic_numbers(n_people)
    added = (sums[n_people] - sums[rows.sum()]) / n_people
    assert last.value == pytest.approx(rows.mean() + added)


@given(SEEDS)
def test_a_random_order_is_worth_the_baseline(seed: int) -> None:
    X, kept = _draw(seed)
    # One value for everyone: every record agrees with everyone, and only chance is left.
    for emptied in ("absent", "last"):
        risk = reidentification(np.zeros(X.shape), kept, emptied=emptied)
        assert risk.value == pytest.approx(risk.baseline)
        assert risk.advantage == pytest.approx(0, abs=1e-12)
    assert risk.baseline == pytest.approx(harmonic_numbers(len(X))[-1] / len(X))


@given(SEEDS)
def test_order_of_people_and_scale_of_values_do_not_count(seed: int) -> None:
    X, kept = _draw(seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    scales = rng.integers(1, 9, X.shape[1]).astype(float)
    for word in WITHOUT_STATISTICS:
        risk = reidentification(X, kept, evidence=word).value
        assert reidentification(X[order], kept[order], evidence=word).value == pytest.approx(risk)
        assert reidentification(X**3 * scales, kept, evidence=word).value == pytest.approx(risk)


@given(st.integers(0, 4), st.integers(1, 5))
def test_expected_reciprocal_rank_is_the_mean_over_all_orders(ahead: int, tied: int) -> None:
    total, n_orders = Fraction(0), 0
    for order in permutations(range(tied)):
        total += Fraction(1, ahead + 1 + order.index(0))
        n_orders += 1
    means = expected_reciprocal_rank(np.array([ahead]), np.array([tied]))
    assert means[0] == pytest.approx(float(total / n_orders))
    assert expected_reciprocal_rank(np.zeros(0, int), np.zeros(0, int)).size == 0


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 30), st.integers(1, 3))
def test_blocks_of_any_size_say_the_same(seed: int, cells: int, columns: int) -> None:
    X, kept = _draw(seed)
    rng = np.random.default_rng(seed)
    spread, mean = np.eye(X.shape[1]), rng.random(X.shape[1])
    whole = Agreement.of(X, kept)
    surprise = gaussian_surprise(X, kept, mean, spread)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CELLS", cells)
        patch.setattr(module, "_COLUMNS", columns)
        patch.setattr(module, "_COVARIANCES", cells)
        blocks = list(whole.blocks())
        assert gaussian_surprise(X, kept, mean, spread) == pytest.approx(surprise)
        assert rarity_of_records(whole) == pytest.approx(_slow_weights("records", X, kept))
        assert weight_in_matching(whole) == pytest.approx(_slow_weights("matching", X, kept))
    assert max(len(agrees) for _, agrees in blocks) <= max(1, cells // len(X))
    assert np.array_equal(np.vstack([agrees for _, agrees in blocks]), _agrees(X, kept))


def test_many_distinct_values_are_compared_without_rounding() -> None:
    rng = np.random.default_rng(0)
    # Neighbours differ by the least that a number can: a distance of floats would call them ties.
    X = 0.5 + rng.integers(0, 1000, (500, 40)) * 2.0**-53
    kept = rng.random(X.shape) < 0.05
    agreement = Agreement.of(X, kept)
    assert agreement._precision() is np.float64
    assert Agreement.of(X[:20], kept[:20])._precision() is np.float32
    rows = rng.permutation(500)[:60]
    table = np.vstack([agrees for _, agrees in agreement.blocks()])[np.ix_(rows, rows)]
    assert np.array_equal(table, _agrees(X[rows], kept[rows]))
    huge = Agreement(np.array([[2**31 - 1, 0]], np.int32), np.ones((1, 2), bool))
    with pytest.raises(DataError, match="too many distinct values"):
        list(huge.blocks())


def test_one_record_that_fits_everyone_costs_the_weak_adversary_a_quarter() -> None:
    X = np.column_stack([np.arange(8.0), np.zeros(8)])
    kept = np.column_stack([np.arange(8) > 0, np.ones(8, bool)])
    assert reidentification(X, kept).value == pytest.approx((1 + 7 * 0.75) / 8)
    for word in ("values", "records", "matching"):
        assert reidentification(X, kept, evidence=word).value == 1


def test_evidence_finds_people_that_random_ties_hide() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (300, 12)).astype(float)
    kept = rng.random(X.shape) < 0.25
    weak = reidentification(X, kept)
    public = {"mean": X.mean(axis=0), "covariance": np.cov(X.T)}
    assert weak.value < 0.4
    for word in ("values", "records", "matching"):
        assert reidentification(X, kept, evidence=word).interval[0] > weak.value + 0.3
    assert reidentification(X, kept, evidence="gaussian", **public).value > weak.value + 0.3


def test_matching_uses_that_a_record_has_one_owner() -> None:
    # The second person's record is surely theirs, so the first record, which would fit them too,
    # is the first person's. Both records that fit the first person fit two people.
    X = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 5.0], [0.0, 1.0, 0.0]])
    kept = np.array([[True, False, False], [False, False, True], [False, True, False]])
    assert reidentification(X, kept, evidence="records").value == pytest.approx((0.75 + 1 + 1) / 3)
    assert reidentification(X, kept, evidence="matching").value == 1


def test_grades_of_round_off_are_equal() -> None:
    weights = np.array([0.1 + 0.2, 1.0, 0.3, -2.0])
    assert grades(weights).tolist() == [1, 2, 1, 0]
    assert grades(np.zeros(0)).tolist() == []


def test_rarity_of_a_value_that_everyone_has_is_nothing() -> None:
    X = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert rarity_of_values(X, np.array([[True, False], [True, True]])).tolist() == pytest.approx(
        [0, math.log(2)]
    )


def test_plain_data_and_text() -> None:
    X = np.array([[7.125, 0.0], [7.125, 9.375]])
    kept = np.array([[True, False], [False, False]])
    risk = reidentification(X, kept, evidence="records", emptied="last")
    assert risk.value == pytest.approx((1 + 0.5) / 2)
    assert (risk.n, risk.details["n_emptied"], risk.details["kept_share"]) == (2, 1, 0.25)
    assert (risk.details["evidence"], risk.details["alike"]) == ("records", 1.0)
    hidden = json.loads(json.dumps(risk.to_dict()))
    assert (hidden["n"], hidden["value"], hidden["details"]) == ("fewer than 5", None, {})
    assert "7.125" not in repr(risk)
    many = reidentification(np.tile(X, (3, 1)), np.tile(kept, (3, 1)))
    plain = many.to_dict()
    assert (plain["measure"], plain["value"]) == ("reciprocal rank", many.value)
    assert plain["details"]["n_emptied"] == "fewer than 5"
    assert "reciprocal rank" in str(many)
    nothing = reidentification(X, np.zeros((2, 2), bool))
    assert (nothing.value, nothing.baseline, nothing.details["alike"]) == (0, 0, None)


def test_bad_input() -> None:
    X, kept = np.zeros((3, 2)), np.ones((3, 2), bool)
    with pytest.raises(DataError, match="truth values"):
        reidentification(X, kept[:2])
    with pytest.raises(ParameterError, match="'evidence' parameter"):
        reidentification(X, kept, evidence="rare")
    with pytest.raises(ParameterError, match="'emptied' parameter"):
        reidentification(X, kept, emptied="first")
    with pytest.raises(ParameterError, match="Got 1 of them for 'gaussian'"):
        reidentification(X, kept, evidence="gaussian", mean=[0, 0])
    with pytest.raises(ParameterError, match="and for no other"):
        reidentification(X, kept, mean=[0, 0], covariance=np.eye(2))
    with pytest.raises(ParameterError, match="of 2 attributes"):
        gaussian_surprise(X, kept, [0.0], np.eye(2))
    with pytest.raises(DataError, match="positive definite"):
        gaussian_surprise(X, kept, [0.0, 0.0], -np.eye(2))
    with pytest.raises(ParameterError, match="'rounds' parameter"):
        weight_in_matching(Agreement.of(X, kept), 0)


@pytest.mark.parametrize("word", WITHOUT_STATISTICS)
@settings(max_examples=25)
@given(seed=SEEDS)
def test_a_record_that_has_what_a_person_has_not_is_not_theirs(word: str | None, seed: int) -> None:
    X, kept = _draw(seed)
    rng = np.random.default_rng(seed)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[0, 0] = 0.0
    kept &= ~np.isnan(X)
    risk = reidentification(X, kept, evidence=word)
    # what is missing is a value of its own that nobody keeps
    told = np.where(np.isnan(X), -1.0, X)
    reciprocal, _ = _slow_ranks(told, kept, _slow_weights(word, told, kept), "absent")
    assert risk.value == pytest.approx(np.mean(reciprocal), abs=1e-12)
    assert risk.details["kept_share"] == kept.sum() / np.count_nonzero(~np.isnan(X))


def test_gaussian_evidence_looks_at_kept_values_only() -> None:
    X = np.array([[0.0, np.nan], [1.0, 0.5], [0.5, 1.0]])
    kept = np.array([[True, False], [True, False], [False, True]])
    there = np.where(np.isnan(X), 0.5, X)
    law = {"mean": np.zeros(2), "covariance": np.eye(2)}
    holes = reidentification(X, kept, evidence="gaussian", **law)
    assert holes.value == reidentification(there, kept, evidence="gaussian", **law).value

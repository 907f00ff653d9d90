"""The area under the curve and DeLong's interval, against slow and obvious versions."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.attack.membership._scores import (
    MembershipScores,
    auc_interval,
    best_threshold,
    true_positive_rate,
)

# Few distinct values, so that ties are the rule.
SCORES = st.lists(st.integers(-3, 3), min_size=2, max_size=12)


def _kernel(member: float, other: float) -> float:
    return 1.0 if member > other else 0.5 if member == other else 0.0


def _slow_delong(members: list[int], others: list[int]) -> tuple[float, float]:
    pairs = np.array([[_kernel(m, o) for o in others] for m in members])
    above, below = pairs.mean(axis=1), pairs.mean(axis=0)
    variance = above.var(ddof=1) / len(members) + below.var(ddof=1) / len(others)
    return float(pairs.mean()), float(variance)


@given(SCORES, SCORES)
def test_area_and_interval_are_those_of_all_pairs(members: list[int], others: list[int]) -> None:
    auc, (low, high) = auc_interval(members, others)
    slow, variance = _slow_delong(members, others)
    assert auc == pytest.approx(slow, abs=1e-12)
    if 0 < slow < 1:
        half = 1.959963984540054 * variance**0.5
        assert low == pytest.approx(max(0.0, slow - half), abs=1e-9)
        assert high == pytest.approx(min(1.0, slow + half), abs=1e-9)


@given(SCORES, SCORES)
def test_exchanging_the_groups_turns_the_area_round(members: list[int], others: list[int]) -> None:
    auc, (low, high) = auc_interval(members, others)
    turned, (turned_low, turned_high) = auc_interval(others, members)
    assert turned == pytest.approx(1 - auc)
    assert (turned_low, turned_high) == pytest.approx((1 - high, 1 - low))


@given(SCORES, SCORES)
def test_only_the_order_of_scores_counts(members: list[int], others: list[int]) -> None:
    stretched = [np.exp(np.asarray(scores, float)) * 7 - 2 for scores in (members, others)]
    assert auc_interval(members, others) == auc_interval(*stretched)
    assert true_positive_rate(members, others, 0.2) == true_positive_rate(*stretched, 0.2)


@given(SCORES, SCORES, st.floats(0, 1))
def test_true_positives_are_those_of_the_best_allowed_threshold(
    members: list[int], others: list[int], at: float
) -> None:
    cuts = [*sorted({*members, *others}), 99]
    allowed = [
        np.mean(np.array(members) >= cut)
        for cut in cuts
        if np.mean(np.array(others) >= cut) <= at + 1e-12
    ]
    assert true_positive_rate(members, others, at) == pytest.approx(max(allowed))


@given(SCORES, SCORES)
def test_no_threshold_is_better_than_the_best(members: list[int], others: list[int]) -> None:
    def gain(cut: float) -> float:
        return float(np.mean(np.array(members) >= cut) - np.mean(np.array(others) >= cut))

    every = [gain(cut) for cut in [*members, *others, np.inf]]
    assert gain(best_threshold(members, others)) == pytest.approx(max(every))


def test_perfect_separation_does_not_promise_certainty() -> None:
    auc, (low, high) = auc_interval([2, 3, 4], [0, 1, 1])
    assert auc == 1.0
    assert low < 0.5 < high == 1.0


def test_one_person_says_nothing_about_the_interval() -> None:
    assert auc_interval([1], [0, 2])[1] == (0.0, 1.0)


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    truth = 0.7602499389065233  # normal scores that are one unit apart
    hits = 0
    for _ in range(400):
        low, high = auc_interval(rng.normal(1, 1, 60), rng.normal(0, 1, 80))[1]
        hits += low <= truth <= high
    assert 0.92 <= hits / 400 <= 0.98


@pytest.mark.parametrize("bad", [[], [[1.0]], [np.nan, 1.0]])
def test_scores_that_are_none_are_refused(bad: list[float]) -> None:
    with pytest.raises(DataError, match="scores of the members"):
        auc_interval(bad, [0.0, 1.0])


def test_accuracy_uses_a_threshold_of_other_people() -> None:
    # Of noise no threshold is better than a coin, though on the same people one would be.
    rng = np.random.default_rng(8)
    accuracies = [
        MembershipScores(rng.normal(size=20), rng.normal(size=20)).risk("noise").details["accuracy"]
        for _ in range(200)
    ]
    assert np.mean(accuracies) == pytest.approx(0.5, abs=0.02)


def test_result_is_plain_data() -> None:
    few = MembershipScores(np.array([3.0, 2.0, 2.0, 1.0]), np.array([0.0, 2.0, 1.0]))
    many = MembershipScores(np.tile(few.members, 100), np.tile(few.others, 100))
    risk = many.risk("x")
    plain = json.loads(json.dumps(risk.to_dict()))
    assert (plain["measure"], plain["value"]) == ("AUC", risk.value)
    assert plain["advantage"] == pytest.approx(risk.value - 0.5)
    exact = risk.details["accuracy"]
    assert plain["details"]["accuracy"] == pytest.approx(exact, abs=0.01)  # in steps of 0.02
    assert set(plain["details"]["tpr_at"]) == {"0.001", "0.01", "0.1"}
    assert str(risk).startswith("x: AUC 0.792 [")
    assert (plain["details"]["n_members"], plain["details"]["n_others"]) == (400, 300)
    assert few.risk("x").to_dict()["advantage"] is None
    assert "so few people" in str(few.risk("x"))
    assert "value=None" in repr(few.risk("x"))

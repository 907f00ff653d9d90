"""Curves along the kept share: every figure again, the slow and obvious way."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.attack import MaskedMembership, masked_reconstruction, reidentification
from sparsam.individual import LogisticLearner, SparsityCurve, sparsity_curve
from sparsam.individual._algorithms import individual_random
from sparsam.individual._imputation import PublicStatistics
from sparsam.individual._individual_minimiser import ALGORITHMS
from sparsam.individual._people import Encoded, split_people
from sparsam.individual._stationarity import stationarity
from sparsam.individual._training_set import TrainingSet

QUICK = ["stationarity", "feature selection", "random rows", "individualised random"]


def made_up(n: int = 320, classes: int = 2) -> Encoded:
    rng = np.random.default_rng(5)
    X = rng.random((n, 4))
    score = X[:, 0] + 0.7 * X[:, 1] + 0.2 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    return Encoded(X, y, ("a", "b", "c", "d"), tuple(range(classes)))


@pytest.fixture(scope="module")
def people() -> Encoded:
    return made_up()


@pytest.fixture(scope="module")
def curve(people: Encoded) -> SparsityCurve:
    return sparsity_curve(people, 0.2, algorithms=QUICK, shares=[0.25, 0.5], n_references=4)


@pytest.fixture(scope="module")
def members(people: Encoded) -> TrainingSet:
    split = split_people(len(people.y), own_test=True)
    law = PublicStatistics.of(people.X[split.public])
    return TrainingSet(people.X[split.members], people.y[split.members], law)


def test_every_algorithm_at_every_share(curve: SparsityCurve) -> None:
    found = [(point.algorithm, round(point.kept_share, 2)) for point in curve.points]
    assert found == [(name, share) for name in QUICK for share in (0.2, 0.25, 0.5)]
    assert curve.algorithms == tuple(QUICK)
    assert curve.chosen is curve.points[0]
    assert [one.kept_share for one in curve.of("random rows")] == [0.2, 0.25, 0.5]
    assert curve.people == {"public": 80, "members": 80, "others": 80, "test": 80}


def test_accuracy_against_one_person_at_a_time(people, curve, members) -> None:
    split = split_people(len(people.y), own_test=True)
    learner = LogisticLearner()
    full = learner.fit_many(members.X[None], members.y, 2)
    kept = stationarity(members, 0.2).kept
    part = learner.fit_many(members.imputed(kept)[None], members.y, 2)
    right, full_right = 0, 0
    for row in split.test:
        x, y = people.X[[row]], people.y[row]
        right += learner.probabilities(part, x, 2)[0, 0].argmax() == y
        full_right += learner.probabilities(full, x, 2)[0, 0].argmax() == y
    one = curve.chosen.accuracy
    assert one.accuracy == right / 80
    assert one.full == curve.full.accuracy.accuracy == full_right / 80
    assert one.drop == pytest.approx((full_right - right) / 80)
    assert one.interval[0] < one.accuracy < one.interval[1]
    assert one.drop_interval[0] <= one.drop <= one.drop_interval[1]
    common = np.bincount(members.y).argmax()
    assert one.baseline == (people.y[split.test] == common).mean()


def test_risks_are_those_of_the_attacks(people, curve, members) -> None:
    kept = stationarity(members, 0.2).kept
    point = curve.chosen
    mean = members.statistics.mean
    near = masked_reconstruction(members.X, members.imputed(kept), kept, mean=mean)
    assert point.reconstruction.value == near.value
    assert point.reidentification.value == reidentification(members.X, kept).value
    assert point.weighed.value == reidentification(members.X, kept, evidence="records").value
    split = split_people(len(people.y), own_test=True)
    learner = LogisticLearner()

    def train(rows):
        fitted = learner.fit_many(people.X[rows][None], people.y[rows], 2)
        likely = learner.probabilities(fitted, people.X, 2)[0]
        return likely[np.arange(len(people.y)), people.y]

    game = MaskedMembership.trained(
        train, len(people.y), split.members, split.non_members, split.public, n_references=4
    )
    fitted = learner.fit_many(members.imputed(kept)[None], members.y, 2)
    likely = learner.probabilities(fitted, people.X, 2)[0][np.arange(len(people.y)), people.y]
    expected = game.risk(likely)
    assert point.membership is not None
    assert point.membership.value == expected.value
    assert point.membership.interval == expected.interval
    assert point.membership.details["tpr_at"] == expected.details["tpr_at"]


def test_both_ends(curve: SparsityCurve) -> None:
    assert curve.full.accuracy.drop == 0
    assert curve.full.reconstruction.value == 1
    assert curve.full.reidentification.value == 1
    for point in curve.of("random rows"):
        # no two people are alike, so a person is found exactly if their row is kept
        assert point.reidentification.value == pytest.approx(point.kept_share)


def test_overlap_against_all_pairs(curve: SparsityCurve, members: TrainingSet) -> None:
    found = curve.overlap
    assert found is not None
    for find, low, mean, high in (
        (stationarity, found.low, found.mean, found.high),
        (individual_random, found.random_low, None, found.random_high),
    ):
        masks = [find(members, 0.2, random_state=one).kept for one in range(3)]
        pairs = [(one & other).sum() / one.sum() for one, other in combinations(masks, 2)]
        assert (low, high) == pytest.approx((min(pairs), max(pairs)))
        if mean is not None:
            assert mean == pytest.approx(np.mean(pairs))
    assert found.random == pytest.approx(0.2)
    assert found.seeds == (0, 1, 2)


def test_same_seed_same_curve(people: Encoded, curve: SparsityCurve) -> None:
    ask = {"algorithms": QUICK, "shares": [0.25, 0.5], "n_references": 4}
    again = sparsity_curve(people, 0.2, **ask)
    assert json.dumps(again.to_dict()) == json.dumps(curve.to_dict())
    other = sparsity_curve(people, 0.2, random_state=1, **ask)
    assert other.to_dict() != curve.to_dict()
    assert "stationarity at 20.00%" in repr(curve)


def test_all_algorithms_by_default_and_shares_around_the_chosen_one() -> None:
    told = []
    found = sparsity_curve(
        made_up(120),
        0.24,
        algorithm="modelling",
        options={"n_masks": 20},
        membership="none",
        n_runs=2,
        progress=lambda done, total: told.append((done, total)),
    )
    assert found.algorithms == tuple(ALGORITHMS)
    shares = [round(one.kept_share, 3) for one in found.of("modelling")]
    assert shares == [0.067, 0.125, 0.242, 0.5]  # 30 people: the nearest counts; no 1/4 beside .24
    assert told == [(i, 29) for i in range(1, 30)]
    assert found.n_references == 0
    assert all(one.membership is None for one in (*found.points, found.full))


def test_the_membership_attack_where_it_is_wanted(people: Encoded) -> None:
    found = sparsity_curve(
        people, 0.2, algorithms=QUICK[1:], shares=[0.5], membership="chosen", n_references=2,
        n_runs=0,
    )  # fmt: skip
    measured = [point for point in found.points if point.membership is not None]
    assert measured == [found.chosen]
    assert found.full.membership is not None
    assert found.overlap is None


def test_several_classes_and_other_options() -> None:
    found = sparsity_curve(
        made_up(200, 3), 0.3, algorithms=[], shares=[], imputation="mean",
        options={"strengths": (1.0, 10.0)}, n_references=2, n_runs=0,
    )  # fmt: skip
    assert found.imputation == "mean"
    assert found.chosen.accuracy.accuracy > found.chosen.accuracy.baseline


@pytest.mark.parametrize(
    ("keep", "options", "words"),
    [
        (0.0, {}, "'keep'"),
        (1.5, {}, "'keep'"),
        (0.2, {"algorithm": "magic"}, "'algorithms'"),
        (0.2, {"algorithms": ["magic"]}, "'algorithms'"),
        (0.2, {"shares": [2.0]}, "'shares'"),
        (0.2, {"membership": "some"}, "'membership'"),
        (0.2, {"options": {"speed": 1}}, "options of 'stationarity'"),
        (0.2, {"n_references": 3}, "even"),
        (0.2, {"n_runs": -1}, "'n_runs'"),
        (0.2, {"random_state": -1}, "'random_state'"),
    ],
)
def test_bad_parameters(people: Encoded, keep, options, words) -> None:
    with pytest.raises(ParameterError, match=words):
        sparsity_curve(people, keep, **{"algorithms": [], "shares": [], **options})


def test_bad_data(people: Encoded, curve: SparsityCurve) -> None:
    with pytest.raises(DataError, match="at least 40 people"):
        sparsity_curve(made_up(39), 0.2)
    rare = np.zeros(320, int)
    rare[0] = 1
    with pytest.raises(DataError, match=r"1 of 2 classes are too rare|too rare"):
        sparsity_curve(Encoded(people.X, rare, people.attributes, ("a", "b")), 0.2)
    with pytest.raises(ParameterError, match="must be one of"):
        curve.of("evolutionary")

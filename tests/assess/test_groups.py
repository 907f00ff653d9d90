"""What is lost is told for every group, and the one that loses most is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sparsam._errors import ParameterError, RoleError
from sparsam.assess import (
    Front,
    NothingFitsError,
    Point,
    TooFewPeopleError,
    assess_generalization,
    assess_groups,
    check_gates,
)
from sparsam.assess._assessment import PersonErrors
from sparsam.assess._candidates import Candidate
from sparsam.assess._evidence import MET, NOT_MET, TOO_FEW
from sparsam.assess._grouping import groupings
from sparsam.assess._groups import FEWEST_IN_GROUP, GroupDemand, measure_groups
from sparsam.assess._score import score_for
from sparsam.assess._utility import Classifier
from sparsam.data import Roles, resolve, split
from sparsam.generalization import Generalization, categorical_partition


@pytest.fixture(scope="module")
def groups(unfair):
    return assess_groups(*unfair, ["ethnicity", "region"])


def test_a_minority_that_loses_ten_points_is_named_beside_the_mean(unfair, groups):
    assert groups.loss == pytest.approx(0.005, abs=0.002)
    worst = groups.worst
    assert (worst.words, worst.people) == ("ethnicity: minority", pytest.approx(1400, abs=120))
    assert worst.loss == pytest.approx(0.1, abs=0.03)
    assert worst.interval[0] < worst.loss < worst.interval[1]
    assert groups.loses_more(worst)
    assert [groups.loses_more(e) for e in groups.effects if e is not worst] == [False] * 4
    facts = groups.to_dict()
    assert facts["groups"][facts["worst"]]["group"] == "minority"


@pytest.mark.parametrize(("limit", "verdict"), [(0.05, NOT_MET), (0.1, TOO_FEW), (0.15, MET)])
def test_the_gate_catches_it(unfair, groups, limit, verdict):
    assessment, limits, _ = unfair
    assert groups.verdict(limit) == verdict
    # the mean alone would pass
    mean, group = check_gates(
        assessment, limits, max_utility_loss=0.01, max_utility_loss_per_group=limit, groups=groups
    )
    assert mean.passed is True
    assert group.passed is {MET: True, NOT_MET: False, TOO_FEW: None}[verdict]
    assert group.who == group.to_dict()["who"] == "ethnicity: minority"
    assert group.to_dict()["value"] == pytest.approx(0.1, abs=0.03)


def test_a_group_gate_needs_groups(unfair):
    assessment, limits, _ = unfair
    with pytest.raises(ParameterError, match="needs to know the groups"):
        check_gates(assessment, limits, max_utility_loss_per_group=0.1)


def test_a_negative_limit_is_refused(unfair, groups):
    with pytest.raises(ParameterError, match=r"max_utility_loss_per_group.*a float >= 0"):
        check_gates(*unfair[:2], max_utility_loss_per_group=-0.1, groups=groups)


def test_each_group_is_judged_on_its_own_people(unfair, groups):
    assessment, limits, data = unfair
    minority = data.test.table.to_dict()["ethnicity"] == "minority"
    effect = next(e for e in groups.effects if e.label == "minority")
    errors = assessment.person_errors["test"]
    assert effect.error == pytest.approx(errors.utility[minority].mean())
    assert effect.everything == pytest.approx(limits.classifier.losses["test"][minority].mean())
    naive = limits.naive_errors["test"]
    assert effect.recovered == pytest.approx(
        1 - errors.risk[minority].mean() / naive[minority].mean()
    )
    low, high = effect.recovered_interval
    assert low < effect.recovered < high
    # the naive adversary of a group is the one of everyone, among its people
    assert naive.mean() == pytest.approx(assessment.risk.baseline)


def test_more_groups_widen_every_interval(unfair, groups):
    alone, among = (
        next(effect for effect in measured.effects if effect.label == "minority")
        for measured in (assess_groups(*unfair, ["ethnicity"]), groups)
    )
    assert among.interval[0] < alone.interval[0]
    assert alone.interval[1] < among.interval[1]


def test_every_group_must_be_shown_to_be_inside(groups):
    values = [effect.p_value(0.12) for effect in groups.effects]
    assert groups.p_value(0.12) == max(values)
    assert groups.unshown(0.001)[0].label == "minority"
    assert groups.unshown(0.2) == ()


def test_small_groups_are_left_out_and_the_smallest_not_named(unfair):
    assessment, limits, data = unfair
    groups = assess_groups(assessment, limits, data, ["ethnicity*region"])
    assert [label for _, label, _ in groups.left_out] == ["minority, island"]
    assert len(groups.effects) == 5
    (way,) = groupings(data.train, ["region"])
    few = data.test.take(np.arange(FEWEST_IN_GROUP))
    some = _first(assessment, limits, FEWEST_IN_GROUP)
    nobody = measure_groups(*some, few, [way])
    assert nobody.worst is None
    assert nobody.verdict(0.5) == TOO_FEW
    assert nobody.p_value(0.5) == 1.0
    (gate,) = check_gates(*some, max_utility_loss_per_group=0.5, groups=nobody)
    assert gate.passed is None
    four = measure_groups(*_first(assessment, limits, 4), data.test.take(np.arange(4)), [way])
    assert four.to_dict()["left_out"] == []


def _first(assessment, limits, people):
    errors = assessment.person_errors["test"]
    fewer = PersonErrors(errors.utility[:people], errors.risk[:people])
    model = limits.classifier
    losses = {"test": model.losses["test"][:people]}
    return (
        replace(assessment, person_errors={"test": fewer}),
        replace(limits, classifier=Classifier(model.model, losses, model.score)),
    )


def test_what_is_published_is_rounded(groups):
    for effect in groups.effects:
        facts = effect.to_dict()
        assert facts["people"] % 5 == 0
        assert facts["people"] >= effect.people
        assert facts["loss"] == pytest.approx(facts["error"] - facts["everything"])
        assert facts["interval"][0] <= effect.interval[0]
        assert effect.interval[1] <= facts["interval"][1]
    assert "differences" not in repr(groups.effects[0])


@pytest.fixture(scope="module")
def told():
    """People of two groups, and what two models say of them."""
    rng = np.random.default_rng(1)
    n = 3000
    x, group = rng.normal(size=n), rng.integers(0, 2, n)
    number = x + 3 * group + rng.normal(size=n) * 0.5
    people = {"sex": np.where(group, "m", "f"), "x": x, "number": number}
    data = split(resolve(people, Roles("number")), (0.1, 0.1, 0.8))
    truth = data.test.numbers
    return data, truth + rng.normal(size=len(truth)), truth + 2 * rng.normal(size=len(truth))


def test_r2_is_that_inside_the_group(unfair, told):
    data, before, after = told
    assessment, limits, _ = unfair
    score = score_for(data, "r2")
    groups = assess_groups(*_judged(assessment, limits, data, score, before, after), data, ["sex"])
    for effect in groups.effects:
        chosen = data.test.table.to_dict()["sex"] == effect.label
        variance = data.test.numbers[chosen].var()
        for said, error in ((before, effect.everything), (after, effect.error)):
            squared = ((said - data.test.numbers)[chosen] ** 2).mean()
            assert error == pytest.approx(squared / variance)
        low, high = effect.interval
        assert low < effect.loss < high


def test_auc_is_that_inside_the_group(unfair, told):
    data, before, after = told
    # the same people, with two classes that the groups differ in
    classes = {**data.test.table.to_dict(), "y": np.where(data.test.numbers > 1.5, "b", "a")}
    binary = split(resolve(classes, Roles("y")), (0.1, 0.1, 0.8))
    rows, score = binary.rows[2], score_for(binary, "auc")
    assessment, limits, _ = unfair
    judged = _judged(assessment, limits, binary, score, before[rows], after[rows])
    for effect in assess_groups(*judged, binary, ["sex"]).effects:
        chosen = binary.test.table.to_dict()["sex"] == effect.label
        second = binary.test.target[chosen] == 1
        said = after[rows][chosen]
        right = (said[second][:, None] > said[~second][None, :]).mean()
        assert effect.score.value(effect.error) == pytest.approx(right)


def _judged(assessment, limits, data, score, before, after):
    full = Classifier("x", {"test": score.judge(before, data.test)}, score, {"test": before})
    zeros = np.zeros(len(after), dtype=np.float32)
    errors = PersonErrors(score.judge(after, data.test), zeros, after)
    return (
        replace(assessment, person_errors={"test": errors}),
        replace(limits, classifier=full, naive_errors={"test": zeros + 1}),
    )


def test_auc_needs_what_the_model_says(unfair):
    assessment, limits, data = unfair
    score = score_for(data, "auc")
    blind = replace(limits, classifier=replace(limits.classifier, score=score))
    with pytest.raises(ParameterError, match="AUC of a group is judged by what the model says"):
        assess_groups(assessment, blind, data, ["ethnicity"])


@pytest.fixture(scope="module")
def unfair_front(unfair):
    """Two ways to collect less: one that serves everyone, and one that the minority pays for."""
    assessment, limits, data = unfair
    nothing = Generalization.nothing(data.train.table)

    def keeping(*names):
        kept = [
            categorical_partition(a.name, a.domain, [[c] for c in a.domain.categories])
            if a.name in names
            else nothing[a.name]
            for a in data.train.table.attributes
        ]
        return assess_generalization(Generalization(kept), data)

    measured = {
        "unfair": assessment,
        "fair": keeping("ethnicity", "skill", "route"),
        "everything": keeping("ethnicity", "skill", "route", "region"),
    }
    points = [Point(Candidate(n, {}, m.generalization), m) for n, m in measured.items()]
    return Front(points, limits, data)


def test_a_choice_that_a_minority_would_pay_for_is_made_without_a_limit_only(unfair_front):
    cheap = unfair_front.choose(max_utility_loss=0.01)
    assert cheap.candidate.minimiser == "unfair"
    assert cheap.met
    assert cheap.groups.worst.words == "ethnicity: minority"
    facts = cheap.to_dict()["groups"]
    assert facts["groups"][facts["worst"]]["loses_more"]
    chosen = unfair_front.choose(max_utility_loss=0.01, max_utility_loss_per_group=0.05)
    assert chosen.candidate.minimiser == "fair"
    assert chosen.met
    assert chosen.groups.verdict(0.05) == MET
    assert "and within 5 points for each group" in chosen.requirement.words


def test_a_limit_that_no_point_keeps_for_a_group(unfair_front):
    front = Front(unfair_front.points[:1], unfair_front.limits, unfair_front.data)
    with pytest.raises(NothingFitsError, match=r"5 points for each group.*minority \(ethnicity\)"):
        front.choose(max_utility_loss=0.01, max_utility_loss_per_group=0.05)
    with pytest.raises(TooFewPeopleError, match="none has 100 people in the test part"):
        front.choose(max_utility_loss=0.01, max_utility_loss_per_group=0.05, groups=())
    with pytest.raises(ParameterError, match="goes together with 'max_utility_loss' only"):
        front.choose(max_risk=0.5, max_utility_loss_per_group=0.05)
    with pytest.raises(RoleError, match="Did you mean 'ethnicity'"):
        front.choose(max_utility_loss=0.01, groups=["ethnicty"])


def test_small_groups_of_validation_data_are_expected_to_lose_what_everyone_does(unfair_front):
    limits, data = unfair_front.limits, unfair_front.data
    demand = GroupDemand(0.05, limits, data, groupings(data.train, ["ethnicity"]))
    unfair, fair, _ = unfair_front._tried
    assert demand.estimate(fair) == pytest.approx(0, abs=0.005)
    # some 200 of the minority lose ten points: two thirds of it are believed
    assert 0.03 < demand.estimate(unfair) < 0.1

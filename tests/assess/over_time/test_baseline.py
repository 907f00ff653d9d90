"""What an artifact carries: shares that may be published, and no more than it must."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DocumentError
from sparsam.assess.over_time._baseline import Baseline, Known
from sparsam.data import Roles, resolve
from sparsam.generalization import Generalization


def test_a_choice_carries_its_evidence(artifact, people):
    baseline = Baseline.carried_by(Generalization.from_json(artifact.to_json()))
    assert baseline.people == 3000
    assert baseline.tested == 900
    assert set(baseline.shares) == set(artifact.collected)
    counted = np.unique(people(0)["region"], return_counts=True)[1] / 3000
    assert sorted(baseline.shares["region"])[-3:] == pytest.approx(sorted(counted), abs=0.002)
    assert baseline.promise.max_utility_loss == 0.1
    assert baseline.target.wrong == pytest.approx(0.18, abs=0.05)
    measured = baseline.measured
    lost = measured.everything - measured.utility
    assert lost == pytest.approx(baseline.promise.utility_loss, abs=0.002)
    assert measured.adversary == "A1 reconstruction"
    assert set(measured.attributes) == set(artifact.about["personal"])
    for guessed in (measured.risk, *measured.attributes.values()):
        low, high = guessed.interval
        assert low <= guessed.error <= high
        assert guessed.error <= guessed.baseline + 0.01


def test_every_share_is_told_in_steps_of_five_people(artifact):
    baseline = Baseline.carried_by(artifact)
    for shares in baseline.shares.values():
        assert all(share * 1000 % 2 == pytest.approx(0, abs=1e-6) for share in shares)
    assert len(artifact.to_json()) < 20_000


def test_a_number_is_cut_at_a_round_one(people):
    table = people(0)
    table["income"] = np.random.default_rng(0).normal(31_234.5, 9_000, 3000)
    task = resolve(table, Roles("income"))
    everything = Generalization.nothing(task.table)
    half = Known.of(everything, task)
    target = Baseline.of(everything, {}, {}, half, half).target
    assert target.threshold == 31_000
    assert sum(target.shares) == pytest.approx(1, abs=0.01)


def test_a_rare_class_is_not_named(people):
    table = people(0)
    table["works"] = np.where(np.arange(3000) < 3, "Splork", table["works"])
    task = resolve(table, Roles("works"))
    nothing = Generalization.nothing(task.table)
    half = Known.of(nothing, task)
    target = Baseline.of(nothing, {}, {}, half, half).target
    assert target.classes == ("no", "yes")
    assert (target.codes(task) == 2).sum() == 3


def test_no_evidence_and_wrong_evidence(artifact):
    assert Baseline.carried_by(artifact.with_about({})) is None
    evidence = artifact.about["evidence"]
    for wrong in (
        {**evidence, "shares": {}},
        {**evidence, "people": "many"},
        {**evidence, "people": 0},
        {**evidence, "target": {**evidence["target"], "shares": [0.5]}},
        {**evidence, "target": {**evidence["target"], "wrong": 7}},
        {**evidence, "shares": {**evidence["shares"], "region": [1.0]}},
    ):
        with pytest.raises(DocumentError, match="evidence"):
            Baseline.carried_by(artifact.with_about({"evidence": wrong}))

"""Every purpose is judged as it would be alone; the attack is the same for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam.assess import assess_generalization, score_for
from sparsam.assess._candidates import Candidate
from sparsam.assess.purposes import _judging
from sparsam.assess.purposes._judging import Judge
from sparsam.attack import Reconstruction
from sparsam.data import PurposeSplits, Roles, resolve_purposes, split_purposes
from sparsam.generalization import Generalization
from sparsam.minimise._uniform import Uniform


@pytest.fixture(scope="module")
def data() -> PurposeSplits:
    """Some of the people lack one of the targets."""
    rng = np.random.default_rng(0)
    age, sex = rng.integers(20, 80, 400), rng.choice(["f", "m"], 400)
    ill = np.where(age > 40, np.where((sex == "f") ^ (rng.random(400) < 0.2), "y", "n"), None)
    table: dict[str, Any] = {"age": age, "sex": sex, "works": age < 60, "ill": ill}
    return split_purposes(resolve_purposes(table, Roles(targets=["works", "ill"])))


def judge_of(data: PurposeSplits) -> Judge:
    scores = {name: score_for(part) for name, part in data.parts.items()}
    return Judge(data, scores, Reconstruction(), 0, 1)


@pytest.fixture(scope="module")
def generalization(data: PurposeSplits) -> Generalization:
    return Uniform(buckets=3).fit_task(data.together.train).generalization_


def test_utility_is_that_of_the_purpose_alone(
    data: PurposeSplits, generalization: Generalization
) -> None:
    [judged] = judge_of(data).judge([Candidate("uniform", {}, generalization)])
    for name, part in data.parts.items():
        alone = assess_generalization(generalization, part)
        assert judged.assessments[name].utility == alone.utility
        assert judged.assessments[name].validation_utility == alone.validation_utility


def test_risk_is_that_of_everyone(data: PurposeSplits, generalization: Generalization) -> None:
    [judged] = judge_of(data).judge([Candidate("uniform", {}, generalization)])
    risk = Reconstruction().attack(generalization, data.together)
    assert all(each.risk.value == risk.value for each in judged.assessments.values())
    assert judged.assessments["ill"].risk.n == data.together.test.n_rows


def test_the_same_generalization_is_attacked_once(
    data: PurposeSplits, generalization: Generalization, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, times = judge_of(data), []
    guess = Reconstruction.guess
    monkeypatch.setattr(
        Reconstruction, "guess", lambda self, *args: times.append(1) or guess(self, *args)
    )
    list(judge.judge([Candidate("uniform", {}, generalization)]))
    assert len(times) == 1


def test_of_many_people_some_are_learned_from(
    data: PurposeSplits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_judging, "MOST_PEOPLE", 100)
    some = _judging._learning_parts(data)
    train, own = some.together.train, some.parts["ill"].train
    assert train.n_rows == 100
    assert own.n_rows < 100
    assert (own.codes == train.codes[some.people["ill"]["train"]]).all()
    assert some.parts["ill"].test is data.parts["ill"].test

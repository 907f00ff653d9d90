"""Models that tell a number, on people whose number is known but for noise."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.assess import assess_generalization, measure_limits, sweep
from sparsam.assess._utility import LEARNERS
from sparsam.assess.learners._sample import samples
from sparsam.attack import GeneralizedRecords
from sparsam.data import Roles, resolve, split
from sparsam.generalization import Generalization

NOISE = 5.0


@pytest.fixture(scope="module")
def pay():
    """Pay depends on age and job; region tells nothing."""
    rng = np.random.default_rng(0)
    age, job = rng.integers(20, 60, 2000), rng.integers(0, 3, 2000)
    columns = {
        "age": age,
        "job": np.array(["cook", "nurse", "judge"])[job],
        "region": rng.choice(["n", "s", "e"], 2000),
        "pay": age / 2 + np.array([0, 20, 60])[job] + rng.normal(0, NOISE, 2000),
    }
    return columns, split(resolve(columns, Roles("pay")))


@pytest.mark.parametrize("score", ["r2", "mae"])
def test_each_model_comes_near_the_noise(pay, score):
    _, data = pay
    records = GeneralizedRecords.of(Generalization.identity(data.train.table), data)
    truth = data.test.numbers
    *models, guess = LEARNERS[score]
    _, sample = next(samples(records, data))
    told = {
        model: learner(sample, 0)[2, records.index["test"], 0]
        for model, learner in LEARNERS[score].items()
    }
    for model in models:
        # at full resolution a look-up has one or two people to go by
        close = 1.5 * NOISE if model == "look-up" else 1.15 * NOISE
        assert np.sqrt(((told[model] - truth) ** 2).mean()) < close, model
    assert len(np.unique(told[guess])) == 1


def test_limits_and_utility_are_those_of_the_number(pay):
    _, data = pay
    limits = measure_limits(data)
    assert limits.score.name == "r2"
    assert limits.nothing.value == pytest.approx(0, abs=0.02)
    explained = 1 - NOISE**2 / data.test.numbers.var()
    assert limits.everything.value == pytest.approx(explained, abs=0.02)
    assert limits.everything.interval[0] < 1 - explained < limits.everything.interval[1]
    distance = assess_generalization(
        Generalization.identity(data.train.table), data, score="mae"
    ).utility
    assert distance.value == pytest.approx(NOISE * np.sqrt(2 / np.pi), rel=0.15)


def test_the_search_drops_what_a_number_does_not_need(pay):
    columns, _ = pay
    front = sweep(columns, Roles("pay", personal="all"), minimisers=["privacy tree"], n_jobs=1)
    choice = front.choose(max_utility_loss=0.05)
    assert choice.generalization.collected == ("age", "job")
    assert choice.met
    assert (
        choice.requirement.words == "R² within 0.05 of everything collected, with 95 % confidence"
    )
    assert 0.9 < choice.kept <= 1.02

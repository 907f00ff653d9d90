"""The control: people of the minimiser's sample against others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sparsam._errors import DataError
from sparsam.attack import Control, Reconstruction
from sparsam.data import NumericDomain, Split
from sparsam.generalization import Generalization, numeric_partition

Make = Callable[..., Any]

FAST = Control(Reconstruction(models=("look-up",)))


def _people(seed: int, make_split: Make, n_people: int = 1500) -> Split:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 200, n_people)
    secret = (age // 50 + (rng.random(n_people) < 0.4)) % 4
    data: Split = make_split({"age": age, "secret": secret}, ["secret"], numeric=["age"], seed=seed)
    return data


def _cut(data: Split, cuts: np.ndarray) -> Generalization:
    """Collect the age between cuts, and nothing else."""
    age, secret = data.train.table.attributes
    assert isinstance(age.domain, NumericDomain)
    hidden = Generalization.nothing(data.train.table)[secret.name]
    return Generalization([numeric_partition("age", age.domain, cuts.tolist()), hidden])


def _alarm(control: Control, generalization: Generalization, data: Split) -> int:
    """1 when the sample seems to be betrayed, -1 when the others do, else 0."""
    risk = control.attack(generalization, data)
    low, high = risk.details["advantage_interval"]
    assert low <= risk.advantage <= high
    return int(low > 0) - int(high < 0)


def test_an_honest_generalization_gives_no_alarm(make_split: Make) -> None:
    alarms = []
    for seed in range(40):
        data = _people(seed, make_split)
        generalization = _cut(data, np.arange(25, 200, 25))
        alarms.append(_alarm(FAST, generalization, data))
    assert sum(map(abs, alarms)) <= 6  # two on average


def test_cuts_fitted_to_the_sample_give_no_false_alarm(make_split: Make) -> None:
    alarms = []
    for seed in range(20):
        data = _people(seed, make_split, 600)
        # A cut wherever the sample's secret changes: its people stand nearly alone.
        order = np.argsort(data.train.codes[:, 0], kind="stable")
        ages, secrets = data.train.codes[order].T.astype(int)
        cuts = np.unique(ages[1:][(np.diff(secrets) != 0) & (np.diff(ages) > 0)])
        assert len(cuts) > 60
        alarms.append(_alarm(FAST, _cut(data, cuts), data))
    assert sum(alarm > 0 for alarm in alarms) <= 3


def test_a_sample_that_is_betrayed_gives_an_alarm(make_split: Make) -> None:
    # The people outside have a secret at random, those in the sample the one that age tells.
    rng = np.random.default_rng(0)
    data = _people(0, make_split)
    codes = data.test.codes.copy(order="F")
    drawn = rng.integers(0, 4, len(codes))
    codes[:, 1] = np.where(rng.random(len(codes)) < 0.6, drawn, codes[:, 1])
    table = replace(data.test.table, codes=codes)
    mixed = replace(data, test=replace(data.test, table=table))
    risk = Control().attack(_cut(data, np.arange(25, 200, 25)), mixed)
    assert risk.details["advantage_interval"][0] > 0
    assert risk.value < risk.baseline


def test_says_what_was_compared(make_split: Make) -> None:
    data = _people(0, make_split, 400)
    nothing = Generalization.nothing(data.train.table)
    control = Control(Reconstruction(random_state=5))
    risk = control.attack(nothing, data)
    assert risk == control.attack(nothing, data)
    assert risk.adversary.startswith("control")
    assert (risk.split, risk.n, risk.random_state) == ("train", data.train.n_rows, 5)
    rest = data.validation.n_rows + data.test.n_rows
    assert risk.details["control_records"] == rest - rest * 5 // 8
    low, high = risk.details["control_interval"]
    assert low <= risk.baseline <= high
    assert risk.interval[0] <= risk.value <= risk.interval[1]


def test_everything_collected(make_split: Make) -> None:
    data = _people(0, make_split, 400)
    risk = FAST.attack(Generalization.identity(data.train.table), data)
    assert (risk.value, risk.baseline, risk.recovered) == (0.0, 0.0, 0.0)
    assert risk.details["advantage_interval"] == [0.0, 0.0]


def test_too_few_people_outside(make_split: Make) -> None:
    data = make_split({"a": np.arange(40) % 2}, ["a"])
    nothing = Generalization.nothing(data.train.table)
    with pytest.raises(DataError, match=r"at least 20 people outside the sample\. Got 16"):
        Control().attack(nothing, data)
    enough = make_split({"a": np.arange(50) % 2}, ["a"])
    assert np.isfinite(Control().attack(nothing, enough).advantage)


def test_nobody_personal(make_split: Make) -> None:
    data = make_split({"a": np.arange(90) % 2}, [])
    with pytest.raises(DataError, match="at least one personal attribute"):
        Control().attack(Generalization.nothing(data.train.table), data)

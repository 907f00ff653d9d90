"""A8: people who can be isolated by a description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.attack import SinglingOut
from sparsam.attack._singling_out import (
    THRESHOLDS,
    class_details,
    isolation,
)
from sparsam.generalization import Generalization

Make = Callable[..., Any]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_isolation_is_what_a_coin_does(size: int) -> None:
    rng = np.random.default_rng(0)
    fits = rng.random((20_000, size)) < 1 / size
    simulated = (fits.sum(axis=1) == 1).mean()
    assert isolation(np.array([size]))[0] == pytest.approx(simulated, abs=0.015)


def test_no_random_description_beats_a_coin_for_everybody() -> None:
    weights = np.linspace(0, 1, 501)
    for n_people in (1, 2, 10, 5000):
        [coin] = isolation(np.array([n_people]))
        assert (n_people * weights * (1 - weights) ** (n_people - 1)).max() <= coin + 1e-12
    assert isolation(np.array([10**6]))[0] == pytest.approx(1 / np.e, abs=1e-5)


@pytest.mark.parametrize("n_people", [10, 333, 1000])
def test_one_record_for_everybody_singles_nobody_out(n_people: int, make_split: Make) -> None:
    data = make_split({"a": np.arange(n_people) % 3}, ["a"])
    risk = SinglingOut().attack(Generalization.nothing(data.train.table), data)
    assert risk.value == risk.baseline
    assert risk.recovered == risk.to_dict()["recovered"] == 0.0


@given(st.lists(st.integers(1, 300), min_size=1, max_size=40))
def test_class_details_are_counts(sizes: list[int]) -> None:
    details = class_details(np.array(sizes))
    assert details["distinct"] == len(sizes)
    assert details["smallest"] == min(sizes)
    assert details["rarest"] == sizes.count(min(sizes))
    assert details["alone"] == sizes.count(1)
    assert details["under"] == {str(k): sum(s for s in sizes if s < k) for k in THRESHOLDS}
    bars = details["histogram"]
    assert sum(bar["people"] for bar in bars) == sum(sizes)
    for bar in bars:
        assert bar["people"] == sum(s for s in sizes if bar["from"] <= s <= bar["to"])
    assert bars[0]["from"] == 1
    assert bars[-1]["to"] == max(sizes)
    for one, following in pairwise(bars):
        assert one["to"] + 1 == following["from"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_aims_at_the_rarest(
    seed: int, part: str, make_split: Make, make_generalization: Make
) -> None:
    rng = np.random.default_rng(seed)
    data = make_split({"a": rng.geometric(0.3, 200) % 12, "b": rng.integers(0, 4, 200)}, ["a"])
    size = data.train.sizes[0]
    generalization = make_generalization(data, a=np.arange(size) // 2, b=[0, 0, 1, 1])
    people = getattr(data, part).codes
    sizes = sorted(Counter((int(a) // 2, int(b) // 2) for a, b in people).values())
    risk = SinglingOut(attempts=3).attack(generalization, data, part)
    success = [(1 - 1 / c) ** (c - 1) for c in sizes[:3]]
    assert risk.value == pytest.approx(1 - np.mean(success))
    assert risk.baseline == pytest.approx(1 - (1 - 1 / len(people)) ** (len(people) - 1))
    assert risk.interval[0] - 1e-12 <= risk.value <= risk.interval[1]
    assert (risk.adversary, risk.split, risk.n) == ("A8 singling out", part, len(people))
    assert risk.details == {"attempts": 3, **class_details(np.array(sizes))}


def test_everyone_alone(make_split: Make) -> None:
    data = make_split({"a": np.arange(120)}, ["a"])
    risk = SinglingOut().attack(Generalization.identity(data.train.table), data)
    assert (risk.value, risk.details["alone"]) == (0.0, data.train.n_rows)
    assert 0 < risk.interval[1] < 0.1
    assert risk.details["histogram"] == [{"from": 1, "to": 1, "people": data.train.n_rows}]


def test_everything_suppressed_is_as_good_as_chance(make_split: Make) -> None:
    data = make_split({"a": np.arange(300) % 5}, ["a"])
    nothing = Generalization.nothing(data.train.table)
    risk = SinglingOut().attack(nothing, data)
    assert risk.advantage == pytest.approx(0.0, abs=1e-12)
    assert risk.details["distinct"] == 1
    assert risk.details["smallest"] == data.train.n_rows


@pytest.mark.parametrize("n_rows", [3, 5])
def test_a_handful_of_people(n_rows: int, make_split: Make) -> None:
    data = make_split({"a": np.arange(n_rows)}, ["a"])
    for generalization in (
        Generalization.identity(data.train.table),
        Generalization.nothing(data.train.table),
    ):
        for part in ("train", "validation", "test"):
            risk = SinglingOut().attack(generalization, data, part)
            assert np.isfinite([risk.value, risk.baseline, risk.recovered, *risk.interval]).all()


def test_bad_input(make_split: Make) -> None:
    data = make_split({"a": np.arange(30) % 3}, ["a"])
    nothing = Generalization.nothing(data.train.table)
    with pytest.raises(ParameterError, match="'attempts' parameter"):
        SinglingOut(attempts=0).attack(nothing, data)
    with pytest.raises(ParameterError, match="'part' parameter of the attack must be one of"):
        SinglingOut().attack(nothing, data, "elsewhere")
    empty = replace(data, test=data.test.take(np.zeros(0, int)))
    with pytest.raises(DataError, match="nobody to single out"):
        SinglingOut().attack(nothing, empty, "test")

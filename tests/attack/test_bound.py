"""The bound_ holds on populations whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.attack import Bound, GeneralizedRecords, Reconstruction, bound, look_up
from sparsam.attack._bound import best_count, deviation
from sparsam.attack._question import personal_question
from sparsam.data import Split
from sparsam.generalization import Generalization

Make = Callable[..., Any]


def _only(data: Split, name: str) -> Generalization:
    """Collect one attribute as it is, and nothing else."""
    table = data.train.table
    whole, nothing = Generalization.identity(table), Generalization.nothing(table)
    return Generalization([(whole if n == name else nothing)[n] for n in table.names])


def _people(joint: np.ndarray, n_people: int, seed: int, make_split: Make) -> Split:
    """People with a record z and a secret v, drawn from P(z, v)."""
    cells = np.random.default_rng(seed).choice(joint.size, n_people, p=joint.ravel())
    z, v = np.unravel_index(cells, joint.shape)
    data: Split = make_split({"z": np.unique(z, return_inverse=True)[1], "v": v}, ["v"], seed=seed)
    return data


def _coin_and_rare(n_rare: int) -> np.ndarray:
    """Half the people share a record that tells nothing; the others' are rare and tell all."""
    joint = np.zeros((n_rare + 1, 2))
    joint[0] = 0.25
    joint[1:, 0] = 0.5 / n_rare
    return joint


POPULATIONS = {
    "a coin": np.full((1, 2), 0.5),
    "a few records": np.random.default_rng(0).dirichlet(np.full(12, 0.5)).reshape(4, 3),
    "many records": np.random.default_rng(1).dirichlet(np.full(120, 0.5)).reshape(60, 2),
    "more records than people": np.random.default_rng(2).dirichlet(np.ones(1600)).reshape(800, 2),
    "rare records that tell all": _coin_and_rare(600),
}


@pytest.mark.parametrize("n_people", [40, 300, 2000])
@pytest.mark.parametrize("population", POPULATIONS)
def test_holds_in_simulated_populations(population: str, n_people: int, make_split: Make) -> None:
    joint = POPULATIONS[population]
    truth = joint.max(axis=1).sum()
    held = 0
    for seed in range(100):
        data = _people(joint, n_people, seed, make_split)
        [bound_] = bound(_only(data, "z"), data)
        held += bound_.accuracy >= truth
        assert bound_.on_these_records <= bound_.accuracy <= 1
    assert held >= 95


def test_all_attributes_hold_together(make_split: Make) -> None:
    held = 0
    for seed in range(100):
        coins = np.random.default_rng(seed).integers(0, 2, (300, 8))
        data = make_split({f"c{i}": coins[:, i] for i in range(8)}, [f"c{i}" for i in range(8)])
        bounds = bound(Generalization.nothing(data.train.table), data)
        held += min(bound_.accuracy for bound_ in bounds) >= 0.5
    assert held >= 95


def test_loose_but_not_empty(make_split: Make) -> None:
    joint = POPULATIONS["a few records"]
    data = _people(joint, 20_000, 0, make_split)
    [bound_] = bound(_only(data, "z"), data)
    assert bound_.accuracy <= joint.max(axis=1).sum() + 0.03


@pytest.mark.parametrize("seed", range(12))
def test_no_attack_of_ours_does_better(seed: int, random_case: Any) -> None:
    data, records = random_case(seed)
    guesses = Reconstruction().guess(records, data)
    held_out = [guesses.wrong(part) for part in ("validation", "test")]
    accuracy = 1 - np.concatenate(held_out).mean(axis=0)
    for number, attribute in enumerate(data.train.personal):
        question = personal_question(attribute, data, records, 0.0)
        best = best_count(records, question) / (data.validation.n_rows + data.test.n_rows)
        assert best >= accuracy[number] - 1e-12
        # Brute force: whoever has the same record is told the same.
        cells: dict[int, list[int]] = {}
        for part in ("validation", "test"):
            pairs = zip(records.index[part], question.codes[part], strict=True)
            for line, code in pairs:
                cells.setdefault(int(line), []).append(int(code))
        right = sum(max(map(codes.count, codes)) for codes in cells.values())
        assert best_count(records, question) == right


@pytest.mark.parametrize("width", [1, 5, 25, 100])
def test_not_below_what_was_found_on_test_data(
    width: int, make_split: Make, make_generalization: Make
) -> None:
    rng = np.random.default_rng(0)
    age = rng.integers(0, 100, 4000)
    columns = {"age": age, "job": (age // 20 + rng.integers(0, 2, 4000)) % 6}
    data = make_split(columns, ["age", "job"], numeric=["age"])
    generalization = make_generalization(data, age=np.arange(100) // width)
    bounds = bound(generalization, data)
    risk = Reconstruction().attack(generalization, data)
    for bound_, part in zip(bounds, risk.parts, strict=True):
        assert bound_.attribute == part.attribute
        assert bound_.tolerance == part.details.get("tolerance")
        low, high = part.interval
        assert bound_.accuracy >= 1 - part.value - (high - low)


def test_numbers_count_within_the_tolerance(make_split: Make, make_generalization: Make) -> None:
    ages = np.random.default_rng(0).permutation(np.arange(20_000) % 100)
    data = make_split({"age": ages}, ["age"], numeric=["age"])
    generalization = make_generalization(data, age=np.arange(100) // 10)
    exact = Reconstruction(tolerance={"age": 0})
    [close], [right] = (
        bound(generalization, data),
        bound(generalization, data, reconstruction=exact),
    )
    # Within 4.95 years of one guess lie nine of the ten years of a bucket.
    assert close.on_these_records == pytest.approx(0.9, abs=0.02)
    assert right.on_these_records == pytest.approx(0.1, abs=0.02)
    assert "recovers age (within 4.95) with" in str(close)


def test_attributes_share_the_chance_to_fail(make_split: Make) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 2, 500) for name in "abcd"}
    alone, four = make_split(columns, ["a"]), make_split(columns, ["a", "b", "c", "d"])
    nothing = Generalization.nothing(alone.train.table)
    [own], shared = bound(nothing, alone, 0.9), bound(nothing, four, 0.9)
    n_records = 500 - alone.train.n_rows
    assert own.accuracy == pytest.approx(own.on_these_records + deviation(n_records, 0.1))
    for bound_ in shared:
        above = bound_.accuracy - bound_.on_these_records
        assert above == pytest.approx(deviation(n_records, 0.1 / 4))
        assert (bound_.confidence, bound_.n) == (0.9, n_records)


def test_deviation_shrinks_with_people_and_grows_with_confidence() -> None:
    assert deviation(100, 0.05) == pytest.approx(np.sqrt(np.log(20) / 200))
    assert deviation(1000, 0.05) < deviation(100, 0.05) < deviation(100, 0.01)


def test_everything_collected_is_certain(make_split: Make) -> None:
    data = make_split({"a": np.arange(300) % 7}, ["a"])
    [bound_] = bound(Generalization.identity(data.train.table), data)
    assert (bound_.accuracy, bound_.on_these_records) == (1.0, 1.0)


def test_only_held_out_people_are_counted(make_split: Make) -> None:
    rng = np.random.default_rng(0)
    data = make_split({"z": rng.integers(0, 3, 300), "v": rng.integers(0, 2, 300)}, ["v"])
    generalization = _only(data, "z")
    fewer = replace(data, train=data.train.take(np.arange(5)))
    assert bound(generalization, fewer) == bound(generalization, data)


def test_in_words_and_as_data() -> None:
    bound_ = Bound("sex", 0.612, 0.58, 0.95, 12_000)
    assert str(bound_) == (
        "No attack on these records, however clever, recovers sex with more than 61.2 % "
        "(95 % confidence, 12,000 records)"
    )
    plain = bound_.to_dict()
    assert Bound(**plain) == bound_
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_bad_input(make_split: Make) -> None:
    data = make_split({"a": np.arange(30) % 3}, ["a"])
    nothing = Generalization.nothing(data.train.table)
    for confidence in (0.0, 1.0, -1.0, 2.0, float("nan")):
        with pytest.raises(ParameterError, match=r"a float in \(0, 1\)"):
            bound(nothing, data, confidence)
    nobody = data.test.take(np.zeros(0, int))
    with pytest.raises(DataError, match="not learned from"):
        bound(nothing, replace(data, validation=nobody, test=nobody))
    assert bound(nothing, make_split({"a": np.arange(30) % 3}, [])) == ()


def test_a_look_up_is_no_better_than_the_certificate_says(
    make_split: Make, make_generalization: Make
) -> None:
    # An adversary who knows the very people who are counted, and nothing else, reaches the bound.
    rng = np.random.default_rng(0)
    data = make_split({"z": rng.integers(0, 40, 600), "v": rng.integers(0, 3, 600)}, ["v"])
    same = replace(data, train=data.test, validation=data.test)
    generalization = make_generalization(same, z=range(40))
    records = GeneralizedRecords.of(generalization, same)
    question = personal_question(1, same, records, 0.0)
    [bound_] = bound(generalization, same)
    error = question.error(look_up(records, question), records, "test")
    assert 1 - error == pytest.approx(bound_.on_these_records)

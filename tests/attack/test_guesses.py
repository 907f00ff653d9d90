"""What an adversary believes of every person, judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.attack import GeneralizedRecords, Question, Reconstruction
from sparsam.attack._guesses import Answer, Guesses, surest
from sparsam.data import Split

MakeSplit = Callable[..., Split]


MakeRecords = Callable[..., GeneralizedRecords]


def test_surest() -> None:
    confidence, alone = np.array([0.2, 0.9, 0.5, 0.5, 0.5, 0.1], np.float32), np.ones(6, np.int64)
    assert surest(confidence, alone, [1])[0].tolist() == [0, 1, 0, 0, 0, 0]
    third = 1 / 3
    assert surest(confidence, alone, [2])[0].tolist() == pytest.approx(
        [0, 0.5, *[third / 2] * 3, 0]
    )
    assert surest(confidence, alone, [4])[0].tolist() == pytest.approx([0, *[0.25] * 4, 0])
    assert surest(confidence, alone, [6])[0].tolist() == pytest.approx([1 / 6] * 6)
    assert surest(np.full(5, 0.3, np.float32), alone[:5], [2])[0].tolist() == pytest.approx(
        [0.2] * 5
    )


@pytest.mark.parametrize("n_kept", [1, 7, 40, 100])
def test_surest_records_are_the_surest_people(n_kept: int) -> None:
    rng = np.random.default_rng(n_kept)
    confidence, people = rng.choice([0.3, 0.5, 0.9], 9).astype(np.float32), rng.integers(1, 30, 9)
    people[0] += max(0, 100 - people.sum())
    each = np.repeat(confidence, people)
    weights = np.repeat(surest(confidence, people, [n_kept])[0], people)
    assert weights.sum() == pytest.approx(1)
    border = np.sort(each)[-n_kept]
    np.testing.assert_allclose(weights[each > border], 1 / n_kept)
    assert (weights[each < border] == 0).all()
    assert len(set(weights[each == border])) == 1


@pytest.fixture(scope="module")
def half_known(make_split: MakeSplit, make_records: MakeRecords) -> Guesses:
    """One in four has a value that the record gives away; the others' is a coin's."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 8000)
    secret = np.where(x == 0, rng.random(8000) < 0.05, rng.random(8000) < 0.5)
    data = make_split({"x": x, "secret": secret}, ["secret"])
    return Reconstruction().guess(make_records(data, x=range(4)), data)


def test_surest_people_are_recovered(half_known: Guesses) -> None:
    few, quarter = (half_known.confident_risk(share, "test") for share in (0.01, 0.25))
    n_test = half_known.risk("test").n
    assert few.n == round(0.01 * n_test)
    # Everyone with x = 0 is equally sure: the hundredth counts them in proportion.
    assert few.value == pytest.approx(0.05, abs=0.015)
    assert quarter.value == pytest.approx(0.05, abs=0.02)
    assert few.adversary == "A2 high-certainty reconstruction (surest 1%)"
    assert few.interval[0] <= few.value <= few.interval[1]


def test_all_people_are_a1(half_known: Guesses) -> None:
    everyone, plain = half_known.confident_risk(1.0, "test"), half_known.risk("test")
    assert everyone.value == pytest.approx(plain.value)
    assert everyone.baseline == pytest.approx(plain.baseline)


def _replicate(rng: np.random.Generator, n_test: int) -> Guesses:
    """Fixed guesses on a fresh test part: the true errors are 0.1, 0.4 and 0.25 on average."""
    line = rng.integers(0, 2, n_test)
    first = (rng.random(n_test) < np.where(line == 0, 0.1, 0.4)).astype(np.uint16)
    second = np.where(rng.random(n_test) < 0.6, first, rng.random(n_test) < 0.25)
    data: Any = SimpleNamespace(test=SimpleNamespace(n_rows=n_test))
    answers = []
    for truth in (first, second.astype(np.uint16)):
        question = Question("a", 2, {"train": truth, "test": truth})
        confidence, guess = np.array([0.9, 0.6], np.float32), np.zeros(2, np.int64)
        answers.append(Answer(question, {"test": line}, guess, confidence, None, "look-up"))
    return Guesses(data, tuple(answers), 0, "A1", "A1 reconstruction")


def test_intervals_cover() -> None:
    rng = np.random.default_rng(0)
    guesses = [_replicate(rng, 400) for _ in range(500)]
    whole = [g.risk("test") for g in guesses]
    surest_fifth = [g.confident_risk(0.2, "test").parts[0] for g in guesses]
    for risks, true_error in (
        (whole, 0.25),
        ([risk.parts[0] for risk in whole], 0.25),
        (surest_fifth, 0.1),
    ):
        covered = [risk.interval[0] <= true_error <= risk.interval[1] for risk in risks]
        assert np.mean(covered) >= 0.92
    widths = [risk.interval[1] - risk.interval[0] for risk in whole]
    assert np.mean(widths) < 0.1


def test_a_model_is_chosen_by_its_surprise_beside_its_errors(
    make_split: MakeSplit, make_records: MakeRecords
) -> None:
    x = np.arange(1000) % 2
    data = make_split({"x": x, "a": x}, ["a"])
    records = make_records(data, x=[0, 1])
    [question] = Reconstruction().questions(records, data, [1])

    def chosen(n_ones: int) -> str:
        truth = (np.arange(data.validation.n_rows) < n_ones).astype(np.uint16)
        asked = replace(question, codes={**question.codes, "validation": truth})
        candidates = {
            "rash": [lambda lines: np.tile(np.float32([0.001, 0.999]), (len(lines), 1))],
            "modest": [lambda lines: np.tile(np.float32([0.51, 0.49]), (len(lines), 1))],
        }
        return Answer.best(asked, records, candidates).model

    n_held = data.validation.n_rows
    # One error less is no reason to believe who is sure of what is false; many are.
    assert chosen(n_held // 2 + 1) == "modest"
    assert chosen(n_held - 1) == "rash"


def test_bad_questions(half_known: Guesses) -> None:
    with pytest.raises(ParameterError, match="'part' parameter of risk must be one of"):
        half_known.risk("train")
    for share in (0.0, 1.5, float("nan")):
        with pytest.raises(ParameterError, match=r"in \(0, 1\]"):
            half_known.confident_risk(share, "test")

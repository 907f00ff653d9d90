"""The look-up against a slow one that follows the definition word by word."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sparsam.attack import GeneralizedRecords, Question, look_up
from sparsam.attack._look_up import STRENGTHS, LookUp, _column_order, _Seats
from sparsam.attack._question import personal_question
from sparsam.attack._records import PeopleWith
from sparsam.data import Split


def _people(records: GeneralizedRecords, question: Question) -> list[tuple[tuple[int, ...], int]]:
    """The record and the true code of everyone in the training part."""
    lines, truth = records.index["train"], question.codes["train"]
    return [
        (tuple(map(int, records.records[line])), int(code))
        for line, code in zip(lines, truth, strict=True)
    ]


def _slow_shares(
    record: tuple[int, ...],
    people: list[tuple[tuple[int, ...], int]],
    question: Question,
    order: list[int],
    strength: float,
) -> list[float]:
    """Shares of the codes for one record, from the coarsest group to the finest."""
    own = question.own_column
    possible = [
        question.buckets is None or own is None or question.buckets[code] == record[own]
        for code in range(question.size)
    ]
    shares = [p / sum(possible) for p in possible]
    for length in range(0 if own is None else 1, len(order) + 1):
        alike = [code for r, code in people if all(r[c] == record[c] for c in order[:length])]
        seen = Counter(alike)
        shares = [
            (seen[code] + strength * share) / (len(alike) + strength) if possible[code] else 0.0
            for code, share in enumerate(shares)
        ]
    return shares


def _slow_information(
    people: list[tuple[tuple[int, ...], int]], own: int | None, column: int
) -> float:
    """n times I(code; column | own bucket)."""
    given = [r[own] if own is not None else 0 for r, _ in people]
    joint = Counter((g, r[column], c) for g, (r, c) in zip(given, people, strict=True))
    bucket = Counter((g, r[column]) for g, (r, _) in zip(given, people, strict=True))
    code = Counter((g, c) for g, (_, c) in zip(given, people, strict=True))
    total = Counter(given)
    return sum(
        n * math.log(n * total[g] / (bucket[g, b] * code[g, c])) for (g, b, c), n in joint.items()
    )


def _questions(data: Split, records: GeneralizedRecords) -> list[Question]:
    return [personal_question(a, data, records, 0.0) for a in data.train.personal]


def _order(records: GeneralizedRecords, question: Question) -> list[int]:
    seats = _Seats.of(question)
    lines, codes = records.index["train"], seats.seat[question.codes["train"]]
    people = PeopleWith.of(lines, codes, len(records), seats.width)
    return _column_order(records, question, seats, people)


@pytest.mark.parametrize("seed", range(40))
def test_follows_the_definition(seed: int, random_case: Callable[[int], Any]) -> None:
    data, records = random_case(seed)
    for question in _questions(data, records):
        people = _people(records, question)
        order = _order(records, question)
        slow = [
            np.array([_slow_shares(tuple(r), people, question, order, m) for r in records.records])
            for m in STRENGTHS
        ]
        posterior = look_up(records, question)
        chosen = [number for number, s in enumerate(slow) if np.allclose(posterior, s, atol=2e-6)]
        index = records.index["validation"]
        losses = [question.loss(s.astype(np.float32), index, "validation") for s in slow]
        assert chosen
        best, mine = min(losses), losses[chosen[0]]
        assert mine == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("seed", range(40))
def test_most_telling_column_first(seed: int, random_case: Callable[[int], Any]) -> None:
    data, records = random_case(seed)
    for question in _questions(data, records):
        order = _order(records, question)
        own = question.own_column
        assert sorted(order) == list(range(len(records.columns)))
        if own is not None:
            assert order[0] == own
            order = order[1:]
        people = _people(records, question)
        told = [_slow_information(people, own, column) for column in order]
        assert all(first >= second - 1e-9 for first, second in pairwise(told))


@pytest.mark.parametrize("seed", range(40))
def test_impossible_values_get_nothing(seed: int, random_case: Callable[[int], Any]) -> None:
    data, records = random_case(seed)
    for question in _questions(data, records):
        posterior = look_up(records, question)
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-5)
        possible = question.possible(records)
        if possible is not None:
            assert (posterior[~possible] == 0).all()
            guess, _ = question.guess(posterior)
            assert possible[np.arange(len(guess)), guess].all()


def test_many_records_of_an_attribute_with_many_values_take_little_memory(
    make_split: Callable[..., Split], make_records: Callable[..., GeneralizedRecords]
) -> None:
    rng = np.random.default_rng(0)
    age, town = np.divmod(np.arange(20_000), 200)
    data = make_split({"job": rng.integers(0, 500, 20_000), "age": age, "town": town}, ["job"])
    records = make_records(data, age=np.arange(100), town=np.arange(200))
    [question] = _questions(data, records)
    tracemalloc.start()
    LookUp(records, question)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * len(records) * question.size


def test_bucket_without_a_code(
    make_split: Callable[..., Split], make_records: Callable[..., GeneralizedRecords]
) -> None:
    rng = np.random.default_rng(0)
    data = make_split({"a": rng.integers(0, 3, 60), "b": rng.integers(0, 2, 60)}, ["a"])
    records = make_records(data, a=[0, 0, 2])  # nobody can be in bucket 1
    posterior = look_up(records, personal_question(0, data, records, 0.0))
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-6)


def test_bucket_that_training_never_saw() -> None:
    codes = {
        "train": np.array([0, 0, 1], np.uint16),
        "validation": np.array([1], np.uint16),
        "test": np.array([3], np.uint16),
    }
    buckets = np.array([0, 0, 1, 1], np.uint16)
    records = GeneralizedRecords(
        records=np.array([[0], [1]], np.uint16),
        columns=(0,),
        sizes=(2,),
        index={part: (codes[part] > 1).astype(np.int64) for part in codes},
        lookups=(buckets,),
    )
    question = Question("a", 4, codes, own_column=0, buckets=buckets)
    assert look_up(records, question)[1].tolist() == [0.0, 0.0, 0.5, 0.5]

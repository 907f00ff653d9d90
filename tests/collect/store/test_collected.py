"""What is collected: numbers that mean something, and by what they are known again."""

from __future__ import annotations

import copy
from itertools import product

import pytest
from msgspec.structs import replace

from sparsam._errors import ParameterError
from sparsam.collect import Questionnaire, Target
from sparsam.collect.store._collected import NOT_ASKED, Collected
from sparsam.generalization import Generalization

from ..recodings import example, random_recoding
from .examples import COARSE, FINE, TARGET

ASKS = Questionnaire(example())


def mark(source, target=None):
    return Collected.of(source, target).fingerprint


def test_a_fingerprint_is_of_what_the_codes_mean():
    first = mark(FINE, TARGET)
    assert first == mark(Generalization.from_json(FINE.to_json()), TARGET)
    assert first == mark(FINE.with_about({"seed": 1}), TARGET)
    age, *others = FINE.partitions
    renamed = replace(age, labels=("babies", *age.labels[1:]))
    marks = {
        first,
        mark(FINE),
        mark(FINE, Target("employed", ("yes", "no"))),
        mark(COARSE, TARGET),
        mark(Generalization([renamed, *others]), TARGET),
        mark(Generalization([*others, age]), TARGET),
    }
    assert len(marks) == 6
    assert all(len(each) == 16 for each in marks)


def test_a_fingerprint_of_interviews_is_of_what_is_asked():
    asks = Questionnaire(example())
    first = mark(asks)
    assert first == mark(Questionnaire.from_json(asks.to_json()))
    assert first == mark(copy.deepcopy(asks))
    assert first == mark(Questionnaire(example(), order=["age", "sex"]))  # asked alike
    others = {
        first,
        mark(asks, TARGET),
        mark(Questionnaire(example(), order=["sex"])),
        mark(example().generalization),
        mark(Questionnaire(random_recoding(3))),
    }
    assert len(others) == 5


def test_columns_of_interviews():
    kept = Collected.of(ASKS, TARGET)
    # under 17; women in two kinds of towns; men with three hours
    assert kept.sizes == {"interview": 1 + 2 + 3, "employed": 2}
    assert kept.names == ("age", "sex", "town", "hours", "employed")
    assert kept.generalization == example().generalization
    named = Collected.of(ASKS, Target("interview", ("no", "yes")))
    assert named.sizes == {"interview_": 6, "interview": 2}
    with pytest.raises(ParameterError, match="is also a collected attribute"):
        Collected.of(ASKS, Target("age", ("no", "yes")))


def test_interviews_as_a_model_learns_from_them():
    kept = Collected.of(ASKS, TARGET)
    training = kept.training([(number, number % 2, 1 + number) for number in range(6)])
    assert training.weights.tolist() == [1, 2, 3, 4, 5, 6]
    assert training.target.tolist() == ["no", "yes"] * 3
    records = {name: column.tolist() for name, column in training.records.items()}
    assert records == {
        "age": ["under 17", *["17 and over"] * 5],
        "sex": [NOT_ASKED, "f", "f", "m", "m", "m"],
        "town": [NOT_ASKED, "Bern or Genf", "Chur", *[NOT_ASKED] * 3],
        "hours": [*[NOT_ASKED] * 3, "under 20", "20–34", "35 and over"],
    }
    sent = {name: column.tolist() for name, column in training.columns(codes=True).items()}
    assert sent["age"] == ["0", *["1-3"] * 5]
    assert sent["town"] == ["", "0.2", "1", "", "", ""]
    assert sent["employed"] == [0, 1] * 3
    assert sent["n"] == [1, 2, 3, 4, 5, 6]
    assert kept.training([]).codes.shape == (0, 4)
    assert all(labels[0] == NOT_ASKED for labels, _ in training.answers.values())


def test_whole_records_as_a_model_learns_from_them():
    kept = Collected.of(COARSE, None)
    rows = [(*codes, 1) for codes in product(range(3), range(3))]
    training = kept.training(rows)
    assert training.codes.tolist() == [list(row[:2]) for row in rows]
    assert training.target is None
    assert training.columns(codes=True)["age"].tolist() == [row[0] for row in rows]


def test_only_whole_records_can_be_made_coarser():
    with pytest.raises(ParameterError, match="let this one expire"):
        Collected.of(ASKS, None).sources(Collected.of(ASKS, None))
    with pytest.raises(ParameterError, match="Got a questionnaire"):
        Collected.of(FINE, None).sources(Collected.of(ASKS, None))
    with pytest.raises(ParameterError, match="Got dict instead"):
        Collected.of({}, None)

"""Attribute inference: a model that hangs on an attribute betrays it, another does not."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from sparsam._errors import DataError, ParameterError
from sparsam.attack._attribute_inference import (
    AttributeGame,
    AttributeGuesses,
    attribute_attack_model,
    fredrikson,
)
from sparsam.data import OwnRecords

NAMES = ("job", "town", "illness")


class Asked:
    """A model of plain functions, which remembers what it was asked."""

    def __init__(self, probability: Any, classes: tuple[Any, ...] = (0, 1)) -> None:
        self.probability = probability
        self.classes_ = np.array(classes)
        self.asked: list[dict[str, NDArray[Any]]] = []

    def predict_proba(self, people: Any) -> NDArray[np.float64]:
        self.asked.append(people)
        yes = self.probability(people)
        return np.column_stack([1 - yes, yes])


def _people(n_people: int, seed: int = 0) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    people = {name: rng.integers(0, 3, n_people) for name in NAMES[:2]}
    people["illness"] = rng.choice(["flu", "none", "worse"], n_people, p=[0.3, 0.5, 0.2])
    return people


def _game(
    people: dict[str, NDArray[Any]], labels: Any, others: int = 0, attribute: str = "illness"
) -> AttributeGame:
    n_people = len(people["job"])
    cut = n_people - others
    return AttributeGame.open(
        people, labels, attribute, members=np.arange(cut), others=np.arange(cut, n_people)
    )


def _worse(people: Any) -> NDArray[np.float64]:
    return np.where(people["illness"] == "worse", 0.9, 0.1)


def test_guess_is_the_likeliest_value_by_prior_and_answer() -> None:
    people = _people(300)
    labels = np.random.default_rng(1).integers(0, 2, 300)
    game, model = _game(people, labels), Asked(_worse)
    values = OwnRecords.open(people).own_values("illness")
    prior = [np.mean(people["illness"] == value) for value in values]
    right = 0
    for person in range(300):
        yes = [0.9 if value == "worse" else 0.1 for value in values]
        belief = [p * (q if labels[person] else 1 - q) for p, q in zip(prior, yes, strict=True)]
        right += values[int(np.argmax(belief))] == people["illness"][person]
    risk = fredrikson(game, model)
    assert risk.value == pytest.approx(right / 300)
    assert risk.baseline == pytest.approx(max(prior))
    assert risk.details["control"] is None


def test_model_is_never_asked_the_true_value() -> None:
    people = _people(50)
    model = Asked(_worse)
    fredrikson(_game(people, np.zeros(50, int)), model)
    # One question for each value, in which everyone has that value.
    assert sorted(set(asked["illness"]).pop() for asked in model.asked) == ["flu", "none", "worse"]
    assert all(len(set(asked["illness"])) == 1 for asked in model.asked)
    assert all(np.array_equal(asked["job"], people["job"]) for asked in model.asked)


def test_model_that_ignores_the_attribute_adds_nothing() -> None:
    people = _people(400)
    labels = (people["job"] > 0).astype(int)
    model = Asked(lambda rows: np.where(rows["job"] > 0, 0.8, 0.3))
    for answer in ("probability", "label"):
        risk = fredrikson(_game(people, labels, others=100), model, answer=answer)  # type: ignore[arg-type]
        assert risk.advantage == 0.0
        assert risk.details["advantage_interval"] == [0.0, 0.0]


def test_confusion_weighs_the_answer_of_a_model_that_says_classes_only() -> None:
    people = _people(600)
    labels = (people["illness"] == "worse").astype(int)
    # The answers are turned round: only someone who knows the confusion matrix can read them.
    model = Asked(lambda rows: 1 - _worse(rows))
    game = _game(people, labels, others=300)
    assert fredrikson(game, model).advantage < 0
    read = fredrikson(game, model, answer="label")
    assert read.details["recall"] > 0.6
    assert read.value == pytest.approx(
        np.mean((people["illness"] == "worse") | (people["illness"] == "none")), abs=0.05
    )


def test_memorising_betrays_members_more_than_others() -> None:
    rng = np.random.default_rng(3)
    people: dict[str, NDArray[Any]] = {f"a{i}": rng.integers(0, 6, 1000) for i in range(4)}
    people["secret"] = rng.integers(0, 2, 1000)
    labels = rng.integers(0, 2, 1000)
    matrix = np.column_stack(list(people.values()))
    tree = DecisionTreeClassifier(random_state=0).fit(matrix[:500], labels[:500])
    name = OwnRecords.open(matrix).columns[-1]
    game = AttributeGame.open(
        matrix, labels, name, members=np.arange(500), others=np.arange(500, 1000)
    )
    risk = fredrikson(game, tree)
    assert risk.details["control"] is not None
    assert risk.details["control_advantage_interval"] is not None
    assert risk.value > risk.details["control"] + 0.05
    assert risk.details["control_advantage_interval"][0] > 0


def test_attack_model_reads_the_answers() -> None:
    people = _people(400)
    labels = np.random.default_rng(5).integers(0, 2, 400)
    model = Asked(_worse)
    risk = attribute_attack_model(_game(people, labels, others=100), model)
    worse_known = np.mean(people["illness"] != "flu")
    assert risk.n == 150
    assert risk.value == pytest.approx(worse_known, abs=0.1)
    assert risk.details["advantage_interval"][0] > 0
    assert risk.details["control"] == pytest.approx(risk.value, abs=0.12)


def test_attack_model_without_a_telling_model_is_its_baseline() -> None:
    people = _people(400)
    labels = np.zeros(400, int)
    constant = Asked(lambda rows: np.full(len(rows["job"]), 0.5))
    risk = attribute_attack_model(_game(people, labels), constant)
    assert risk.details["advantage_interval"][0] <= 0 <= risk.details["advantage_interval"][1]
    assert risk == attribute_attack_model(_game(people, labels), constant)


def test_attribute_with_one_value_is_known_to_all() -> None:
    people = {**_people(60), "illness": np.full(60, "flu")}
    model = Asked(_worse)
    game = _game(people, np.zeros(60, int))
    for risk in (fredrikson(game, model), attribute_attack_model(game, model)):
        assert (risk.value, risk.baseline) == (1.0, 1.0)


def test_missing_is_a_value_that_is_guessed_too() -> None:
    illness = np.array(["flu", None] * 50, dtype=object)
    people = {"job": np.arange(100) % 3, "illness": illness}
    labels = np.array([0, 1] * 50)
    model = Asked(lambda rows: np.array([0.9 if v is None else 0.1 for v in rows["illness"]]))
    assert fredrikson(_game(people, labels), model).value == 1.0


def test_precision_and_recall_are_means_over_values() -> None:
    truth, guess = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    nobody = np.empty(0, int)
    risk = AttributeGuesses(truth, guess, guess, nobody, nobody).risk("x", "y", 2)
    assert risk.details["precision"] == pytest.approx((1 + 0.5) / 2)
    assert risk.details["recall"] == pytest.approx((2 / 3 + 1) / 2)


def test_result_is_plain_data() -> None:
    people = _people(80)
    risk = fredrikson(_game(people, np.zeros(80, int), others=30), Asked(_worse))
    plain = json.loads(json.dumps(risk.to_dict()))
    assert plain["advantage"] == risk.advantage
    assert plain["n"] == 50
    assert "Fredrikson on illness: accuracy" in str(risk)
    assert "on other people (members, 50 records)" in str(risk)


def test_bad_requests_get_clear_errors() -> None:
    people, labels = _people(30), np.zeros(30, int)
    with pytest.raises(
        ParameterError, match="'attribute' parameter of AttributeGame must be one of"
    ):
        _game(people, labels, attribute="name")
    with pytest.raises(DataError, match="one label for each of the 30"):
        _game(people, labels[:5])
    with pytest.raises(DataError, match="no members"):
        AttributeGame.open(people, labels, "job", members=[])
    with pytest.raises(ParameterError, match="'answer'"):
        fredrikson(_game(people, labels), Asked(_worse), answer="loud")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="at least 40"):
        attribute_attack_model(_game(people, labels), Asked(_worse))
    many = {"job": np.arange(200), "illness": np.arange(200) % 2}
    with pytest.raises(ParameterError, match=r"at most 100 values.*'job' has 200"):
        fredrikson(_game(many, np.zeros(200, int), attribute="job"), Asked(_worse))

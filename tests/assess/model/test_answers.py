"""What a model answers about people, and the truth beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from sparsam._errors import ParameterError
from sparsam.assess import assess_model
from sparsam.assess.model._answers import comparable, model_answers
from sparsam.data import Roles, resolve
from sparsam.minimise import ModelTree


def grown_up(rows):
    return np.asarray(rows["age"]) >= 18


@pytest.fixture(scope="module")
def people(make_people):
    return make_people(900)


@pytest.fixture(scope="module")
def tree(people):
    return ModelTree(grown_up, Roles("works"), keep_accuracy=0.9).fit(people)


def test_every_record_is_asked_once_before_and_once_after(tree, people):
    answers = model_answers(tree, people, [0, 1, 2, 0])
    assert answers.before.tolist() == grown_up(people.iloc[[0, 1, 2, 0]]).tolist()
    assert answers.n_asked == 2 * len(
        people.iloc[[0, 1, 2]].drop(columns="works").drop_duplicates()
    )
    assert (answers.rows.tolist(), answers.n_given) == ([0, 1, 2, 0], 900)


def test_only_known_labels_that_the_model_can_say_are_compared():
    answers = np.array(["yes", "no", "yes"])
    labels = np.array(["yes", None, "no"], object)
    assert comparable(labels, answers).tolist() == [0, 2]
    assert comparable(np.array([1, 2, 3], object), answers).tolist() == []
    assert comparable(np.array([1.0, math.nan, 3.0]), np.ones(3), regression=True).tolist() == [
        0,
        2,
    ]


@pytest.mark.parametrize(
    ("target", "model", "expected"),
    [
        ("age>40", lambda rows: rows["sex"].to_numpy() == "male", True),
        ("age<=40", lambda rows: (rows["sex"].to_numpy() == "male").astype(int), True),
        ("age in bins(30, 50)", lambda rows: np.where(rows["sex"] == "male", 0, 2), True),
        ("age>40", lambda rows: np.where(rows["sex"] == "male", "old", "young"), False),
    ],
)
def test_labels_by_expression(people, target, model, expected):
    tree = ModelTree(model, Roles(target), keep_accuracy=0.9).fit(people)
    evidence = assess_model(tree, people, rows=tree.held_out_rows_)
    assert (evidence.true_accuracy is not None) == expected
    if target == "age>40":
        return
    rows = people.iloc[tree.held_out_rows_]
    age = rows["age"].to_numpy()
    truth = np.digitize(age, [30, 50]) if "bins" in target else (age <= 40).astype(int)
    assert evidence.true_accuracy.before.score == (truth == model(rows)).mean()


@pytest.mark.parametrize("rows", [[], [[0]], [-1], [900], ["a"], [0.5]])
def test_rows_that_are_none(tree, people, rows):
    with pytest.raises(ParameterError, match="'rows' parameter of assess_model"):
        assess_model(tree, people, rows=rows)


def test_trees_that_cannot_be_assessed(people):
    with pytest.raises(NotFittedError):
        assess_model(ModelTree(grown_up), people)
    with pytest.raises(ParameterError, match="model that already runs"):
        assess_model(ModelTree(keep_accuracy=0.5).fit_task(resolve(people, Roles("works"))), people)

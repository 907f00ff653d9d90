"""Utility: on simulated people the best classifier comes near the best there can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sparsam.assess import assess_generalization, measure_limits
from sparsam.assess._score import ACCURACY
from sparsam.assess._utility import LEARNERS, best_classifier, model_names, with_rare_together
from sparsam.assess.learners._sample import samples
from sparsam.attack import GeneralizedRecords
from sparsam.data import Roles, read, resolve, split
from sparsam.generalization import Generalization, categorical_partition

# P(y | a, b) for four values of a and three of b
BINARY = np.stack(
    [
        np.array([[0.9, 0.1, 0.8], [0.2, 0.95, 0.3], [0.5, 0.7, 0.1], [0.05, 0.6, 0.9]]),
        np.array([[0.1, 0.9, 0.2], [0.8, 0.05, 0.7], [0.5, 0.3, 0.9], [0.95, 0.4, 0.1]]),
    ],
    axis=2,
)
THREE = np.array(
    [
        [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]],
        [[0.1, 0.1, 0.8], [0.6, 0.2, 0.2]],
        [[0.2, 0.7, 0.1], [0.1, 0.2, 0.7]],
    ]
)


CLASSIFIERS = LEARNERS["accuracy"]


def posterior_of(model, data):
    """What the model of the first turn tells of every record."""
    _, sample = next(samples(full(data), data))
    return CLASSIFIERS[model](sample, 0)[2]


def full(data):
    return GeneralizedRecords.of(Generalization.identity(data.train.table), data)


@pytest.mark.parametrize("table", [BINARY, THREE], ids=["two classes", "three classes"])
def test_best_classifier_reaches_the_bayes_error(simulate, table):
    data = simulate(table)
    bayes = 1 - table.max(axis=2).mean()
    utility = best_classifier(full(data), data, 0).utility("test")
    # 1,200 people: two standard errors of a share are below 0.03
    assert utility.error == pytest.approx(bayes, abs=0.03)
    assert utility.interval[0] < bayes < utility.interval[1]
    assert utility.interval[0] < utility.error < utility.interval[1]
    assert (utility.n_records, utility.split) == (data.test.n_rows, "test")
    assert utility.accuracy == 1 - utility.error


@pytest.mark.parametrize("table", [BINARY, THREE], ids=["two classes", "three classes"])
def test_limits_are_those_of_the_simulation(simulate, table):
    limits = measure_limits(simulate(table))
    majority = 1 - table.mean(axis=(0, 1)).max()
    assert limits.nothing.error == pytest.approx(majority, abs=0.03)
    assert limits.nothing.model == "majority"
    assert limits.everything.error == pytest.approx(1 - table.max(axis=2).mean(), abs=0.03)
    assert limits.to_dict()["everything"]["split"] == "test"
    assert 0 < limits.naive_error < 1


def test_merging_values_that_predict_alike_costs_nothing(simulate):
    table = BINARY[[0, 0, 1, 1]]
    data = simulate(table)
    a, b = data.train.table.attributes
    merged = categorical_partition("a", a.domain, [["a0", "a1"], ["a2", "a3"]])
    whole = Generalization.identity(data.train.table)
    assessment = assess_generalization(Generalization([merged, whole["b"]]), data)
    blind = assess_generalization(
        Generalization([Generalization.nothing(data.train.table)["a"], whole["b"]]), data
    )
    limits = measure_limits(data)
    loss, (low, high) = limits.loss(assessment, "test")
    assert low <= 0 <= high
    assert abs(loss) < 0.02
    assert limits.loss(blind, "test")[1][0] > 0.02
    assert b.name == "b"


def test_the_test_part_does_not_choose_the_model(simulate):
    data = simulate(BINARY, n_rows=600)
    swapped = replace(data, test=data.test.take(np.arange(data.test.n_rows) % 7))
    for shown in (data, swapped):
        classifier = best_classifier(full(shown), shown, 0)
        assert classifier.model in model_names(ACCURACY)
        alone = best_classifier(full(shown), shown, 0, (classifier.model,))
        np.testing.assert_array_equal(alone.losses["validation"], classifier.losses["validation"])
    first, second = (best_classifier(full(shown), shown, 0) for shown in (data, swapped))
    assert first.model == second.model
    np.testing.assert_array_equal(first.losses["validation"], second.losses["validation"])


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_every_posterior_is_one(simulate, model):
    data = simulate(THREE, n_rows=200)
    posterior = posterior_of(model, data)
    assert posterior.shape == (len(full(data)), 3)
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_training_on_one_class_predicts_it(model):
    table = read({"a": list("xyxyx"), "y": ["no", "no", "no", "no", "yes"]})
    task = resolve(table, Roles("y"))
    whole = split(task)
    alike = task.take(np.array([0, 1]))
    data = type(whole)(
        alike,
        task.take([2]),
        task.take([3, 4]),
        0,
        (0.4, 0.2, 0.4),
        (np.r_[0:2], np.r_[2:3], np.r_[3:5]),
    )
    posterior = posterior_of(model, data)
    assert (posterior.argmax(axis=1) == 0).all()


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_as_many_classes_as_people_raise_no_warning(model):
    people = {"a": [f"a{i % 5}" for i in range(15)], "y": [f"y{i}" for i in range(15)]}
    data = split(resolve(read(people), Roles("y")))
    assert posterior_of(model, data).shape[1] == 15


def test_same_seed_same_mistakes(simulate):
    data = simulate(BINARY, n_rows=500)
    first, second = (best_classifier(full(data), data, 3) for _ in range(2))
    assert first.model == second.model
    for part in ("validation", "test"):
        np.testing.assert_array_equal(first.losses[part], second.losses[part])


def test_categories_of_few_people_are_one_to_a_classifier():
    """Nobody's class is learned by heart, and people whom training does not know are "other"."""
    rng = np.random.default_rng(0)
    name = np.array([f"p{i}" for i in range(1000)], dtype=object)
    name[:400] = rng.choice(["x", "y", "z"], 400)
    y = np.where(name == "x", 1, rng.integers(0, 2, 1000))
    data = split(
        resolve(
            {"name": name, "age": np.arange(1000)},
            Roles(categorical=["name"], numeric=["age"]),
            y=y,
        )
    )
    pooled = with_rare_together(full(data), data)
    place = pooled.columns.index(0)
    seen = {part: pooled.records[pooled.index[part], place] for part in ("train", "test")}
    assert len(np.unique(seen["train"])) == 4
    assert set(seen["test"]) == set(seen["train"])
    # numbers stay as they are, and so do records in which nobody is rare
    assert pooled.sizes[pooled.columns.index(1)] == data.train.sizes[1]
    assert with_rare_together(pooled, data) is pooled
    # all that can be learned is that x means 1: half of the others are guessed
    others = 1 - (name == "x").mean()
    assert best_classifier(full(data), data, 0).utility("test").error == pytest.approx(
        others / 2, abs=0.1
    )


def test_many_categories_that_tell_nothing_are_not_believed():
    """With 300 categories of ten people each, a code made of their own classes would tell all."""
    rng = np.random.default_rng(0)
    job, age = rng.integers(0, 300, 3000), rng.integers(0, 2, 3000)
    y = rng.random(3000) < np.where(age, 0.8, 0.2)
    people = {"job": [f"j{code}" for code in job], "age": age, "y": y.astype(int)}
    data = split(resolve(read(people), Roles("y", categorical=("y",))))
    limits = measure_limits(data, score="accuracy")
    # nine hundred people: two standard errors are .027
    assert limits.everything.accuracy == pytest.approx(0.8, abs=0.03)


def test_each_class_of_a_category_is_told():
    """Three classes: a coding by one of them could not tell the other two apart."""
    rng = np.random.default_rng(0)
    job = rng.integers(0, 30, 3000)
    y = np.where(rng.random(3000) < 0.8, job % 3, rng.integers(0, 3, 3000))
    people = {"job": [f"j{code}" for code in job], "y": [f"c{code}" for code in y]}
    data = split(resolve(read(people), Roles("y")))
    for model in ("look-up", "logistic regression", "gradient boosting"):
        accuracy = best_classifier(full(data), data, 0, (model,)).utility("test").accuracy
        assert accuracy == pytest.approx(0.8 + 0.2 / 3, abs=0.04), model

"""Every score is a mean of one loss per person, and spreads as that mean does."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
)

from sparsam._errors import ParameterError
from sparsam.assess._score import SCORES, Score, score_for
from sparsam.cli._options import SCORES as OPTIONS
from sparsam.data import Roles, resolve, split

PEOPLE = 3000


def table(seed=0, shares=(0.9, 0.1)):
    """People in two, or more, classes, with a guess at each of them."""
    rng = np.random.default_rng(seed)
    y = rng.choice(len(shares), PEOPLE, p=shares)
    y[: len(shares)] = range(len(shares))
    data = split(resolve({"a": rng.integers(0, 9, PEOPLE)}, Roles(), y=y), random_state=seed)
    truth = data.test.target
    belief = rng.random((len(truth), len(shares))) + 0.6 * np.eye(len(shares))[truth]
    belief = (belief / belief.sum(axis=1, keepdims=True)).round(2).astype(np.float32)
    return data, belief / belief.sum(axis=1, keepdims=True)


def numbers(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.normal(50, 20, PEOPLE)
    data = split(resolve({"a": rng.integers(0, 9, PEOPLE)}, Roles(), y=y), random_state=seed)
    return data, data.test.numbers + rng.normal(0, 10, len(data.test.numbers))


def losses(name, data, belief, rows=slice(None)):
    index = np.arange(len(belief))
    return score_for(data, name).losses(belief, index, data, "test")


def test_the_means_are_the_scores_that_scikit_learn_knows():
    data, belief = table()
    truth = data.test.target
    assert losses("accuracy", data, belief).mean() == (belief.argmax(1) != truth).mean()
    assert losses("auc", data, belief).mean() == pytest.approx(
        1 - roc_auc_score(truth, belief[:, 1])
    )
    shares = np.bincount(data.train.target) / data.train.n_rows
    guess = (belief / shares).argmax(axis=1)
    assert losses("balanced accuracy", data, belief).mean() == pytest.approx(
        1 - balanced_accuracy_score(truth, guess)
    )
    shares = belief.astype(float)
    known = log_loss(truth, shares / shares.sum(axis=1, keepdims=True))
    assert losses("log loss", data, belief).mean() == pytest.approx(known, abs=0.01)
    data, guess = numbers()
    truth = data.test.numbers
    assert losses("r2", data, guess).mean() == pytest.approx(1 - r2_score(truth, guess))
    assert losses("mae", data, guess).mean() == pytest.approx(mean_absolute_error(truth, guess))


@pytest.mark.parametrize("name", ["auc", "balanced accuracy", "r2"])
def test_they_spread_as_the_score_does_from_sample_to_sample(name):
    means, errors = [], []
    for seed in range(150):
        data, belief = numbers(seed) if name == "r2" else table(seed)
        if name == "balanced accuracy":  # no decision that depends on the training part
            belief = np.eye(2)[belief.argmax(axis=1)]
        each = losses(name, data, belief)
        means.append(each.mean())
        errors.append(each.std(ddof=1) / np.sqrt(len(each)))
    assert np.std(means, ddof=1) == pytest.approx(np.mean(errors), rel=0.2)


def test_rare_classes_count_together():
    data, _ = table(shares=(0.7, 0.28, 0.015, 0.005))
    groups = score_for(data, "balanced accuracy").groups
    assert (np.bincount(data.test.target)[2:] < 30).all()
    # the two rarest are too few together too, and join the rarer of the others
    assert groups == (0, 1, 1, 1)
    data, _ = table(shares=(0.6, 0.33, 0.02, 0.025, 0.025))
    assert score_for(data, "balanced accuracy").groups == (0, 1, 2, 2, 2)
    wrong = losses("balanced accuracy", data, np.eye(5)[data.test.target])
    np.testing.assert_allclose(wrong, 0)
    always_first = np.tile(np.float32([1, 0, 0, 0, 0]), (data.test.n_rows, 1))
    assert losses("balanced accuracy", data, always_first).mean() == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("shares", "name"),
    [
        ((0.5, 0.5), "accuracy"),
        ((0.62, 0.38), "accuracy"),
        ((0.86, 0.14), "auc"),
        ((0.4, 0.3, 0.3), "accuracy"),
        ((0.8, 0.1, 0.1), "balanced accuracy"),
    ],
)
def test_the_score_fits_the_target(shares, name):
    data, _ = table(shares=shares)
    score = score_for(data)
    assert score.name == name
    if name != "accuracy":
        assert "% of the people" in score.why
    # nobody can be told apart by one belief for all: this score knows
    same = np.tile(np.float32(shares), (data.test.n_rows, 1))
    nothing = losses(name, data, same).mean()
    assert nothing >= 0.35
    assert score_for(data, score) is score


def test_a_number_is_judged_by_r2():
    data, _ = numbers()
    assert score_for(data).name == "r2"
    assert "number" in score_for(data).why
    assert score_for(data, "mae").scale == 10


@pytest.mark.parametrize(
    ("make", "name", "message"),
    [
        (table, "r2", "is classes"),
        (numbers, "auc", "is a number"),
        (table, "rmse", "score"),
    ],
)
def test_a_score_that_does_not_fit_is_refused(make, name, message):
    data, _ = make()
    with pytest.raises(ParameterError, match=message):
        score_for(data, name)
    if name == "r2":
        with pytest.raises(ParameterError, match="two classes"):
            score_for(table(shares=(0.4, 0.3, 0.3))[0], "auc")


def test_nobody_to_be_told_apart_from():
    data, belief = table()
    few = split(data.test.take(np.flatnonzero(data.test.target == 0)))
    assert (score_for(data, "auc").losses(belief, np.arange(9), few, "test")[:9] == 0.5).all()


@pytest.mark.parametrize(
    ("name", "loss", "fits"),
    [("accuracy", 1.5, False), ("auc", 0.01, True), ("mae", 250.0, True), ("mae", -1.0, False)],
)
def test_a_loss_is_in_units_of_the_score(name, loss, fits):
    if fits:
        Score(name).check_loss("x", "y", loss)
    else:
        with pytest.raises(ParameterError, match="must be a float in"):
            Score(name).check_loss("x", "y", loss)


def test_published_in_steps_of_five_people():
    assert Score("auc").publish(0.12345, 300) == pytest.approx(0.12)
    assert Score("mae", scale=100.0).publish(1234.5, 300) == pytest.approx(1234)
    assert Score("mae", scale=100.0).publish_interval((1230.5, 1239.5), 300) == [1230, 1240]
    assert Score("r2").publish(0.5, 4) is None


def test_the_command_line_knows_all_of_them():
    assert ("auto", *SCORES) == OPTIONS

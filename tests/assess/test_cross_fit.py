"""Cross-fitting: everyone outside the test part is judged once, by a stranger."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sparsam._errors import DataError
from sparsam.assess._cross_fit import FOLDS, CrossFit
from sparsam.data import Roles, read, resolve, split
from sparsam.generalization import Generalization


@pytest.fixture(scope="module")
def fit(people_split):
    return CrossFit(people_split, "look-up")


def test_everyone_outside_the_test_part_is_judged_once(fit, people_split):
    n_people = people_split.train.n_rows + people_split.validation.n_rows
    judged = np.concatenate([turn.rows[2] for turn in fit._rotations])
    assert len(fit._rotations) == FOLDS
    assert sorted(judged.tolist()) == list(range(n_people))
    assert len(fit._everything) == n_people


def test_no_one_is_judged_by_a_model_that_has_seen_them(fit):
    for turn in fit._rotations:
        train, validation, test = map(set, turn.rows)
        assert not train & validation
        assert not train & test
        assert not validation & test


def test_the_test_part_stays_out_of_it(people_split):
    nothing = Generalization.nothing(people_split.train.table)
    other = replace(people_split, test=people_split.test.take(np.arange(3)))
    losses = [CrossFit(data, "look-up").loss(nothing, "majority") for data in (people_split, other)]
    assert losses[0] == losses[1]


def test_everything_collected_loses_nothing(fit, people_split):
    everything = Generalization.identity(people_split.train.table)
    assert fit.loss(everything, "look-up") == (0.0, (0.0, 0.0))


def test_nothing_collected_loses_what_the_majority_loses(fit, people_split):
    loss, (low, high) = fit.loss(Generalization.nothing(people_split.train.table), "majority")
    assert 0 < low < loss < high < 0.6
    assert loss > 0.05


def test_repeatable(people_split):
    nothing = Generalization.nothing(people_split.train.table)
    first, second = (CrossFit(people_split, "gradient boosting", n_jobs) for n_jobs in (1, 2))
    assert first.loss(nothing, "majority") == second.loss(nothing, "majority")
    np.testing.assert_array_equal(first._everything, second._everything)


@pytest.mark.parametrize("n_rows", [5, 9])
def test_few_people_make_fewer_folds(n_rows):
    people = {
        "a": [f"a{i % 2}" for i in range(n_rows)],
        "y": ["no", "yes"] * (n_rows // 2) + ["no"],
    }
    data = split(resolve(read(people), Roles("y")))
    fit = CrossFit(data, "logistic regression")
    assert len(fit._everything) == data.train.n_rows + data.validation.n_rows


def test_two_people_are_too_few():
    data = split(resolve(read({"a": ["x", "y", "x"], "y": ["no", "yes", "no"]}), Roles("y")))
    with pytest.raises(DataError, match=r"at least 3 records beside the test part.*Got 2"):
        CrossFit(data, "look-up").loss(Generalization.nothing(data.train.table), "majority")

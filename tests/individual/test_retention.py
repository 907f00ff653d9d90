"""A mask over everyone, with the evidence of a division."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.attack import reidentification
from sparsam.individual import Retention, retain
from sparsam.individual import _retention as module
from sparsam.individual._imputation import PublicStatistics
from sparsam.individual._people import Encoded
from sparsam.individual._stationarity import stationarity
from sparsam.individual._training_set import TrainingSet

QUICK = {"algorithms": [], "shares": [], "n_runs": 0, "n_references": 2}


@pytest.fixture(scope="module")
def people() -> Encoded:
    rng = np.random.default_rng(2)
    X = rng.random((240, 4))
    y = (X[:, 0] + X[:, 1] + 0.2 * rng.normal(size=240) > 1).astype(int)
    return Encoded(X, y, ("a", "b", "c", "d"), ("no", "yes"))


@pytest.fixture(scope="module")
def found(people: Encoded) -> Retention:
    return retain(people, keep=0.25, facts={"target": "y"}, **QUICK)


def test_the_mask_is_over_everyone(people: Encoded, found: Retention) -> None:
    data = TrainingSet(people.X, people.y, PublicStatistics.of(people.X))
    assert found.mask.kept.tolist() == stationarity(data, 0.25).kept.tolist()
    assert found.mask.attributes == people.attributes
    assert found.mask.facts["target"] == "y"
    right = data.accuracies(np.stack([found.mask.kept, data.full]))
    stated = found.mask.facts["training_accuracy"], found.mask.facts["training_full_accuracy"]
    assert stated == pytest.approx(tuple(right))
    assert found.reidentification is not None
    assert found.reidentification.value == reidentification(people.X, found.mask.kept).value
    assert found.mask.facts["accuracy"] == found.curve.chosen.accuracy.accuracy
    assert found.met
    assert found.max_drop is None


def test_same_seed_same_result(people: Encoded, found: Retention) -> None:
    again = retain(people, keep=0.25, facts={"target": "y"}, **QUICK)
    assert json.dumps(again.to_dict(), sort_keys=True) == json.dumps(
        found.to_dict(), sort_keys=True
    )


def test_a_permitted_drop_finds_the_share(people: Encoded) -> None:
    some = retain(people, max_drop=0.1, **QUICK)
    assert 0 < some.mask.kept_share < 0.5
    assert some.curve.chosen.kept_share == pytest.approx(some.mask.kept_share, abs=0.01)
    assert some.met == (some.drop <= 0.1)
    strict = retain(people, max_drop=0.0, algorithm="individualised random", **QUICK)
    assert strict.mask.kept_share > some.mask.kept_share
    assert strict.to_dict()["max_drop"] == 0


def test_a_missed_drop_is_said(found: Retention) -> None:
    one = found.curve.chosen.accuracy
    strict = Retention(**{**vars(found), "max_drop": one.drop - 0.001})
    assert not strict.met
    assert Retention(**{**vars(found), "max_drop": one.drop}).met


def test_many_people_are_sampled(people: Encoded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_RANKED", 200)
    retention = retain(people, keep=0.25, sample=80, **QUICK)
    assert sum(retention.curve.people.values()) == 80
    assert retention.mask.shape == (240, 4)
    assert retention.reidentification is None
    assert retention.weighed is None
    assert retention.to_dict()["weighed"] is None


def test_rows_are_stated(people: Encoded) -> None:
    rows = np.arange(240) * 2
    retention = retain(people, keep=0.25, rows=rows, table_rows=480, **QUICK)
    assert retention.mask.table_rows == 480
    assert retention.mask.whole.shape == (480, 4)


def test_privacy_in_the_search(people: Encoded) -> None:
    cost = np.array([1.0, 0.0, 0.0, 0.0])
    options = {"privacy": cost, "privacy_weight": 0.5}
    plain = retain(people, keep=0.25, **QUICK)
    spared = retain(people, keep=0.25, options=options, **QUICK)
    assert spared.mask.kept[:, 0].sum() < plain.mask.kept[:, 0].sum() / 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "one of the two"),
        ({"keep": 0.1, "max_drop": 0.1}, "one of the two"),
        ({"keep": 0}, "'keep'"),
        ({"max_drop": -0.1}, "'max_drop'"),
        ({"keep": 0.1, "sample": 10}, "'sample'"),
        ({"keep": 0.1, "algorithm": "magic"}, "'algorithms'"),
    ],
)
def test_bad_input(people: Encoded, options, words) -> None:
    with pytest.raises(ParameterError, match=words):
        retain(people, **QUICK, **options)


def test_missing_numbers_are_not_kept_and_count_nowhere(people: Encoded) -> None:
    X = people.X.copy()
    X[np.random.default_rng(5).random(X.shape) < 0.2] = np.nan
    holes = Encoded(X, people.y, people.attributes, people.classes)
    some = retain(holes, keep=0.25, privacy_weight=0.1, **QUICK)
    there = ~np.isnan(X)
    assert not (some.mask.kept & ~there).any()
    assert some.mask.n_kept == round(0.25 * there.sum())
    assert some.curve.chosen.kept_share == pytest.approx(0.25, abs=0.01)
    assert some.curve.full.kept_share == 1
    assert some.reconstruction.details["kept_share"] == some.mask.kept_share
    assert some.curve.full.reconstruction.value == 1
    wanted = retain(holes, max_drop=0.1, **QUICK)
    assert 0 < wanted.mask.kept_share < 0.6
    assert not (wanted.mask.kept & ~there).any()

"""The estimator: a share or a drop, where it was measured, tables in and out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsam import individual as folder
from sparsam._errors import DataError, ParameterError
from sparsam.individual import IndividualMinimiser, encode, individual, split_people


def people(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    return X, np.where(X[:, 0] + X[:, 1] + 0.2 * rng.normal(size=n) > 1, "yes", "no")


@parametrize_with_checks(
    [IndividualMinimiser(keep=0.5, algorithm="individualised random")],
)
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


def test_a_share_to_keep() -> None:
    X, y = people()
    found = IndividualMinimiser(keep=0.2, random_state=3).fit(X, y)
    assert found.mask_.n_kept == 300
    assert found.keep_ == 0.2
    assert found.accuracy_ == pytest.approx(found.full_accuracy_ - found.drop_)
    assert found.measured_on_ == "training rows"
    assert found.mask_.facts["measured_on"] == "training rows"
    assert found.mask_ == individual(X, y, keep=0.2, random_state=3)
    assert found.mask_ == folder(X, y, keep=0.2, random_state=3)  # type: ignore[operator]


@pytest.mark.parametrize("algorithm", ["stationarity", "individualised random", "random rows"])
def test_a_permitted_drop(algorithm: str) -> None:
    X, y = people()
    other, truth = people(seed=1)
    found = IndividualMinimiser(max_drop=0.02, algorithm=algorithm).fit(
        X, y, public=other, validation=(other, truth)
    )
    assert found.drop_ <= 0.02
    assert found.measured_on_ == "validation rows"
    assert found.keep_ < 1
    failed = [share for share, drop in found.tried_ if drop > 0.02 and share < found.keep_]
    # the next smaller share that was tried did not do, and it is close
    assert not failed or max(failed) > found.keep_ / 1.06 - 1 / X.size


def test_no_drop_is_always_possible() -> None:
    X, y = people(60)
    found = IndividualMinimiser(max_drop=0.0, algorithm="random rows").fit(X, y)
    assert found.drop_ <= 0
    full = IndividualMinimiser(keep=1.0).fit(X, y)
    assert full.drop_ == 0


def test_bad_parameters() -> None:
    X, y = people(40)
    for kwargs, word in (
        ({}, "one of the two"),
        ({"keep": 0.1, "max_drop": 0.1}, "one of the two"),
        ({"keep": 0.1, "algorithm": "magic"}, "algorithm"),
        ({"keep": 0.1, "options": {"speed": 1}}, "options"),
        ({"keep": 2.0}, "keep"),
        ({"max_drop": -0.1}, "max_drop"),
        ({"keep": 0.1, "random_state": None}, "random_state"),
    ):
        with pytest.raises(ParameterError, match=word):
            individual(X, y, **kwargs)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="validation labels"):
        individual(X, y, keep=0.5, validation=(X, np.full(40, "maybe")))
    with pytest.raises(DataError, match="public rows"):
        individual(X, y, keep=0.5, public=X[:, :2])


def test_options_reach_the_algorithm() -> None:
    X, y = people(60)
    mask = individual(X, y, keep=0.3, algorithm="modelling", options={"n_masks": 7})
    assert mask.facts["n_masks"] == 7


def test_encode_and_apply_a_table() -> None:
    rng = np.random.default_rng(0)
    table = {
        "age": rng.integers(18, 90, 80),
        "job": rng.choice(["nurse", "clerk", "cook"], 80),
        "buys": rng.choice(["yes", "no"], 80),
    }
    made = encode(table, "buys")
    assert made.attributes == ("age", "job")
    assert made.classes == ("no", "yes")
    assert (made.X.min(0) == 0).all()
    assert (made.X.max(0) == 1).all()
    jobs = {"clerk": 0.0, "cook": 0.5, "nurse": 1.0}
    assert made.X[:, 1].tolist() == [jobs[job] for job in table["job"]]
    mask = individual(made.X, made.y, keep=0.25, algorithm="individualised random")
    found = folder.Mask(mask.kept, made.attributes).apply(table)
    assert [one is not None for one in found["job"]] == mask.kept[:, 1].tolist()
    assert (found["buys"] == table["buys"]).all()


def test_frames_name_the_attributes() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = people(50)
    mask = individual(pandas.DataFrame(X, columns=list("abcde")), y, keep=0.2)
    assert mask.attributes == tuple("abcde")


def test_encode_refuses_holes_in_numbers() -> None:
    with pytest.raises(DataError, match="missing"):
        encode({"age": np.array([1.0, np.nan]), "y": [0, 1]}, "y")
    with pytest.raises(DataError, match="target"):
        encode({"age": [1, 2]}, "y")
    made = encode({"job": np.array(["a", None, "b"], object), "y": [0, 1, 0]}, "y")
    assert made.X[:, 0].tolist() == [0.5, 0.0, 1.0]


def test_people_are_divided_once() -> None:
    for own in (False, True):
        found = split_people(101, own_test=own, random_state=2)
        parts = [found.public, found.members, found.non_members]
        if own:
            parts.append(found.test)
            assert not set(found.test) & set(found.public)
        else:
            assert (found.test == found.public).all()
        assert sorted(np.concatenate(parts)) == list(range(101))
    with pytest.raises(ParameterError, match="at least 8"):
        split_people(7)

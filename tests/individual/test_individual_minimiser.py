"""The estimator: a share or a drop, where it was measured, tables in and out."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.individual import IndividualMinimiser, mask_people


def people(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    return X, np.where(X[:, 0] + X[:, 1] + 0.2 * rng.normal(size=n) > 1, "yes", "no")


def test_a_share_to_keep() -> None:
    X, y = people()
    fitted = IndividualMinimiser(keep=0.2, random_state=3).fit(X, y)
    assert fitted.mask_.n_kept == 300
    assert fitted.keep_ == 0.2
    assert fitted.accuracy_ == pytest.approx(fitted.full_accuracy_ - fitted.drop_)
    assert fitted.measured_on_ == "training rows"
    assert fitted.mask_.facts["measured_on"] == "training rows"
    assert fitted.mask_ == mask_people(X, y, keep=0.2, random_state=3)


@pytest.mark.parametrize("algorithm", ["stationarity", "individualised random", "random rows"])
def test_a_permitted_drop(algorithm: str) -> None:
    X, y = people()
    other, truth = people(seed=1)
    fitted = IndividualMinimiser(max_drop=0.02, algorithm=algorithm).fit(
        X, y, public=other, validation=(other, truth)
    )
    assert fitted.drop_ <= 0.02
    assert fitted.measured_on_ == "validation rows"
    assert fitted.keep_ < 1
    failed = [share for share, drop in fitted.tried_ if drop > 0.02 and share < fitted.keep_]
    # the next smaller share that was tried did not do, and it is close
    assert not failed or max(failed) > fitted.keep_ / 1.06 - 1 / X.size


def test_no_drop_is_always_possible() -> None:
    X, y = people(60)
    fitted = IndividualMinimiser(max_drop=0.0, algorithm="random rows").fit(X, y)
    assert fitted.drop_ <= 0
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
            mask_people(X, y, **kwargs)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="validation labels"):
        mask_people(X, y, keep=0.5, validation=(X, np.full(40, "maybe")))
    with pytest.raises(DataError, match="public rows"):
        mask_people(X, y, keep=0.5, public=X[:, :2])


def test_options_reach_the_algorithm() -> None:
    X, y = people(60)
    mask = mask_people(X, y, keep=0.3, algorithm="modelling", options={"n_masks": 7})
    assert mask.facts["n_masks"] == 7


def test_frames_name_the_attributes() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = people(50)
    mask = mask_people(pandas.DataFrame(X, columns=list("abcde")), y, keep=0.2)
    assert mask.attributes == tuple("abcde")

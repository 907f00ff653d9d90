"""Training under differential privacy: what is declared, what is spent, what cannot be seeded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from sparsam._errors import BudgetError, DataError, MissingExtraError, ParameterError
from sparsam.anonymise._private_models import (
    PrivateClassifier,
    PrivateForest,
    PrivateLogistic,
    PrivateNetwork,
    encode,
)
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.explore import Ledger

DOMAINS = {"age": NumericDomain(0, 100), "sex": CategoricalDomain(("f", "m"))}
MODELS = (PrivateForest, PrivateLogistic, PrivateNetwork)


def _people(n_people: int = 2000) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
    rng = np.random.default_rng(0)
    people = {"age": rng.integers(0, 101, n_people), "sex": rng.choice(["f", "m"], n_people)}
    return people, np.where(people["age"] > 50, "old", "young")


def _model(kind: type[PrivateClassifier], **changed: Any) -> PrivateClassifier:
    return kind(**{"domains": DOMAINS, "classes": ("old", "young"), "epsilon": 5.0, **changed})


def _fitted(kind: type[PrivateClassifier]) -> PrivateClassifier:
    try:
        return _model(kind).fit(*_people())
    except MissingExtraError as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.mark.parametrize("kind", MODELS)
def test_model_learns_and_says_what_it_spent(kind: type[PrivateClassifier]) -> None:
    model, (people, labels) = _fitted(kind), _people()
    assert model.score(people, labels) > 0.8
    assert model.predict_proba(people).sum(axis=1) == pytest.approx(1)
    spent = model.spent()
    assert 0 < spent["epsilon"] <= 5.0 + 1e-9
    assert spent["delta"] == (1e-5 if kind is PrivateNetwork else 0.0)
    assert spent["mechanism"] == kind.__name__
    assert "noise" not in spent  # beside the epsilon, it gives the number of people


@pytest.mark.parametrize("kind", MODELS)
def test_noise_cannot_be_seeded(kind: type[PrivateClassifier]) -> None:
    _fitted(kind)  # skips where the library is missing
    assert not any("random_state" in name for name in _model(kind).get_params())
    people, labels = _people(300)
    answers = []
    for _ in range(2):
        np.random.seed(0)
        if kind is PrivateNetwork:
            pytest.importorskip("torch").manual_seed(0)
        fitted = _model(kind, epsilon=0.5).fit(people, labels)
        answers.append(fitted.predict_proba(people))
    assert not np.array_equal(*answers)


def test_encoding_uses_the_declared_domain_only() -> None:
    few = {"age": np.array([20.0, 30.0]), "sex": np.array(["m", "m"])}
    many = {"age": np.array([20.0, 30.0, 99.0]), "sex": np.array(["m", "m", "f"])}
    assert np.array_equal(encode(few, DOMAINS), encode(many, DOMAINS)[:2])


def test_values_outside_the_domain_stay_inside_the_bounds() -> None:
    people = {
        "age": np.array([-5.0, 500.0, np.nan]),
        "sex": np.array(["x", None, "f"], dtype=object),
    }
    encoded = encode(people, DOMAINS)
    assert encoded.min() >= 0
    assert encoded.max() <= 1
    assert (np.linalg.norm(encoded, axis=1) <= np.sqrt(len(DOMAINS)) + 1e-12).all()
    assert encoded[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert encoded[:, 1].tolist() == [0.0, 0.0, 1.0]
    assert encoded[:, -1].tolist() == [1.0, 1.0, 0.0]


def test_places_in_the_list_stay_inside_the_bounds() -> None:
    people = {"age": np.array([50, 50, 50]), "sex": np.array(["f", "m", "x"])}
    assert encode(people, DOMAINS, one_hot=False)[:, 2].tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("kind", MODELS)
def test_bad_parameters_get_clear_errors(kind: type[PrivateClassifier]) -> None:
    people, labels = _people(50)
    for changed, message in (
        ({"epsilon": 0}, "'epsilon'"),
        ({"domains": {}}, "not private"),
        ({"domains": {"age": (0, 100)}}, "domain of 'age'"),
        ({"classes": ("old",)}, "at least two"),
    ):
        with pytest.raises(ParameterError, match=message):
            _model(kind, **changed).fit(people, labels)
    with pytest.raises(DataError, match="not in 'classes'"):
        _model(kind, classes=("old", "new")).fit(people, labels)
    with pytest.raises(DataError, match="one label for each row"):
        _model(kind).fit(people, labels[:-1])
    with pytest.raises(DataError, match="'age' is declared a number"):
        _model(kind).fit({**people, "age": people["sex"]}, labels)


@pytest.mark.parametrize("kind", MODELS)
def test_constructor_only_stores(kind: type[PrivateClassifier]) -> None:
    model = _model(kind, epsilon=2.5)
    assert clone(model).get_params() == model.get_params()


def test_delta_must_suit_the_number_of_people() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("opacus")
    with pytest.raises(DataError, match=r"number of people\. Got 0\.05"):
        _model(PrivateNetwork, delta=0.05).fit(*_people(50))
    with pytest.raises(ParameterError, match="'delta'"):
        _model(PrivateNetwork, delta=0).fit(*_people(50))


def test_a_ledger_pays_before_the_training(tmp_path: Path) -> None:
    pytest.importorskip("opacus")
    people, labels = _people(400)
    with Ledger.create(tmp_path / "people.ledger", epsilon=4, delta=1e-4, order=4) as ledger:
        model = clone(_model(PrivateNetwork, epsilon=2.0, epochs=2, ledger=ledger))
        assert model.get_params()["ledger"] is ledger
        model.fit(people, labels)
        (entry,) = [one for one in ledger.entries() if one["kind"] == "training"]
        (event,) = entry["cost"]["events"]
        assert event["noise_multiplier"] == model.noise_
        assert event["steps"] * event["sample_rate"] == pytest.approx(2)
        assert 0 < ledger.spent <= ledger.budget
        with pytest.raises(BudgetError):
            _model(PrivateNetwork, epsilon=30.0, epochs=2, ledger=ledger).fit(people, labels)


def test_every_class_of_a_private_logistic_regression_has_rows() -> None:
    _fitted(PrivateLogistic)
    with pytest.raises(DataError, match="Some of 'classes'"):
        _model(PrivateLogistic, classes=("new", "old", "young")).fit(*_people(50))


@pytest.mark.parametrize(
    ("kind", "library"),
    [(PrivateForest, "diffprivlib"), (PrivateLogistic, "diffprivlib"), (PrivateNetwork, "opacus")],
)
def test_missing_library_names_the_extra(
    kind: type[PrivateClassifier], library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(name: str) -> None:
        assert name == "diffprivlib"

    monkeypatch.setattr("sparsam.anonymise._private_models.find_spec", nothing)
    monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(MissingExtraError, match=r"sparsam\[dp-training\]"):
        _model(kind).fit(*_people(50))

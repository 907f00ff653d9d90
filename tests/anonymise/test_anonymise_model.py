"""A model trained again on anonymised people: what it saw, what it costs, what it hides."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise import Anonymiser
from sparsam.anonymise._anonymise_model import anonymise_model
from sparsam.anonymise._private_models import PrivateClassifier
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.data import NumericDomain


class Spy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A forest that remembers what it was trained on."""

    seen: ClassVar[list[tuple[Any, NDArray[Any]]]] = []

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray[Any]) -> Spy:
        Spy.seen.append((np.asarray(X), np.asarray(y)))
        self.forest_ = RandomForestClassifier(10, random_state=self.random_state).fit(X, y)
        self.classes_ = self.forest_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(self.forest_.predict(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.forest_.predict_proba(X))


def _people(n_people: int = 400, noise: float = 0.25) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(0)
    people = rng.integers(0, 30, (n_people, 4))
    labels = (people[:, 0] > 14) ^ (rng.random(n_people) < noise)
    return people, labels.astype(int)


@pytest.fixture(scope="module")
def names() -> tuple[str, ...]:
    from sparsam.data import column_names

    return column_names(_people()[0])


def test_model_is_trained_on_groups_of_k_and_on_raw_other_columns(names: tuple[str, ...]) -> None:
    people, labels = _people()
    Spy.seen.clear()
    test = np.arange(0, 400, 2)
    result = anonymise_model(Spy(), people, labels, names[:3], 8, test=test, n_references=0)
    (raw, raw_labels), (released, released_labels) = Spy.seen
    assert np.array_equal(raw, people[1::2])
    assert np.array_equal(raw_labels, labels[1::2])
    sizes = np.unique(released[:, :3], axis=0, return_counts=True)[1]
    assert sizes.min() >= 8
    assert len(sizes) > 5
    assert np.array_equal(released[:, 3], people[1::2, 3])
    assert np.array_equal(released_labels, raw_labels)
    assert result.certificate.smallest >= 8
    assert (result.n_train, result.n_test, result.n_suppressed) == (200, 200, 0)
    assert result.quasi_identifiers == names[:3]


def test_figures_are_those_of_the_returned_model() -> None:
    people, labels = _people()
    test = np.arange(100, 400)
    tree = DecisionTreeClassifier(random_state=0)
    result = anonymise_model(tree, people, labels, k=10, test=test, n_references=0)
    raw = DecisionTreeClassifier(random_state=0).fit(people[:100], labels[:100])
    assert result.before.test_accuracy == pytest.approx(raw.score(people[100:], labels[100:]))
    assert result.before.train_accuracy == 1.0
    assert result.after.test_accuracy == result.model.score(people[100:], labels[100:])
    assert result.cost == result.before.test_accuracy - result.after.test_accuracy
    assert not hasattr(tree, "tree_")


def test_anonymising_hides_who_was_there() -> None:
    people, labels = _people(600)
    result = anonymise_model(
        RandomForestClassifier(20), people, labels, k=30, n_references=4, random_state=1
    )
    for adversary in ("attack model", "RMIA"):
        before, after = result.before.risk(adversary), result.after.risk(adversary)
        assert before.interval[0] > 0.6
        assert after.value < before.value - 0.2
    # A model that memorises labels pays for them; one of the groups does not.
    assert result.cost < 0.02


def test_same_seed_same_figures() -> None:
    people, labels = _people(200)
    first, second = (
        anonymise_model(RandomForestClassifier(5), people, labels, k=5, n_references=2)
        for _ in range(2)
    )
    assert first.to_dict() == second.to_dict()


def test_attribute_inference_before_and_after(names: tuple[str, ...]) -> None:
    rng = np.random.default_rng(2)
    people = np.column_stack([rng.integers(0, 40, 400), rng.integers(0, 40, 400)])
    people = np.column_stack([people, rng.integers(0, 2, (400, 2))])
    labels = people[:, 3] ^ (people[:, 0] > 20)
    result = anonymise_model(
        DecisionTreeClassifier(), people, labels, k=50, attribute=names[3], n_references=0
    )
    fredrikson, learned = result.before.attribute
    assert fredrikson.value == 1.0
    assert (fredrikson.n, learned.n) == (200, 100)
    assert result.after.attribute[0].value <= fredrikson.value


def test_rows_that_are_suppressed_are_not_trained_on() -> None:
    people, labels = _people(200)
    people[1] = 10_000
    Spy.seen.clear()
    result = anonymise_model(
        Spy(),
        people,
        labels,
        k=5,
        anonymiser=Anonymiser(Mondrian(), max_suppressed=0.2),
        test=np.arange(0, 200, 2),
        n_references=0,
    )
    assert len(Spy.seen[1][0]) == 100 - result.n_suppressed
    assert result.method == "Mondrian"


@pytest.mark.parametrize(("library", "make"), [("polars", "DataFrame"), ("pyarrow", "table")])
def test_any_frame_gives_the_same_figures(library: str, make: str) -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    people = {name: rng.choice(list("xyz"), 120) for name in "abc"}
    labels = np.where((people["a"] == "x") ^ (people["b"] == "x"), "yes", "no")
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier())
    frames = (getattr(pytest.importorskip(library), make)(people), pandas.DataFrame(people))
    result, same = (
        anonymise_model(pipeline, one, labels, ["a", "b"], 5, n_references=2).to_dict()
        for one in frames
    )
    assert result == same


class Coin(PrivateClassifier):
    """Spends nothing and knows nothing."""

    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        self.epsilon_, self.delta_ = 0.0, 0.0

    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.full((len(inputs), 2), 0.5)


def test_private_models_stand_beside() -> None:
    pandas = pytest.importorskip("pandas")
    people, labels = _people(200)
    frame = pandas.DataFrame(people, columns=list("abcd"))
    coin = Coin(domains={"a": NumericDomain(0, 30)}, classes=(0, 1))
    result = anonymise_model(
        DecisionTreeClassifier(), frame, labels, "abc", 5, n_references=2, private={"coin": coin}
    )
    (facts,) = result.private
    assert facts.name == "coin"
    assert facts.privacy == {"mechanism": "Coin", "epsilon": 0.0, "delta": 0.0}
    assert facts.risk("attack model").value == pytest.approx(0.5, abs=0.15)
    assert "coin: accuracy" in str(result)
    assert "epsilon 0" in str(result)


def test_result_is_plain_data() -> None:
    people, labels = _people(200)
    result = anonymise_model(LogisticRegression(max_iter=1000), people, labels, k=5, n_references=2)
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["k"] == 5
    assert [risk["adversary"] for risk in plain["after"]["membership"]] == [
        "attack model",
        "RMIA, offline",
    ]
    text = str(result)
    assert text.startswith("Hybrid, k = 5, 4 quasi-identifiers: information loss 0.")
    assert "anonymised: accuracy" in text
    with pytest.raises(KeyError, match="attack model, RMIA"):
        result.after.risk("LiRA")


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"model": LinearSVC()}, ParameterError, "predict_proba"),
        ({"model": lambda rows: rows}, ParameterError, "predict_proba"),
        ({"anonymiser": "hybrid"}, ParameterError, "must be an Anonymiser"),
        ({"test": 0.0}, ParameterError, "'test'"),
        ({"test": 1.5}, ParameterError, "'test'"),
        ({"test": [1, 1]}, DataError, "each once"),
        ({"test": [400]}, DataError, "400 rows"),
        ({"test": np.arange(400)}, DataError, "not all"),
        ({"k": 300}, DataError, "300"),
        ({"n_references": 3}, ParameterError, "even"),
        ({"attribute": "nothing"}, ParameterError, "'attribute'"),
    ],
)
def test_impossible_requests(changed: dict[str, Any], error: type, message: str) -> None:
    people, labels = _people()
    asked = {"model": DecisionTreeClassifier(), "k": 5, "n_references": 0, **changed}
    with pytest.raises(error, match=message):
        anonymise_model(asked.pop("model"), people, labels, **asked)

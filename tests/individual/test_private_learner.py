"""DP-SGD on what a mask keeps: what it says, what it charges, what cannot be seeded."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sparsam._errors import DataError, MissingExtraError, ParameterError
from sparsam.individual import IndividualMinimiser, LogisticLearner, PrivateLearner, mask_people
from sparsam.individual._algorithms import evolutionary
from sparsam.individual._imputation import PublicStatistics
from sparsam.individual._private_learner import run_of, together
from sparsam.individual._stationarity import stationarity
from sparsam.individual._training_set import TrainingSet

NETWORK = "sparsam.anonymise"


def people(seed: int, n: int, wide: int = 4, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, wide))
    scores = (X - 0.5) @ rng.normal(size=(wide, classes)) * 8
    return X, scores.argmax(1)


def opacus() -> Any:
    pytest.importorskip("torch", reason="needs the extra dp-training")
    return pytest.importorskip("opacus", reason="needs the extra dp-training")


class Tensor:
    """As much of a tensor as is read."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def detach(self) -> Tensor:
        return self

    def numpy(self) -> np.ndarray:
        return self.values.astype(np.float32)


class Fake:
    """Trains without noise, and says that it cost 0.9; remembers how it was made."""

    made: list[dict[str, Any]]

    def __init__(self, **given: Any) -> None:
        self.given = given
        type(self).made.append(given)

    def _train(self, X: np.ndarray, y: np.ndarray) -> None:
        classes = len(self.given["classes"])
        assert y.dtype == np.int64
        weights = LogisticLearner().fit_many(X[None], y, classes)[0].reshape(-1, X.shape[1] + 1)
        if classes == 2:
            weights = np.concatenate([-weights, weights]) / 2
        parts = [Tensor(weights[:, :-1]), Tensor(weights[:, -1])]
        self.module_ = SimpleNamespace(parameters=lambda: iter(parts))
        self.noise_, self.epsilon_ = 5.0, 0.9


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[Fake]:
    """A network and an accountant that need no opacus."""
    Fake.made = []
    monkeypatch.setattr(f"{NETWORK}.PrivateNetwork", Fake)
    monkeypatch.setattr(f"{NETWORK}.training_libraries", lambda owner: (None, None))
    monkeypatch.setattr(
        "sparsam.individual._private_learner.together",
        lambda history, delta: 0.1 * sum(steps for _, _, steps in history),
    )
    return Fake


@pytest.mark.parametrize(("hidden", "classes"), [((), 2), ((), 3), ((3,), 2), ((4, 2), 5)])
def test_answers_equal_those_of_a_loop(hidden: tuple[int, ...], classes: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((7, 4))
    sizes = list(pairwise([4, *hidden, classes]))
    parameters = rng.normal(size=(3, sum(a * b + b for a, b in sizes)))
    likely = PrivateLearner(hidden=hidden).probabilities(parameters, X, classes)
    for model, said in zip(parameters, likely, strict=True):
        for row, answer in zip(X, said, strict=True):
            left, values = list(model), list(row)
            for depth, (wide, units) in enumerate(sizes):
                if depth:
                    values = [math.tanh(one) for one in values]
                weights = [[left.pop(0) for _ in range(wide)] for _ in range(units)]
                shifts = [left.pop(0) for _ in range(units)]
                values = [
                    sum(w * v for w, v in zip(line, values, strict=True)) + shift
                    for line, shift in zip(weights, shifts, strict=True)
                ]
            raised = [math.exp(one) for one in values]
            np.testing.assert_allclose(answer, [one / sum(raised) for one in raised], rtol=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_each_model_is_charged(fake: type[Fake], classes: int) -> None:
    X, y = people(0, 500, classes=classes)
    learner = PrivateLearner(2.0, 1e-4, epochs=3, batch=100, rate=0.3, clip=0.5)
    assert (learner.n_trained_, learner.epsilon_) == (0, 0.0)
    parameters = learner.fit_many(X[None], y, classes)
    assert (learner.n_trained_, learner.epsilon_) == (1, 0.9)
    likely = learner.probabilities(parameters, X, classes)[0]
    assert likely.shape == (500, classes)
    assert (likely.argmax(1) == y).mean() > 0.9
    learner.fit_many(np.stack([X, X]), y, classes)
    assert learner.n_trained_ == 3
    assert learner.epsilon_ == pytest.approx(0.1 * 3 * 3 * 5)  # 3 models, 3 epochs of 5 batches
    assert learner.spent() == {
        "mechanism": "DP-SGD",
        "epsilon_each": 2.0,
        "models": 3,
        "epsilon": learner.epsilon_,
        "delta": 1e-4,
        "not_covered": "the choice of the mask",
    }
    made = fake.made[0]
    assert made["epsilon"] == 2.0
    assert (made["delta"], made["epochs"], made["batch"]) == (1e-4, 3, 100)
    assert (made["learning_rate"], made["clip"], made["hidden"]) == (0.3, 0.5, ())
    assert list(made["classes"]) == list(range(classes))


def test_a_ledger_is_handed_on(fake: type[Fake]) -> None:
    X, y = people(0, 60)
    for ledger in (None, object()):
        PrivateLearner(ledger=ledger).fit_many(X[None], y, 2)
        assert fake.made[-1]["ledger"] is ledger


def test_a_model_that_fails_is_not_counted_but_those_before_are(
    fake: type[Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = people(0, 60)
    plain = fake._train

    def fails(self: Fake, rows: np.ndarray, labels: np.ndarray) -> None:
        if len(self.made) == 2:
            raise DataError("the second one fails")
        plain(self, rows, labels)

    monkeypatch.setattr(fake, "_train", fails)
    learner = PrivateLearner()
    with pytest.raises(DataError, match="second"):
        learner.fit_many(np.stack([X, X, X]), y, 2)
    assert (learner.n_trained_, learner.epsilon_) == (1, 0.9)


@pytest.mark.usefixtures("fake")
def test_a_search_states_what_all_its_models_cost() -> None:
    X, y = people(1, 80)
    learner = PrivateLearner(batch=80, epochs=1)
    mask = evolutionary(TrainingSet(X, y, learner=learner), 0.3, population=4, generations=2)
    assert learner.n_trained_ == 4 + 2 * 4
    assert learner.epsilon_ == pytest.approx(0.1 * 12)
    assert mask.learner == learner.name
    assert "epsilon 1 at delta 1e-05 for each model" in mask.learner
    assert "mask not covered" in mask.learner


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(
    ("algorithm", "models"),
    [("individualised random", 2), ("random rows", 2), ("stationarity", 2), ("modelling", 5 + 2)],
)
def test_it_goes_with_the_algorithms(algorithm: str, models: int) -> None:
    X, y = people(2, 80)
    learner = PrivateLearner()
    options = {"n_masks": 5} if algorithm == "modelling" else {}
    mask = mask_people(X, y, keep=0.5, algorithm=algorithm, learner=learner, options=options)
    # the full model and that of the mask are trained to tell the drop
    assert learner.n_trained_ == models
    assert mask.n_kept == 160


@pytest.mark.usefixtures("fake")
def test_a_search_for_a_drop_is_charged_too() -> None:
    X, y = people(7, 80)
    learner = PrivateLearner(batch=80, epochs=1)
    minimiser = IndividualMinimiser(
        max_drop=0.05, algorithm="individualised random", learner=learner
    ).fit(X, y)
    assert learner.n_trained_ == 1 + len(minimiser.tried_) > 3
    assert learner.epsilon_ == pytest.approx(0.1 * learner.n_trained_)


def test_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opacus", None)
    X, y = people(0, 50)
    learner = PrivateLearner()
    with pytest.raises(
        MissingExtraError, match=r"PrivateLearner needs [^!]*sparsam\[dp-training\]"
    ):
        learner.fit_many(X[None], y, 2)
    assert learner.n_trained_ == 0
    with pytest.raises(MissingExtraError, match="PrivateLearner"):
        together([(1.0, 0.1, 10)], 1e-5)


def test_a_mask_states_whatever_the_network() -> None:
    assert "network with 8-4 hidden units" in PrivateLearner(hidden=(8, 4)).name
    assert repr(PrivateLearner(0.5)) == "PrivateLearner(epsilon=0.5, delta=1e-05)"


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"rate": 0}, "rate"),
        ({"clip": -1}, "clip"),
        ({"hidden": (0,)}, "hidden"),
        ({"epochs": 0}, "epochs"),
        ({"batch": 0.5}, "batch"),
    ],
)
def test_bad_input(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ParameterError, match=f"'{name}'"):
        PrivateLearner(**wrong)


def test_the_batch_is_at_most_everyone() -> None:
    assert run_of(2.0, 50, 256, 10) == (2.0, 1.0, 10)
    assert run_of(2.0, 257, 256, 10) == (2.0, 0.5, 20)


def test_one_training_spends_what_was_asked() -> None:
    library = opacus()
    X, y = people(3, 1000)
    learner = PrivateLearner(1.0, batch=100, epochs=5)
    parameters = learner.fit_many(X[None], y, 2)
    assert 0.9 < learner.epsilon_ <= 1.0
    assert (learner.probabilities(parameters, X, 2)[0].argmax(1) == y).mean() > 0.8
    # what accountants are told here is what opacus told its own
    (run,) = learner._history
    own = library.accountants.PRVAccountant()
    own.history = [run]
    assert own.get_epsilon(learner.delta) == pytest.approx(learner.epsilon_, rel=1e-6)


def test_models_cost_more_together_and_less_than_the_sum() -> None:
    opacus()
    X, y = people(3, 1000)
    learner = PrivateLearner(1.0, batch=100, epochs=5)
    learner.fit_many(np.stack([X, X, X]), y, 2)
    assert learner.n_trained_ == 3
    assert 1.0 < learner.epsilon_ < 3.0
    one = learner._history[0]
    assert learner.epsilon_ == together([one] * 3, 1e-5)
    assert together([one] * 4, 1e-5) > learner.epsilon_


def test_flat_parameters_answer_as_the_network_does(monkeypatch: pytest.MonkeyPatch) -> None:
    opacus()
    from sparsam.anonymise import PrivateNetwork

    kept: list[PrivateNetwork] = []
    plain = PrivateNetwork._train

    def train(self: PrivateNetwork, X: np.ndarray, y: np.ndarray) -> None:
        plain(self, X, y)
        kept.append(self)

    monkeypatch.setattr(PrivateNetwork, "_train", train)
    X, y = people(4, 200, classes=3)
    learner = PrivateLearner(hidden=(6,), epochs=1)
    parameters = learner.fit_many(X[None], y, 3)
    likely = learner.probabilities(parameters, X, 3)[0]
    np.testing.assert_allclose(likely, kept[0]._probabilities(X), atol=1e-5)


def test_noise_cannot_be_seeded() -> None:
    opacus()
    import torch

    X, y = people(5, 200)
    found = []
    for _ in range(2):
        np.random.seed(0)
        torch.manual_seed(0)
        found.append(PrivateLearner(epochs=1).fit_many(X[None], y, 2))
    assert not np.array_equal(*found)


def test_mask_by_a_surrogate_then_private_training() -> None:
    opacus()
    X, y = people(6, 4000)
    public = PublicStatistics.of(X[2000:])
    mask = stationarity(TrainingSet(X[:2000], y[:2000], public), 0.25)
    learner = PrivateLearner(2.0)
    data = TrainingSet(X[:2000], y[:2000], public, learner)
    accuracy = data.accuracies(mask.kept[None], X[2000:], y[2000:])[0]
    assert accuracy > 0.8
    assert learner.n_trained_ == 1
    assert learner.epsilon_ <= 2.0


def test_delta_must_suit_the_number_of_people() -> None:
    opacus()
    X, y = people(0, 50)
    with pytest.raises(DataError, match="number of people, 50"):
        PrivateLearner(delta=0.05).fit_many(X[None], y, 2)

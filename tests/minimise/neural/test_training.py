"""Training: reproducible, considerate of the user's torch, and clear about what is missing."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from sparsam._errors import MissingExtraError, ParameterError
from sparsam.data import Roles, Task, resolve
from sparsam.minimise import Constraints
from sparsam.minimise.neural._adversarial import Adversarial
from sparsam.minimise.neural._mutual_information import MutualInformation
from sparsam.minimise.neural._training import NeuralMinimiser

torch = pytest.importorskip("torch")
QUICK = {"epochs": 2, "batch_size": 32, "device": "cpu"}
MINIMISERS = [Adversarial(**QUICK), MutualInformation(**QUICK)]
EACH = pytest.mark.parametrize("minimiser", MINIMISERS, ids=lambda m: type(m).__name__)


@pytest.fixture(scope="module")
def task() -> Task:
    rng = np.random.default_rng(3)
    age = rng.integers(0, 60, 300).astype(float)
    age[rng.random(300) < 0.1] = np.nan
    columns = {
        "age": age,
        "colour": rng.choice(np.array(["red", "green", "blue"], dtype=object), 300),
        "shape": rng.choice(np.array(["round", "square"], dtype=object), 300),
    }
    return resolve(columns, Roles(), y=np.where(age > 30, "yes", "no"))


@EACH
def test_same_seed_same_result_whatever_the_user_did_to_torch(
    minimiser: NeuralMinimiser, task: Task
) -> None:
    expected = clone(minimiser).fit_task(task)
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        torch.set_default_dtype(torch.float64)
        torch.manual_seed(5)
        torch.rand(3)
        before = torch.get_rng_state()
        with torch.inference_mode():
            again = clone(minimiser).fit_task(task)
        assert torch.equal(before, torch.get_rng_state())
        assert torch.get_num_threads() == 2
        assert not torch.are_deterministic_algorithms_enabled()
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(torch.float32)
    assert again.generalization_ == expected.generalization_
    np.testing.assert_array_equal(again.loss_curve_, expected.loss_curve_)


@EACH
def test_seeds_matter(minimiser: NeuralMinimiser, task: Task) -> None:
    first, second = (clone(minimiser).set_params(random_state=s).fit_task(task) for s in (0, 1))
    assert not np.array_equal(first.loss_curve_, second.loss_curve_)
    assert first.loss_curve_.shape == (2, 2)
    assert first.device_ == "cpu"


@EACH
def test_settings_of_the_user_come_back_after_an_error(
    minimiser: NeuralMinimiser, task: Task
) -> None:
    torch.use_deterministic_algorithms(True, warn_only=True)
    threads = torch.get_num_threads()
    try:
        with pytest.raises(ParameterError, match="lower the 'learning_rate'"):
            clone(minimiser).set_params(learning_rate=1e30).fit_task(task)
        assert torch.is_deterministic_algorithms_warn_only_enabled()
        assert torch.get_num_threads() == threads
    finally:
        torch.use_deterministic_algorithms(False)


@EACH
def test_constraints_hold(minimiser: NeuralMinimiser, task: Task) -> None:
    kinds = {"red": ["warm"], "green": ["cold"], "blue": ["cold"]}
    demands = Constraints(
        must_drop=["shape"], max_buckets={"age": 2}, hierarchies={"colour": kinds}
    )
    generalization = clone(minimiser).set_params(constraints=demands).fit_task(task).generalization_
    assert generalization["shape"].n_buckets == 1
    assert generalization["age"].n_buckets <= 2
    nodes = [{"red"}, {"green"}, {"blue"}, {"green", "blue"}, {"red", "green", "blue"}]
    assert all(set(group) in nodes for group in generalization["colour"].groups)


@EACH
@pytest.mark.parametrize(
    "demands",
    [
        Constraints(must_keep=["age", "colour", "shape"]),
        Constraints(must_keep=["age", "colour"]),
        Constraints(must_drop=["age", "colour", "shape"]),
    ],
)
def test_all_that_must_be_kept_is_and_nothing_may_be_left_to_learn(
    minimiser: NeuralMinimiser, task: Task, demands: Constraints
) -> None:
    generalization = clone(minimiser).set_params(constraints=demands).fit_task(task).generalization_
    for name in demands.must_keep:
        assert generalization[name].n_buckets == task.table.attribute(name).size
    for name in demands.must_drop:
        assert generalization[name].n_buckets == 1


@EACH
def test_without_torch_the_extra_is_named(
    minimiser: NeuralMinimiser, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without_torch(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "torch":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    with pytest.raises(MissingExtraError, match=r"pip install 'sparsam\[neural\]'"):
        clone(minimiser).fit_task(task)


@EACH
def test_devices(minimiser: NeuralMinimiser, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert clone(minimiser).set_params(device="auto").fit_task(task).device_ == "cpu"
    with pytest.raises(ParameterError, match="must be 'auto' or 'cpu' where torch finds no GPU"):
        clone(minimiser).set_params(device="cuda").fit_task(task)


@EACH
@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("trade_off", 1.5, r"a float in \[0, 1\]"),
        ("trade_off", float("nan"), r"a float in \[0, 1\]"),
        ("buckets", 0, "an int >= 1"),
        ("epochs", 0, "an int >= 1"),
        ("epochs", 2.5, "an int >= 1"),
        ("batch_size", 0, "an int >= 1"),
        ("learning_rate", 0, "a float > 0"),
        ("learning_rate", float("inf"), "a float > 0"),
        ("learning_rate", "fast", "a float > 0"),
        ("learning_rate", True, "a float > 0"),
        ("random_state", None, "an int >= 0"),
        ("device", "tpu", "one of"),
        ("unseen", "guess", "one of"),
    ],
)
def test_bad_parameters(
    minimiser: NeuralMinimiser, parameter: str, value: Any, expected: str, task: Task
) -> None:
    owner = type(minimiser).__name__
    with pytest.raises(
        ParameterError, match=f"The '{parameter}' parameter of {owner} must be {expected}"
    ):
        clone(minimiser).set_params(**{parameter: value}).fit_task(task)

"""The adversarial minimiser: what the task needs stays, what only an adversary wants goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.data import Roles, Task, resolve, split
from sparsam.minimise import Constraints
from sparsam.minimise.neural._adversarial import Adversarial, Opponent
from sparsam.minimise.neural._networks import layout_of
from sparsam.minimise.neural._training import Batch, Schedule, Setup

torch = pytest.importorskip("torch")


def _made_up(*, n_classes: int = 2, **roles: Any) -> Task:
    """Colour and age decide; shape and taste do not, and taste tells the shape."""
    rng = np.random.default_rng(1)
    colour, age = rng.integers(0, 4, 1000), rng.integers(0, 80, 1000)
    shape = rng.integers(0, 3, 1000)
    odd, old = colour % 2, (age >= 40).astype(int)
    wanted = odd * old if n_classes == 2 else odd + old
    columns = {
        "colour": np.array([f"c{c}" for c in colour], dtype=object),
        "age": age,
        "shape": np.array([f"s{s}" for s in shape], dtype=object),
        "taste": np.array([f"t{s}" for s in shape], dtype=object),
    }
    return resolve(columns, Roles(**roles), y=[f"class {w}" for w in wanted])


def _fitted(task: Task, **parameters: Any) -> Adversarial:
    quick: dict[str, Any] = {"epochs": 6, "batch_size": 50, "device": "cpu"}
    return Adversarial(**{**quick, **parameters}).fit_task(task)


def test_only_the_task_counts_at_nought() -> None:
    generalization = _fitted(_made_up(), trade_off=0).generalization_
    odd, even = {"c1", "c3"}, {"c0", "c2"}
    assert all(set(group) <= odd or set(group) <= even for group in generalization["colour"].groups)
    assert generalization["age"].n_buckets > 1
    assert min(abs(cut - 40) for cut in generalization["age"].cuts) <= 5


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_only_privacy_counts_at_one(seed: int) -> None:
    # Batches that are small next to the noise of an adversary at a loss leave some buckets apart.
    generalization = _fitted(
        _made_up(), trade_off=1, batch_size=250, random_state=seed
    ).generalization_
    assert [generalization[name].n_buckets for name in ("colour", "shape", "taste")] == [1, 1, 1]


def test_what_only_an_adversary_wants_goes_first() -> None:
    generalization = _fitted(_made_up(), trade_off=0.3).generalization_
    assert {"colour", "age"} <= set(generalization.collected)
    assert generalization["shape"].n_buckets == generalization["taste"].n_buckets == 1


def test_three_classes() -> None:
    generalization = _fitted(_made_up(n_classes=3), trade_off=0.1).generalization_
    assert {"colour", "age"} <= set(generalization.collected)


def test_what_is_not_personal_costs_nothing() -> None:
    free = _fitted(_made_up(personal=()), trade_off=0.4)
    assert not free.loss_curve_[:, 1].any()
    weightless = _made_up(weights=dict.fromkeys(("colour", "shape", "taste"), 0.0))
    fitted = _fitted(weightless, trade_off=0.4)
    assert fitted.generalization_.partitions == free.generalization_.partitions


def _opponent(task: Task, demands: Constraints) -> tuple[Opponent, Batch]:
    layout = layout_of(task, demands, 3)
    generator = torch.Generator()
    generator.manual_seed(0)
    schedule = Schedule(0.5, 1, 10, 0.01, 0)
    setup = Setup(task, layout, schedule, generator, torch.device("cpu"))
    buckets = torch.zeros((10, len(layout.learned), 3))
    buckets[:, :, 0] = 1
    kept = torch.tensor((task.codes + layout.starts)[:10, layout.kept].astype(int))
    return Opponent(setup, 2), Batch(torch.arange(10), buckets, kept)


def test_sensitive_attributes_weigh_more_and_known_ones_are_not_asked_for() -> None:
    task = _made_up(weights={"shape": 3.0})
    opponent, batch = _opponent(task, Constraints(must_keep=["taste"]))
    losses = opponent._network.losses(batch.buckets, batch.full, opponent._truth[batch.rows])
    assert losses.shape == (2,)  # colour and shape
    expected = (losses[0] + 3 * losses[1]) / 4
    found = -opponent.value(batch, batch.buckets)
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)


def test_the_adversary_learns_before_it_is_asked() -> None:
    opponent, batch = _opponent(_made_up(), Constraints())
    before = opponent.value(batch, batch.buckets).item()
    for _ in range(20):
        opponent.respond(batch)
    assert opponent.value(batch, batch.buckets).item() > before


def test_a_missing_number_has_a_bucket_of_its_own_where_it_matters() -> None:
    rng = np.random.default_rng(2)
    age = rng.integers(0, 50, 600).astype(float)
    age[rng.random(600) < 0.2] = np.nan
    task = resolve({"age": age}, Roles(), y=np.isnan(age))
    fitted = _fitted(task, trade_off=0).generalization_["age"]
    assert fitted.bucket(None) not in {fitted.bucket(age) for age in range(50)}


def test_a_sweep_takes_it() -> None:
    from sparsam.assess import sweep

    minimisers = [Adversarial(trade_off=t, epochs=2, device="cpu") for t in (0.0, 0.3)]
    front = sweep(split(_made_up()), minimisers=minimisers, n_jobs=1)
    assert {point.candidate.minimiser for point in front.points} == {"Adversarial"}


def test_the_inner_steps_are_checked() -> None:
    with pytest.raises(ParameterError, match="'inner_steps' parameter of Adversarial must be an"):
        _fitted(_made_up(), inner_steps=0)

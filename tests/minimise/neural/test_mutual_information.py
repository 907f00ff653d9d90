"""The minimiser of mutual information, and its bound against sums over all records."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Roles, Task, resolve, split
from sparsam.minimise import Constraints
from sparsam.minimise.neural._mutual_information import InformationBound, MutualInformation
from sparsam.minimise.neural._networks import Layout, layout_of

torch = pytest.importorskip("torch")


def _by_enumeration(codes: np.ndarray, layout: Layout, table: np.ndarray) -> tuple[float, float]:
    """The bound as the paper prints it, and the information itself, over every record there is."""
    people = [[table[layout.codes_of(a)][code] for a, code in enumerate(row)] for row in codes]
    records = list(product(range(table.shape[1]), repeat=codes.shape[1]))
    given = np.array(
        [[np.prod([p[z] for p, z in zip(x, r, strict=True)]) for r in records] for x in people]
    )
    logs = np.log(np.maximum(given, 1e-300))
    overall = given.mean(axis=0)
    conditional = -(given * logs).sum(axis=1).mean()
    above = -(overall @ logs.mean(axis=0))
    exact = -(overall * np.log(np.maximum(overall, 1e-300))).sum()
    return float(above - conditional), float(exact - conditional)


@given(st.data())
@settings(max_examples=40)
def test_bound_is_the_papers_and_above_the_information(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(max_rows=12, most_values=4, most=3))
    layout = layout_of(task, Constraints(), 3)
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    table = rng.dirichlet(np.ones(3), len(layout.owner)) * 0.98 + 0.02 / 3
    n_attributes = len(task.names)
    bound = InformationBound(layout, np.ones(n_attributes), torch.device("cpu"))
    found = bound.of(torch.tensor(np.log(table), dtype=torch.float32)).item() * n_attributes
    expected, information = _by_enumeration(task.codes, layout, table)
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-4)
    assert found >= information - 1e-4


def test_bound_is_nought_where_all_buckets_are_equally_likely_and_weights_count() -> None:
    columns = {name: np.array(["x", "y"] * 10, dtype=object) for name in ("first", "second")}
    task = resolve(columns, Roles(), y=[0, 1] * 10)
    demands = Constraints(max_buckets={"second": 2})
    layout = layout_of(task, demands, 3)
    same = np.log([[0.2, 0.3, 0.5]] * 2 + [[0.4, 0.6, 1e-30]] * 2)
    other = same.copy()
    other[0] = np.log([0.5, 0.3, 0.2])
    last = same.copy()
    last[2, :2] = np.log([0.6, 0.4])

    def cost(table: np.ndarray, *weights: float) -> float:
        bound = InformationBound(layout, np.array(weights), torch.device("cpu"))
        return float(bound.of(torch.tensor(table, dtype=torch.float32)).item())

    assert cost(same, 1, 1) == pytest.approx(0, abs=1e-6)
    assert cost(other, 3, 1) == pytest.approx(1.5 * cost(other, 1, 1), rel=1e-4)
    assert cost(other, 0, 1) == pytest.approx(0, abs=1e-6)
    assert cost(last, 1, 1) > 0.01


def _made_up(**roles: Any) -> Task:
    """Colour and age decide, shape does not."""
    rng = np.random.default_rng(1)
    colour, age = rng.integers(0, 4, 1000), rng.integers(0, 80, 1000)
    columns = {
        "colour": np.array([f"c{c}" for c in colour], dtype=object),
        "age": age,
        "shape": np.array([f"s{s}" for s in rng.integers(0, 3, 1000)], dtype=object),
    }
    return resolve(columns, Roles(**roles), y=(colour % 2 == 1) & (age >= 40))


def _fitted(task: Task, **parameters: Any) -> MutualInformation:
    quick: dict[str, Any] = {"epochs": 6, "batch_size": 50, "device": "cpu"}
    return MutualInformation(**{**quick, **parameters}).fit_task(task)


def test_only_the_task_counts_at_nought() -> None:
    generalization = _fitted(_made_up(), trade_off=0).generalization_
    odd, even = {"c1", "c3"}, {"c0", "c2"}
    assert all(set(group) <= odd or set(group) <= even for group in generalization["colour"].groups)
    assert min(abs(cut - 40) for cut in generalization["age"].cuts) <= 5


def test_nothing_is_collected_where_only_privacy_counts() -> None:
    assert _fitted(_made_up(), trade_off=1).generalization_.collected == ()


def test_what_the_task_does_not_need_goes_first() -> None:
    fitted = _fitted(_made_up(), trade_off=0.05)
    assert fitted.generalization_.collected == ("colour", "age")
    assert fitted.loss_curve_[-1, 1] < _fitted(_made_up(), trade_off=0).loss_curve_[-1, 1]


def test_what_is_not_sensitive_is_free() -> None:
    free = _fitted(_made_up(weights={"colour": 0.0}), trade_off=0.6).generalization_
    assert _fitted(_made_up(), trade_off=0.6).generalization_["colour"].n_buckets == 1
    assert free["colour"].n_buckets > 1


def test_a_sweep_takes_it() -> None:
    from sparsam.assess import sweep

    minimisers = [MutualInformation(trade_off=t, epochs=2, device="cpu") for t in (0.0, 0.3)]
    front = sweep(split(_made_up()), minimisers=minimisers, n_jobs=1)
    assert {point.candidate.minimiser for point in front.points} == {"MutualInformation"}

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sparsam.explore import declared, plan
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._costs import Cost
from sparsam.explore.planned._planned import Released, run_planned
from sparsam.explore.planned._table_answers import table_answers

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")

DOMAINS = declared(
    {
        "age": (0, 120, "integer"),
        "gain": (0, 99_999, "integer"),
        "score": (-10.0, 10.0),
        "sex": ["f", "m"],
        "work": ["a", "b", "c", "d"],
    }
)


def people(n: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(float)
    sex = rng.choice(["f", "m"], n)
    score = rng.normal(0, 1, n) + (age - 45) / 20
    age[rng.random(n) < 0.1] = np.nan
    gain = np.where(rng.random(n) < 0.9, 0, rng.integers(1_000, 20_000, n))
    work = np.where(rng.random(n) < 0.6, np.where(sex == "f", "a", "b"), rng.choice(list("cd"), n))
    return {"age": age, "gain": gain, "score": score, "sex": sex, "work": work}


def run(
    data: dict[str, Any], epsilon: float, delta: float | None
) -> tuple[Released, list[tuple[dict[str, Any], Cost]]]:
    asked: list[tuple[dict[str, Any], Cost]] = []

    def ask(question: dict[str, Any], cost: Cost, compute: Callable[[], Any]) -> Any:
        asked.append((json.loads(json.dumps(question)), cost))
        return json.loads(json.dumps(compute()))

    people_plan = plan(DOMAINS, epsilon=epsilon, delta=delta)
    released = run_planned(PrivateTable(data, DOMAINS), people_plan, ask)
    assert sum(cost.rho for _, cost in asked) <= people_plan.cost.rho
    return released, asked


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_a_large_budget_gives_the_true_figures(delta: float | None) -> None:
    data = people(4_000)
    released, asked = run(data, 2_000.0, delta)
    assert [question["stage"] for question, _ in asked] == [1, 2]
    noise = "laplace" if delta is None else "gaussian"
    answers = {(a.function, *a.attributes): a for a in table_answers(released, DOMAINS, noise)}
    assert answers["count",].value == pytest.approx(4_000, abs=2)
    assert answers["missing", "age"].value == pytest.approx(np.isnan(data["age"]).sum(), abs=2)
    quartiles = np.nanquantile(data["age"], [0.25, 0.5, 0.75])
    assert list(answers["quantiles", "age"].values.values()) == quartiles.tolist()
    assert answers["outliers", "gain"].value == pytest.approx((data["gain"] > 0).sum(), abs=2)
    for label, counted in answers["value_counts", "work"].values.items():
        assert counted == pytest.approx((data["work"] == label).sum(), abs=2)
    from scipy.stats import spearmanr

    both = ~np.isnan(data["age"])
    true = spearmanr(data["age"][both], data["score"][both]).statistic
    assert answers["spearman", "age", "score"].value == pytest.approx(true, abs=0.02)
    assert answers["cramers_v", "sex", "work"].value == pytest.approx(
        _v(data["sex"], data["work"]), abs=0.01
    )


def _v(first: Any, second: Any) -> float:
    table = np.array(
        [[((first == a) & (second == b)).sum() for b in "abcd"] for a in "fm"], dtype=float
    )
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(np.sqrt(((table - expected) ** 2 / expected).sum() / table.sum()))


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    data = people(4_000)
    held = []
    truth = {label: (data["work"] == label).sum() for label in "abcd"}
    for _ in range(15):
        released, _ = run(data, 1.0, 1e-6)
        answers = table_answers(released, DOMAINS, "gaussian")
        counted = next(
            a for a in answers if a.function == "value_counts" and "work" in a.attributes
        )
        for label, true in truth.items():
            low, high = counted.intervals[label]
            held.append(low <= true <= high)
    # 95 % are promised; four answers of a run go astray together, so that 60 tell little more
    assert np.mean(held) >= 0.78


@pytest.mark.parametrize("n", [0, 1, 3])
def test_tables_of_almost_nobody_get_defined_answers(n: int) -> None:
    data = {name: np.asarray(column)[:n] for name, column in people(5).items()}
    released, _ = run(data, 1.0, None)
    for answer in table_answers(released, DOMAINS, "laplace"):
        for label, value in answer.values.items():
            assert np.isfinite(value)
            low, high = answer.intervals[label]
            assert low <= high


def test_a_column_of_missing_values_is_answered() -> None:
    data = people(500)
    data["age"] = np.full(500, np.nan)
    data["work"] = [None] * 500
    released, _ = run(data, 50.0, None)
    answers = {(a.function, *a.attributes): a for a in table_answers(released, DOMAINS, "laplace")}
    assert answers["missing", "age"].value == pytest.approx(500, abs=20)
    assert answers["missing", "work"].value == pytest.approx(500, abs=20)


def test_a_row_more_moves_each_table_by_one_before_noise(monkeypatch: Any) -> None:
    seen: list[np.ndarray] = []

    def counts(self: PrivateTable, tables: Any) -> Any:
        exact = original(self, tables)
        seen.extend(exact)
        return exact

    original = PrivateTable.counts
    monkeypatch.setattr(PrivateTable, "counts", counts)
    monkeypatch.setattr(
        "sparsam.explore.planned._planned.noisy_counts", lambda counts, cost: counts
    )
    monkeypatch.setattr(
        "sparsam.explore.planned._cells.noisy_choice",
        lambda scores, cost, sensitivity: min(len(scores) - 1, 100),
    )
    data = people(300)
    one_less = {name: np.asarray(column)[:-1] for name, column in data.items()}
    # stage one alone: the cells of stage two depend on its answers
    for table in (data, one_less):
        run(table, 1.0, None)
    half = len(seen) // 2
    first = [i for i in range(half) if seen[i].ndim == 1 and seen[i].shape == seen[half + i].shape]
    assert len(first) >= 5
    for place in first:
        difference = np.abs(seen[place] - seen[half + place])
        assert difference.sum() == 1

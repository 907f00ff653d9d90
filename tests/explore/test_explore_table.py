from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsam
from sparsam._errors import BudgetError, LedgerError, ParameterError
from sparsam.explore import Ledger, declared, explore_table, plan
from sparsam.generalization import Generalization

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")

DOMAINS = declared(
    {"age": (0, 99, "integer"), "pay": (0.0, 1_000.0), "sex": ["f", "m"], "work": ["a", "b", "c"]}
)


def people(n: int = 2_000, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    return {
        "age": age,
        "pay": age * rng.uniform(1, 3, n),
        "sex": rng.choice(["f", "m"], n),
        "work": rng.choice(["a", "b", "c"], n),
    }


def create(folder: Path, epsilon: Any = 1, delta: float | None = None) -> Ledger:
    return Ledger.create(folder / "people.ledger", epsilon=epsilon, delta=delta)


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_it_spends_what_is_left_and_is_free_again(tmp_path: Path, delta: float | None) -> None:
    data = people()
    with create(tmp_path, 1, delta) as ledger:
        eda = explore_table(data, ledger, domains=DOMAINS, purpose="a first look")
        assert 0 <= ledger.remaining <= 200
        assert eda.paid
        spent = eda.cost.epsilon if delta is None else eda.cost.rho
        assert spent == ledger.spent
        again = explore_table(data, ledger, domains=DOMAINS)
        assert not again.paid
        assert again.answers == eda.answers
        assert ledger.spent == spent
    with Ledger.open(tmp_path / "people.ledger") as ledger:
        assert explore_table(data, ledger, domains=DOMAINS).answers == eda.answers
        purposes = {entry.get("purpose") for entry in ledger.entries()}
        assert "a first look" in purposes


def test_the_top_level_offers_the_function(tmp_path: Path) -> None:
    with create(tmp_path) as ledger:
        eda = sparsam.explore_table(people(), ledger, domains=DOMAINS, epsilon=0.5)
    assert eda.answer("quantiles", "age").values["Q2"] == pytest.approx(40, abs=8)


def test_a_share_of_the_budget_leaves_the_rest(tmp_path: Path) -> None:
    with create(tmp_path, 1) as ledger:
        explore_table(people(), ledger, domains=DOMAINS, epsilon="0.25")
        assert 750_000_000 <= ledger.remaining <= 750_000_200
        with pytest.raises(BudgetError, match="too little") as refusal:
            explore_table(people(), ledger, domains=DOMAINS, epsilon="0.8")
        assert refusal.value.requested > refusal.value.remaining == ledger.remaining
        explore_table(people(), ledger, domains=DOMAINS, epsilon="0.5")


def test_interactive_costs_what_table_1_says(tmp_path: Path) -> None:
    with create(tmp_path, 1) as ledger:
        eda = explore_table(people(), ledger, "interactive", domains=DOMAINS, per_query="0.01")
        # 5n + c, n, n, and two pairs
        assert ledger.spent == 10_000_000 * (5 * 2 + 2 + 2 + 2 + 2)
        assert eda.cost.epsilon == ledger.spent
        assert explore_table(
            people(), ledger, "interactive", domains=DOMAINS, per_query="0.01"
        ).answers == tuple(_unpaid(answer) for answer in eda.answers)
        assert ledger.spent == 180_000_000
        assert {a.function for a in eda.answers} == {
            "range", "quantiles", "missing", "outliers", "value_counts", "spearman", "cramers_v"
        }  # fmt: skip
        with pytest.raises(BudgetError):
            explore_table(people(), ledger, "interactive", domains=DOMAINS, per_query="0.2")
        assert ledger.spent == 180_000_000


def test_interactive_with_a_delta_is_free_again(tmp_path: Path) -> None:
    with create(tmp_path, 1, 1e-6) as ledger:
        each = ledger.budget // 18
        eda = explore_table(
            people(), ledger, "interactive", domains=DOMAINS, per_query=f"{each}e-9"
        )
        spent = ledger.spent
        assert ledger.budget - 200 <= spent <= ledger.budget
        again = explore_table(
            people(), ledger, "interactive", domains=DOMAINS, per_query=f"{each}e-9"
        )
        assert ledger.spent == spent
        assert not again.paid
        assert [a.values for a in again.answers] == [a.values for a in eda.answers]


def _unpaid(answer: Any) -> Any:
    from dataclasses import replace

    return replace(answer, paid=False)


def test_generalized_data_have_their_buckets_as_cells(tmp_path: Path) -> None:
    from sparsam.data import CategoricalDomain, NumericDomain
    from sparsam.generalization import categorical_partition, numeric_partition

    coarse = Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [30, 45]),
            categorical_partition("work", CategoricalDomain(("a", "b", "c")), ["a", "bc"]),
        ]
    )
    data = people()
    with create(tmp_path, 50) as ledger:
        eda = explore_table(data, ledger, domains=coarse)
    assert len(eda.entries) == 1  # no second stage: there are no pairs, and no cells to choose
    young = next(iter(eda.answer("histogram", "age").values.values()))
    assert young == pytest.approx((data["age"] < 30).sum(), abs=5)
    joined = eda.answer("value_counts", "work").values
    assert list(joined.values())[1] == pytest.approx((data["work"] != "a").sum(), abs=5)
    assert eda.plan.cells < plan({"age": (0, 99, "integer"), "work": list("abc")}, epsilon=1).cells


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"how": "guess"}, "'planned'"),
        ({"per_query": 1}, "left out"),
        ({"epsilon": 0}, "above 0"),
        ({"epsilon": float("nan")}, "finite"),
        ({"domains": None}, "declared"),
    ],
)
def test_bad_wishes_are_refused_and_cost_nothing(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with create(tmp_path, 1) as ledger:
        with pytest.raises(ParameterError, match=message):
            explore_table(people(), ledger, **{"domains": DOMAINS, **change})
        assert ledger.spent == 0


def test_another_table_is_refused(tmp_path: Path) -> None:
    with create(tmp_path, 1) as ledger:
        explore_table(people(), ledger, domains=DOMAINS, epsilon=0.5)
        with pytest.raises(LedgerError, match="another"):
            explore_table(people(seed=1), ledger, domains=DOMAINS, epsilon=0.4)
        assert ledger.spent <= 500_000_000

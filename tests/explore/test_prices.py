"""Prices: of a plan, of the paper's way, and of generalized data beside raw data."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from sparsam._errors import ParameterError
from sparsam.explore import Ledger, plan, quote
from sparsam.explore._prices import _needed, beside_raw, compare_plans, paper_price
from sparsam.explore.planned._plan import paper_counts, plan_for
from sparsam.generalization import Generalization


def test_exploring_generalized_data_is_cheaper(coarse: Generalization) -> None:
    before = plan({"age": (0, 99, "integer"), "work": list("abcdefgh")}, epsilon=1, delta=1e-6)
    after = plan(coarse, epsilon=1, delta=1e-6)
    assert {item.kind for item in after.items} <= {"values", "categories", "number pair"}
    functions = compare_plans(before, after, 10_000)
    assert functions["cells"]["after"] < functions["cells"]["before"]
    assert functions["value_counts"]["ratio"] > 1
    assert functions["value_counts"]["budget"] == pytest.approx(
        functions["value_counts"]["ratio"] ** -2
    )
    with pytest.raises(ParameterError, match="same budget"):
        compare_plans(before, plan(coarse, epsilon=2, delta=1e-6), 10_000)


@pytest.fixture
def coarse() -> Generalization:
    from sparsam.data import CategoricalDomain, NumericDomain
    from sparsam.generalization import categorical_partition, numeric_partition

    return Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [30, 60]),
            categorical_partition("work", CategoricalDomain(tuple("abcdefgh")), ["abcd", "efgh"]),
        ]
    )


DOMAINS = {
    "age": (0, 99, "integer"),
    "wage": (0, 100_000),
    "hours": (0, 80, "integer"),
    "sex": ["f", "m"],
    "job": ["farm", "office", "shop"],
    "town": [f"town {place}" for place in range(30)],
}


def test_costs_of_the_paper() -> None:
    """ε_i·(5n+c), ε_i·n, ε_i·n and ε_i·(C(n,2)+C(c,2)), cumulatively: Table 1 and Figure 2."""
    numbers = {f"n{place}": (0, 9) for place in range(6)}
    people = plan({**numbers, **{f"c{place}": ["a"] for place in range(9)}}, epsilon=1)
    functions = paper_price(people, "0.01", 1e-6, None)["functions"]
    cumulative = [function["cumulative"] for function in functions]
    assert cumulative == pytest.approx([0.39, 0.45, 0.51, 1.02])
    assert sum(paper_counts(10, 1).values()) == 116


@pytest.mark.parametrize(("unit", "delta"), [("epsilon", None), ("rho", 1e-6)])
def test_as_exact_as_here_is_what_it_says(
    unit: Literal["epsilon", "rho"], delta: float | None
) -> None:
    """Queries at the price that is named have the noise of the plan, function by function."""
    people = plan(DOMAINS, epsilon=1, delta=delta)
    errors = people.expected_errors(5_000)
    needed = _needed(people, 5_000)
    assert set(needed) == set(errors)
    for name, each in needed.items():
        amount = int(each * 1e9 * sum(paper_counts(3, 3).values()))
        other = plan_for(people.declared, "interactive", unit, amount)
        assert other.expected_errors(5_000)[name] == pytest.approx(errors[name], rel=0.01)


def test_the_same_plan_is_not_cheaper() -> None:
    people = plan(DOMAINS, epsilon=1, delta=1e-6)
    functions = beside_raw(people, people.declared, 1_000)["functions"]
    assert all(function["share"] == pytest.approx(1) for function in functions)
    assert beside_raw(people, people.declared, None)["functions"] == []


def test_a_quote_is_for_what_is_left_and_spends_nothing(
    tmp_path: Path, coarse: Generalization
) -> None:
    raw = {"age": (0, 99, "integer"), "work": list("abcdefgh")}
    with Ledger.create(tmp_path / "a.ledger", epsilon=2, domains=raw) as ledger:
        price = quote(ledger=ledger, rows=1_000)
        assert price.fits
        assert price.plan.amount == price.left == ledger.remaining == 2 * 10**9
        assert price.cheaper is None
        assert "Nothing was spent." in str(price)
        dear = quote(ledger=ledger, epsilon=3)
        assert not dear.fits
        assert "only 2 is left" in str(dear)
        assert dear.expected_errors is None
        less = quote(coarse, ledger=ledger)
        assert less.cheaper is not None
        assert less.cheaper["cells"] < less.cheaper["raw_cells"]
        assert quote(how="interactive", ledger=ledger, per_query="0.01").plan.price == 8 * 10**7
        assert ledger.spent == 0


def test_a_quote_needs_a_budget() -> None:
    with pytest.raises(ParameterError, match="needs 'epsilon', or a ledger"):
        quote(DOMAINS)
    with pytest.raises(ParameterError, match="'how'"):
        quote(DOMAINS, "guess", epsilon=1)  # type: ignore[arg-type]

from __future__ import annotations

import json
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.explore import declared, plan
from sparsam.explore.ledger._accounts import binding_account
from sparsam.explore.ledger._costs import sequential
from sparsam.explore.planned._plan import pair_cells, paper_costs, paper_queries

DOMAINS = {
    "age": (0, 120, "integer"),
    "gain": (0, 99_999, "integer"),
    "score": (0.0, 1.0),
    "school": (1, 16, "integer"),
    "sex": ["f", "m"],
    "work": ["a", "b", "c", "d"],
}


@pytest.mark.parametrize(
    ("n", "c", "parts"),
    [(6, 9, (390, 60, 60, 510, 1020)), (10, 1, (510, 100, 100, 450, 1160))],
)
def test_the_costs_of_table_1_are_exact(n: int, c: int, parts: tuple[int, ...]) -> None:
    assert tuple(paper_costs(n, c).values()) == tuple(1_000_000 * part for part in parts)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 10**9))
def test_the_costs_are_those_of_the_queries(n: int, c: int, nano: int) -> None:
    costs = paper_costs(n, c, f"{nano}e-9")
    assert costs["distribution"] == nano * (5 * n + c)
    assert costs["correlation"] == nano * (comb(n, 2) + comb(c, 2))
    assert costs["total"] == sum(list(costs.values())[:4])


@pytest.mark.parametrize("bad", [-1, 1.5, True])
def test_numbers_of_attributes_must_be_whole(bad: float) -> None:
    with pytest.raises(ParameterError, match="must be an int >= 0"):
        paper_costs(bad, 1)  # type: ignore[arg-type]


def test_the_interactive_plan_has_the_papers_queries() -> None:
    domains = declared(DOMAINS)
    n, c = len(domains.numeric), len(domains.categorical)
    assert len(list(paper_queries(domains))) == 7 * n + c + comb(n, 2) + comb(c, 2)
    priced = plan(DOMAINS, "interactive", epsilon=1)
    assert len({item.each for item in priced.items}) == 1


@pytest.mark.parametrize("how", ["planned", "interactive"])
@pytest.mark.parametrize("delta", [None, 1e-6])
def test_a_plan_spends_its_budget_and_no_more(how: str, delta: float | None) -> None:
    priced = plan(DOMAINS, how, epsilon="1.02", delta=delta, mixed_pairs=True)  # type: ignore[arg-type]
    budget = 1_020_000_000 if delta is None else binding_account("1.02", 1e-6)[1]
    spent = priced.cost.epsilon if delta is None else priced.cost.rho
    assert spent is not None
    assert budget - 100 * len(priced.items) <= spent <= budget
    assert priced.cost == sequential(item.cost for item in priced.items)
    assert (priced.cost.epsilon is None) == (delta is not None)
    json.dumps(priced.to_dict())


def test_a_plan_counts_every_table_once() -> None:
    kinds = [(item.stage, item.kind, item.attributes) for item in plan(DOMAINS, epsilon=1).items]
    assert len(set(kinds)) == len(kinds)
    assert [names for _, kind, names in kinds if kind == "octiles"] == [("gain",), ("score",)]
    # few values need no second table; the others get one with cells where people are
    assert [names[0] for _, kind, names in kinds if kind == "cells"] == ["age", "gain", "score"]
    assert sum(kind == "number pair" for _, kind, _ in kinds) == comb(4, 2)
    assert sum(kind == "category pair" for _, kind, _ in kinds) == 1
    mixed = plan(DOMAINS, epsilon=1, mixed_pairs=True)
    assert sum(item.kind == "mixed pair" for item in mixed.items) == 4 * 2


def test_more_cells_get_more_of_the_budget() -> None:
    costs = {item.attributes: item.cost.epsilon for item in plan(DOMAINS, epsilon=1).items}
    assert costs[("work",)] > costs[("sex",)]  # type: ignore[operator]


def test_the_expected_error_halves_with_twice_the_epsilon() -> None:
    half, whole = (plan(DOMAINS, epsilon=e).expected_errors(10_000) for e in (0.5, 1))
    for function in ("value_counts", "missing", "outliers", "quantiles"):
        assert half[function] == pytest.approx(2 * whole[function], rel=0.01)
    assert set(half) == {
        "value_counts", "missing", "outliers", "quantiles", "spearman", "cramers_v"
    }  # fmt: skip


def test_planned_is_expected_to_beat_interactive() -> None:
    for delta in (None, 1e-6):
        planned, interactive = (
            plan(DOMAINS, how, epsilon=1, delta=delta).expected_errors(10_000)  # type: ignore[arg-type]
            for how in ("planned", "interactive")
        )
        assert planned["value_counts"] < interactive["value_counts"]
        assert planned["spearman"] < interactive["spearman"]


def test_a_plan_prints_what_it_costs() -> None:
    text = str(plan(DOMAINS, epsilon=1))
    assert text.startswith("planned exploration of 6 attributes, epsilon 0.99999")
    assert "octiles" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [({"epsilon": 0}, "above 0"), ({"epsilon": 1e-9}, "enough for"), ({"how": "x"}, "'planned'")],
)
def test_bad_plans_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan(DOMAINS, **{"epsilon": 1, **change})  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [0, -5, 1.5])
def test_the_number_of_rows_must_be_a_guess_at_rows(bad: float) -> None:
    with pytest.raises(ParameterError, match="n_rows"):
        plan(DOMAINS, epsilon=1).expected_errors(bad)  # type: ignore[arg-type]


def test_less_noise_buys_more_cells() -> None:
    assert [pair_cells(sd, 50_000) for sd in (1, 40, 2_000)] == [8, 6, 3]

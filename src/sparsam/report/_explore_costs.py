"""What an exploration costs beside other ways to the same answers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from math import comb, log
from typing import Any

from sparsam.explore import (
    Cost,
    Declared,
    Exploration,
    Ledger,
    compare_plans,
    epsilon_from_rho,
    laplace_cost,
    paper_costs,
    pld_epsilon,
    sequential,
)
from sparsam.explore.ledger._accounts import has_pld
from sparsam.explore.ledger._amounts import NANO
from sparsam.explore.planned._plan import Plan, plan_for
from sparsam.report._explore_data import (
    CheaperData,
    ExpectedData,
    FunctionCostData,
    PaperData,
    SpentData,
)

DELTA = 1e-6
_UNITS = {
    "missing": "rows",
    "outliers": "rows",
    "value_counts": "share of an average count",
    "quantiles": "share of the rows",
    "spearman": "correlation",
    "cramers_v": "correlation",
}


def queries_of(n: int, c: int) -> dict[str, int]:
    """Count the paper's queries, function by function (its Table 1).

    Examples
    --------
    >>> sum(queries_of(6, 9).values())
    102
    """
    return {
        "distribution": 5 * n + c,
        "missing": n,
        "outliers": n,
        "correlation": comb(n, 2) + comb(c, 2),
    }


def paper(plan: Plan, per_query: str, delta: float, rows: Mapping[str, Any] | None) -> PaperData:
    """Price one charge for every query, cumulatively (the paper's Figure 2).

    Beside the paper's price, what it would take to make the noise as small as in this plan.
    """
    n, c = len(plan.declared.numeric), len(plan.declared.categorical)
    costs, queries = paper_costs(n, c, per_query), queries_of(n, c)
    up_to = accumulate(costs[name] for name in queries)
    same = _as_exact(plan, rows, delta)
    functions: list[FunctionCostData] = [
        {
            "name": name,
            "queries": queries[name],
            "epsilon": costs[name] / NANO,
            "cumulative": nano / NANO,
            "same": None if same is None else same[place],
        }
        for place, (name, nano) in enumerate(zip(queries, up_to, strict=True))
    ]
    return {"per_query": per_query, "numeric": n, "categorical": c, "functions": functions}


def _as_exact(plan: Plan, rows: Mapping[str, Any] | None, delta: float) -> list[float] | None:
    """What queries cost, cumulatively in epsilon, whose noise is as small as in a plan."""
    if rows is None or plan.how == "interactive":
        return None
    n_rows = max(round(rows["value"]), 1)
    n, c = len(plan.declared.numeric), len(plan.declared.categorical)
    each = _needed(plan, n_rows)
    amounts = (
        5 * n * each.get("quantiles", 0.0) + c * each.get("value_counts", 0.0),
        n * each.get("missing", 0.0),
        n * each.get("outliers", 0.0),
        comb(n, 2) * each.get("spearman", 0.0) + comb(c, 2) * each.get("cramers_v", 0.0),
    )
    if plan.unit == "epsilon":
        return list(accumulate(amounts))
    return [epsilon_from_rho(rho, delta) if rho else 0.0 for rho in accumulate(amounts)]


def _needed(plan: Plan, n_rows: int) -> dict[str, float]:
    """What one query of each function must cost to be as exact as a plan, in its unit."""
    here = plan.expected_errors(n_rows)
    once, more = (
        plan_for(plan.declared, "interactive", plan.unit, times * plan.amount) for times in (1, 4)
    )
    single = getattr(once.items[0].cost, plan.unit) / NANO
    then, later = once.expected_errors(n_rows), more.expected_errors(n_rows)
    needed = {}
    for name, error in here.items():
        # the error falls with a power of the cost, which two plans show
        power = log(then[name] / later[name]) / log(4)
        needed[name] = single * (then[name] / error) ** (1 / power)
    return needed


def spent_on(plan: Plan, delta: float, per_query: str) -> list[SpentData]:
    """Price an exploration, and the paper's way, under each account."""
    declared = plan.declared
    n_queries = sum(queries_of(len(declared.numeric), len(declared.categorical)).values())
    one_by_one = sequential([laplace_cost(per_query)] * n_queries)
    return [
        _spent("this exploration", plan.cost, delta),
        _spent(f"query by query, {per_query} each", one_by_one, delta),
    ]


def _spent(name: str, cost: Cost, delta: float) -> SpentData:
    return {
        "name": name,
        "pure": None if cost.epsilon is None else cost.epsilon / NANO,
        "rho": cost.rho / NANO,
        "concentrated": epsilon_from_rho(cost.rho / NANO, delta) if cost.rho else 0.0,
        "loss": pld_epsilon(cost.events, delta) if has_pld() and cost.events else None,
    }


def expected(found: Exploration, rows: Mapping[str, Any] | None) -> list[ExpectedData]:
    """The noise to expect of each function: in this way, and query by query for the same cost."""
    if rows is None or found.how == "interactive":
        return []
    n_rows = max(round(rows["value"]), 1)
    plan = found.plan
    other = plan_for(plan.declared, "interactive", plan.unit, getattr(plan.cost, plan.unit))
    here, there = plan.expected_errors(n_rows), other.expected_errors(n_rows)
    return [
        {
            "name": name,
            "unit": _UNITS.get(name, ""),
            "here": float(size),
            "paper": float(there[name]) if name in there else None,
        }
        for name, size in here.items()
    ]


def cheaper(
    plan: Plan, ledger: Ledger, per_query: str, rows: Mapping[str, Any] | None
) -> CheaperData | None:
    """Compare a plan for generalized data with the same one for the raw data."""
    if not plan.declared.partitions or ledger.domains is None or plan.how != "planned":
        return None
    raw = Declared.from_dict(ledger.domains)
    n_rows = None if rows is None else max(round(rows["value"]), 1)
    return None if raw.partitions else compared(plan, raw, per_query, n_rows)


def compared(plan: Plan, raw: Declared, per_query: str, n_rows: int | None) -> CheaperData:
    """Compare a planned exploration with one of other domains for the same amount."""
    before = plan_for(raw, plan.how, plan.unit, plan.amount, mixed_pairs=plan.mixed_pairs)
    errors = {} if n_rows is None else compare_plans(before, plan, n_rows)
    return {
        "raw_attributes": len(raw.names),
        "raw_tables": len(before.items),
        "raw_cells": before.cells,
        "attributes": len(plan.declared.names),
        "tables": len(plan.items),
        "cells": plan.cells,
        "functions": [
            {
                "name": name,
                "unit": _UNITS.get(name, ""),
                "raw": found["before"],
                "here": found["after"],
                "share": found["budget"],
            }
            for name, found in errors.items()
            if name != "cells"
        ],
        "raw_paper": _paper_total(raw, per_query),
        "paper": _paper_total(plan.declared, per_query),
    }


def _paper_total(declared: Declared, per_query: str) -> float:
    return paper_costs(len(declared.numeric), len(declared.categorical), per_query)["total"] / NANO

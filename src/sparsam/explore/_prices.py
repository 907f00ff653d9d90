"""What an exploration costs, before it is paid, beside other ways to the same answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import comb, log
from typing import Any

from sparsam._checks import check_choice
from sparsam._errors import BudgetError, ParameterError
from sparsam.explore._declared import Declared, declared
from sparsam.explore.ledger._accounts import epsilon_from_rho, has_pld, pld_epsilon
from sparsam.explore.ledger._amounts import NANO, Amount, Unit, nano_text, nano_up
from sparsam.explore.ledger._costs import Cost, laplace_cost, sequential
from sparsam.explore.ledger._ledger import Ledger
from sparsam.explore.planned._plan import (
    WAYS,
    How,
    Plan,
    Ways,
    budget_of,
    paper_costs,
    paper_counts,
    paper_queries,
    plan_for,
)

# Of the accounts that need one, where a ledger has none.
DELTA = 1e-6
# What each query of the paper's way costs.
PER_QUERY = "0.01"
_UNITS = {
    "missing": "rows",
    "outliers": "rows",
    "value_counts": "share of an average count",
    "quantiles": "share of the rows",
    "spearman": "correlation",
    "cramers_v": "correlation",
}


@dataclass(frozen=True)
class Quote:
    """The price of an exploration, beside what is left and what the paper's way would cost.

    Parameters
    ----------
    plan : Plan
    left : int or None
        What is left in the ledger, in billionths of the plan's unit; None without a ledger.
    delta : float
        Of the accounts that need one.
    raw : Declared or None
        What the ledger declares of the raw data, where the plan is for generalized data.
    rows : int or None
        A guess at the number of rows.

    See Also
    --------
    quote : Makes one.
    """

    plan: Plan
    left: int | None
    delta: float
    raw: Declared | None
    rows: int | None

    @property
    def fits(self) -> bool:
        """Whether what is left would pay it."""
        return self.left is None or self.plan.price <= self.left

    @property
    def queries(self) -> int:
        """How many queries the paper's way needs."""
        return sum(_counts(self.plan.declared).values())

    @property
    def accounts(self) -> list[dict[str, Any]]:
        """This plan, and the paper's way, under each account."""
        return accounts_of(self.plan, self.delta)

    @property
    def cheaper(self) -> dict[str, Any] | None:
        """The same exploration of the raw data, where this one is of generalized data."""
        return None if self.raw is None else beside_raw(self.plan, self.raw, self.rows)

    @property
    def expected_errors(self) -> dict[str, float] | None:
        """How large the noise of each function will be; None without a guess at the rows."""
        return None if self.rows is None else self.plan.expected_errors(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Write everything as plain data."""
        return {
            "fits": self.fits,
            "price": nano_text(self.plan.price),
            "left": None if self.left is None else nano_text(self.left),
            "unit": self.plan.unit,
            "delta": self.delta,
            "accounts": self.accounts,
            "queries": self.queries,
            "expected_errors": self.expected_errors,
            "cheaper": self.cheaper,
            "plan": self.plan.to_dict(),
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.plan}\n"
        yield self._price_words()
        here, paper = self.accounts
        yield f"This plan: {self._epsilons(here)}."
        yield (
            f"Query by query, as in the paper, {self.queries:,} queries at {PER_QUERY} each: "
            f"{self._epsilons(paper)}."
        )
        if self.expected_errors is not None:
            yield f"\nTypical noise with {self.rows:,} rows:"
            width = max(map(len, self.expected_errors))
            for name, size in self.expected_errors.items():
                yield f"  {name.replace('_', ' '):<{width}}  {size:.3g}"
        if self.cheaper is not None:
            yield "\nBeside the raw data:"
            yield from (f"  {words}" for words in cheaper_words(self.cheaper))
        yield "\nNothing was spent."

    def _price_words(self) -> str:
        price, unit = nano_text(self.plan.price), self.plan.unit
        if self.left is None:
            return f"Price: {price} {unit}."
        if self.fits:
            return f"Price: {price} of the {nano_text(self.left)} {unit} that is left."
        return (
            f"Price: {price} {unit}, but only {nano_text(self.left)} is left: "
            f"{nano_text(self.plan.price - self.left)} too little. It would be refused; leave "
            "epsilon out to see what fits."
        )

    def _epsilons(self, account: dict[str, Any]) -> str:
        """Write what something costs under each account."""
        pure, loss = account["pure"], account["loss"]
        parts = [] if pure is None else [f"{pure:.3g} added up"]
        at = f"{self.delta:g}".replace("e-0", "e-")
        parts.append(f"{account['concentrated']:.3g} by zCDP at delta {at}")
        if loss is not None:
            parts.append(f"{loss:.3g} by its privacy loss distribution")
        return f"epsilon {', '.join(parts)}"


def quote(
    domains: Any = None,
    how: Ways = "planned",
    *,
    ledger: Ledger | None = None,
    epsilon: Amount | None = None,
    delta: Amount | None = None,
    per_query: Amount | None = None,
    rows: int | None = None,
) -> Quote:
    """Price an exploration beside what is left in a ledger and what the paper's way would cost.

    Needs no data, and spends nothing.

    Parameters
    ----------
    domains : Declared, or what `declared` takes, optional
        What the attributes may hold; by default what the ledger was created with.
    how : {"planned", "interactive", "synthetic"}, default="planned"
        See `explore_table`.
    ledger : Ledger, optional
        The one that would pay.
    epsilon : number, optional
        What may be spent; by default all that is left in the ledger.
    delta : number, optional
        Without a ledger: leave it out for pure epsilon.
    per_query : number, optional
        For "interactive": what each query costs, instead of `epsilon`.
    rows : int, optional
        A guess at the number of rows, to say how large the noise will be.

    Returns
    -------
    Quote

    Examples
    --------
    >>> price = quote({"sex": ["f", "m"], "age": (0, 99, "integer")}, epsilon=1)
    >>> price.fits, price.queries
    (True, 8)
    """
    check_choice("quote", "how", how, WAYS)
    known = declared(domains) if ledger is None else ledger.declare(domains)
    chance = delta if ledger is None else ledger.delta
    if epsilon is None and per_query is None and ledger is None:
        raise ParameterError("The price of an exploration needs 'epsilon', or a ledger.")
    if per_query is not None:
        unit: Unit = "epsilon" if chance is None else "rho"
        amount = nano_up(per_query, "per_query") * len(list(paper_queries(known)))
    elif epsilon is not None:
        unit, amount = budget_of(epsilon, chance)
    else:
        assert ledger is not None
        unit, amount = ledger.unit, ledger.remaining
        if amount == 0:
            raise BudgetError("Nothing is left in the ledger.", 1, 0)
    asked: How = "interactive" if how == "interactive" else "planned"
    plan = plan_for(known, asked, unit, amount, mixed_pairs=how == "synthetic")
    left = None if ledger is None else ledger.remaining
    raw = None if ledger is None else raw_domains(plan, ledger)
    return Quote(plan, left, DELTA if chance is None else float(chance), raw, rows)


def accounts_of(plan: Plan, delta: float, per_query: str = PER_QUERY) -> list[dict[str, Any]]:
    """Return the cost of a plan, and of the paper's way, as epsilon under each account."""
    queries = sum(_counts(plan.declared).values())
    one_by_one = sequential([laplace_cost(per_query)] * queries)
    return [
        _accounts("this exploration", plan.cost, delta),
        _accounts(f"query by query, {per_query} each", one_by_one, delta),
    ]


def _accounts(name: str, cost: Cost, delta: float) -> dict[str, Any]:
    return {
        "name": name,
        "pure": None if cost.epsilon is None else cost.epsilon / NANO,
        "rho": cost.rho / NANO,
        "concentrated": epsilon_from_rho(cost.rho / NANO, delta) if cost.rho else 0.0,
        "loss": pld_epsilon(cost.events, delta) if has_pld() and cost.events else None,
    }


def paper_price(plan: Plan, per_query: str, delta: float, rows: int | None) -> dict[str, Any]:
    """Return the price of one charge for every query, cumulatively (the paper's Figure 2).

    Beside the paper's price, what it would take to make the noise as small as in this plan.

    Parameters
    ----------
    plan : Plan
    per_query : str
        What each query of the paper's way costs.
    delta : float
    rows : int or None
        About how many there are.
    """
    n, c = len(plan.declared.numeric), len(plan.declared.categorical)
    costs, queries = paper_costs(n, c, per_query), paper_counts(n, c)
    same = _as_exact(plan, rows, delta)
    functions = [
        {
            "name": name,
            "queries": queries[name],
            "epsilon": costs[name] / NANO,
            "cumulative": nano / NANO,
            "same": None if same is None else same[place],
        }
        for place, (name, nano) in enumerate(
            zip(queries, accumulate(costs[name] for name in queries), strict=True)
        )
    ]
    return {"per_query": per_query, "numeric": n, "categorical": c, "functions": functions}


def _as_exact(plan: Plan, rows: int | None, delta: float) -> list[float] | None:
    """Return what queries cost, cumulatively in epsilon, whose noise is as small as in a plan."""
    if rows is None or plan.how == "interactive":
        return None
    n, c = len(plan.declared.numeric), len(plan.declared.categorical)
    each = _needed(plan, rows)
    amounts = (
        5 * n * each.get("quantiles", 0.0) + c * each.get("value_counts", 0.0),
        n * each.get("missing", 0.0),
        n * each.get("outliers", 0.0),
        comb(n, 2) * each.get("spearman", 0.0) + comb(c, 2) * each.get("cramers_v", 0.0),
    )
    if plan.unit == "epsilon":
        return list(accumulate(amounts))
    return [epsilon_from_rho(rho, delta) if rho else 0.0 for rho in accumulate(amounts)]


def _needed(plan: Plan, rows: int) -> dict[str, float]:
    """Return what one query of each function must cost to be as exact as a plan, in its unit."""
    here = plan.expected_errors(rows)
    once, more = (
        plan_for(plan.declared, "interactive", plan.unit, times * plan.amount) for times in (1, 4)
    )
    single = getattr(once.items[0].cost, plan.unit) / NANO
    then, later = once.expected_errors(rows), more.expected_errors(rows)
    needed = {}
    for name, error in here.items():
        # the error falls with a power of the cost, which two plans show
        power = log(then[name] / later[name]) / log(4)
        needed[name] = single * (then[name] / error) ** (1 / power)
    return needed


def expected_noise(plan: Plan, rows: int | None) -> list[dict[str, Any]]:
    """Return the noise to expect of each function: planned, and query by query for the same cost.

    Nothing where the plan itself goes query by query, or the number of rows is not known.
    """
    if rows is None or plan.how == "interactive":
        return []
    other = plan_for(plan.declared, "interactive", plan.unit, plan.price)
    here, there = plan.expected_errors(rows), other.expected_errors(rows)
    return [
        {
            "name": name,
            "unit": _UNITS.get(name, ""),
            "here": float(size),
            "paper": float(there[name]) if name in there else None,
        }
        for name, size in here.items()
    ]


def raw_domains(plan: Plan, ledger: Ledger) -> Declared | None:
    """Return what a ledger declares of the raw data, where a plan is for generalized data."""
    raw = ledger.declared
    if not plan.declared.partitions or plan.how != "planned" or raw is None or raw.partitions:
        return None
    return raw


def beside_raw(
    plan: Plan, raw: Declared, rows: int | None, per_query: str = PER_QUERY
) -> dict[str, Any]:
    """Compare a plan for generalized data with one of the raw data for the same amount."""
    before = plan_for(raw, plan.how, plan.unit, plan.amount, mixed_pairs=plan.mixed_pairs)
    errors = {} if rows is None else compare_plans(before, plan, rows)
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
                "raw": error["before"],
                "here": error["after"],
                "share": error["budget"],
            }
            for name, error in errors.items()
            if name != "cells"
        ],
        "raw_paper": _paper_total(raw, per_query),
        "paper": _paper_total(plan.declared, per_query),
    }


def cheaper_words(cheaper: Mapping[str, Any]) -> list[str]:
    """Return sentences on how much cheaper exploring is after generalizing."""
    words = [
        f"{_plural(cheaper['attributes'], 'attribute')} instead of {cheaper['raw_attributes']}, "
        f"{_plural(cheaper['tables'], 'table')} instead of {cheaper['raw_tables']}, "
        f"{cheaper['cells']:,} noisy numbers instead of {cheaper['raw_cells']:,}."
    ]
    if cheaper["functions"]:
        most = min(max(function["share"] for function in cheaper["functions"]), 1.0)
        words.append(
            f"{100 * most:.0f} % of the cost would buy answers that are in every function at "
            "least as exact as all of it buys of the raw data."
        )
    words.append(
        f"Query by query it would come to epsilon {cheaper['paper']:.3g} instead of "
        f"{cheaper['raw_paper']:.3g}."
    )
    return words


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _paper_total(declared: Declared, per_query: str) -> float:
    return paper_costs(len(declared.numeric), len(declared.categorical), per_query)["total"] / NANO


def _counts(declared: Declared) -> dict[str, int]:
    return paper_counts(len(declared.numeric), len(declared.categorical))


def compare_plans(before: Plan, after: Plan, n_rows: int) -> dict[str, dict[str, float]]:
    """Compare exploring before and after minimising: the error at equal budget, and the budget.

    Parameters
    ----------
    before, after : Plan
        Of the same unit and amount: one for the attributes as they are, one for a
        `Generalization` of them.
    n_rows : int
        A guess at the number of rows.

    Returns
    -------
    dict of str to dict
        For each function that both answer: "before" and "after" (expected errors), "ratio" (how
        many times smaller the error is), and "budget" (the share of the budget at which the
        error is that of before). The entry "cells" counts the noisy numbers instead.

    Examples
    --------
    >>> from sparsam.explore.planned._plan import plan
    >>> fine = plan({"a": list("abcdefgh"), "b": list("xyzuvw")}, epsilon=1)
    >>> coarse = plan({"a": list("ab"), "b": list("xy")}, epsilon=1)
    >>> compare_plans(fine, coarse, 10_000)["cells"]["ratio"] > 1
    True
    """
    if before.unit != after.unit or before.amount != after.amount:
        raise ParameterError("Two plans must have the same budget to be compared.")
    old, new = before.expected_errors(n_rows), after.expected_errors(n_rows)
    power = 1 if before.unit == "epsilon" else 2
    functions: dict[str, dict[str, float]] = {}
    for function in old:
        if function in new:
            ratio = old[function] / new[function]
            functions[function] = {
                "before": old[function],
                "after": new[function],
                "ratio": ratio,
                "budget": ratio**-power,
            }
    cells = {
        "before": before.cells,
        "after": after.cells,
        "ratio": before.cells / after.cells,
    }
    return {**functions, "cells": cells}

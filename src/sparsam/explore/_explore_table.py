"""The basic exploratory analysis in one call, paid from a ledger."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any, cast

from sparsam._checks import check_choice
from sparsam._errors import BudgetError, ParameterError
from sparsam.explore._answer import Answer
from sparsam.explore._declared import Declared
from sparsam.explore._exploration import Exploration
from sparsam.explore.ledger._amounts import NANO, Amount, nano_text, nano_up
from sparsam.explore.ledger._costs import Cost
from sparsam.explore.ledger._ledger import Entry, Ledger, private_table, stored_answers
from sparsam.explore.planned._plan import WAYS, Plan, Ways, budget_of, paper_queries, plan_for
from sparsam.explore.planned._planned import run_planned
from sparsam.explore.planned._table_answers import table_answers
from sparsam.explore.queries._explorer import Explorer
from sparsam.explore.queries._query import Price

# A choice paid in rho may cost a few billionths less than it may.
_ROUNDING = 10


def explore_table(
    data: Any,
    ledger: Ledger,
    how: Ways = "planned",
    *,
    domains: Any = None,
    epsilon: Amount | None = None,
    per_query: Amount | None = None,
    mixed_pairs: bool | None = None,
    purpose: str = "",
    random_state: int = 0,
) -> Exploration:
    """Look at a table under differential privacy: the basic analysis, paid from a ledger.

    Distributions, missing values, outliers and correlations of all attributes (Nuñez von Voigt et
    al. 2020, Table 1). One row is one person.

    Parameters
    ----------
    data : path, frame, mapping, list of records, Table or DuckDB relation
    ledger : Ledger
        Pays. With a delta the noise is Gaussian, without one it is Laplace.
    how : {"planned", "interactive", "synthetic"}, default="planned"
        "planned" counts all one-way and two-way tables once, in two stages; every answer is read
        off them. "interactive" pays each query by itself, as the paper does. "synthetic" counts as
        "planned" does, draws rows from a tree model of the tables and reads the answers off those.
    domains : Declared, or what `declared` takes, optional
        What the attributes may hold; by default what the ledger was created with. A
        `Generalization` explores generalized data: its buckets are the cells.
    epsilon : number, optional
        What the exploration may cost, by itself and at the ledger's delta; by default what it cost
        before, if it is repeated, else all that is left.
    per_query : number, optional
        For "interactive": what each query costs, in the ledger's unit.
    mixed_pairs : bool, optional
        Also count pairs of a numeric and a categorical attribute; by default for "synthetic" only.
    purpose : str, default=""
        Why; the ledger's statement shows it.
    random_state : int, default=0
        Of the rows drawn for "synthetic".

    Returns
    -------
    Exploration

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.explore import Ledger, explore_table
    >>> people = {"age": [30, 41, 52] * 100, "sex": ["f", "m", "m"] * 100}
    >>> domains = {"age": (0, 99, "integer"), "sex": ["f", "m"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger.create(f"{folder}/people.ledger", epsilon=20) as ledger:
    ...         eda = explore_table(people, ledger, domains=domains)
    >>> eda.answer("quantiles", "age").values["Q2"]
    41.0
    """
    check_choice("explore_table", "how", how, WAYS)
    table = private_table(data, ledger, domains)
    mixed = how == "synthetic" if mixed_pairs is None else mixed_pairs
    if how == "interactive":
        explorer = Explorer(table, ledger)
        return _interactive(explorer, _amount(ledger, epsilon), per_query, purpose)
    if per_query is not None:
        raise ParameterError("'per_query' must be left out unless how='interactive'.")
    before = _budgets_before(ledger, table.declared, mixed)
    amount = before[0] if epsilon is None and before else _amount(ledger, epsilon)
    plan = plan_for(table.declared, "planned", ledger.unit, amount, mixed_pairs=mixed)
    if amount not in before:
        _check_affordable(ledger, plan)
    entries: list[Entry] = []

    def ask(question: dict[str, Any], cost: Cost, compute: Callable[[], Any]) -> Any:
        entry = ledger.ask(question, cost, compute, purpose=purpose, fingerprint=table)
        entries.append(entry)
        return entry.answer

    with stored_answers(lambda: any(not entry.fresh for entry in entries)):
        released = run_planned(table, plan, ask)
        noise = "gaussian" if plan.unit == "rho" else "laplace"
        answers = table_answers(released, plan.declared, noise)
        if how == "synthetic":
            from sparsam.explore._synthetic import TreeModel, row_answers

            rows = TreeModel.of(released).draw(random_state=random_state)
            answers = row_answers(rows, plan.declared)
    sequences = tuple(entry.sequence for entry in entries)
    return Exploration(
        plan, answers, sequences, any(entry.fresh for entry in entries), released, how
    )


def _interactive(
    explorer: Explorer, amount: int, per_query: Amount | None, purpose: str
) -> Exploration:
    if per_query is not None:
        amount = nano_up(per_query, "per_query") * len(list(paper_queries(explorer.declared)))
    plan = plan_for(explorer.declared, "interactive", explorer.ledger.unit, amount)
    if not _asked_before(explorer.ledger, plan):
        _check_affordable(explorer.ledger, plan)
    before = explorer.ledger.spent
    answers = run_interactive(explorer, plan, purpose)
    return Exploration(plan, answers, (), explorer.ledger.spent > before)


def _asked_before(ledger: Ledger, plan: Plan) -> bool:
    """Whether the same exploration was begun before; then most of it is free."""
    each = getattr(plan.items[0].each, plan.unit)
    first = plan.declared.numeric[:1] or plan.declared.categorical[:1]
    paid = 2 * each if plan.declared.numeric else each
    return any(
        entry.get("question", {}).get("of") == list(first)
        and entry["question"].get("ask") in ("range", "value_counts")
        and abs(entry["amount"] - paid) <= _ROUNDING
        for entry in ledger.entries()
    )


def _amount(ledger: Ledger, epsilon: Amount | None) -> int:
    """Return what may be spent, in billionths of the ledger's unit."""
    return ledger.remaining if epsilon is None else budget_of(epsilon, ledger.delta)[1]


def _budgets_before(ledger: Ledger, declared: Declared, mixed_pairs: bool) -> list[int]:
    """Find what the same exploration cost where its first stage was answered before."""
    entries = ledger.entries()
    answered = {entry["charge"] for entry in entries if entry["kind"] == "answer"}
    asked = [e["question"] for e in entries if e["sequence"] in answered and "question" in e]
    wanted = {
        "ask": "planned exploration",
        "stage": 1,
        "mixed_pairs": mixed_pairs,
        "domains": json.loads(json.dumps(declared.to_dict())),
    }
    return [
        int(question["budget"])
        for question in asked
        if all(question.get(key) == value for key, value in wanted.items())
    ]


def _check_affordable(ledger: Ledger, plan: Plan) -> None:
    """Refuse before the first question what the last could not pay."""
    needed, remaining = plan.price, ledger.remaining
    if needed > remaining:
        raise BudgetError(
            f"The exploration costs {nano_text(needed)} of {plan.unit}, but "
            f"{nano_text(remaining)} is left: {nano_text(needed - remaining)} too little. Nothing "
            "was charged and nothing was computed.\n\nHint: leave epsilon out to spend what is "
            "left.",
            needed,
            remaining,
        )


def run_interactive(
    explorer: Explorer, plan: Plan, purpose: str = "", *, reuse: bool = False
) -> tuple[Answer, ...]:
    """Ask the basic analysis query by query (Nuñez von Voigt et al. 2020, Table 1).

    Five queries for the distribution of a numeric attribute (two for its range, three for its
    quartiles), one for missing values, one for outliers; one for the values of a categorical
    attribute; one for each pair of the same kind.

    Parameters
    ----------
    explorer : Explorer
    plan : Plan
        An interactive one.
    purpose : str
    reuse : bool, default=False
        Use quartiles that were answered before for outliers and rank correlations. The paper's
        analyst does not; a careful one would.
    """
    each = getattr(plan.items[0].each, plan.unit)
    once, twice, thrice = (
        cast(Price, {plan.unit: Fraction(each * times, NANO), "purpose": purpose})
        for times in (1, 2, 3)
    )
    answers: list[Answer] = []
    quartiles: dict[str, tuple[float, float, float]] = {}
    for name in plan.declared.numeric:
        answers.append(explorer.range(name, interval=False, **twice))
        quantiles = explorer.quantiles(name, interval=False, **thrice)
        first, middle, third = quantiles.values.values()
        quartiles[name] = (first, middle, third)
        fences = (first, third) if reuse else None
        answers += [
            quantiles,
            explorer.missing(name, **once),
            explorer.outliers(name, quartiles=fences, **once),
        ]
    for name in plan.declared.categorical:
        answers.append(explorer.value_counts(name, **once))
    for pair in combinations(plan.declared.numeric, 2):
        edges = {name: quartiles[name] for name in pair} if reuse else None
        answers.append(explorer.spearman(*pair, edges=edges, **once))
    for pair in combinations(plan.declared.categorical, 2):
        answers.append(explorer.cramers_v(*pair, **once))
    return tuple(answers)

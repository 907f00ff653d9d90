"""The paper's way: one charge for each query, and no answer used again."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from sparsam.explore._answers import Answer
from sparsam.explore.ledger._amounts import NANO
from sparsam.explore.planned._plan import Plan
from sparsam.explore.queries._explorer import Explorer


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
    prices: list[dict[str, Any]] = [
        {plan.unit: Fraction(each * n, NANO), "purpose": purpose} for n in (1, 2, 3)
    ]
    one, two, three = prices
    answers: list[Answer] = []
    quartiles: dict[str, tuple[float, float, float]] = {}
    for name in plan.declared.numeric:
        answers.append(explorer.range(name, interval=False, **two))
        found = explorer.quantiles(name, interval=False, **three)
        first, middle, third = found.values.values()
        quartiles[name] = (first, middle, third)
        fences = (first, third) if reuse else None
        answers += [
            found,
            explorer.missing(name, **one),
            explorer.outliers(name, quartiles=fences, **one),
        ]
    for name in plan.declared.categorical:
        answers.append(explorer.value_counts(name, **one))
    for pair in combinations(plan.declared.numeric, 2):
        edges = {name: quartiles[name] for name in pair} if reuse else None
        answers.append(explorer.spearman(*pair, edges=edges, **one))
    for pair in combinations(plan.declared.categorical, 2):
        answers.append(explorer.cramers_v(*pair, **one))
    return tuple(answers)

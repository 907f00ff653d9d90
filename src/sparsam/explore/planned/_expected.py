"""How large the noise of each answer will be: known before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsam._errors import ParameterError
from sparsam.explore._noise import noise_sd
from sparsam.explore.planned._cells import pair_cells

if TYPE_CHECKING:
    from sparsam.explore.planned._plan import Item, Plan

_TAILS = 2
_HALF = 4


def expected_errors(items: Sequence[Item], n_rows: int) -> dict[str, float]:
    """Return the typical standard deviation of each function; see `Plan.expected_errors`."""
    if isinstance(n_rows, bool) or not isinstance(n_rows, int) or n_rows < 1:
        raise ParameterError(f"The 'n_rows' must be a whole number >= 1. Got {n_rows!r} instead.")
    if any(item.kind == "query" for item in items):
        return _interactive(items, n_rows)
    sds = {item: noise_sd(item.each) for item in items if item.kind != "octiles"}
    cell = _cell_sds(sds)
    numeric = [cell[name] for name in _names(items, ("values", "octiles"))]
    errors: dict[str, float] = {}
    if any(item.kind == "categories" for item in items):
        shares = [
            cell[item.attributes[0]] * item.cells / n_rows
            for item in items
            if item.kind == "categories"
        ]
        errors["value_counts"] = float(np.mean(shares))
    if numeric:
        errors["missing"] = float(np.mean(numeric))
        errors["outliers"] = float(np.mean(numeric)) * _TAILS**0.5
        errors["quantiles"] = float(np.mean(numeric)) * _HALF**0.5 / n_rows
    pairs = [sd for item, sd in sds.items() if item.kind == "number pair"]
    if pairs:
        errors["spearman"] = float(np.mean([_rank_sd(sd, n_rows) for sd in pairs]))
    pairs = [_weakest(item, sd, n_rows) for item, sd in sds.items() if item.kind == "category pair"]
    if pairs:
        errors["cramers_v"] = float(np.mean(pairs))
    return errors


def _interactive(items: Sequence[Item], n_rows: int) -> dict[str, float]:
    sd = noise_sd(items[0].each)
    errors = {"missing": sd, "outliers": sd, "quantiles": sd / n_rows}
    cells = [item.cells for item in items if item.cells > 1]
    if cells:
        errors["value_counts"] = sd * float(np.mean(cells)) / n_rows
    return {**errors, "spearman": 8 * sd / n_rows, "cramers_v": (2 * sd / n_rows) ** 0.5}


def _names(items: Sequence[Item], kinds: tuple[str, ...]) -> list[str]:
    return [item.attributes[0] for item in items if item.kind in kinds]


def _cell_sds(sds: dict[Item, float]) -> dict[str, float]:
    """Give the noise of one coarse cell of each attribute, from its own and its two-way tables."""
    precision: dict[str, float] = {}
    sizes = {item.attributes[0]: item.cells for item in sds if len(item.attributes) == 1}
    for item, sd in sds.items():
        for name in item.attributes:
            rest = 1.0
            if len(item.attributes) == 2:
                other = next(n for n in item.attributes if n != name)
                rest = min(sizes.get(other, 7), item.cells)
            precision[name] = precision.get(name, 0.0) + 1 / (sd**2 * rest)
    return {name: amount**-0.5 for name, amount in precision.items()}


def _rank_sd(sd: float, n_rows: int) -> float:
    return pair_cells(sd, n_rows) * sd / n_rows


def _weakest(item: Item, sd: float, n_rows: int) -> float:
    """Return Cramér's V that as much noise as this would show where there is no dependence."""
    degrees = max(item.cells - 2 * item.cells**0.5 + 1, 1.0)
    return float(((2 * degrees) ** 0.5 * sd**2 * item.cells / n_rows**2 / item.cells**0.5) ** 0.5)


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
    found: dict[str, dict[str, float]] = {}
    for function in old:
        if function in new:
            ratio = old[function] / new[function]
            found[function] = {
                "before": old[function],
                "after": new[function],
                "ratio": ratio,
                "budget": ratio**-power,
            }
    cells: dict[str, Any] = {"before": before.cells, "after": after.cells}
    found["cells"] = {**cells, "ratio": before.cells / after.cells}
    return found

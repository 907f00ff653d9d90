"""The plan of an exploration: what will be asked, and what it costs, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, isqrt
from typing import Any, Literal, get_args

import numpy as np

from sparsam._checks import check_choice, check_whole
from sparsam._errors import ParameterError
from sparsam.data import NumericDomain
from sparsam.explore._bins import full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._declared import declared as declare
from sparsam.explore._noise import noise_sd
from sparsam.explore.ledger._accounts import binding_account
from sparsam.explore.ledger._amounts import NANO, Amount, Unit, nano_down, nano_text
from sparsam.explore.ledger._costs import Cost, choice_cost, gaussian_cost, laplace_cost, sequential

How = Literal["planned", "interactive"]
Ways = Literal["planned", "interactive", "synthetic"]
Kind = Literal[
    "categories",
    "values",
    "octiles",
    "cells",
    "number pair",
    "category pair",
    "mixed pair",
    "query",
]

WAYS: tuple[Ways, ...] = get_args(Ways)
# Whole numbers in a range of at most this many are counted one by one.
MOST_VALUES = 128
# How often the octiles of a wide attribute halve it.
LEVELS = 3
# A one-way table of more cells than this is counted in coarse cells as well.
FEW_CELLS = 24
# What a table of each kind gets of the budget, beside the others: rho, or epsilon.
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "rho": {
        "categories": 0.26,
        "values": 1.8,
        "octiles": 0.8,
        "cells": 3.0,
        "number pair": 0.7,
        "category pair": 1.0,
        "mixed pair": 0.5,
    },
    "epsilon": {
        "categories": 0.16,
        "values": 0.8,
        "octiles": 1.5,
        "cells": 1.0,
        "number pair": 0.5,
        "category pair": 1.0,
        "mixed pair": 0.5,
    },
}
# How that grows with the number of cells: people are fewer in each of many cells.
_POWERS = {"categories": 1.0}
# What a categorical attribute gets more, by the square of their number: few others, whose tables
# would tell of it too.
_ALONE = {"rho": 5.0, "epsilon": 1.5}
_MOST_NUMBER = 1e100
_MOST_ONE_WAY = 4_000
_MOST_TWO_WAY = 2_000_000
# Into how many cells a numeric attribute may be cut in two-way tables.
PAIR_CELLS = (3, 4, 5, 6, 8)
_USUAL_PAIR_CELLS = 5
# How much of a rank correlation k × k cells hide: this over k squared.
_HIDDEN = 0.15
_EXPECTED_PAIR_CELLS = 7
_EXPECTED_CELLS = 12
# How many cells the noise of outliers, and that of a quantile, is made of.
_TAILS = 2
_HALF = 4


@dataclass(frozen=True)
class Item:
    """One line of a plan: a table, the octiles of an attribute, or a query.

    Parameters
    ----------
    stage : int
        What has stage two depends on the answers of stage one.
    kind : str
    attributes : tuple of str
    cells : int
        How many noisy numbers it releases; expected ones in stage two.
    each : Cost
        What one use of noise costs.
    times : int, default=1
        How many uses of noise it needs.
    """

    stage: int
    kind: Kind
    attributes: tuple[str, ...]
    cells: int
    each: Cost
    times: int = 1

    @property
    def cost(self) -> Cost:
        """What it costs in all."""
        return sequential([self.each] * self.times)

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain data."""
        return {
            "stage": self.stage,
            "kind": self.kind,
            "attributes": list(self.attributes),
            "cells": self.cells,
            "times": self.times,
            "cost": self.cost.to_dict(),
        }


@dataclass(frozen=True)
class Plan:
    """An exploration with its price, before anything is spent.

    Parameters
    ----------
    how : {"planned", "interactive"}
    declared : Declared
    unit : {"epsilon", "rho"}
        What it is paid in.
    items : tuple of Item
    amount : int
        What it may cost, in billionths of the unit; it costs that or, by rounding, a little less.
    mixed_pairs : bool
        Whether pairs of a numeric and a categorical attribute are counted too.

    See Also
    --------
    plan : Makes one.

    Examples
    --------
    >>> from sparsam.explore import plan
    >>> planned = plan({"sex": ["f", "m"], "age": (0, 99, "integer")}, epsilon=1)
    >>> planned.how, planned.unit, len(planned.items)
    ('planned', 'epsilon', 3)
    """

    how: How
    declared: Declared
    unit: Unit
    items: tuple[Item, ...]
    amount: int
    mixed_pairs: bool = False

    @property
    def cost(self) -> Cost:
        """What the whole plan costs."""
        return sequential(item.cost for item in self.items)

    @property
    def price(self) -> int:
        """What the whole plan costs, in billionths of its unit."""
        return int(getattr(self.cost, self.unit))

    @property
    def cells(self) -> int:
        """How many noisy numbers it releases; expected ones in stage two."""
        return sum(item.cells for item in self.items)

    def stage(self, number: int) -> tuple[Item, ...]:
        """Return the items of one stage."""
        return tuple(item for item in self.items if item.stage == number)

    def expected_errors(self, n_rows: int) -> dict[str, float]:
        """Return how large the noise of each function will be, for a guess at the number of rows.

        Value counts are in shares of an average cell's count, other counts in rows, quantiles in
        shares of the rows, correlations in their own unit (near no correlation). They are
        typical sizes (standard deviations, averaged over the attributes), and need no data.

        Parameters
        ----------
        n_rows : int

        Examples
        --------
        >>> people = plan({"sex": ["f", "m"], "age": (0, 99, "integer")}, epsilon=1)
        >>> sorted(people.expected_errors(10_000))
        ['missing', 'outliers', 'quantiles', 'value_counts']
        """
        return expected_errors(self.items, n_rows)

    def to_dict(self) -> dict[str, Any]:
        """Write the plan as plain data."""
        return {
            "how": self.how,
            "unit": self.unit,
            "domains": self.declared.to_dict(),
            "items": [item.to_dict() for item in self.items],
            "cells": self.cells,
            "cost": self.cost.to_dict(),
        }

    def __str__(self) -> str:
        lines = [f"{self.how} exploration of {len(self.declared.names)} attributes, {self.cost}"]
        groups: dict[tuple[int, str], list[Item]] = {}
        for item in self.items:
            groups.setdefault((item.stage, item.kind), []).append(item)
        lines.append(f"{'stage':>5}  {'what':<14} {'number':>6} {'cells':>7} {self.unit:>12}")
        for (stage, kind), items in groups.items():
            amount = sum(getattr(item.cost, self.unit) for item in items)
            lines.append(
                f"{stage:>5}  {kind:<14} {len(items):>6} {sum(i.cells for i in items):>7,} "
                f"{nano_text(amount):>12}"
            )
        return "\n".join(lines)


def plan(
    domains: Any,
    how: How = "planned",
    *,
    epsilon: Amount,
    delta: Amount | None = None,
    mixed_pairs: bool = False,
) -> Plan:
    """Price the basic exploration of a table, before anything is spent and without its data.

    Parameters
    ----------
    domains : mapping, Roles, Generalization, Declared or path
        What the attributes may hold.
    how : {"planned", "interactive"}, default="planned"
        Tables that answer everything, or one charge for each query.
    epsilon : number
        What may be spent in all.
    delta : number, optional
        Leave it out for pure differential privacy.
    mixed_pairs : bool, default=False
        Also count pairs of a numeric and a categorical attribute, which synthetic rows need.

    Returns
    -------
    Plan

    Examples
    --------
    >>> print(plan({"sex": ["f", "m"], "age": (0, 99, "integer")}, epsilon=1))
    planned exploration of 2 attributes, epsilon 0.999999..., rho 0.1...
    stage  what           number   cells      epsilon
        1  categories          1       4  0...
        1  values              1     101  ...
        2  cells               1      12  ...
    """
    unit, amount = budget_of(epsilon, delta)
    return plan_for(declare(domains), how, unit, amount, mixed_pairs=mixed_pairs)


def budget_of(epsilon: Amount, delta: Amount | None) -> tuple[Unit, int]:
    """Return the unit that a budget is spent in, and how many billionths of it there are."""
    if delta is None:
        return "epsilon", nano_down(epsilon, "epsilon")
    return "rho", binding_account(epsilon, delta)[1]


def plan_for(
    declared: Declared,
    how: How,
    unit: Unit,
    amount: int,
    *,
    mixed_pairs: bool = False,
) -> Plan:
    """Make the plan that fits an amount, in billionths of the unit."""
    check_choice("plan", "how", how, ("planned", "interactive"))
    _check_ranges(declared)
    if how == "interactive":
        wanted = [
            ("query", stage, names, _query_cells(declared, names), 1)
            for stage, names in paper_queries(declared)
        ]
        weights: Mapping[str, float] = {"query": 1.0}
    else:
        wanted, weights = list(_planned(declared, mixed_pairs)), WEIGHTS[unit]
    alone = _ALONE[unit] / max(len(declared.categorical), 1) ** 2
    shares = [_weight(kind, cells, weights, unit, alone) for kind, _, _, cells, _ in wanted]
    whole = sum(shares)
    items: list[Item] = []
    _check_cells(wanted)
    for weight, (kind, stage, names, cells, times) in zip(shares, wanted, strict=True):
        share = int(amount * weight / whole / times)
        if share < 1:
            raise ParameterError(
                f"The budget must be enough for {len(wanted)} items. "
                f"Got {nano_text(amount)} {unit} instead."
            )
        each = _cost(kind, unit, share)
        items.append(Item(stage, kind, names, cells, each, times))  # type: ignore[arg-type]
    return Plan(how, declared, unit, tuple(items), amount, mixed_pairs)


def _query_cells(declared: Declared, names: tuple[str, ...]) -> int:
    """Return how many counts a query of values releases; other queries count as one."""
    values = len(names) == 1 and names[0] in declared.categorical
    return full_bins(declared, names[0]).size if values else 1


def _check_ranges(declared: Declared) -> None:
    for name in declared.numeric:
        domain = declared[name]
        if isinstance(domain, NumericDomain) and max(-domain.low, domain.high) > _MOST_NUMBER:
            raise ParameterError(
                f"The range of '{name}' must lie within ±{_MOST_NUMBER:g} to be explored."
            )


def _check_cells(wanted: Sequence[tuple[str, int, tuple[str, ...], int, int]]) -> None:
    """Refuse tables that nobody could read, before memory runs out."""
    for _, _, names, cells, _ in wanted:
        most = _MOST_ONE_WAY if len(names) == 1 else _MOST_TWO_WAY
        if cells > most:
            raise ParameterError(
                f"The table of {' and '.join(names)} must have at most {most:,} cells. "
                f"Got {cells:,} instead.\n\nHint: declare fewer categories, or explore a "
                "Generalization."
            )


def _weight(
    kind: str, cells: int, weights: Mapping[str, float], unit: str, alone: float
) -> Fraction:
    power = _POWERS.get(kind, 0.0) * (1.0 if unit == "rho" else 2 / 3)
    more = alone if kind == "categories" else 0.0
    return Fraction(weights[kind] * cells**power + more).limit_denominator(10**6)


def _cost(kind: str, unit: str, nano: int) -> Cost:
    if kind == "octiles":
        epsilon = nano if unit == "epsilon" else isqrt(8 * nano * NANO)
        return choice_cost(Fraction(epsilon, NANO))
    amount = Fraction(nano, NANO)
    return laplace_cost(amount) if unit == "epsilon" else gaussian_cost(amount)


def is_wide(declared: Declared, name: str) -> bool:
    """Whether a numeric attribute must be looked at before its cells can be chosen."""
    domain = declared[name]
    if not isinstance(domain, NumericDomain) or name in declared.partitions:
        return False
    if domain.low == domain.high:
        return False
    return not domain.integer or domain.high - domain.low + 1 > MOST_VALUES


def _planned(
    declared: Declared, mixed_pairs: bool
) -> Iterable[tuple[str, int, tuple[str, ...], int, int]]:
    """Return (kind, stage, attributes, cells, uses of noise) of everything to be asked."""
    sizes: dict[str, int] = {}
    for name in declared.categorical:
        sizes[name] = full_bins(declared, name).size
        yield "categories", 1, (name,), sizes[name], 1
    coarse = []
    for name in declared.numeric:
        if is_wide(declared, name):
            coarse.append(name)
            sizes[name] = _EXPECTED_PAIR_CELLS
            yield "octiles", 1, (name,), 2**LEVELS - 1, LEVELS
        else:
            size = full_bins(declared, name, MOST_VALUES).size
            sizes[name] = min(size, _EXPECTED_PAIR_CELLS)
            coarse += [name] * (size > FEW_CELLS)
            yield "values", 1, (name,), size, 1
    for name in coarse:
        yield "cells", 2, (name,), _EXPECTED_CELLS, 1
    for kind, pairs in (
        ("number pair", combinations(declared.numeric, 2)),
        ("category pair", combinations(declared.categorical, 2)),
        ("mixed pair", product(declared.numeric, declared.categorical) if mixed_pairs else ()),
    ):
        for first, second in pairs:
            yield kind, 2, (first, second), sizes[first] * sizes[second], 1


def pair_cells(noise_sd: float | None, n_rows: float | None) -> int:
    """Choose how many cells an attribute has in two-way tables.

    More cells hide less of a rank correlation and gather more noise.

    Examples
    --------
    >>> pair_cells(40, 50_000), pair_cells(40, 2_000), pair_cells(1, 50_000)
    (6, 3, 8)
    """
    if noise_sd is None or n_rows is None:
        return _USUAL_PAIR_CELLS
    noise = noise_sd / max(n_rows, 1.0)
    return min(PAIR_CELLS, key=lambda k: (k * noise) ** 2 + (_HIDDEN / k**2) ** 2)


def paper_queries(declared: Declared) -> Iterable[tuple[int, tuple[str, ...]]]:
    """Return the paper's queries as (1, attributes): five to a numeric attribute, and so on."""
    for name in declared.numeric:
        for _ in range(7):
            yield 1, (name,)
    for name in declared.categorical:
        yield 1, (name,)
    for names in (declared.numeric, declared.categorical):
        for pair in combinations(names, 2):
            yield 1, pair


def paper_counts(n: int, c: int) -> dict[str, int]:
    """Count the paper's queries, function by function (its Table 1).

    Parameters
    ----------
    n, c : int
        How many numeric and how many categorical attributes there are.

    Examples
    --------
    >>> sum(paper_counts(6, 9).values())
    102
    """
    check_whole("paper_counts", "n", n, 0)
    check_whole("paper_counts", "c", c, 0)
    return {
        "distribution": 5 * n + c,
        "missing": n,
        "outliers": n,
        "correlation": comb(n, 2) + comb(c, 2),
    }


def paper_costs(n: int, c: int, epsilon_i: Amount = "0.01") -> dict[str, int]:
    """Return the cost of the paper's basic analysis, one charge for each query (its Table 1).

    Parameters
    ----------
    n, c : int
        How many numeric and how many categorical attributes there are.
    epsilon_i : number, default="0.01"
        What each query costs.

    Returns
    -------
    dict of str to int
        "distribution", "missing", "outliers", "correlation" and "total", in billionths of epsilon.

    Examples
    --------
    >>> paper_costs(6, 9)["total"] / 10**9
    1.02
    """
    each = laplace_cost(epsilon_i).epsilon
    assert each is not None
    costs = {function: each * count for function, count in paper_counts(n, c).items()}
    return {**costs, "total": sum(costs.values())}


def expected_errors(items: Sequence[Item], n_rows: int) -> dict[str, float]:
    """Return the typical standard deviation of each function; see `Plan.expected_errors`."""
    check_whole("expected_errors", "n_rows", n_rows, 1)
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
    """Return the noise of a coarse cell of each attribute, from its own and its two-way tables."""
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

"""Questions about ranks: quantiles, the range, and numbers far from the quartiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.explore._answer import quantile_label
from sparsam.explore._bins import Bins, edge_bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._estimate import LEVEL
from sparsam.explore._noise import noise_quantile, noise_sd, noisy_choice, noisy_counts
from sparsam.explore._private_table import PrivateTable
from sparsam.explore._ranks import fences, grid_bins, rank_scores, rank_sensitivity
from sparsam.explore.ledger._amounts import exact
from sparsam.explore.ledger._costs import Cost, sequential
from sparsam.explore.queries._query import Payment, Query, around

_FINEST = Fraction(1, 1000)
NO_EXTREMES = (
    "The smallest and the largest value are those of single people, so they cannot be told with "
    "any useful precision. P1 and P99 are given instead."
)
BUCKETS = (
    "The numbers were generalized to buckets: each value is the middle of a bucket, and nothing is "
    "known of where inside it lies."
)


def quantiles_query(
    declared: Declared,
    name: str,
    levels: Sequence[float],
    payment: Payment,
    *,
    interval: bool = True,
    function: str = "quantiles",
) -> Query:
    """Ask for quantiles of a numeric attribute, each by the exponential mechanism.

    The quantiles share the payment evenly. With intervals, half of each share buys the estimate
    and a quarter each end: a choice at a rank so much lower (or higher) that it lies beyond the
    table's own quantile with a chance of at most 2.5 %, whatever the numbers are.
    """
    grid = quantile_grid(declared, name)
    wanted = [_level(name, level) for level in levels]
    if not wanted or len(set(wanted)) < len(wanted):
        raise ParameterError("The quantiles must be at least one level, each of them once.")
    shares = [3] if not interval else [2, 1, 1]
    each = [part.split(*shares) for part in payment.split(*[1] * len(wanted))]
    costs = [[share.choice for share in part] for part in each]

    def release(source: PrivateTable) -> list[list[int]]:
        counts = source.tables([grid], [(name,)])[(name,)][: grid.n_cells]
        return [
            [
                _chosen(counts, level, cost, side)
                for side, cost in zip((0, -1, 1), own, strict=False)
            ]
            for level, own in zip(wanted, costs, strict=True)
        ]

    def read(released: list[list[int]]) -> dict[str, Any]:
        answer = _read_quantiles(grid, wanted, released, costs, function)
        more = (BUCKETS,) if name in declared.partitions else ()
        return {**answer, "notes": (*answer["notes"], *more)}

    details = {
        "declared": declared.only([name]).to_dict(),
        "levels": [str(level) for level in wanted],
        "grid": grid.n_cells,
        "interval": interval,
    }
    cost = sequential(cost for own in costs for cost in own)
    return Query(function, (name,), details, cost, release, read)


def outliers_query(
    declared: Declared,
    name: str,
    payment: Payment,
    quartiles: tuple[float, float] | None = None,
) -> Query:
    """Ask how many numbers lie beyond 1.5 interquartile ranges from the quartiles.

    Half of the payment buys the two quartiles, unless they are known from another answer.
    """
    grid = quantile_grid(declared, name)
    if quartiles is None:
        first, second, rest = payment.split(1, 1, 2)
        choices: tuple[Cost, ...] = (first.choice, second.choice)
    else:
        _check_quartiles(name, quartiles)
        choices, rest = (), payment
    cost = rest.counts

    def release(source: PrivateTable) -> list[float]:
        counts = source.tables([grid], [(name,)])[(name,)][: grid.n_cells]
        ends: tuple[float, ...] = quartiles or ()
        for level, choice in zip((Fraction(1, 4), Fraction(3, 4)), choices, strict=False):
            ends = (*ends, float(grid.middles[_chosen(counts, level, choice, 0)]))
        beyond = _beyond(source, declared, name, _own_fences(declared, name, ends))
        return [*ends, int(noisy_counts(np.array([beyond], dtype=np.int64), cost)[0])]

    def read(released: list[float]) -> dict[str, Any]:
        low, high = _own_fences(declared, name, released[:2])
        answer = around(["value"], [int(released[2])], noise_quantile(cost, LEVEL))
        answer["values"] |= {"low fence": low, "high fence": high}
        note = (
            "The count, and its interval, are of the numbers below the low fence and above the "
            "high fence given here; the quartiles behind these fences are noisy themselves."
        )
        return {**answer, "noise_sd": noise_sd(cost), "notes": (note,)}

    details: dict[str, Any] = {"declared": declared.only([name]).to_dict(), "grid": grid.n_cells}
    if quartiles is not None:
        details["quartiles"] = [float(end) for end in quartiles]
    return Query("outliers", (name,), details, sequential([*choices, cost]), release, read)


def quantile_grid(declared: Declared, name: str) -> Bins:
    """Return the cells that a quantile is chosen among."""
    if not full_bins(declared, name, 1).numeric:
        raise ParameterError(
            f"'{name}' must be numeric for this question. It is declared with categories."
        )
    if name in declared.partitions:
        return full_bins(declared, name)
    return grid_bins(declared, name)


def _chosen(counts: NDArray[np.int64], level: Fraction, cost: Cost, side: int) -> int:
    """Choose the cell of a quantile; to a side, one that lies beyond it almost surely."""
    sensitivity = rank_sensitivity(level)
    if side == 0:
        return noisy_choice(rank_scores(counts, level)[1:-1], cost, sensitivity)
    # The chosen score is within this of the best, which is zero (McSherry and Talwar 2007).
    worst = sensitivity * cost.events[0].scale * math.log((len(counts) + 2) * 2 / (1 - LEVEL))
    shift = side * math.ceil(worst / level.denominator)
    return noisy_choice(rank_scores(counts, level, shift), cost, sensitivity) - 1


def _own_fences(declared: Declared, name: str, ends: Sequence[float]) -> tuple[float, float]:
    """Return the fences that are counted beyond: between buckets, where there are buckets."""
    low, high = fences(min(ends), max(ends))
    if name not in declared.partitions:
        return low, high
    edges = full_bins(declared, name).edges
    return max(e for e in edges if e <= max(low, edges[0])), min(
        e for e in edges if e >= min(high, edges[-1])
    )


def _beyond(source: PrivateTable, declared: Declared, name: str, ends: tuple[float, float]) -> int:
    """Count the rows below the first and above the second of two numbers (from it, of buckets)."""
    low, high = ends
    if name not in declared.partitions:
        high = math.nextafter(high, math.inf)
    bins = edge_bins(declared, name, [low, high])
    counts = source.tables([bins], [(name,)])[(name,)]
    inside = (bins.lows >= low) & (bins.lows < high)
    return int(counts[: bins.n_cells][~inside].sum())


def _read_quantiles(
    grid: Bins,
    levels: Sequence[Fraction],
    released: Sequence[Sequence[int]],
    costs: Sequence[Sequence[Cost]],
    function: str,
) -> dict[str, Any]:
    order = np.argsort([float(level) for level in levels], kind="stable")
    numbers = np.empty(len(levels))
    # noise may put a higher quantile below a lower one
    numbers[order] = np.sort([grid.middles[cells[0]] for cells in released])
    labels = [quantile_label(float(level)) for level in levels]
    values = dict(zip(labels, numbers.tolist(), strict=True))
    lows, highs = [grid.edges[0], *grid.lows, grid.highs[-1]], [grid.lows[0], *grid.highs]
    intervals = {}
    for label, value, own in zip(labels, numbers.tolist(), released, strict=True):
        if len(own) > 1:
            low, high = lows[own[1] + 1], [*highs, grid.highs[-1]][own[2] + 1]
            intervals[label] = (min(float(low), value), max(float(high), value))
    notes = [NO_EXTREMES] if function == "range" else []
    if not intervals:
        parts = [max(level, 1 - level) for level in levels]
        scales = [part * own[0].events[0].scale for part, own in zip(parts, costs, strict=True)]
        rows = math.ceil(max(scales) * math.log(1 / (1 - LEVEL)))
        notes.append(f"The rank of each number is off by up to about {rows:,} rows.")
    return {"values": values, "intervals": intervals, "notes": tuple(notes)}


def _level(name: str, level: float) -> Fraction:
    wanted = exact(level, "level")
    if not 0 < wanted < 1:
        hint = f"\n\nHint: {NO_EXTREMES}" if wanted in (0, 1) else ""
        raise ParameterError(
            f"A quantile of '{name}' must lie between 0 and 1. Got {level!r} instead.{hint}"
        )
    near = wanted.limit_denominator(_FINEST.denominator)
    return near if 0 < near < 1 else (_FINEST if wanted < Fraction(1, 2) else 1 - _FINEST)


def _check_quartiles(name: str, quartiles: tuple[float, float]) -> None:
    if len(quartiles) != 2 or not all(math.isfinite(end) for end in quartiles):
        raise ParameterError(f"The quartiles of '{name}' must be two finite numbers.")

"""Questions about two attributes, each answered from one noisy two-way table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.explore._bins import Bins, edge_bins, equal_bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._estimate import Estimate
from sparsam.explore._noise import noise_sd, noisy_counts
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._costs import Cost
from sparsam.explore.planned._consistency import Margin
from sparsam.explore.planned._correlation import cramers_v, hidden_correlation, spearman
from sparsam.explore.queries._query import Payment, Query

_CELLS = 8
_Z = 1.959964
# How many standard deviations of noise the sum of a category must exceed to be sure.
_CLEAR = 4.0


def spearman_query(
    declared: Declared,
    pair: tuple[str, str],
    payment: Payment,
    edges: Mapping[str, Sequence[float]] | None = None,
) -> Query:
    """Ask for Spearman's rank correlation of two numeric attributes.

    From a table of about 8 × 8 cells of equal width, or with the inner edges given, such as
    quartiles that were answered before. Noise on the correlation itself would protect nobody: with
    ties, one row can move it by far more than 1/n.
    """
    _check_pair(pair)
    bins = tuple(_numeric_bins(declared, name, (edges or {}).get(name)) for name in pair)
    cost = payment.counts

    def read(released: list[int]) -> dict[str, Any]:
        table = np.array(released, dtype=float).reshape(bins[0].size, bins[1].size)
        sd = noise_sd(cost)
        margins = _margins(bins, table, sd)
        rank = _with_hidden(spearman(table, sd, margins, _own_ties(table), _Z), table)
        shape = " × ".join(str(own.n_cells) for own in bins)
        note = (
            f"Of the ranks of {shape} cells, rows without missing values. The values in one cell "
            "count as tied; the interval allows for what that hides."
        )
        return _one(rank, sd, note)

    return _pair_query("spearman", declared, bins, cost, read)


def cramers_v_query(declared: Declared, pair: tuple[str, str], payment: Payment) -> Query:
    """Ask for Cramér's V of two categorical attributes."""
    _check_pair(pair)
    bins = tuple(full_bins(declared, name) for name in pair)
    for own in bins:
        if own.numeric:
            raise ParameterError(f"'{own.name}' must have categories for Cramér's V.")
    cost = payment.counts

    def read(released: list[int]) -> dict[str, Any]:
        table = np.array(released, dtype=float).reshape(bins[0].size, bins[1].size)
        sd = noise_sd(cost)
        v = _own_margins_v(table[: bins[0].n_cells, : bins[1].n_cells], sd)
        note = "Of the declared categories; missing and undeclared values do not count."
        return _one(v, sd, note)

    return _pair_query("cramers_v", declared, bins, cost, read)


def _pair_query(
    function: str, declared: Declared, bins: tuple[Bins, ...], cost: Cost, read: Any
) -> Query:
    names = tuple(own.name for own in bins)

    def release(source: PrivateTable) -> list[int]:
        counts = source.tables(bins, [names])[names]
        return noisy_counts(counts, cost).ravel().tolist()

    details: dict[str, Any] = {"declared": declared.only(names).to_dict()}
    if bins[0].numeric:
        details["edges"] = {own.name: list(own.edges) for own in bins}
    return Query(function, names, details, cost, release, read)


def _numeric_bins(declared: Declared, name: str, edges: Sequence[float] | None) -> Bins:
    if not full_bins(declared, name, 1).numeric:
        raise ParameterError(f"'{name}' must be numeric for Spearman's correlation.")
    if edges is None:
        return _equal_cells(declared, name)
    if len(edges) > 63:
        raise ParameterError(f"There must be at most 63 edges of '{name}'. Got {len(edges)}.")
    return edge_bins(declared, name, edges)


def _equal_cells(declared: Declared, name: str) -> Bins:
    """Cut into 8 cells of equal width; zero has one of its own among many whole numbers.

    Sums of money and the like are zero for most people.
    """
    bins = equal_bins(declared, name, _CELLS)
    narrow = bool((np.diff(bins.edges) <= 1).all())
    if not bins.integer or narrow or name in declared.partitions:
        return bins
    if not bins.edges[0] <= 0 < bins.edges[-1]:
        return bins
    return edge_bins(declared, name, [*equal_bins(declared, name, _CELLS - 1).edges, 0, 1])


def _margins(
    bins: tuple[Bins, ...], table: NDArray[np.float64], sd: float
) -> tuple[Margin, Margin]:
    first, second = (
        Margin(own, table.sum(axis=1 - axis), np.eye(own.size) * sd**2 * table.shape[1 - axis])
        for axis, own in enumerate(bins)
    )
    return first, second


def _own_ties(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ties of the cells themselves, so that nothing is corrected for coarse cells."""
    ties = []
    for axis in (1, 0):
        shares = np.maximum(table[:-1, :-1].sum(axis=axis), 0.0)
        ties.append(((shares / max(shares.sum(), 1.0)) ** 3).sum())
    return np.array(ties)


def _with_hidden(rank: Estimate, table: NDArray[np.float64]) -> Estimate:
    """Widen the interval of a rank correlation by what wide cells may hide."""
    hidden = _Z * hidden_correlation(table, rank.value)
    low = rank.value - float(np.hypot(rank.value - rank.low, hidden))
    high = rank.value + float(np.hypot(rank.high - rank.value, hidden))
    return Estimate(rank.value, max(low, -1.0), min(high, 1.0))


def _own_margins_v(table: NDArray[np.float64], sd: float) -> Estimate:
    """Return Cramér's V of a table whose margins are as noisy as the table itself.

    Categories that noise may have made cannot be told from none. The lower end does without
    them: they are joined, and joined categories never depend more than the categories do.
    """
    v = _moved_v(table, sd)
    joined = _joined_lines(_joined_lines(table, sd).T, sd).T
    if joined.shape == table.shape:
        return v
    least, most = min(joined.shape) - 1, min(table.shape) - 1
    # as if every cell had the noise of those that were joined
    more = [1 + whole - two for whole, two in zip(table.shape, joined.shape, strict=True)]
    low = _moved_v(joined, sd * float(np.sqrt(np.prod(more)))).low if least > 0 else 0.0
    return Estimate(v.value, min(v.low, low * (least / max(most, 1)) ** 0.5), v.high)


def _moved_v(table: NDArray[np.float64], sd: float) -> Estimate:
    v = cramers_v(table, sd, _Z)
    moves = 0.0
    for axis in (0, 1):
        lines = np.moveaxis(table, axis, 0)
        for line in range(len(lines)):
            moved = lines.copy()
            moved[line] += sd / np.sqrt(moved.shape[1])
            moves += (cramers_v(np.moveaxis(moved, 0, axis), sd, _Z).value - v.value) ** 2
    low = v.value - np.hypot(v.value - v.low, _Z * np.sqrt(moves))
    high = v.value + np.hypot(v.high - v.value, _Z * np.sqrt(moves))
    return Estimate(v.value, max(float(low), 0.0), min(float(high), 1.0))


def _joined_lines(table: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    """Join the rows whose sums are not clearly above the noise, with the next larger if need be."""
    order = np.argsort(table.sum(axis=1))
    lines = [table[place] for place in order]
    while len(lines) > 1 and lines[0].sum() < _CLEAR * sd * np.sqrt(table.shape[1]):
        lines[:2] = [lines[0] + lines[1]]
    return np.array(lines)


def _one(estimate: Estimate, sd: float, note: str) -> dict[str, Any]:
    return {
        "values": {"value": estimate.value},
        "intervals": {"value": (estimate.low, estimate.high)},
        "noise_sd": sd,
        "notes": (note,),
    }


def _check_pair(pair: tuple[str, str]) -> None:
    if pair[0] == pair[1]:
        raise ParameterError(f"A pair must be of two attributes. Got '{pair[0]}' twice.")

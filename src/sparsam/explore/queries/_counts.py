"""Questions whose answers are counts: rows, missing values, categories, histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.explore._bins import Bins, edge_bins, equal_bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._estimate import LEVEL
from sparsam.explore._noise import noise_quantile, noise_sd, noisy_counts
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._costs import Cost, sequential
from sparsam.explore.queries._query import Payment, Query, around

_GRID = 1 << 14


def count_query(payment: Payment) -> Query:
    """Ask for the number of rows."""
    cost = payment.counts

    def release(source: PrivateTable) -> list[int]:
        rows: NDArray[np.int64] = source.tables([], [()])[()]
        return noisy_counts(rows.reshape(1), cost).tolist()  # type: ignore[no-any-return]

    def read(noisy: list[int]) -> dict[str, Any]:
        answer = around(["value"], noisy, noise_quantile(cost, LEVEL))
        return {**answer, "noise_sd": noise_sd(cost)}

    return Query("count", (), {}, cost, release, read)


def missing_query(declared: Declared, name: str, payment: Payment) -> Query:
    """Ask for the number of missing values of an attribute."""
    bins = full_bins(declared, name, 1)
    if bins.missing_cell is not None:
        raise ParameterError(
            f"'{name}' must tell missing values apart. Its generalization does not."
        )
    cost = payment.counts

    def release(source: PrivateTable) -> list[int]:
        counts = source.tables([bins], [(name,)])[(name,)]
        return noisy_counts(counts[-1:], cost).tolist()  # type: ignore[no-any-return]

    def read(noisy: list[int]) -> dict[str, Any]:
        answer = around(["value"], noisy, noise_quantile(cost, LEVEL))
        notes = ("A number that cannot be read counts as missing.",) if bins.numeric else ()
        return {**answer, "noise_sd": noise_sd(cost), "notes": notes}

    details = {"declared": declared.only([name]).to_dict()}
    return Query("missing", (name,), details, cost, release, read)


def value_counts_query(declared: Declared, name: str, payment: Payment) -> Query:
    """Ask how often each category occurs."""
    bins = full_bins(declared, name)
    if bins.numeric:
        raise ParameterError(
            f"'{name}' must have categories for value counts. It is declared numeric."
            "\n\nHint: ask for a histogram."
        )
    return _table_query("value_counts", declared, bins, payment)


def histogram_query(
    declared: Declared, name: str, payment: Payment, bins: int | Sequence[float]
) -> Query:
    """Ask how many values lie in each of several ranges."""
    if not full_bins(declared, name, 1).numeric:
        raise ParameterError(
            f"'{name}' must be numeric for a histogram. It is declared with categories."
            "\n\nHint: ask for value counts."
        )
    if isinstance(bins, bool) or (isinstance(bins, int) and bins < 1):
        raise ParameterError(f"The 'bins' must be an int >= 1 or edges. Got {bins!r} instead.")
    cut = equal_bins(declared, name, bins) if isinstance(bins, int) else None
    cells = edge_bins(declared, name, list(bins)) if cut is None else cut  # type: ignore[arg-type]
    return _table_query("histogram", declared, cells, payment)


def _table_query(function: str, declared: Declared, bins: Bins, payment: Payment) -> Query:
    cost = payment.counts

    def release(source: PrivateTable) -> list[int]:
        counts = source.tables([bins], [(bins.name,)])[(bins.name,)]
        return noisy_counts(counts, cost).tolist()  # type: ignore[no-any-return]

    def read(noisy: list[int]) -> dict[str, Any]:
        answer = around(bins.labels, noisy, noise_quantile(cost, LEVEL))
        notes = ["Each interval holds with a chance of 95 %; not all of them at once."]
        if bins.numeric:
            notes.append("Numbers beyond the declared range count in the first or last cell.")
        return {**answer, "noise_sd": noise_sd(cost), "notes": tuple(notes)}

    details: dict[str, Any] = {"declared": declared.only([bins.name]).to_dict()}
    if bins.numeric:
        details["edges"] = list(bins.edges)
    return Query(function, (bins.name,), details, cost, release, read)


def mean_query(declared: Declared, name: str, payment: Payment) -> Query:
    """Ask for the mean of a numeric attribute, numbers beyond the declared range clamped.

    Each value becomes a whole number of half cells from the middle of the declared range. Three
    quarters of the payment buy the sum of these, a quarter the number of values.
    """
    grid = full_bins(declared, name, _GRID)
    if not grid.numeric:
        raise ParameterError(f"'{name}' must be numeric for a mean. It has categories.")
    middles = grid.middles
    centre = (middles[0] + middles[-1]) / 2
    unit = max(float(np.diff(grid.edges).min()) / 2, float(np.ptp(middles)) / (4 * _GRID)) or 1.0
    steps = np.rint((middles - centre) / unit).astype(np.int64)
    reach = max(int(np.abs(steps).max()), 1)
    parts = [part.counts for part in payment.split(3, 1)]

    def release(source: PrivateTable) -> list[int]:
        counts = source.tables([grid], [(name,)])[(name,)][: grid.n_cells]
        total = np.array([counts @ steps], dtype=np.int64)
        rows = np.array([counts.sum()], dtype=np.int64)
        noisy = noisy_counts(total, parts[0], reach), noisy_counts(rows, parts[1])
        return [int(numbers[0]) for numbers in noisy]

    off = float(np.max(grid.highs - grid.lows)) / 2 + unit / 2
    if grid.integer and grid.n_cells == len(np.arange(grid.edges[0], grid.edges[-1])):
        off = 0.0

    def read(released: list[int]) -> dict[str, Any]:
        means = _ratio(released[0], released[1], parts, reach)
        ends = float(grid.lows[0]), float(grid.highs[-1])
        value, low, high = (centre + unit * number for number in means)
        rows = max(released[1], 1)
        sd = unit * float(np.hypot(noise_sd(parts[0], reach), means[0] * noise_sd(parts[1])) / rows)
        return {
            "values": {"value": float(np.clip(value, *ends))},
            "intervals": {"value": (max(low - off, ends[0]), min(high + off, ends[1]))},
            "noise_sd": sd,
            "notes": ("Numbers beyond the declared range count at its ends.",),
        }

    details = {"declared": declared.only([name]).to_dict(), "grid": grid.n_cells}
    return Query("mean", (name,), details, sequential(parts), release, read)


def _ratio(total: int, rows: int, parts: list[Cost], reach: int) -> tuple[float, float, float]:
    """Divide a noisy sum by a noisy count, with the interval of Fieller.

    The means m that are kept are those for which ``total - m rows``, which is noise alone at the
    true mean, lies within the reach of that noise.
    """
    value = float(np.clip(total / rows, -reach, reach)) if rows > 0 else 0.0
    low, high = -float(reach), float(reach)
    means, width = np.append(np.linspace(low, high, 401), value), reach / 200
    for _ in range(4):  # look again, more closely, where the ends are
        kept = means[np.abs(total - means * rows) <= _noise_reach(parts, reach, means)]
        if not len(kept):
            kept = np.array([value])
        low = max(float(kept.min()) - width, -reach)
        high = min(float(kept.max()) + width, reach)
        ends = [np.linspace(end, end + width, 41) for end in (low, high - width)]
        means, width = np.concatenate([*ends, [value]]), width / 40
    # a count that noise made negative says nothing of the mean; the interval still holds
    return min(max(value, low), high), low, high


def _noise_reach(parts: list[Cost], reach: int, means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the noise of ``total - m rows`` stays within, with a chance of 95 %."""
    scales = [part.events[0].scale for part in parts]
    first, second = scales[0] * reach, np.maximum(np.abs(means) * scales[1], 1e-12)
    if parts[0].events[0].noise == "gaussian":
        both: NDArray[np.float64] = 1.959964 * np.hypot(first, second) + 1.0
        return both
    # P(|X + Y| > t) of two Laplace variables, solved for t by halving
    second = np.where(np.abs(second / first - 1) < 1e-6, first * (1 + 1e-6), second)
    low, high = np.zeros_like(second), 10 * (first + second)
    for _ in range(40):
        middle = (low + high) / 2
        tail = first**2 * np.exp(-middle / first) - second**2 * np.exp(-middle / second)
        beyond = tail / (first**2 - second**2) > 1 - LEVEL
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return high + 1.0

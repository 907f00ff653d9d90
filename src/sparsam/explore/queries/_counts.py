"""Questions whose answers are counts: rows, missing values, categories, histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.explore._answers import LEVEL
from sparsam.explore._bins import Bins, edge_bins, equal_bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._noise import noise_quantile, noise_sd, noisy_counts
from sparsam.explore._source import Source
from sparsam.explore.queries._queries import Payment, Query, around


def count_query(payment: Payment) -> Query:
    """Ask for the number of rows."""
    cost = payment.counts

    def release(source: Source) -> list[int]:
        rows: NDArray[np.int64] = source.tables([], [()])[()]
        return noisy_counts(rows.reshape(1), cost).tolist()  # type: ignore[no-any-return]

    def read(noisy: list[int]) -> dict[str, Any]:
        found = around(["value"], noisy, noise_quantile(cost, LEVEL))
        return {**found, "noise_sd": noise_sd(cost)}

    return Query("count", (), {}, cost, release, read)


def missing_query(declared: Declared, name: str, payment: Payment) -> Query:
    """Ask for the number of missing values of an attribute."""
    bins = full_bins(declared, name, 1)
    if bins.missing_cell is not None:
        raise ParameterError(
            f"'{name}' must tell missing values apart. Its generalization does not."
        )
    cost = payment.counts

    def release(source: Source) -> list[int]:
        counts = source.tables([bins], [(name,)])[(name,)]
        return noisy_counts(counts[-1:], cost).tolist()  # type: ignore[no-any-return]

    def read(noisy: list[int]) -> dict[str, Any]:
        found = around(["value"], noisy, noise_quantile(cost, LEVEL))
        notes = ("A number that cannot be read counts as missing.",) if bins.numeric else ()
        return {**found, "noise_sd": noise_sd(cost), "notes": notes}

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

    def release(source: Source) -> list[int]:
        counts = source.tables([bins], [(bins.name,)])[(bins.name,)]
        return noisy_counts(counts, cost).tolist()  # type: ignore[no-any-return]

    def read(noisy: list[int]) -> dict[str, Any]:
        found = around(bins.labels, noisy, noise_quantile(cost, LEVEL))
        notes = ["Each interval holds with a chance of 95 %; not all of them at once."]
        if bins.numeric:
            notes.append("Numbers beyond the declared range count in the first or last cell.")
        return {**found, "noise_sd": noise_sd(cost), "notes": tuple(notes)}

    details: dict[str, Any] = {"declared": declared.only([bins.name]).to_dict()}
    if bins.numeric:
        details["edges"] = list(bins.edges)
    return Query(function, (bins.name,), details, cost, release, read)

"""How many share a published record: bins that give nobody away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.report.plot._scale import round_step

_MOST_BINS = 14
_USUAL = 0.97


def size_bins(sizes: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Count the published records by the rows that share them.

    The few largest classes are one bin. Sizes of fewer than five are one bin too, and a bin in
    which fewer than five people are is joined with the next.

    Parameters
    ----------
    sizes : ndarray of int
        Rows of every class.

    Examples
    --------
    >>> [(b["low"], b["high"], b["rows"]) for b in size_bins(np.array([10, 10, 11, 300]))]
    [(10, 10, 20), (11, 11, 11), (12, None, 300)]
    """
    edges = _edges(np.sort(sizes))
    first, *others = (
        _bin(sizes, low, high) for low, high in zip(edges, [*edges[1:], math.inf], strict=True)
    )
    while others and first["rows"] < SMALLEST_COUNT:
        first = _joined(first, others.pop(0))
    if first["rows"] < SMALLEST_COUNT:
        return []
    while others and not others[-1]["records"]:
        others.pop()
    bins = [first, *others]
    if bins[-1]["high"] is not None:
        # Sizes of fewer than five are not told apart, the largest of them neither.
        largest = max(int(sizes.max()), SMALLEST_COUNT - 1)
        bins[-1]["high"] = min(bins[-1]["high"], largest)
    return bins


def _edges(ordered: NDArray[np.int64]) -> list[int]:
    """Where bins begin, at round sizes, the last one open."""
    least = int(ordered[0])
    usual = int(ordered[int(_USUAL * (len(ordered) - 1))])
    start = max(least, SMALLEST_COUNT)
    step = max(1, round(round_step(max(1, usual + 1 - start) / _MOST_BINS)))
    base = start // step * step
    rest = range(base + step, usual + step + 1, step)
    low = [1] if least < SMALLEST_COUNT else []
    return sorted({*low, max(base, start), *rest})


def _bin(sizes: NDArray[np.int64], low: int, high: float) -> dict[str, Any]:
    inside = sizes[(sizes >= low) & (sizes < high)]
    return {
        "low": low,
        "high": None if math.isinf(high) else int(high) - 1,
        "records": len(inside),
        "rows": int(inside.sum()),
    }


def _joined(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "low": lower["low"],
        "high": upper["high"],
        "records": lower["records"] + upper["records"],
        "rows": lower["rows"] + upper["rows"],
    }


def size_words(bin_: Mapping[str, Any]) -> str:
    """Name a bin, without telling apart sizes of fewer than five.

    Examples
    --------
    >>> size_words({"low": 10, "high": 19, "records": 1, "rows": 12})
    '10–19'
    >>> size_words({"low": 2, "high": 4, "records": 3, "rows": 9})
    'fewer than 5'
    """
    low, high = bin_["low"], bin_["high"]
    if high is None:
        return f"{low:,} and more" if low >= SMALLEST_COUNT else "any number"
    if low < SMALLEST_COUNT:
        return f"fewer than {high + 1:,}"
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"

"""A mask without its people: rows of many people each, as plain shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import SMALLEST_COUNT, publish_share, share_step

MOST_ROWS = 150
MOST_COLUMNS = 128
FEWEST_PEOPLE = 10

Bits = NDArray[np.bool_]


def picture_of(kept: Bits) -> dict[str, Any]:
    """Sort people by how much is kept of them and by what, and take means over blocks of them.

    Examples
    --------
    >>> picture = picture_of(np.repeat([[True, False], [True, True]], 10, axis=0))
    >>> picture["people_per_row"], picture["rows"]
    (10, [[1.0, 1.0], [1.0, 0.0]])
    """
    people, wide = kept.shape
    n_rows = max(1, min(MOST_ROWS, people // FEWEST_PEOPLE))
    n_columns = min(MOST_COLUMNS, wide)
    blocks = np.array_split(kept[_by_pattern(kept)], n_rows)
    means = np.array([block.mean(0) for block in blocks])
    columns = np.column_stack([part.mean(1) for part in np.array_split(means, n_columns, axis=1)])
    # Blocks differ by one person at most. A share tells of five people or more.
    step = max(0.01, share_step(people // n_rows))
    return {
        "people_per_row": people // n_rows,
        "attributes_per_column": -(-wide // n_columns),
        "rows": (np.round(columns / step) * step).round(2).tolist(),
    }


def _by_pattern(kept: Bits) -> NDArray[np.intp]:
    """Sort people by how many values are kept, the most first, and then by which."""
    less = (kept.shape[1] - kept.sum(1)).astype(">u4")
    # one text of bytes for each person, so that any number of attributes is one key
    keys = np.hstack([less[:, None].view(np.uint8), np.packbits(~kept, axis=1)])
    order: NDArray[np.intp] = np.argsort(keys.view(f"S{keys.shape[1]}").ravel(), kind="stable")
    return order


def kept_attributes(kept: Bits, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the share of people whose value of each attribute is kept, the most kept first."""
    counts, people = kept.sum(0), len(kept)
    order = np.argsort(-counts, kind="stable")
    return [_attribute(names[j], int(counts[j]), people) for j in order]


def _attribute(name: str, count: int, people: int) -> dict[str, Any]:
    if 0 < count < SMALLEST_COUNT:
        return {"name": name, "share": None, "words": "fewer than 5 people"}
    if 0 < people - count < SMALLEST_COUNT:
        return {"name": name, "share": None, "words": "all but fewer than 5 people"}
    words = {0: "nobody", people: "everybody"}.get(count, "")
    # rounded, so that what is withheld cannot be worked out from the total
    return {"name": name, "share": publish_share(count / people, people), "words": words}


def kept_people(kept: Bits) -> list[dict[str, Any]]:
    """Return how many people keep how many values; bins of few people go with the next one.

    Examples
    --------
    >>> kept_people(np.repeat([[True, False], [True, True]], [2, 9], axis=0))
    [{'low': 1, 'high': 2, 'people': 11}]
    """
    counts = np.bincount(kept.sum(1))
    bins: list[dict[str, Any]] = []
    low, people = None, 0
    for values, count in enumerate(counts.tolist()):
        if not count and not people:
            continue
        low = values if low is None else low
        people += count
        if people >= SMALLEST_COUNT:
            bins.append({"low": low, "high": values, "people": people})
            low, people = None, 0
    if people and bins:
        bins[-1] |= {"high": len(counts) - 1, "people": bins[-1]["people"] + people}
    return bins

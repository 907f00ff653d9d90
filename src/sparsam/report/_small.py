"""Counts of few people become words, whatever they are part of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sparsam.report._data import Count

SMALLEST_COUNT = 5
FEWER = f"fewer than {SMALLEST_COUNT}"


def few(count: Count) -> bool:
    """Tell whether a number stands for one to four people.

    Examples
    --------
    >>> few(3), few(0), few(5), few("fewer than 5")
    (True, False, False, False)
    """
    return isinstance(count, int) and 0 < count < SMALLEST_COUNT


def suppress(count: Count) -> Count:
    """Replace a count of one to four people by words.

    Examples
    --------
    >>> suppress(3), suppress(0), suppress(12)
    ('fewer than 5', 0, 12)
    """
    return FEWER if few(count) else count


def suppress_nested(counts: Sequence[Count], total: Count = None) -> list[Count]:
    """Suppress counts each of which includes those before it, and their differences too.

    Two published counts that lie one to four people apart would give these people away, as would
    the last one beside the total.

    Parameters
    ----------
    counts : sequence of int
        In ascending order.
    total : int, optional
        Everyone, where that is published as well.

    Examples
    --------
    >>> suppress_nested([3, 4, 30, 32, 60])
    ['fewer than 5', 'fewer than 5', 30, 'fewer than 35', 60]
    >>> suppress_nested([40, 48], total=50)
    [40, None]
    """
    last = 0
    published: list[Count] = []
    for count in counts:
        if isinstance(count, int) and few(count - last):
            published.append(f"fewer than {last + SMALLEST_COUNT}")
        else:
            last = count if isinstance(count, int) else last
            published.append(count)
    if isinstance(total, int) and few(total - last) and last:
        published = [None if count == last else count for count in published]
    return published


def plain(value: Any) -> Any:
    """Rebuild a value from dict, list, str, int, float, bool and None."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)

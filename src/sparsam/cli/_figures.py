"""Published figures in a terminal: a dash for what may not be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

UNTOLD = "–"


def figure(value: float | None) -> str:
    """Write an error.

    Examples
    --------
    >>> figure(0.25), figure(None)
    ('0.250', '–')
    """
    return UNTOLD if value is None else f"{value:.3f}"


def figure_range(ends: Sequence[float | None] | None) -> str:
    """Write an interval of errors.

    Examples
    --------
    >>> figure_range([0.2, 0.3])
    '0.200–0.300'
    """
    return UNTOLD if ends is None else f"{figure(ends[0])}–{figure(ends[1])}"


def percent(value: float | None, decimals: int = 0) -> str:
    """Write a share.

    Examples
    --------
    >>> percent(0.237), percent(0.237, 1), percent(None)
    ('24%', '23.7%', '–')
    """
    return UNTOLD if value is None else f"{value:z.{decimals}%}"


def accuracy(utility: Mapping[str, Any]) -> str:
    """Write the accuracy that a published error leaves.

    Examples
    --------
    >>> accuracy({"error": 0.2})
    '80.0%'
    """
    error = utility["error"]
    return percent(None if error is None else 1 - error, 1)


def whole(count: int | str | None) -> str:
    """Write a count of people, which may be words.

    Examples
    --------
    >>> whole(20000), whole("fewer than 5"), whole(None)
    ('20,000', 'fewer than 5', '–')
    """
    if count is None:
        return UNTOLD
    return count if isinstance(count, str) else f"{count:,}"

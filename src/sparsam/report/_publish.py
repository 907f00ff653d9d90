"""What may leave the house: small counts of people become words, gaps become None."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from sparsam._errors import ParameterError
from sparsam.report._data import Count, ReportData

SMALLEST_COUNT = 5
FEWER = f"fewer than {SMALLEST_COUNT}"


def publishable(data: ReportData) -> ReportData:
    """Copy the data so that no number in it stands for fewer than five people.

    The copy holds plain JSON values only (tuples become lists, NaN becomes None), so that the page,
    the Markdown and the JSON are all made from the same, already safe, data.

    Parameters
    ----------
    data : ReportData
        The data as it was measured; it is not changed.

    Returns
    -------
    ReportData
    """
    safe = cast(ReportData, _plain(data))
    if safe["chosen"] not in {point["id"] for point in safe["points"]}:
        raise ParameterError(
            "The 'chosen' entry of a report must be the id of one of its points. "
            f"Got {safe['chosen']!r} instead, with {len(safe['points'])} points."
        )
    for point in safe["points"]:
        classes = point["classes"]
        classes["smallest"] = suppress(classes["smallest"])
        classes["alone"] = suppress(classes["alone"])
        classes["under"] = {size: suppress(count) for size, count in classes["under"].items()}
    return safe


def suppress(count: Count) -> Count:
    """Replace a count of one to four people by words.

    Examples
    --------
    >>> suppress(3), suppress(0), suppress(12)
    ('fewer than 5', 0, 12)
    """
    if isinstance(count, int) and 0 < count < SMALLEST_COUNT:
        return FEWER
    return count


def _plain(value: Any) -> Any:
    """Rebuild a value from dict, list, str, int, float, bool and None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)

"""What one raw value means before it is put into a bucket."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np

from sparsam.data import Category

_MISSING_TYPES: Final = frozenset({"NAType", "NaTType"})


def plain(value: Any) -> Category | None:
    """Turn a value of any library into text, a number, a truth value, or None for missing.

    Parameters
    ----------
    value : object
        None, NaN, NaT and pandas' NA mean missing.

    Returns
    -------
    str, int, float, bool or None

    Raises
    ------
    TypeError
        The value is none of these: a date, a list, bytes.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.int64(3)), plain(np.bool_(True)), plain(float("nan"))
    (3, True, None)
    """
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Decimal | Fraction):
        value = float(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    msg = f"text, a number or a truth value was expected, {type(value).__name__} came"
    raise TypeError(msg)


def as_double(value: float) -> float:
    """Round a number to a 64-bit float, as SQL and JavaScript do before they compare.

    Examples
    --------
    >>> as_double(2**53 + 1) == 2.0**53, as_double(10**400)
    (True, inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def category_key(category: Category) -> tuple[bool, Category]:
    """Tell True from 1, which Python holds for equal; 1 and 1.0 stay the same category.

    Examples
    --------
    >>> category_key(1) == category_key(1.0), category_key(1) == category_key(True)
    (True, False)
    """
    return isinstance(category, bool), category

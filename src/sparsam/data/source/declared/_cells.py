"""One cell of a table as a number or as a text, whatever it holds."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from sparsam._errors import DataError
from sparsam.data._domain import Category


def read_number(value: object) -> float:
    """Read one cell as a number; NaN where it is none.

    Examples
    --------
    >>> read_number(" 12 "), read_number(True), read_number("twelve")
    (12.0, 1.0, nan)
    """
    if isinstance(value, str):
        value = value.strip()
        if "_" in value or not value.isascii():  # what only Python takes for a number
            return np.nan
    elif not isinstance(value, numbers.Real | Decimal | np.bool_):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf  # type: ignore[operator]
    except (ValueError, TypeError, ArithmeticError):
        return np.nan


def member_texts(name: str, members: Sequence[Category]) -> dict[str, int]:
    """Every text that stands for a member, and the member's place.

    Examples
    --------
    >>> member_texts("x", ["a", 1, True])
    {'a': 0, '1': 1, '1.0': 1, 'true': 2, 'True': 2}
    """
    places: dict[str, int] = {}
    for place, member in enumerate(members):
        for text in _texts(member):
            if places.setdefault(text, place) != place:
                raise DataError(
                    f"The categories of '{name}' must differ as text. Two of them do not."
                )
    return places


def _texts(member: Category) -> tuple[str, ...]:
    if isinstance(member, bool):
        return ("true", "True") if member else ("false", "False")
    if isinstance(member, int):
        return (str(member), f"{member}.0")
    return (member,) if isinstance(member, str) else (repr(member),)


def text_of(value: object) -> str | None:
    """Write one cell as the text that members are known by; None for a missing one."""
    if isinstance(value, str):
        return str(value)
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real | Decimal):
        number = read_number(value)
        if np.isnan(number):
            return None
        return str(int(number)) if number.is_integer() else repr(number)
    if isinstance(value, datetime.date | datetime.time | np.datetime64):
        return None if isinstance(value, np.datetime64) and np.isnat(value) else str(value)
    return "\0"  # nothing that a category can be

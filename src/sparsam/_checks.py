"""Refuse parameters that nothing can work with, and say what was expected: for every folder."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable
from numbers import Integral, Real

import numpy as np

from sparsam._errors import ParameterError, RoleError


def is_number(value: object) -> bool:
    """Whether a value is a finite number, of Python or of numpy, and no truth value."""
    number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return number and math.isfinite(float(value))  # type: ignore[arg-type]


def check_whole(
    owner: str, name: str, value: object, lowest: int, highest: int | None = None
) -> None:
    """Raise unless a parameter is a whole number in a range.

    Parameters
    ----------
    owner, name : str
        The class or the function, and its parameter.
    value : object
    lowest : int
    highest : int, optional
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    number = int(value) if whole else lowest - 1  # type: ignore[call-overload]
    if number < lowest or (highest is not None and number > highest):
        fits = f"an int >= {lowest}" if highest is None else f"an int from {lowest} to {highest}"
        raise wrong_parameter(owner, name, fits, value)


def check_share(owner: str, name: str, value: object, *, above: bool = False) -> None:
    """Raise unless a parameter is a number between 0 and 1; with `above`, not 0 itself."""
    if not is_number(value) or not 0 <= float(value) <= 1 or (above and value == 0):  # type: ignore[arg-type]
        raise wrong_parameter(owner, name, f"a float in {'(' if above else '['}0, 1]", value)


def check_number(owner: str, name: str, value: object, *, above: bool = False) -> None:
    """Raise unless a parameter is a finite number of at least 0; with `above`, not 0 itself."""
    if not is_number(value) or float(value) < 0 or (above and value == 0):  # type: ignore[arg-type]
        raise wrong_parameter(owner, name, f"a float {'>' if above else '>='} 0", value)


def check_choice(owner: str, name: str, value: object, choices: Collection[str]) -> None:
    """Raise unless a parameter is one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise wrong_parameter(owner, name, f"one of {tuple(choices)}", value)


def wrong_parameter(owner: str, name: str, expected: str, value: object) -> ParameterError:
    """Make the error for a parameter that must be something else."""
    return ParameterError(
        f"The '{name}' parameter of {owner} must be {expected}. Got {value!r} instead."
    )


def check_names(
    names: Iterable[str], known: Collection[str], role: str | None = None, what: str = "a column"
) -> None:
    """Refuse the first name that is not known, and suggest the one that was probably meant.

    Examples
    --------
    >>> check_names(["emploed"], ["age", "employed"])
    Traceback (most recent call last):
    ...
    sparsam._errors.RoleError: 'emploed' is not a column. Did you mean 'employed'?
    """
    for name in names:
        if name not in known:
            where = f" (role '{role}')" if role else ""
            raise RoleError(f"'{name}' is not {what}{where}.{suggestion(name, known)}")


def suggestion(name: str, known: Collection[str]) -> str:
    """Return a sentence with the nearest known name, or with the first few of them."""
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f" Did you mean '{near[0]}'?"
    listed = ", ".join(f"'{other}'" for other in list(known)[:10])
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return f" There are {listed}{more}." if known else " There is none."

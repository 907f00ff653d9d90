"""Refuse parameters that nothing can work with, and say what was expected: for every folder."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real

import numpy as np

from sparsam._errors import ParameterError


def is_number(value: object) -> bool:
    """Whether a value is a finite number, of Python or of numpy, and no truth value."""
    number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return number and math.isfinite(float(value))  # type: ignore[arg-type]


def check_whole(owner: str, name: str, value: object, lowest: int) -> None:
    """Raise unless a parameter is a whole number that is large enough.

    Parameters
    ----------
    owner, name : str
        The class or the function, and its parameter.
    value : object
    lowest : int
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < lowest:
        raise wrong_parameter(owner, name, f"an int >= {lowest}", value)


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

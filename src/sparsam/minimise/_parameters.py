"""Refuse parameters that no minimiser can work with, and say what was expected."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral, Real

from sparsam._errors import ParameterError


def check_whole(owner: str, name: str, value: object, lowest: int) -> None:
    """Raise unless a parameter is a whole number that is large enough.

    Parameters
    ----------
    owner, name : str
        The class and its parameter.
    value : object
    lowest : int
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < lowest:
        raise _unlike(owner, name, f"an int >= {lowest}", value)


def check_share(owner: str, name: str, value: object) -> None:
    """Raise unless a parameter is a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise _unlike(owner, name, "a float in [0, 1]", value)


def check_choice(owner: str, name: str, value: object, choices: Collection[str]) -> None:
    """Raise unless a parameter is one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise _unlike(owner, name, f"one of {tuple(choices)}", value)


def _unlike(owner: str, name: str, expected: str, value: object) -> ParameterError:
    return ParameterError(
        f"The '{name}' parameter of {owner} must be {expected}. Got {value!r} instead."
    )

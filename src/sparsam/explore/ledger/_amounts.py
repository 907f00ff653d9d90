"""Exact amounts of privacy: whole numbers of a billionth, never sums of floats."""

from __future__ import annotations

import math
import operator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal

from sparsam._errors import ParameterError

NANO = 10**9
# SQLite counts to 9.2e18; a budget beyond this promises nothing anyway.
_MOST = 10**9
_MOST_DIGITS = 400

Amount = int | float | str | Decimal | Fraction
Unit = Literal["epsilon", "rho"]


def exact(value: Amount, name: str = "amount") -> Fraction:
    """Return a number at the value that is written, so that ten times 0.1 is one.

    Parameters
    ----------
    value : int, float, str, Decimal or Fraction
        A float counts as the shortest decimal that stands for it.
    name : str, default="amount"
        What the number is called in an error.

    Returns
    -------
    Fraction

    Examples
    --------
    >>> exact(0.1) * 10 == 1
    True
    >>> exact("1e-6")
    Fraction(1, 1000000)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or value is None:
        raise _wrong(name, "a number", value)
    try:
        if isinstance(value, float):
            number = Decimal(repr(float(value)))
        elif isinstance(value, str | Decimal):
            number = Decimal(value)
        else:
            number = Decimal(operator.index(value))
    except (InvalidOperation, TypeError, ValueError):
        raise _wrong(name, "a number", value) from None
    # A decimal like 1e999999999 would need gigabytes as a fraction.
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise _wrong(name, "a finite number", value)
    return Fraction(number)


def positive(value: Amount, name: str = "amount") -> Fraction:
    """Return a number exactly; it must be above zero and at most a billion.

    Examples
    --------
    >>> positive(0.25)
    Fraction(1, 4)
    """
    number = exact(value, name)
    if not 0 < number <= _MOST:
        raise _wrong(name, "above 0 and at most 1e9", value)
    return number


def nano_up(value: Amount, name: str = "amount") -> int:
    """Return a cost in billionths, rounded up.

    Parameters
    ----------
    value : int, float, str, Decimal or Fraction
        Above zero.
    name : str, default="amount"
        What the number is called in an error.

    Returns
    -------
    int

    Examples
    --------
    >>> 10 * nano_up(0.1) == nano_up(1)
    True
    >>> nano_up("1e-12")
    1
    """
    return math.ceil(positive(value, name) * NANO)


def nano_down(value: Amount, name: str = "amount") -> int:
    """Return a budget in billionths, rounded down; see `nano_up`.

    Examples
    --------
    >>> nano_down("0.0000000019")
    1
    """
    return math.floor(positive(value, name) * NANO)


def nano_text(nano: int) -> str:
    """Write billionths as a decimal, exactly.

    Examples
    --------
    >>> nano_text(20_000_000), nano_text(NANO), nano_text(1)
    ('0.02', '1', '0.000000001')
    """
    sign, (whole, rest) = "-" if nano < 0 else "", divmod(abs(nano), NANO)
    return f"{sign}{whole}.{rest:09d}".rstrip("0").rstrip(".")


def float_up(value: Fraction) -> float:
    """Return the least float that is not below a number.

    Examples
    --------
    >>> Fraction(float_up(Fraction(1, 3))) >= Fraction(1, 3)
    True
    """
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def _wrong(name: str, wanted: str, value: object) -> ParameterError:
    return ParameterError(f"The '{name}' must be {wanted}. Got {value!r} instead.")

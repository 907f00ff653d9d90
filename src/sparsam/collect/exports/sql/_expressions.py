"""Small pieces of SQL that every dialect shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

from sqlglot import exp

from sparsam._documents import SAFE_INTEGER

Expression = Any  # the classes of sqlglot are called otherwise in each of its versions

_EXACT_DIGITS: Final = 15  # so many digits of a decimal survive in a double on every engine
_EXACT_POWER: Final = 22  # and a power of ten up to this one is a double


def column(name: str) -> Expression:
    """A column by exactly this name."""
    return exp.column(exp.to_identifier(name, quoted=True))


def call(function: str, *arguments: Expression) -> Expression:
    """A function that sqlglot must not translate."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def cast(value: Expression, kind: str) -> Expression:
    """A value as another type, by sqlglot's name of it."""
    return exp.Cast(this=value, to=exp.DataType.build(kind))


def try_cast(value: Expression, kind: str) -> Expression:
    """A value as another type, null where that is not possible."""
    return exp.TryCast(this=value, to=exp.DataType.build(kind))


def text(value: str) -> Expression:
    """A text."""
    return exp.Literal.string(value)


def is_null(value: Expression) -> Expression:
    """Whether a value is null."""
    return exp.Is(this=value.copy(), expression=exp.Null())


def among(value: Expression, members: Sequence[Expression]) -> Expression:
    """Whether a value is one of several."""
    return exp.In(this=value.copy(), expressions=list(members))


def when(condition: Expression, value: Expression) -> Expression:
    """A value where a condition holds, null elsewhere."""
    return exp.Case(ifs=[exp.If(this=condition, true=value)])


def number(value: float) -> Expression:
    """A number that every engine reads as the same double.

    Examples
    --------
    >>> [number(value).sql() for value in (17.0, -0.5, 0.1, 1 / 3, 1e300)]
    ['17', '-0.5', '0.1', '3.333333333333333e-1', '1e300']
    """
    value = float(value)
    if value.is_integer() and abs(value) <= SAFE_INTEGER:
        return _signed(value, str(abs(int(value))))
    exact = Decimal(repr(abs(value)))
    _, digits, exponent = exact.as_tuple()
    if len(digits) <= _EXACT_DIGITS and -_EXACT_POWER <= int(exponent) <= 0:
        return _signed(value, f"{exact:f}")
    # with a power it is a double from the first, and no decimal that is made one later
    first, *rest = map(str, digits)
    more = "".join(rest).rstrip("0")
    return _signed(value, f"{first}{'.' * bool(more)}{more}e{exact.adjusted()}")


def _signed(value: float, digits: str) -> Expression:
    literal = exp.Literal.number(digits)
    return exp.Neg(this=literal) if value < 0 else literal


def fraction(value: float) -> Expression:
    """A number made by exact arithmetic, for an engine that does not read every decimal exactly.

    Examples
    --------
    >>> [fraction(value).sql("sqlite") for value in (17.0, 37.5, 0.1)]
    ['17', '37.5', '(CAST(3602879701896397 AS REAL) / 36028797018963968) /* 0.1 */']
    """
    value = float(value)
    plain = number(value)
    if value == 0 or Decimal(abs(value)) == Decimal(plain.name or plain.this.name):
        return plain
    mantissa, power = math.frexp(value)
    whole, power = int(mantissa * 2**53), power - 53
    while whole % 2 == 0:
        whole, power = whole // 2, power + 1
    expression = cast(number(whole), "double")
    while power:
        step = min(abs(power), 62)
        other = number(2**step) if 2**step <= SAFE_INTEGER else exp.Literal.number(str(2**step))
        if power < 0:
            expression = exp.Div(this=expression, expression=other, typed=True, safe=True)
        else:
            expression = exp.Mul(this=expression, expression=other)
        power += step if power < 0 else -step
    exact = exp.Paren(this=expression)
    exact.comments = [repr(value)]
    return exact


MOST_BRANCHES: Final = 64
"""More branches than that are put into branches of branches: engines refuse deep or long ones."""


def decide(
    count: int,
    condition: Callable[[int, int], Expression],
    result: Callable[[int], Expression],
    otherwise: Expression | None,
    first: int = 0,
) -> Expression:
    """One of several results, each behind a condition.

    Parameters
    ----------
    count : int
        How many results there are.
    condition : callable
        Of two numbers: whether the result is one from the first up to, not including, the second,
        given that it is none before.
    result : callable
        The result of a number.
    otherwise : Expression or None
        Where no condition holds; None where the last result is right then.
    first : int, default=0
        The number of the first result.
    """
    if count == 0:
        return exp.Null() if otherwise is None else otherwise.copy()
    size = 1
    while size * MOST_BRANCHES < count:
        size *= MOST_BRANCHES
    ends = [*range(first + size, first + count, size), first + count]

    def inner(start: int, end: int) -> Expression:
        if end - start == 1:
            return result(start)
        return decide(end - start, condition, result, otherwise, start)

    starts = [first, *ends[:-1]]
    branches = list(zip(starts, ends, strict=True))
    last = None if otherwise is not None else branches.pop()
    if not branches and last is not None:
        return inner(*last)
    ifs = [exp.If(this=condition(*branch), true=inner(*branch)) for branch in branches]
    default = inner(*last) if last is not None else otherwise
    return exp.Case(ifs=ifs, default=None if default is None else default.copy())

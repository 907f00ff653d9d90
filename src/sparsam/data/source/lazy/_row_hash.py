"""A keyed hash of every row, added up: what tells one table from another in whatever order it is.

A row becomes a text in which no two different rows look alike: its cells in the order of the
columns' names, each with a sign for what it is, a text with its length before it. The 128 bits of
the MD5 of a key and this text are added up over the rows in two halves. Who does not know the key
cannot know the hash of any row, so that no tables can be found that give the same sums.

The text is the same in Python, in DuckDB and in Spark. Their texts of 64-bit floats are not, so
these are written by arithmetic that every engine does exactly: scaled by a power of two into a
whole part and a rest of 62 bits.
"""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Iterable, Sequence
from decimal import Decimal
from hashlib import md5
from typing import Any, Literal, NamedTuple

import numpy as np

from sparsam.data.source.lazy._sql import Dialect

CellKind = Literal["whole", "float", "decimal", "truth", "text"]
GONE = "-"
# A float is scaled by a power of two to the power of this, so that a 64-bit integer holds it.
_STEP = 60
_LEAST, _GREATEST = -17, 17
_REST = 62
_WHOLE = 2.0**63
_HALF = 16
# As many digits tell any two decimal numbers apart as 64-bit floats.
EXACT_DIGITS = 15


class RowSums(NamedTuple):
    """How many rows there are, and the sums of the halves of their hashes.

    Attributes
    ----------
    n_rows, first, second : int
    """

    n_rows: int
    first: int
    second: int

    def __add__(self, other: Any) -> RowSums:
        return RowSums(*(mine + its for mine, its in zip(self, other, strict=True)))


NO_ROWS = RowSums(0, 0, 0)


def sum_of(answer: Sequence[Any]) -> RowSums:
    """Return the sums that an engine gave; of no rows it gives null."""
    return RowSums(*(int(number or 0) for number in answer))


def row_sums(columns: Sequence[Iterable[str]], key: str) -> RowSums:
    """Add up the hashes of rows in memory.

    Parameters
    ----------
    columns : sequence of iterables of str
        Their cells, as `cell_text` writes them.
    key : str

    Examples
    --------
    >>> both = row_sums([["n30;", "n41;"], ["t1:f;", "-;"]], "key")
    >>> both == row_sums([["n41;", "n30;"], ["-;", "t1:f;"]], "key")
    True
    """
    sums, start = NO_ROWS, md5(key.encode(), usedforsecurity=False)
    for cells in zip(*columns, strict=True):
        row = start.copy()
        row.update("".join(cells).encode(errors="surrogatepass"))
        both = row.digest()
        halves = (int.from_bytes(both[:8], "big"), int.from_bytes(both[8:], "big"))
        sums += RowSums(1, *halves)
    return sums


def cell_text(value: object) -> str:
    """Write a cell as it is hashed.

    Examples
    --------
    >>> [cell_text(value) for value in (30, 30.0, True, "30", 0.5, None)]
    ['n30', 'n30', 'n1', 't2:30', 'n+576460752303423488.0e-1', '-']
    """
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return GONE
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, numbers.Integral | np.bool_):
        return f"n{int(value)}"
    if isinstance(value, numbers.Real):
        return _number(float(value))
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, np.datetime64):
        return GONE if np.isnat(value) else _text(_trimmed(_moment(value)))
    if isinstance(value, datetime.date | datetime.time):
        return _text(_trimmed(str(value)))
    return _text(repr(value))


def _text(text: str) -> str:
    return f"t{len(text.encode(errors='surrogatepass'))}:{text}"


def _number(number: float) -> str:
    if math.isnan(number):
        return GONE
    if math.isinf(number):
        return "n+inf" if number > 0 else "n-inf"
    size = abs(number)
    if -_WHOLE <= number < _WHOLE and number == math.floor(number):
        return f"n{int(number)}"
    step = max((math.frexp(size)[1] - 1) // _STEP, _LEAST)
    scaled = math.ldexp(size, -_STEP * step)
    whole = math.floor(scaled)
    rest = math.floor(math.ldexp(scaled - whole, _REST))
    return f"n{'-' if number < 0 else '+'}{whole}.{rest}e{step}"


def _decimal(number: Decimal) -> str:
    if not number.is_finite():
        return _number(float(number))
    if number == int(number):
        return f"n{int(number)}"
    digits = len(number.normalize().as_tuple().digits)
    return _number(float(number)) if digits <= EXACT_DIGITS else f"n{number.normalize():f}"


def _moment(value: np.datetime64) -> str:
    day, _, time = str(value).partition("T")
    if not time:  # a date
        return day
    whole, _, part = time.partition(".")
    return f"{day} {whole + ':00:00'[len(whole) - 2 :]}" + (f".{part}" if part else "")


def _trimmed(moment: str) -> str:
    """Write a moment or a time without the zeros at the end of its fraction."""
    return moment.rstrip("0").rstrip(".") if "." in moment else moment


def hashed(kinds: Sequence[tuple[str, CellKind]], key: str, dialect: Dialect) -> list[list[str]]:
    """Write the projections that turn rows into hashes, one above the other.

    Parameters
    ----------
    kinds : sequence of (str, str)
        The value of each column as SQL, and what it is.
    key : str
    dialect : Dialect

    Returns
    -------
    list of list of str
        The last one has the single column h.
    """
    floats = [place for place, (_, kind) in enumerate(kinds) if kind == "float"]
    values = [f"{value} AS v{place}" for place, (value, _) in enumerate(kinds)]
    steps = [f"{_step(f'v{place}', dialect)} AS e{place}" for place in floats]
    scaled = [f"abs(v{place}) * {_factor(f'e{place}', dialect)} AS m{place}" for place in floats]
    cells = [_cell(place, kind, dialect) for place, (_, kind) in enumerate(kinds)]
    row = ", ".join([dialect.text(key), *(f"{cell}, ';'" for cell in cells)])
    above = [["*", *steps], ["*", *scaled]] if floats else []
    return [values, *above, [f"md5(concat({row})) AS h"]]


def sums_sql(dialect: Dialect) -> list[str]:
    """Write what adds up the hashes."""
    halves = (f"substring(h, {start}, {_HALF})" for start in (1, 1 + _HALF))
    return ["count(*)", *(f"sum({dialect.from_hex(half)})" for half in halves)]


def _cell(place: int, kind: CellKind, dialect: Dialect) -> str:
    value = f"v{place}"
    text = f"CAST({value} AS {dialect.string})"
    gone = f"{value} IS NULL"
    if kind == "float":
        gone, known = f"{gone} OR isnan({value})", _float(place, dialect)
    elif kind == "text":
        known = f"concat('t', CAST({dialect.n_bytes(value)} AS {dialect.string}), ':', {value})"
    elif kind == "decimal":
        digits = f"trim(TRAILING '.' FROM trim(TRAILING '0' FROM {text}))"
        known = f"concat('n', CASE WHEN {text} LIKE '%.%' THEN {digits} ELSE {text} END)"
    elif kind == "truth":
        known = f"CASE WHEN {value} THEN 'n1' ELSE 'n0' END"
    else:
        known = f"concat('n', {text})"
    return f"CASE WHEN {gone} THEN '{GONE}' ELSE {known} END"


def _float(place: int, dialect: Dialect) -> str:
    value, scaled = f"v{place}", f"m{place}"

    def whole(number: str) -> str:
        return f"CAST(CAST({number} AS BIGINT) AS {dialect.string})"

    low, high = dialect.number(-_WHOLE), dialect.number(_WHOLE)
    is_whole = f"{value} >= {low} AND {value} < {high} AND {value} = floor({value})"
    sign = f"CASE WHEN {value} < 0 THEN 'n-' ELSE 'n+' END"
    rest = f"floor(({scaled} - floor({scaled})) * {dialect.number(2.0**_REST)})"
    parts = [sign, whole(f"floor({scaled})"), "'.'", whole(rest), "'e'", whole(f"e{place}")]
    return (
        f"CASE WHEN {is_whole} THEN concat('n', {whole(value)}) "
        f"WHEN abs({value}) = {dialect.infinity} THEN concat({sign}, 'inf') "
        f"ELSE concat({', '.join(parts)}) END"
    )


def _step(value: str, dialect: Dialect) -> str:
    """Write by which power a float is scaled; most floats are settled by the first comparison."""
    size = f"abs({value})"
    usual = f"WHEN {size} >= {dialect.number(1.0)} AND {size} < {dialect.number(2.0**_STEP)} THEN 0"
    others = "".join(
        f" WHEN {size} >= {dialect.number(2.0 ** (_STEP * step))} THEN {step}"
        for step in range(_GREATEST, _LEAST, -1)
    )
    return f"CASE {usual}{others} ELSE {_LEAST} END"


def _factor(step: str, dialect: Dialect) -> str:
    each = (0, *(step for step in range(_LEAST, _GREATEST + 1) if step))
    known = "".join(f" WHEN {n} THEN {dialect.number(2.0 ** (-_STEP * n))}" for n in each)
    return f"CASE {step}{known} END"

"""The texts of a column's cells, so that a frame and the file it is written to have the same."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT = re.compile(rf"({_DAY})([ T])([0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}})([.][0-9]{{1,9}})?")
_NOTHING = ("NoneType", "NAType", "NaTType")
_LONGEST = 330  # no float has a longer text

Texts = list[str | None]


def column_texts(cells: Sequence[Any]) -> tuple[str, Texts]:
    """Write the different cells of a column as texts, as many as there are cells.

    A number, a truth value or a moment has the same text in every type that holds it. Texts are
    taken for numbers, truth values or moments only where *all* of the column are written in the one
    way that a program writes them: then nothing can be hidden in how a number is written. In all
    other columns a text is itself, to the last blank.

    Parameters
    ----------
    cells : sequence
        All different; None, NaN and pandas' NA are missing.

    Returns
    -------
    str, list of str or None
        What the cells are, and their texts; None is missing. Cells of one column that would have
        the same text, such as null and NaN, come with their types.

    Examples
    --------
    >>> column_texts([1.0, 2.5, None])
    ('number', ['1', '2.5', None])
    >>> column_texts(["1.0", "2.5", None])
    ('number', ['1', '2.5', None])
    >>> column_texts(["1", "2.5 "])
    ('text', ['1', '2.5 '])
    >>> column_texts([None, float("nan")])
    ('mixed', ['NoneType: None', 'float: nan'])
    """
    gone = [_is_missing(cell) for cell in cells]
    known = [_plain(cell) for cell, missing in zip(cells, gone, strict=True) if not missing]
    kinds = {_kind(cell) for cell in known}
    if kinds == {"text"}:
        kind, texts = _usual(known)
    else:
        kind, texts = kinds.pop() if len(kinds) == 1 else "mixed", [_typed(cell) for cell in known]
    rest = iter(texts)
    found: Texts = [None if missing else next(rest) for missing in gone]
    if len(set(found)) == len(found) and kind != "mixed":
        return kind, found
    return "mixed", [f"{type(cell).__name__}: {_exactly(cell)}" for cell in cells]


def _kind(cell: Any) -> str:
    for kind, types in _KINDS.items():
        if isinstance(cell, types):
            return kind
    return "other"


def _is_missing(cell: Any) -> bool:
    return type(cell).__name__ in _NOTHING or (isinstance(cell, float) and math.isnan(cell))


def _plain(cell: Any) -> Any:
    """Numbers with a fixed number of digits are stored as texts in some files."""
    return str(cell) if isinstance(cell, Decimal) else cell


def _exactly(cell: Any) -> str:
    return cell.hex() if isinstance(cell, float) and not math.isnan(cell) else repr(cell)


def _typed(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return _number(cell)
    if isinstance(cell, datetime.datetime):
        return _moment(cell.isoformat(" "))
    return str(cell) if isinstance(cell, str | int | datetime.date) else repr(cell)


def _number(number: float) -> str:
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    exact = number.is_integer() and abs(number) < 2**53
    return str(int(number)) if exact else repr(number)


def _moment(text: str) -> str:
    """Write midnight as the day alone, and no needless digits of a second."""
    parts = _MOMENT.fullmatch(text)
    if parts is None:
        return text
    more = (parts[4] or "").rstrip("0").rstrip(".")
    return parts[1] if parts[3] == "00:00:00" and not more else f"{parts[1]} {parts[3]}{more}"


def _usual(texts: list[str]) -> tuple[str, list[str]]:
    """Read texts as what they mean, where all are written in one way."""
    for kind, written, meaning in _WAYS:
        if all(map(written, texts)):
            return kind, [meaning(text) for text in texts]
    styles = {_style(text) for text in texts}
    fixed = len(styles) == 1 and None not in styles
    if fixed or styles <= _TRIMMED_SPACE or styles <= _TRIMMED_T:
        return "moment", [_moment(text) for text in texts]
    return "text", texts


def _float_of(text: str) -> float | None:
    if len(text) > _LONGEST:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _is_float(text: str) -> bool:
    number = _float_of(text)
    return number is not None and not math.isnan(number) and repr(number) == text


def _is_short_float(text: str) -> bool:
    number = _float_of(text)
    if number is None or math.isnan(number) or abs(number) > 3e38:
        return False
    return text == str(np.float32(number))


def _style(text: str) -> tuple[str, int, bool] | None:
    """How a moment is written: the middle sign, digits of a second, whether none is needless."""
    parts = _MOMENT.fullmatch(text)
    if parts is None:
        return None
    digits = len(parts[4] or ".") - 1
    return parts[2], digits, not (parts[4] or "1").endswith("0")


_WAYS: tuple[tuple[str, Callable[[str], Any], Callable[[str], str]], ...] = (
    ("number", re.compile("0|-?[1-9][0-9]*").fullmatch, str),
    ("number", _is_float, lambda text: _number(float(text))),
    ("number", _is_short_float, lambda text: _number(float(text))),
    ("truth", {"true", "false"}.__contains__, str),
    ("truth", {"True", "False"}.__contains__, str.lower),
    ("moment", re.compile(_DAY).fullmatch, str),
)
_KINDS: dict[str, Any] = {
    "text": str,
    "truth": bool,
    "number": int | float,
    "moment": datetime.date,
}
_TRIMMED_SPACE = {(" ", digits, True) for digits in range(10)}
_TRIMMED_T = {("T", digits, True) for digits in range(10)}

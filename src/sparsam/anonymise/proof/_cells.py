"""Published cells, read back as they are: who shares a record, and a hash of it all.

Nothing here is used to make a release. It must not import what makes one: a mistake there would
be repeated, and not be found, here.
"""

from __future__ import annotations

import datetime
import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam.data.large import NumberedCells

Numbers = NDArray[np.int64]

_MISSING_TYPES = frozenset({"NAType", "NaTType"})
# What a CSV file would give back as a number; a leading zero marks a text such as a postal code.
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2}:[0-9]{2})([.][0-9]+)?")


Column = NDArray[Any] | NumberedCells


def stored(values: Column) -> tuple[Numbers, list[Any]]:
    """Number the different cells of a column, as finely as anyone could tell them apart.

    Null and NaN are different cells, and so are 0.0 and -0.0, None and "", "a" and "a ". Whoever
    reads the table with another program may find fewer different cells, and never more: classes
    that are large enough here are large enough there.

    Parameters
    ----------
    values : ndarray or NumberedCells
        Cells that an engine has numbered are numbered already.

    Returns
    -------
    ndarray of int, list
        The number of each row's cell, and the cells.

    Examples
    --------
    >>> stored(np.array([0.0, -0.0, 0.0]))
    (array([0, 1, 0]), [0.0, -0.0])
    """
    if isinstance(values, NumberedCells):
        return values.number, values.cells
    kind = values.dtype.kind
    if kind == "M":
        values = np.datetime_as_string(values).astype(object)
        values[values == "NaT"] = None
    elif kind not in "biufUS":
        return _objects(values.tolist(), _exact_key)
    if kind == "f" and values.dtype.itemsize > 8:
        return _objects(values.tolist(), _exact_key)
    if values.dtype == object:
        return _objects(values.tolist(), _exact_key)
    bits = np.ascontiguousarray(values)
    if kind == "f":
        bits = bits.view(f"u{values.dtype.itemsize}")
    _, first, number = np.unique(bits, return_index=True, return_inverse=True)
    return number.ravel().astype(np.int64), _plain(values[first])


def numbered(values: Column) -> tuple[Numbers, list[Any]]:
    """Number the different values of a column in the order in which they come.

    Parameters
    ----------
    values : ndarray or NumberedCells
        None, NaN, NaT and pandas' NA are missing: one value, None.

    Returns
    -------
    ndarray of int, list
        The number of each row's value, and the values.

    Examples
    --------
    >>> numbered(np.array([3.5, np.nan, 1.0, 3.5]))
    (array([0, 1, 2, 0]), [3.5, None, 1.0])
    """
    if isinstance(values, NumberedCells):
        return _missing_once(values.number, values.cells)
    if values.dtype.kind in "OT":
        return _objects(values.tolist(), _key)
    distinct, first, number = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    cells = _plain(distinct[order])
    return _missing_once(rank[number.ravel()], cells)


def alike(values: Column) -> Numbers:
    """Number values as coarsely as anyone could see them: blanks and zeros at an end mean nothing.

    Where a promise wants *different* values or people, "flu" and "flu " must not count as two.

    Parameters
    ----------
    values : ndarray or NumberedCells

    Examples
    --------
    >>> alike(np.array(["flu", "flu ", "cold"], object)).tolist()
    [0, 0, 1]
    """
    number, cells = numbered(values)
    place: dict[str | None, int] = {}
    merged = [place.setdefault(cell_text(value), len(place)) for value in cells]
    return np.array(merged, np.int64)[number] if len(number) else number


def shared_records(columns: Sequence[Column]) -> Numbers:
    """Number the different records of a table: equal numbers for rows that are equal everywhere.

    Parameters
    ----------
    columns : sequence of ndarray or NumberedCells
        At least one.

    Examples
    --------
    >>> shared_records([np.array([1, 1, 2]), np.array(["a", "b", "a"])]).tolist()
    [0, 1, 2]
    """
    together, values = stored(columns[0])
    size = max(len(values), 1)
    for column in columns[1:]:
        number, values = stored(column)
        more = max(len(values), 1)
        if size * more >= _MOST_KEYS:
            together, size = _dense(together)
        together = together * more + number
        size *= more
    return _dense(together)[0]


_MOST_KEYS = 1 << 62


def _dense(keys: Numbers) -> tuple[Numbers, int]:
    """Number keys from 0 in their order; return how many there are, too."""
    distinct, number = np.unique(keys, return_inverse=True)
    return number.ravel().astype(np.int64), max(len(distinct), 1)


def cells_hash(columns: Mapping[str, Column], counts: Numbers | None = None) -> str:
    """Hash the names and the cells of a table, as they stand, in whatever order its rows are.

    A column of numbers has one hash whether it is stored as whole numbers, as floats or, in a CSV
    file, as their usual texts; see `column_texts`. Every other difference between two cells counts:
    a trailing blank, 1.50 instead of 1.5, null instead of NaN.

    Parameters
    ----------
    columns : mapping of str to ndarray or NumberedCells
    counts : ndarray of int, optional
        How many rows are like each, where only different rows are given.

    Returns
    -------
    str
        SHA-256, 64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    ranks, sizes = [], []
    n_rows = None if counts is None else int(counts.sum())
    for name, values in columns.items():
        number, cells = stored(values)
        kind, texts = column_texts(cells)
        order = sorted(range(len(texts)), key=lambda place: _sort_key(texts[place]))
        rank = np.empty(len(order), np.uint32)
        rank[order] = np.arange(len(order), dtype=np.uint32)
        ranks.append(rank[number] if len(number) else rank)
        sizes.append(len(order))
        total = len(number) if n_rows is None else n_rows
        digest.update(msgspec.json.encode([name, kind, total, [texts[i] for i in order]]))
    if ranks:
        _hash_rows(digest, ranks, sizes, counts)
    return digest.hexdigest()


_AT_ONCE = 1 << 20


def _hash_rows(
    digest: Any, ranks: list[NDArray[np.uint32]], sizes: Sequence[int], counts: Numbers | None
) -> None:
    """Add the rows in the order of their ranks, as often as they are there."""
    if math.prod(max(size, 1) for size in sizes) < _MOST_KEYS:
        keys = np.zeros(len(ranks[0]), np.int64)
        for rank, size in zip(ranks, sizes, strict=True):
            keys *= max(size, 1)
            keys += rank
        order = np.argsort(keys, kind="stable")
    else:
        order = np.lexsort(ranks[::-1])
    for start in range(0, len(order), _AT_ONCE):
        rows = order[start : start + _AT_ONCE]
        block = np.column_stack([rank[rows] for rank in ranks]).astype("<u4")
        if counts is None:
            digest.update(block.tobytes())
            continue
        often = counts[rows]
        ends = np.cumsum(often)
        at = 0
        while at < len(rows):  # a row that millions share is not to be in memory so many times
            stop = max(at + 1, int(np.searchsorted(ends, ends[at] - often[at] + _AT_ONCE)))
            for _ in range(int(often[at]) // _AT_ONCE if stop == at + 1 else 0):
                digest.update(np.repeat(block[at : at + 1], _AT_ONCE, axis=0).tobytes())
            left = often[at:stop] % _AT_ONCE if stop == at + 1 else often[at:stop]
            digest.update(np.repeat(block[at:stop], left, axis=0).tobytes())
            at = stop


def _sort_key(text: str | None) -> tuple[bool, bytes]:
    return text is not None, (text or "").encode("utf-8", "surrogatepass")


def cell_text(value: Any) -> str | None:
    """Write a cell as coarsely as anyone could read it.

    Examples
    --------
    >>> cell_text(1.0), cell_text("1"), cell_text("01"), cell_text(True), cell_text(" ")
    ('1', '1', '01', 'true', None)
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | Decimal):
        number = float(value)
        exact = number.is_integer() and abs(number) < 2**53
        return str(int(number)) if exact else repr(number)
    return _text(str(value).strip())


def _text(text: str) -> str | None:
    if not text or text.lower() == "nan":
        return None
    if text.lower() in ("true", "false"):
        return text.lower()
    if _NUMBER.fullmatch(text):
        return cell_text(float(text))
    moment = _MOMENT.fullmatch(text)
    return _moment_text(*moment.groups()) if moment else text


def _moment_text(day: str, time: str, fraction: str | None) -> str:
    """Write midnight as the day alone, and no needless digits of a second."""
    more = (fraction or "").rstrip("0").rstrip(".")
    return day if time == "00:00:00" and not more else f"{day} {time}{more}"


def _plain(distinct: NDArray[Any]) -> list[Any]:
    """Python's own values; a short float is the shortest number that means it."""
    if distinct.dtype.kind == "f" and distinct.dtype.itemsize < 8:
        return [float(str(value)) for value in distinct]
    if distinct.dtype.kind == "M":
        distinct = distinct.astype("datetime64[us]")
    values: list[Any] = distinct.tolist()
    return values


def _missing_once(number: Numbers, cells: list[Any]) -> tuple[Numbers, list[Any]]:
    """Make one value of all that are missing."""
    missing = [i for i, value in enumerate(cells) if _is_missing(value)]
    if not missing:
        return number, cells
    values = [
        None if i == missing[0] else value for i, value in enumerate(cells) if i not in missing[1:]
    ]
    place = np.cumsum([i not in missing[1:] for i in range(len(cells))]) - 1
    place[missing] = place[missing[0]]
    return place[number].astype(np.int64), values


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return True
    return isinstance(value, float) and math.isnan(value)


def _objects(values: list[Any], key_of: Any) -> tuple[Numbers, list[Any]]:
    place: dict[Any, int] = {}
    cells: list[Any] = []
    number = np.empty(len(values), np.int64)
    simple = {type(value) for value in values} <= {str, type(None)}
    for row, value in enumerate(values):
        key = value if simple else key_of(value)
        if key not in place:
            place[key] = len(place)
            cells.append(None if key is None else _unwrapped(value))
        number[row] = place[key]
    return number, cells


def _key(value: Any) -> Any:
    """What makes two cells equal: 1 and 1.0 are, 1 and True and "1" are not."""
    plain = _unwrapped(value)
    if _is_missing(plain):
        return None
    try:
        hash(plain)
    except TypeError:
        return ("other", repr(plain))
    return (isinstance(plain, bool), plain)


def _exact_key(value: Any) -> Any:
    """What nobody can tell apart: the type and all that is written of it."""
    plain = _unwrapped(value)
    if plain is None or isinstance(plain, str):
        return plain
    return (type(plain).__name__, plain.hex() if isinstance(plain, float) else repr(plain))


def _unwrapped(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_WRITTEN_MOMENT = re.compile(rf"({_DAY})([ T])([0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}})([.][0-9]{{1,9}})?")
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
    is_blank = [_is_blank(cell) for cell in cells]
    known = [_as_stored(cell) for cell, missing in zip(cells, is_blank, strict=True) if not missing]
    kinds = {_kind(cell) for cell in known}
    if kinds == {"text"}:
        kind, texts = _usual(known)
    else:
        kind, texts = kinds.pop() if len(kinds) == 1 else "mixed", [_typed(cell) for cell in known]
    rest = iter(texts)
    all_texts: Texts = [None if missing else next(rest) for missing in is_blank]
    if len(set(all_texts)) == len(all_texts) and kind != "mixed":
        return kind, all_texts
    return "mixed", [f"{type(cell).__name__}: {_exactly(cell)}" for cell in cells]


def _kind(cell: Any) -> str:
    for kind, types in _KINDS.items():
        if isinstance(cell, types):
            return kind
    return "other"


def _is_blank(cell: Any) -> bool:
    return type(cell).__name__ in _NOTHING or (isinstance(cell, float) and math.isnan(cell))


def _as_stored(cell: Any) -> Any:
    """Numbers with a fixed number of digits, and times, are stored as texts in some files."""
    if isinstance(cell, datetime.time):
        text = str(cell)
        return text.rstrip("0") if "." in text else text
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
    parts = _WRITTEN_MOMENT.fullmatch(text)
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
    parts = _WRITTEN_MOMENT.fullmatch(text)
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

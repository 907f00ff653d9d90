"""The first line of a CSV file: names of columns, unless it looks like a person's record."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import Path

from sparsam._errors import DataError
from sparsam.data.source._engine import is_packed

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 1000
_KINDS = {
    "number": re.compile(r"[+-]?([0-9]+([.,][0-9]+)*|\.[0-9]+)([eE][+-]?[0-9]+)?"),
    "date": re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([T ][0-9]{1,2}:[0-9]{2}.*)?"),
    "address": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
}
_YEARS = range(1800, 2201)
# Cells of a column that may be of another kind than the rest: marks for missing values.
_OTHERS = 0.1


def header_of(file: Path, *, rows: int = _SAMPLE) -> tuple[str, tuple[str, ...]]:
    """Find the delimiter of a CSV file and the names of its columns.

    The first record is read with every delimiter, and the one that finds most names is kept. A
    first line that looks like data is refused, and none of it is told: it may be a person's.

    Parameters
    ----------
    file : Path
    rows : int, default=1000
        How many records below the first may be compared with it. With 0 none is read.

    Returns
    -------
    delimiter : str
    names : tuple of str
    """
    given = ("\t",) if file.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ()
    try:
        candidates = {
            delimiter: _records(file, delimiter, 1)[0] for delimiter in given or _DELIMITERS
        }
    except (csv.Error, EOFError, zlib.error, gzip.BadGzipFile):
        raise _no_text(file) from None
    delimiter, names = max(candidates.items(), key=lambda item: len(item[1]))
    if any("\ufffd" in name for name in names):
        raise _no_text(file)
    if not names:
        raise DataError(f"'{file.name}' must begin with a line of column names. It is empty.")
    below = _sample(file, delimiter, rows) if rows else None
    if looks_like_data(names, below):
        raise DataError(
            f"The first line of '{file.name}' looks like data, not like names of columns."
            "\n\nHint: add a line of names above it. If it is one, choose names that are no "
            "numbers or dates (a year as 'y2019') and that are not cells of their own columns."
        )
    _check_names(file, names)
    return delimiter, names


def looks_like_data(names: Sequence[str], below: Sequence[Sequence[str]] | None = None) -> bool:
    """Tell whether a first line looks like a record.

    It does when a third of its cells are numbers, dates or addresses like the cells below them, or
    half of them (and two) are that, or texts that occur again below. Years and numbers that count
    on from 0 or 1, or by equal steps, are names.

    Parameters
    ----------
    names : sequence of str
        The cells of the first line.
    below : sequence of sequences of str, optional
        Some records below it; without them only what is written in the names themselves counts.

    Examples
    --------
    >>> looks_like_data(["age", "sex", "2019"], [["30", "f", "1200"], ["41", "m", "1300"]])
    False
    >>> looks_like_data(["52", "f", "1100"], [["30", "f", "1200"], ["41", "m", "1300"]])
    True
    """
    kinds = [_kind(name) for name in names]
    if below is None:
        strong = sum(kind is not None for kind in _without_series(names, kinds, None))
        return strong > 0 and 3 * strong >= len(names)
    columns = [[row[i] for row in below if len(row) > i and row[i]] for i in range(len(names))]
    strong = weak = 0
    for name, kind, cells in zip(
        names, _without_series(names, kinds, columns), columns, strict=True
    ):
        if (kind is not None and _are(cells, kind)) or _is_code(name, cells):
            strong += 1
        elif _kind(name) is None and name in cells and any(cell != name for cell in cells):
            weak += 1
    if strong and 3 * strong >= len(names):
        return True
    evidence = strong + weak
    return evidence == len(names) or (evidence >= 2 and 2 * evidence >= len(names))


def _kind(text: str) -> str | None:
    return next((kind for kind, form in _KINDS.items() if form.fullmatch(text)), None)


def _are(cells: Sequence[str], kind: str) -> bool:
    """Whether the cells of a column are of one kind, but for marks of missing values."""
    others = sum(_KINDS[kind].fullmatch(cell) is None for cell in cells)
    return bool(cells) and others <= _OTHERS * len(cells)


def _is_code(name: str, cells: Sequence[str]) -> bool:
    """Whether a name is built like all cells below it, with digits: P0001 above P0002."""
    if _kind(name) is not None or not any(sign.isdigit() for sign in name) or not cells:
        return False
    return len(set(cells)) > 1 and {_shape(cell) for cell in cells} == {_shape(name)}


def _shape(text: str) -> str:
    return "".join("9" if s.isdigit() else "a" if s.isalpha() else s for s in text)


def _without_series(
    names: Sequence[str], kinds: Sequence[str | None], columns: Sequence[Sequence[str]] | None
) -> list[str | None]:
    """Take the kind away from numbers and dates that are names: years, 1 2 3, 400 410 420."""
    left = list(kinds)
    dates = [place for place, kind in enumerate(kinds) if kind == "date"]
    if columns is None and len(dates) > 2:  # a column for every day
        left = [None if kind == "date" else kind for kind in left]
    places = [place for place, kind in enumerate(kinds) if kind == "number"]
    if _is_series([names[p] for p in places], columns and [columns[p] for p in places]):
        left = [None if kind == "number" else kind for kind in left]
    return left


def _is_series(names: Sequence[str], columns: Sequence[Sequence[str]] | None) -> bool:
    if not names or not all(re.fullmatch(r"0|[1-9][0-9]*(\.[0-9]+)?", name) for name in names):
        return False
    numbers = [float(name) for name in names]
    if len(set(numbers)) < len(numbers):
        return False
    if all(number in _YEARS for number in numbers):
        return columns is None or not all(_all_years(cells) for cells in columns)
    steps = {round(after - before, 9) for before, after in pairwise(numbers)}
    if len(numbers) > 1 and steps == {1} and numbers[0] in (0, 1):
        return True
    again = columns is not None and all(n in c for n, c in zip(names, columns, strict=True))
    return len(numbers) > 2 and len(steps) == 1 and not again


def _all_years(cells: Sequence[str]) -> bool:
    return all(cell.isdecimal() and int(cell) in _YEARS for cell in cells)


def _check_names(file: Path, names: Sequence[str]) -> None:
    if not all(names):
        place = list(names).index("") + 1
        raise DataError(f"Every column of '{file.name}' must have a name. Column {place} has none.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        places = [str(place) for place, name in enumerate(names, 1) if name == twice[0]]
        raise DataError(
            f"Every column of '{file.name}' must have a name of its own. "
            f"Columns {', '.join(places[:-1])} and {places[-1]} have the same."
        )


def _no_text(file: Path) -> DataError:
    return DataError(f"'{file.name}' must be a text file in UTF-8. Its first line is not.")


def _sample(file: Path, delimiter: str, rows: int) -> list[tuple[str, ...]]:
    try:
        return _records(file, delimiter, rows + 1)[1:]
    except (csv.Error, EOFError, zlib.error, gzip.BadGzipFile):
        return []  # whoever reads the whole file says what is wrong with it


def _records(file: Path, delimiter: str, rows: int) -> list[tuple[str, ...]]:
    with _lines(file) as lines:
        records = islice(csv.reader(lines, delimiter=delimiter), rows)
        stripped = [tuple(cell.strip() for cell in record) for record in records]
    return stripped or [()]


@contextmanager
def _lines(file: Path) -> Iterator[io.TextIOWrapper]:
    with (
        gzip.open(file) if is_packed(file) else file.open("rb") as raw,
        io.TextIOWrapper(raw, "utf-8-sig", errors="replace", newline="") as lines,
    ):
        yield lines

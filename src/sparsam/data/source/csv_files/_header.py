"""The first line of a CSV file: names of columns, unless it looks like a person's record."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from sparsam._errors import DataError
from sparsam.data.source._format import ANY_FORMAT, FileFormat
from sparsam.data.source._table_file import (
    TableFile,
    check_signature,
    cut_short,
    has_tabs,
    is_packed,
)
from sparsam.data.source._text import TextLines, no_text, text_lines

_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "upright lines (|)"}
_DELIMITERS = tuple(_SIGNS)
_SAMPLE = 1000
_KINDS = {
    "number": re.compile(r"[+-]?([0-9]+([.,][0-9]+)*|\.[0-9]+)([eE][+-]?[0-9]+)?"),
    "date": re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([T ][0-9]{1,2}:[0-9]{2}.*)?"),
    "address": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
}
_SEPARATOR = re.compile(r'"?sep=([^"\r\n]?)"?[\r\n]*')
_YEARS = range(1800, 2201)
# Cells of a column that may be of another kind than the rest: marks for missing values.
_OTHERS = 0.1


class Header(NamedTuple):
    """How a CSV file begins.

    Attributes
    ----------
    delimiter : str
        What stands between two fields.
    names : tuple of str
        The names of the columns; one that has none is called by its place.
    newline : str
        What ends the first record.
    above : int
        How many lines stand above the names: one, where Excel says there what divides the fields.
    notes : tuple of str
        What was guessed, or made up.
    """

    delimiter: str
    names: tuple[str, ...]
    newline: str
    above: int = 0
    notes: tuple[str, ...] = ()


def header_of(file: TableFile, form: FileFormat = ANY_FORMAT, *, rows: int = _SAMPLE) -> Header:
    """Find the delimiter of a CSV file and the names of its columns.

    The first record is read with every delimiter, and the one that finds most names is kept. A
    first line that looks like data is refused, and none of it is told: it may be a person's.

    Parameters
    ----------
    file : Path or Piped
    form : FileFormat
        What is known of the file.
    rows : int, default=1000
        How many records below the first may be compared with it. With 0 none is read.
    """
    try:
        form = _with_delimiter(file, form)
        candidates = [_candidate(file, form, delimiter) for delimiter in _delimiters(file, form)]
    except UnicodeError:  # such as UTF-16 without its mark
        raise no_text(file, form, "Its first line is not.") from None
    except (csv.Error, EOFError, zlib.error, gzip.BadGzipFile):
        check_signature(file, "a text file")
        raise _no_text_file(file) from None
    header = max(candidates, key=lambda candidate: len(candidate.names))
    names = header.names
    if any("\0" in name or "\ufffd" in name for name in names):
        check_signature(file, "a text file")
        raise no_text(file, form, "Its first line is not.")
    if not any(names):
        raise DataError(
            f"'{file.name}' must begin with a line of column names. It is empty."
            "\n\nHint: was it written to its end? If lines stand above the names, take them out."
        )
    below = _sample(file, form, header.delimiter, rows) if rows else None
    if looks_like_data(names, below):
        raise DataError(
            f"The first line of '{file.name}' looks like data, not like names of columns."
            "\n\nHint: add a line of names above it. If it is one, choose names that are no "
            "numbers or dates (a year as 'y2019') and that are not cells of their own columns."
        )
    _check_names(file, names)
    return _noted(file, form, header)


def _delimiters(file: TableFile, form: FileFormat) -> tuple[str, ...]:
    if form.delimiter is not None:
        return (form.delimiter,)
    return ("\t",) if has_tabs(file) else _DELIMITERS


def _candidate(file: TableFile, form: FileFormat, delimiter: str) -> Header:
    with text_lines(file, form, "replace") as lines:
        above, rest = _above(lines)
        record = next(csv.reader(rest, delimiter=delimiter), [])
        end = lines.last[len(lines.last.rstrip("\r\n")) :]
    newline = "\r\n" if end.endswith("\r\n") else end[-1:] or "\n"
    return Header(delimiter, tuple(cell.strip() for cell in record), newline, above)


def _with_delimiter(file: TableFile, form: FileFormat) -> FileFormat:
    """Return what is known of a file, with the delimiter that Excel may say in its first line."""
    with text_lines(file, form, "replace") as lines:
        said = _SEPARATOR.fullmatch(next(lines, ""))
    return form if said is None else form.completed_by(FileFormat(delimiter=said[1] or None))


def _above(lines: TextLines) -> tuple[int, Iterator[str]]:
    """Return how many lines are no record, and the other lines; Excel writes "sep=;" above all."""
    first = next(lines, "")
    if _SEPARATOR.fullmatch(first):
        return 1, lines
    return 0, chain([first] if first else [], lines)


def _noted(file: TableFile, form: FileFormat, header: Header) -> Header:
    """Name columns that have no name by their place, and say what was guessed."""
    notes = []
    if len(_delimiters(file, form)) > 1 and header.delimiter != "," and len(header.names) > 1:
        notes.append(
            f"fields are divided by {_SIGNS[header.delimiter]}; if not, say so with --delimiter"
        )
    names = tuple(name or f"column {place}" for place, name in enumerate(header.names, 1))
    for place, (name, said) in enumerate(zip(names, header.names, strict=True), 1):
        if not said:
            notes.append(f"column {place} of the file has no name, and is called '{name}'")
    return Header(header.delimiter, names, header.newline, header.above, tuple(notes))


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


def _check_names(file: TableFile, names: Sequence[str]) -> None:
    numbered = [name or f"column {place}" for place, name in enumerate(names, 1)]
    twice = [name for name, count in Counter(numbered).items() if count > 1]
    if twice:
        places = [str(place) for place, name in enumerate(numbered, 1) if name == twice[0]]
        raise DataError(
            f"Every column of '{file.name}' must have a name of its own. "
            f"Columns {', '.join(places[:-1])} and {places[-1]} have the same."
            "\n\nHint: give one of them another name in the first line of the file."
        )


def _no_text_file(file: TableFile) -> DataError:
    if is_packed(file):
        return cut_short(file)
    return DataError(
        f"'{file.name}' must be a whole text file. Its first line cannot be read."
        "\n\nHint: write or fetch the file again."
    )


def _sample(file: TableFile, form: FileFormat, delimiter: str, rows: int) -> list[tuple[str, ...]]:
    try:
        return _records(file, delimiter, rows + 1, form)[1:]
    except (csv.Error, UnicodeError, EOFError, zlib.error, gzip.BadGzipFile):
        return []  # whoever reads the whole file says what is wrong with it


def _records(
    file: TableFile, delimiter: str, rows: int, form: FileFormat = ANY_FORMAT
) -> list[tuple[str, ...]]:
    with text_lines(file, form, "replace") as lines:
        records = islice(csv.reader(_above(lines)[1], delimiter=delimiter), rows)
        return [tuple(cell.strip() for cell in record) for record in records]

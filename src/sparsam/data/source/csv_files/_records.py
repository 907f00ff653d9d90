"""The records of a CSV file that DuckDB cannot read by itself, parsed by Python in batches."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, hint
from sparsam.data.source._format import FileFormat
from sparsam.data.source._table_file import TableFile, cut_short, open_bytes
from sparsam.data.source._text import TextLines, no_text, text_lines
from sparsam.data.source.csv_files._header import Header

_CELLS = 1 << 20
_CHUNK = 1 << 20

Batch = list[NDArray[Any]]


def record_batches(
    file: TableFile, header: Header, form: FileFormat, *, any_text: bool = False
) -> Iterator[Batch]:
    """Yield the columns of some thousand records after another: texts, and None for no text.

    Parameters
    ----------
    file : Path or Piped
    header : Header
    form : FileFormat
    any_text : bool, default=False
        Whether what is no text in the file's encoding is read too, with a mark for it.
    """
    width = len(header.names)
    with text_lines(file, form, "replace" if any_text else "strict") as lines:
        for _ in range(header.above):
            next(lines)
        records = _records(file, lines, header, form)
        next(records)
        rows = max(_CELLS // width, 1)
        while batch := list(islice(records, rows)):
            yield _columns(batch, width)


def _records(
    file: TableFile, lines: TextLines, header: Header, form: FileFormat
) -> Iterator[list[str]]:
    """Yield every record; a blank line is none, unless there is one column alone."""
    reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
    width = len(header.names)
    begins = 1 + lines.number
    error: DataError | None = None
    try:
        for record in reader:
            if len(record) == width:
                yield record
            elif record:
                raise uneven(file, begins, len(record), width)
            elif width == 1:
                yield [""]
            begins = lines.number + 1
    except UnicodeError:
        place = f"Line {begins} is damaged" if begins > 1 else "It is damaged"
        error = no_text(file, form, f"{place}, or a line soon after it: it is not in it.")
    except csv.Error as failure:
        error = _unparsed(file, begins, str(failure))
    if error is not None:
        raise error


def _columns(batch: list[list[str]], width: int) -> Batch:
    columns = []
    for place in range(width):
        cells = np.empty(len(batch), dtype=object)
        cells[:] = [record[place] or None for record in batch]
        columns.append(cells)
    return columns


def _unparsed(file: TableFile, line: int, message: str) -> DataError:
    """Return what is wrong with a line; Python's own words hold no cell, but are no help either."""
    if "unexpected end" in message or "expected after" in message:
        return open_quote(file, line)
    if "field larger" in message:
        return DataError(
            f"'{file.name}' must be a CSV file. Line {line:,} has a field of more than "
            f"{csv.field_size_limit():,} signs.\n\nHint: is a quote never closed? If not, shorten "
            "or take out the longest texts."
        )
    return DataError(
        f"'{file.name}' must be a CSV file. Line {line:,} is damaged."
        "\n\nHint: write or fetch the file again."
    )


def uneven(file: TableFile, line: int | None, fields: int, expected: int) -> DataError:
    """Make the error for a record with more or fewer fields than there are names.

    Parameters
    ----------
    file : Path or Piped
    line : int or None
    fields, expected : int
    """
    where = "A line" if line is None else f"Line {line}"
    quotes = "a text that holds the delimiter must be quoted; if something else divides the fields"
    return DataError(
        f"'{file.name}' must be a CSV file. {where} is damaged. It has {fields} fields where the "
        f"first line has {expected}."
        + hint(
            f"{quotes}, say Roles(file={{'delimiter': ';'}}); if lines stand above the names, take "
            "them out",
            f"{quotes}, name it with --delimiter; if lines stand above the names, take them out",
        )
    )


def open_quote(file: TableFile, line: int | None) -> DataError:
    """Make the error for a quote that is not closed, or closed in the middle of a field.

    Parameters
    ----------
    file : Path or Piped
    line : int or None
        Where the record begins.
    """
    where = "It is damaged." if line is None else f"Line {line} is damaged."
    return DataError(
        f"'{file.name}' must be a CSV file. {where} It opens a quote that is never closed."
        '\n\nHint: close it; a quote inside a quoted text is written twice ("").'
    )


def check_gzip(file: TableFile) -> None:
    """Refuse a packed file that is cut short, whose checksum is wrong, or that never ends.

    Parameters
    ----------
    file : Path or Piped
    """
    damage: DataError | None = None
    try:
        with open_bytes(file) as packed:
            while packed.read(_CHUNK):
                continue
    except (EOFError, zlib.error, gzip.BadGzipFile):
        damage = cut_short(file)
    if damage is not None:
        raise damage

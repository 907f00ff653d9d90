"""The text of a file: its lines, and its encoding, which is UTF-8 unless somebody says other."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager

from sparsam._errors import DataError, hint
from sparsam.data.source._format import FileFormat
from sparsam.data.source._table_file import TableFile, open_bytes

# A line beyond this is no record: a table of 3,000 columns has lines a hundred times shorter.
_LONGEST = 1 << 24
_LOOK = 1 << 20


class EncodingError(DataError):
    """A text file is not in the encoding that it should be in."""


def python_encoding(form: FileFormat) -> str:
    """Return the encoding as Python names it; a mark at the beginning is no part of the text."""
    if form.encoding is None:
        return "utf-8-sig"
    name = codecs.lookup(form.encoding).name
    return "utf-8-sig" if name == "utf-8" else name


def is_utf8(form: FileFormat) -> bool:
    """Whether a file is to be read as UTF-8."""
    return python_encoding(form) == "utf-8-sig"


@contextmanager
def text_lines(file: TableFile, form: FileFormat, errors: str = "strict") -> Iterator[TextLines]:
    """Open a text file, line by line.

    Parameters
    ----------
    file : Path or Piped
    form : FileFormat
    errors : str, default="strict"
        What becomes of bytes that are no text; see Python's codecs.
    """
    with (
        open_bytes(file) as raw,
        io.TextIOWrapper(raw, python_encoding(form), errors=errors, newline="") as opened,
    ):
        yield TextLines(file, opened)


class TextLines(Iterator[str]):
    """The lines of a text file with their ends; the last one read is kept.

    Parameters
    ----------
    file : Path or Piped
        For messages.
    opened : text stream
    """

    def __init__(self, file: TableFile, opened: io.TextIOWrapper) -> None:
        self._file, self._opened = file, opened
        self.number, self.last = 0, ""

    def __next__(self) -> str:
        line = self._opened.readline(_LONGEST)
        if not line:
            raise StopIteration
        self.number += 1
        if self.number == 1:
            line = line.removeprefix("\ufeff")  # where the name of the encoding fixes an order
        if len(line) == _LONGEST and line[-1] not in "\r\n":
            raise DataError(
                f"'{self._file.name}' must be a file of lines. Line {self.number:,} is longer than "
                f"{_LONGEST:,} signs.\n\nHint: is it a table at all?"
            )
        self.last = line
        return line


def no_text(file: TableFile, form: FileFormat, where: str) -> EncodingError:
    """Make the error for a file that is not in the encoding that it should be in.

    Parameters
    ----------
    file : Path or Piped
    form : FileFormat
    where : str
        Such as "Its first line is not.".
    """
    if not is_utf8(form):
        return EncodingError(
            f"'{file.name}' must be a text file in the encoding {form.encoding}. {where}"
            + hint(
                "name another one, such as Roles(file={'encoding': 'latin-1'})",
                "name another one with --encoding, or under [file] in the roles file",
            )
        )
    guess = guessed_encoding(file)
    return EncodingError(
        f"'{file.name}' must be a text file in UTF-8. {where}"
        + hint(
            f"it may be in {guess}: if so, say Roles(file={{'encoding': '{guess}'}}). Or save it "
            "in UTF-8",
            f"it may be in {guess}: if so, say --encoding {guess} (or under [file] in the roles "
            "file). Or save it in UTF-8",
        )
    )


def guessed_encoding(file: TableFile) -> str:
    """Guess the encoding of a file that is not in UTF-8, to be offered, never to be used.

    Parameters
    ----------
    file : Path or Piped
    """
    with open_bytes(file) as opened:
        start = opened.read(_LOOK)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in start:
        return "utf-16-be" if start.startswith(b"\0") else "utf-16-le"
    # Latin-1 has control characters where Windows has quotation marks and the sign of the euro
    return "cp1252" if any(0x80 <= byte < 0xA0 for byte in set(start)) else "latin-1"

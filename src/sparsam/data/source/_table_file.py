"""The file of a table: what kind of file it is, and its bytes, unpacked as far as that is safe."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from sparsam._errors import DataError

FileKind = Literal["csv", "parquet", "json lines", "json", "excel"]

_KINDS: dict[str, FileKind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json",
    ".xlsx": "excel",
    ".xlsm": "excel",
}
_PACKED: tuple[FileKind, ...] = ("csv", "json lines", "json")
_ENDINGS = ".csv, .tsv, .jsonl, .json (each also .gz), .parquet or .xlsx"
# What a packed file may become without a question, and how many times its size beyond that.
MOST_UNPACKED = 1 << 28
MOST_TIMES = 100
# How files begin that are something else than their ending says.
_SIGNATURES = {
    b"PK\x03\x04": "a zip or Excel file",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "packed by gzip",
    b"\xd0\xcf\x11\xe0": "an old Excel file (.xls)",
    b"%PDF": "a PDF file",
}


@dataclass(frozen=True, repr=False)
class Piped:
    """A table that came in through a pipe, and is held in memory: it has no place on a disk.

    Parameters
    ----------
    kind : str
        What kind of file it would be.
    content : bytes
    name : str
        What to call it.
    """

    kind: FileKind
    content: bytes
    name: str = "standard input"

    @property
    def packed(self) -> bool:
        """Whether it is packed by gzip, by its first bytes."""
        return self.kind in _PACKED and self.content.startswith(b"\x1f\x8b")

    def __str__(self) -> str:
        return "-"

    def __repr__(self) -> str:
        return f"<Piped: {self.kind}, {len(self.content):,} bytes>"


TableFile = Path | Piped


def table_file(path: str | os.PathLike[str] | Piped) -> tuple[TableFile, FileKind]:
    """Return the file that holds a table, and its kind.

    Parameters
    ----------
    path : path or Piped
    """
    if isinstance(path, Piped):
        return path, path.kind
    file = Path(os.path.abspath(path))
    if not file.is_file():
        raise DataError(f"A table must be a file on this machine. Found none at '{path}'.")
    kind = _KINDS.get(_ending(file))
    if kind is None or (is_packed(file) and kind not in _PACKED):
        raise DataError(
            f"A table's file must end in {_ENDINGS}. Got '{file.name}' instead."
            "\n\nHint: save the table as CSV or Parquet."
        )
    return file, kind


def _ending(file: Path) -> str:
    return (Path(file.stem).suffix if is_packed(file) else file.suffix).lower()


def is_packed(file: TableFile) -> bool:
    """Whether a file is packed by gzip, by its name."""
    return file.packed if isinstance(file, Piped) else file.suffix.lower() == ".gz"


def has_tabs(file: TableFile) -> bool:
    """Whether the name of a text file says that tabs divide its fields."""
    return isinstance(file, Path) and _ending(file) in (".tsv", ".tab")


def open_bytes(file: TableFile) -> BinaryIO:
    """Open a file to be read, unpacked; what grows beyond all measure is refused on the way.

    Parameters
    ----------
    file : Path or Piped
    """
    if isinstance(file, Piped):
        raw, size = cast(BinaryIO, io.BytesIO(file.content)), len(file.content)
    else:
        raw, size = file.open("rb"), file.stat().st_size
    if not is_packed(file):
        return raw
    guarded = _Guarded(raw, file.name, max(MOST_UNPACKED, MOST_TIMES * size))
    return cast(BinaryIO, io.BufferedReader(guarded, 1 << 20))


class _Guarded(io.RawIOBase):
    """What comes out of a packed file, up to a limit."""

    def __init__(self, raw: BinaryIO, name: str, most: int) -> None:
        self._raw, self._unpacked = raw, gzip.GzipFile(fileobj=raw, mode="rb")
        self._name, self._left = name, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._unpacked.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise too_large(self._name)
        return count

    def close(self) -> None:
        self._unpacked.close()
        self._raw.close()
        super().close()


def too_large(name: str) -> DataError:
    """Make the error for a packed file that unpacks to far more than a table would.

    Parameters
    ----------
    name : str
    """
    return DataError(
        f"'{name}' must not unpack to more than {MOST_UNPACKED >> 20} MiB and {MOST_TIMES} times "
        "its size. It does, as files that are made to fill a machine do."
        "\n\nHint: if it is a real table, unpack it yourself, and give the file that comes out."
    )


def cut_short(file: TableFile) -> DataError:
    """Make the error for a packed file that is damaged.

    Parameters
    ----------
    file : Path or Piped
    """
    return DataError(
        f"'{file.name}' must be a whole file, packed by gzip. It is damaged or cut short."
        "\n\nHint: fetch or pack the file again."
    )


def check_signature(file: TableFile, what: str) -> None:
    """Refuse a file that begins like one of another kind than its name says.

    Parameters
    ----------
    file : Path or Piped
    what : str
        What it must be.
    """
    with open_bytes(file) as opened:
        try:
            start = opened.read(4)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return  # whoever reads on says that it is damaged
    for signature, other in _SIGNATURES.items():
        if start.startswith(signature):
            raise DataError(
                f"'{file.name}' must be {what}. It is {other}."
                "\n\nHint: give it the ending that says what it is, or save it as what its ending "
                "says."
            )

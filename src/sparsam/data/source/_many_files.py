"""One table in many files: a folder of them, or a pattern that names them."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from sparsam._errors import DataError
from sparsam.data.source._table_file import FileKind, table_file

_KINDS = ("parquet", "csv")
_ENDINGS = (".parquet", ".pq", ".csv", ".csv.gz", ".tsv", ".tsv.gz")


def is_many(path: str | os.PathLike[str]) -> bool:
    """Whether a path means several files: a folder, or a pattern with ``*``, ``?`` or ``[``.

    Examples
    --------
    >>> is_many("people-*.parquet"), is_many("people.parquet")
    (True, False)
    """
    if not str(path):
        return False
    return Path(path).is_dir() or (glob.has_magic(str(path)) and not Path(path).exists())


def many_files(path: str | os.PathLike[str]) -> tuple[list[Path], FileKind]:
    """Return the files of a table, in the order of their names, and what kind they are.

    Parameters
    ----------
    path : path
        A folder, in which all files of the first kind that is found are taken, those of folders
        inside it too; or a pattern, in which ``**`` stands for folders inside folders.
    """
    if Path(path).is_dir():
        inside = sorted(file for file in Path(path).rglob("*") if file.is_file())
        files = [file for file in inside if file.name.lower().endswith(_ENDINGS)]
    else:
        files = [Path(file) for file in sorted(glob.glob(str(path), recursive=True))]
        files = [file for file in files if file.is_file()]
    if not files:
        raise DataError(
            "A table must be a file on this machine, or several. "
            f"Found none at '{Path(path).name}'."
            "\n\nHint: name a folder, or a pattern such as people-*.parquet, with Parquet or CSV "
            "files."
        )
    kinds = {kind for _, kind in map(table_file, files)}
    if len(kinds) > 1 or not kinds <= {*_KINDS}:
        raise DataError(
            "The files of one table must all be Parquet files, or all CSV files. "
            f"'{Path(path).name}' has others.\n\nHint: name those that are meant by a pattern, "
            "such as people-*.parquet."
        )
    return [file.absolute() for file in files], kinds.pop()


def check_alike(files: Sequence[Path], names: Sequence[Sequence[str]]) -> None:
    """Raise unless the files of one table have the same columns.

    Parameters
    ----------
    files : sequence of Path
    names : sequence of sequence of str
        The names of the columns of each.
    """
    for file, own in zip(files, names, strict=True):
        if list(own) != list(names[0]):
            raise DataError(
                f"The files of one table must have the same columns, in the same order. Those of "
                f"'{file.name}' are not those of '{files[0].name}'."
                "\n\nHint: write it again with the columns of the others."
            )

"""Files that a command reads and writes: no output may destroy an input or another output."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import rich_click as click
from click import get_current_context

from sparsam._writing import check_writable

_CLAIMS = "sparsam.places"


@dataclass(frozen=True)
class _Claim:
    """A file of this command: where, by which option, and whether it is written."""

    path: Path
    what: str
    written: bool


def claim(path: Path, what: str, ctx: click.Context, *, written: bool) -> None:
    """Note a file of the running command, unless it would be written over another one of them.

    Parameters
    ----------
    path : Path
    what : str
        By which option or argument it was given.
    ctx : Context
    written : bool
        Or only read.
    """
    claims: list[_Claim] = ctx.meta.setdefault(_CLAIMS, [])
    for old in claims:
        if (old.written or written) and _same(old.path, path):
            raise click.UsageError(
                f"{old.what} and {what} are the same file, '{path.name}'. Every file that is "
                "written must have its own name.",
                ctx,
            )
    claims.append(_Claim(path, what, written))


def claim_input(path: Path, what: str) -> None:
    """Say that the running command reads a file that no option of type `InputFile` names.

    Parameters
    ----------
    path : Path
    what : str
        Such as "--hierarchy".
    """
    claim(path, what, get_current_context(), written=False)


def claim_output(path: Path, what: str) -> None:
    """Say that the running command writes a file that no option of type `OutputFile` names.

    Parameters
    ----------
    path : Path
    what : str
        Such as "the certificate beside --output".
    """
    try:
        check_writable(path)
    except OSError as error:
        raise click.UsageError(
            f"'{path.name}' ({what}) cannot be written: {error.strerror}."
        ) from None
    claim(path, what, get_current_context(), written=True)


def _same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file: by links of any kind, or by names that differ in case."""
    if one.exists() and other.exists():
        return os.path.samefile(one, other)
    return not one.exists() and not other.exists() and _folded(one) == _folded(other)


def _folded(path: Path) -> str:
    """How a disk that knows no case would see a path; disks also differ in how they write é."""
    return unicodedata.normalize("NFC", os.path.realpath(path)).casefold()

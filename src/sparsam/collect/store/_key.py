"""The key that receipts are signed with, and where it lies."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import warnings
from pathlib import Path
from typing import Final

from sparsam._errors import SparsamWarning, StoreError, hint
from sparsam._writing import draft_of, put_new

VARIABLE: Final = "SPARSAM_RECEIPT_KEY"
_BYTES: Final = 32
_LINE: Final = re.compile(rf"[0-9a-fA-F]{{{2 * _BYTES}}}")


class Keys:
    """The key that new receipts are signed with, and older ones that are still honoured.

    A key file has one key on each line, as 64 hexadecimal digits; the first signs, all are
    honoured. Lines that begin with # are remarks.

    Parameters
    ----------
    keys : tuple of bytes
        The first one signs.
    """

    def __init__(self, keys: tuple[bytes, ...]) -> None:
        self.keys = keys

    def __repr__(self) -> str:
        return f"<Keys: {len(self.keys)}>"

    @property
    def marks(self) -> tuple[str, ...]:
        """By what a store knows a key again without holding it."""
        return tuple(
            hashlib.blake2b(key=key, digest_size=8, person=b"sparsam.mark").hexdigest()
            for key in self.keys
        )

    @classmethod
    def read(cls, text: str, where: str) -> Keys:
        """Read keys, one on each line.

        Parameters
        ----------
        text : str
        where : str
            For the message: never with what stands there.
        """
        lines = [line.strip() for line in text.splitlines()]
        lines = [line for line in lines if line and not line.startswith("#")]
        if not lines or not all(_LINE.fullmatch(line) for line in lines):
            raise StoreError(
                f"{where} must hold keys of {2 * _BYTES} hexadecimal digits, one on each line. "
                "It does not.\n\nHint: 'openssl rand -hex 32' makes one."
            )
        return cls(tuple(bytes.fromhex(line) for line in lines))


def find_keys(
    key: bytes | str | os.PathLike[str] | None, beside: Path | None, *, new: bool
) -> Keys | None:
    """Find the keys of a store.

    Parameters
    ----------
    key : bytes, path or None
        The key itself, its file, or None: then the environment says it, or the file beside the
        database holds it.
    beside : Path or None
        Where the key lies when nothing else is said; None for a database that is no file.
    new : bool
        Whether the store is being made: then a key file that is not there is made too.

    Returns
    -------
    Keys or None
        None where nobody said where the key is, or nothing is there.
    """
    if isinstance(key, bytes):
        if len(key) != _BYTES:
            raise StoreError(f"A key must have {_BYTES} bytes. Got {len(key)} instead.")
        return Keys((key,))
    if key is None and os.environ.get(VARIABLE):
        text = os.environ[VARIABLE].replace(",", "\n")
        return Keys.read(text, f"The environment variable {VARIABLE}")
    path = beside if key is None else Path(key)
    if path is None:
        return None
    if new:
        _make(path)
    return _from_file(path) if path.exists() else None


def missing_key(beside: Path | None, database: str) -> StoreError:
    """Make the error for a store whose key was not found."""
    usual = f" It is usually beside the database: '{beside.name}'." if beside is not None else ""
    return StoreError(
        f"The key of {database[0].lower()}{database[1:]} was not found. Without it no receipt can "
        f"be signed or checked, so that no record can be added or taken back.{usual}"
        + hint(
            f"give key=path, or set the environment variable {VARIABLE}",
            f"give --key FILE, or set the environment variable {VARIABLE}",
        )
    )


def _make(path: Path) -> None:
    """Make a key file for us alone, unless there is one."""
    if os.path.lexists(path):
        return
    try:
        with draft_of(path) as draft:
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(f"{secrets.token_hex(_BYTES)}\n")
                file.flush()
                os.fsync(file.fileno())
            put_new(draft, path)
    except FileExistsError:  # another process was faster, and its key is as good
        return
    except OSError as error:
        raise StoreError(f"The key file '{path.name}' cannot be made: {error.strerror}.") from None


def _from_file(path: Path) -> Keys:
    try:
        rights = stat.S_IMODE(path.stat().st_mode)
        text = path.read_text(encoding="ascii")
    except OSError as error:
        raise StoreError(f"The key file '{path.name}' cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        text = ""
    if os.name == "posix" and rights & (stat.S_IRWXG | stat.S_IRWXO):
        warnings.warn(
            f"Others can read or write the key file '{path.name}': whoever has the key can take "
            f"back records of other people.\n\nHint: chmod 600 '{path.name}'",
            SparsamWarning,
            stacklevel=2,
        )
    return Keys.read(text, f"The key file '{path.name}'")

"""A witness: a small file elsewhere that remembers the last entry of a ledger."""

from __future__ import annotations

import json
from pathlib import Path

from sparsam._errors import LedgerError
from sparsam._writing import write_text


class Witness:
    """Remembers how far a ledger had come, on another disk or in other hands.

    A ledger that is put back to an older copy is whole in itself; only something outside the
    file can tell. When several processes write at once, a witness may lag by their last entries.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def remembered(self) -> tuple[int, str] | None:
        """Give the sequence and the digest of the last entry seen; None where there is no file."""
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            return int(data["sequence"]), str(data["head"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError):
            raise LedgerError(
                f"The witness '{self.path.name}' cannot be read, or is none."
            ) from None

    def note(self, sequence: int, head: str) -> None:
        """Remember an entry, unless a later one is remembered already."""
        known = self.remembered()
        if known is not None and known[0] >= sequence:
            return
        try:
            write_text(self.path, json.dumps({"sequence": sequence, "head": head}))
        except OSError as error:
            raise LedgerError(
                f"The witness '{self.path.name}' cannot be written: {error.strerror}."
            ) from None

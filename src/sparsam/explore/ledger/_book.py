"""What a ledger says of itself, and how entries are added to it."""

from __future__ import annotations

import math
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from sparsam._errors import BudgetError, LedgerError, ParameterError
from sparsam.explore.ledger._amounts import NANO, nano_text
from sparsam.explore.ledger._chain import Replay, Row, broken, canonical, digest, price, read_body
from sparsam.explore.ledger._costs import Cost
from sparsam.explore.ledger._store import Store, append, first_answer, hash_at, rows_after
from sparsam.explore.ledger._witness import Witness


class Fingerprinted(Protocol):
    """A table that can be told from others."""

    def fingerprint(self, salt: str) -> str:
        """Return a digest of the rows that depends on the salt."""


def table_digest(data: str | Fingerprinted, salt: str) -> str:
    """Return the salted digest of a table that a ledger keeps.

    Parameters
    ----------
    data : str or object with `fingerprint(salt)`
        A text is taken for the fingerprint itself.
    salt : str

    Returns
    -------
    str
    """
    text = data if isinstance(data, str) else data.fingerprint(salt)
    # The salt is in the file: it keeps two ledgers from being compared, not a reader of the file
    # who knows all rows but one from testing guesses. So it is never printed in a statement.
    return digest(salt, text)


class Book:
    """A ledger that can be read; the base of `Ledger`, which can be asked.

    Parameters
    ----------
    store : Store
    analyst : str
    witness : Witness or None
    """

    def __init__(self, store: Store, analyst: str, witness: Witness | None) -> None:
        self.analyst = analyst
        self._store = store
        self._witness = witness
        self._replay = Replay()

    def affords(self, cost: Cost) -> bool:
        """Return whether what is left would pay a cost."""
        return price(cost, self.unit, self.order) <= self.remaining

    def largest(self) -> dict[str, int]:
        """Say what is the most that what is left would pay, by kind of noise.

        Returns
        -------
        dict of str to int
            Billionths of epsilon of 'laplace' and 'choice', of rho of 'gaussian'.
        """
        return self._largest(self.remaining)

    @property
    def budget(self) -> int:
        """What there was at first, in billionths of the unit."""
        return int(self._replay.header["budget"])

    @property
    def spent(self) -> int:
        """What was charged so far, by all processes, in billionths of the unit."""
        with self._store.reading() as connection:
            self._catch_up(connection)
            return self._replay.spent

    @property
    def remaining(self) -> int:
        """What is left, in billionths of the unit."""
        return self.budget - self.spent

    @property
    def head(self) -> str:
        """The digest of the last entry."""
        with self._store.reading() as connection:
            self._catch_up(connection)
            return self._replay.head

    @property
    def unit(self) -> str:
        """What is counted: 'epsilon' or 'rho'."""
        return str(self._replay.header["unit"])

    @property
    def epsilon(self) -> float:
        """The epsilon that the budget promises."""
        return int(self._replay.header["epsilon"]) / NANO

    @property
    def delta(self) -> float | None:
        """The delta that the budget promises; None for pure epsilon."""
        return None if self.unit == "epsilon" else float(self._replay.header["delta"])

    @property
    def order(self) -> int | None:
        """The Rényi order of the account; None for pure epsilon."""
        return None if self.unit == "epsilon" else int(self._replay.header["order"])

    @property
    def domains(self) -> Any:
        """What was declared of the table, as plain data; None where nothing was."""
        return self._replay.header["domains"]

    @property
    def note(self) -> str:
        """What the budget is for."""
        return str(self._replay.header["note"])

    @property
    def salt(self) -> str:
        """What the fingerprint of the table is salted with."""
        return str(self._replay.header["salt"])

    @property
    def fingerprint(self) -> str | None:
        """The salted digest of the table; never publish it.

        Who knows all rows but one, and has the salt, can test guesses of the last one with it.
        """
        with self._store.reading() as connection:
            self._catch_up(connection)
            return self._replay.fingerprint

    @property
    def path(self) -> Path:
        """Where the ledger is."""
        return self._store.path

    @property
    def read_only(self) -> bool:
        """Whether nothing can be charged here."""
        return self._store.read_only

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """Check and take over what was written since, by this or any other process."""
        known = self._replay
        if known.sequence >= 0 and hash_at(connection, known.sequence) != known.head:
            raise broken(known.sequence, "is gone or was changed while the ledger was open")
        known.read(rows_after(connection, known.sequence))
        if known.sequence < 0:
            raise LedgerError(f"The ledger '{self._store.path.name}' has no entries.")

    def _answer(self, connection: sqlite3.Connection, key: str) -> Row | None:
        """Return the answer that a question got first, if it is still what it was."""
        row = first_answer(connection, key)
        if row is not None:
            before = hash_at(connection, row.sequence - 1)
            if before is None or digest(before, row.body) != row.hash:
                raise broken(row.sequence, "was changed while the ledger was open")
        return row

    def _append(
        self,
        connection: sqlite3.Connection,
        kind: str,
        content: dict[str, Any],
        amount: int = 0,
        after: Row | None = None,
    ) -> Row:
        """Add an entry to the open transaction, after the last one or after another new one."""
        known = self._replay
        sequence, head, spent = known.sequence, known.head, known.spent
        if after is not None:
            sequence, head, spent = after.sequence, after.hash, after.spent
        body = {
            **content,
            "sequence": sequence + 1,
            "kind": kind,
            "amount": amount,
            "spent": spent + amount,
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "analyst": self.analyst,
        }
        text = canonical(body, "entry")
        if read_body(text) is None:
            # Before anything is written: an entry that cannot be read again would end the ledger.
            raise ParameterError(
                "A ledger must be able to read what it writes. Got a text with half a sign, or "
                "data that is nested too deeply."
            )
        row = Row(
            sequence + 1, kind, amount, spent + amount, content.get("key"), text, digest(head, text)
        )
        append(connection, row)
        return row

    def _charge(
        self, connection: sqlite3.Connection, kind: str, cost: Cost, content: dict[str, Any]
    ) -> Row:
        """Add a charge, after the binding to a table where that is still to be done."""
        amount = price(cost, self.unit, self.order)
        if amount <= 0:
            raise LedgerError(
                "A question to the table must cost something. Got a cost of nothing.\n\n"
                "Hint: what follows from earlier answers is free, and needs no ledger."
            )
        remaining = self.budget - self._replay.spent
        if amount > remaining:
            raise self._too_dear(amount, remaining)
        table = content.pop("fingerprint", None)
        bound = None
        if table is not None and self._replay.fingerprint is None:
            bound = self._append(connection, "bind", {"fingerprint": table})
        return self._append(connection, kind, content, amount, after=bound)

    def _too_dear(self, requested: int, remaining: int) -> BudgetError:
        fits = self._largest(remaining)
        units = {"laplace": "epsilon", "choice": "epsilon", "gaussian": "rho"}
        listed = ", ".join(f"{kind} {units[kind]} {nano_text(most)}" for kind, most in fits.items())
        hint = f"what is left would pay at most: {listed}" if remaining else "nothing is left"
        return BudgetError(
            f"The question costs {nano_text(requested)} of {self.unit}, but "
            f"{nano_text(remaining)} of {nano_text(self.budget)} is left: "
            f"{nano_text(requested - remaining)} too little. Nothing was charged and nothing was "
            f"computed.\n\nHint: {hint}.",
            requested,
            remaining,
            fits,
        )

    def _largest(self, remaining: int) -> dict[str, int]:
        if self.unit == "epsilon":
            return {"laplace": remaining, "choice": remaining}
        return {
            "laplace": math.isqrt(2 * NANO * remaining),
            "choice": math.isqrt(8 * NANO * remaining),
            "gaussian": remaining,
        }

    def _check_table(self, table: str) -> None:
        known = self._replay.fingerprint
        if known is not None and known != table:
            raise LedgerError(
                "The ledger pays for one table, and this is another one, or it has changed. "
                "Nothing was charged and nothing was computed.\n\n"
                "Hint: a changed table that holds the same people shares their budget; a new "
                "ledger for it would not know what was spent."
            )

    def _wrote(self, row: Row) -> None:
        """Tell the witness of an entry that is on the disk."""
        if self._witness is not None:
            self._witness.note(row.sequence, row.hash)

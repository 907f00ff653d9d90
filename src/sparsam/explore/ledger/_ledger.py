"""The privacy budget of one table, on disk: every answer is charged before it is computed."""

from __future__ import annotations

import getpass
import json
import math
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import msgspec

from sparsam._errors import BudgetError, LedgerError, ParameterError, SparsamError
from sparsam.data import OF_ROWS, Table, fingerprint
from sparsam.explore._declared import Declared, declared
from sparsam.explore._noise import require_opendp
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._accounts import budget_terms, epsilon_from_rho
from sparsam.explore.ledger._amounts import NANO, Amount, Unit, nano_text
from sparsam.explore.ledger._chain import (
    Replay,
    Row,
    Verification,
    broken,
    canonical,
    digest,
    price,
    read_body,
)
from sparsam.explore.ledger._costs import Cost, training_cost
from sparsam.explore.ledger._statement import Statement, make_statement
from sparsam.explore.ledger._store import (
    Store,
    Witness,
    append,
    first_answer,
    hash_at,
    new_ledger,
    rows_after,
)

_WAIT = 60.0
_WRONG_SHAPE = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError)


class Fingerprinted(Protocol):
    """A table that can be told from others."""

    def fingerprint(self, salt: str) -> str:
        """Return a digest of the rows that depends on the salt."""


def table_digest(data: str | Fingerprinted, salt: str, bound: str | None = None) -> str:
    """Return the salted digest of a table that a ledger keeps.

    Parameters
    ----------
    data : str or object with `fingerprint(salt)`
        A text is taken for the fingerprint itself.
    salt : str
    bound : str, optional
        The digest that a ledger keeps already. What an earlier version bound to a frame is
        compared with what that version would have given.

    Returns
    -------
    str
        "rows:" before it says that rows were hashed, and not the bytes of a file.
    """
    text = data if isinstance(data, str) else data.fingerprint(salt)
    if text.startswith(OF_ROWS):
        former = getattr(data, "former_fingerprint", None)
        if bound is None or bound.startswith(OF_ROWS) or former is None:
            return OF_ROWS + digest(salt, text)
        text = former(salt)
    # The salt is in the file: it keeps two ledgers from being compared, not a reader of the file
    # who knows all rows but one from testing guesses. So it is never printed in a statement.
    return digest(salt, text)


class Entry(msgspec.Struct, frozen=True):
    """An answer, and what was paid for it.

    Attributes
    ----------
    answer : object
        Plain data; None for a charge that has no answer, as that of training.
    sequence : int
        The entry of the ledger that charged it.
    head : str
        A digest of the ledger up to the answer. `Ledger.open(..., at_least=head)` refuses a
        ledger that was put back to an older copy.
    cost : Cost
    fresh : bool
        Whether this call paid. False: the question had been paid for before.
    amount : int
        What this call paid, in billionths of the ledger's unit.
    """

    answer: Any
    sequence: int
    head: str
    cost: Cost
    fresh: bool
    amount: int


class Ledger:
    """The privacy budget of one table, which all analysts and processes share.

    One row is one person; neighbouring tables differ by one row. Use `create` once for a table,
    then `open`. A budget of epsilon alone keeps pure differential privacy and adds epsilons up.
    With a delta, the ledger keeps Rényi differential privacy at one order, in units of rho: the
    answers together are (epsilon, delta)-private however later questions follow from earlier
    answers, and training with DP-SGD can be paid from the same account.

    For each question the charge is stored and flushed to the disk first, then the answer is
    computed, stored and given. So a crash or an error stays charged. A question that was
    answered before gets the same answer for nothing. Where two ask the same at the same moment,
    both pay, and both get the answer that was stored first.

    A file cannot prevent everything: see the end of a statement. It also holds a salted digest
    of the table and the answers; keep it as safe as the table.

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.explore import Ledger, laplace_cost
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger.create(f"{folder}/people.ledger", epsilon=1) as ledger:
    ...         one = ledger.ask(
    ...             {"count": "rows"}, laplace_cost(0.1), lambda: 42, fingerprint="some"
    ...         )
    ...         same = ledger.ask(
    ...             {"count": "rows"}, laplace_cost(0.1), lambda: 43, fingerprint="some"
    ...         )
    ...         (one.answer, one.fresh), (same.answer, same.fresh), ledger.remaining
    ((42, True), (42, False), 900000000)
    """

    def __init__(self, store: Store, analyst: str | None, witness: Witness | None) -> None:
        self.analyst = _analyst() if analyst is None else _text(analyst, "analyst")
        self._store = store
        self._witness = witness
        self._replay = Replay()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        data: Any = None,
        *,
        epsilon: Amount,
        delta: Amount | None = None,
        order: int | None = None,
        domains: Any = None,
        fingerprint: str | None = None,
        note: str = "",
        analyst: str | None = None,
        witness: str | os.PathLike[str] | None = None,
        timeout: float = _WAIT,
    ) -> Self:
        """Make the ledger of a table; refused where a file is already.

        Parameters
        ----------
        path : path
            On a disk of this machine: the locks of network disks cannot be relied on. Only its
            owner can read and write it; to share it with a group, change that by hand.
        data : path, frame, mapping, list of records, Table or DuckDB relation, optional
            The table that the budget is for: give what will be explored, as a file and a frame of
            the same rows differ. None binds the ledger to the first table asked.
        epsilon : number
            Rounded down to billionths.
        delta : number, optional
            Between 0 and 1; below one by the number of people. None: pure epsilon.
        order : int, optional
            The Rényi order of the account; by default the one with the largest budget. Training
            can be much cheaper at a lower order: see `training_cost`.
        domains : Declared, or what `declared` takes, optional
            What the attributes may hold, for all who ask. Never read from the data, which must
            have every one of them.
        fingerprint : str, optional
            Instead of `data`: what tells the table from others, for a program that asks by itself.
        note : str, default=""
            What the budget is for.
        analyst : str, optional
            Who creates it; the name of the login by default.
        witness : path, optional
            A file elsewhere that remembers the last entry. See `open`.
        timeout : float, default=60
            How many seconds to wait for other processes.

        Returns
        -------
        Ledger
        """
        terms = budget_terms(epsilon, delta, order)
        bound = table_terms(data, domains, fingerprint, secrets.token_hex(16))
        header = {**terms, **bound, "note": _text(note, "note")}
        canonical(header, "domains")
        place = Path(path).absolute()
        watcher = None if witness is None else Witness(Path(witness).absolute())
        if watcher is not None and watcher.remembered() is not None:
            raise LedgerError(f"The witness '{watcher.path.name}' remembers another ledger.")
        named = _analyst() if analyst is None else _text(analyst, "analyst")
        with (
            new_ledger(place) as draft,
            cls(Store.create(draft, timeout), named, None) as ledger,
            ledger._store.writing() as connection,
        ):
            row = ledger._append(connection, "create", header)
        store = Store.open(place, timeout)
        try:
            ledger = cls(store, named, watcher)
            ledger._wrote(row)
            with store.reading() as connection:
                ledger._catch_up(connection)
        except BaseException:
            store.discard()
            raise
        return ledger

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        analyst: str | None = None,
        at_least: str | None = None,
        witness: str | os.PathLike[str] | None = None,
        timeout: float = _WAIT,
    ) -> Self:
        """Open a ledger and check every entry of it.

        Parameters
        ----------
        path : path
        analyst : str, optional
            Who asks; the name of the login by default.
        at_least : str, optional
            A head from an earlier answer or statement: the ledger must have come that far.
        witness : path, optional
            A file elsewhere that remembers the last entry. The ledger must have come that far.
        timeout : float, default=60
            How many seconds to wait for other processes.

        Returns
        -------
        Ledger
            Use it with `with`, or close it.
        """
        store = Store.open(Path(path).absolute(), timeout)
        try:
            watcher = None if witness is None else Witness(Path(witness).absolute())
            ledger = cls(store, analyst, watcher)
            known = None if watcher is None else watcher.remembered()
            with store.reading() as connection:
                store.check_schema(connection)
                heads = (at_least, None if known is None else known[1])
                # Looked for among the entries, not in an index that says what it was made to say.
                ledger._replay.awaited = {head for head in heads if head is not None}
                ledger._catch_up(connection)
                if ledger._replay.awaited:
                    raise LedgerError(
                        "The ledger was put back to an older copy, or is another one: it "
                        "lacks an entry that it had. Nothing is answered from it."
                    )
            return ledger
        except BaseException:
            store.close()
            raise

    def affords(self, cost: Cost) -> bool:
        """Return whether what is left would pay a cost."""
        return price(cost, self.unit, self.order) <= self.remaining

    def largest(self) -> dict[str, int]:
        """Return the most that what is left would pay, by kind of noise.

        Returns
        -------
        dict of str to int
            Billionths of epsilon of 'laplace' and 'choice', of rho of 'gaussian'.
        """
        return self._largest(self.remaining)

    def largest_epsilon(self) -> str:
        """Write the largest epsilon, at the ledger's delta, that what is left would pay."""
        if self.delta is None:
            return nano_text(self.remaining)
        epsilon = epsilon_from_rho(self.remaining / NANO, self.delta)
        return f"{math.floor(1000 * epsilon) / 1000:g}"

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
    def unit(self) -> Unit:
        """What is counted: 'epsilon' or 'rho'."""
        return "epsilon" if self._replay.header["unit"] == "epsilon" else "rho"

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
    def declared(self) -> Declared | None:
        """The domains that were declared of the table; None where none were."""
        return None if self.domains is None else Declared.from_dict(self.domains)

    def declare(self, domains: Any = None) -> Declared:
        """Return what may be explored: domains clamped to those of the ledger, or these.

        Parameters
        ----------
        domains : Declared, or what `declared` takes, optional
        """
        known = self.declared
        if domains is not None:
            wanted = declared(domains)
            return wanted if known is None else wanted.within(known)
        if known is None:
            raise ParameterError(
                "Domains must be declared, here or when the ledger is created. Got none."
                "\n\nHint: Explorer(data, ledger, domains={'age': (0, 99, 'integer'), ...}). "
                "Nothing is read from the data."
            )
        return known

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

    def ask(
        self,
        question: dict[str, Any],
        cost: Cost,
        compute: Callable[[], Any],
        *,
        purpose: str = "",
        fingerprint: str | Fingerprinted,
    ) -> Entry:
        """Charge a question, compute its answer, store it and give it, in this order.

        Parameters
        ----------
        question : dict
            Plain data that names all that the answer depends on besides the table: attributes
            and declared domains, never a person's value. With the cost it identifies the
            question.
        cost : Cost
            Of the noise that `compute` adds.
        compute : callable
            Gives the noisy answer as plain data. If it fails, the charge stays, and the error
            says nothing about the data.
        purpose : str, default=""
            Why it is asked; for the statement.
        fingerprint : str or object with `fingerprint(salt)`
            The table asked; must be the one of the ledger.

        Returns
        -------
        Entry
        """
        if not isinstance(question, dict):
            raise ParameterError("The 'question' must be a dict of plain data.")
        why, paid = _text(purpose, "purpose"), cost.to_dict()
        key = digest(canonical(question, "question"), canonical(paid, "cost"))
        with self._store.reading() as connection:
            self._catch_up(connection)
            answer = self._answer(connection, key)
        table = table_digest(fingerprint, self.salt, self._replay.fingerprint)
        self._check_table(table)
        if answer is not None:
            return _stored(answer, cost)
        content = {"question": question, "key": key, "cost": paid, "purpose": why}
        with self._store.writing() as connection:
            self._catch_up(connection)
            self._check_table(table)
            answer = self._answer(connection, key)
            if answer is not None:
                return _stored(answer, cost)
            charge = self._charge(connection, "reserve", cost, content | {"fingerprint": table})
        self._wrote(charge)
        return self._computed(compute, charge, cost)

    def charge_training(
        self,
        noise_multiplier: float,
        sample_rate: float,
        steps: int,
        *,
        purpose: str = "",
        fingerprint: str | Fingerprinted | None = None,
    ) -> Entry:
        """Charge a run of DP-SGD; call it before the training, and once for each run.

        Parameters
        ----------
        noise_multiplier : float
            Standard deviation of the noise by the norm to which gradients are clipped.
        sample_rate : float
            The batch size by the number of rows.
        steps : int
            In all epochs together.
        purpose : str, default=""
        fingerprint : str or object with `fingerprint(salt)`, optional
            The table, to check that it is the one of the ledger.

        Returns
        -------
        Entry
        """
        if self.order is None:
            raise LedgerError(
                "Training with DP-SGD can be paid only from a ledger with a delta. "
                "This one keeps pure epsilon."
            )
        cost = training_cost(noise_multiplier, sample_rate, steps, order=self.order)
        content = {"cost": cost.to_dict(), "purpose": _text(purpose, "purpose")}
        with self._store.writing() as connection:
            self._catch_up(connection)
            if fingerprint is not None:
                bound = self._replay.fingerprint
                self._check_table(table_digest(fingerprint, self.salt, bound))
            charge = self._charge(connection, "training", cost, content)
        self._wrote(charge)
        return Entry(None, charge.sequence, charge.hash, cost, True, charge.amount)

    def entries(self) -> list[dict[str, Any]]:
        """Return all entries as plain data, oldest first; without the fingerprint of the table."""
        with self._store.reading() as connection:
            self._catch_up(connection)
            rows = list(rows_after(connection, -1))
        hidden = ("salt", "fingerprint")
        bodies = [{**_loaded(row.body, row), "hash": row.hash} for row in rows]
        return [{k: v for k, v in body.items() if k not in hidden} for body in bodies]

    def verify(self) -> Verification:
        """Check the whole ledger again, entry by entry; a damaged one raises LedgerError."""
        fresh = Replay()
        with self._store.reading() as connection:
            self._store.check_pages(connection)
            self._store.check_schema(connection)
            self._catch_up(connection)
            fresh.read(rows_after(connection, -1))
        return Verification(
            entries=fresh.sequence + 1,
            spent=fresh.spent,
            remaining=self.budget - fresh.spent,
            unanswered=len(fresh.unanswered),
            head=fresh.head,
        )

    def statement(self, delta: Amount | None = None) -> Statement:
        """Write the page for the data-protection officer.

        Parameters
        ----------
        delta : number, optional
            For the accounts that need one; by default that of the ledger, or 1e-6.

        Returns
        -------
        Statement
        """
        self.verify()
        return make_statement(self.entries(), self._store.path.name, delta)

    def _computed(self, compute: Callable[[], Any], charge: Row, cost: Cost) -> Entry:
        text = _attempt(compute)
        content: dict[str, Any] = {"charge": charge.sequence, "key": charge.key}
        assert charge.key is not None
        try:
            with self._store.writing() as connection:
                self._catch_up(connection)
                first = self._answer(connection, charge.key)
                if text is None:
                    row = self._append(connection, "failed", content)
                elif first is not None:
                    row = self._append(connection, "dropped", content | {"same": first.sequence})
                    text = _answer_text(first)
                else:
                    row = self._append(connection, "answer", content | {"answer": text})
            self._wrote(row)
        except LedgerError as error:
            if text is not None:
                raise LedgerError(
                    f"The question was charged, but its answer could not be stored, so that none "
                    f"is given. {error}"
                ) from None
        if text is None:
            # Outside any handler, so that the error carries no trace of the one with the data.
            raise LedgerError(
                f"The question was charged (entry {charge.sequence}), but its answer could not "
                "be computed. Why is not said: the reason could tell about the data."
            )
        return Entry(json.loads(text), charge.sequence, row.hash, cost, True, charge.amount)

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

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        # scikit-learn copies the parameters of an estimator; a budget must not be doubled.
        return self

    def __del__(self) -> None:
        store = getattr(self, "_store", None)
        if store is not None:
            store.close()

    def __repr__(self) -> str:
        return f"<Ledger '{self._store.path.name}' of {nano_text(self.budget)} {self.unit}>"


def _attempt(compute: Callable[[], Any]) -> str | None:
    """Compute an answer as JSON; None if that fails, whatever the reason."""
    try:
        return canonical(compute(), "answer")
    except Exception:  # noqa: BLE001 - any reason could tell about the data, so none is passed on
        return None


def _answer_text(row: Row) -> str:
    return str(_loaded(row.body, row)["answer"])


def _stored(row: Row, cost: Cost) -> Entry:
    body = _loaded(row.body, row)
    return Entry(_loaded(body["answer"], row), body["charge"], row.hash, cost, False, 0)


def _loaded(text: str, row: Row) -> Any:
    """Read what is stored in an entry."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise broken(row.sequence, "does not hold plain data") from None


def _analyst() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "not named"


def _text(value: str, name: str) -> str:
    if not isinstance(value, str):
        raise ParameterError(f"The '{name}' must be a text. Got {type(value).__name__} instead.")
    return value


def table_terms(data: Any, domains: Any, text: str | None, salt: str) -> dict[str, Any]:
    """Return the declared domains and the salted digest of a table.

    Parameters
    ----------
    data : table, object with `fingerprint(salt)` or None
    domains : Declared, what `declared` takes, or None
    text : str or None
        A fingerprint instead of a table.
    salt : str
    """
    known = None if domains is None else declared(domains)
    described = None if known is None else {**known.to_dict(), "names": list(known.names)}
    return {"domains": described, "salt": salt, "fingerprint": _digest(data, known, text, salt)}


def _digest(data: Any, known: Declared | None, text: str | None, salt: str) -> str | None:
    if data is None:
        return None if text is None else table_digest(text, salt)
    if text is not None:
        raise ParameterError("Give 'data' or 'fingerprint' of a ledger, not both.")
    if callable(getattr(data, "fingerprint", None)) and not isinstance(data, Table):
        return table_digest(data, salt)
    if known is not None:
        return table_digest(PrivateTable(data, known), salt)
    return table_digest(fingerprint(data, salt), salt)


def private_table(data: Any, ledger: Ledger, domains: Any = None) -> PrivateTable:
    """Open the table that a ledger pays for; refused without what draws the noise.

    Parameters
    ----------
    data : path, frame, mapping, list of records, Table, DuckDB relation or PrivateTable
    ledger : Ledger
    domains : Declared, or what `declared` takes, optional
        What the attributes may hold; by default what the ledger was created with.
    """
    require_opendp()
    return data if isinstance(data, PrivateTable) else PrivateTable(data, ledger.declare(domains))


@contextmanager
def stored_answers(stored: Callable[[], bool]) -> Iterator[None]:
    """Refuse a stored answer that is none to the question asked.

    What comes from a file may be of anyone's making.

    Parameters
    ----------
    stored : callable
        Whether some answer that is worked on came from the file, and was not just computed.
    """
    try:
        yield
    except SparsamError:
        raise
    except _WRONG_SHAPE:
        if not stored():
            raise
        raise LedgerError(
            "The ledger is damaged or was tampered with: it holds an answer that is none to the "
            "question that was asked. Nothing was charged for it.\n\nHint: restore the file from "
            "a copy whose head you know."
        ) from None

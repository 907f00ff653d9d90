"""The privacy budget of one table, on disk: every answer is charged before it is computed."""

from __future__ import annotations

import getpass
import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from sparsam._errors import LedgerError, ParameterError
from sparsam.explore.ledger._amounts import Amount, nano_text
from sparsam.explore.ledger._book import Book, Fingerprinted, table_digest
from sparsam.explore.ledger._chain import Replay, Row, Verification, broken, canonical, digest
from sparsam.explore.ledger._costs import Cost, training_cost
from sparsam.explore.ledger._header import budget_terms
from sparsam.explore.ledger._statement import Statement, make_statement
from sparsam.explore.ledger._store import Store, new_ledger, rows_after
from sparsam.explore.ledger._terms import table_terms
from sparsam.explore.ledger._witness import Witness

_WAIT = 60.0


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


class Ledger(Book):
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
        named = _analyst() if analyst is None else _text(analyst, "analyst")
        super().__init__(store, named, witness)

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
            found = self._answer(connection, key)
        table = table_digest(fingerprint, self.salt)
        self._check_table(table)
        if found is not None:
            return _stored(found, cost)
        content = {"question": question, "key": key, "cost": paid, "purpose": why}
        with self._store.writing() as connection:
            self._catch_up(connection)
            self._check_table(table)
            found = self._answer(connection, key)
            if found is not None:
                return _stored(found, cost)
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
                self._check_table(table_digest(fingerprint, self.salt))
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

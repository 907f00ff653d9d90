"""The store of collected records."""

from __future__ import annotations

import os
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
from msgspec.structs import replace

from sparsam._checks import check_choice, check_whole
from sparsam._errors import ParameterError, ReceiptError, StoreError
from sparsam.collect._questionnaire import Questionnaire
from sparsam.collect._target import Target
from sparsam.collect.store._collected import Collected
from sparsam.collect.store._database import Database
from sparsam.collect.store._facts import Facts, Mode
from sparsam.collect.store._key import Keys, find_keys, missing_key
from sparsam.collect.store._opening import (
    Address,
    agreed,
    check_key,
    check_same,
    collected_by,
    connect,
    record_table,
)
from sparsam.collect.store._receipt import Receipt, Seal, read_receipt
from sparsam.collect.store._table import SPENT
from sparsam.collect.store._tighten import moved
from sparsam.collect.store._training import Training
from sparsam.generalization import Generalization

MODES: Final = ("counts", "rows")
_LONGEST: Final = 36_500
_SECONDS_A_DAY: Final = 86_400

Key = bytes | str | os.PathLike[str] | None


def current_day() -> int:
    """Return the day in universal time, in days since 1970: the finest time that is kept."""
    return int(time.time() // _SECONDS_A_DAY)


class Store:
    """Collected records, kept as counts of buckets by day: nothing finer, and nobody's name.

    A record has a bucket of each attribute that a generalization collects; of a questionnaire it is
    a finished interview. The database itself refuses what is finer. Each record gives a signed
    receipt, the only link to the person who holds it: with it the record can be taken back. Records
    go when their time is over, whenever a store is opened and by `expire`. Made by `open`, or by
    `reopen` from what is there; a context manager that closes it.

    Attributes
    ----------
    source : Generalization or Questionnaire
        What is collected.
    generalization : Generalization
        The same, or what the answers to the questionnaire are made of.
    target : Target or None
    mode : {"counts", "rows"}
    keep_days : int
    columns : tuple of str
        What a record consists of: the collected attributes, or the number of the interview; then
        the target.
    sizes : tuple of int
        How many buckets, or interviews, each of them has.

    Notes
    -----
    All threads may use one store; they wait for each other. Several processes may each open the
    same one. After a fork, open it anew.

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import Generalization, numeric_partition
    >>> ages = Generalization([numeric_partition("age", NumericDomain(0, 99), [17, 62])])
    >>> place = tempfile.TemporaryDirectory()
    >>> with Store.open(f"{place.name}/people.db", ages, keep_days=90) as store:
    ...     mine, yours = store.add([[1], [2]])
    ...     store.forget(mine)
    ...     print(store.count())
    1
    >>> place.cleanup()
    """

    def __init__(
        self, database: Database, facts: Facts, collected: Collected, keys: Keys | None
    ) -> None:
        self._database = database
        self._keys = keys
        self._take(facts, collected)

    def _note(self, facts: Facts) -> None:
        self._facts, self._text = facts, facts.to_json()
        self.keep_days = facts.keep_days

    def _take(self, facts: Facts, collected: Collected) -> None:
        self._note(facts)
        self.collected = collected
        self.source = collected.source
        self.generalization = collected.generalization
        self.target = collected.target
        self.mode: Mode = facts.mode
        self.columns = tuple(collected.sizes)
        self.sizes = tuple(collected.sizes.values())
        self._table = record_table(collected, facts.mode)
        self._seal = None if self._keys is None else self._new_seal(self._keys)

    @classmethod
    def open(
        cls,
        address: Address,
        source: Generalization | Questionnaire,
        *,
        keep_days: int,
        mode: Mode = "counts",
        target: Target | None = None,
        key: Key = None,
    ) -> Store:
        """Open a store to collect into, or make one where there is none.

        Parameters
        ----------
        address : path or str
            A SQLite file, or the address of a PostgreSQL database, "postgresql://…" (needs the
            extra `postgres`). One store for each file, and for each schema of a database.
        source : Generalization or Questionnaire
            What is collected. A store that is there must have the same.
        keep_days : int
            A record is deleted when so many days have begun since its own, so it is never kept
            longer than that. A store that is there may be given fewer days than it has, never more:
            the people who are in it were promised those.
        mode : {"counts", "rows"}, default="counts"
            "counts" keeps how many records each combination of buckets has on each day; "rows" a
            row for each record, with its day and a random handle.
        target : Target, optional
            What a model is to learn, collected too.
        key : path or bytes, optional
            The file of the key that signs receipts, or its 32 bytes. Without it the environment
            variable SPARSAM_RECEIPT_KEY, or else a file beside a SQLite file: people.db.key.

        Raises
        ------
        StoreError
            The database cannot be opened, is something else, or holds other records.
        """
        check_whole("Store.open", "keep_days", keep_days, 1, _LONGEST)
        check_choice("Store.open", "mode", mode, MODES)
        collected = Collected.of(source, target)
        table = record_table(collected, mode)
        database = connect(address, new=True)
        try:
            with database.writing(alone=True):
                text = database.facts()
                keys = find_keys(key, database.key_place, new=text is None)
                if keys is None:
                    raise missing_key(database.key_place, database.name)
                if text is None:
                    facts = Facts(
                        mode=mode,
                        keep_days=int(keep_days),
                        target=target,
                        fingerprint=collected.fingerprint,
                        series=secrets.token_hex(16),
                        key=keys.marks[0],
                        rewritten=current_day(),
                    ).with_source(source)
                    database.set_up()
                    database.make(table)
                    database.set_facts(facts.to_json())
                else:
                    before = Facts.from_json(text, database.name)
                    there = collected_by(before, database)
                    check_same(there, collected, database.name)
                    facts = agreed(before, mode, int(keep_days), keys, database.name)
                    collected = there
                    if facts != before:
                        database.set_facts(facts.to_json())
            return cls._ready(database, facts, collected, keys)
        except BaseException:
            database.close()
            raise

    @classmethod
    def reopen(cls, address: Address, *, key: Key = None) -> Store:
        """Open a store that is there, as it says of itself.

        Parameters
        ----------
        address : path or str
        key : path or bytes, optional
            As for `open`. Without a key records can be counted and trained on, and the store can
            be tightened, but nothing can be added or taken back.
        """
        database = connect(address, new=False)
        try:
            with database.reading():
                text = database.facts()
                if text is None:
                    raise StoreError(f"{database.name} holds no store yet.")
                facts = Facts.from_json(text, database.name)
                collected = collected_by(facts, database)
            keys = find_keys(key, database.key_place, new=False)
            if keys is None and key is not None:
                raise missing_key(database.key_place, database.name)
            if keys is not None:
                check_key(facts, keys, database.name)
            return cls._ready(database, facts, collected, keys)
        except BaseException:
            database.close()
            raise

    @classmethod
    def _ready(
        cls, database: Database, facts: Facts, collected: Collected, keys: Keys | None
    ) -> Store:
        store = cls(database, facts, collected, keys)
        store.expire()
        return store

    def add(self, records: Sequence[Sequence[int]]) -> list[str]:
        """Add records, all or none; they are on the disk when this returns.

        Parameters
        ----------
        records : sequence of sequences of int
            The bucket of each of `columns`, in that order.

        Returns
        -------
        list of str
            A receipt for each.

        Raises
        ------
        ParameterError
            A bucket does not exist. The message names the column, and not what was given.
        """
        with self._database.lock:
            cells = [self._checked(record) for record in records]
            if not cells:
                return []
            if self._seal is None:
                raise missing_key(self._database.key_place, self._database.name)
            with self._writing():
                day = current_day()
                receipts, handles = self._seal.issue(day, cells)
                self._database.insert(self._table, self._rows(day, cells, handles))
            return receipts

    def _checked(self, record: Sequence[int]) -> tuple[int, ...]:
        codes = tuple(map(_whole, record))
        if len(codes) != len(self.sizes):
            raise ParameterError(
                f"A record must have {len(self.sizes)} buckets, one for each of "
                f"{', '.join(self.columns)}. Got {len(codes)} instead."
            )
        for place, (code, size) in enumerate(zip(codes, self.sizes, strict=True)):
            if not 0 <= code < size:
                raise ParameterError(
                    f"'{self.columns[place]}' must be a whole number from 0 to {size - 1}."
                )
        return codes

    def _rows(
        self, day: int, cells: list[tuple[int, ...]], handles: list[bytes]
    ) -> list[tuple[Any, ...]]:
        """Rows in an order that tells nothing, and that is the same in every process."""
        if self.mode == "rows":
            return sorted((handle, day, *cell) for handle, cell in zip(handles, cells, strict=True))
        counts = Counter(cells)
        return [(day, *cell, counts[cell]) for cell in sorted(counts)]

    def forget(self, receipt: str) -> None:
        """Take a record back: nothing of it is left, in the database and its log.

        Parameters
        ----------
        receipt : str
            What `add` returned for it, once. Receipts from before a `tighten` are as good.

        Raises
        ------
        ReceiptError
            The receipt was forged or changed, is of another collection, was used already, or its
            record was deleted when its time was over. Its `reason` says which.
        """
        if self._keys is None:
            raise missing_key(self._database.key_place, self._database.name)
        with self._database.lock:
            with self._reading():  # no other process has to wait for a receipt that is none
                read = read_receipt(receipt, self._keys, self._facts.honoured(self.sizes))
                self._refuse_used(read)
            with self._writing(alone=True):
                self._refuse_used(read)
                self._remove(read, self._facts.today(read.series, read.codes))
                self._database.erase(self._table)

    def _refuse_used(self, receipt: Receipt) -> None:
        if receipt.day <= current_day() - self.keep_days:
            raise ReceiptError(
                "The time of this receipt is over: its record was deleted with all others of that "
                "day.",
                "expired",
            )
        place = self._table.name if self.mode == "rows" else SPENT
        statement = f"SELECT 1 FROM {place} WHERE handle = ?"
        if bool(self._database.rows(statement, (receipt.handle,))) != (self.mode == "rows"):
            raise ReceiptError("This receipt was used already: its record is deleted.", "spent")

    def _remove(self, receipt: Receipt, codes: tuple[int, ...]) -> None:
        database, table = self._database, self._table
        if self.mode == "rows":
            database.run(table.one_row, (receipt.handle,))
            return
        database.run(f"INSERT INTO {SPENT} VALUES (?, ?)", (receipt.handle, receipt.day))
        cell = (receipt.day, *codes)
        if not database.run(table.one_less, cell) and not database.run(table.last_one, cell):
            raise ReceiptError(
                "The receipt is good, but its record is not in the store: the database was put "
                "back to an earlier state, or changed by something else.",
                "absent",
            )

    def expire(self, today: int | None = None) -> int:
        """Delete the records whose time is over, and all that is left of them.

        Parameters
        ----------
        today : int, optional
            In days since 1970; by default today, in universal time.

        Returns
        -------
        int
            How many records were deleted.
        """
        with self._database.lock:
            return self._expire(current_day() if today is None else today)

    def _expire(self, day: int) -> int:
        database, table = self._database, self._table
        with self._reading():
            last = day - self.keep_days
            due = int(database.rows(table.outdated, (last,))[0][0])
            spent = database.rows(f"SELECT 1 FROM {SPENT} WHERE day <= ? LIMIT 1", (last,))
            old = any(earlier.last_day <= last for earlier in self._facts.earlier)
            ordered = database.keeps_order and self._facts.rewritten < day
        if not (due or spent or old or ordered):
            return 0
        with self._writing(alone=True):
            last = day - self.keep_days
            due = int(database.rows(table.outdated, (last,))[0][0])
            database.run(table.expire, (last,))
            database.run(f"DELETE FROM {SPENT} WHERE day <= ?", (last,))
            kept = tuple(one for one in self._facts.earlier if one.last_day > last)
            rewritten = max(day, self._facts.rewritten)
            self._note(replace(self._facts, earlier=kept, rewritten=rewritten))
            database.set_facts(self._text)
            database.erase(table, shrink=True)
        return due

    def count(self) -> int:
        """Return how many records there are. Small numbers are not for publication."""
        with self._reading():
            return int(self._database.rows(self._table.total)[0][0])

    def training(self) -> Training:
        """Return all records as a model is trained on them: codes, target, weights."""
        with self._database.lock:
            with self._reading():
                rows = self._database.rows(self._table.by_buckets)
            return self.collected.training(rows)

    def tighten(self, coarser: Generalization) -> Store:
        """Move all records to a coarser generalization, and forget the finer one.

        All counts are kept, and receipts stay good. The finer records are gone from the database
        and its log. Other processes that have the store open are refused from then on, and must
        open it with the coarser generalization.

        Parameters
        ----------
        coarser : Generalization
            With the same attributes; every bucket of the present one must lie in one of its own.
            A store of interviews cannot be tightened.

        Returns
        -------
        Store
            This one, tightened.

        Raises
        ------
        ParameterError
            It is not coarser, or it is the same.
        """
        with self._database.lock:  # no other thread meets a store that is half tightened
            after = Collected.of(coarser, self.target)
            self._take(self._tightened(after), after)
        return self

    def _tightened(self, after: Collected) -> Facts:
        columns = self.collected.sources(after)
        if after.fingerprint == self._facts.fingerprint:
            raise ParameterError("The store has this generalization already.")
        table = record_table(after, self.mode)
        database, before = self._database, self._table
        with self._writing(alone=True):
            rows = list(moved(database.rows(before.contents), before, columns))
            database.make(table)
            database.insert(table, rows)
            database.run(f"DROP TABLE {before.name}")
            facts = replace(
                self._facts.with_source(after.source),
                fingerprint=after.fingerprint,
                series=secrets.token_hex(16),
                earlier=self._facts.moved_on(columns, self.sizes, current_day()),
            )
            database.set_facts(facts.to_json())
            database.erase(table, shrink=True)
        return facts

    def settle(self) -> None:
        """Empty the database's log, which tells in what order the last records came.

        It is done every second while records come; call it when none have come for a while.
        """
        self._database.settle()

    def close(self) -> None:
        """Close the store."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"<Store: {', '.join(self.columns)}; {self.mode} kept for {self.keep_days} days, "
            f"fingerprint {self._facts.fingerprint}>"
        )

    @property
    def fingerprint(self) -> str:
        """Of what is collected, and the target; the name of the table ends with it."""
        return self._facts.fingerprint

    @contextmanager
    def _writing(self, *, alone: bool = False) -> Iterator[None]:
        with self._database.writing(alone=alone):
            self._look()
            yield

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._database.reading():
            self._look()
            yield

    def _look(self) -> None:
        """See what others made of the store since."""
        text = self._database.facts()
        if text == self._text:
            return
        if text is None:
            raise StoreError(f"{self._database.name} was emptied by something else.")
        facts = Facts.from_json(text, self._database.name)
        if facts.series != self._facts.series:
            raise StoreError(
                f"{self._database.name} was tightened, or made anew, since it was opened here."
                "\n\nHint: open it again, with the generalization that it has now."
            )
        self._note(facts)

    def _new_seal(self, keys: Keys) -> Seal:
        sizes = self.sizes if self.mode == "counts" else ()
        return Seal(keys.keys[0], bytes.fromhex(self._facts.series), sizes)


def _whole(code: Any) -> int:
    """Return a whole number as Python's own; -1, which is no bucket, for all else."""
    if type(code) is int:
        return code
    return int(code) if isinstance(code, np.integer) else -1

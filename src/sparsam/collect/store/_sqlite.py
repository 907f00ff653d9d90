"""A store in one SQLite file: on the disk when it is said, and gone when it is deleted."""

from __future__ import annotations

import math
import os
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from sparsam._errors import SparsamWarning, StoreError
from sparsam._writing import flush_folder
from sparsam.collect.store._database import Database, Row
from sparsam.collect.store._table import (
    SQLITE,
    RecordTable,
    placeholders,
    spent_definition,
)

APPLICATION: Final = 0x53505354
VERSION: Final = 1
_OLDEST: Final = (3, 37)  # the first that refuses text in a column of numbers
_FACTS: Final = "CREATE TABLE sparsam_store (facts TEXT NOT NULL) STRICT"
_LOOK_AGAIN: Final = 0.001
_SETTLE_EVERY: Final = 1.0  # seconds
_SETTINGS: Final = (
    "secure_delete=ON",
    "synchronous=FULL",
    "fullfsync=ON",
    "temp_store=MEMORY",  # no answer of a person in a file of its own
    "wal_autocheckpoint=0",  # `settle` empties the log, which would otherwise keep old pages
    "trusted_schema=OFF",
    "cell_size_check=ON",
)


Found = TypeVar("Found")


class SqliteDatabase(Database):
    """A SQLite file, and the log beside it.

    A transaction is in the log, on the disk, before it is acknowledged. The log holds pages as they
    were, in the order in which they were written; so it is emptied every second while records come,
    and whenever something is deleted. In the file itself what is deleted is overwritten with zeros.

    Parameters
    ----------
    path : Path
    new : bool
        Whether the file may be made.
    timeout : float
        How many seconds to wait for other processes.
    """

    def __init__(self, path: Path, *, new: bool, timeout: float = 10.0) -> None:
        super().__init__(f"The store '{path.name}'")
        if sqlite3.sqlite_version_info < _OLDEST:
            raise StoreError(
                f"{self.name} needs SQLite {_OLDEST[0]}.{_OLDEST[1]} or newer. This Python has "
                f"{sqlite3.sqlite_version}."
            )
        self.path = Path(os.path.realpath(path))  # beside which log and key lie
        self.timeout = timeout
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._settled = -math.inf
        self._erases = self._shrinks = False
        with self._translated():
            self._check_place(new=new)
            if new and not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
                flush_folder(self.path.parent)
            self._connected()

    def _check_place(self, *, new: bool) -> None:
        if self.path.is_dir():
            raise StoreError(f"{self.name} must be a file. It is a folder.")
        if not self.path.parent.is_dir():
            raise StoreError(f"There is no folder '{self.path.parent}' for {_lower(self.name)}.")
        if self.path.exists() and not self.path.is_file():
            raise StoreError(f"{self.name} must be a file. It is a device or a pipe.")
        if not new and not self.path.exists():
            raise StoreError(f"There is no store at '{self.path}'.")

    @property
    def key_place(self) -> Path:
        """The key lies beside the file."""
        return self.path.with_name(f"{self.path.name}.key")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one state of the file."""
        with self.at_work(), self._translated():
            connection = self._connected()
            connection.execute("BEGIN")
            try:
                # the first look waits where another process puts the file in order
                self._patiently(
                    lambda: connection.execute("SELECT 1 FROM sqlite_master").fetchone()
                )
                yield
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[None]:
        """Write alone; on leaving, what was written is on the disk, or none of it."""
        with self.at_work(), self._translated():
            connection = self._connected()
            self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
            self._erases = self._shrinks = False
            try:
                yield
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            if self._erases:
                self._leave_nothing(connection)
            elif time.monotonic() - self._settled > _SETTLE_EVERY:
                self._empty_log(connection, wait=0)

    def _patiently(self, action: Callable[[], Found]) -> Found:
        """Wait for other processes, looking often: SQLite itself would look ever more rarely."""
        until = time.monotonic() + self.timeout
        while True:
            try:
                return action()
            except sqlite3.OperationalError as error:
                if not _busy(error) or time.monotonic() > until:
                    raise
            time.sleep(_LOOK_AGAIN)

    def _leave_nothing(self, connection: sqlite3.Connection) -> None:
        """Empty the log, which has the old pages, and make the file as small as its contents."""
        reason = "" if self._empty_log(connection, self.timeout) else "another program reads it"
        if self._shrinks and not reason:
            try:
                self._patiently(lambda: connection.execute("VACUUM"))
            except sqlite3.OperationalError as error:
                reason = _reason(error)
            if not self._empty_log(connection, self.timeout):
                reason = reason or "another program reads it"
        if reason:
            warnings.warn(
                f"What was deleted from {_lower(self.name)} is deleted, but bytes of it may still "
                f"be in its log: {reason}. They go with the next record or deletion, or when the "
                "store is closed.",
                SparsamWarning,
                stacklevel=5,
            )

    def _empty_log(self, connection: sqlite3.Connection, wait: float) -> bool:
        """Move all pages from the log into the file, and cut the log to nothing."""
        until = time.monotonic() + wait
        while True:
            blocked = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if not blocked:
                self._settled = time.monotonic()
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(_LOOK_AGAIN)

    def settle(self) -> None:
        """Empty the log, unless others are at work."""
        with self.at_work(), self._translated():
            self._empty_log(self._connected(), wait=0)

    def run(self, statement: str, values: Row = ()) -> int:
        """Run a statement, and return how many rows it changed."""
        return self._open.execute(statement, tuple(values)).rowcount

    def rows(self, statement: str, values: Row = ()) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""
        return self._open.execute(statement, tuple(values)).fetchall()

    @property
    def _open(self) -> sqlite3.Connection:
        assert self._connection is not None, "only inside reading() or writing()"
        return self._connection

    def facts(self) -> str | None:
        """What the store says of itself; None where the file is empty."""
        application, version = (
            self.rows(f"PRAGMA {fact}")[0][0] for fact in ("application_id", "user_version")
        )
        if application == 0 and version == 0 and not self.rows("SELECT 1 FROM sqlite_master"):
            return None
        if application != APPLICATION:
            raise StoreError(
                f"{self.name} is a database of something else, not a store of sparsam."
            )
        if version != VERSION:
            raise StoreError(
                f"{self.name} must be of version {VERSION}. Got version {version} instead."
                "\n\nHint: a newer sparsam made it; install that one."
            )
        rows = self.rows("SELECT facts FROM sparsam_store LIMIT 2")
        if len(rows) != 1:
            raise StoreError(f"{self.name} is damaged: it must say once what it is.")
        return str(rows[0][0])

    def set_facts(self, text: str) -> None:
        """Let the store say something else of itself."""
        self.run("DELETE FROM sparsam_store")
        self.run("INSERT INTO sparsam_store VALUES (?)", (text,))

    def set_up(self) -> None:
        """Make what every store has beside its records."""
        self.run(_FACTS)
        self.run(spent_definition(SQLITE))
        self.run(f"PRAGMA application_id={APPLICATION}")
        self.run(f"PRAGMA user_version={VERSION}")

    def make(self, table: RecordTable) -> None:
        """Make the table of the records."""
        self.run(table.definition(SQLITE))

    def check(self, table: RecordTable) -> None:
        """Raise unless the tables are those that were made, and nothing else is there."""
        known = sorted([_FACTS, spent_definition(SQLITE), table.definition(SQLITE)])
        there = self.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 100")
        if sorted(str(sql) for (sql,) in there) != known:
            raise StoreError(
                f"{self.name} was changed by something else: its tables, or what they refuse, are "
                "not those that sparsam made."
            )

    def insert(self, table: RecordTable, rows: Sequence[Row]) -> None:
        """Add rows, or to the counts that are there."""
        fields = table.fields
        adds = " ON CONFLICT DO UPDATE SET n = n + excluded.n" if table.mode == "counts" else ""
        self._open.executemany(
            f"INSERT INTO {table.name} ({', '.join(fields)}) VALUES ({placeholders(fields)}){adds}",
            rows,
        )

    def erase(self, table: RecordTable, *, shrink: bool = False) -> None:
        """Leave no byte of what this transaction deletes, once it is done."""
        self._erases, self._shrinks = True, shrink

    def disconnect(self) -> None:
        """Close the connection; the last one to close empties the log."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with self._translated():
                connection.close()

    def _connected(self) -> sqlite3.Connection:
        try:
            status = os.stat(self.path)
        except OSError:
            raise StoreError(f"{self.name} is no longer there.") from None
        here = (status.st_dev, status.st_ino)
        if self._file is not None and here != self._file:
            # What is written to a file without a name is acknowledged, and lost.
            raise StoreError(f"{self.name} was replaced by another file.")
        self._file = here
        if self._connection is None:
            self._connection = self._opened()
        return self._connection

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw",
            uri=True,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            self._patiently(lambda: self._set_up_connection(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_up_connection(self, connection: sqlite3.Connection) -> None:
        """Write to a log first, which takes one flush a transaction; leave other files alone."""
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        own = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION
        if not own and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return
        if connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
            raise StoreError(
                f"{self.name} must keep a log beside its file, and its folder or disk does not let "
                "it."
            )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Put in words what SQLite and the system report; never with a value."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise StoreError(f"{self.name} failed: {_reason(error)}.") from None
        except OSError as error:
            raise StoreError(f"{self.name} cannot be opened: {error.strerror}.") from None


def _busy(error: sqlite3.Error) -> bool:
    return error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def _reason(error: Exception) -> str:
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    return next((text for start, text in _REASONS if name.startswith(start)), name)


_REASONS: Final = (
    ("SQLITE_FULL", "the disk is full, and nothing was stored"),
    ("SQLITE_IOERR", "the disk did not take or give the data, and nothing was stored"),
    ("SQLITE_READONLY", "it can only be read here"),
    ("SQLITE_BUSY", "other processes kept it locked for too long"),
    ("SQLITE_LOCKED", "other processes kept it locked for too long"),
    ("SQLITE_NOTADB", "it is not a database, or its start is destroyed"),
    ("SQLITE_CORRUPT", "it is damaged: a part is missing or was overwritten"),
    ("SQLITE_CANTOPEN", "it cannot be opened"),
    ("SQLITE_PERM", "it cannot be opened"),
    ("SQLITE_AUTH", "it cannot be opened"),
    ("SQLITE_CONSTRAINT", "it refuses what is finer than its buckets"),
    ("SQLITE_ERROR", "its tables are not those that sparsam made"),
    ("UnicodeDecodeError", "it is damaged: a part is missing or was overwritten"),
)

"""The file of a ledger: SQLite, whole in one file on the disk before anything is answered."""

from __future__ import annotations

import json
import math
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sparsam._errors import LedgerError
from sparsam._writing import draft_of, put_new, write_text
from sparsam.explore.ledger._chain import Row

APPLICATION = 0x53504C47
VERSION = 1
_LOOK_AGAIN = 0.001
# EXTRA: the end of a transaction is the name of a file that goes, and that must be on the disk too.
_SETTINGS = ("synchronous=EXTRA", "fullfsync=ON", "trusted_schema=OFF", "cell_size_check=ON")
_COLUMNS = "sequence, kind, amount, spent, key, body, hash"
_TABLE = """CREATE TABLE entries (
    sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, amount INTEGER NOT NULL,
    spent INTEGER NOT NULL, key TEXT, body TEXT NOT NULL, hash TEXT NOT NULL UNIQUE)"""
_INDEX = "CREATE INDEX answers ON entries (key) WHERE kind = 'answer'"
_TRIGGERS = (
    "CREATE TRIGGER no_update BEFORE UPDATE ON entries"
    " BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END",
    "CREATE TRIGGER no_delete BEFORE DELETE ON entries"
    " BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END",
    "CREATE TRIGGER in_order BEFORE INSERT ON entries"
    " WHEN NEW.sequence <> (SELECT COALESCE(MAX(sequence), -1) + 1 FROM entries)"
    " BEGIN SELECT RAISE(ABORT, 'entries are appended only'); END",
)
_SCHEMA = (_TABLE, _INDEX, *_TRIGGERS)


class Store:
    """One ledger file, for all threads of this process.

    SQLite's locks do not survive a fork. So every connection is closed just before one, and each
    of the two processes opens its own when it next needs it.

    Parameters
    ----------
    path : Path
    timeout : float
        How many seconds to wait for other processes.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        self.path = path
        self.timeout = timeout
        self.read_only = False
        self.lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._closed = False
        _STORES.add(self)

    @classmethod
    def create(cls, path: Path, timeout: float) -> Store:
        """Make an empty ledger file where there is none yet; see `new_ledger`."""
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        store = cls(path, timeout)
        try:
            with store._translated():
                connection = store._connect()
                connection.execute("BEGIN IMMEDIATE")
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id={APPLICATION}")
                connection.execute(f"PRAGMA user_version={VERSION}")
                connection.execute("COMMIT")
        except BaseException:
            store.discard()
            raise
        return store

    @classmethod
    def open(cls, path: Path, timeout: float) -> Store:
        """Open a ledger file that exists."""
        if not path.is_file():
            raise LedgerError(f"There is no ledger at '{path}'.\n\nHint: use Ledger.create.")
        store = cls(path, timeout)
        try:
            with store._translated():
                store._check_format(store._connect())
        except BaseException:
            store.close()
            raise
        return store

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read one state of the file."""
        with self._alone(), self._translated():
            connection = self._connect()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write alone; on leaving, what was written is on the disk, or none of it."""
        with self._alone(), self._translated():
            connection = self._connect()
            if self.read_only:
                raise LedgerError(_READ_ONLY)
            self._begin(connection)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Wait for the other writers.

        SQLite itself would look again ever more rarely, and a process that writes without a
        pause could keep all others out.
        """
        until = time.monotonic() + self.timeout
        connection.execute("PRAGMA busy_timeout=0")
        try:
            while True:
                try:
                    connection.execute("BEGIN IMMEDIATE")
                    return
                except sqlite3.OperationalError as error:
                    busy = error.sqlite_errorname.startswith("SQLITE_BUSY")
                    if not busy or time.monotonic() > until:
                        raise
                time.sleep(_LOOK_AGAIN)
        finally:
            connection.execute(f"PRAGMA busy_timeout={math.ceil(self.timeout * 1000)}")

    def check_schema(self, connection: sqlite3.Connection) -> None:
        """Refuse a file whose guards against changes were taken away."""
        kinds = "SELECT type, sql FROM sqlite_master LIMIT 100"
        schema = sorted((str(kind), str(sql)) for kind, sql in connection.execute(kinds) if sql)
        if schema != sorted((text.split()[1].lower(), text) for text in _SCHEMA):
            raise LedgerError(
                "The ledger is damaged or was tampered with: its tables, or the triggers that "
                "forbid changes, are not those that sparsam made."
            )

    def check_pages(self, connection: sqlite3.Connection) -> None:
        """Refuse a file whose pages contradict one another."""
        verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if verdict != "ok":
            raise LedgerError("The ledger is damaged: its pages contradict one another.")

    def close(self) -> None:
        """Close for good."""
        self._closed = True
        self.disconnect()

    def disconnect(self) -> None:
        """Close the connection; the next use opens another."""
        with self.lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def discard(self) -> None:
        """Remove a file that could not be set up."""
        self.close()
        for ending in ("", "-journal", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(f"{self.path}{ending}")

    def _connect(self) -> sqlite3.Connection:
        if self._closed:
            raise LedgerError("The ledger is closed.\n\nHint: use Ledger.open again.")
        try:
            status = os.stat(self.path)
        except OSError:
            raise LedgerError(f"The ledger '{self.path.name}' is no longer there.") from None
        here = (status.st_dev, status.st_ino)
        if self._file is not None and here != self._file:
            # Writing on would charge a file that nobody will read again.
            raise LedgerError(f"The ledger '{self.path.name}' was replaced by another file.")
        self._file = here
        if self._connection is None:
            self._connection = self._opened()
        return self._connection

    def _opened(self) -> sqlite3.Connection:
        writable = os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)
        self.read_only = not writable
        options = "mode=rw" if writable else "mode=ro"
        if not writable and self._logs() and not Path(f"{self.path}-wal").exists():
            # Without its log there is nothing but the file itself, and no place for a lock.
            options += "&immutable=1"
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?{options}",
            uri=True,
            timeout=self.timeout,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            for setting in _SETTINGS:
                connection.execute(f"PRAGMA {setting}")
            if writable:
                self._leave_one_file(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _logs(self) -> bool:
        """Return whether the file is of the kind that keeps its last entries in a log beside it."""
        with self.path.open("rb") as file:
            return file.read(20)[18:20] == b"\x02\x02"

    def _leave_one_file(self, connection: sqlite3.Connection) -> None:
        """Keep every entry in the file itself once it is written.

        Earlier ledgers kept the last ones in a log beside the file: who copied the file alone,
        copied an older budget. They are turned into one file when they are first opened.
        """
        until = time.monotonic() + self.timeout
        while True:
            try:
                mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
                if mode == "delete":
                    return
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_BUSY"):
                    raise
            if time.monotonic() > until:
                raise LedgerError(
                    f"The ledger '{self.path.name}' keeps a log beside its file, and other "
                    "processes use it, so that it cannot be made one file. Nothing is answered "
                    "from it.\n\nHint: end the other processes, and open it again."
                )
            time.sleep(_LOOK_AGAIN)

    def _check_format(self, connection: sqlite3.Connection) -> None:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise LedgerError(f"'{self.path.name}' is not a ledger of sparsam.")
        if version != VERSION:
            raise LedgerError(
                f"The ledger must be of version {VERSION}. Got version {version} instead."
                "\n\nHint: a newer sparsam wrote it; install that one."
            )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads out; a thread that is about to fork goes first."""
        with _FORKING:
            self.lock.acquire()
        try:
            yield
        finally:
            self.lock.release()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Put in words what SQLite reports; never with the text of a question or an answer."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            name = getattr(error, "sqlite_errorname", None) or type(error).__name__
            why = next((text for start, text in _REASONS if name.startswith(start)), name)
            raise LedgerError(f"The ledger '{self.path.name}' failed: {why}.") from None


_READ_ONLY = (
    "The ledger can only be read here, so that nothing can be charged, and nothing is answered."
)
_REASONS = (
    ("SQLITE_FULL", "the disk is full, so that the entry could not be stored"),
    ("SQLITE_IOERR", "the disk did not take or give the data"),
    ("SQLITE_READONLY", "it can only be read here, so that nothing can be charged"),
    ("SQLITE_BUSY", "other processes kept it locked for too long"),
    ("SQLITE_NOTADB", "it is not a ledger of sparsam, or its start is destroyed"),
    ("SQLITE_CORRUPT", "it is damaged: a part is missing or was overwritten"),
    ("SQLITE_CANTOPEN", "it cannot be opened"),
    ("SQLITE_CONSTRAINT", "entries can only be appended"),
    ("UnicodeDecodeError", "it is damaged: a part is missing or was overwritten"),
)


def rows_after(connection: sqlite3.Connection, sequence: int) -> Iterator[Row]:
    """Return the entries from a place on, one after the other."""
    query = f"SELECT {_COLUMNS} FROM entries WHERE sequence > ? ORDER BY sequence"
    return (Row(*row) for row in connection.execute(query, (sequence,)))


def hash_at(connection: sqlite3.Connection, sequence: int) -> str | None:
    """Return the digest of one entry."""
    query = "SELECT hash FROM entries WHERE sequence = ?"
    row = connection.execute(query, (sequence,)).fetchone()
    return None if row is None else str(row[0])


def first_answer(connection: sqlite3.Connection, key: str) -> Row | None:
    """Return the answer that a question got first."""
    query = (
        f"SELECT {_COLUMNS} FROM entries WHERE kind = 'answer' AND key = ? "
        "ORDER BY sequence LIMIT 1"
    )
    row = connection.execute(query, (key,)).fetchone()
    return None if row is None else Row(*row)


def append(connection: sqlite3.Connection, row: Row) -> None:
    """Add an entry at the end."""
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)


@contextmanager
def new_ledger(place: Path) -> Iterator[Path]:
    """Return a place for a ledger that is being made; it takes its own when it is complete.

    Parameters
    ----------
    place : Path
        Where there must be no file yet.
    """
    try:
        if os.path.lexists(place):
            raise FileExistsError
        with draft_of(place) as draft:
            yield draft
            put_new(draft, place)
    except FileExistsError:
        raise LedgerError(
            f"The ledger must be a new file, but '{place.name}' exists already: a new budget "
            "over an old one would forget what was spent.\n\nHint: use Ledger.open."
        ) from None
    except OSError as error:
        raise LedgerError(f"The ledger cannot be created at '{place}': {error.strerror}.") from None


_STORES: weakref.WeakSet[Store] = weakref.WeakSet()
_FORKING = threading.Lock()
_HELD: list[Store] = []


def _before_fork() -> None:
    _FORKING.acquire()
    _HELD[:] = list(_STORES)
    for store in _HELD:
        store.lock.acquire()
        store.disconnect()


def _after_fork() -> None:
    for store in _HELD:
        store.lock.release()
    _HELD.clear()
    _FORKING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


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
        """Return the sequence and the digest of the last entry seen; None without a file."""
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

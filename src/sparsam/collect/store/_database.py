"""What a store needs of a database."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sparsam._errors import StoreError
from sparsam.collect.store._table import RecordTable

Row = Sequence[Any]


class Database(ABC):
    """One connection to a database, for all threads of this process.

    Statements are written with question marks, values are always given apart: no statement and no
    log of statements holds an answer of a person.

    Parameters
    ----------
    name : str
        For messages.
    """

    keeps_order = False
    """Whether rows can be told to be older or younger, so that they are written anew each day."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lock = threading.RLock()
        self._process = os.getpid()
        self.closed = False

    @property
    def key_place(self) -> Path | None:
        """Where the key lies when nothing else is said."""
        return None

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """Read one state."""

    @abstractmethod
    def writing(self, *, alone: bool = False) -> AbstractContextManager[None]:
        """Write all or nothing; on leaving, what was written is on the disk.

        Parameters
        ----------
        alone : bool
            Keep all others out, readers too, as far as the database needs that to change tables.
        """

    @abstractmethod
    def run(self, statement: str, values: Row = ()) -> int:
        """Run a statement, and return how many rows it changed."""

    @abstractmethod
    def rows(self, statement: str, values: Row = ()) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""

    @abstractmethod
    def facts(self) -> str | None:
        """What the store says of itself; None where nothing is there yet."""

    @abstractmethod
    def set_facts(self, text: str) -> None:
        """Let the store say something else of itself."""

    @abstractmethod
    def set_up(self) -> None:
        """Make what every store has beside its records."""

    @abstractmethod
    def make(self, table: RecordTable) -> None:
        """Make the table of the records."""

    @abstractmethod
    def check(self, table: RecordTable) -> None:
        """Raise unless the table of the records is as it was made, with all that it refuses."""

    @abstractmethod
    def insert(self, table: RecordTable, rows: Sequence[Row]) -> None:
        """Add rows, or to the counts that are there."""

    @abstractmethod
    def erase(self, table: RecordTable, *, shrink: bool = False) -> None:
        """Leave no byte of what this transaction deletes, once it is done.

        Parameters
        ----------
        table : RecordTable
        shrink : bool
            Give back to the disk, too, what much was deleted from.
        """

    @abstractmethod
    def settle(self) -> None:
        """Leave no byte of how the records came, as far as the database keeps any."""

    @abstractmethod
    def disconnect(self) -> None:
        """Close the connection."""

    def close(self) -> None:
        """Close for good."""
        with self.lock:
            self.closed = True
            if self._process == os.getpid():
                self.disconnect()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Keep other threads out, and other processes from using our connection."""
        if self._process != os.getpid():
            raise StoreError(
                f"{self.name} was opened in another process.\n\n"
                "Hint: open the store after the process was started."
            )
        with self.lock:
            if self.closed:
                raise StoreError(f"{self.name} is closed.\n\nHint: open the store again.")
            yield

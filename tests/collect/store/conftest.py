"""The same tests on a SQLite file and on a PostgreSQL server."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sparsam.collect import Store
from sparsam.collect.store import _store

from .examples import FINE


class SqlitePlace:
    """An empty folder, and what lies in it on the disk."""

    kind = "sqlite"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = str(folder / "people.db")

    def raw(self, statement: str, *values: Any) -> list[tuple]:
        """Run a statement as somebody else would, without the store."""
        connection = sqlite3.connect(self.address)
        try:
            with connection:
                return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def on_disk(self) -> bytes:
        """All bytes of the database, its log and its journal."""
        files = sorted(self.folder.glob("people.db*"))
        return b"".join(file.read_bytes() for file in files if not file.name.endswith(".key"))


class PostgresPlace:
    """An empty schema, and what lies of it on the disk."""

    kind = "postgres"

    def __init__(self, server: Any) -> None:
        self.server = server
        self.schema, self.address = server.schema()

    def raw(self, statement: str, *values: Any) -> list[tuple]:
        """Run a statement as somebody else would, without the store."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            cursor = connection.execute(statement.replace("?", "%s"), values or None)
            return cursor.fetchall() if cursor.description else []

    def on_disk(self) -> bytes:
        """All bytes of all tables of the server, old ones and catalogues too; not its log."""
        self.server.admin("CHECKPOINT")
        files = (file for file in (self.server.data / "base").rglob("*") if file.is_file())
        return b"".join(file.read_bytes() for file in files)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> SqlitePlace | PostgresPlace:
    """An empty place for a store."""
    if request.param == "sqlite":
        return SqlitePlace(tmp_path)
    return PostgresPlace(request.getfixturevalue("postgres"))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Where the key is, or will be."""
    return tmp_path / "receipts.key"


@pytest.fixture
def open_store(place: Any, key: Path) -> Iterator[Callable[..., Store]]:
    """Open the store of this test, in one way or another; all are closed afterwards."""
    stores = []

    def opened(generalization: Any = FINE, **options: Any) -> Store:
        options = {"keep_days": 90, "key": key} | options
        stores.append(Store.open(place.address, generalization, **options))
        return stores[-1]

    yield opened
    for store in stores:
        store.close()


@pytest.fixture
def calendar(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Set the day."""

    def turn_to(day: int) -> None:
        monkeypatch.setattr(_store, "current_day", lambda: day)

    turn_to(20_000)
    return turn_to

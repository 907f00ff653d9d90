"""A store in a schema of a PostgreSQL database, through psycopg."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from sparsam._errors import MissingExtraError, SparsamWarning, StoreError
from sparsam.collect.store._database import Database, Row
from sparsam.collect.store._table import POSTGRES, SPENT, RecordTable, spent_definition

OLDEST: Final = 130_000
_FACTS: Final = "CREATE TABLE sparsam_store (facts text NOT NULL)"
_COPY: Final = "sparsam_copy"
_SETTINGS: Final = (
    "SET lock_timeout = '10s'",
    "SET log_parameter_max_length_on_error = 0",
    "SET client_min_messages = warning",
)
_LOGGED: Final = (
    "log_min_duration_statement",
    "log_min_duration_sample",
    "log_transaction_sample_rate",
)
# One lock for everyone who makes or changes the tables of one schema.
_ALONE: Final = "SELECT pg_advisory_xact_lock(hashtextextended('sparsam ' || current_schema(), 0))"


class PostgresDatabase(Database):
    """A schema of a PostgreSQL database: the first of the search path.

    Rows that are deleted or changed stay in the files of their table until it is cleaned, and tell
    the order in which they came. So whatever deletes also writes the tables anew, in the same
    transaction, in the order of their keys: the old files go with its end. It is done once a day
    in any case. The server's write-ahead log, replicas and backups are beyond our reach.

    Parameters
    ----------
    address : str
        It may hold a password, and is never shown.
    """

    keeps_order = True

    def __init__(self, address: str) -> None:
        super().__init__("The PostgreSQL store")
        self._address = address
        self._driver = _driver()
        self._connection: Any = None
        self._known = False
        with self._translated():
            self._connected()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one state: who changes tables waits for readers, and readers for them."""
        with self._transaction():
            yield

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[None]:
        """Write all or nothing; on leaving, the server has it on the disk.

        Whoever uses records reads first what the store says of itself; who changes tables locks
        that, waits for all others and keeps them out.
        """
        with self._transaction():
            if alone:
                self.rows(_ALONE)
                if self._is_there("sparsam_store"):
                    self.run("LOCK TABLE sparsam_store IN ACCESS EXCLUSIVE MODE")
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self.at_work(), self._translated():
            connection = self._connected()
            # not a stricter level: its state would be that before waiting for a lock
            connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            try:
                yield
                connection.execute("COMMIT")
            except BaseException:
                with suppress(self._driver.Error):  # which the server does by itself then
                    connection.execute("ROLLBACK")
                raise

    def run(self, statement: str, values: Row = ()) -> int:
        """Run a statement, and return how many rows it changed."""
        return int(self._execute(statement, values).rowcount)

    def rows(self, statement: str, values: Row = ()) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""
        found: list[tuple[Any, ...]] = self._execute(statement, values).fetchall()
        return found

    def _execute(self, statement: str, values: Row) -> Any:
        # names are plain words, so that a question mark is always the place of a value
        return self._connection.execute(statement.replace("?", "%s"), tuple(values) or None)

    def _is_there(self, table: str) -> bool:
        return bool(self.rows("SELECT to_regclass(?) IS NOT NULL", (table,))[0][0])

    def facts(self) -> str | None:
        """What the store says of itself; None where the schema has no store."""
        if not self._known and not self._is_there("sparsam_store"):
            return None
        self._known = True  # one question less each time
        rows = self.rows("SELECT facts FROM sparsam_store LIMIT 2")
        if len(rows) != 1:
            raise StoreError(f"{self.name} is damaged: it must say once what it is.")
        return str(rows[0][0])

    def set_facts(self, text: str) -> None:
        """Let the store say something else of itself."""
        self.run("TRUNCATE sparsam_store")
        self.run("INSERT INTO sparsam_store VALUES (?)", (text,))

    def set_up(self) -> None:
        """Make what every store has beside its records."""
        if self._is_there(SPENT):
            raise self._changed()
        self.run(_FACTS)
        self.run(spent_definition(POSTGRES))
        self._gather_nothing(SPENT, ("handle", "day"))

    def make(self, table: RecordTable) -> None:
        """Make the table of the records."""
        if self._is_there(table.name):
            raise self._changed()
        self.run(table.definition(POSTGRES))
        self._gather_nothing(table.name, table.fields)
        if table.mode == "counts":
            index = f"{table.name}_cells"
            self.run(f"CREATE UNIQUE INDEX {index} ON {table.name} ({table.cell})")
            self.run(f"ALTER INDEX {index} ALTER COLUMN 2 SET STATISTICS 0")

    def _gather_nothing(self, table: str, fields: Sequence[str]) -> None:
        """Let the server keep no samples of the values beside the table."""
        actions = ", ".join(f"ALTER COLUMN {field} SET STATISTICS 0" for field in fields)
        self.run(f"ALTER TABLE {table} {actions}")

    def check(self, table: RecordTable) -> None:
        """Raise unless the tables are like those that would be made now."""
        definitions = {
            "sparsam_store": _FACTS,
            SPENT: spent_definition(POSTGRES),
            table.name: table.definition(POSTGRES),
        }
        for name, definition in definitions.items():
            _, _, columns = definition.partition(" (")
            self.run(f"CREATE TEMPORARY TABLE {_COPY} ({columns}")
            alike = self._shape(name) == self._shape(_COPY)
            self.run(f"DROP TABLE {_COPY}")
            if not alike:
                raise self._changed()

    def _shape(self, table: str) -> list[tuple[Any, ...]]:
        """What columns a table has, and what it refuses."""
        columns = (
            "SELECT attname::text, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute "
            "WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        )
        refusals = (
            "SELECT contype::text, convalidated, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE conrelid = to_regclass(?) AND contype IN ('c', 'p') ORDER BY 1, 3"
        )
        return self.rows(columns, (table,)) + self.rows(refusals, (table,))

    def insert(self, table: RecordTable, rows: Sequence[Row]) -> None:
        """Add rows, or to the counts that are there."""
        if not rows:
            return
        types = table.types(POSTGRES)
        arrays = ", ".join(f"?::{types[field]}[]" for field in table.fields)
        adds = ""
        if table.mode == "counts":
            adds = f" ON CONFLICT ({table.cell}) DO UPDATE SET n = {table.name}.n + excluded.n"
        self.run(
            f"INSERT INTO {table.name} ({', '.join(table.fields)}) "
            f"SELECT * FROM unnest({arrays}){adds}",
            [list(column) for column in zip(*rows, strict=True)],
        )

    def erase(self, table: RecordTable, *, shrink: bool = False) -> None:
        """Write the tables anew, so that the old files go with the end of the transaction."""
        keys = table.columns if table.mode == "counts" else ("handle",)
        order = ("day", *keys) if table.mode == "counts" else keys
        for name, by in ((table.name, order), (SPENT, ("handle",))):
            self.run(f"CREATE TEMPORARY TABLE {_COPY} ON COMMIT DROP AS SELECT * FROM {name}")
            self.run(f"TRUNCATE {name}")
            self.run(f"INSERT INTO {name} SELECT * FROM {_COPY} ORDER BY {', '.join(by)}")
            self.run(f"DROP TABLE {_COPY}")

    def settle(self) -> None:
        """Do nothing: the server empties its log by itself."""

    def disconnect(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connected(self) -> Any:
        if self._connection is None or self._connection.closed:
            self._connection = self._driver.connect(
                self._address, autocommit=True, prepare_threshold=None
            )
            try:
                self._set_up_session()
            except BaseException:
                self.disconnect()
                raise
        return self._connection

    def _set_up_session(self) -> None:
        if self._connection.info.server_version < OLDEST:
            raise StoreError(
                f"{self.name} needs PostgreSQL {OLDEST // 10_000} or newer: older ones write what "
                "people answer into their log."
            )
        for setting in _SETTINGS:
            self.run(setting)
        if self.rows("SELECT current_schema()")[0][0] is None:
            raise StoreError(
                f"{self.name} needs a schema to be in.\n\nHint: make one, and let the search_path "
                "of the role, or of the address, begin with it."
            )
        # what lies in other schemas is not ours, whatever its name
        self.rows("SELECT set_config('search_path', quote_ident(current_schema()), false)")
        settings = dict(self.rows("SELECT name, setting FROM pg_settings"))
        self._keep_out_of_log(settings)
        if settings["synchronous_commit"] == "off":
            self.run("SET synchronous_commit = on")
        if settings["fsync"] == "off":
            warnings.warn(
                "This PostgreSQL server runs with fsync=off: records that were acknowledged may be "
                "lost when its machine fails.",
                SparsamWarning,
                stacklevel=6,
            )

    def _keep_out_of_log(self, settings: dict[str, str]) -> None:
        """Refuse a server that writes the values of statements into its log."""
        logs = settings["log_statement"] in ("mod", "all") or any(
            float(settings[name]) > (0 if name.endswith("rate") else -1) for name in _LOGGED
        )
        if not logs or settings["log_parameter_max_length"] == "0":
            return
        try:
            self.run("SET log_parameter_max_length = 0")
        except self._driver.errors.InsufficientPrivilege:
            raise StoreError(
                "This PostgreSQL server writes statements with their values into its log: what "
                "people answer would stand there.\n\nHint: let an administrator run ALTER ROLE … "
                "SET log_parameter_max_length = 0 for the role of the store."
            ) from None

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Put in words what the server reports: its own words may hold values."""
        try:
            yield
        except self._driver.Error as error:
            state = error.sqlstate or ""
            why = next((text for start, text in _REASONS if state.startswith(start)), state)
            if not state:
                why = "the server cannot be reached, or did not let us in"
            raise StoreError(f"{self.name} failed: {why}.") from None

    def _changed(self) -> StoreError:
        return StoreError(
            f"{self.name} was changed by something else: its tables, or what they refuse, are not "
            "those that sparsam made."
        )


def _driver() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError(
            "psycopg is not installed.\n\nHint: pip install 'sparsam[postgres]'"
        ) from error
    return psycopg


_REASONS: Final = (
    ("08", "the connection was lost, so that nothing is acknowledged"),
    ("57P", "the server was stopped, so that nothing is acknowledged"),
    ("53100", "the disk of the server is full, and nothing was stored"),
    ("53", "the server is short of memory or connections"),
    ("55P03", "others kept it locked for too long"),
    ("40", "others wrote at the same time"),
    ("57014", "it took too long"),
    ("42501", "the role may not do that"),
    ("25006", "it can only be read here"),
    ("28", "the server did not let us in"),
    ("3D000", "there is no such database"),
    ("23", "it refuses what is finer than its buckets"),
    ("42", "its tables are not those that sparsam made"),
)

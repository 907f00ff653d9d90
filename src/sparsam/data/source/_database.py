"""A table in a database that DuckDB attaches: its own files, SQLite's, and PostgreSQL."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from sparsam._errors import DataError
from sparsam.data.source._engine import Engine, quoted

_FILES = {
    **dict.fromkeys((".duckdb", ".ddb"), "duckdb"),
    **dict.fromkeys((".sqlite", ".sqlite3"), "sqlite"),
}
_SERVERS = ("postgresql", "postgres")
_EXTENSIONS = {"sqlite": "sqlite_scanner", "postgresql": "postgres_scanner"}
_OF_THE_SERVER = ("information_schema", "pg_catalog", "pg_toast")
_EXAMPLES = "people.duckdb#people, people.sqlite#people or postgresql://host/staff#public.people"


class Address(NamedTuple):
    """Where a table of a database is.

    Attributes
    ----------
    kind : {"duckdb", "sqlite", "postgresql"}
    database : str
        A file, or the address of a server.
    table : str
        Its name, perhaps behind that of a schema; empty where the database has only one.
    """

    kind: str
    database: str
    table: str


def database_address(source: str | os.PathLike[str]) -> Address | None:
    """Return where a table of a database is; None for anything else.

    Parameters
    ----------
    source : path
        A file and, behind ``#``, the name of a table; or a URL of PostgreSQL.

    Examples
    --------
    >>> database_address("people.duckdb#staff.people")
    Address(kind='duckdb', database='people.duckdb', table='staff.people')
    >>> database_address("people.parquet") is None
    True
    """
    text = str(source)
    server = re.match(rf"({'|'.join(_SERVERS)}):/+(.*)", text)
    if server:  # a Path has put two slashes together
        url = f"postgresql://{server[2]}"
        if re.match(r"[^/@#]*:[^/@#]*@", server[2]):
            raise DataError(
                "The address of a database must not hold a password, which reports and shells keep."
                "\n\nHint: put it into the file .pgpass or the variable PGPASSWORD."
            )
        database, _, table = url.partition("#")
        return Address("postgresql", database, table)
    database, _, table = text.partition("#")
    kind = _FILES.get(Path(database).suffix.lower())
    return None if kind is None else Address(kind, database, table)


def attached(engine: Engine, address: Address) -> Any:
    """Attach a database to be read, and return the table as a relation.

    Parameters
    ----------
    engine : Engine
    address : Address
    """
    if address.kind != "postgresql" and not Path(address.database).is_file():
        name = Path(address.database).name
        raise DataError(f"A database must be a file on this machine. Found none at '{name}'.")
    _load(engine, address.kind)
    if address.kind == "postgresql":
        # Read in parts, rows come in an order that depends on how many processors there are.
        engine.run("SET pg_pages_per_task = 4294967295", [], lambda _: _no_database(address))
    where = address.database.replace("'", "''")
    engine.run(
        f"ATTACH '{where}' AS people_of (TYPE {address.kind.replace('postgresql', 'postgres')}, "
        "READ_ONLY)",
        [],
        lambda _: _no_database(address),
    )
    schema, table = _found(engine, address)
    query = f"SELECT * FROM people_of.{quoted(schema)}.{quoted(table)}"
    return engine.relation(query, [], lambda _: _no_database(address))


def _load(engine: Engine, kind: str) -> None:
    """Load what DuckDB needs for others' databases; nothing is fetched."""
    if kind not in _EXTENSIONS:
        return
    name = _EXTENSIONS[kind]
    engine.run(
        f"LOAD {name}",
        [],
        lambda _: DataError(
            f"DuckDB needs its extension '{name}' for such a database, and has it not."
            "\n\nHint: install it there once, by hand; nothing is fetched from here."
        ),
    )


def _found(engine: Engine, address: Address) -> tuple[str, str]:
    """The schema and the name of the table."""
    tables = [
        (str(schema), str(table))
        for schema, table in engine.rows(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'people_of' "
            "UNION ALL SELECT schema_name, view_name FROM duckdb_views() "
            "WHERE database_name = 'people_of' AND NOT internal",
            [],
            lambda _: _no_database(address),
        )
        if schema not in _OF_THE_SERVER
    ]
    wanted = [
        (schema, table)
        for schema, table in tables
        if address.table in ("", table, f"{schema}.{table}")
    ]
    if len(wanted) == 1:
        return wanted[0]
    names = sorted(table for _, table in tables)
    listed = ", ".join(f"'{name}'" for name in names[:10]) or "none"
    asked = f"'{address.table}'" if address.table else "which one"
    raise DataError(
        f"The name of a table must stand behind # in the address of a database. Got {asked}; there "
        f"are: {listed}.\n\nHint: {_EXAMPLES}."
    )


def _no_database(address: Address) -> DataError:
    name = Path(address.database).name if address.kind != "postgresql" else "The server"
    kind = {"duckdb": "DuckDB", "sqlite": "SQLite", "postgresql": "PostgreSQL"}[address.kind]
    return DataError(f"{name} must be a database of {kind} that can be read. It cannot be opened.")

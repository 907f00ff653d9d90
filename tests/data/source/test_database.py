"""Tables of databases are read where they are."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

import sparsam as sp
from sparsam._errors import DataError
from sparsam.cli._main import cli
from sparsam.data.source._database import database_address


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "people.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE people AS SELECT range AS age, 'f' AS sex FROM range(30)")
        connection.execute("CREATE SCHEMA other")
        connection.execute('CREATE TABLE other."a b" AS SELECT 1 AS x, 2 AS y')
    return file


def test_a_table_of_a_file_of_duckdb(database: Path) -> None:
    for named in ("people", "main.people"):
        table = sp.read(f"{database}#{named}")
        assert table.to_dict()["age"].tolist() == list(range(30))
    assert sp.read(f"{database}#other.a b").names == ("x", "y")


def test_the_only_table_needs_no_name(tmp_path: Path) -> None:
    file = tmp_path / "one.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS age")
    assert len(sp.read(file)) == 1


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("#nobody", "'nobody'; there are: 'a b', 'people'"),
        ("", "which one"),
        ("x#people", "must be a file on this machine"),
    ],
)
def test_a_table_that_is_not_there_is_refused(database: Path, named: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        sp.read(f"{database}{named}")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people.duckdb").write_text("age,sex\n")
    with pytest.raises(DataError, match="must be a database of DuckDB"):
        sp.read(tmp_path / "people.duckdb")
    with pytest.raises(DataError, match=r"Found none at 'none\.duckdb'"):
        sp.read(tmp_path / "none.duckdb")


def test_the_database_is_not_written(database: Path) -> None:
    before = database.read_bytes()
    sp.read(f"{database}#people")
    assert database.read_bytes() == before


def test_a_password_is_no_part_of_an_address() -> None:
    with pytest.raises(DataError, match="must not hold a password"):
        database_address("postgresql://ann:secret@host/staff#people")
    address = database_address(Path("postgresql://ann@host:5432/staff#public.people"))
    assert address is not None
    assert address == ("postgresql", "postgresql://ann@host:5432/staff", "public.people")


def _has(extension: str) -> bool:
    query = f"SELECT installed FROM duckdb_extensions() WHERE extension_name = '{extension}'"
    return bool(duckdb.sql(query).fetchall()[0][0])


def test_a_table_of_sqlite(tmp_path: Path) -> None:
    file = tmp_path / "people.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE people (age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?)", [(n,) for n in range(30)])
    connection.close()
    if _has("sqlite_scanner"):
        assert len(sp.read(f"{file}#people")) == 30
    else:  # nothing is fetched: how to get it is said
        with pytest.raises(DataError, match="needs its extension 'sqlite_scanner'"):
            sp.read(f"{file}#people")


def test_commands_take_a_table_of_a_database(database: Path) -> None:
    told = CliRunner().invoke(cli, ["roles", f"{database}#people"])
    assert told.exit_code == 0, told.output
    assert "sex" in told.output

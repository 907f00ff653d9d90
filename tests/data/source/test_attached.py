"""Tables of SQLite and PostgreSQL, read through an extension of DuckDB (`make test-attached`)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from click.testing import CliRunner

import sparsam as sp
from sparsam._errors import DataError
from sparsam.cli._main import cli
from sparsam.data import load_example
from sparsam.generalization import Generalization

EXTENSIONS = {"sqlite": "sqlite_scanner", "postgresql": "postgres_scanner"}
N_ROWS = 4000
# So little that nothing is read at once: rows stay in the database.
LITTLE = "600MB"


def check_extension(kind: str) -> None:
    try:
        duckdb.connect().execute(f"LOAD {EXTENSIONS[kind]}")
    except duckdb.Error:
        pytest.skip(f"DuckDB has not its extension '{EXTENSIONS[kind]}' here (make test-attached)")


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return load_example().to_frame("polars").head(N_ROWS)


def columns(frame: pl.DataFrame) -> str:
    types = {True: "INTEGER", False: "TEXT"}
    return ", ".join(f'"{n}" {types[t.is_integer()]}' for n, t in frame.schema.items())


def in_sqlite(folder: Path, people: pl.DataFrame) -> str:
    file = folder / "staff.sqlite"
    connection = sqlite3.connect(file)
    connection.execute(f"CREATE TABLE people ({columns(people)})")
    row = ",".join("?" * people.width)
    connection.executemany(f"INSERT INTO people VALUES ({row})", people.rows())
    connection.execute("CREATE TABLE rooms (number INTEGER)")
    connection.commit()
    connection.close()
    return f"{file}#people"


def in_postgres(server: Any, people: pl.DataFrame) -> str:
    import psycopg

    name, address = server.schema()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE people ({columns(people)})")
        connection.execute("CREATE TABLE rooms (number INTEGER)")
        with connection.cursor().copy("COPY people FROM STDIN") as copy:
            for row in people.rows():
                copy.write_row(row)
        connection.execute("ANALYZE people")
    return f"postgresql://collector@/postgres?host={server.folder}#{name}.people"


@pytest.fixture(scope="module", params=EXTENSIONS)
def address(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, people: pl.DataFrame
) -> str:
    """The address of a table with these people."""
    check_extension(request.param)
    if request.param == "sqlite":
        return in_sqlite(tmp_path_factory.mktemp("attached"), people)
    return in_postgres(request.getfixturevalue("postgres"), people)


@pytest.fixture(scope="module")
def stored(address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same rows, in the order of the database, in a file."""
    file = tmp_path_factory.mktemp("stored") / "people.parquet"
    sp.read(address).to_frame("polars").write_parquet(file)
    return file


@pytest.fixture
def command() -> Callable[..., str]:
    def run(*words: object) -> str:
        told = CliRunner().invoke(cli, [*map(str, words)])
        assert told.exit_code == 0, told.output
        return told.output

    return run


def test_the_same_rows(address: str, people: pl.DataFrame) -> None:
    table = sp.read(address)
    found = table.to_frame("polars")
    assert found.schema == people.schema
    assert found.sort(people.columns).equals(people.sort(people.columns))
    expected = sp.read(people)
    assert [attribute.domain for attribute in table.attributes] == [
        attribute.domain for attribute in expected.attributes
    ]


def test_the_same_sweep_as_of_a_file(address: str, stored: Path) -> None:
    found, expected = (
        sp.sweep(rows, sp.Roles("employed"), minimisers="merging", repeats=1, random_state=1)
        for rows in (address, stored)
    )
    assert len(found.points) > 1
    assert [point.assessment.generalization for point in found.points] == [
        point.assessment.generalization for point in expected.points
    ]


def test_every_command(
    address: str, stored: Path, tmp_path: Path, command: Callable[..., str]
) -> None:
    made = {}
    for name, rows in (("attached", address), ("stored", stored)):
        file = tmp_path / f"{name}.json"
        told = command(
            "minimise", rows, "--target", "employed", "--seed", 2, "--max-memory", LITTLE,
            "--report", tmp_path / f"{name}.html", "-o", file,
        )  # fmt: skip
        assert "Wrote the generalization" in told
        made[name] = file
    chosen = made["attached"]
    assert Generalization.load(chosen).partitions == Generalization.load(made["stored"]).partitions
    command("apply", chosen, address, "-o", tmp_path / "records.parquet")
    expected = Generalization.load(chosen).apply(pl.read_parquet(stored))
    assert pl.read_parquet(tmp_path / "records.parquet").equals(expected)
    assert "A1 reconstruction" in command("attack", chosen, address, "--adversary", "A1")
    assert "points" in command("assess", chosen, address)
    assert f"{N_ROWS:,} records" in command("describe", address)
    assert "quasi-identifier" in command("roles", address)


def test_a_release_is_made_and_verified(
    address: str, tmp_path: Path, command: Callable[..., str]
) -> None:
    release, certificate = tmp_path / "release.parquet", tmp_path / "certificate.json"
    command(
        "anonymise", address, "--quasi-identifiers", "age,sex,race", "--k", 5, "-o", release,
        "--certificate", certificate,
    )  # fmt: skip
    command("verify", release, certificate)
    assert pl.read_parquet(release).height == N_ROWS


def test_an_exploration_is_answered_and_paid(
    address: str, tmp_path: Path, command: Callable[..., str]
) -> None:
    roles, ledger = tmp_path / "roles.toml", tmp_path / "people.ledger"
    roles.write_text(
        '[attributes.age]\nkind = "numeric"\nlow = 0\nhigh = 99\n'
        '[attributes.sex]\nkind = "categorical"\ncategories = ["female", "male"]\n'
    )
    command("ledger", "create", ledger, address, "--epsilon", 4, "--domains", roles)
    told = command(
        "explore", "run", address, "--ledger", ledger, "--epsilon", 2, "--purpose", "a look",
        "--quiet", "--json",
    )  # fmt: skip
    answers = json.loads(told)
    assert {attribute["name"] for attribute in answers["attributes"]} == {"age", "sex"}
    assert abs(answers["rows"]["value"] - N_ROWS) < 100
    left = json.loads(command("describe", ledger, "--json"))["left"]
    assert float(left) == pytest.approx(2, abs=1e-6)


def test_an_order_that_repeats(address: str) -> None:
    """Whatever else reads the table, and however many processors there are."""
    first = sp.read(address).to_frame("polars")
    assert sp.read(address).to_frame("polars").equals(first)


def test_nothing_is_left_behind(address: str) -> None:
    if address.startswith("postgresql"):
        pytest.skip("a server writes what it likes")
    file = Path(address.partition("#")[0])
    before = file.read_bytes()
    sp.read(address)
    assert file.read_bytes() == before
    assert [other.name for other in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("table", ["nobody", ""])
def test_a_table_that_is_not_there(address: str, table: str) -> None:
    with pytest.raises(DataError) as refused:
        sp.read(f"{address.partition('#')[0]}#{table}")
    assert "there are: " in str(refused.value)
    assert "'people'" in str(refused.value)
    assert "pg_" not in str(refused.value).replace("postgresql", "")


def test_a_text_among_numbers_is_not_told(tmp_path: Path) -> None:
    """SQLite takes any value in any column."""
    check_extension("sqlite")
    file = tmp_path / "odd.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE people (age INTEGER, sex TEXT)")
    rows = [(n, "f") for n in range(3000)]
    connection.executemany("INSERT INTO people VALUES (?, ?)", [*rows, ("secret", "m")])
    connection.commit()
    connection.close()
    with pytest.raises(DataError) as refused:
        sp.read(f"{file}#people")
    assert "secret" not in str(refused.value)
    assert refused.value.__context__ is None


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    check_extension("postgresql")
    with pytest.raises(DataError, match="The server must be a database of PostgreSQL") as refused:
        sp.read(f"postgresql://ann@/staff?host={tmp_path}#people")
    assert str(tmp_path) not in str(refused.value)

"""Databases find the buckets that Python finds, and quote no value when they refuse a column."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlglot
from tests.collect import engines, golden

from sparsam.cli.collect._export import DIALECTS as OFFERED
from sparsam.collect.exports import DIALECTS as NAMED
from sparsam.collect.exports.sql._dialects import DIALECTS
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import (
    Generalization,
    categorical_partition,
    numeric_partition,
)

ANY_COUNT = 0  # all that were thought of; benchmarks/golden_sql.py takes 100,000
HERE = ("sqlite", "duckdb", "postgresql")


@pytest.fixture(params=HERE)
def engine(request: pytest.FixtureRequest) -> Iterator[engines.Engine]:
    """A database of this machine, empty."""
    address = ":memory:"
    if request.param == "postgresql":
        address = request.getfixturevalue("postgres").schema()[1]
    database = engines.ENGINES[request.param](address)
    yield database
    database.close()


def test_every_golden_value_has_the_bucket_of_python(engine: engines.Engine) -> None:
    values, wrong = 0, []
    for column, job in golden.jobs(ANY_COUNT, engine):
        answer = engines.answers(engine, job)
        values += len(answer["held"])
        wrong += golden.differences(column, answer)
    assert not wrong
    assert values > 6_000


def test_at_least_fifteen_dialects_are_written() -> None:
    assert len(DIALECTS) >= 15
    assert tuple(DIALECTS) == NAMED == OFFERED


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_what_is_written_can_be_read_back(dialect: str) -> None:
    unsaid = {"oracle": "town's name"}  # it holds the empty text
    timeless = ("clickhouse", "databricks", "oracle", "spark")
    people = Generalization(
        part
        for part in golden.small()
        if part.name != unsaid.get(dialect)
        and not (dialect in timeless and part.name == "time of day")
    )
    kept = "the 'target'"
    for statement, names in (
        (people.to_sql("people", dialect, keep=kept), [*people.names, kept]),
        (people.to_sql_check("people", dialect), list(people.names)),
    ):
        read = sqlglot.parse_one(statement, read=dialect)
        assert [select.alias_or_name for select in read.selects] == names


BORN = NumericDomain("1931-01-01", "2009-12-31", unit="date")
SECRET = Generalization(
    [
        numeric_partition("age", NumericDomain(0, 99), [17], missing=2),
        numeric_partition("born", BORN, ["1960-01-01"]),
        categorical_partition("code", CategoricalDomain((1, 2)), [[1], [2]], unseen=2),
        categorical_partition("flag", CategoricalDomain((True, False)), [[True], [False]]),
    ]
)  # fmt: skip


@pytest.mark.parametrize("name", SECRET.names)
def test_texts_are_no_numbers_and_are_never_quoted(engine: engines.Engine, name: str) -> None:
    alone = Generalization([SECRET[name]])
    engine.load("people", name, "text", ["17", "1", "true", "Zyxquartz", None])
    codes = engine.run(alone.to_sql("people", engine.dialect, "codes", keep=engines.ROW))
    assert [row[0] for row in sorted(codes, key=lambda row: row[1])][:4] == [None] * 4
    refused = engine.run(alone.to_sql_check("people", engine.dialect))
    assert refused[0][0] == 4 + (SECRET[name].missing is None)


@pytest.mark.parametrize("kind", ["FLOAT", "DECIMAL(9, 3)", "HUGEINT", "UTINYINT"])
def test_numbers_of_every_type_are_compared_as_doubles(kind: str) -> None:
    duck = engines.DuckDB()
    alone = Generalization([numeric_partition("x", NumericDomain(0, 9), [0.1, 1])])
    duck.run(f"CREATE TABLE people AS SELECT CAST(v AS {kind}) AS x FROM (VALUES (0.1), (1)) t(v)")
    found = duck.run(alone.to_sql("people", "duckdb", "codes"))
    raw = [float(value) for (value,) in duck.run("SELECT x FROM people")]
    assert [code for (code,) in found] == [alone["x"].bucket(value) for value in raw]

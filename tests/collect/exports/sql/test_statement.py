"""Statements: tables by any name, columns that are kept, and what a dialect cannot say."""

from __future__ import annotations

import duckdb
import pytest

from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import (
    Generalization,
    categorical_partition,
    numeric_partition,
)

AGE = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])
PEOPLE = Generalization([AGE, numeric_partition("height", NumericDomain(0, 3), [])])


def test_the_columns_are_the_collected_ones_and_the_kept_ones() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (age INT, height DOUBLE, column_1 INT, c INT)")
    connection.execute("INSERT INTO people VALUES (40, 1.8, 7, 8), (NULL, 1, 5, 6)")
    relation = connection.sql(PEOPLE.to_sql("people", keep=["column_1", "c"]))
    assert relation.columns == ["age", "column_1", "c"]
    assert relation.fetchall() == [("17–61", 7, 8), (None, 5, 6)]
    assert connection.sql(PEOPLE.to_sql_check("people")).fetchall() == [(1,)]


def test_an_empty_table_has_nothing_that_is_refused() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (age INT)")
    assert connection.sql(PEOPLE.to_sql_check("people")).fetchall() == [(0,)]


@pytest.mark.parametrize(
    ("written", "dialect", "read"),
    [
        ("people", "duckdb", "FROM people"),
        ("main.people", "duckdb", "FROM main.people"),
        ('"my schema"."my ""table"""', "postgres", 'FROM "my schema"."my ""table"""'),
        ("`project-1`.data.people", "bigquery", "FROM `project-1`.data.people"),
        ("[dbo].[my table]", "tsql", "FROM [dbo].[my table]"),
    ],
)
def test_a_table_is_called_as_the_dialect_writes_it(written: str, dialect: str, read: str) -> None:
    assert read in PEOPLE.to_sql(written, dialect)
    assert read in PEOPLE.to_sql_check(written, dialect)


@pytest.mark.parametrize(
    "table",
    [
        *("", "my table", "people; DROP TABLE people", "people WHERE 1 = 1", "(SELECT 1)", "a, b"),
        *("f(1)", "people TABLESAMPLE (1 PERCENT)", "people PIVOT (sum(a) FOR b IN (1))", "--"),
        *("a JOIN b", "people AS p", "a.b.c.d"),
    ],
)
def test_anything_but_the_name_of_a_table_is_refused(table: str) -> None:
    with pytest.raises(ParameterError, match="The table must be a name as duckdb writes it"):
        PEOPLE.to_sql(table)


def test_nothing_collected_is_said() -> None:
    nothing = Generalization([PEOPLE["height"]])
    with pytest.raises(ParameterError, match="nothing is collected"):
        nothing.to_sql("people")
    assert "height" not in nothing.to_sql("people", keep="employed")
    with pytest.raises(ParameterError, match="Nothing is collected"):
        nothing.to_sql_check("people")


def groups(*members: object) -> Generalization:
    domain = CategoricalDomain(members)  # type: ignore[arg-type]
    return Generalization([categorical_partition("x", domain, [[m] for m in members], missing=0)])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("generalization", "dialect", "message"),
    [
        (groups("a", 1), "bigquery", "'x' are texts and numbers"),
        (groups(True, 2), "sqlite", "'x' are numbers and truth values, which are the same"),
        (groups("a", ""), "oracle", "'x' tells an empty text from a missing value, and oracle"),
        (
            Generalization(
                [numeric_partition("x", NumericDomain("08:00", "20:00", unit="time"), ["12:00"])]
            ),
            "spark",
            "'x' holds times of day, and spark has no type",
        ),
    ],
)
def test_what_a_dialect_cannot_say_is_an_error(
    generalization: Generalization, dialect: str, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        generalization.to_sql("people", dialect)


def test_categories_of_several_kinds_meet_the_column_that_there_is() -> None:
    mixed = groups("1", 1, False)
    connection = duckdb.connect()
    for value, bucket in (
        ("'1'", 0),
        ("1", 1),
        ("1.0", 1),
        ("FALSE", 2),
        ("DATE '2020-01-01'", None),
    ):
        connection.execute(f"CREATE OR REPLACE TABLE people AS SELECT {value} AS x")
        assert connection.sql(mixed.to_sql("people", output="codes")).fetchall() == [(bucket,)]


def test_an_empty_text_may_be_missing_where_both_share_a_bucket() -> None:
    assert "IN ('')" in groups("", "a").to_sql("people", "oracle")


def test_categories_that_are_not_listed_are_known_or_missing() -> None:
    domain = CategoricalDomain(())
    known = Generalization([categorical_partition("x", domain, [], missing=1)])
    connection = duckdb.connect()
    for value, bucket in (
        ("'a'", 0),
        ("1", 0),
        ("'NaN'::DOUBLE", 1),
        ("NULL::TEXT", 1),
        ("FALSE", 0),
    ):
        connection.execute(f"CREATE OR REPLACE TABLE people AS SELECT {value} AS x")
        assert connection.sql(known.to_sql("people", output="codes")).fetchall() == [(bucket,)]

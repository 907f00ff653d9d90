"""Numbers arrive as the doubles that they are, and decisions stay shallow."""

from __future__ import annotations

import math
import random
import sqlite3

import duckdb
import pytest
from sqlglot import exp

from sparsam.collect.exports.sql import _expressions
from sparsam.collect.exports.sql._expressions import (
    column,
    decide,
    fraction,
    number,
)

GENERATOR = random.Random(17)
NUMBERS = [
    *(0.0, 0.1, -0.5, 1 / 3, 5e-324, 1.7976931348623157e308, 2.0**53, 2.0**53 + 2, 1e22, 1e23),
    *(2.2250738585072014e-308, 123456.789, -1e-7, 9007199254740993.0, 4.35, 0.000123456789012345),
    *(GENERATOR.uniform(-1e6, 1e6) for _ in range(300)),
    *(math.ldexp(GENERATOR.uniform(-1, 1), GENERATOR.randrange(-1070, 1020)) for _ in range(300)),
]


def test_sqlite_reads_every_number_exactly() -> None:
    statement = ", ".join(fraction(value).sql("sqlite") for value in NUMBERS)
    assert list(sqlite3.connect(":memory:").execute(f"SELECT {statement}").fetchone()) == NUMBERS


def test_duckdb_reads_every_number_exactly() -> None:
    statement = ", ".join(f"CAST({number(value).sql('duckdb')} AS DOUBLE)" for value in NUMBERS)
    assert list(duckdb.connect().execute(f"SELECT {statement}").fetchone() or ()) == NUMBERS


@pytest.mark.parametrize(("count", "depth"), [(1, 0), (2, 1), (4, 1), (5, 2), (64, 3), (65, 4)])
def test_decisions_are_right_and_shallow(
    count: int, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_expressions, "MOST_BRANCHES", 4)
    tree = decide(
        count,
        lambda _, last: exp.LT(this=column("x"), expression=number(last)),
        number,
        None,
    )
    assert max(len(_cases(node)) for node in tree.find_all(exp.Literal)) == depth
    query = f'SELECT {tree.sql("duckdb")} FROM range({count}) t("x")'
    assert duckdb.connect().execute(query).fetchall() == [(i,) for i in range(count)]


def _cases(node: exp.Expression) -> list[exp.Expression]:
    found, above = [], node.parent
    while above is not None:
        found += [above] * isinstance(above, exp.Case)
        above = above.parent
    return found


def test_what_meets_no_condition_is_otherwise() -> None:
    tree = decide(
        100,
        lambda first, last: exp.Between(this=column("x"), low=number(first), high=number(last - 1)),
        number,
        exp.Null(),
    )
    query = f'SELECT {tree.sql("duckdb")} FROM (VALUES (-1), (0), (99), (100)) t("x")'
    assert duckdb.connect().execute(query).fetchall() == [(None,), (0,), (99,), (None,)]

"""The table of records: its columns, and what it refuses."""

from __future__ import annotations

import sqlite3

import pytest

from sparsam._errors import StoreError
from sparsam.collect.store._table import POSTGRES, SQLITE, RecordTable


def test_columns_have_the_names_of_attributes_where_they_are_plain_words():
    names = ["age", "Age", "day", "n", "column_2", "x y", "a" * 41, "order", "é"]
    table = RecordTable("0" * 16, "counts", dict.fromkeys(names, 2))
    assert table.columns == (
        '"age"', '"column_2"', '"column_3"', '"column_4"', '"column_5"', '"column_6"',
        '"column_7"', '"order"', '"column_9"',
    )  # fmt: skip
    assert len({column.lower() for column in table.columns}) == len(names)


def test_the_table_itself_refuses_full_resolution():
    table = RecordTable("0" * 16, "counts", {"age": 9})
    connection = sqlite3.connect(":memory:")
    connection.execute(table.definition(SQLITE))
    insert = f"INSERT INTO {table.name} VALUES (20000, ?, 1)"
    with pytest.raises(sqlite3.IntegrityError, match=r"CHECK constraint failed"):
        connection.execute(insert, (47,))
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in INTEGER"):
        connection.execute(insert, ("forty-seven",))
    with pytest.raises(sqlite3.IntegrityError, match="cannot store REAL value in INTEGER"):
        connection.execute(insert, (4.7,))
    connection.execute(insert, (8,))
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(f"UPDATE {table.name} SET n = 0")
    connection.close()


def test_definitions():
    table = RecordTable("0" * 16, "rows", {"age": 9})
    assert table.definition(SQLITE).endswith(") STRICT, WITHOUT ROWID")
    assert "rowid" not in table.definition(POSTGRES).lower()
    assert "handle bytea NOT NULL PRIMARY KEY" in table.definition(POSTGRES)


@pytest.mark.parametrize("n_columns", [0, 1_001])
def test_too_few_and_too_many_columns(n_columns):
    with pytest.raises(StoreError, match="1 to 1,000 columns"):
        RecordTable("0" * 16, "counts", {f"a{place}": 2 for place in range(n_columns)})

"""Databases that execute exported statements; what they need is imported where it is used.

Also a program, for drivers that live in an environment of their own:
`python engines.py ENGINE JOBS.json ANSWERS.json ADDRESS`.
"""

from __future__ import annotations

import datetime
import json
import math
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

ROW = "row number"  # as in golden.py


class Engine:
    """One database: it makes a table of one column and runs statements on it.

    The tables have a second column, `ROW`, which numbers their rows.
    """

    dialect: ClassVar[str]
    types: ClassVar[dict[str, str]]
    """What a column of each kind is declared as; a kind that is not here cannot be held."""
    dates_are_texts: ClassVar[bool] = False
    truths_are_numbers: ClassVar[bool] = False

    @classmethod
    def reads(cls) -> set[str]:
        """The kinds of values that a column can be read as."""
        kinds = {"integer": "number", "float": "number", "moment": "date"}
        return {kinds.get(kind, kind) for kind in cls.types}

    def holds(self, kind: str, value: Any) -> bool:
        """Whether a column of this kind can hold a value."""
        return True

    def name(self, name: str) -> str:
        """A name in quotes."""
        return '"' + name.replace('"', '""') + '"'

    def load(self, table: str, column: str, kind: str, values: Sequence[Any]) -> None:
        """Make a table of one column, and of the numbers of its rows."""
        declared = f"{self.name(column)} {self.types[kind]}, {self.name(ROW)} INTEGER"
        self.run(f"DROP TABLE IF EXISTS {table}")
        self.run(f"CREATE TABLE {table} ({declared})")
        self.insert(table, [(value, row) for row, value in enumerate(values)])

    def insert(self, table: str, rows: list[tuple[Any, int]]) -> None:
        """Fill a table."""
        raise NotImplementedError

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""
        raise NotImplementedError

    def close(self) -> None:
        """Let the database go."""
        self.connection.close()

    connection: Any


class SQLite(Engine):
    """In memory. Truth values are numbers, dates are texts."""

    dialect = "sqlite"
    types: ClassVar = {
        "integer": "INTEGER",
        "float": "REAL",
        "text": "TEXT COLLATE NOCASE",
        "truth": "INTEGER",
        "date": "TEXT",
        "moment": "TEXT",
        "time": "TEXT",
    }
    dates_are_texts = True
    truths_are_numbers = True

    def __init__(self, address: str = ":memory:") -> None:
        self.connection = sqlite3.connect(address)

    def holds(self, kind: str, value: Any) -> bool:
        return value == value  # NaN would be null

    def insert(self, table: str, rows: list[tuple[Any, int]]) -> None:
        held = [(_iso(value), row) for value, row in rows]
        self.connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", held)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement).fetchall()


def _iso(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value


class DuckDB(Engine):
    """In memory."""

    dialect = "duckdb"
    types: ClassVar = {
        "integer": "BIGINT",
        "float": "DOUBLE",
        "text": "VARCHAR COLLATE NOCASE.NOACCENT",
        "truth": "BOOLEAN",
        "date": "DATE",
        "moment": "TIMESTAMP",
        "time": "TIME",
    }

    def __init__(self, address: str = ":memory:") -> None:
        import duckdb

        self.connection = duckdb.connect(address)

    def insert(self, table: str, rows: list[tuple[Any, int]]) -> None:
        # one row a statement is slow, so that both columns travel as lists
        values, numbers = ([*column] for column in zip(*rows, strict=True))
        kind = self.connection.execute(f"SELECT * FROM {table}").description[0][1]
        self.connection.execute(
            f"INSERT INTO {table} SELECT UNNEST(?::{kind}[]), UNNEST(?::INTEGER[])",
            [values, numbers],
        )

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement).fetchall()


class PostgreSQL(Engine):
    """A server, by its address."""

    dialect = "postgres"
    types: ClassVar = {
        "integer": "bigint",
        "float": "double precision",
        "text": "text",
        "truth": "boolean",
        "date": "date",
        "moment": "timestamp",
        "time": "time",
    }

    def __init__(self, address: str) -> None:
        import psycopg

        self.connection = psycopg.connect(address, autocommit=True, prepare_threshold=None)

    def holds(self, kind: str, value: Any) -> bool:
        return not (isinstance(value, str) and "\x00" in value)

    def insert(self, table: str, rows: list[tuple[Any, int]]) -> None:
        with (
            self.connection.cursor() as cursor,
            cursor.copy(f"COPY {table} FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        cursor = self.connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


class MariaDB(Engine):
    """A server, by its socket. Truth values are numbers, and there is no NaN."""

    dialect = "mysql"
    types: ClassVar = {
        "integer": "BIGINT",
        "float": "DOUBLE",
        "text": "VARCHAR(200)",
        "truth": "BOOLEAN",
        "date": "DATE",
        "moment": "DATETIME",
        "time": "TIME(6)",
    }
    truths_are_numbers = True

    def __init__(self, address: str) -> None:
        import pymysql

        self.connection = pymysql.connect(unix_socket=address, user="root", charset="utf8mb4")
        self.connection.autocommit(True)
        self.run("CREATE DATABASE IF NOT EXISTS golden CHARACTER SET utf8mb4")
        self.run("USE golden")

    def holds(self, kind: str, value: Any) -> bool:
        return not (isinstance(value, float) and not math.isfinite(value))

    def name(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def insert(self, table: str, rows: list[tuple[Any, int]]) -> None:
        with self.connection.cursor() as cursor:
            # a float is written with all its digits, which the driver does not do
            held = [(repr(v) if isinstance(v, float) else v, row) for v, row in rows]
            cursor.executemany(f"INSERT INTO {table} VALUES (%s, %s)", held)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        with self.connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())


class ClickHouse(Engine):
    """In this process (chdb). There is no type for times of day; dates are of 1900 to 2299."""

    dialect = "clickhouse"
    types: ClassVar = {
        "integer": "Nullable(Int64)",
        "float": "Nullable(Float64)",
        "text": "Nullable(String)",
        "truth": "Nullable(Bool)",
        "date": "Nullable(Date32)",
        "moment": "Nullable(DateTime64(0, 'UTC'))",
    }

    def __init__(self, address: str = "") -> None:
        from chdb import session

        self.session = session.Session()
        self.run("CREATE DATABASE golden ENGINE = Memory")
        self.run("USE golden")

    def holds(self, kind: str, value: Any) -> bool:
        return not isinstance(value, datetime.date) or 1900 <= value.year < 2299

    def name(self, name: str) -> str:
        return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"

    def load(self, table: str, column: str, kind: str, values: Sequence[Any]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        arrow = {
            "integer": pa.int64(),
            "float": pa.float64(),
            "text": pa.string(),
            "truth": pa.bool_(),
            "date": pa.date32(),
            "moment": pa.timestamp("s"),
        }
        declared = f"{self.name(column)} {self.types[kind]}, {self.name(ROW)} Int64"
        self.run(f"DROP TABLE IF EXISTS {table}")
        self.run(f"CREATE TABLE {table} ({declared}) ENGINE = Memory")
        # as Parquet: the reader of texts is not exact to the last bit of a double
        file = Path("values.parquet").absolute()
        columns = {"value": pa.array(values, arrow[kind]), "number": range(len(values))}
        parquet.write_table(pa.table(columns), file)
        self.run(f"INSERT INTO {table} SELECT value, number FROM file('{file}', 'Parquet')")
        file.unlink()

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        answer = str(self.session.query(statement.rstrip().rstrip(";"), "JSONCompactEachRow"))
        return [tuple(json.loads(line)) for line in answer.splitlines()]


class Spark(Engine):
    """On this machine, with one core. There is no type for times of day."""

    dialect = "spark"
    types: ClassVar = {
        "integer": "bigint",
        "float": "double",
        "text": "string",
        "truth": "boolean",
        "date": "date",
        "moment": "timestamp_ntz",
    }

    def __init__(self, address: str = "") -> None:
        from pyspark.sql import SparkSession

        self.session = (
            SparkSession.builder.master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "1")
            .getOrCreate()
        )

    def load(self, table: str, column: str, kind: str, values: Sequence[Any]) -> None:
        from pyspark.sql import types

        made = {
            "integer": types.LongType(),
            "float": types.DoubleType(),
            "text": types.StringType(),
            "truth": types.BooleanType(),
            "date": types.DateType(),
            "moment": types.TimestampNTZType(),
        }
        fields = [
            types.StructField(column, made[kind]),
            types.StructField(ROW, types.LongType()),
        ]
        rows = [(value, row) for row, value in enumerate(values)]
        frame = self.session.createDataFrame(rows, types.StructType(fields))
        frame.createOrReplaceTempView(table)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.session.sql(statement.rstrip().rstrip(";")).collect()]


ENGINES: dict[str, type[Engine]] = {
    "sqlite": SQLite,
    "duckdb": DuckDB,
    "postgresql": PostgreSQL,
    "mariadb": MariaDB,
    "clickhouse": ClickHouse,
    "spark": Spark,
}


def decoded(kind: str, value: Any) -> Any:
    """A value from JSON, where dates are texts and NaN is {"special": "nan"}."""
    if isinstance(value, dict):
        return float(value["special"])
    if value is None or kind not in _FROM_TEXT:
        return float(value) if kind == "float" and value is not None else value
    return _FROM_TEXT[kind](value)


_FROM_TEXT: dict[str, Any] = {
    "date": datetime.date.fromisoformat,
    "moment": datetime.datetime.fromisoformat,
    "time": datetime.time.fromisoformat,
}


def answers(engine: Engine, job: dict[str, Any]) -> dict[str, Any]:
    """Run the statements of one column: buckets, labels and how many are refused.

    A strict database refuses to plan a statement when a column has another type: it then says
    `error`, and nothing else.
    """
    values = [decoded(job["kind"], value) for value in job["values"]]
    held = [i for i, value in enumerate(values) if engine.holds(job["kind"], value)]
    engine.load(job["table"], job["attribute"], job["kind"], [values[i] for i in held])
    found: dict[str, Any] = {"held": held}
    try:
        for what in ("codes", "labels"):
            rows = sorted(engine.run(job[what]), key=lambda row: row[1])
            found[what] = [row[0] for row in rows]
        found["refused"] = int(engine.run(job["check"])[0][0])
    except Exception as error:  # noqa: BLE001 - every driver has its own
        found["error"] = str(error)
    return found


def main() -> None:
    """Run the jobs of a file on one engine, and write what it answers."""
    name, jobs, output, address = sys.argv[1:]
    engine = ENGINES[name](address)
    read = json.loads(Path(jobs).read_text(encoding="utf-8"))
    told = [answers(engine, job) if job["kind"] in engine.types else None for job in read]
    Path(output).write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()

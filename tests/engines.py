"""The engines that rows can live in: the same table for each of them, and its answers at home.

The fixture `engine` of `tests/conftest.py` runs a test once in each. A test that uses it, or
`spark`, is marked `engines`: `make test-spark` runs these alone, with Spark.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import duckdb
import polars as pl
import pytest

SETTINGS = {
    "spark.master": "local[1]",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}

_PORT = "spark.connect.grpc.binding.port"


class Engine(ABC):
    """Where rows live."""

    name: str

    def __call__(self, rows: Mapping[str, Any] | pl.DataFrame, parts: int = 1) -> Any:
        """Put a table into the engine.

        Parameters
        ----------
        rows : mapping of str to columns, or polars frame
        parts : int
            Into how many parts the rows are divided, where an engine has parts. Spark promises
            the order of the rows in one part alone.
        """
        return self._put(rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows), parts)

    @abstractmethod
    def _put(self, rows: pl.DataFrame, parts: int) -> Any: ...

    @abstractmethod
    def home(self, frame: Any) -> pl.DataFrame:
        """Bring home what came out of the engine."""


class Memory(Engine):
    name = "memory"

    def _put(self, rows: pl.DataFrame, parts: int) -> Any:
        return rows

    def home(self, frame: Any) -> pl.DataFrame:
        return frame


class DuckDB(Engine):
    name = "duckdb"

    def _put(self, rows: pl.DataFrame, parts: int) -> Any:
        return duckdb.connect().from_arrow(rows.to_arrow())

    def home(self, frame: Any) -> pl.DataFrame:
        return frame.pl()


class Polars(Engine):
    name = "polars"

    def _put(self, rows: pl.DataFrame, parts: int) -> Any:
        return _parted(rows, parts).lazy()

    def home(self, frame: Any) -> pl.DataFrame:
        return frame.collect()


class Spark(Engine):
    """Spark, through its classic frames or those of Spark Connect."""

    def __init__(self, name: str, session: Any) -> None:
        self.name, self.session = name, session

    def _put(self, rows: pl.DataFrame, parts: int) -> Any:
        texts = pl.col(pl.Categorical, pl.Enum).cast(pl.String)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Spark says of its own libraries
            frame = self.session.createDataFrame(rows.with_columns(texts).to_arrow())
        return frame.coalesce(1) if parts == 1 else frame.repartition(parts)

    def home(self, frame: Any) -> pl.DataFrame:
        home = pl.from_arrow(frame.toArrow())
        assert isinstance(home, pl.DataFrame)
        return home


def _parted(rows: pl.DataFrame, parts: int) -> pl.DataFrame:
    size = -(-len(rows) // parts) or 1
    chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
    return pl.concat(chunks, rechunk=False) if chunks else rows


def open_engine(name: str, session: Callable[[str], Any]) -> Engine:
    """Return an engine.

    Parameters
    ----------
    name : str
        One of `ENGINES` of `tests/conftest.py`.
    session : callable
        Returns a session of Spark, by the name of the fixture that has it.
    """
    simple: dict[str, type[Engine]] = {"memory": Memory, "duckdb": DuckDB, "polars": Polars}
    return simple[name]() if name in simple else Spark(name, session(name))


def check_spark() -> None:
    """Skip where there is no Spark, and say what is not there."""
    pytest.importorskip("pyspark", reason="pyspark is not installed (make test-spark)")
    if shutil.which("java") is None:
        pytest.skip("there is no Java, which Spark needs")


@contextmanager
def spark_session() -> Iterator[Any]:
    """Start Spark on this machine, which serves clients of Spark Connect, too; and stop it."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    served = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        _PORT: str(_free_port()),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Spark says of versions of pandas
        session = SparkSession.builder.config(map={**SETTINGS, **served}).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def connect_session(server: Any) -> Iterator[Any]:
    """Open a client of such a session."""
    pytest.importorskip("grpc", reason="grpcio is not installed (make test-spark)")
    port = server.sparkContext.getConf().get(_PORT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])

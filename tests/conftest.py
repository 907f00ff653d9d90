"""Fixtures that several folders of tests use."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Reports say when they were made: on the same day in every run.
os.environ["SOURCE_DATE_EPOCH"] = "1767225600"  # 2026-01-01

ENGINES = ("memory", "duckdb", "polars", "spark", "connect")
"""Where rows can live (`tests/engines.py`); "connect" is a client of Spark Connect."""

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _shared(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the shared folder '{name}' is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def every_command() -> Any:
    """The class that lists every command: `benchmarks/every_command.py`."""
    place = Path(__file__).resolve().parents[1] / "benchmarks" / "every_command.py"
    found = importlib.util.spec_from_file_location("every_command", place)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["every_command"] = module  # dataclasses look their module up
    found.loader.exec_module(module)
    return module.Scene


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real tables that is not part of the repository."""
    return _shared("data")


@pytest.fixture(scope="session")
def shared_reference() -> Path:
    """The folder of independently computed results."""
    return _shared("reference")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One session of Spark for the whole run, on one core of this machine."""
    from tests.engines import check_spark, spark_session

    check_spark()
    with spark_session() as session:
        yield session


@pytest.fixture(scope="session")
def connect(spark: Any) -> Iterator[Any]:
    """A client of Spark Connect, which that session serves."""
    from tests.engines import connect_session

    with connect_session(spark) as session:
        yield session


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server for the tests alone, started when it is first needed."""
    from tests.private_postgres import PrivatePostgres

    server = PrivatePostgres()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Any:
    """Each engine that rows can live in: `engine(rows)` puts a table there."""
    from tests.engines import open_engine

    return open_engine(request.param, request.getfixturevalue)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test-spark` runs; other tests call other things an engine."""
    for item in items:
        call = getattr(item, "callspec", None)
        name = call.params.get("engine") if call else None
        on_each = isinstance(name, str) and name in ENGINES
        if on_each or {"spark", "connect"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.engines)


def _people(n_rows: int = 300, seed: int = 0) -> Any:
    import pandas as pd

    rng = np.random.default_rng(seed)
    age = rng.integers(15, 80, n_rows)
    education = rng.choice(["low", "middle", "high"], n_rows)
    sex = rng.choice(["female", "male"], n_rows)
    usual = np.where(sex == "female", "north", "south")
    region = np.where(
        rng.random(n_rows) < 0.7, usual, rng.choice(["north", "south", "east"], n_rows)
    )
    works = (age > 25) & (age < 65) & (education != "low")
    lucky = rng.random(n_rows) < 0.05
    return pd.DataFrame(
        {
            "age": age,
            "education": education,
            "sex": sex,
            "region": region,
            "zip": rng.choice(["01", "02", "10"], n_rows),
            "works": np.where(works ^ lucky, "yes", "no"),
        }
    )


@pytest.fixture(scope="session")
def make_people() -> Callable[..., Any]:
    """Build a table of made-up people whose work depends on age and education only."""
    return _people

"""Fixtures that several folders of tests use."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import warnings
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
    pytest.importorskip("pyspark", reason="pyspark is not installed (make test-spark)")
    if shutil.which("java") is None:
        pytest.skip("there is no Java, which Spark needs")
    from pyspark.sql import SparkSession

    settings = {
        "spark.master": "local[1]",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.timeType.enabled": "true",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
    }
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Spark says of versions of pandas
        session = SparkSession.builder.config(map=settings).getOrCreate()
    yield session
    session.stop()


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

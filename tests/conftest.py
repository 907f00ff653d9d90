"""Fixtures that several folders of tests use."""

from __future__ import annotations

import doctest
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from sparsam._errors import MissingExtraError

# The same examples in every run; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# The libraries of the extras, by the names that they are imported by.
EXTRAS = {
    "dp_accounting": "accounting",
    "diffprivlib": "dp-training",
    "mbi": "mbi",
    "onnx": "dev",
    "onnxruntime": "models",
    "opacus": "dp-training",
    "opendp": "dp",
    "pandas": "frames",
    "polars": "frames",
    "pyarrow": "frames",
    "skops": "models",
    "torch": "neural",
}


def _missing_extra(error: BaseException | None) -> str | None:
    """Why a test cannot run here, if that is an extra that is not installed."""
    if isinstance(error, doctest.UnexpectedException):
        error = error.exc_info[1]
    if isinstance(error, MissingExtraError):
        return str(error).partition("\n")[0]
    library = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
    if library in EXTRAS and importlib.util.find_spec(library) is None:
        return f"{library} is not installed (extra '{EXTRAS[library]}')"
    return None


def _skip(report: Any, place: Path, error: BaseException | None) -> None:
    reason = _missing_extra(error)
    if report.outcome == "failed" and reason is not None:
        report.outcome, report.longrepr = "skipped", (str(place), 0, f"Skipped: {reason}")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Skip a file of tests that needs an extra which is not installed (`make test-core`)."""
    report = yield
    if report.outcome == "failed" and report.call.excinfo is not None:
        error = report.call.excinfo.value
        _skip(report, collector.path, error.__cause__ or error)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Skip a test that turns out to need an extra which is not installed."""
    report = yield
    _skip(report, item.path, call.excinfo.value if call.excinfo else None)
    return report


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

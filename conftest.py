"""Skip what needs an extra that is not installed (`make test-core`); share what tests share."""

from __future__ import annotations

import doctest
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb
from typing import Any

import pytest

from sparsam._errors import MissingExtraError

os.environ["MPLBACKEND"] = "Agg"  # charts are drawn into memory, on no screen

# The libraries of the extras, by the names that they are imported by.
EXTRAS = {
    "dp_accounting": "accounting",
    "diffprivlib": "dp-training",
    "matplotlib": "plot",
    "docutils": "docs",
    "httpx": "dev",
    "onnx": "dev",
    "onnxruntime": "models",
    "opacus": "dp-training",
    "opendp": "dp",
    "openpyxl": "excel",
    "pandas": "frames",
    "polars": "frames",
    "psycopg": "postgres",
    "pyarrow": "frames",
    "skops": "models",
    "sqlglot": "sql",
    "starlette": "serve",
    "torch": "neural",
    "uvicorn": "serve",
}


# What takes longest comes first, so that no process waits for the other at the end.
LONGEST = ("site", "cli", "minimise", "canaries", "attack", "anonymise", "explore")


def _unit(nodeid: str) -> str:
    """The tests that share fixtures: a folder of `tests`, or a file beside these folders."""
    parts = Path(nodeid.partition("::")[0]).parts
    return parts[1] if len(parts) > 1 and parts[0] == "tests" else parts[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    places = {unit: place for place, unit in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(_unit(item.nodeid), len(LONGEST)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Send the tests that share fixtures to one process, so that these are made once."""
    from xdist.scheduler import LoadScopeScheduling

    class OneProcessPerUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _unit(nodeid)

    config.option.loadscopereorder = False
    return OneProcessPerUnit(config, log)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close the figures that a test or an example has opened."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


# Files whose import ended early for want of an extra, and stay half imported.
_CUT_SHORT: dict[str, str] = {}


def _missing_extra(error: BaseException | None) -> str | None:
    """Why a test cannot run here, if that is an extra that is not installed."""
    if isinstance(error, doctest.UnexpectedException):
        error = error.exc_info[1]
    if isinstance(error, MissingExtraError):
        return str(error).partition("\n")[0]
    if not isinstance(error, ImportError):
        return None
    library = (error.name or "").partition(".")[0]
    if library in EXTRAS and importlib.util.find_spec(library) is None:
        reason = f"{library} is not installed (extra '{EXTRAS[library]}')"
        files = (frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__))
        _CUT_SHORT.update(dict.fromkeys(files, reason))
        return reason
    return _CUT_SHORT.get(error.path or "")


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

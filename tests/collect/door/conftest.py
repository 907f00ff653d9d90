"""The bodies, the served process and the kills of `benchmarks/door.py`, in small."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def hostile() -> Any:
    """The benchmark as a module."""
    place = Path(__file__).resolve().parents[3] / "benchmarks" / "door.py"
    found = importlib.util.spec_from_file_location("door_benchmark", place)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["door_benchmark"] = module  # dataclasses look their module up
    found.loader.exec_module(module)
    return module

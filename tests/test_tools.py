"""The scripts of `tools/` that `make` runs."""

from __future__ import annotations

import doctest
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["lower_bounds", "coverage_summary"])
def test_examples_run(name: str) -> None:
    outcome = doctest.testmod(load(name))
    assert outcome.attempted
    assert not outcome.failed


def test_every_requirement_has_a_lower_bound_that_is_tested() -> None:
    """Also the pins of `constraints.txt` are above the bounds that they replace."""
    run = [sys.executable, str(ROOT / "tools" / "lower_bounds.py")]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert "torch==2.13.0" in lines
    assert all(re.fullmatch(r"[\w.-]+==[\d.]+", line) for line in lines)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {line.partition("==")[0] for line in lines}
    assert {requirement.partition(">=")[0] for requirement in project["dependencies"]} <= names


def test_a_requirement_without_a_bound_is_refused() -> None:
    with pytest.raises(SystemExit, match="'numpy' claims no lower bound"):
        load("lower_bounds").lower_bounds({"dependencies": ["numpy"]}, set())

"""A folder of small tables, one artifact made from them, and two ways to run a command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sparsam.cli._main import cli
from sparsam.cli._terminal import UNEXPECTED
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree

SWEEP = ("--min-leaf", "20", "--jobs", "1", "--max-utility-loss", "0.1")


@pytest.fixture(scope="session")
def run() -> Callable[..., Result]:
    """Run a command in this process; an exception that is no exit is an error of ours."""

    def call(*arguments: Any) -> Result:
        result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        assert result.exit_code != UNEXPECTED, result.output
        assert "Traceback" not in result.output
        return result

    return call


@pytest.fixture(scope="session")
def shell() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command in a process of its own, as a user does."""

    def call(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sparsam.cli", *map(str, arguments)]
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", check=False, **options
        )
        assert done.returncode != UNEXPECTED, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return call


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, make_people: Callable[..., Any]) -> Path:
    """700 made-up people as .csv, .csv.gz and .parquet."""
    place = tmp_path_factory.mktemp("tables")
    people = make_people(700)
    people.to_csv(place / "people.csv", index=False)
    people.to_csv(place / "people.csv.gz", index=False)
    people.to_parquet(place / "people.parquet")
    return place


@pytest.fixture(scope="session")
def minimised(run: Callable[..., Result], folder: Path) -> Result:
    """The result of one minimisation, which leaves people.json and report.html in the folder."""
    outputs = ("-o", folder / "people.json", "--report", folder / "report.html")
    result = run("minimise", folder / "people.csv", "--target", "works", *outputs, *SWEEP, "--json")
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="session")
def artifact(folder: Path) -> Path:
    """A saved generalization that collects age and education only."""
    tree = PrivacyTree(Roles("works"), max_leaves=4, privacy=0, min_leaf=20)
    made = tree.fit(folder / "people.csv").generalization_
    assert made.collected == ("age", "education")
    made.save(folder / "artifact.json")
    return folder / "artifact.json"

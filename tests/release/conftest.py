"""Distributions as they would be released, and empty environments to install them into.

`make test-release` runs these tests; `make test` leaves them out, as they fetch packages.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
# What this environment has must not be seen by the others.
OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")


@dataclass(frozen=True)
class Environment:
    """A virtual environment of its own."""

    place: Path

    @classmethod
    def empty(cls, place: Path) -> Environment:
        """Make one that has nothing but pip."""
        base = getattr(sys, "_base_executable", sys.executable)
        subprocess.run([base, "-m", "venv", str(place)], check=True)
        return cls(place)

    def copy(self, place: Path) -> Environment:
        """Make another that has the same; files that are not changed are shared."""
        shutil.copytree(self.place, place, symlinks=True, copy_function=os.link)
        return Environment(place)

    def install(self, *what: str) -> None:
        """Install packages, by the pins that `make` installs with."""
        quiet = ("--quiet", "--disable-pip-version-check", "--prefer-binary")
        self.run("-m", "pip", "install", *quiet, "--constraint", str(CONSTRAINTS), *what)

    def run(self, *words: str, folder: Path | None = None) -> str:
        """Run Python with these words, where nothing of ours is seen, and return what it prints."""
        done = subprocess.run(
            [str(self.place / "bin" / "python"), *words],
            cwd=folder or self.place,
            env={name: value for name, value in os.environ.items() if name not in OURS},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The source distribution, and the wheel that was built from it."""
    pytest.importorskip("build", reason="build is not installed (extra 'dev')")
    place = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(place), str(ROOT)],
        check=True,
        capture_output=True,
    )
    [source], [wheel] = place.glob("*.tar.gz"), place.glob("*.whl")
    return {"source": source, "wheel": wheel}


@pytest.fixture(scope="session")
def core(distributions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel and what it always needs."""
    environment = Environment.empty(tmp_path_factory.mktemp("core") / "venv")
    environment.install(str(distributions["wheel"]))
    return environment


@pytest.fixture
def with_extra(
    core: Environment, distributions: dict[str, Path], tmp_path: Path
) -> Iterator[Callable[[str], Environment]]:
    """Make an environment with one extra and no other, for one test."""

    def make(extra: str) -> Environment:
        environment = core.copy(tmp_path / "venv")
        environment.install(f"{distributions['wheel']}[{extra}]")
        return environment

    yield make
    shutil.rmtree(tmp_path / "venv")

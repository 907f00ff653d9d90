"""The source distribution holds what the README names, and what its commands need."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
INCLUDED = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]


def covered(name: str) -> bool:
    """Whether a file of the repository is in the distribution."""
    return name == "pyproject.toml" or any(
        name == place.strip("/") or name.startswith(place.strip("/") + "/") for place in INCLUDED
    )


DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/api.md",
    "docs/guide/index.md",
    "docs/start.md",
    "docs/papers.md",
)


def named() -> set[str]:
    """Files and folders of the repository that its documents and its Makefile speak of."""
    names = set(DOCUMENTS)
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            names.add(((ROOT / document).parent / link).resolve().relative_to(ROOT).as_posix())
        quoted = {name.strip("/") for name in re.findall(r"`([\w./-]+)`", text)}
        names |= {name for name in quoted if name and (ROOT / name).exists()}
        names |= {"Makefile"} if re.search(r"\bmake \w+", text) else set()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    names |= set(re.findall(r"(?<![\w./-])(?:tools/\w+\.py|[\w-]+\.txt)", makefile))
    return names - {".venv", "tests", "src"}


def test_what_is_named_is_there() -> None:
    names = named()
    assert {"Makefile", "constraints.txt", "docs/guide/collect.md", "docs/report.png"} <= names
    assert {"benchmarks", "tools/lower_bounds.py", "CONTRIBUTING.md", "SECURITY.md"} <= names
    assert not [name for name in names if not covered(name)]


def test_what_is_included_exists() -> None:
    assert not [place for place in INCLUDED if not (ROOT / place.strip("/")).exists()]


def test_everything_that_is_tracked_is_distributed() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    left = {name for name in listed.stdout.splitlines() if not covered(name)}
    assert left <= {".gitignore"}

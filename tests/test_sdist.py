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


def named() -> set[str]:
    """Files of the repository that its documents and its Makefile speak of."""
    found = set()
    for document in ("README.md", "SECURITY.md", "CHANGELOG.md", "docs/guide.md", "docs/papers.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            found.add(((ROOT / document).parent / link).resolve().relative_to(ROOT).as_posix())
        quoted = re.findall(r"`([\w./-]+)`", text)
        found |= {name.strip("/") for name in quoted if (ROOT / name).is_file()}
        found |= {"Makefile"} if re.search(r"\bmake \w+", text) else set()
    found |= set(re.findall(r"[\w-]+\.txt", (ROOT / "Makefile").read_text(encoding="utf-8")))
    return found


def test_what_is_named_is_there() -> None:
    names = named()
    assert {"Makefile", "constraints.txt", "docs/guide.md", "docs/report.png"} <= names
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

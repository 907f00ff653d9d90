"""Whoever follows a page of the site gets what it says: every block of code runs."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .blocks import ROOT, Block, blocks, pages, python_of
from .claims import CLAIMS
from .walk import Walk

PAGES = pages()
# Links are followed in these as well, although nothing in them is run.
DOCUMENTS = [*PAGES, "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
NEEDED = [block for page in PAGES for block in blocks(page) if "needs" in block.marks]
LONGEST_README = 150


@pytest.mark.site
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_a_page_can_be_followed(page: str, follow: Callable[[str], Walk]) -> None:
    walk = follow(page)
    CLAIMS.get(page, lambda walk: None)(walk)


def test_claims_are_about_pages() -> None:
    assert CLAIMS.keys() <= set(PAGES)


@pytest.mark.parametrize("block", NEEDED, ids=lambda block: block.place)
def test_what_else_a_page_needs_is_there(block: Block) -> None:
    """What is left out of a page that was followed shows as a skipped test."""
    needed = block.marks["needs"]
    if not (importlib.util.find_spec(needed) or shutil.which(needed)):
        pytest.skip(f"{needed} is not here: `make test-recipes` runs the block")


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page: str) -> None:
    """No block is without a language, but for drawings in the README."""
    unnamed = [block for block in blocks(page) if not block.language]
    assert not [block.place for block in unnamed if "──>" not in block.text]


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_skipped_without_a_reason(page: str) -> None:
    reasons = [block.marks["skip"] for block in blocks(page) if "skip" in block.marks]
    assert all(len(reason.split()) > 3 for reason in reasons)
    named = [name for reason in reasons for name in re.findall(r"tests/[\w/]+\.py", reason)]
    assert [name for name in named if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    """Sphinx looks at the links of the site; here are those that are followed without it."""
    text = (ROOT / document).read_text(encoding="utf-8")
    written_later = ("commands/", "examples/")
    for link in re.findall(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)", text):
        place = (ROOT / document).parent / link
        inside = os.path.relpath(place, ROOT / "docs")
        assert place.exists() or inside.startswith(written_later), link


def test_the_readme_is_a_first_screen() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_README
    [code] = [block for block in blocks("README.md") if block.language == "python"]
    assert len([line for line in code.text.splitlines() if line.strip()]) <= 10


def test_documented_code_type_checks(tmp_path: Path) -> None:
    """As a user's own scripts do under `mypy --strict`: each page is one script.

    With our own settings, which are strict, mypy knows our modules already after `make lint`.
    """
    pytest.importorskip("mypy", reason="mypy is not installed (extra 'dev')")
    for number, page in enumerate(PAGES):
        (tmp_path / f"page_{number}.py").write_text(python_of(page), encoding="utf-8")
    (tmp_path / "folders.py").write_text(FOLDERS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *sorted(map(str, tmp_path.glob("*.py")))],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.replace(str(tmp_path), "")


# Folders are modules, to Python and to mypy alike.
FOLDERS = """
import sparsam as sp

print(sp.attack.Reconstruction(), sp.run_attacks, sp.assess.Front, sp.assess_generalization)
print(sp.anonymise.Mondrian, sp.individual.mask_people, sp.explore.Ledger, sp.minimise.Merging)
print(sp.collect.Questionnaire, sp.data.Roles, sp.generalization.Recoding, sp.report.attack_report)
"""


def test_folders_can_be_reached_from_the_top() -> None:
    subprocess.run([sys.executable, "-c", FOLDERS], capture_output=True, check=True)

"""The page of public names, and the number of them."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import sparsam

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path(sparsam.__file__).parent
MOST_NAMES = 135


def offered() -> dict[str, list[str]]:
    """The public names of the top level and of every folder that users import from."""
    places = [path.parent.name for path in SOURCE.glob("*/__init__.py")]
    modules = {"sparsam": sparsam} | {
        f"sparsam.{name}": importlib.import_module(f"sparsam.{name}")
        for name in places
        if name != "cli"
    }
    lists = {name: sorted(getattr(module, "__all__", [])) for name, module in modules.items()}
    return {name: names for name, names in lists.items() if names}


def described() -> dict[str, dict[str, str]]:
    """What the page says of each name, folder by folder."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    sections = re.split(r"^## `([\w.]+)`$", page, flags=re.MULTILINE)[1:]
    return {
        folder: dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, flags=re.MULTILINE))
        for folder, text in zip(sections[::2], sections[1::2], strict=True)
    }


def test_the_page_lists_every_public_name() -> None:
    listed = {folder: sorted(names) for folder, names in described().items()}
    assert listed == offered(), "run `make api`"


def test_every_public_name_has_a_description() -> None:
    page = described()
    assert not [f"{f}.{name}" for f, names in page.items() for name in names if not names[name]]


def test_a_user_can_keep_the_public_names_in_mind() -> None:
    sizes = {folder: len(names) for folder, names in offered().items() if folder != "sparsam"}
    assert sum(sizes.values()) <= MOST_NAMES, sizes


def test_public_names_are_there() -> None:
    missing = [
        f"{folder}.{name}"
        for folder, names in offered().items()
        for name in names
        if not hasattr(importlib.import_module(folder), name)
    ]
    assert not missing

"""Every public name and every command has a page, with all of its options."""

from __future__ import annotations

import doctest
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from sparsam.cli._main import cli

from .blocks import DOCS


@pytest.fixture(scope="module")
def extensions() -> Iterator[dict[str, ModuleType]]:
    """The modules that write pages when the site is built."""
    place = str(DOCS / "_extensions")
    sys.path.insert(0, place)
    names = ("written", "api_pages", "command_pages")
    yield {name: importlib.import_module(name) for name in names}
    sys.path.remove(place)


@pytest.fixture
def links(extensions: dict[str, ModuleType]) -> ModuleType:
    """The module that lets code lead to pages."""
    pytest.importorskip("docutils", reason="docutils is not installed (extra 'docs')")
    return importlib.import_module("code_links")


def commands(group: click.Group, above: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that can be typed."""
    for name, command in group.commands.items():
        yield f"{above} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{above} {name}")


def test_every_command_and_option_is_on_a_page(extensions: dict[str, ModuleType]) -> None:
    pages = extensions["command_pages"].pages()
    looked_at = 0
    for path, command in commands(cli, "sparsam"):
        text = pages[f"{path.split()[1]}.rst"]
        part = text.partition(f".. program:: {path}\n")[2].partition("\n.. program::")[0]
        assert part, path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                looked_at += 1
                for spelling in (*parameter.opts, *parameter.secondary_opts):
                    assert spelling in part, f"{path} {spelling}"
    assert looked_at > 300
    assert pages.keys() == {"index.rst", *(f"{name}.rst" for name in cli.commands)}


def test_every_public_name_has_a_page(extensions: dict[str, ModuleType]) -> None:
    api = extensions["api_pages"]
    pages = api.pages()
    for name in api.public_names():
        text = pages[f"{name.page}.rst"]
        assert f":: {name.name}" in text, name
        assert f"<{name.page}>" in pages[f"{name.folder}.rst"], name
    lower = {page.lower() for page in pages}
    assert len(lower) == len(pages)  # also where disks know no case


def test_code_leads_to_pages_that_are_written(
    extensions: dict[str, ModuleType], links: ModuleType
) -> None:
    targets, pages = links.targets(), extensions["api_pages"].pages()
    assert {page.removeprefix("api/") + ".rst" for page in targets.values()} <= pages.keys()
    assert targets["sp.sweep"] == targets["sparsam.assess.sweep"] == "api/sparsam.assess.sweep"
    assert targets["Risk"] == "api/sparsam.attack.Risk"
    assert "sweep" not in targets  # a word that may be a word


def test_examples_of_the_extensions_run(links: ModuleType) -> None:
    outcome = doctest.testmod(links)
    assert outcome.attempted
    assert not outcome.failed


def test_what_is_written_is_all_that_is_there(
    extensions: dict[str, ModuleType], tmp_path: Path
) -> None:
    folder = tmp_path / "pages"
    write = extensions["written"].write_folder
    write(folder, {"a.rst": "one", "b.rst": "two"})
    before = (folder / "a.rst").stat().st_mtime_ns
    write(folder, {"a.rst": "one", "c.rst": "three"})
    assert {path.name for path in folder.iterdir()} == {"a.rst", "c.rst"}
    assert (folder / "a.rst").stat().st_mtime_ns == before

"""The blocks of code of a page, and what its source says about running them.

A comment right before a block says how it is run; readers of the page do not see it:

    <!-- test: file roles.toml -->      the block is written to this file
    <!-- test: needs feast -->          it is run where this library or program is there
    <!-- test: exit 1 -->               the last command of the block ends with this code
    <!-- test: shell -->                a real shell runs it, as it is
    <!-- test: skip because … -->       it is not run, and why not

Several are divided by semicolons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# What is written when the site is built, or drawn on by what builds it.
GENERATED = ("_build", "api", "commands", "examples", "gallery")
MARKS = ("file", "needs", "exit", "shell", "skip")
_MARK = re.compile(r"<!-- test: (.*?) -->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code in a page."""

    page: str
    line: int
    language: str
    text: str
    marks: dict[str, str]

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Every page of the site that somebody wrote, and the README."""
    written = [
        path.relative_to(ROOT).as_posix()
        for path in sorted(DOCS.rglob("*.md"))
        if path.relative_to(DOCS).parts[0] not in GENERATED
    ]
    return ["README.md", *written]


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in their order; what Sphinx itself carries out is none."""
    tokens = MarkdownIt("commonmark").parse((ROOT / page).read_text(encoding="utf-8"))
    found = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type in ("fence", "code_block") and not token.info.startswith("{"):
            line = (token.map or [0])[0] + 1
            found.append(Block(page, line, token.info.strip(), token.content, _marks(before)))
    return found


def _marks(before: Token | None) -> dict[str, str]:
    """What the comment before a block says."""
    if before is None or before.type != "html_block":
        return {}
    said = _MARK.search(before.content)
    if said is None:
        return {}
    pairs = (mark.strip().partition(" ") for mark in said[1].split(";"))
    marks = {verb: rest.strip() for verb, _, rest in pairs}
    unknown = marks.keys() - set(MARKS)
    if unknown:
        raise ValueError(f"Nobody knows the mark {unknown}.")
    return marks


def python_of(page: str) -> str:
    """The Python of a page as one script, without what needs a library that we do not have."""
    return "\n".join(
        block.text
        for block in blocks(page)
        if block.language == "python" and not {"skip", "needs", "file"} & block.marks.keys()
    )

"""Follow a page as its reader would: run its Python and its commands, in one folder, in order.

What a page shows as output is compared with what came out.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from sparsam._errors import MissingExtraError
from sparsam.cli._main import cli

from .blocks import Block, blocks

# What a shell would act on: such a line is run by one.
_SHELL_SIGNS = re.compile(r"[|<>&$`]")
_MISSING = re.compile(r"^Error: (.* is (?:not installed|needed).*)\n\nHint: pip", re.MULTILINE)


class Walk:
    """A page that is followed, and what it leaves: names, output, and what was left out.

    Parameters
    ----------
    page : str
        From the root of the repository. Its commands run in the current folder.
    """

    def __init__(self, page: str) -> None:
        self.page = page
        self.names: dict[str, Any] = {"__name__": Path(page).stem}
        self.shown = ""
        self.left_out: list[str] = []

    def run(self) -> Walk:
        """Run every block, one after the other."""
        for block in blocks(self.page):
            self._step(block)
        return self

    def _step(self, block: Block) -> None:
        if not block.language:
            return  # a drawing: `test_pages.py` sees to it that it is one
        if "skip" in block.marks:
            assert block.marks["skip"].startswith("because "), f"{block.place} says no reason"
            return
        needed = block.marks.get("needs")
        if needed and not (importlib.util.find_spec(needed) or shutil.which(needed)):
            self.left_out.append(f"{block.place} needs {needed}")
            return
        if "file" in block.marks:
            Path(block.marks["file"]).parent.mkdir(parents=True, exist_ok=True)
            Path(block.marks["file"]).write_text(block.text, encoding="utf-8")
            return
        steps = {
            "python": self._python,
            "sh": self._commands,
            "text": self._compare,
            "toml": self._parse,
        }
        assert block.language in steps, f"{block.place}: nothing runs '{block.language}'"
        steps[block.language](block)

    def _python(self, block: Block) -> None:
        with redirect_stdout(io.StringIO()) as out:
            exec(compile(block.text, block.place, "exec"), self.names)
        self.shown = out.getvalue()

    def _commands(self, block: Block) -> None:
        self.shown = ""
        lines = list(_lines(block.text)) if "shell" not in block.marks else [block.text]
        for number, line in enumerate(lines):
            last = number == len(lines) - 1
            expected = int(block.marks.get("exit", 0)) if last else 0
            self._command(line, expected, f"{block.place}: {line}", shell="shell" in block.marks)

    def _command(self, line: str, expected: int, place: str, *, shell: bool) -> None:
        if shell or _SHELL_SIGNS.search(_bare(line)):
            code, out, err = _by_shell(line)
        else:
            words = shlex.split(line, comments=True)
            assert words[0] == "sparsam", f"{place}: only sparsam runs without a shell"
            result = CliRunner().invoke(cli, [*words[1:], *_that_ends(words)], prog_name="sparsam")
            code, out, err = result.exit_code, result.stdout, result.stderr
        missing = _MISSING.search(err)
        if missing:
            raise MissingExtraError(missing[1])
        assert code == expected, f"{place}\nended with {code}\n{out}\n{err}"
        self.shown += out

    def _compare(self, block: Block) -> None:
        """What is shown came out; an ellipsis stands for whatever is not shown."""
        parts = [" ".join(part.split()) for part in block.text.split("...")]
        pattern = ".*".join(map(re.escape, parts))
        said = " ".join(self.shown.split())
        assert re.search(pattern, said, re.DOTALL), f"{block.place} is not what came:\n{self.shown}"

    def _parse(self, block: Block) -> None:
        tomllib.loads(block.text)


def _lines(text: str) -> Iterator[str]:
    """Yield the commands of a block; one that ends in a backslash goes on."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.strip().startswith("#"):
            yield line.strip()


def _bare(line: str) -> str:
    """A line without what is quoted, and without its comment."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\s#.*$", "", line)


def _that_ends(words: list[str]) -> list[str]:
    """A service would not end: it opens everything, and stops."""
    return ["--check"] if words[1] == "collect" and "--check" not in words else []


def _by_shell(line: str) -> tuple[int, str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr

"""Run commands as a user does, and keep everything that they say and write."""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from sparsam.cli import main

from . import sightings
from .sightings import Sighting

Sabotage = tuple[str, Callable[[], BaseException]]
GOOD, BAD, ANY = "good", "bad", "any"


@dataclass(frozen=True)
class Case:
    """A command line, and what may come of it.

    Parameters
    ----------
    name : str
    line : str
        The words after `sparsam`. A word that begins with @ is one of the planted files, with = the
        text in it, with > an output, with < an output of another case, as in
        ``<minimise/people.json``.
    way : {"good", "bad", "any"}
        Whether the command is to do its work (exit code 0, or 1 for a gate), to refuse it, or may
        do either.
    holds : mapping of str to mapping
        For outputs that hold cells by their purpose: the file, the columns of it, and whose
        canaries may stand there.
    says : collection of str
        Columns that were declared, whose canaries may stand everywhere.
    noisy : bool
        Whether the answers are noisy, so that a number of three digits may come by chance.
    sabotage : tuple of (str, callable)
        A function that is made to fail, by its dotted name, and what gives the error.
    environment : mapping of str to str
        Variables to set.
    """

    name: str
    line: str
    way: str = GOOD
    holds: Mapping[str, Mapping[str, Collection[str]]] = field(default_factory=dict)
    says: Collection[str] = ()
    noisy: bool = False
    sabotage: Sabotage | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        """The words of the command line."""
        return shlex.split(self.line)


@dataclass(frozen=True)
class Run:
    """What a command said and wrote."""

    case: Case
    code: int
    said: Mapping[str, str]
    folder: Path

    @property
    def files(self) -> list[Path]:
        """All files that it left, wherever they were meant to be."""
        return sorted(path for path in self.folder.rglob("*") if path.is_file())

    def __str__(self) -> str:
        said = "\n".join(f"--- {name}\n{text}" for name, text in self.said.items() if text)
        return f"sparsam {self.case.line}\nexit code {self.code}\n{said}"


class Stage:
    """A folder of planted tables, and the runs of all cases, each of them once."""

    def __init__(self, folder: Path, cases: Mapping[str, Case]) -> None:
        self.tables = folder / "tables"
        self.outputs = folder / "outputs"
        self.cases = cases
        self.runs: dict[str, Run] = {}
        self.known = sightings.digests(self.tables)
        self.planted = set(self.tables.rglob("*"))

    def run(self, name: str) -> Run:
        """Run a case, after those whose outputs it takes."""
        if name not in self.runs:
            self.runs[name] = self._run(self.cases[name])
        return self.runs[name]

    def _run(self, case: Case) -> Run:
        words = [self.word(case, word) for word in case.words]
        folder = self.outputs / case.name
        folder.mkdir(parents=True, exist_ok=True)
        with sabotaged(case.sabotage):
            code, said = run_main(words, folder, case.environment)
        return Run(case, code, said, folder)

    def word(self, case: Case, word: str) -> str:
        """A word of a command line with the paths that it stands for."""
        if word.startswith("@"):
            return str(self.tables / word[1:])
        if word.startswith("="):
            return (self.tables / word[1:]).read_text(encoding="utf-8")
        if word.startswith(">"):
            return str(self.outputs / case.name / word[1:])
        if word.startswith("<"):
            name, _, file = word[1:].partition("/")
            done = self.run(name)
            assert (done.folder / file).is_file(), f"{name} left no {file}:\n{done}"
            return str(done.folder / file)
        return word

    def sightings(self, run: Run) -> list[Sighting]:
        """All canaries that a run shows and may not show."""
        case, seen = run.case, []
        for name, text in run.said.items():
            seen += sightings.in_text(text, name, case.says, noisy=case.noisy)
            seen += sightings.in_digests(text, name, self.known)
        for file in run.files:
            allowed: dict[str, Any] = {sightings.ALL: case.says, **case.holds.get(file.name, {})}
            seen += sightings.in_file(file, self.known, allowed, noisy=case.noisy)
        return seen


def run_main(
    words: list[str], folder: Path, environment: Mapping[str, str] | None = None
) -> tuple[int, dict[str, str]]:
    """Call the program in this process, with everything caught that a user would see."""
    out, err, log = io.StringIO(), io.StringIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(folder))
        stack.enter_context(mock.patch.object(sys, "argv", ["sparsam", *words]))
        variables = {"COLUMNS": "300", "NO_COLOR": "1", **(environment or {})}
        stack.enter_context(mock.patch.dict(os.environ, variables))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(logged(log))
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        code = _exit_code(main)
    warned = "\n".join(f"{one.category.__name__}: {one.message}" for one in caught)
    said = {"stdout": out, "stderr": err, "log": log}
    return code, {name: text.getvalue() for name, text in said.items()} | {"warnings": warned}


def _exit_code(program: Any) -> int:
    try:
        program()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # noqa: BLE001 - what the interpreter would print is what we look at
        traceback.print_exception(error)
        return 1
    return 0


@contextlib.contextmanager
def logged(stream: io.StringIO) -> Iterator[None]:
    """Send all logs of all libraries to a stream."""
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@contextlib.contextmanager
def sabotaged(sabotage: Sabotage | None) -> Iterator[None]:
    """Make a function fail."""
    if sabotage is None:
        yield
        return
    module, _, name = sabotage[0].rpartition(".")
    with mock.patch.object(importlib.import_module(module), name, side_effect=sabotage[1]()):
        yield

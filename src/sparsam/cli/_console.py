"""Progress, messages and complaints, on standard error only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import rich_click as click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sparsam.cli._terminal import SafeConsole

_STEPS = 4


def messages(quiet: bool = False) -> SafeConsole:
    """A console on standard error, which takes names for names and no part of them for markup."""
    return SafeConsole(
        stderr=True, quiet=quiet, highlight=False, soft_wrap=True, markup=False, emoji=False
    )


def tables() -> SafeConsole:
    """A console on standard output, for tables."""
    return SafeConsole(highlight=False, markup=False, emoji=False)


def complain(error: BaseException) -> None:
    """Say what went wrong, with what the error knows about where."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f": '{Path(str(error.filename)).name}'" if error.filename else ""
        text = f"{error.strerror}{where}."
    notes = getattr(error, "__notes__", [])
    click.echo("\n".join([f"Error: {text}", *notes]), err=True)


@contextmanager
def progress_bar(console: SafeConsole, what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how far long work has come; yields a function of (done, total).

    A bar in a terminal, a few plain lines in a log.
    """
    if not console.is_terminal:
        yield lambda done, total: _line(console, what, done, total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, redirect_stdout=False, redirect_stderr=False
    ) as progress:
        task = progress.add_task(what, total=None)

        def show(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield show


def _line(console: SafeConsole, what: str, done: int, total: int) -> None:
    if done * _STEPS // total > (done - 1) * _STEPS // total:
        console.print(f"{what}: {done} of {total}")

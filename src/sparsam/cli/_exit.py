"""How a command ends: its exit code, and what is said about an error."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType

import rich_click as click
from click.exceptions import Abort, Exit, NoArgsIsHelpError

from sparsam._errors import SparsamError
from sparsam._printable import printable
from sparsam.cli._console import complain

USAGE = 2
UNEXPECTED = 70
INTERRUPTED = 130
READER_LEFT = 141
TRACEBACK = "SPARSAM_TRACEBACK"
_HINT = (
    "Hint: this is a defect of sparsam, of a library, or a lack of memory. With {name}=1 in the "
    "environment the command says where it came from, without any value; please report that."
)


@contextmanager
def exit_codes() -> Iterator[None]:
    """Turn every error into a message and an exit code; no message of a stranger is shown."""
    with _interrupts() as interrupts, _codes(interrupts):
        yield


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Note Ctrl-C: some libraries make another error of it."""
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        signal.default_int_handler(number, frame)

    before = signal.getsignal(signal.SIGINT)
    ours = before is signal.default_int_handler and (
        threading.current_thread() is threading.main_thread()
    )
    if ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _codes(interrupts: list[int]) -> Iterator[None]:
    try:
        yield
    except (Exit, Abort, SystemExit, NoArgsIsHelpError):
        raise
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        raise click.UsageError(printable(error.format_message()), context) from None
    except BrokenPipeError:  # whoever read our output has left, and wants no more
        _write_to_nobody()
        sys.exit(READER_LEFT)
    except BaseException as error:  # noqa: BLE001 - whatever it is, its message may hold values
        if interrupts or isinstance(error, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            sys.exit(INTERRUPTED)
        # an error of the system has words of its own; one that a library made up is a stranger
        if isinstance(error, SparsamError) or getattr(error, "strerror", None):
            complain(error)
            sys.exit(USAGE)
        click.echo("\n".join(_unexpected(error)), err=True)
        sys.exit(UNEXPECTED)


def _unexpected(error: BaseException) -> Iterator[str]:
    """Say what kind of error came from where, without its message."""
    ours = [place for place in _places(error.__traceback__) if place.startswith("sparsam.")]
    yield f"Error: unexpected {_kind(error)} in {ours[-1]}."
    yield ""
    if not os.environ.get(TRACEBACK):
        yield _HINT.format(name=TRACEBACK)
        return
    cause: BaseException | None = error
    seen: list[BaseException] = []
    while cause is not None and cause not in seen:
        yield f"{'which came from ' if seen else ''}{_kind(cause)}:"
        yield from (f"  {place}" for place in _places(cause.__traceback__))
        seen.append(cause)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _kind(error: BaseException) -> str:
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{module}{kind.__qualname__}"


def _places(traceback: TracebackType | None) -> Iterator[str]:
    """Name module, line and function of every call, and nothing else."""
    while traceback is not None:
        frame = traceback.tb_frame
        module = frame.f_globals.get("__name__", "?")
        yield f"{module}:{traceback.tb_lineno} ({frame.f_code.co_name})"
        traceback = traceback.tb_next


def _write_to_nobody() -> None:
    """Let what is still to be flushed go nowhere, instead of failing again at the very end."""
    with suppress(OSError):
        nobody = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nobody, sys.stdout.fileno())
        os.close(nobody)

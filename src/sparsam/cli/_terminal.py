"""Standard output and error while a command runs: only our own styling steers the terminal."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, TextIO, cast

import rich_click as click
from click.exceptions import Abort, Exit, NoArgsIsHelpError
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text
from rich_click import RichContext, RichHelpFormatter

from sparsam._errors import SparsamError, for_commands
from sparsam._printable import one_line, printable


class Styled(str):
    """Text with styling of ours, in which names were made printable before."""

    __slots__ = ()

    def __str__(self) -> str:
        return self

    def rstrip(self, chars: str | None = None, /) -> Styled:
        """Remove blanks at the end."""
        return Styled(super().rstrip(chars))


class GuardedStream:
    """A stream that writes all but `Styled` text without signs that steer a terminal.

    It has no `buffer`: nothing goes around it. What its encoding does not have is escaped.

    Parameters
    ----------
    beneath : stream
    """

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath
        self.encoding = beneath.encoding or "utf-8"
        self.errors = beneath.errors

    def write(self, text: str) -> int:
        """Write a text."""
        if not isinstance(text, str):
            raise TypeError(f"A text is written here. Got {type(text).__name__} instead.")
        safe = text if isinstance(text, Styled) else printable(text)
        # without an encoding that has the sign, say which sign it is: never fail to print
        known = safe.encode(self.encoding, "backslashreplace").decode(self.encoding)
        self.beneath.write(known)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Pass on what waits."""
        self.beneath.flush()

    def close(self) -> None:
        """Pass on what waits; who opened what is beneath closes it."""
        if not self.closed:
            self.flush()

    def isatty(self) -> bool:
        """Whether someone looks at it."""
        return self.beneath.isatty()

    def fileno(self) -> int:
        """Return the number that the system knows it by."""
        return self.beneath.fileno()

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self.beneath.closed


class _StyledStream(GuardedStream):
    """The way in for consoles, which make texts printable before they style them."""

    def write(self, text: str) -> int:
        return super().write(Styled(text))


class SafeConsole(Console):
    """A console that makes every text printable before it is laid out and styled."""

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        stream: Any = sys.stderr if stderr else sys.stdout
        if isinstance(stream, GuardedStream):
            stream = _StyledStream(stream.beneath)
        super().__init__(file=cast(TextIO, stream), **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Turn a text, which is one line, into one that can be styled."""
        return super().render_str(one_line(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Lay something out."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show that work goes on, as a context: it moves in a terminal, and is a line in a log.

        Unlike `status`, it does not put what others print meanwhile through rich, which would
        take their escapes for styling.
        """
        if not self.is_terminal:
            self.print(what)
            yield
            return
        # here, so that a service that runs for weeks does not carry what moves in a terminal
        from rich.live import Live
        from rich.spinner import Spinner

        with Live(
            Spinner("dots", text=one_line(what)),
            console=self,
            transient=True,
            refresh_per_second=12.5,
            redirect_stdout=False,
            redirect_stderr=False,
        ):
            yield


class SafeFormatter(RichHelpFormatter):
    """Help and usage errors, in our own styling; messages are made printable before."""

    def getvalue(self) -> str:
        """Return all that was written."""
        return Styled(super().getvalue())


class SafeContext(RichContext):
    """A context whose help reaches the terminal with its styling."""

    formatter_class = SafeFormatter


def adopt(command: click.Command) -> click.Command:
    """Let a command and those below it use `SafeContext`."""
    command.context_class = SafeContext
    for below in getattr(command, "commands", {}).values():
        adopt(below)
    return command


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard standard output and error."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, GuardedStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


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
    """Print what went wrong, with what the error knows about where."""
    text = for_commands(str(error))
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
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

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


def counted(count: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted(1, "record"), counted(20000, "record")
    ('1 record', '20,000 records')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


NOT_MET = 1
USAGE = 2
TOO_FEW = 3
UNEXPECTED = 70
INTERRUPTED = 130
READER_LEFT = 141
_ABORTED = 1  # click's own code for Ctrl-C
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
def interrupted_last() -> Iterator[None]:
    """End with the code of an interrupt where Ctrl-C came before or after a command's own work.

    Click would end with 1 there, as a gate that fails does.
    """
    with _interrupts() as interrupts:
        try:
            yield
        except SystemExit as ending:
            if interrupts and ending.code == _ABORTED:
                sys.exit(INTERRUPTED)
            raise


_noted: list[int] = []


def _note(number: int, frame: FrameType | None) -> None:
    _noted.append(number)
    signal.default_int_handler(number, frame)


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Note Ctrl-C: some libraries make another error of it. One inside another shares its notes."""
    before = signal.getsignal(signal.SIGINT)
    ours = before is signal.default_int_handler and (
        threading.current_thread() is threading.main_thread()
    )
    if before is not _note:
        _noted.clear()
    if ours:
        signal.signal(signal.SIGINT, _note)
    try:
        yield _noted
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _codes(interrupts: list[int]) -> Iterator[None]:
    try:
        yield
    except Abort:
        click.echo("Interrupted.", err=True)
        sys.exit(INTERRUPTED)
    except (Exit, SystemExit, NoArgsIsHelpError):
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
    """Yield what kind of error came from where, without its message."""
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


def echo_json(data: Mapping[str, Any]) -> None:
    """Print plain data as JSON; a number that is none becomes null."""
    click.echo(json.dumps(_finite(data), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_out(text: str) -> None:
    """Write data to standard output: as they are into a pipe or a file, harmless to a terminal.

    Parameters
    ----------
    text : str
    """
    stream: Any = sys.stdout
    if not isinstance(stream, GuardedStream) or stream.isatty():
        click.echo(text, nl=False)
        return
    stream.flush()
    beneath: Any = getattr(stream.beneath, "buffer", None)
    if beneath is None:
        stream.beneath.write(text)
    else:
        left = memoryview(text.encode("utf-8"))
        while left:  # a stream without a buffer may take less than all
            left = left[beneath.write(left) :]
        beneath.flush()

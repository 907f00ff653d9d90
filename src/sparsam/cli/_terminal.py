"""Standard output and error while a command runs: only our own styling steers the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

import rich_click as click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.live import Live
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text
from rich_click import RichContext, RichHelpFormatter

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
        """Say that it can be written to."""
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

    def working(self, what: str) -> Live:
        """Show that work goes on, as a context.

        Unlike `status`, it does not put what others print meanwhile through rich, which would
        take their escapes for styling.
        """
        return Live(
            Spinner("dots", text=one_line(what)),
            console=self,
            transient=True,
            refresh_per_second=12.5,
            redirect_stdout=False,
            redirect_stderr=False,
        )


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

"""The parts of a report in Markdown that every kind of report has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sparsam.report.page._blocks import KeyFigure
from sparsam.report.page._markdown import escaped as escaped  # noqa: PLC0414


def heading(section: tuple[int, str]) -> str:
    """Write the heading of a section."""
    return f"## {section[0]}. {section[1]}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; a column whose name starts with a space is aligned to the right."""
    rule = ["---:" if name.startswith(" ") else "---" for name in head]
    lines = [[name.strip() for name in head], rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def with_range(text: str, around: str | None) -> str:
    """Add an interval to a figure, where there is one."""
    return f"{text} ({around})" if around else text


def figure_list(figures: Iterable[KeyFigure]) -> str:
    """Write the key figures as a list."""
    return "\n".join(
        f"- **{figure.value}** {figure.name}: {escaped('; '.join(figure.notes))}"
        for figure in figures
    )


def fenced(text: str) -> str:
    """Fence a text with more backticks than it holds itself."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"

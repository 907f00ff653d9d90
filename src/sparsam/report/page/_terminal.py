"""Any page as text for a terminal: its verdict, and what it says in brief."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from sparsam._printable import one_line
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Checks,
    Code,
    Facts,
    Figure,
    Fold,
    Heading,
    Items,
    Legend,
    Notice,
    Page,
    Span,
    Table,
    Text,
    Words,
    inner_blocks,
)

if TYPE_CHECKING:
    from rich import table as rich_table
    from rich import text as rich_text
    from rich.console import Console

_WIDE = 6
"""So many columns need all the room there is in a terminal of 80 signs."""
_MOST_CHIPS = 12
_PLAIN = {0x202F: " ", 0xAD: None}
_STYLES = {"strong": "bold", "stressed": "italic", "tag": "dim"}


def terminal(page: Page, width: int = 80) -> str:
    """Write what a page says in brief as plain text.

    Parameters
    ----------
    page : Page
    width : int, default=80
        How wide a table may be; sentences are left to the terminal to break.
    """
    from rich.console import Console

    written = io.StringIO()
    print_page(page, Console(file=written, width=width, color_system=None, highlight=False))
    return written.getvalue()


def print_page(page: Page, console: Console) -> None:
    """Print what a page says in brief and its verdict; without anything in brief, its key figures.

    Every sign that steers a terminal is escaped.

    Parameters
    ----------
    page : Page
    console : rich.console.Console
    """
    if page.made:
        console.print(styled((Span("strong", page.title), " · ", page.made)), soft_wrap=True)
    print_blocks(page.brief, console)
    console.print(styled(strong_verdict(page)), soft_wrap=True)
    print_blocks(page.notices, console)
    if not page.brief:
        figures = (
            (figure.name, ", ".join((figure.value, *figure.notes))) for figure in page.figures
        )
        print_blocks((Facts(tuple(figures)),), console)


def strong_verdict(page: Page) -> Words:
    """Return the verdict of a page, its first sentence marked."""
    return (Span("strong", page.verdict.needs), " ", page.verdict.costs)


def print_blocks(blocks: Iterable[Block], console: Console) -> None:
    """Print blocks one after the other; what can only be drawn is left out."""
    for block in blocks:
        if isinstance(block, Table):
            console.print(_table(block))
        else:
            for line in _lines(block):
                console.print(styled(line), soft_wrap=True)
            print_blocks(inner_blocks(block), console)


def styled(words: Words, style: str = "") -> rich_text.Text:
    """Return words as rich knows them, every name on one line and without signs that steer."""
    from rich.text import Text as Styled

    if isinstance(words, tuple):
        return Styled("").join(styled(part, style) for part in words)
    if isinstance(words, Span):
        before = Styled("· ") if words.kind == "tag" else Styled("")
        return before + styled(words.inside, _STYLES.get(words.kind, style))
    return Styled(one_line(words).translate(_PLAIN), style=style)


def _lines(block: Block) -> Iterator[Words]:
    match block:
        case Text(on_page=True):
            return
        case Text() | Notice() | Legend():
            yield block.words
        case Heading():
            yield from ("", Span("strong", block.words))
        case Facts():
            width = max((len(styled(name)) for name, _ in block.pairs), default=0)
            for name, value in block.pairs:
                yield (name, " " * (width - len(styled(name)) + 2), value)
        case Items():
            for item in block.items:
                yield ("- ", item)
        case Checks():
            for sign, item in block.checks:
                yield (sign, "  ", item)
        case Code():
            yield f"    {block.text}"
        case Fold():
            yield f"{block.summary}:"
        case Figure():
            yield from [block.note] if block.note else []


def _table(table: Table) -> rich_table.Table:
    from rich.table import Table as Grid

    places = [place for place, column in enumerate(table.heads) if column.axis is None]
    grid = Grid(title=None, pad_edge=len(places) < _WIDE)
    for place in places:
        column = table.heads[place]
        justify: Literal["left", "right"] = "right" if column.number else "left"
        # a word that is too long for its column is broken, never cut short
        grid.add_column(styled(column.title), justify=justify, overflow="fold")
    for row in (*table.rows, *table.foot):
        grid.add_row(*(_cell(row[place]) for place in places))
    return grid


def _cell(cell: Words | Cell) -> rich_text.Text:
    if not isinstance(cell, Cell):
        return styled(cell)
    words: tuple[Words, ...] = (cell.words,)
    if cell.chips is not None:
        words += (_chips(cell.chips.labels),)
    if cell.note:
        words += (" (", cell.note, ")")
    return styled(words)


def _chips(labels: Sequence[str]) -> str:
    """Labels side by side; the page and the artifact hold those that are too many for a terminal.

    Examples
    --------
    >>> _chips([f"{i}" for i in range(20)])
    '0 · 1 · 2 · 3 · 4 · 5 · 6 · 7 · 8 · 9 … and 10 more buckets'
    """
    if len(labels) <= _MOST_CHIPS:
        return " · ".join(labels)
    shown = labels[: _MOST_CHIPS - 2]
    return f"{' · '.join(shown)} … and {len(labels) - len(shown)} more buckets"

"""What a report is made of: a page, its sections, and a few kinds of blocks.

A report says its content once, with these. `sparsam.report.page` renders any page as HTML,
Markdown or text for a terminal; all of them escape what a name or a label could smuggle in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

Words: TypeAlias = "str | Span | tuple[Words, ...]"
"""A text, part of a text with a meaning of its own, or several of them in a row."""


@dataclass(frozen=True)
class Span:
    """Part of a text that means something of its own.

    Parameters
    ----------
    kind : str
        A 'name' comes from the user; 'strong' and 'stressed' text is emphasised; 'code' can be
        typed; a 'badge' is a short sign, such as A2; a 'tag' says something of what it follows.
    inside : Words
    """

    kind: Literal["name", "strong", "stressed", "code", "badge", "tag"]
    inside: Words


def name(text: str) -> Span:
    """Mark what comes from the user: an attribute, a file, an analyst."""
    return Span("name", text)


def names(texts: tuple[str, ...] | list[str], nothing: str = "–") -> Words:
    """Mark several names, with commas between them."""
    parts: list[Words] = []
    for text in texts:
        parts += [", ", name(text)] if parts else [name(text)]
    return tuple(parts) or nothing


def plain_words(words: Words) -> str:
    """Write words without any sign of what they mean.

    Examples
    --------
    >>> plain_words((name("age"), " ", tag("personal"), strong(" of all")))
    'age · personal of all'
    """
    if isinstance(words, tuple):
        return "".join(map(plain_words, words))
    if isinstance(words, Span):
        return f"{'· ' * (words.kind == 'tag')}{plain_words(words.inside)}"
    return words


def strong(*inside: Words) -> Span:
    """Mark what a reader should not miss."""
    return Span("strong", inside)


def stressed(*inside: Words) -> Span:
    """Mark a word that is spoken of."""
    return Span("stressed", inside)


def code(text: str) -> Span:
    """Mark what can be typed."""
    return Span("code", text)


def badge(text: str) -> Span:
    """Mark a short sign that a reader finds again elsewhere, such as A2."""
    return Span("badge", text)


def tag(text: str) -> Span:
    """Mark a remark on the name before it, such as "personal"."""
    return Span("tag", text)


@dataclass(frozen=True)
class Verdict:
    """The page in two sentences: what it takes, and what it costs."""

    needs: str
    costs: str

    def __str__(self) -> str:
        return f"{self.needs} {self.costs}"


@dataclass(frozen=True)
class KeyFigure:
    """One large number, its name, and what a reader must know beside it."""

    value: str
    name: str
    notes: tuple[str, ...]


class Drawn(Protocol):
    """A picture, or anything else that a page can show as it is."""

    def __html__(self) -> str: ...


@dataclass(frozen=True)
class Text:
    """A paragraph.

    Parameters
    ----------
    words : Words
    note : bool
        Whether it is small print.
    on_page : bool
        Whether it speaks of what only a page can show, and is left out elsewhere.
    """

    words: Words
    note: bool = False
    on_page: bool = False


@dataclass(frozen=True)
class Notice:
    """One sentence with a bar beside it; the tone says whether something was met or missed."""

    words: Words
    tone: Literal["", "met", "missed"] = ""


@dataclass(frozen=True)
class Heading:
    """The heading of a part of a section."""

    words: Words


@dataclass(frozen=True)
class Facts:
    """Names and what they stand for."""

    pairs: tuple[tuple[Words, Words], ...]


@dataclass(frozen=True)
class Items:
    """A list.

    Parameters
    ----------
    items : tuple of Words
    look : str
        'remarks' are small print.
    """

    items: tuple[Words, ...]
    look: Literal["", "remarks"] = ""


@dataclass(frozen=True)
class Checks:
    """A list of what was checked: a sign with a word, such as "✓ kept", and what it is about."""

    checks: tuple[tuple[str, Words], ...]


@dataclass(frozen=True)
class Code:
    """Something to type."""

    text: str


@dataclass(frozen=True)
class Chips:
    """Labels side by side; many of them fold.

    Parameters
    ----------
    labels : tuple of str
    members : mapping of str to tuple of str
        What is in the labels that do not say it themselves.
    remark : str
        What stands before them.
    """

    labels: tuple[str, ...]
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remark: str = ""


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Parameters
    ----------
    words : Words
    note : Words
        In small print, below.
    drawn : Drawn or None
        A small picture, on a page only.
    chips : Chips or None
    share : float or None
        Drawn as a bar below, on a page only.
    """

    words: Words = ""
    note: Words = ""
    drawn: Drawn | None = None
    chips: Chips | None = None
    share: float | None = None


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    title : Words
    number : bool
        Whether it is aligned to the right.
    note : str
        In small print, below the title.
    label : str
        What stands before a cell on a telephone, where cells stand below each other.
    axis : pair of str, or None
        The ends of the scale that the cells of this column are drawn on. Such a column is left out
        where nothing can be drawn.
    mark : Drawn or None
        The sign that this column has in a drawing.
    off_page : bool
        Whether a page leaves it out, since a drawing there shows it.
    """

    title: Words
    number: bool = False
    note: str = ""
    label: str = ""
    axis: tuple[str, str] | None = None
    mark: Drawn | None = None
    off_page: bool = False


def number(
    title: Words,
    label: str = "",
    *,
    note: str = "",
    mark: Drawn | None = None,
    off_page: bool = False,
) -> Column:
    """A column of numbers."""
    return Column(title, True, note, label, mark=mark, off_page=off_page)


Row: TypeAlias = "tuple[Words | Cell, ...]"


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    caption : str
        What it shows, for those who cannot see where it stands.
    columns : tuple of Column or str
    rows : tuple of Row
    foot : tuple of Row
    header : int
        The column that names the rows.
    look : str
        Names of styles: 'plain' is compact, 'narrow-table' keeps it from growing wide, 'small' is
        in small print; others are those of one table.
    stack : str
        When the cells of a row stand below each other: 'late' on a telephone, 'early' on a tablet.
    scroll : str
        'across' where a table may be wider than the page, 'down' where it is long and stands beside
        a drawing.
    picks : tuple of int
        For each row the variant of the page that it stands for.
    chosen : int or None
        The variant that the page shows as it is.
    """

    caption: str
    columns: tuple[Column | str, ...]
    rows: tuple[Row, ...]
    foot: tuple[Row, ...] = ()
    header: int = 0
    look: str = "plain"
    stack: Literal["", "late", "early"] = ""
    scroll: Literal["", "across", "down"] = ""
    picks: tuple[int, ...] = ()
    chosen: int | None = None

    @property
    def heads(self) -> tuple[Column, ...]:
        """The columns, each as a `Column`."""
        return tuple(Column(c) if isinstance(c, str) else c for c in self.columns)

    def bare(self) -> Table:
        """Return the table with rows that are named without small print, for a terminal."""
        rows = tuple(
            tuple(
                cell.words if place == self.header and isinstance(cell, Cell) else cell
                for place, cell in enumerate(row)
            )
            for row in self.rows
        )
        return replace(self, rows=rows)


@dataclass(frozen=True)
class Figure:
    """A drawing, for a page only; elsewhere its figures stand in its place.

    Parameters
    ----------
    drawn : Drawn or None
        Has a title and a description of its own.
    keys : tuple of pairs of Drawn or str, and Words
        What the signs in it mean.
    note : Words
        Small print that belongs to the drawing.
    figures : tuple of blocks
        What was drawn, in figures: folded away on a page. Empty where they stand nearby.
    look : str
        Names of styles: 'alone' keeps a drawing with nothing beside it from growing wide.
    """

    drawn: Drawn | None
    keys: tuple[tuple[Drawn | str, Words], ...] = ()
    note: Words = ""
    figures: tuple[Block, ...] = ()
    look: str = ""


@dataclass(frozen=True)
class Legend:
    """What the signs in a table or in several drawings mean; on a page only."""

    keys: tuple[tuple[Drawn | str, Words], ...]
    words: Words = ""


@dataclass(frozen=True)
class Fold:
    """Blocks that a page shows when it is asked to, and that paper always shows."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Columns:
    """Groups of blocks side by side where there is room.

    Parameters
    ----------
    groups : tuple of tuples of blocks
    look : str
        'beside': a drawing and its table; 'even': two halves; 'many': as many as fit, for short
        texts with a heading; 'drawings': two by two.
    """

    groups: tuple[tuple[Block, ...], ...]
    look: Literal["beside", "even", "many", "drawings"] = "beside"


@dataclass(frozen=True)
class Box:
    """Blocks that belong together.

    Parameters
    ----------
    blocks : tuple of blocks
    look : str
        'paper' looks like a document, 'paper broken' like one that is not to be trusted; 'spared'
        is for what is not collected; 'part' has a line above; 'apart' some room.
    """

    blocks: tuple[Block, ...]
    look: Literal["paper", "paper broken", "spared", "part", "apart"] = "apart"


Block: TypeAlias = (
    Text
    | Notice
    | Heading
    | Facts
    | Items
    | Checks
    | Code
    | Table
    | Figure
    | Legend
    | Fold
    | Columns
    | Box
)


def inner_blocks(block: Block) -> tuple[Block, ...]:
    """Return the blocks that a block holds."""
    match block:
        case Fold() | Box():
            return block.blocks
        case Columns():
            return tuple(inner for group in block.groups for inner in group)
        case Figure():
            return block.figures
    return ()


@dataclass(frozen=True)
class Section:
    """A numbered part of a page.

    Parameters
    ----------
    id : str
        The name that a link to it ends in.
    title : str
    blocks : tuple of blocks
    """

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Variant:
    """What a page would say had another point of the front been chosen.

    Parameters
    ----------
    id : int
        See `Table.picks`.
    label : str
    verdict : Verdict
    figures : tuple of KeyFigure
    sections : mapping of str to tuple of blocks
        By the id of a section, the blocks that stand there instead.
    """

    id: int
    label: str
    verdict: Verdict
    figures: tuple[KeyFigure, ...]
    sections: Mapping[str, tuple[Block, ...]]


@dataclass(frozen=True)
class Page:
    """A report: its verdict, its key figures, and its evidence.

    Parameters
    ----------
    title : str
    verdict : Verdict
    figures : tuple of KeyFigure
        Three or four.
    sections : tuple of Section
    notices : tuple of Notice
        What else must be known before anything is read.
    brief : tuple of blocks
        What a notebook or a terminal shows, which have no room for all sections.
    saved_as : str
        A file name to suggest.
    variants : tuple of Variant
        The others that a reader can pick on a page.
    made : Words
        When, by whom and what for it was made.
    """

    title: str
    verdict: Verdict
    figures: tuple[KeyFigure, ...]
    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()
    brief: tuple[Block, ...] = ()
    saved_as: str = "report.html"
    variants: tuple[Variant, ...] = ()
    made: Words = ""

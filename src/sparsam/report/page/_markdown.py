"""Any page as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sparsam.report.page._blocks import (
    Block,
    Cell,
    Checks,
    Chips,
    Code,
    Column,
    Facts,
    Figure,
    Fold,
    Heading,
    Items,
    Legend,
    Notice,
    Page,
    Row,
    Span,
    Table,
    Text,
    Words,
    inner_blocks,
    plain_words,
)

_THIN, _SOFT_HYPHEN = "\u202f", "\u00ad"


def markdown(page: Page) -> str:
    """Write a page as Markdown: of its variants, the chosen one.

    Parameters
    ----------
    page : Page
    """
    parts = [
        f"# {escaped(page.title)}",
        words_markdown(page.made),
        f"**{escaped(page.verdict.needs)}** {escaped(page.verdict.costs)}".rstrip(),
        *_blocks(page.notices),
        "\n".join(
            f"- **{escaped(figure.value)}** {escaped(figure.name)}: "
            f"{escaped('; '.join(figure.notes))}"
            for figure in page.figures
        ),
    ]
    for number, section in enumerate(page.sections, start=1):
        parts += [f"## {number}. {escaped(section.title)}", *_blocks(section.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    """Make a text safe inside a sentence or a table cell.

    Examples
    --------
    >>> print(escaped("a|b <i>*c*"))
    a\\|b &lt;i&gt;\\*c\\*
    """
    flat = re.sub(rf"[^\S{_THIN}]+", " ", text).replace(_SOFT_HYPHEN, "")
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*|\[\]#~])", r"\\\1", flat)


def words_markdown(words: Words) -> str:
    """Write words, everything in them escaped.

    Examples
    --------
    >>> from sparsam.report.page._blocks import code, name, strong
    >>> print(words_markdown((strong("All of "), name("a*b"), " in ", code("x`y"))))
    **All of** a\\*b in ``x`y``
    """
    if isinstance(words, tuple):
        return "".join(map(words_markdown, words))
    if not isinstance(words, Span):
        return escaped(words)
    if words.kind == "code":
        return _typed(plain_words(words.inside))
    inside = words_markdown(words.inside)
    if words.kind in ("strong", "stressed"):
        sign = "**" if words.kind == "strong" else "*"
        # Emphasis must touch its text: blanks go outside.
        bare = inside.strip()
        return inside.replace(bare, f"{sign}{bare}{sign}", 1) if bare else inside
    return f"· {inside}" if words.kind == "tag" else inside


def _typed(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    fence = "`" * (_longest_run(text) + 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{room}{text}{room}{fence}"


def _fenced(text: str) -> str:
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield _block(block)
        yield from _blocks(inner_blocks(block))


def _block(block: Block) -> str:
    match block:
        case Text(on_page=True):
            return ""
        case Text() | Notice() | Legend():
            return _inline(block.words)
        case Heading(words=(*before, Span(kind="badge") as badge)):
            return f"### {_inline((*before, '(', badge, ')'))}"
        case Heading():
            return f"### {_inline(block.words)}"
        case Facts():
            return _list(f"{_inline(name)}: {_inline(value)}" for name, value in block.pairs)
        case Items():
            return _list(map(_inline, block.items))
        case Checks():
            return _list(f"**{escaped(sign)}** {_inline(words)}" for sign, words in block.checks)
        case Code():
            return _fenced(block.text)
        case Table():
            return _table(block)
        case Figure():
            return _inline(block.note)
        case Fold():
            return f"{escaped(block.summary[:1].upper() + block.summary[1:])}:"
    return ""


def _inline(words: Words) -> str:
    return words_markdown(words).strip()


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(table: Table) -> str:
    columns = [place for place, column in enumerate(table.heads) if column.axis is None]
    heads = [table.heads[place] for place in columns]
    lines = [
        [_head(column) for column in heads],
        ["---:" if column.number else "---" for column in heads],
    ]
    picks: Iterable[int | None] = table.picks or [None] * len(table.rows)
    for row, pick in zip(table.rows, picks, strict=True):
        lines.append(_cells(row, columns))
        if pick is not None and pick == table.chosen:
            lines[-1][table.header] = f"**{lines[-1][table.header]}** (chosen)"
    lines += [_cells(row, columns) for row in table.foot]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _head(column: Column) -> str:
    note = f" ({escaped(column.note)})" if column.note else ""
    return f"{_inline(column.title)}{note}"


def _cells(row: Row, columns: list[int]) -> list[str]:
    return [_cell(row[place]) for place in columns]


def _cell(cell: Words | Cell) -> str:
    if not isinstance(cell, Cell):
        return _inline(cell)
    text = _inline(cell.words)
    if cell.chips is not None:
        text = " ".join(filter(None, (text, _chips(cell.chips))))
    return f"{text} ({_inline(cell.note)})" if cell.note else text


def _chips(chips: Chips) -> str:
    labels = (", ".join(chips.members.get(label, (label,))) for label in chips.labels)
    return " · ".join(map(escaped, labels))

"""A generalization as a small table, in text and in HTML."""

from __future__ import annotations

from html import escape
from itertools import accumulate

from sparsam._printable import one_line
from sparsam.generalization._document import Partition

HEADER = ("attribute", "before", "after", "buckets")
_BETWEEN = " | "
_WIDTH = 80
_WIDEST = 200


def rows(partitions: tuple[Partition, ...]) -> list[tuple[str, str, str, str]]:
    """Return one line a partition: attribute, before, after, number of buckets.

    Parameters
    ----------
    partitions : tuple of Partition

    Returns
    -------
    list of tuple of str
    """
    return [
        (partition.name, partition.before(), _after(partition.labels), str(partition.n_buckets))
        for partition in partitions
    ]


def _after(labels: tuple[str, ...]) -> str:
    """Show as many labels as fit, at least one."""
    ends = accumulate(len(label) + len(_BETWEEN) for label in labels)
    shown = max(1, sum(end <= _WIDTH for end in ends))
    rest = len(labels) - shown
    return _BETWEEN.join([*labels[:shown], *([f"{rest} more"] if rest else [])])


def text(partitions: tuple[Partition, ...]) -> str:
    """Write the table with aligned columns.

    Parameters
    ----------
    partitions : tuple of Partition

    Returns
    -------
    str
    """
    lines = [HEADER, *(tuple(map(one_line, row)) for row in rows(partitions))]
    # one cell that is very long must not make every line as long
    widths = [
        min(_WIDEST, max(len(cell) for cell in column)) for column in zip(*lines, strict=True)
    ]
    written = []
    for i, line in enumerate(lines):
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        cells.insert(2, "->" if i else "  ")
        written.append("  ".join(cells).rstrip())
    return "\n".join(written)


def html(partitions: tuple[Partition, ...]) -> str:
    """Write the table as HTML, every text escaped.

    Parameters
    ----------
    partitions : tuple of Partition

    Returns
    -------
    str
    """
    head = "".join(f'<th scope="col">{title}</th>' for title in HEADER)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows(partitions)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

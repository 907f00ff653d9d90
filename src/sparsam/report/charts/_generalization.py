"""A generalization as a chart: a bar for each attribute, cut where values are told apart."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from sparsam.generalization import CategoricalPartition, Generalization, Partition
from sparsam.report._words import counted
from sparsam.report.charts._paper import (
    ACCENT_SOFT,
    BAR,
    INK,
    PAPER,
    RULE,
    SOFT,
    Paper,
    named,
    row_height,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

_MOST_CELLS = 60
_LEAST = 0.008  # of the bar, for a bucket that holds next to nothing of the domain to be seen
_OWN = 0.06  # of the bar, for a bucket of missing or unseen values alone
_FEWEST_LETTERS = 3


class Cell(NamedTuple):
    """A bucket as it is drawn: its words, and where it begins and ends between 0 and 1."""

    label: str
    low: float
    high: float


def plot_generalization(
    generalization: Generalization, ax: Axes | None, collected: bool, **style: Any
) -> Axes:
    """Draw the buckets of every attribute.

    Parameters
    ----------
    generalization : Generalization
    ax : Axes or None
    collected : bool
        Leave out what is not collected, unless that is everything.
    **style
        See `Style`.
    """
    partitions = [p for p in generalization if p.collected]
    if not collected or not partitions:
        partitions += [p for p in generalization if not p.collected]
    paper = Paper(ax, style, (8.0, row_height(len(partitions))))
    texts = []
    for row, partition in enumerate(partitions):
        texts += _draw_row(paper, row, partition)
    paper.names([partition.name for partition in partitions])
    paper.ax.set_xlim(0, 1)
    paper.percent("x")
    needed, total = len(generalization.collected), len(generalization)
    axes = paper.done(
        f"{needed} of {counted(total, 'attribute')} collected, in "
        f"{counted(sum(p.n_buckets for p in generalization if p.collected), 'bucket')}",
        "Share of the attribute's range or of its categories",
        "",
        grid=None,
    )
    axes.spines["left"].set_visible(False)
    _fit(axes, texts)
    return axes


def cells_of(partition: Partition) -> list[Cell]:
    """Return the buckets of an attribute, each as wide as its part of the domain.

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> for cell in cells_of(numeric_partition("age", NumericDomain(0, 100), [25])):
    ...     print(cell.label, cell.low, cell.high)
    under 25 0.0 0.25
    25 and over 0.25 1.0
    """
    widths = _widths(partition)
    alone = partition.n_buckets - len(widths)  # for missing or unseen values
    room = 1 - _OWN * alone
    total = sum(widths)
    widths = [max(_LEAST, width / total) for width in widths]
    widths = [room * width / sum(widths) for width in widths] + [_OWN] * alone
    ends = [0.0]
    for width in widths:
        ends.append(ends[-1] + width)
    ends[-1] = 1.0
    return [
        Cell(label, low, high)
        for label, (low, high) in zip(partition.labels, pairwise(ends), strict=True)
    ]


def _widths(partition: Partition) -> list[float]:
    """How much of the domain each bucket holds, those for missing and unseen values aside."""
    if isinstance(partition, CategoricalPartition):
        return [float(len(group)) for group in partition.groups] or [1.0]
    domain = partition.domain
    low, high = domain.number(domain.low), domain.number(domain.high)
    if domain.integer:
        high += 1
    return [max(0.0, b - a) for a, b in pairwise([low, *partition.cuts, high])]


def _draw_row(paper: Paper, row: int, partition: Partition) -> list[tuple[Text, Cell]]:
    """Draw the bar of an attribute; return the words in it, and where they must have room."""
    ax, height = paper.ax, 0.72
    if not partition.collected:
        look: dict[str, Any] = {"color": PAPER, "edgecolor": RULE, "hatch": "///", "linewidth": 0.8}
        ax.barh(row, 1.0, height, **look)
        text = ax.text(0.5, row, "not collected", ha="center", va="center", color=SOFT,
                       backgroundcolor=PAPER, fontsize="small")  # fmt: skip
        return [(text, Cell("not collected", 0.0, 1.0))]
    cells = cells_of(partition)
    _count(ax, row, partition)
    if len(cells) > _MOST_CELLS:
        cells = [Cell(f"{len(cells):,} buckets: nearly every value told apart", 0.0, 1.0)]
    tints = paper.style.colors or (ACCENT_SOFT, BAR)
    bars = paper.style.bar(edgecolor=INK, linewidth=0.7, label="")
    bars.setdefault("color", [tints[place % len(tints)] for place in range(len(cells))])
    lows = [cell.low for cell in cells]
    ax.barh([row] * len(cells), [c.high - c.low for c in cells], height, left=lows, **bars)
    centred: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "fontsize": "small"}
    return [
        (
            ax.text((cell.low + cell.high) / 2, row, named(cell.label, len(cell.label)), **centred),
            cell,
        )
        for cell in cells
    ]


def _count(ax: Axes, row: int, partition: Partition) -> None:
    ax.text(1.015, row, counted(partition.n_buckets, "bucket"), va="center", color=SOFT,
            fontsize="small", transform=ax.get_yaxis_transform())  # fmt: skip


def _fit(ax: Axes, texts: list[tuple[Text, Cell]]) -> None:
    """Shorten words that are wider than their bucket; leave out those that would be a letter."""
    for text, _ in texts:
        text.set_in_layout(False)  # words must not make the bars narrower
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # only now are the axes as wide as they will be
    width = ax.get_window_extent().width
    for text, cell in texts:
        room, needed = width * (cell.high - cell.low) - 12, text.get_window_extent().width
        letters = int(len(text.get_text()) * room / max(needed, 1.0))
        while needed > room and text.get_text():
            short = named(cell.label, letters) if letters >= _FEWEST_LETTERS else ""
            text.set_text(short)
            letters, needed = letters - 1, text.get_window_extent().width

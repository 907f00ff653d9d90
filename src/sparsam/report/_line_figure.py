"""Errors as lines: one line for each attacker, on a canvas for a screen or a telephone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._data import Interval
from sparsam.report._labels import text_width
from sparsam.report._marks import colour, mark_at
from sparsam.report._scale import Scale, span
from sparsam.report._svg import tag
from sparsam.report._words import pair, percent, short_percent

WIDE = Canvas("wide", 484, 330, ticks=7, right=30, top=48)
NARROW = Canvas("narrow", 340, 300, ticks=5, left=44, right=28, top=48)
APART = 14


@dataclass(frozen=True)
class Spot:
    """One measured point of a line."""

    x: float
    error: float
    interval: Interval
    hint: str


@dataclass(frozen=True)
class Line:
    """How often one attacker errs, from left to right."""

    code: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class Picture:
    """What a figure shows, before it has a size.

    Attributes
    ----------
    name : str
        Part of the ids, unique on a page.
    title, words : str
        For someone who cannot see it.
    across : str
        What the horizontal axis measures.
    lines : tuple of Line
    naive : float or None
        Error of the majority guess.
    ticks : tuple of pairs of float and str
        Numbers on the horizontal axis; round percentages when empty.
    chosen : float or None
        Where the chosen point lies.
    """

    name: str
    title: str
    words: str
    across: str
    lines: tuple[Line, ...]
    naive: float | None
    ticks: tuple[tuple[float, str], ...] = ()
    chosen: float | None = None


def line_figure(picture: Picture, canvas: Canvas) -> Markup:
    """Draw the lines with their intervals, the majority guess and the axes."""
    plot = _Plot(picture, canvas)
    ids = [f"{picture.name}-{part}-{canvas.name}" for part in ("title", "desc")]
    layers = (plot.axes(), plot.limits(), plot.bars(), plot.lines(), plot.marks(), plot.names())
    return tag(
        "svg",
        tag("title", picture.title, id=ids[0]),
        tag("desc", picture.words, id=ids[1]),
        *(part for layer in layers for part in layer),
        class_=f"lines {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


class _Plot:
    """Where everything stands on one canvas."""

    def __init__(self, picture: Picture, canvas: Canvas) -> None:
        self.picture, self.canvas = picture, canvas
        self.right, self.floor = canvas.width - canvas.right, canvas.height - canvas.bottom
        spots = [spot for line in picture.lines for spot in line.spots]
        low, high = span((spot.x for spot in spots), least=0.01)
        pad = 0.03 * (high - low)
        self.x = Scale(low - pad, high + pad, canvas.left, self.right)
        errors: list[float | None] = [spot.error for spot in spots]
        for spot in spots:
            errors += pair(spot.interval) or ()
        _, top = span([*errors, picture.naive])
        self.y = Scale(0.0, 1.08 * top, self.floor, canvas.top)

    def axes(self) -> Iterator[Markup]:
        """Draw the grid, its numbers and what they measure."""
        left = self.canvas.left
        for value in self.y.ticks(6):
            y = self.y(value)
            yield tag("line", x1=left, x2=self.right, y1=y, y2=y, class_="grid")
            yield text(short_percent(value), left - 8, y + 4, "tick", "end")
        for x, words in self._ticks():
            yield tag("line", x1=x, x2=x, y1=self.floor, y2=self.floor + 5, class_="axis")
            yield text(words, x, self.floor + 20, "tick", "middle")
        yield tag("line", x1=left, x2=self.right, y1=self.floor, y2=self.floor, class_="axis")
        yield text("↑ Attacker error: higher is safer", 0, 16, "name")
        across = self.canvas.width if self.canvas.name == "narrow" else self.right
        yield text(self.picture.across, across, self.canvas.height - 8, "name", "end")

    def _ticks(self) -> Iterator[tuple[float, str]]:
        rounded = ((value, short_percent(value)) for value in self.x.ticks(self.canvas.ticks))
        free = -float("inf")
        for value, words in self.picture.ticks or rounded:
            x, half = self.x(value), text_width(words) / 2
            if x - half >= free and x + half <= self.canvas.width:
                free = x + half
                yield x, words

    def limits(self) -> Iterator[Markup]:
        """Mark the majority guess and the chosen point."""
        if self.picture.naive is not None:
            y = self.y(self.picture.naive)
            words = f"majority guess {percent(self.picture.naive)}"
            yield tag("line", x1=self.canvas.left, x2=self.right, y1=y, y2=y, class_="naive")
            yield text(words, self.right, y - 7, "limit halo", "end")
        if self.picture.chosen is not None:
            x = self.x(self.picture.chosen)
            top = self.canvas.top - 6
            yield tag("line", x1=x, x2=x, y1=top, y2=self.floor, class_="edge")
            start = min(max(x, 30), self.right - 20)
            yield text("chosen", start, top - 4, "limit", "middle")

    def bars(self) -> Iterator[Markup]:
        """Draw how sure each error is."""
        for line in self.picture.lines:
            for spot in line.spots:
                if (ends := pair(spot.interval)) is not None:
                    x, low, high = self.x(spot.x), self.y(ends[0]), self.y(ends[1])
                    yield tag("line", x1=x, x2=x, y1=low, y2=high, class_="interval")

    def lines(self) -> Iterator[Markup]:
        """Join the errors of each attacker."""
        for line in self.picture.lines:
            if len(line.spots) > 1:
                places = " ".join(f"{x:.2f},{y:.2f}" for x, y in map(self._at, line.spots))
                yield tag("polyline", points=places, class_=f"line {colour(line.code)}")

    def marks(self) -> Iterator[Markup]:
        """Draw each attacker's shape where it was measured."""
        for line in self.picture.lines:
            for spot in line.spots:
                yield mark_at(line.code, *self._at(spot), spot.hint)

    def names(self) -> Iterator[Markup]:
        """Name each line at its right end, one name below the other."""
        if len(self.picture.lines) < 2:
            return
        ends = [(line.code, self._at(line.spots[-1])) for line in self.picture.lines]
        ends.sort(key=lambda end: end[1][1])
        heights = spread([y for _, (_, y) in ends], self.floor)
        for (code, (x, _)), y in zip(ends, heights, strict=True):
            yield text(code, x + 9, y + 4, "name halo")

    def _at(self, spot: Spot) -> tuple[float, float]:
        return self.x(spot.x), self.y(spot.error)


def spread(heights: Sequence[float], floor: float, apart: float = APART) -> list[float]:
    """Push names apart that would cover each other, and keep the last above the floor.

    Examples
    --------
    >>> spread([10, 12, 50], 100)
    [10, 24, 50]
    >>> spread([90, 98], 100)
    [86, 100]
    """
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + apart) if placed else height)
    lowest = floor
    for number in range(len(placed) - 1, -1, -1):
        placed[number] = min(placed[number], lowest)
        lowest = placed[number] - apart
    return placed

"""A plot: a paper of some size with two scales, on which things are drawn one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from sparsam.report.plot._labels import spread, with_room
from sparsam.report.plot._marks import Mark
from sparsam.report.plot._scale import Scale
from sparsam.report.plot._svg import tag, text

Range = tuple[float, float]
Spots = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Canvas:
    """The paper: its size and margins in pixels, and about how many numbers its axes have."""

    name: str
    width: int
    height: int
    ticks: int
    left: int = 50
    right: int = 14
    top: int = 66
    bottom: int = 54


@dataclass(frozen=True)
class Picture:
    """A drawing, or one for a screen and one for a telephone, and words for who sees neither.

    Attributes
    ----------
    title : str
        What is drawn.
    words : str
        What can be seen on it, in a sentence; empty where the title says it all.
    drawings : tuple of Markup
        SVG, each with the same title and words inside. The page shows the one that has room.
    """

    title: str
    words: str
    drawings: tuple[Markup, ...]

    def __html__(self) -> str:
        return Markup("\n").join(self.drawings)

    def __str__(self) -> str:
        return str(self.__html__())


class Plot:
    """What is drawn on one canvas.

    Places are given in the units of the axes.

    Parameters
    ----------
    canvas : Canvas
    across, up : pair of float
        The values at the two ends of each axis, after the bend.
    bend_across, bend_up : callable, optional
        See :class:`~sparsam.report.plot._scale.Scale`.
    """

    def __init__(
        self,
        canvas: Canvas,
        across: Range,
        up: Range,
        *,
        bend_across: Callable[[float], float] | None = None,
        bend_up: Callable[[float], float] | None = None,
    ) -> None:
        self.canvas = canvas
        self.left, self.right = canvas.left, canvas.width - canvas.right
        self.top, self.floor = canvas.top, canvas.height - canvas.bottom
        self.x = Scale(*across, self.left, self.right, bend_across)
        self.y = Scale(*up, self.floor, self.top, bend_up)
        self.parts: list[Markup] = []

    def add(self, *parts: Markup) -> None:
        """Draw something on top of what is there."""
        self.parts += parts

    def names(self, up: str, across: str | None = None, end: float | None = None) -> None:
        """Write what the axes measure; the words of the lower one end at the right."""
        self.add(text(up, 0, 16, "name"))
        if across is not None:
            at = self.right if end is None else end
            self.add(text(across, at, self.canvas.height - 8, "name", "end"))

    def grid(
        self, values: Iterable[float], write: Callable[[float], str], kind: str = "grid"
    ) -> None:
        """Draw lines from side to side with their numbers."""
        for value in values:
            self.level(value, kind)
            self.add(text(write(value), self.left - 8, self.y(value) + 4, "tick", "end"))

    def base(self, labels: Iterable[tuple[float, str]] = (), *, lines: bool = True) -> None:
        """Draw the floor, and below it as many values as have room.

        Parameters
        ----------
        labels : iterable of pairs of float and str
            Each value and its words, those that must be there first.
        lines : bool, default=True
            Draw a short line from the floor to each value.
        """
        places = [(self.x(value), words) for value, words in labels]
        for x, at, words in with_room(places, self.canvas.width):
            if lines:
                self.add(_line(x, x, self.floor, self.floor + 5, "axis"))
            self.add(text(words, at, self.floor + 20, "tick", "middle"))
        self.add(_line(self.left, self.right, self.floor, self.floor, "axis"))

    def level(
        self, value: float, kind: str, words: str = "", side: Literal["left", "right"] = "right"
    ) -> None:
        """Draw a line from side to side, with words above one of its ends."""
        y = self.y(value)
        self.add(_line(self.left, self.right, y, y, kind))
        if words and side == "left":
            self.add(text(words, self.left + 6, y - 6, "limit halo"))
        elif words:
            self.add(text(words, self.right, y - 6, "limit halo", "end"))

    def edge(self, value: float, words: str) -> None:
        """Draw a line from top to floor with a short word over it."""
        x, top = self.x(value), self.top - 6
        self.add(_line(x, x, top, self.floor, "edge"))
        self.add(text(words, min(max(x, 30), self.right - 20), top - 4, "limit", "middle"))

    def interval(self, at: float, ends: Range | None, kind: str = "interval") -> None:
        """Draw an upright interval; nothing where it is not known."""
        if ends is not None:
            self.add(_line(self.x(at), self.x(at), self.y(ends[0]), self.y(ends[1]), kind))

    def flat_interval(self, ends: Range | None, at: float, kind: str = "interval") -> None:
        """Draw an interval that lies; nothing where it is not known."""
        if ends is not None:
            self.add(_line(self.x(ends[0]), self.x(ends[1]), self.y(at), self.y(at), kind))

    def line(self, spots: Spots, kind: str) -> None:
        """Join two places or more."""
        if len(spots) > 1:
            places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in spots)
            self.add(tag("polyline", points=places, class_=kind))

    def dot(self, x: float, y: float, radius: float, kind: str, hint: str) -> None:
        """Draw a circle, with words for who points at it."""
        hints = self._hints(hint)
        self.add(tag("circle", *hints, cx=self.x(x), cy=self.y(y), r=radius, class_=kind))

    def mark(self, shape: Mark, x: float, y: float, hint: str) -> None:
        """Draw a shape, with words for who points at it."""
        at = f"translate({self.x(x):.1f} {self.y(y):.1f})"
        self.add(shape.draw(*self._hints(hint), transform=at))

    def _hints(self, hint: str | None) -> tuple[Markup, ...]:
        """Words for a pointer, which a telephone does not have."""
        if hint is None or self.canvas.name == "narrow":
            return ()
        return (tag("title", hint),)

    def bar(
        self,
        ends: Range,
        value: float,
        kind: str,
        hint: str | None = None,
        *,
        start: float = 0.0,
        least: float = 0.0,
    ) -> None:
        """Draw a bar between two places, up from a start, at least so many pixels high."""
        top, floor = self.y(value), self.y(start)
        self.add(
            tag(
                "rect",
                *self._hints(hint),
                x=self.x(ends[0]),
                y=top,
                width=max(self.x(ends[1]) - self.x(ends[0]), 0.5),
                height=max(floor - top, least),
                class_=kind,
            )
        )

    def end_names(self, ends: Iterable[tuple[float, float, str]], gap: float = 10) -> None:
        """Name lines at their right ends, one name below the other."""
        placed = sorted(((self.x(x), self.y(y), name) for x, y, name in ends), key=lambda p: p[1])
        heights = spread([y for _, y, _ in placed], self.floor)
        for (x, _, name), y in zip(placed, heights, strict=True):
            self.add(text(name, x + gap, y + 4, "name halo"))


def _line(x1: float, x2: float, y1: float, y2: float, kind: str) -> Markup:
    return tag("line", x1=x1, x2=x2, y1=y1, y2=y2, class_=kind)


def picture(name: str, kind: str, title: str, words: str, plots: Iterable[Plot]) -> Picture:
    """Put plots of one thing, on papers of several sizes, into a picture.

    Parameters
    ----------
    name : str
        Part of the ids, unique on a page.
    kind : str
        The class of the drawings.
    title, words : str
        For someone who cannot see them.
    plots : iterable of Plot
        One for each canvas.
    """
    drawings = (
        drawing(f"{name}-{plot.canvas.name}", f"{kind} {plot.canvas.name}", title, words,
                (0, 0, plot.canvas.width, plot.canvas.height), plot.parts)
        for plot in plots
    )  # fmt: skip
    return Picture(title, words, tuple(drawings))


def drawing(
    name: str,
    kind: str,
    title: str,
    words: str,
    box: tuple[float, float, float, float],
    parts: Iterable[Markup],
    style: str | None = None,
) -> Markup:
    """Write an image in SVG that is named and described inside.

    Parameters
    ----------
    name, kind, title, words : str
        As for :func:`picture`.
    box : tuple of float
        Left, top, width and height.
    parts : iterable of Markup
    style : str, optional
        How wide it may become.
    """
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", words, id=f"{name}-desc"),
        *parts,
        class_=f"plot {kind}",
        viewBox=" ".join(f"{side:g}" for side in box),
        style=style,
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )

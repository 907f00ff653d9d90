"""Strips: a picture of one line for a row of a table, as wide as its column."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sparsam.report.plot._marks import Mark
from sparsam.report.plot._plot import Picture, Range
from sparsam.report.plot._scale import Scale
from sparsam.report.plot._svg import percent_of, tag


def strip_scale(values: Sequence[float | None], least: float = 0.1) -> Scale:
    """Return one scale for all strips of a table, from nothing to the largest value drawn.

    Examples
    --------
    >>> strip_scale([]).high, strip_scale([0.2, None]).high
    (0.1, 0.2)
    """
    return Scale(0.0, max([least, *(value for value in values if value is not None)]), 0.0, 1.0)


class Strip:
    """What is drawn on one strip; places across are values on a scale from 0 to 1."""

    def __init__(self, scale: Scale, height: float) -> None:
        self.scale, self.height = scale, height
        self.parts: list[Markup] = []

    def track(self, y: float) -> None:
        """Draw a thin line over the whole width."""
        self.parts.append(tag("line", x1="0", x2="100%", y1=y, y2=y, class_="track"))

    def tick(self, value: float | None, kind: str, margin: float = 0) -> None:
        """Draw an upright line at a value; nothing where it is not known."""
        if value is not None:
            x = self._at(value)
            y2 = self.height - margin
            self.parts.append(tag("line", x1=x, x2=x, y1=margin, y2=y2, class_=kind))

    def span(self, ends: Range | None, y: float, kind: str) -> None:
        """Draw a line between two values; nothing where they are not known."""
        if ends is not None:
            x1, x2 = self._at(ends[0]), self._at(ends[1])
            self.parts.append(tag("line", x1=x1, x2=x2, y1=y, y2=y, class_=kind))

    def bar(self, ends: Range, y: float, height: float, kind: str) -> None:
        """Draw a bar between two values."""
        low, high = sorted(map(self.scale, ends))
        x, width = percent_of(low), percent_of(high - low)
        self.parts.append(tag("rect", x=x, y=y, width=width, height=height, class_=kind))

    def dot(self, value: float, y: float, kind: str) -> None:
        """Draw a circle at a value."""
        self.parts.append(tag("circle", cx=self._at(value), cy=y, r=4.5, class_=kind))

    def mark(self, shape: Mark, value: float, y: float) -> None:
        """Draw a shape at a value."""
        self.parts.append(tag("svg", shape.draw(), x=self._at(value), y=y, overflow="visible"))

    def picture(self, title: str) -> Picture:
        """Return the strip, with words for who cannot see it or points at it."""
        parts = (tag("title", title), *self.parts)
        return Picture(
            title, "", (tag("svg", *parts, class_="strip", height=self.height, role="img"),)
        )

    def _at(self, value: float) -> str:
        return percent_of(self.scale(value))

"""Shapes, so that no reader has to tell colours apart."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from sparsam.report.plot._svg import Attribute, tag

SHAPES = {
    "circle": "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "diamond": "M0 -5.6l5.6 5.6l-5.6 5.6l-5.6 -5.6z",
    "triangle": "M0 -5.3l5.2 9.2h-10.4z",
    "square": "M-4.2 -4.2h8.4v8.4h-8.4z",
    "plus": "M-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
    "downward": "M0 5.3l5.2 -9.2h-10.4z",
    "cross": "M-3 -5l3 3l3 -3l2 2l-3 3l3 3l-2 2l-3 -3l-3 3l-2 -2l3 -3l-3 -3z",
    "chosen": "M0 -8l8 8l-8 8l-8 -8z",
}


class Mark(NamedTuple):
    """A shape around the origin, and the class that colours it and its line."""

    shape: str
    colour: str

    def draw(self, *inside: Markup, transform: str | None = None) -> Markup:
        """Draw the shape around the origin, or where a transformation puts it."""
        kind = f"mark {self.colour}"
        return tag("path", *inside, d=SHAPES[self.shape], class_=kind, transform=transform)

    def key(self) -> Markup:
        """Draw the shape on its own, for a legend or the head of a column."""
        box: dict[str, Attribute] = {"viewBox": "-7 -7 14 14", "width": 14, "height": 14}
        return tag("svg", self.draw(), **box, class_="key-mark", aria_hidden="true")

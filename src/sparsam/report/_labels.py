"""Where to put a name in a picture so that it hides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LETTER = 7.6
LINE = 13


class Box(NamedTuple):
    """A rectangle in a picture, y growing downwards."""

    left: float
    top: float
    right: float
    bottom: float


class Obstacle(NamedTuple):
    """Something that a name should not cover, and how much it would hurt."""

    box: Box
    weight: float


def dot(x: float, y: float, weight: float, reach: float = 7) -> Obstacle:
    """Keep a name off a dot."""
    return Obstacle(Box(x - reach, y - reach, x + reach, y + reach), weight)


def text_width(words: str) -> float:
    """Estimate, on the safe side, how wide a line of 12.5 pixel letters is.

    Examples
    --------
    >>> text_width("chosen") < 50
    True
    """
    return LETTER * len(words)


def clearest(
    words: str, at: tuple[float, float], obstacles: Sequence[Obstacle], inside: Box
) -> tuple[float, float]:
    """Find the place beside a dot where a name covers the least.

    Parameters
    ----------
    words : str
        The name.
    at : pair of float
        The dot that it belongs to.
    obstacles : sequence of Obstacle
        What it should not cover.
    inside : Box
        Where it must stay.

    Returns
    -------
    pair of float
        Left end and base line of the text.

    Examples
    --------
    >>> clearest("here", (30, 50), [dot(60, 38, 1)], Box(0, 0, 100, 100))
    (46, 67)
    """
    x, y = at
    width, gap = text_width(words), 16
    left = x - gap - width
    heights = (y - 8, y + 17, y + 5, y - 18, y + 28)
    places = [(side, height) for height in heights for side in (x + gap, left)]
    places += [(x - width / 2, y - 20), (x - width / 2, y + 29)]
    return min(places, key=lambda place: _cost(place, width, obstacles, inside))


def _cost(
    place: tuple[float, float], width: float, obstacles: Sequence[Obstacle], inside: Box
) -> float:
    box = Box(place[0], place[1] - LINE, place[0] + width, place[1] + 3)
    covered = sum(obstacle.weight for obstacle in obstacles if _overlap(box, obstacle.box))
    return covered + (0 if _within(box, inside) else 1000)


def _overlap(one: Box, other: Box) -> bool:
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom


def _within(box: Box, outer: Box) -> bool:
    across = outer.left <= box.left and box.right <= outer.right
    return across and outer.top <= box.top and box.bottom <= outer.bottom

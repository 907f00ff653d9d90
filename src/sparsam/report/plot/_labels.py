"""Where to put a name in a picture so that it hides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

LETTER = 7.6
LINE = 13
APART = 14
GAP = 4.0
SURE = 0.85
"""About the part of the estimated width of numbers and short words that they take up."""


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


def shorten(words: str, most: int) -> str:
    """Cut words to so many letters, the last one a sign that there are more.

    Examples
    --------
    >>> shorten("parents_employment", 8), shorten("sex", 8)
    ('parents…', 'sex')
    """
    return words if len(words) <= most else f"{words[: most - 1]}…"


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


def with_room(
    labels: Iterable[tuple[float, str]], width: float, gap: float = GAP
) -> list[tuple[float, float, str]]:
    """Return the labels of a row that have room, the first ones given before the others.

    Parameters
    ----------
    labels : iterable of pairs of float and str
        Where each label belongs, and its words.
    width : float
        Where the paper ends.
    gap : float
        How much paper stays free between two labels.

    Returns
    -------
    list of triples
        Where the label belongs; its middle, which is further left where the paper ends; its words.

    Examples
    --------
    >>> with_room([(20, "12"), (30, "13"), (95, "14")], 100)
    [(20, 20, '12'), (95, 93.54, '14')]
    """
    placed: list[tuple[float, float, str]] = []
    taken: list[tuple[float, float]] = []
    for place, words in labels:
        half = SURE * text_width(words) / 2
        at = min(place, width - half)
        free = all(at + half + gap <= start or at - half - gap >= stop for start, stop in taken)
        if free and place - at <= half / 2:
            taken.append((at - half, at + half))
            placed.append((place, at, words))
    return placed


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


def _overlap(box: Box, other: Box) -> bool:
    across = box.left < other.right and other.left < box.right
    return across and box.top < other.bottom and other.top < box.bottom


def _within(box: Box, outer: Box) -> bool:
    across = outer.left <= box.left and box.right <= outer.right
    return across and outer.top <= box.top and box.bottom <= outer.bottom

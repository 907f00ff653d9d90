"""What each group of people loses, as a dot on a line for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sparsam.report._words import pair
from sparsam.report.plot._plot import Picture
from sparsam.report.plot._scale import Scale
from sparsam.report.plot._strip import Strip
from sparsam.report.plot._svg import tag

_HEIGHT = 22


def _key(width: int, *parts: Markup) -> Markup:
    return tag("svg", *parts, class_="strip", width=width, height=14, aria_hidden="true")


def _dot_key(line: str, dot: str) -> Markup:
    return _key(
        26,
        tag("line", x1=1, x2=25, y1=7, y2=7, class_=line),
        tag("circle", cx=13, cy=7, r=4.5, class_=dot),
    )


GROUP_KEY = _dot_key("reach a5", "dot")
WORSE_KEY = _dot_key("whisker", "attack")
EVERYONE_KEY = _key(8, tag("line", x1=4, x2=4, y1=0, y2=14, class_="guess"))


def group_scale(groups: Sequence[Mapping[str, Any]], everyone: float | None) -> Scale:
    """Return one scale for all groups, on which no loss and every interval have room."""
    values = [0.0] + [value for value in (everyone,) if value is not None]
    for group in groups:
        values += [value for value in (group["loss"],) if value is not None]
        values += pair(group["interval"]) or ()
    low, high = min(values), max(values)
    return Scale(low, high if high > low else low + 1.0, 0.0, 1.0)


def group_strip(
    group: Mapping[str, Any], everyone: float | None, scale: Scale, words: str
) -> Picture:
    """Draw the loss of a group with its interval, and a tick for everyone on average.

    Parameters
    ----------
    group : mapping
        The group's numbers.
    everyone : float or None
        What everyone loses on average.
    scale : Scale
        The scale shared by all groups.
    words : str
        For who cannot see it.
    """
    strip, middle = Strip(scale, _HEIGHT), _HEIGHT / 2
    worse = group["loses_more"]
    strip.track(middle)
    strip.tick(everyone, "guess", margin=3)
    strip.span(pair(group["interval"]), middle, "whisker" if worse else "reach a5")
    if group["loss"] is not None:
        strip.dot(group["loss"], middle, "attack" if worse else "dot")
    return strip.picture(words)

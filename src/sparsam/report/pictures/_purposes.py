"""Which purpose needs which attribute, and how finely: purpose limitation in one picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sparsam.report.plot._labels import shorten
from sparsam.report.plot._plot import Picture, drawing
from sparsam.report.plot._svg import tag, text

_WIDTH, _HEIGHT = 84, 30
_LETTER = 7.4
_MOST, _MOST_ABOVE = 28, 11
_TOP = 26
ALL = "all"


def needs_figure(purposes: Sequence[str], needs: Sequence[Mapping[str, Any]]) -> Picture:
    """Draw the attributes as rows, and the purposes and all of them together as columns.

    Parameters
    ----------
    purposes : sequence of str
    needs : sequence of mappings
        See `PurposesChoice.needs`.
    """
    title = "Which purpose needs which attribute, and how finely"
    words = (
        "A matrix of attributes and purposes. The darker a field, the more finely that purpose "
        "needs that attribute; the number is that of the buckets. An empty field is not needed."
    )
    left = min(max(len(need["attribute"]) for need in needs), _MOST) * _LETTER + 12
    columns = [*purposes, ALL]
    width, height = left + len(columns) * _WIDTH, len(needs) * _HEIGHT
    parts = [*_heads(columns, left), *_rows(purposes, needs, left)]
    style = f"max-width:{width / 16 * 1.15:.1f}rem"
    box = (0, -_TOP, width, height + _TOP + 2)
    return Picture(title, words, (drawing("needs", "matrix", title, words, box, parts, style),))


def _heads(columns: Sequence[str], left: float) -> Iterator[Markup]:
    for place, name in enumerate(columns):
        x = left + place * _WIDTH + _WIDTH / 2
        yield text(shorten(name, _MOST_ABOVE), x, -9, "tick", "middle")


def _rows(
    purposes: Sequence[str], needs: Sequence[Mapping[str, Any]], left: float
) -> Iterator[Markup]:
    for row, need in enumerate(needs):
        y = row * _HEIGHT
        yield text(shorten(need["attribute"], _MOST), left - 8, y + _HEIGHT / 2 + 4, "tick", "end")
        cells = [(name, need["alone"][name]) for name in purposes] + [(ALL, need["together"])]
        for column, (name, labels) in enumerate(cells):
            yield from _cell(left + column * _WIDTH, y, need, name, labels)


def _cell(
    x: float, y: float, need: Mapping[str, Any], name: str, labels: Sequence[str] | None
) -> Iterator[Markup]:
    buckets = len(labels or ())
    share = math.log(max(1, buckets)) / math.log(max(2, need["values"]))
    told = "not needed" if not buckets else f"{buckets} of {need['values']} values"
    yield tag(
        "rect",
        tag("title", f"{need['attribute']}, {name}: {'unknown' if labels is None else told}"),
        x=x,
        y=y,
        width=_WIDTH,
        height=_HEIGHT,
        fill_opacity=round(0.04 + 0.56 * min(1.0, share), 3) if buckets else 0,
        class_="shade more",
    )
    if labels is None or buckets:
        words = "?" if labels is None else str(buckets)
        yield text(words, x + _WIDTH / 2, y + _HEIGHT / 2 + 4, "figure-number")

"""A numeric attribute in cells of unequal width: bars to scale, whose areas are the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._explore_data import ExploredAttributeData, NoisyCellData
from sparsam.report._explore_words import cell_words, number
from sparsam.report._labels import text_width
from sparsam.report._scale import Scale, round_step
from sparsam.report._svg import tag
from sparsam.report._words import pair

# A bar is at least about this part of the axis wide; one for a single number would not be seen.
# Heights are rows per so much, so that the height of a thinnest bar is its rows.
_THINNEST = 1 / 90


class Bar(NamedTuple):
    """A cell as it is drawn: where, and how many rows per unit of width."""

    cell: NoisyCellData
    low: float
    high: float
    height: float
    interval: tuple[float, float] | None


def is_uneven(edges: Sequence[float]) -> bool:
    """Whether cells differ in width, so that equal bars would show a wrong shape.

    Examples
    --------
    >>> is_uneven([0, 1, 2, 3]), is_uneven([0, 1, 10])
    (False, True)
    """
    widths = [high - low for low, high in pairwise(edges)]
    return len(widths) > 1 and max(widths) > 1.05 * min(widths)


def bar_unit(edges: Sequence[float]) -> float:
    """Return the width that rows are counted per: a round number, the width of a thinnest bar.

    Examples
    --------
    >>> bar_unit([0, 50_000, 100_000])
    2000.0
    """
    return round_step(_THINNEST * (edges[-1] - edges[0]))


def scaled_bars(one: ExploredAttributeData) -> list[Bar]:
    """Return the bars of an attribute; the area of each is its number of rows.

    A cell that is too narrow to be seen and stands out even so is drawn wider, and as much lower;
    one that does not is no higher than those beside it, and has no interval.
    """
    edges = one["edges"]
    unit = bar_unit(edges)
    cells = [cell for cell in one["cells"] if not cell["apart"]]
    real = [
        _bar(cell, low, high, unit)
        for cell, (low, high) in zip(cells, pairwise(edges), strict=True)
    ]
    bars = []
    for place, bar in enumerate(real):
        start = min(max((bar.low + bar.high - unit) / 2, edges[0]), edges[-1] - unit)
        wider = _bar(bar.cell, start, start + unit, unit)
        around = [real[near].height for near in (place - 1, place + 1) if 0 <= near < len(real)]
        if bar.high - bar.low >= unit:
            bars.append(bar)
        elif wider.height > max(around):
            bars.append(wider)
        else:  # a hair, which noise makes very high or low
            bars.append(bar._replace(height=min(bar.height, max(around)), interval=None))
    return bars


def _bar(cell: NoisyCellData, low: float, high: float, unit: float) -> Bar:
    per = unit / (high - low)
    ends = pair(cell["interval"])
    around = None if ends is None else (max(ends[0], 0.0) * per, ends[1] * per)
    return Bar(cell, low, high, max(cell["count"], 0.0) * per, around)


def histogram_parts(one: ExploredAttributeData, canvas: Canvas) -> Iterator[Markup]:
    """Draw the bars, their intervals and both axes."""
    low, high = one["edges"][0], one["edges"][-1]
    bars = scaled_bars(one)
    highest = max(bar.height for bar in bars)
    ends = [bar.interval[1] for bar in bars if bar.interval is not None]
    floor, right = canvas.height - canvas.bottom, canvas.width - canvas.right
    top = max(highest * 1.05, min(max(ends, default=0.0), 2 * highest), 1.0)
    x, y = Scale(low, high, canvas.left, right), Scale(0.0, top, floor, canvas.top)
    for value in y.ticks(canvas.ticks):
        yield tag("line", x1=canvas.left, x2=right, y1=y(value), y2=y(value), class_="grid")
        yield text(number(value), canvas.left - 8, y(value) + 4, "tick", "end")
    for bar in sorted(bars, key=lambda bar: bar.low - bar.high):  # narrow ones on top
        width = max(x(bar.high) - x(bar.low) - 0.6, 0.6)
        yield tag("rect", tag("title", cell_words(bar.cell)), x=x(bar.low), y=y(bar.height),
                  width=width, height=floor - y(bar.height), class_="cell")  # fmt: skip
    for bar in bars:
        if bar.interval is not None:
            at = x((bar.low + bar.high) / 2)
            yield tag("line", x1=at, x2=at, y1=y(bar.interval[0]), y2=y(bar.interval[1]),
                      class_="interval")  # fmt: skip
    yield tag("line", x1=canvas.left, x2=right, y1=floor, y2=floor, class_="axis")
    yield from axis_ticks(x, canvas, floor, 18)
    yield text(f"↑ Rows per {number(bar_unit(one['edges']))}", 0, 14, "name")


def axis_ticks(x: Scale, canvas: Canvas, floor: float, below: float) -> Iterator[Markup]:
    """Write round numbers along a horizontal axis, as many as have room."""
    free = 0.0
    for value in x.ticks(6 if canvas.name == "wide" else 4):
        words = number(value)
        at, half = x(value), text_width(words) / 2
        if at - half >= free and at + half <= canvas.width + 6:
            free = at + half + 6
            yield tag("line", x1=at, x2=at, y1=floor, y2=floor + 4, class_="axis")
            yield text(words, at, floor + below, "tick", "middle")

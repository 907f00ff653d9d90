"""One attribute as bars with error bars, and as a box with the uncertainty of its five figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._explore_data import ExploredAttributeData, NoisyCellData
from sparsam.report._explore_histogram import axis_ticks, histogram_parts, is_uneven
from sparsam.report._explore_words import cell_words, count_words, interval_text, number
from sparsam.report._labels import text_width
from sparsam.report._scale import Scale
from sparsam.report._svg import tag
from sparsam.report._words import pair

WIDE = Canvas("wide", 620, 230, ticks=4, left=58, right=10, top=30, bottom=44)
NARROW = Canvas("narrow", 340, 220, ticks=4, left=52, right=8, top=30, bottom=44)
MOST_ROWS = 24
_ROW = 22
_GAP = 0.16


def cell_figure(one: ExploredAttributeData, number_of: int) -> Markup | None:
    """Draw the counts of an attribute for a screen and for a telephone.

    Parameters
    ----------
    one : ExploredAttributeData
    number_of : int
        Makes the ids of the drawing its own.
    """
    if not one["cells"]:
        return None
    draw = _columns if one["edges"] else _rows
    return Markup("\n").join(draw(one, canvas, number_of) for canvas in (WIDE, NARROW))


def box_figure(one: ExploredAttributeData, number_of: int) -> Markup | None:
    """Draw P1, the quartiles and P99 of an attribute; None where they are not known."""
    if len(one["quantiles"]) < 2:
        return None
    return Markup("\n").join(_box(one, canvas, number_of) for canvas in (WIDE, NARROW))


def largest_first(cells: Sequence[NoisyCellData], most: int = MOST_ROWS) -> list[NoisyCellData]:
    """The cells to draw: all of them in their order, or the largest of many."""
    if len(cells) <= most:
        return list(cells)
    return sorted(cells, key=lambda cell: -cell["count"])[:most]


def _svg(
    one: ExploredAttributeData,
    kind: str,
    words: str,
    canvas: Canvas,
    height: float,
    number_of: int,
    parts: Iterator[Markup],
) -> Markup:
    ids = [f"{kind}-{number_of}-{part}-{canvas.name}" for part in ("title", "desc")]
    return tag(
        "svg",
        tag("title", f"{one['name']}: {'counts' if kind == 'cells' else 'quantiles'}", id=ids[0]),
        tag("desc", words, id=ids[1]),
        *parts,
        class_=f"{kind} {canvas.name}",
        viewBox=f"0 0 {canvas.width} {height:g}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


def _largest(one: ExploredAttributeData) -> str:
    fullest = max(one["cells"], key=lambda cell: cell["count"])
    return f"{len(one['cells'])} noisy counts. The largest: {cell_words(fullest)}."


def _top(cells: Sequence[NoisyCellData]) -> float:
    """The highest bar or interval; wide intervals of small counts must not flatten the bars."""
    highest = max(cell["count"] for cell in cells)
    ends = [ends[1] for cell in cells if (ends := pair(cell["interval"])) is not None]
    return max(highest * 1.05, min(max(ends, default=0.0), 2 * highest), 1.0)


def _columns(one: ExploredAttributeData, canvas: Canvas, number_of: int) -> Markup:
    words, parts = _largest(one), _column_parts(one, canvas)
    if is_uneven(one["edges"]):
        words += " The area of a bar shows its rows."
        parts = histogram_parts(one, canvas)
    return _svg(one, "cells", words, canvas, canvas.height, number_of, parts)


def _column_parts(one: ExploredAttributeData, canvas: Canvas) -> Iterator[Markup]:
    cells = one["cells"]
    floor, right = canvas.height - canvas.bottom, canvas.width - canvas.right
    y = Scale(0.0, _top(cells), floor, canvas.top)
    step = (right - canvas.left) / len(cells)
    for value in y.ticks(canvas.ticks):
        yield tag("line", x1=canvas.left, x2=right, y1=y(value), y2=y(value), class_="grid")
        yield text(number(value), canvas.left - 8, y(value) + 4, "tick", "end")
    for place, cell in enumerate(cells):
        x, top = canvas.left + place * step, y(max(cell["count"], 0.0))
        yield tag(
            "rect",
            tag("title", cell_words(cell)),
            x=x + _GAP / 2 * step,
            y=top,
            width=(1 - _GAP) * step,
            height=max(floor - top, 0.0),
            class_="cell apart" if cell["apart"] else "cell",
        )
        if (ends := pair(cell["interval"])) is not None:
            middle = x + step / 2
            yield tag("line", x1=middle, x2=middle, y1=y(ends[0]), y2=y(ends[1]), class_="interval")
    yield tag("line", x1=canvas.left, x2=right, y1=floor, y2=floor, class_="axis")
    yield from _edge_names(one, canvas, step, floor)
    yield text("↑ Rows", 0, 14, "name")


def _edge_names(
    one: ExploredAttributeData, canvas: Canvas, step: float, floor: float
) -> Iterator[Markup]:
    """Write the lower edges that have room, and a sign for what is missing."""
    taken = [
        (canvas.width - text_width("missing"), float(canvas.width))
        for cell in one["cells"]
        if cell["apart"]
    ]
    for place, cell in enumerate(one["cells"]):
        if cell["apart"]:
            yield text("missing", canvas.width - 2, floor + 18, "tick", "end")
            continue
        words = number(one["edges"][place])
        middle, half = canvas.left + (place + 0.5) * step, text_width(words) / 2
        low, high = middle - half - 3, middle + half + 3
        if all(high <= start or low >= stop for start, stop in taken):
            taken.append((low, high))
            yield text(words, middle, floor + 18, "tick", "middle")


def _rows(one: ExploredAttributeData, canvas: Canvas, number_of: int) -> Markup:
    cells = largest_first(one["cells"])
    height = len(cells) * _ROW + 22
    parts = _row_parts(cells, canvas, len(one["cells"]) - len(cells), height)
    return _svg(one, "cells", _largest(one), canvas, height, number_of, parts)


def _row_parts(
    cells: Sequence[NoisyCellData], canvas: Canvas, more: int, height: float
) -> Iterator[Markup]:
    room = 190 if canvas.name == "wide" else 128
    reach = canvas.width - 74
    x = Scale(0.0, _top(cells), room, reach)
    for place, cell in enumerate(cells):
        top = place * _ROW
        middle = top + _ROW / 2
        yield text(_short(cell["label"], room - 10), room - 8, middle + 4, "tick", "end")
        yield tag(
            "rect",
            tag("title", cell_words(cell)),
            x=room,
            y=top + 3,
            width=max(x(max(cell["count"], 0.0)) - room, 0.5),
            height=_ROW - 6,
            class_="cell apart" if cell["apart"] else "cell",
        )
        if (ends := pair(cell["interval"])) is not None:
            yield tag("line", x1=x(ends[0]), x2=x(ends[1]), y1=middle, y2=middle, class_="interval")
        yield text(count_words(cell["count"]), canvas.width, middle + 4, "tick", "end")
    words = f"the {len(cells)} largest of {len(cells) + more}" if more else "Rows →"
    yield text(words, reach, height - 4, "name", "end")


def _short(label: str, room: float) -> str:
    most = max(int(room / 6.6), 4)
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _box(one: ExploredAttributeData, canvas: Canvas, number_of: int) -> Markup:
    words = ", ".join(f"{q['name']} {number(q['value'])}" for q in one["quantiles"])
    return _svg(one, "box", words, canvas, 78, number_of, _box_parts(one, canvas))


def _box_range(one: ExploredAttributeData) -> tuple[float, float]:
    """Return the range of a box: that of bars to scale above it, or what its figures need."""
    if is_uneven(one["edges"]):
        return one["edges"][0], one["edges"][-1]
    ends = [end for q in one["quantiles"] for end in (*(pair(q["interval"]) or ()), q["value"])]
    low, high = min(ends), max(ends)
    pad = 0.02 * (high - low) or 0.5
    return low - pad, high + pad


def _box_parts(attribute: ExploredAttributeData, canvas: Canvas) -> Iterator[Markup]:
    quantiles = attribute["quantiles"]
    by_name = {one["name"]: one["value"] for one in quantiles}
    x = Scale(*_box_range(attribute), canvas.left, canvas.width - canvas.right)
    middle, half = 24.0, 13.0
    yield from _box_axis(x, canvas)
    first, last = quantiles[0]["value"], quantiles[-1]["value"]
    yield tag("line", x1=x(first), x2=x(last), y1=middle, y2=middle, class_="whisker")
    for end in (first, last):
        yield tag("line", x1=x(end), x2=x(end), y1=middle - 6, y2=middle + 6, class_="whisker")
    if "Q1" in by_name and "Q3" in by_name:
        width = max(x(by_name["Q3"]) - x(by_name["Q1"]), 1.0)
        yield tag("rect", x=x(by_name["Q1"]), y=middle - half, width=width, height=2 * half,
                  class_="quartiles")  # fmt: skip
    if "Q2" in by_name:
        at = x(by_name["Q2"])
        yield tag("line", x1=at, x2=at, y1=middle - half, y2=middle + half, class_="median")
    for place, one in enumerate(quantiles):
        around = pair(one["interval"])
        if around is not None:
            y = middle + half + (4 if place % 2 else 8)
            hint = f"{one['name']} {number(one['value'])} ({interval_text(around, number)})"
            wide = max(x(around[1]) - x(around[0]), 2.0)
            yield tag("rect", tag("title", hint), x=x(around[0]), y=y - 1.5, width=wide, height=3,
                      class_="sure-bar")  # fmt: skip


def _box_axis(x: Scale, canvas: Canvas) -> Iterator[Markup]:
    floor = 52.0
    yield tag("line", x1=x.start, x2=x.stop, y1=floor, y2=floor, class_="axis")
    yield from axis_ticks(x, canvas, floor, 17)

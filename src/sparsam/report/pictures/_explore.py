"""The pictures of an exploration: bars, boxes, matrices, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from markupsafe import Markup

from sparsam.report._words import (
    Interval,
    between,
    correlation,
    noisy_count,
    own_number,
    pair,
    short_epsilon,
)
from sparsam.report.plot._labels import shorten
from sparsam.report.plot._matrix import MatrixCell, half_matrix
from sparsam.report.plot._plot import Canvas, Picture, Plot, picture
from sparsam.report.plot._scale import padded, round_step
from sparsam.report.plot._svg import tag, text

WIDE = Canvas("wide", 620, 230, ticks=4, left=58, right=10, top=30, bottom=44)
NARROW = Canvas("narrow", 340, 220, ticks=4, left=52, right=8, top=30, bottom=44)
COST_WIDE = Canvas("wide", 620, 270, ticks=5, left=46, right=26, top=40, bottom=34)
COST_NARROW = Canvas("narrow", 340, 250, ticks=5, left=40, right=22, top=40, bottom=34)
MOST_ROWS = 24
_ROW = 22
_GAP = 0.16
_BOX = 78
# A bar is at least about this part of the axis wide; one for a single number would not be seen.
# Heights are rows per so much, so that the height of a thinnest bar is its rows.
_THINNEST = 1 / 90
_MATRICES = {
    "spearman": "Spearman's rank correlation of all pairs of numeric attributes",
    "cramers_v": "Cramér's V of all pairs of categorical attributes",
}
_COSTS = {
    "paper": "query by query",
    "same": "query by query, as exact as here",
    "ours": "this exploration",
}


Data = Mapping[str, Any]
FUNCTIONS = {
    "distribution": "distribution",
    "missing": "missing values",
    "outliers": "outliers",
    "correlation": "correlation",
}


def sign(kind: str) -> Markup:
    """Return the sign that a line or a shade has in a legend."""
    return tag("i", class_=kind)


# The counts of an attribute


class Bar(NamedTuple):
    """A cell as it is drawn: where, and how many rows per unit of width."""

    cell: Data
    low: float
    high: float
    height: float
    interval: tuple[float, float] | None


def cell_figure(attribute: Data, place: int) -> Picture | None:
    """Draw the counts of an attribute as bars with error bars; None where there are none.

    Parameters
    ----------
    attribute : mapping
        One of the report's attributes.
    place : int
        Makes the ids of the drawing its own.
    """
    cells, edges = attribute["cells"], attribute["edges"]
    if not cells:
        return None
    fullest = max(cells, key=lambda cell: cell["count"])
    words = f"{len(cells)} noisy counts. The largest: {cell_words(fullest)}."
    if not edges:
        plots = [_rows(cells, canvas) for canvas in (WIDE, NARROW)]
    elif is_uneven(edges):
        words += " The area of a bar shows its rows."
        plots = [_histogram(attribute, canvas) for canvas in (WIDE, NARROW)]
    else:
        plots = [_columns(attribute, canvas) for canvas in (WIDE, NARROW)]
    return picture(f"cells-{place}", "cells", f"{attribute['name']}: counts", words, plots)


def cell_words(cell: Data) -> str:
    """Write what a cell holds, with its interval."""
    around = between(cell["interval"], noisy_count)
    return f"{cell['label']}: {noisy_count(cell['count'])}{f' ({around})' if around else ''}"


def largest_first(cells: Sequence[Data], most: int = MOST_ROWS) -> list[Data]:
    """Return the cells to draw: all of them in their order, or the largest of many."""
    if len(cells) <= most:
        return list(cells)
    return sorted(cells, key=lambda cell: -cell["count"])[:most]


def _highest(bars: Sequence[Bar]) -> float:
    """The highest bar or interval; wide intervals of small counts must not flatten the bars."""
    highest = max(bar.height for bar in bars)
    ends = [bar.interval[1] for bar in bars if bar.interval is not None]
    return max(highest * 1.05, min(max(ends, default=0.0), 2 * highest), 1.0)


def _even_bars(cells: Sequence[Data]) -> list[Bar]:
    """Bars of one width, side by side; their heights are the rows."""
    return [
        Bar(cell, place, place + 1, max(cell["count"], 0.0), pair(cell["interval"]))
        for place, cell in enumerate(cells)
    ]


def _cell_kind(cell: Data) -> str:
    return "cell apart" if cell["apart"] else "cell"


def _columns(attribute: Data, canvas: Canvas) -> Plot:
    bars = _even_bars(attribute["cells"])
    plot = Plot(canvas, (0, len(bars)), (0.0, _highest(bars)))
    plot.grid(plot.y.ticks(canvas.ticks), own_number)
    for bar in bars:
        ends = (bar.low + _GAP / 2, bar.high - _GAP / 2)
        plot.bar(ends, bar.height, _cell_kind(bar.cell), cell_words(bar.cell))
        plot.interval(bar.low + 0.5, bar.interval)
    missing = [(bar.low + 0.5, "missing") for bar in bars if bar.cell["apart"]]
    edges = [
        (bar.low + 0.5, own_number(edge))
        for bar, edge in zip(bars, attribute["edges"], strict=False)
        if not bar.cell["apart"]
    ]
    plot.base([*missing, *edges], lines=False)
    plot.names("↑ Rows")
    return plot


def _rows(cells: Sequence[Data], canvas: Canvas) -> Plot:
    """Draw bars that lie, with their names on the left and their counts on the right."""
    bars = _even_bars(largest_first(cells))
    left = 190 if canvas.name == "wide" else 128
    canvas = replace(canvas, height=len(bars) * _ROW + 22, left=left, right=74, top=0, bottom=22)
    plot = Plot(canvas, (0.0, _highest(bars)), (len(bars), 0.0))
    for bar in bars:
        middle, cell = plot.y(bar.low + 0.5), bar.cell
        name = shorten(cell["label"], max(int((left - 10) / 6.6), 4))
        plot.add(
            text(name, left - 8, middle + 4, "tick", "end"),
            tag(
                "rect",
                tag("title", cell_words(cell)),
                x=left,
                y=middle - _ROW / 2 + 3,
                width=max(plot.x(bar.height) - left, 0.5),
                height=_ROW - 6,
                class_=_cell_kind(cell),
            ),
        )
        plot.flat_interval(bar.interval, bar.low + 0.5)
        plot.add(text(noisy_count(cell["count"]), canvas.width, middle + 4, "tick", "end"))
    fewer = len(bars) < len(cells)
    words = f"the {len(bars)} largest of {len(cells)}" if fewer else "Rows →"
    plot.add(text(words, plot.right, canvas.height - 4, "name", "end"))
    return plot


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


def scaled_bars(attribute: Data) -> list[Bar]:
    """Return the bars of an attribute; the area of each is its number of rows.

    A cell that is too narrow to be seen and stands out even so is drawn wider, and as much lower;
    one that does not is no higher than those beside it, and has no interval.
    """
    edges = attribute["edges"]
    unit = bar_unit(edges)
    cells = [cell for cell in attribute["cells"] if not cell["apart"]]
    real = [
        _scaled_bar(cell, low, high, unit)
        for cell, (low, high) in zip(cells, pairwise(edges), strict=True)
    ]
    bars = []
    for place, bar in enumerate(real):
        start = min(max((bar.low + bar.high - unit) / 2, edges[0]), edges[-1] - unit)
        wider = _scaled_bar(bar.cell, start, start + unit, unit)
        around = [real[near].height for near in (place - 1, place + 1) if 0 <= near < len(real)]
        if bar.high - bar.low >= unit:
            bars.append(bar)
        elif wider.height > max(around):
            bars.append(wider)
        else:  # a hair, which noise makes very high or low
            bars.append(bar._replace(height=min(bar.height, max(around)), interval=None))
    return bars


def _scaled_bar(cell: Data, low: float, high: float, unit: float) -> Bar:
    per = unit / (high - low)
    ends = pair(cell["interval"])
    around = None if ends is None else (max(ends[0], 0.0) * per, ends[1] * per)
    return Bar(cell, low, high, max(cell["count"], 0.0) * per, around)


def _histogram(attribute: Data, canvas: Canvas) -> Plot:
    edges, bars = attribute["edges"], scaled_bars(attribute)
    plot = Plot(canvas, (edges[0], edges[-1]), (0.0, _highest(bars)))
    plot.grid(plot.y.ticks(canvas.ticks), own_number)
    gap = 0.6 * (edges[-1] - edges[0]) / (plot.right - plot.left)  # of a bit more than half a pixel
    for bar in sorted(bars, key=lambda bar: bar.low - bar.high):  # narrow ones on top
        plot.bar((bar.low, bar.high - gap), bar.height, "cell", cell_words(bar.cell))
    for bar in bars:
        plot.interval((bar.low + bar.high) / 2, bar.interval)
    plot.base(_round_numbers(plot))
    plot.names(f"↑ Rows per {own_number(bar_unit(edges))}")
    return plot


def _round_numbers(plot: Plot) -> list[tuple[float, str]]:
    most = 6 if plot.canvas.name == "wide" else 4
    return [(value, own_number(value)) for value in plot.x.ticks(most)]


# The quantiles of an attribute


def box_figure(attribute: Data, place: int) -> Picture | None:
    """Draw P1, the quartiles and P99 of an attribute; None where they are not known."""
    quantiles = attribute["quantiles"]
    if len(quantiles) < 2:
        return None
    words = ", ".join(
        f"{quantile['name']} {own_number(quantile['value'])}" for quantile in quantiles
    )
    plots = (_box(attribute, canvas) for canvas in (WIDE, NARROW))
    return picture(f"box-{place}", "box", f"{attribute['name']}: quantiles", words, plots)


def _box_range(attribute: Data) -> tuple[float, float]:
    """Return the range of a box: that of bars to scale above it, or what its figures need."""
    if is_uneven(attribute["edges"]):
        return attribute["edges"][0], attribute["edges"][-1]
    ends = [
        end
        for quantile in attribute["quantiles"]
        for end in (*(pair(quantile["interval"]) or ()), quantile["value"])
    ]
    low, high = min(ends), max(ends)
    return padded(low, high, 0.02) if low < high else (low - 0.5, high + 0.5)


def _box(attribute: Data, canvas: Canvas) -> Plot:
    quantiles = attribute["quantiles"]
    values = {quantile["name"]: quantile["value"] for quantile in quantiles}
    canvas = replace(canvas, height=_BOX, top=0, bottom=26)
    # upwards from the floor, in pixels
    plot = Plot(canvas, _box_range(attribute), (0.0, _BOX - 26))
    middle, half = 28.0, 13.0
    plot.base(_round_numbers(plot))
    first, last = quantiles[0]["value"], quantiles[-1]["value"]
    plot.flat_interval((first, last), middle, "whisker")
    for end in (first, last):
        plot.interval(end, (middle - 6, middle + 6), "whisker")
    if "Q1" in values and "Q3" in values:
        ends = (values["Q1"], values["Q3"])
        plot.bar(ends, middle + half, "quartiles", start=middle - half)
    if "Q2" in values:
        plot.interval(values["Q2"], (middle - half, middle + half), "median")
    for place, quantile in enumerate(quantiles):
        around = pair(quantile["interval"])
        if around is not None:
            name, value = quantile["name"], own_number(quantile["value"])
            hint = f"{name} {value} ({between(around, own_number)})"
            y = middle - half - (4 if place % 2 else 8)
            plot.bar(around, y + 1.5, "sure-bar", hint, start=y - 1.5)
    return plot


# How attributes go together


def matrix_figure(matrix: Data) -> Picture | None:
    """Draw the lower half of a matrix; None for a single attribute."""
    if len(matrix["names"]) < 2 or not matrix["pairs"]:
        return None
    strongest = max(matrix["pairs"], key=lambda both: abs(both["value"]))
    words = f"{len(matrix['pairs'])} pairs. The strongest: {_pair_words(strongest)}."
    cells = [
        MatrixCell(both["first"], both["second"], both["value"], correlation(both["value"]),
                   _pair_words(both), sure(both["value"], both["interval"]))
        for both in matrix["pairs"]
    ]  # fmt: skip
    measure = matrix["measure"]
    return half_matrix(measure, _MATRICES[measure], words, matrix["names"], cells)


def sure(value: float, interval: Interval) -> bool:
    """Whether an interval says that there is more of a dependence than noise and chance make.

    Where nothing stands out of the noise, the interval of a dependence starts at the estimate.

    Examples
    --------
    >>> sure(0.15, (0.1, 0.2)), sure(0.1, (-0.1, 0.2)), sure(0.1, (0.1, 0.2)), sure(0.1, None)
    (True, False, False, False)
    """
    ends = pair(interval)
    return ends is not None and (0 < ends[0] < value or value < ends[1] < 0)


def _pair_words(both: Data) -> str:
    around = between(both["interval"], correlation)
    return f"{both['first']} and {both['second']}: {correlation(both['value'])} ({around})"


# What it cost


def cost_figure(data: Data) -> Picture:
    """Draw the cumulative cost of the paper's queries (its Figure 2) beside what was paid here."""
    total = short_epsilon(data["paper"]["functions"][-1]["cumulative"])
    words = (
        f"One charge for each query comes to {total}, "
        f"this exploration to {short_epsilon(ours(data))}."
    )
    title = "Cumulative epsilon along the functions of the analysis"
    plots = (_costs(data, canvas) for canvas in (COST_WIDE, COST_NARROW))
    return picture("costs", "costs", title, words, plots)


def ours(data: Data) -> float:
    """The epsilon of this exploration that is comparable: added up, or at the delta."""
    here = data["spent"][0]
    return float(here["concentrated"] if here["pure"] is None else here["pure"])


def _costs(data: Data, canvas: Canvas) -> Plot:
    names = [FUNCTIONS[function["name"]] for function in data["paper"]["functions"]]
    lines = _cost_lines(data)
    highest = max(height for heights in lines.values() for height in heights)
    plot = Plot(canvas, (0, len(names)), (0.0, 1.1 * max(highest, 1e-9)))
    plot.grid(plot.y.ticks(canvas.ticks), "{:g}".format)
    for kind, heights in lines.items():
        start = heights[0] if kind == "ours" and data["how"] != "interactive" else 0.0
        spots = [(place + 0.5, height) for place, height in enumerate(heights)]
        plot.line([(0, start), *spots], f"line {kind}")
        for name, (place, height) in zip(names, spots, strict=True):
            hint = f"{_COSTS[kind]}, {name}: {short_epsilon(height)} in all"
            plot.dot(place, height, 4, f"mark {kind}", hint)
    labels = [(place + 0.5, name.split()[0]) for place, name in enumerate(names)]
    plot.base(labels, lines=False)
    plot.names("↑ Epsilon, cumulative")
    return plot


def _cost_lines(data: Data) -> dict[str, list[float]]:
    """The cumulative cost of each way, function by function."""
    functions, here = data["paper"]["functions"], ours(data)
    paper = [function["cumulative"] for function in functions]
    lines = {"paper": paper}
    same = [function["same"] for function in functions if function["same"] is not None]
    if len(same) == len(functions):
        lines["same"] = same
    if data["how"] == "interactive":  # queries are paid one after the other, tables at the start
        lines["ours"] = [here * cost / (paper[-1] or 1.0) for cost in paper]
    else:
        lines["ours"] = [here] * len(functions)
    return lines

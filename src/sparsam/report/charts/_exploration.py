"""An exploration as charts: noisy counts with their intervals, and what goes together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsam._errors import ParameterError
from sparsam.explore import Exploration
from sparsam.report._explore_report import attribute_data, matrix_data
from sparsam.report._words import correlation, noisy_count, own_number, pair
from sparsam.report.charts._paper import (
    ACCENT,
    BAR,
    INK,
    RISK,
    SOFT,
    Paper,
    Style,
    named,
    new_axes,
    nothing_to_draw,
    row_height,
)
from sparsam.report.pictures._explore import (
    Bar,
    bar_unit,
    is_uneven,
    largest_first,
    scaled_bars,
    sure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Data = Mapping[str, Any]
_MOST_ROWS = 12
_LONGEST = 18
_MATRICES = {"spearman": "Spearman's rank correlation", "cramers_v": "Cramér's V"}


def plot_exploration(
    exploration: Exploration, ax: Any, attribute: str | None, matrix: str | None, **style: Any
) -> Any:
    """Draw the counts of one attribute or of each, or how attributes go together.

    Parameters
    ----------
    exploration : Exploration
    ax : Axes, array of Axes or None
    attribute : str or None
    matrix : {"spearman", "cramers_v"} or None
    **style
        See `Style`.

    Returns
    -------
    Axes, or an array of them where every attribute is drawn
    """
    if matrix is not None:
        return _matrix(exploration, matrix, ax, style)
    attributes = {
        facts["name"]: attribute_data(facts, exploration.plan.declared, [])
        for facts in exploration.to_dict()["attributes"]
    }
    if attribute is not None:
        if attribute not in attributes:
            raise ParameterError(
                f"The 'attribute' to draw must be one of {', '.join(attributes)}. "
                f"Got {attribute!r} instead."
            )
        return _counts(attributes[attribute], ax, style)
    drawn = [facts for facts in attributes.values() if facts["cells"]]
    if not drawn:
        raise nothing_to_draw("the exploration has no counts.")
    places = _places(ax, len(drawn), Style.of(style).figsize)
    for place, facts in zip(places, drawn, strict=False):
        _counts(facts, place, style)
    for place in places[len(drawn) :]:
        place.set_axis_off()
    return np.array(places[: len(drawn)], dtype=object)


def _places(ax: Any, needed: int, figsize: tuple[float, float] | None) -> list[Axes]:
    """The axes that were given, one for each attribute, or those of a new figure."""
    if ax is None:
        columns = min(3, needed)
        rows = math.ceil(needed / columns)
        return new_axes(figsize or (4.0 * columns, 2.9 * rows), rows, columns)
    given = list(np.asarray(ax, dtype=object).ravel())
    if len(given) < needed:
        raise ParameterError(
            f"The 'ax' of an exploration must be {needed} axes, one for each attribute. "
            f"Got {len(given)} instead.\n\nHint: plot(ax, attribute=...) draws one attribute."
        )
    return given


# The counts of an attribute


def _counts(attribute: Data, ax: Axes | None, style: Data) -> Axes:
    if not attribute["cells"]:
        raise nothing_to_draw(f"no counts of '{attribute['name']}' were asked for.")
    if attribute["edges"]:
        return _columns(attribute, ax, style)
    return _rows(attribute, ax, style)


def _rows(attribute: Data, ax: Axes | None, style: Data) -> Axes:
    """Draw categories as bars that lie, the largest where there are many."""
    cells = largest_first(attribute["cells"], _MOST_ROWS)
    paper = Paper(ax, style, (6.4, row_height(len(cells))))
    look = paper.style.bar(color=BAR, edgecolor=INK, linewidth=0.6)
    bars = paper.ax.barh(range(len(cells)), [cell["count"] for cell in cells], 0.7, **look)
    for place, (cell, bar) in enumerate(zip(cells, bars, strict=True)):
        if cell["apart"]:
            bar.set_hatch("//")
        if (ends := pair(cell["interval"])) is not None:
            paper.ax.plot(ends, [place, place], color=INK, linewidth=1.2, zorder=2)
    paper.names([cell["label"] for cell in cells], _LONGEST)
    paper.numbers("x", 5)
    fewer = len(cells) < len(attribute["cells"])
    of = f", {len(cells)} largest of {len(attribute['cells'])}" if fewer else ""
    return paper.done(f"{named(attribute['name'])}{of}", "Rows (noisy count)", "", grid="x")


def _columns(attribute: Data, ax: Axes | None, style: Data) -> Axes:
    """Draw numbers as bars that stand; where cells differ in width, their area is what counts."""
    paper = Paper(ax, style)
    uneven = is_uneven(attribute["edges"])
    bars = scaled_bars(attribute) if uneven else _even(attribute)
    look = paper.style.bar(color=BAR, edgecolor=INK, linewidth=0.6)
    for bar in sorted(bars, key=lambda bar: bar.low - bar.high):  # narrow ones on top
        paper.ax.bar(bar.low, bar.height, bar.high - bar.low, align="edge", **look)
    for bar in bars:
        paper.upright((bar.low + bar.high) / 2, bar.interval, INK)
    if not uneven:
        _draw_apart(paper, attribute, bars[-1])
    paper.ax.set_ylim(0, _highest(bars))
    paper.numbers("x")
    paper.numbers("y", 5)
    up = "Rows (noisy count)"
    if uneven:
        up = f"Rows per {own_number(bar_unit(attribute['edges']))} (noisy)"
    apart = [cell for cell in attribute["cells"] if cell["apart"] and _is_there(cell)]
    beside = ", ".join(f"{cell['label']} about {noisy_count(cell['count'])}" for cell in apart)
    name = named(attribute["name"])
    title = f"{name}{f'; {beside}' if uneven and beside else ''}"
    return paper.done(title, name, up, grid="y")


def _is_there(cell: Data) -> bool:
    """Whether a count is beyond the noise."""
    ends = pair(cell["interval"])
    return ends is not None and ends[0] > 0


def _even(attribute: Data) -> list[Bar]:
    edges = attribute["edges"]
    cells = [cell for cell in attribute["cells"] if not cell["apart"]]
    return [
        Bar(cell, low, high, cell["count"], pair(cell["interval"]))
        for cell, low, high in zip(cells, edges, edges[1:], strict=False)
    ]


def _draw_apart(paper: Paper, attribute: Data, last: Bar) -> None:
    """Draw what has no place among the numbers beyond their end, such as missing values."""
    width = max(last.high - last.low, (last.high - attribute["edges"][0]) / 20)
    for place, cell in enumerate(cell for cell in attribute["cells"] if cell["apart"]):
        left = last.high + (1.0 + 1.8 * place) * width
        look = paper.style.look(place + 1)
        paper.ax.bar(left, cell["count"], width, align="edge", color="white", edgecolor=SOFT,
                     hatch=look.hatch, label=cell["label"])  # fmt: skip
        paper.upright(left + width / 2, pair(cell["interval"]), INK)
    handles, _ = paper.ax.get_legend_handles_labels()
    if paper.style.legend and handles:
        paper.ax.legend(loc="best", fontsize="small")


def _highest(bars: Sequence[Bar]) -> float:
    """Above the highest bar; wide intervals of small counts must not flatten the bars."""
    highest = max(bar.height for bar in bars)
    ends = [bar.interval[1] for bar in bars if bar.interval is not None]
    return max(1.1 * highest, min(1.05 * max(ends, default=0.0), 2 * highest), 1.0)


# How attributes go together


def _matrix(exploration: Exploration, measure: str, ax: Axes | None, style: Data) -> Axes:
    if measure not in _MATRICES:
        raise ParameterError(
            f"The 'matrix' to draw must be one of {', '.join(_MATRICES)}. Got {measure!r} instead."
        )
    names = [facts["name"] for facts in exploration.to_dict()["attributes"]]
    data = matrix_data(exploration, measure, names)
    if not data["pairs"]:
        raise nothing_to_draw(f"no pairs of attributes have {_MATRICES[measure]}.")
    size = len(data["names"])
    side = max(3.6, 1.6 + 0.62 * size)
    paper = Paper(ax, style, (side + 0.8, side))
    places = {name: place for place, name in enumerate(data["names"])}
    values = np.full((size, size), np.nan)
    for both in data["pairs"]:
        low, high = sorted((places[both["first"]], places[both["second"]]))
        values[high, low] = both["value"]
        known = sure(both["value"], both["interval"])
        paper.ax.text(low, high, correlation(both["value"]), ha="center", va="center",
                      color="white" if abs(both["value"]) > 0.6 else INK, fontsize="small",
                      fontweight="bold" if known else "normal",
                      fontstyle="normal" if known else "italic")  # fmt: skip
    paper.shades(values, (RISK, "white", ACCENT), -1.0)
    short = [named(name, _LONGEST) for name in data["names"]]
    paper.ax.set_xticks(range(size - 1), short[:-1], rotation=90)
    paper.ax.set_yticks(range(1, size), short[1:])
    paper.ax.set_xlim(-0.5, size - 1.5)
    paper.ax.set_ylim(size - 0.5, 0.5)
    axes = paper.done(_MATRICES[measure], "bold: more than noise makes", "", grid=None)
    axes.spines[["left", "bottom"]].set_visible(False)
    return axes

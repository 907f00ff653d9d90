"""The pictures of what to retain: accuracy and risk along the kept share, and the mask itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from markupsafe import Markup

from sparsam.report._words import Interval, counted, pair, percent, short_percent
from sparsam.report.plot._labels import LETTER, shorten
from sparsam.report.plot._marks import Mark
from sparsam.report.plot._matrix import shares_uri
from sparsam.report.plot._plot import Canvas, Picture, Plot, Range, picture
from sparsam.report.plot._scale import padded, span
from sparsam.report.plot._svg import tag, text

WIDE = Canvas("wide", 484, 320, ticks=5, right=22, top=48)
NARROW = Canvas("narrow", 340, 290, ticks=5, left=44, right=18, top=48)
MASK_WIDE = Canvas("wide", 660, 700, ticks=6, left=2, right=30, top=104, bottom=30)
MASK_NARROW = Canvas("narrow", 340, 420, ticks=5, left=2, right=26, top=104, bottom=30)
MOST_NAMES = 36
_LONGEST = 14

Measure = Literal["accuracy", "reconstruction", "reidentification", "weighed", "membership"]
_SHAPES = {
    "stationarity": "triangle",
    "evolutionary": "circle",
    "modelling": "square",
    "first order": "diamond",
    "feature selection": "plus",
    "random rows": "downward",
    "individualised random": "cross",
}
_MARKS = {name: Mark(shape, f"m{place}") for place, (name, shape) in enumerate(_SHAPES.items())}


@dataclass(frozen=True)
class Panel:
    """One of the figures: what it measures, and the levels to read it against."""

    measure: Measure
    title: str
    full: float | None
    baseline: float | None
    baseline_name: str


class Level(NamedTuple):
    """A level to read a figure against: the sign and kind of its line, its words and its value."""

    sign: str
    words: str
    kind: str
    value: float

    def key(self) -> Markup:
        """Return the sign in the colour of the line, for a legend."""
        return tag("b", self.sign, class_=f"{self.kind}-key", aria_hidden="true")


def panels(data: Mapping[str, Any]) -> list[Panel]:
    """Return the figures that there are; the membership attack may have been left out."""
    full = data["full"]
    member = full["membership"]
    chosen = [
        Panel("accuracy", "↑ Accuracy, people apart", full["accuracy"]["value"],
              full["accuracy"]["baseline"], "most common class"),
        Panel("reconstruction", "↑ Reconstruction (RCR)", None,
              full["reconstruction"]["baseline"], "public mean"),
        Panel("weighed", "↑ Re-identification (RIR), evidence weighed", None, None, ""),
        Panel("reidentification", "↑ Re-identification (RIR), ties at random", None, None, ""),
    ]  # fmt: skip
    if member is not None and sum(point["membership"] is not None for point in data["points"]) > 1:
        title = "↑ Membership (MIR), area under the curve"
        chosen.append(Panel("membership", title, member["value"], 0.5, "coin"))
    return chosen


def curve_figures(data: Mapping[str, Any]) -> list[tuple[Picture, list[tuple[Markup, str]]]]:
    """Draw every figure for a screen and for a telephone; none for a single share.

    Beside each the levels that it shows: the sign of a line, and its name.
    """
    if len({point["kept_share"] for point in data["points"]}) < 2:
        return []
    return [
        (_figure(data, panel), [(level.key(), level.words) for level in _levels(data, panel)])
        for panel in panels(data)
    ]


def curve_keys(data: Mapping[str, Any]) -> list[tuple[Markup, str]]:
    """Return the legend: a shape and a name for each algorithm."""
    names = dict.fromkeys(point["algorithm"] for point in data["points"])
    return [(_mark(name).key(), name) for name in names]


def figure_of(point: Mapping[str, Any], measure: Measure) -> tuple[float, Interval] | None:
    """Return the number that a figure shows of a point, with its interval."""
    if measure == "accuracy":
        return point["accuracy"]["value"], point["accuracy"]["interval"]
    figure = point[measure]
    return None if figure is None else (figure["value"], figure["interval"])


def decimals(value: float | None) -> str:
    """Write a risk.

    Examples
    --------
    >>> decimals(0.37249), decimals(None)
    ('0.372', '–')
    """
    return "–" if value is None else f"{value:.3f}"


def _mark(name: str) -> Mark:
    return _MARKS.get(name, _MARKS["evolutionary"])


def _value_words(value: float, panel: Panel) -> str:
    return percent(value) if panel.measure == "accuracy" else decimals(value)


def _figure(data: Mapping[str, Any], panel: Panel) -> Picture:
    chosen = figure_of(data["chosen"], panel.measure)
    words = f"Along the kept share. {data['chosen']['algorithm']} at the chosen one: " + (
        _value_words(chosen[0], panel) if chosen else "not measured"
    )
    plots = (_plot(data, panel, canvas) for canvas in (WIDE, NARROW))
    return picture(panel.measure, "shares", panel.title.removeprefix("↑ "), words, plots)


def _range(data: Mapping[str, Any], panel: Panel) -> Range:
    """From the lowest to the highest line; levels far below stay outside."""
    if panel.measure in ("reidentification", "weighed"):
        return 0.0, 1.0
    values: list[float | None] = [panel.full]
    for point in data["points"]:
        if (figure := figure_of(point, panel.measure)) is not None:
            values.append(figure[0])
            if point["algorithm"] == data["chosen"]["algorithm"]:
                values += pair(figure[1]) or ()
    if panel.measure != "accuracy":
        values.append(panel.baseline)
    low, high = padded(*span(values, least=0.1), 0.06)
    return max(0.0, low), min(1.0, high)


def _levels(data: Mapping[str, Any], panel: Panel) -> list[Level]:
    """The levels within the figure."""
    low, high = _range(data, panel)
    known = (("┄", "every value", "edge", panel.full),
             ("···", panel.baseline_name, "naive", panel.baseline))  # fmt: skip
    return [
        Level(sign, f"{name} {_value_words(value, panel)}", kind, value)
        for sign, name, kind, value in known
        if value is not None and low <= value <= high
    ]


def _plot(data: Mapping[str, Any], panel: Panel, canvas: Canvas) -> Plot:
    own, chosen = data["chosen"]["algorithm"], data["chosen"]["kept_share"]
    shares = sorted({point["kept_share"] for point in data["points"]})
    across = padded(math.log(shares[0]), math.log(shares[-1]), 0.05)
    plot = Plot(canvas, across, _range(data, panel), bend_across=math.log)
    write = short_percent if panel.measure == "accuracy" else "{:g}".format
    plot.grid(plot.y.ticks(canvas.ticks), write)
    first = sorted(shares, key=lambda share: share != chosen)
    plot.base((share, short_percent(round(share, 4))) for share in first)
    plot.names(panel.title, "Share of values kept →")
    plot.edge(chosen, "chosen")
    for level in _levels(data, panel):
        plot.level(level.value, level.kind)
    lines: dict[str, list[tuple[float, float]]] = {}
    for point in data["points"]:
        if (figure := figure_of(point, panel.measure)) is not None:
            lines.setdefault(point["algorithm"], []).append((point["kept_share"], figure[0]))
            if point["algorithm"] == own:
                plot.interval(point["kept_share"], pair(figure[1]))
    names = sorted(lines, key=lambda name: name == own)  # the chosen one on top
    for name in names:
        plot.line(lines[name], f"line {_mark(name).colour}{' own' if name == own else ''}")
    for name in names:
        for share, value in lines[name]:
            plot.mark(_mark(name), share, value, f"{name}: {_value_words(value, panel)}")
    return plot


def mask_figure(data: Mapping[str, Any]) -> Picture:
    """Draw the mask: a row for every few people, a column for every attribute."""
    mask, uri = data["mask"], shares_uri(data["picture"]["rows"])
    words = (
        f"{counted(mask['people'], 'person', 'people')} from top to bottom, the most kept first; "
        f"{counted(mask['attributes'], 'attribute')} from left to right. "
        f"{percent(mask['kept_share'])} of the values are kept."
    )
    plots = (_mask(mask["names"], uri, canvas) for canvas in (MASK_WIDE, MASK_NARROW))
    return picture("mask", "mask-figure", "Which values are kept of whom", words, plots)


def _mask(names: Sequence[str], uri: str, canvas: Canvas) -> Plot:
    if len(names) > MOST_NAMES:
        canvas = replace(canvas, top=28, height=canvas.height - 76)
    plot = Plot(canvas, (0, len(names)), (0.0, 1.0))
    if len(names) > MOST_NAMES:
        words = f"{counted(len(names), 'attribute')} →"
        plot.add(text(words, plot.right, plot.top - 10, "name", "end"))
    else:
        plot.add(*(_column_name(name, place, plot) for place, name in enumerate(names)))
    box = {
        "x": plot.left,
        "y": plot.top,
        "width": plot.right - plot.left,
        "height": plot.floor - plot.top,
    }
    plot.add(
        tag("rect", **box, class_="mask-paper"),
        tag("image", href=uri, **box, preserveAspectRatio="none", class_="mask-image"),
        text("↓ People, by how much is kept of them", 0, canvas.height - 8, "name"),
    )
    return plot


def _column_name(name: str, place: int, plot: Plot) -> Markup:
    slant = 90 if plot.x(1) - plot.x(0) < 30 else 60
    x, y = plot.x(place + 0.5) + 3, plot.top - 6
    return tag(
        "text",
        shorten(name, min(_LONGEST, int(100 / LETTER) + 1)),
        tag("title", name),
        x=x,
        y=y,
        class_="tick",
        transform=f"rotate(-{slant} {x:.2f} {y:.2f})",
    )

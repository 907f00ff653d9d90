"""Accuracy and risk along the kept share: one line for each algorithm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._data import Interval
from sparsam.report._individual_data import IndividualReportData, MaskFigureData, MaskPointData
from sparsam.report._labels import text_width
from sparsam.report._scale import Scale, span
from sparsam.report._svg import tag
from sparsam.report._words import pair, percent, short_percent

WIDE = Canvas("wide", 484, 320, ticks=5, right=22, top=48)
NARROW = Canvas("narrow", 340, 290, ticks=5, left=44, right=18, top=48)
Measure = Literal["accuracy", "reconstruction", "reidentification", "weighed", "membership"]

# One shape for each line, so that no reader has to tell colours apart.
_SHAPES = {
    "stationarity": "M0 -5.4l5.2 9.2h-10.4z",
    "evolutionary": "M-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0z",
    "modelling": "M-4 -4h8v8h-8z",
    "first order": "M0 -5.6l5.6 5.6l-5.6 5.6l-5.6 -5.6z",
    "feature selection": "M-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
    "random rows": "M0 5.4l5.2 -9.2h-10.4z",
    "individualised random": "M-3 -5l3 3l3 -3l2 2l-3 3l3 3l-2 2l-3 -3l-3 3l-2 -2l3 -3l-3 -3z",
}
_ORDER = tuple(_SHAPES)


@dataclass(frozen=True)
class Panel:
    """One of the figures: what it measures, and the levels to read it against."""

    measure: Measure
    title: str
    full: float | None
    baseline: float | None
    baseline_name: str


def panels(data: IndividualReportData) -> list[Panel]:
    """The figures that there are; the membership attack may have been left out."""
    full = data["full"]
    member = full["membership"]
    found = [
        Panel("accuracy", "↑ Accuracy, people apart", full["accuracy"]["value"],
              full["accuracy"]["baseline"], "most common class"),
        Panel("reconstruction", "↑ Reconstruction (RCR)", None,
              full["reconstruction"]["baseline"], "public mean"),
        Panel("weighed", "↑ Re-identification (RIR), evidence weighed", None, None, ""),
        Panel("reidentification", "↑ Re-identification (RIR), ties at random", None, None, ""),
    ]  # fmt: skip
    if member is not None and sum(one["membership"] is not None for one in data["points"]) > 1:
        title = "↑ Membership (MIR), area under the curve"
        found.append(Panel("membership", title, member["value"], 0.5, "coin"))
    return found


def curve_figures(data: IndividualReportData) -> list[tuple[Markup, list[tuple[str, str]]]]:
    """Draw every figure for a screen and for a telephone; none for a single share.

    Beside each the levels that it shows: a kind of line and its name.
    """
    if len({one["kept_share"] for one in data["points"]}) < 2:
        return []
    return [
        (
            Markup("\n").join(_figure(data, panel, canvas) for canvas in (WIDE, NARROW)),
            [(sign, words) for sign, words, *_ in _Plot(data, panel, WIDE).levels()],
        )
        for panel in panels(data)
    ]


def curve_keys(data: IndividualReportData) -> list[tuple[Markup, str]]:
    """The legend: a shape and a name for each algorithm."""
    names = dict.fromkeys(one["algorithm"] for one in data["points"])
    return [(_key(name), name) for name in names]


def figure_of(point: MaskPointData, measure: Measure) -> tuple[float, Interval] | None:
    """The number that a figure shows of a point, with its interval."""
    if measure == "accuracy":
        return point["accuracy"]["value"], point["accuracy"]["interval"]
    found: MaskFigureData | None = point[measure]
    return None if found is None else (found["value"], found["interval"])


def decimals(value: float | None) -> str:
    """Write a risk.

    Examples
    --------
    >>> decimals(0.37249), decimals(None)
    ('0.372', '–')
    """
    return "–" if value is None else f"{value:.3f}"


def _figure(data: IndividualReportData, panel: Panel, canvas: Canvas) -> Markup:
    plot = _Plot(data, panel, canvas)
    ids = [f"{panel.measure}-{part}-{canvas.name}" for part in ("title", "desc")]
    chosen = figure_of(data["chosen"], panel.measure)
    words = f"Along the kept share. {data['chosen']['algorithm']} at the chosen one: " + (
        plot.words(chosen[0]) if chosen else "not measured"
    )
    layers = (plot.axes(), plot.limits(), plot.bars(), plot.lines(), plot.marks())
    return tag(
        "svg",
        tag("title", panel.title.removeprefix("↑ "), id=ids[0]),
        tag("desc", words, id=ids[1]),
        *(part for layer in layers for part in layer),
        class_=f"shares {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


class _Plot:
    """Where everything stands on one canvas."""

    def __init__(self, data: IndividualReportData, panel: Panel, canvas: Canvas) -> None:
        self.data, self.panel, self.canvas = data, panel, canvas
        self.right, self.floor = canvas.width - canvas.right, canvas.height - canvas.bottom
        self.shares = sorted({one["kept_share"] for one in data["points"]})
        low, high = math.log(self.shares[0]), math.log(self.shares[-1])
        pad = 0.05 * (high - low)
        self.along = Scale(low - pad, high + pad, canvas.left, self.right)
        self.y = Scale(*self._range(), self.floor, canvas.top)
        self.lines_of = self._lines()

    def _lines(self) -> dict[str, list[tuple[float, float, Interval]]]:
        found: dict[str, list[tuple[float, float, Interval]]] = {}
        for one in self.data["points"]:
            figure = figure_of(one, self.panel.measure)
            if figure is not None:
                place = self.x(one["kept_share"]), *figure
                found.setdefault(one["algorithm"], []).append(place)
        return found

    def _range(self) -> tuple[float, float]:
        """From the lowest to the highest line; levels far below stay outside."""
        panel, own = self.panel, self.data["chosen"]["algorithm"]
        values: list[float | None] = [panel.full]
        for one in self.data["points"]:
            figure = figure_of(one, panel.measure)
            if figure is None:
                continue
            values.append(figure[0])
            values += (pair(figure[1]) or ()) if one["algorithm"] == own else ()
        if panel.measure in ("reidentification", "weighed"):
            return 0.0, 1.0
        if panel.measure != "accuracy":
            values.append(panel.baseline)
        low, high = span(values, least=0.1)
        return max(0.0, low - 0.06 * (high - low)), min(1.0, high + 0.06 * (high - low))

    def x(self, share: float) -> float:
        return self.along(math.log(share))

    def words(self, value: float) -> str:
        return percent(value) if self.panel.measure == "accuracy" else decimals(value)

    def axes(self) -> Iterator[Markup]:
        """Draw the grid, its numbers and what they measure."""
        left = self.canvas.left
        for value in self.y.ticks(self.canvas.ticks):
            y = self.y(value)
            words = short_percent(value) if self.panel.measure == "accuracy" else f"{value:g}"
            yield tag("line", x1=left, x2=self.right, y1=y, y2=y, class_="grid")
            yield text(words, left - 8, y + 4, "tick", "end")
        for share, words in self._ticks():
            x = self.x(share)
            yield tag("line", x1=x, x2=x, y1=self.floor, y2=self.floor + 5, class_="axis")
            yield text(words, x, self.floor + 20, "tick", "middle")
        yield tag("line", x1=left, x2=self.right, y1=self.floor, y2=self.floor, class_="axis")
        yield text(self.panel.title, 0, 16, "name")
        yield text("Share of values kept →", self.right, self.canvas.height - 8, "name", "end")

    def _ticks(self) -> Iterator[tuple[float, str]]:
        """The shares that have room, the chosen one first."""
        chosen = self.data["chosen"]["kept_share"]
        taken: list[tuple[float, float]] = []
        for share in sorted(self.shares, key=lambda one: one != chosen):
            words = short_percent(round(share, 4))
            half = text_width(words) / 2
            low, high = self.x(share) - half, self.x(share) + half
            if all(high < a or low > b for a, b in taken) and high <= self.canvas.width + 6:
                taken.append((low, high))
                yield share, words

    def limits(self) -> Iterator[Markup]:
        """Mark the full model, the guess that needs nothing, and the chosen share."""
        x, top = self.x(self.data["chosen"]["kept_share"]), self.canvas.top - 6
        yield tag("line", x1=x, x2=x, y1=top, y2=self.floor, class_="edge")
        yield text("chosen", min(max(x, 30), self.right - 20), top - 4, "limit", "middle")
        for _, _, kind, value in self.levels():
            y = self.y(value)
            yield tag("line", x1=self.canvas.left, x2=self.right, y1=y, y2=y, class_=kind)

    def levels(self) -> Iterator[tuple[str, str, str, float]]:
        """The levels within the figure: a sign, words, the kind of line and the value."""
        given = (("┄", self.panel.full, "every value", "edge"),
                 ("···", self.panel.baseline, self.panel.baseline_name, "naive"))  # fmt: skip
        for sign, value, name, kind in given:
            if value is not None and self.y.low <= value <= self.y.high:
                yield sign, f"{name} {self.words(value)}", kind, value

    def bars(self) -> Iterator[Markup]:
        """Draw how sure the figures of the chosen algorithm are."""
        for x, _, interval in self.lines_of.get(self.data["chosen"]["algorithm"], ()):
            if (ends := pair(interval)) is not None:
                low, high = self.y(ends[0]), self.y(ends[1])
                yield tag("line", x1=x, x2=x, y1=low, y2=high, class_="interval")

    def lines(self) -> Iterator[Markup]:
        """Join the figures of each algorithm, the chosen one last."""
        for name in self._drawn():
            spots = self.lines_of[name]
            if len(spots) > 1:
                places = " ".join(f"{x:.2f},{self.y(value):.2f}" for x, value, _ in spots)
                own = " own" if name == self.data["chosen"]["algorithm"] else ""
                yield tag("polyline", points=places, class_=f"line {_kind(name)}{own}")

    def marks(self) -> Iterator[Markup]:
        """Draw each algorithm's shape where it was measured."""
        for name in self._drawn():
            for x, value, _ in self.lines_of[name]:
                yield tag(
                    "g",
                    tag("title", f"{name}: {self.words(value)}"),
                    _mark(name),
                    transform=f"translate({x:.2f} {self.y(value):.2f})",
                )

    def _drawn(self) -> Sequence[str]:
        own = self.data["chosen"]["algorithm"]
        return sorted(self.lines_of, key=lambda name: name == own)


def _kind(name: str) -> str:
    return f"m{_ORDER.index(name)}" if name in _ORDER else "m1"


def _mark(name: str) -> Markup:
    shape = _SHAPES.get(name, _SHAPES["evolutionary"])
    return tag("path", d=shape, class_=f"mark {_kind(name)}")


def _key(name: str) -> Markup:
    return tag(
        "svg",
        _mark(name),
        viewBox="-7 -7 14 14",
        width=14,
        height=14,
        class_="key-mark",
        aria_hidden="true",
    )

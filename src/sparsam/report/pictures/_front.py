"""The pictures of the front: how wrong the model is against how wrong an attacker is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sparsam.report._score_words import axis, heading, score_of, tick, value_words
from sparsam.report._words import counted, data_words, pair, percent, short_percent
from sparsam.report.plot._labels import Box, Obstacle, clearest, dot, text_width
from sparsam.report.plot._marks import SHAPES
from sparsam.report.plot._plot import Canvas, Picture, Plot, Range, picture
from sparsam.report.plot._scale import Scale, padded, span
from sparsam.report.plot._strip import Strip, strip_scale
from sparsam.report.plot._svg import tag, text

FAR = 0.6
"""A limit further out than this share of the axis is named at the edge instead of drawn."""
WIDE = Canvas("wide", 610, 480, ticks=10)
NARROW = Canvas("narrow", 340, 420, ticks=5, left=44, right=8)
_STRIP = 22


def _key(width: int, *parts: Markup) -> Markup:
    return tag("svg", *parts, class_="strip", width=width, height=14, aria_hidden="true")


ATTACK_KEY = _key(
    26,
    tag("line", x1=1, x2=25, y1=7, y2=7, class_="whisker"),
    tag("circle", cx=13, cy=7, r=4.5, class_="attack"),
)
GUESS_KEY = _key(8, tag("line", x1=4, x2=4, y1=0, y2=14, class_="guess"))
GAIN_KEY = _key(26, tag("rect", x=0, y=3, width=26, height=8, class_="gain"))


def front_figure(data: Mapping[str, Any]) -> Picture:
    """Draw all points that were tried, the front, the chosen point and the limits."""
    front = _Front(data)
    words = (
        f"{counted(len(front.others) + len(front.shown), 'generalization')} tried; "
        f"{len(front.shown)} of them can be picked in the table beside the figure. Further left "
        f"the model is more {front.good}, higher up the attacker is more often wrong. The majority "
        f"guess is wrong {percent(data['limits']['naive']['error'])}."
    )
    plots = (front.plot(canvas) for canvas in (WIDE, NARROW))
    title = f"{front.title} against attacker error"
    return picture("front", "front", title, words, plots)


class _Front:
    """The points of a report that can be drawn, and the limits around them."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data, self.limits = data, data["limits"]
        self.score = score_of(data)
        accurate = self.score.kind.percent
        self.good = "accurate" if accurate else "useful"
        self.title = "Model error" if self.score.name == "accuracy" else heading(self.score)
        self.naive = self.limits["naive"]["error"]
        drawn = [point for point in data["points"] if None not in _errors(point)]
        self.others = [point for point in drawn if not self._pickable(point)]
        self.shown = sorted(
            (point for point in drawn if self._pickable(point)),
            key=lambda point: (_place(point), point["id"]),
        )

    def _pickable(self, point: Mapping[str, Any]) -> bool:
        return bool(point["on_front"] or point["id"] == self.data["chosen"])

    def plot(self, canvas: Canvas) -> Plot:
        """Draw the layers on one canvas, the most important last."""
        plot = Plot(canvas, self._across(), self._up())
        self._axes(plot)
        self._limits(plot)
        for point in self.others:
            plot.dot(*_place(point), 3, "tried", self._hint(point))
        for point in self.shown:
            x, y = _place(point)
            plot.flat_interval(pair(point["utility"]["interval"]), y, "bar")
            plot.interval(x, pair(point["risk"]["interval"]), "bar")
        for point in self.shown:
            self._pick(point, plot)
        inside = Box(plot.left, plot.top, plot.right, plot.floor)
        for point in self.shown:
            if point["id"] == self.data["chosen"]:
                at = clearest("chosen", _at(point, plot), list(self._obstacles(plot)), inside)
                plot.add(text("chosen", *at, "name halo"))
        return plot

    def _across(self) -> Range:
        everything, nothing = self.limits["everything"], self.limits["nothing"]["error"]
        values = [everything["error"], *(pair(everything.get("interval")) or ())]
        values += [point["utility"]["error"] for point in self.data["points"]]
        for point in self.shown:
            values += pair(point["utility"]["interval"]) or ()
        low, high = span(values)
        if nothing is not None and nothing <= high + FAR * (high - low):
            high = max(high, nothing)
        low, high = padded(low, high, 0.04)
        return max(0.0, low), high

    def _up(self) -> Range:
        values = [self.naive, *(point["risk"]["value"] for point in self.data["points"])]
        for point in self.shown:
            values += pair(point["risk"]["interval"]) or ()
        low, high = padded(*span(values), 0.05, 0.1)
        return max(0.0, low), high

    def _axes(self, plot: Plot) -> None:
        plot.grid(plot.y.ticks(8), short_percent)
        plot.base((value, tick(self.score, value)) for value in plot.x.ticks(plot.canvas.ticks))
        plot.interval(plot.x.low, (plot.y.low, plot.y.high), "grid")
        split = data_words(self.data["points"][0]["utility"]["split"])
        plot.names(
            f"↑ Attacker error ({split}): higher is safer",
            axis(self.score, f" ({split})"),
        )

    def _limits(self, plot: Plot) -> None:
        """Mark the model that sees everything, the one that sees nothing, and the naive guess."""
        everything, top = self.limits["everything"], plot.top
        if (error := everything["error"]) is not None:
            if (ends := pair(everything.get("interval"))) is not None:
                plot.bar(ends, plot.y.high, "band", start=plot.y.low)
            x, words = plot.x(error), f"everything collected {self._told(error)}"
            plot.add(
                tag("line", x1=x, x2=x, y1=top - 6, y2=plot.floor, class_="edge"),
                text(words, max(min(x, plot.right - text_width(words)) - 4, 0), top - 12, "limit"),
            )
        if (error := self.limits["nothing"]["error"]) is not None:
            words, height = f"nothing collected {self._told(error)}", top - 28
            if plot.x.low <= error <= plot.x.high:
                x = plot.x(error)
                plot.add(
                    tag("line", x1=x, x2=x, y1=height + 5, y2=plot.floor, class_="edge"),
                    text(words, max(x + 4, text_width(words)), height, "limit", "end"),
                )
            else:
                plot.add(text(f"{words} →", plot.right, height, "limit", "end"))
        if self.naive is not None:
            plot.level(self.naive, "naive", _naive_words(self.naive))

    def _pick(self, point: Mapping[str, Any], plot: Plot) -> None:
        """Draw a point that a reader can pick."""
        x, y = _at(point, plot)
        if chosen := point["id"] == self.data["chosen"]:
            place = f"translate({x:.1f} {y:.1f})"
            shape = tag("path", d=SHAPES["chosen"], transform=place, class_="chosen")
        else:
            shape = tag("circle", cx=x, cy=y, r=5, class_="dot")
        plot.add(
            tag(
                "g",
                tag("title", self._hint(point)),
                tag("circle", cx=x, cy=y, r=12, class_="ring"),
                shape,
                class_="pick viewed" if chosen else "pick",
                data_dot=str(point["id"]),
            )
        )

    def _told(self, error: float) -> str:
        """An error as it stands at the axis: of accuracy the error, otherwise the score."""
        accuracy = self.score.name == "accuracy"
        return percent(error) if accuracy else value_words(self.score, error)

    def _hint(self, point: Mapping[str, Any]) -> str:
        value = value_words(self.score, point["utility"]["error"])
        count, risk = counted(point["n_collected"], "attribute"), percent(point["risk"]["value"])
        told = f"{self.score.kind.words} {value}"
        return f"{point['label']}: {count}, {told}, attacker wrong {risk}"

    def _obstacles(self, plot: Plot) -> Iterator[Obstacle]:
        """What the name of the chosen point should not cover."""
        for point in self.others:
            yield dot(*_at(point, plot), weight=1)
        for point in self.shown:
            x, y = _at(point, plot)
            yield dot(x, y, weight=4)
            if (ends := pair(point["utility"]["interval"])) is not None:
                yield Obstacle(Box(plot.x(ends[0]), y - 1, plot.x(ends[1]), y + 1), weight=1)
        if (everything := self.limits["everything"]["error"]) is not None:
            x = plot.x(everything)
            yield Obstacle(Box(x - 2, plot.top, x + 2, plot.floor), weight=3)
        if self.naive is not None:
            y, start = plot.y(self.naive), plot.right - text_width(_naive_words(self.naive))
            yield Obstacle(Box(plot.left, y - 1, plot.right, y + 1), weight=3)
            yield Obstacle(Box(start, y - 20, plot.right, y), weight=5)


def _errors(point: Mapping[str, Any]) -> tuple[float | None, float | None]:
    return point["utility"]["error"], point["risk"]["value"]


def _place(point: Mapping[str, Any]) -> tuple[float, float]:
    error, risk = _errors(point)
    return error or 0.0, risk or 0.0


def _at(point: Mapping[str, Any], plot: Plot) -> tuple[float, float]:
    error, risk = _place(point)
    return plot.x(error), plot.y(risk)


def _naive_words(error: float) -> str:
    return f"majority guess {percent(error)}"


def risk_scale(risks: Sequence[Mapping[str, Any]]) -> Scale:
    """Return one scale for all attributes, from no error to the largest that is drawn."""
    errors: list[float | None] = []
    for risk in risks:
        errors += risk["value"], risk["baseline"], *(pair(risk["interval"]) or ())
    return strip_scale(errors)


def risk_strip(risk: Mapping[str, Any], scale: Scale) -> Picture:
    """Draw a tick for the majority guess, a dot for the attacker and a bar for what is gained.

    Parameters
    ----------
    risk : mapping
        The attribute's numbers.
    scale : Scale
        The scale shared by all attributes.
    """
    strip, middle = Strip(scale, _STRIP), _STRIP / 2
    error, baseline = risk["value"], risk["baseline"]
    strip.track(middle)
    if error is not None and baseline is not None:
        kind = "gain" if error <= baseline else "gain none"
        strip.bar((error, baseline), middle - 4, 8, kind)
    strip.span(pair(risk["interval"]), middle, "whisker")
    strip.tick(baseline, "guess", margin=3)
    if error is not None:
        strip.dot(error, middle, "attack")
    words = f"attacker wrong {percent(error)}, majority guess wrong {percent(baseline)}"
    return strip.picture(words)

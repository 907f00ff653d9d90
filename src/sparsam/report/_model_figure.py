"""The accuracy-information loss curve, with the target and the point that was chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._labels import text_width
from sparsam.report._model_data import ModelReportData
from sparsam.report._model_words import score_words, target_words, telling
from sparsam.report._scale import Scale, span
from sparsam.report._svg import tag
from sparsam.report._words import counted, pair, percent, short_percent

WIDE = Canvas("wide", 660, 400, ticks=9, top=44, right=18)
NARROW = Canvas("narrow", 340, 320, ticks=5, left=44, top=44, right=14)
_DIAMOND = "M0 -8l8 8l-8 8l-8 -8z"
_LEAST = 0.0
_RUNGS = (1.0, 0.999, 0.995, 0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0)
_APART = 20


def curve_figure(data: ModelReportData) -> Markup | None:
    """Draw the curve for a screen and for a telephone; None when there is none."""
    if not data["curve"]:
        return None
    return Markup("\n").join(_figure(data, canvas) for canvas in (WIDE, NARROW))


def _figure(data: ModelReportData, canvas: Canvas) -> Markup:
    plot = _Plot(data, canvas)
    kept = data["kept"]
    ids = [f"curve-{part}-{canvas.name}" for part in ("title", "desc")]
    words = (
        f"{counted(len(data['curve']), 'step')} of the search. Chosen: information loss "
        f"{percent(data['collected']['information_loss'])}, "
        f"{plot.found} kept; target {plot.target}, one answer for "
        f"everyone {plot.words(kept['null_accuracy'])}."
    )
    layers = (plot.axes(), plot.limits(), plot.line(), plot.chosen())
    return tag(
        "svg",
        tag("title", "Answers kept against information loss", id=ids[0]),
        tag("desc", words, id=ids[1]),
        *(part for layer in layers for part in layer),
        class_=f"curve {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


class _Plot:
    """Where everything stands on one canvas."""

    def __init__(self, data: ModelReportData, canvas: Canvas) -> None:
        self.data, self.canvas = data, canvas
        kept = data["kept"]
        self.measure = kept["held_out"]["measure"]
        self.target = target_words(kept["target"], self.measure)
        self.right, self.floor = canvas.width - canvas.right, canvas.height - canvas.bottom
        self.spots = [
            (point["information_loss"], point["held_out"], point["n_collected"])
            for point in data["curve"]
            if point["information_loss"] is not None and point["held_out"] is not None
        ]
        self.x = Scale(0.0, 1.0, canvas.left, self.right)
        scores: list[float | None] = [score for _, score, _ in self.spots]
        scores += [kept["target"], kept["null_accuracy"], kept["held_out"]["score"]]
        low, high = span(scores)
        if self.measure != "own":
            low, high = max(low, _LEAST), 1.0
        pad = 0.06 * (self._height(high) - self._height(low))
        self._scale = Scale(
            self._height(low) - pad, self._height(high) + pad / 2, self.floor, canvas.top
        )
        self._low = low

    def _height(self, score: float) -> float:
        """Stretch what lies near the most that can be kept, where all of the choice is."""
        return score if self.measure == "own" else -math.sqrt(max(0.0, 1.0 - score))

    def y(self, score: float) -> float:
        """Place a score."""
        return self._scale(self._height(score))

    def _rungs(self) -> Iterator[float]:
        """Round scores along the axis, far enough apart to be read."""
        if self.measure == "own":
            yield from self._scale.ticks(7)
            return
        free = -float("inf")
        for value in _RUNGS:
            if value >= self._low and (y := self.y(value)) >= free:
                free = y + _APART
                yield value

    def words(self, score: float | None) -> str:
        """Write a score."""
        return score_words(score, self.measure)

    @property
    def found(self) -> str:
        """What is kept, with as many decimals as it takes to tell it from the target."""
        kept = self.data["kept"]
        score = kept["held_out"]["score"]
        return score_words(score, self.measure, telling(score, kept["target"]))

    def axes(self) -> Iterator[Markup]:
        """Draw the grid, its numbers and what they measure."""
        left = self.canvas.left
        for value in self._rungs():
            y = self.y(value)
            words = short_percent(value) if self.measure == "share" else f"{value:g}"
            yield tag("line", x1=left, x2=self.right, y1=y, y2=y, class_="grid")
            yield text(words, left - 8, y + 4, "tick", "end")
        for value in self.x.ticks(self.canvas.ticks):
            x = self.x(value)
            half = text_width(short_percent(value)) / 2
            yield tag("line", x1=x, x2=x, y1=self.floor, y2=self.floor + 5, class_="axis")
            at = min(x, self.canvas.width - half * 0.8)
            yield text(short_percent(value), at, self.floor + 20, "tick", "middle")
        yield tag("line", x1=left, x2=self.right, y1=self.floor, y2=self.floor, class_="axis")
        yield text("↑ Answers kept, people held out", 0, 16, "name")
        yield text("Information loss → less is collected", self.right, self.canvas.height - 8,
                   "name", "end")  # fmt: skip

    def limits(self) -> Iterator[Markup]:
        """Mark the target and what one answer for everyone keeps."""
        kept = self.data["kept"]
        y = self.y(kept["target"])
        yield tag("line", x1=self.canvas.left, x2=self.right, y1=y, y2=y, class_="edge")
        yield text(f"target {self.target}", self.right, y - 6, "limit halo", "end")
        if (null := kept["null_accuracy"]) is not None:
            y = self.y(null)
            words = f"one answer for everyone {self.words(null)}"
            yield tag("line", x1=self.canvas.left, x2=self.right, y1=y, y2=y, class_="naive")
            yield text(words, self.canvas.left + 6, y - 6, "limit halo")

    def line(self) -> Iterator[Markup]:
        """Join the steps of the search."""
        places = [(self.x(loss), self.y(score)) for loss, score, _ in self.spots]
        if len(places) > 1:
            joined = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
            yield tag("polyline", points=joined, class_="path")
        for (x, y), (loss, score, collected) in zip(places, self.spots, strict=True):
            hint = (
                f"information loss {percent(loss)}, {self.words(score)} kept, "
                f"{counted(collected, 'attribute')}"
            )
            yield tag("circle", tag("title", hint), cx=x, cy=y, r=3.5, class_="step")

    def chosen(self) -> Iterator[Markup]:
        """Draw what was chosen, with its interval."""
        held_out = self.data["kept"]["held_out"]
        loss, score = self.data["collected"]["information_loss"], held_out["score"]
        if loss is None or score is None:
            return
        x, y = self.x(loss), self.y(score)
        if (ends := pair(held_out["interval"])) is not None:
            low, high = (self.y(end) for end in ends)
            yield tag("line", x1=x, x2=x, y1=low, y2=high, class_="bar")
        hint = f"chosen: information loss {percent(loss)}, {self.found} kept"
        shape = tag("path", d=_DIAMOND, class_="chosen")
        yield tag("g", tag("title", hint), shape, transform=f"translate({x:.2f} {y:.2f})")
        words = f"chosen: {self.found}"
        # the curve falls to the right, so there is room on the left, below it
        below, room = min(y + 24, self.floor - 6), x - text_width(words) > self.canvas.left
        yield text(words, x - 9 if room else x + 9, below, "name halo", "end" if room else None)

"""What a model still learns from a release, against k: one line for each method."""

from __future__ import annotations

import math
from collections.abc import Iterator

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._labels import text_width
from sparsam.report._line_figure import spread
from sparsam.report._marks import colour, mark_at, mark_key
from sparsam.report._model_words import score_words
from sparsam.report._release_data import SweepsData
from sparsam.report._release_words import method_name, score_name
from sparsam.report._scale import Scale, span
from sparsam.report._svg import tag
from sparsam.report._words import short_percent

WIDE = Canvas("wide", 660, 360, ticks=7, top=48, right=96)
NARROW = Canvas("narrow", 340, 320, ticks=5, left=48, top=48, right=76)
# One shape for each line, so that no reader has to tell colours apart.
CODES = ("A5", "A1", "A4", "A3")


def sweep_figure(sweeps: SweepsData | None) -> Markup | None:
    """Draw the lines for a screen and for a telephone; None where there are no scores."""
    if sweeps is None or not _lines(sweeps):
        return None
    return Markup("\n").join(_figure(sweeps, canvas) for canvas in (WIDE, NARROW))


def sweep_keys(sweeps: SweepsData | None) -> list[tuple[Markup, str]]:
    """Return the shape and the name of each method."""
    found = [] if sweeps is None else sweeps["methods"]
    return [(mark_key(_code(place)), method_name(one["method"])) for place, one in enumerate(found)]


def _code(place: int) -> str:
    return CODES[place % len(CODES)]


def _lines(sweeps: SweepsData) -> list[tuple[str, str, list[tuple[int, float]]]]:
    found = []
    for place, one in enumerate(sweeps["methods"]):
        spots = sorted((row["k"], row["score"]) for row in one["rows"] if row["score"] is not None)
        if spots:
            found.append((_code(place), method_name(one["method"]), spots))
    return found


def _figure(sweeps: SweepsData, canvas: Canvas) -> Markup:
    plot = _Plot(sweeps, canvas)
    ids = [f"sweep-{part}-{canvas.name}" for part in ("title", "desc")]
    what = score_name(sweeps["measure"])
    ends = "; ".join(
        f"{name}: {plot.words(spots[0][1])} at k = {spots[0][0]:,}, "
        f"{plot.words(spots[-1][1])} at k = {spots[-1][0]:,}"
        for _, name, spots in plot.lines
    )
    return tag(
        "svg",
        tag("title", f"{what[0].upper()}{what[1:]} of a model trained on the release", id=ids[0]),
        tag("desc", f"{ends}.", id=ids[1]),
        *plot.axes(),
        *plot.limits(),
        *plot.drawn(),
        *plot.names(),
        class_=f"sweep {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


class _Plot:
    """Where everything stands on one canvas."""

    def __init__(self, sweeps: SweepsData, canvas: Canvas) -> None:
        self.sweeps, self.canvas, self.lines = sweeps, canvas, _lines(sweeps)
        self.right, self.floor = canvas.width - canvas.right, canvas.height - canvas.bottom
        self.ks = sorted({k for _, _, spots in self.lines for k, _ in spots})
        low, high = span((math.log(k) for k in self.ks), least=1.0)
        pad = 0.04 * (high - low)
        self._x = Scale(low - pad, high + pad, canvas.left, self.right)
        scores: list[float | None] = [score for *_, spots in self.lines for _, score in spots]
        # One answer for everyone may lie far below, and would squeeze what is to be compared.
        least, most = span([*scores, sweeps["raw"]])
        pad = 0.12 * (most - least)
        self.y = Scale(least - pad, most + pad, self.floor, canvas.top)

    def x(self, k: int) -> float:
        """Place a k; each doubling takes the same room."""
        return self._x(math.log(k))

    def words(self, score: float) -> str:
        """Write a score."""
        return score_words(score, self.sweeps["measure"])

    def axes(self) -> Iterator[Markup]:
        """Draw the grid, its numbers and what they measure."""
        left = self.canvas.left
        for value in self.y.ticks(self.canvas.ticks):
            y = self.y(value)
            words = short_percent(value) if self.sweeps["measure"] == "share" else f"{value:g}"
            yield tag("line", x1=left, x2=self.right, y1=y, y2=y, class_="grid")
            yield text(words, left - 8, y + 4, "tick", "end")
        free = 0.0
        for k in self.ks:
            x, half = self.x(k), text_width(f"{k:,}") / 2
            yield tag("line", x1=x, x2=x, y1=self.floor, y2=self.floor + 5, class_="axis")
            if x - half >= free:
                free = x + half + 4
                yield text(f"{k:,}", x, self.floor + 20, "tick", "middle")
        yield tag("line", x1=left, x2=self.right, y1=self.floor, y2=self.floor, class_="axis")
        what = score_name(self.sweeps["measure"])
        yield text(f"↑ {what[0].upper()}{what[1:]}, people held out", 0, 16, "name")
        yield text("k → more share a record", self.right, self.canvas.height - 8, "name", "end")

    def limits(self) -> Iterator[Markup]:
        """Mark what raw rows teach, and one answer for everyone."""
        left = self.canvas.left
        raw, chance = self.sweeps["raw"], self.sweeps["chance"]
        if raw is not None:
            y = self.y(raw)
            yield tag("line", x1=left, x2=self.right, y1=y, y2=y, class_="edge")
        if chance is not None and chance >= self.y.low:
            y = self.y(chance)
            yield tag("line", x1=left, x2=self.right, y1=y, y2=y, class_="naive")
            words = f"one answer for everyone {self.words(chance)}"
            yield text(words, left + 6, y - 6, "limit halo")

    def drawn(self) -> Iterator[Markup]:
        """Join the scores of each method, and mark them."""
        for code, _, spots in self.lines:
            if len(spots) > 1:
                places = " ".join(f"{self.x(k):.2f},{self.y(score):.2f}" for k, score in spots)
                yield tag("polyline", points=places, class_=f"line {colour(code)}")
        for code, name, spots in self.lines:
            for k, score in spots:
                hint = f"{name}, k = {k:,}: {self.words(score)}"
                yield mark_at(code, self.x(k), self.y(score), hint)

    def names(self) -> Iterator[Markup]:
        """Name each line at its right end, one name below the other."""
        ends = [(self.y(spots[-1][1]), self.x(spots[-1][0]), name) for _, name, spots in self.lines]
        if (raw := self.sweeps["raw"]) is not None:
            ends.append((self.y(raw), self.x(self.ks[-1]), "raw rows"))
        ends.sort()
        heights = spread([y for y, _, _ in ends], self.floor)
        for (_, x, name), y in zip(ends, heights, strict=True):
            yield text(name, x + 10, y + 4, "name halo")

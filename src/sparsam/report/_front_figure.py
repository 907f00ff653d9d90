"""The front as a picture: how wrong the model is against how wrong an attacker is."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._data import PointData, ReportData
from sparsam.report._labels import Box, Obstacle, clearest, dot, text_width
from sparsam.report._prose import accuracy_of, data_words
from sparsam.report._scale import Scale, span
from sparsam.report._svg import tag
from sparsam.report._words import counted, pair, percent, short_percent

FAR = 0.6
"""A limit further out than this share of the axis is named at the edge instead of drawn."""


WIDE = Canvas("wide", 610, 480, ticks=10)
NARROW = Canvas("narrow", 340, 420, ticks=5, left=44, right=8)


def front_figure(data: ReportData, canvas: Canvas) -> Markup:
    """Draw all points that were tried, the front, the chosen point and the limits.

    Parameters
    ----------
    data : ReportData
        The report.
    canvas : Canvas
        Wide for a screen or paper, narrow for a telephone: letters keep their size on both.
    """
    plot = _Plot(data, canvas)
    title = "Model error against attacker error"
    layers = (plot.axes(), plot.limits(), plot.tried(), plot.bars(), plot.front(), plot.chosen())
    return tag(
        "svg",
        tag("title", title, id=f"front-title-{canvas.name}"),
        tag("desc", plot.words(), id=f"front-desc-{canvas.name}"),
        *(part for layer in layers for part in layer),
        class_=f"front {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=f"front-title-{canvas.name} front-desc-{canvas.name}",
    )


class _Plot:
    """Where everything stands on one canvas."""

    def __init__(self, data: ReportData, canvas: Canvas) -> None:
        self.data, self.canvas = data, canvas
        drawn = [point for point in data["points"] if _place(point) is not None]
        self.others = [point for point in drawn if not self._pickable(point)]
        self.shown = sorted(
            (point for point in drawn if self._pickable(point)),
            key=lambda point: (_place(point), point["id"]),
        )
        self.right, self.floor = canvas.width - canvas.right, canvas.height - canvas.bottom
        self.x = Scale(*self._horizontal(), canvas.left, self.right)
        self.y = Scale(*self._vertical(), self.floor, canvas.top)

    def _pickable(self, point: PointData) -> bool:
        return point["on_front"] or point["id"] == self.data["chosen"]

    def _horizontal(self) -> tuple[float, float]:
        limits = self.data["limits"]
        values = [point["utility"]["error"] for point in self.data["points"]]
        values += pair(limits["everything"].get("interval")) or ()
        for point in self.shown:
            values += pair(point["utility"]["interval"]) or ()
        low, high = span([*values, limits["everything"]["error"]])
        nothing = limits["nothing"]["error"]
        if nothing is not None and nothing <= high + FAR * (high - low):
            high = max(high, nothing)
        pad = 0.04 * (high - low)
        return max(0.0, low - pad), high + pad

    def _vertical(self) -> tuple[float, float]:
        values = [point["risk"]["value"] for point in self.data["points"]]
        for point in self.shown:
            values += pair(point["risk"]["interval"]) or ()
        low, high = span([*values, self.data["limits"]["naive"]["error"]])
        pad = high - low
        return max(0.0, low - 0.05 * pad), high + 0.1 * pad

    def words(self) -> str:
        """Describe the figure to someone who cannot see it."""
        count = counted(len(self.others) + len(self.shown), "generalization")
        return (
            f"{count} tried; {len(self.shown)} of them can be picked in the table beside the "
            "figure. Further left the model is more accurate, higher up the attacker is more "
            f"often wrong. The majority guess is wrong {percent(self._naive())}."
        )

    def _naive(self) -> float | None:
        return self.data["limits"]["naive"]["error"]

    def axes(self) -> Iterator[Markup]:
        """Draw the grid, its numbers and what they measure."""
        left, top = self.canvas.left, self.canvas.top
        for value in self.y.ticks(8):
            y = self.y(value)
            yield tag("line", x1=left, x2=self.right, y1=y, y2=y, class_="grid")
            yield text(short_percent(value), left - 8, y + 4, "tick", "end")
        for value in self.x.ticks(self.canvas.ticks):
            x = self.x(value)
            yield tag("line", x1=x, x2=x, y1=self.floor, y2=self.floor + 5, class_="axis")
            yield text(short_percent(value), x, self.floor + 20, "tick", "middle")
        yield tag("line", x1=left, x2=self.right, y1=self.floor, y2=self.floor, class_="axis")
        split = data_words(self.data["points"][0]["utility"]["split"])
        across = f"Model error ({split}) → less accurate"
        yield text(f"↑ Attacker error ({split}): higher is safer", 0, 16, "name")
        yield text(across, self.right, self.canvas.height - 8, "name", "end")
        yield tag("line", x1=left, x2=left, y1=top, y2=self.floor, class_="grid")

    def limits(self) -> Iterator[Markup]:
        """Mark the model that sees everything, the one that sees nothing, and the naive guess."""
        yield from self._everything()
        yield from self._nothing()
        naive = self._naive()
        if naive is not None:
            y = self.y(naive)
            yield tag("line", x1=self.canvas.left, x2=self.right, y1=y, y2=y, class_="naive")
            yield text(_naive_words(naive), self.right - 4, y - 7, "limit halo", "end")

    def _everything(self) -> Iterator[Markup]:
        limit = self.data["limits"]["everything"]
        if limit["error"] is None:
            return
        top, floor, x = self.canvas.top, self.floor, self.x(limit["error"])
        if (ends := pair(limit.get("interval"))) is not None:
            start, stop = self.x(ends[0]), self.x(ends[1])
            box = {"x": start, "y": top, "width": stop - start, "height": floor - top}
            yield tag("rect", **box, class_="band")
        yield tag("line", x1=x, x2=x, y1=top - 6, y2=floor, class_="edge")
        words = f"everything collected {percent(limit['error'])}"
        start = min(x, self.right - text_width(words))
        yield text(words, max(start - 4, 0), top - 12, "limit")

    def _nothing(self) -> Iterator[Markup]:
        error = self.data["limits"]["nothing"]["error"]
        if error is None:
            return
        words = f"nothing collected {percent(error)}"
        height = self.canvas.top - 28
        if error > self.x.high or error < self.x.low:
            yield text(f"{words} →", self.right, height, "limit", "end")
            return
        x = self.x(error)
        yield tag("line", x1=x, x2=x, y1=height + 5, y2=self.floor, class_="edge")
        yield text(words, max(x + 4, text_width(words)), height, "limit", "end")

    def tried(self) -> Iterator[Markup]:
        """Draw every other point that was tried, faintly."""
        for point in self.others:
            x, y = self._at(point)
            yield tag("circle", tag("title", _hint(point)), cx=x, cy=y, r=3, class_="tried")

    def bars(self) -> Iterator[Markup]:
        """Draw how sure the numbers of the front are, on both axes."""
        for point in self.shown:
            x, y = self._at(point)
            if (ends := pair(point["utility"]["interval"])) is not None:
                start, stop = self.x(ends[0]), self.x(ends[1])
                yield tag("line", x1=start, x2=stop, y1=y, y2=y, class_="bar")
            if (ends := pair(point["risk"]["interval"])) is not None:
                start, stop = self.y(ends[0]), self.y(ends[1])
                yield tag("line", x1=x, x2=x, y1=start, y2=stop, class_="bar")

    def front(self) -> Iterator[Markup]:
        """Draw the points that a reader can pick."""
        for point in self.shown:
            x, y = self._at(point)
            chosen = point["id"] == self.data["chosen"]
            yield tag(
                "g",
                tag("title", _hint(point)),
                tag("circle", cx=x, cy=y, r=12, class_="ring"),
                _diamond(x, y) if chosen else tag("circle", cx=x, cy=y, r=5, class_="dot"),
                class_="pick viewed" if chosen else "pick",
                data_dot=str(point["id"]),
            )

    def chosen(self) -> Iterator[Markup]:
        """Name the chosen point where the name hides least."""
        inside = Box(self.canvas.left, self.canvas.top, self.right, self.floor)
        for point in self.shown:
            if point["id"] == self.data["chosen"]:
                x, y = clearest("chosen", self._at(point), list(self._obstacles()), inside)
                yield text("chosen", x, y, "name halo")

    def _obstacles(self) -> Iterator[Obstacle]:
        for point in self.others:
            yield dot(*self._at(point), weight=1)
        for point in self.shown:
            x, y = self._at(point)
            yield dot(x, y, weight=4)
            if (ends := pair(point["utility"]["interval"])) is not None:
                yield Obstacle(Box(self.x(ends[0]), y - 1, self.x(ends[1]), y + 1), weight=1)
        if (everything := self.data["limits"]["everything"]["error"]) is not None:
            x = self.x(everything)
            yield Obstacle(Box(x - 2, self.canvas.top, x + 2, self.floor), weight=3)
        if (naive := self._naive()) is not None:
            y, start = self.y(naive), self.right - text_width(_naive_words(naive))
            yield Obstacle(Box(self.canvas.left, y - 1, self.right, y + 1), weight=3)
            yield Obstacle(Box(start, y - 20, self.right, y), weight=5)

    def _at(self, point: PointData) -> tuple[float, float]:
        error, risk = _place(point) or (self.x.low, self.y.low)
        return self.x(error), self.y(risk)


def _place(point: PointData) -> tuple[float, float] | None:
    error, risk = point["utility"]["error"], point["risk"]["value"]
    return None if error is None or risk is None else (error, risk)


def _naive_words(error: float) -> str:
    return f"majority guess {percent(error)}"


def _diamond(x: float, y: float) -> Markup:
    return tag("path", d=f"M{x:.2f} {y - 8:.2f}l8 8l-8 8l-8 -8z", class_="chosen")


def _hint(point: PointData) -> str:
    accuracy, risk = accuracy_of(point["utility"]["error"]), percent(point["risk"]["value"])
    count = counted(point["n_collected"], "attribute")
    return f"{point['label']}: {count}, accuracy {accuracy}, attacker wrong {risk}"

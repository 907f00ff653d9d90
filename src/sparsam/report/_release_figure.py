"""How many share a published record, as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.report._canvas import Canvas, text
from sparsam.report._labels import text_width
from sparsam.report._release_data import ReleaseReportData, SizeData
from sparsam.report._release_sizes import size_words
from sparsam.report._scale import Scale
from sparsam.report._svg import tag
from sparsam.report._words import counted

WIDE = Canvas("wide", 660, 320, ticks=6, top=44, right=18)
NARROW = Canvas("narrow", 340, 280, ticks=5, left=44, top=44, right=10)
_GAP = 0.14


def size_figure(data: ReleaseReportData) -> Markup | None:
    """Draw the sizes of classes for a screen and for a telephone; None when there are none."""
    if not data["sizes"]:
        return None
    return Markup("\n").join(_figure(data, canvas) for canvas in (WIDE, NARROW))


def _figure(data: ReleaseReportData, canvas: Canvas) -> Markup:
    bars = _Bars(data["sizes"], canvas)
    ids = [f"sizes-{part}-{canvas.name}" for part in ("title", "desc")]
    fullest = max(data["sizes"], key=lambda one: one["records"])
    words = (
        f"{counted(data['certificate']['classes'], 'different record')}. Most of them, "
        f"{fullest['records']:,}, are shared by {size_words(fullest)} rows."
    )
    return tag(
        "svg",
        tag("title", "Published records by the rows that share them", id=ids[0]),
        tag("desc", words, id=ids[1]),
        *bars.axes(),
        *bars.bars(),
        class_=f"sizes {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


class _Bars:
    """Where every bar stands on one canvas."""

    def __init__(self, sizes: Sequence[SizeData], canvas: Canvas) -> None:
        self.sizes, self.canvas = sizes, canvas
        self.right, self.floor = canvas.width - canvas.right, canvas.height - canvas.bottom
        self.step = (self.right - canvas.left) / len(self.sizes)
        most = max(one["records"] for one in self.sizes)
        self.y = Scale(0.0, 1.06 * max(most, 1), self.floor, canvas.top)

    def axes(self) -> Iterator[Markup]:
        """Draw the grid, its numbers and what they measure."""
        left = self.canvas.left
        for value in self.y.ticks(self.canvas.ticks):
            if value != int(value):
                continue
            y = self.y(value)
            yield tag("line", x1=left, x2=self.right, y1=y, y2=y, class_="grid")
            yield text(f"{int(value):,}", left - 8, y + 4, "tick", "end")
        yield tag("line", x1=left, x2=self.right, y1=self.floor, y2=self.floor, class_="axis")
        yield text("↑ Different records", 0, 16, "name")
        yield text("Rows that share a record →", self.right, self.canvas.height - 8, "name", "end")

    def bars(self) -> Iterator[Markup]:
        """Draw the bars, and as many of their names as have room."""
        free = 0.0
        for place, one in enumerate(self.sizes):
            x, top = self.canvas.left + place * self.step, self.y(one["records"])
            hint = f"{counted(one['records'], 'record')} shared by {size_words(one)}: " + counted(
                one["rows"], "row"
            )
            yield tag(
                "rect",
                tag("title", hint),
                x=x + _GAP / 2 * self.step,
                y=top,
                width=(1 - _GAP) * self.step,
                height=self.floor - top,
                class_="size",
            )
            words = _short(one)
            middle, half = x + self.step / 2, text_width(words) / 2
            last = place == len(self.sizes) - 1
            if middle - half >= free and (last or self._room(middle + half)):
                free = middle + half + 6
                at = min(middle, self.canvas.width - half * 0.8)
                yield text(words, at, self.floor + 20, "tick", "middle")

    def _room(self, end: float) -> bool:
        """Whether the name of the last bar, which says that it is open, still fits."""
        words = _short(self.sizes[-1])
        return end + 6 <= self.right - self.step / 2 - text_width(words) / 2


def _short(one: SizeData) -> str:
    """Name a bar by where it begins."""
    low = one["low"]
    if one["high"] is None:
        return f"{low:,}+"
    return f"<{one['high'] + 1}" if low < SMALLEST_COUNT else f"{low:,}"

"""How the budget was spent, charge by charge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._scale import Scale
from sparsam.report._svg import tag
from sparsam.report._words import percent, short_percent

WIDE = Canvas("wide", 660, 250, ticks=5, top=40, right=18, bottom=46)
NARROW = Canvas("narrow", 340, 240, ticks=4, left=46, top=40, right=10, bottom=46)


def spent_figure(data: Mapping[str, Any]) -> Markup | None:
    """Draw how the budget ran down; None before the first charge."""
    if not data["charges"]:
        return None
    return Markup("\n").join(_figure(data, canvas) for canvas in (WIDE, NARROW))


def _figure(data: Mapping[str, Any], canvas: Canvas) -> Markup:
    ids = [f"spent-{part}-{canvas.name}" for part in ("title", "desc")]
    budget = float(data["budget"])
    shares = [float(one["spent"]) / budget for one in data["charges"]]
    return tag(
        "svg",
        tag("title", "The budget, charge by charge", id=ids[0]),
        tag("desc", f"{len(shares):,} charges spent {percent(shares[-1])}.", id=ids[1]),
        *_axes(canvas),
        *_steps(data, shares, canvas),
        class_=f"spent {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


def _axes(canvas: Canvas) -> Iterator[Markup]:
    left, right = canvas.left, canvas.width - canvas.right
    y = _heights(canvas)
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        kind = "edge" if value == 1 else "grid"
        yield tag("line", x1=left, x2=right, y1=y(value), y2=y(value), class_=kind)
        yield text(short_percent(value), left - 8, y(value) + 4, "tick", "end")
    yield text("↑ Spent of the budget", 0, 16, "name")
    yield text("Charges, oldest first →", right, canvas.height - 8, "name", "end")


def _steps(data: Mapping[str, Any], shares: list[float], canvas: Canvas) -> Iterator[Markup]:
    y, right = _heights(canvas), canvas.width - canvas.right
    step = (right - canvas.left) / len(shares)
    width = min(step, 64.0)
    before = 0.0
    for place, (one, share) in enumerate(zip(data["charges"], shares, strict=True)):
        x = canvas.left + place * step + (step - width) / 2
        hint = f"{one['time']} {one['analyst']}: {one['what']}, {one['amount']} {data['unit']}"
        gap = min(2.0, width * 0.1)
        yield tag(
            "rect",
            tag("title", hint),
            x=x + gap / 2,
            width=max(width - gap, 0.5),
            y=y(share),
            height=y(0.0) - y(share),
            class_="before",
        )
        height = max(y(before) - y(share), 1.0)
        yield tag("rect", x=x + gap / 2, width=max(width - gap, 0.5), y=y(share), height=height,
                  class_="now")  # fmt: skip
        before = share


def _heights(canvas: Canvas) -> Scale:
    return Scale(0.0, 1.0, canvas.height - canvas.bottom, canvas.top)

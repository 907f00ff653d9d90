"""How the budget was spent, charge by charge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsam.report._words import percent, short_percent
from sparsam.report.plot._plot import Canvas, Picture, Plot, picture

WIDE = Canvas("wide", 660, 250, ticks=5, top=40, right=18, bottom=46)
NARROW = Canvas("narrow", 340, 240, ticks=4, left=46, top=40, right=10, bottom=46)
_WIDEST = 64.0


def spent_figure(data: Mapping[str, Any]) -> Picture | None:
    """Draw how the budget ran down; None before the first charge."""
    if not data["charges"]:
        return None
    budget = float(data["budget"])
    shares = [float(charge["spent"]) / budget for charge in data["charges"]]
    words = f"{len(shares):,} charges spent {percent(shares[-1])}."
    plots = (_plot(data, shares, canvas) for canvas in (WIDE, NARROW))
    return picture("spent", "spent", "The budget, charge by charge", words, plots)


def _plot(data: Mapping[str, Any], shares: list[float], canvas: Canvas) -> Plot:
    plot = Plot(canvas, (0.0, len(shares)), (0.0, 1.0))
    plot.grid((0.0, 0.25, 0.5, 0.75), short_percent)
    plot.grid((1.0,), short_percent, "edge")
    plot.names("↑ Spent of the budget", "Charges, oldest first →")
    step = (plot.right - plot.left) / len(shares)
    width = min(step, _WIDEST)
    half = (width - min(2.0, width * 0.1)) / step / 2
    before = 0.0
    for place, (charge, share) in enumerate(zip(data["charges"], shares, strict=True)):
        hint = (
            f"{charge['time']} {charge['analyst']}: {charge['what']}, "
            f"{charge['amount']} {data['unit']}"
        )
        ends = (place + 0.5 - half, place + 0.5 + half)
        plot.bar(ends, share, "before", hint)
        plot.bar(ends, share, "now", start=before, least=1.0)
        before = share
    return plot

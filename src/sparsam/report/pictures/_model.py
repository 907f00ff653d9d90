"""The accuracy-information loss curve, with the target and the point that was chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sparsam.report._words import (
    counted,
    pair,
    percent,
    score_words,
    short_percent,
    target_words,
    telling,
)
from sparsam.report.plot._labels import text_width
from sparsam.report.plot._marks import Mark
from sparsam.report.plot._plot import Canvas, Picture, Plot, picture
from sparsam.report.plot._scale import padded, span
from sparsam.report.plot._svg import text

WIDE = Canvas("wide", 660, 400, ticks=9, top=44, right=18)
NARROW = Canvas("narrow", 340, 320, ticks=5, left=44, top=44, right=14)
_RUNGS = (1.0, 0.999, 0.995, 0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0)
_APART = 20


def curve_figure(data: Mapping[str, Any]) -> Picture | None:
    """Draw the curve for a screen and for a telephone; None when there is none."""
    if not data["curve"]:
        return None
    kept = data["kept"]
    measure = kept["held_out"]["measure"]
    words = (
        f"{counted(len(data['curve']), 'step')} of the search. Chosen: information loss "
        f"{percent(data['collected']['information_loss'])}, {_chosen_words(data)} kept; target "
        f"{target_words(kept['target'], measure)}, one answer for everyone "
        f"{score_words(kept['null_accuracy'], measure)}."
    )
    plots = (_plot(data, canvas) for canvas in (WIDE, NARROW))
    return picture("curve", "curve", "Answers kept against information loss", words, plots)


def _chosen_words(data: Mapping[str, Any]) -> str:
    """What is kept, with as many decimals as it takes to tell it from the target."""
    held_out, target = data["kept"]["held_out"], data["kept"]["target"]
    return score_words(held_out["score"], held_out["measure"], telling(held_out["score"], target))


def _near_one(score: float) -> float:
    """Stretch what lies near the most that can be kept, where all of the choice is."""
    return -math.sqrt(max(0.0, 1.0 - score))


def _plot(data: Mapping[str, Any], canvas: Canvas) -> Plot:
    kept = data["kept"]
    measure, null = kept["held_out"]["measure"], kept["null_accuracy"]
    spots = [
        (point["information_loss"], point["held_out"], point["n_collected"])
        for point in data["curve"]
        if point["information_loss"] is not None and point["held_out"] is not None
    ]
    scores = [*(score for _, score, _ in spots), kept["target"], null, kept["held_out"]["score"]]
    low, high = span(scores)
    if measure == "own":
        plot = Plot(canvas, (0.0, 1.0), padded(low, high, 0.06, 0.03))
        rungs = plot.y.ticks(7)
    else:
        low, high = max(low, 0.0), 1.0
        ends = padded(_near_one(low), _near_one(high), 0.06, 0.03)
        plot = Plot(canvas, (0.0, 1.0), ends, bend_up=_near_one)
        rungs = list(_rungs(plot, low))
    plot.grid(rungs, short_percent if measure == "share" else "{:g}".format)
    plot.base((value, short_percent(value)) for value in plot.x.ticks(canvas.ticks))
    plot.names("↑ Answers kept, people held out", "Information loss → less is collected")
    plot.level(kept["target"], "edge", f"target {target_words(kept['target'], measure)}")
    if null is not None:
        words = f"one answer for everyone {score_words(null, measure)}"
        plot.level(null, "naive", words, "left")
    plot.line([(loss, score) for loss, score, _ in spots], "path")
    for loss, score, collected in spots:
        hint = (
            f"information loss {percent(loss)}, {score_words(score, measure)} kept, "
            f"{counted(collected, 'attribute')}"
        )
        plot.dot(loss, score, 3.5, "step", hint)
    _draw_chosen(data, plot)
    return plot


def _rungs(plot: Plot, low: float) -> Iterator[float]:
    """Round scores along the axis, far enough apart to be read."""
    free = -math.inf
    for value in _RUNGS:
        if value >= low and (y := plot.y(value)) >= free:
            free = y + _APART
            yield value


def _draw_chosen(data: Mapping[str, Any], plot: Plot) -> None:
    held_out = data["kept"]["held_out"]
    loss, score = data["collected"]["information_loss"], held_out["score"]
    if loss is None or score is None:
        return
    kept = _chosen_words(data)
    plot.interval(loss, pair(held_out["interval"]), "bar")
    hint = f"chosen: information loss {percent(loss)}, {kept} kept"
    plot.mark(Mark("chosen", "chosen"), loss, score, hint)
    words, x = f"chosen: {kept}", plot.x(loss)
    # the curve falls to the right, so there is room on the left, below it
    below, room = min(plot.y(score) + 24, plot.floor - 6), x - text_width(words) > plot.left
    plot.add(text(words, x - 9 if room else x + 9, below, "name halo", "end" if room else None))

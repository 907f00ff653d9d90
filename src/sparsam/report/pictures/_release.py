"""The pictures of a release: how many share a record, and what a model learns against k."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.report._release_sizes import size_words
from sparsam.report._words import counted, score_name, score_words, short_percent
from sparsam.report.plot._marks import Mark
from sparsam.report.plot._plot import Canvas, Picture, Plot, picture
from sparsam.report.plot._scale import padded, span

SIZES_WIDE = Canvas("wide", 660, 320, ticks=6, top=44, right=18)
SIZES_NARROW = Canvas("narrow", 340, 280, ticks=5, left=44, top=44, right=10)
SWEEP_WIDE = Canvas("wide", 660, 360, ticks=7, top=48, right=96)
SWEEP_NARROW = Canvas("narrow", 340, 320, ticks=5, left=48, top=48, right=76)
_GAP = 0.14
_METHODS = {"BulkLoad": "bulk load", "FullDomain": "full domain"}
_MARKS = (Mark("triangle", "a5"), Mark("circle", "a1"), Mark("square", "a4"), Mark("diamond", "a3"))


Data = Mapping[str, Any]


def method_name(method: str) -> str:
    """Write the name of a method as a person says it.

    Examples
    --------
    >>> method_name("FullDomain"), method_name("Hybrid")
    ('full domain', 'hybrid')
    """
    return _METHODS.get(method, method.lower())


def size_figure(sizes: Sequence[Data], classes: int) -> Picture | None:
    """Draw the sizes of classes for a screen and for a telephone; None when there are none."""
    if not sizes:
        return None
    fullest = max(sizes, key=lambda size: size["records"])
    words = (
        f"{counted(classes, 'different record')}. Most of them, "
        f"{fullest['records']:,}, are shared by {size_words(fullest)} rows."
    )
    title = "Published records by the rows that share them"
    plots = (_sizes(sizes, canvas) for canvas in (SIZES_WIDE, SIZES_NARROW))
    return picture("sizes", "sizes", title, words, plots)


def _sizes(sizes: Sequence[Data], canvas: Canvas) -> Plot:
    most = max(1, *(size["records"] for size in sizes))
    plot = Plot(canvas, (0, len(sizes)), (0.0, 1.06 * most))
    counts = (value for value in plot.y.ticks(canvas.ticks) if value.is_integer())
    plot.grid(counts, "{:,.0f}".format)
    for place, size in enumerate(sizes):
        hint = (
            f"{counted(size['records'], 'record')} shared by {size_words(size)}: "
            f"{counted(size['rows'], 'row')}"
        )
        plot.bar((place + _GAP / 2, place + 1 - _GAP / 2), size["records"], "size", hint)
    labels = [(place + 0.5, _first_size(size)) for place, size in enumerate(sizes)]
    # the last one says that its bar is open, so that it must have room
    plot.base([labels[-1], *labels[:-1]], lines=False)
    plot.names("↑ Different records", "Rows that share a record →")
    return plot


def _first_size(size: Data) -> str:
    """Name a bar by where it begins."""
    low, high = size["low"], size["high"]
    if high is None:
        return f"{low:,}+"
    return f"<{high + 1}" if low < SMALLEST_COUNT else f"{low:,}"


class _Line(NamedTuple):
    """The scores of one method along k."""

    mark: Mark
    name: str
    spots: list[tuple[int, float]]


def sweep_figure(sweeps: Data | None) -> Picture | None:
    """Draw what a model still learns against k, a line for each method; None without scores."""
    if sweeps is None or not (lines := _lines(sweeps)):
        return None
    score = score_name(sweeps["measure"])
    ends = "; ".join(
        f"{line.name}: "
        + ", ".join(
            f"{score_words(score, sweeps['measure'])} at k = {k:,}"
            for k, score in (line.spots[0], line.spots[-1])
        )
        for line in lines
    )
    title = f"{score[0].upper()}{score[1:]} of a model trained on the release"
    plots = (_sweep(sweeps, lines, canvas) for canvas in (SWEEP_WIDE, SWEEP_NARROW))
    return picture("sweep", "sweep", title, f"{ends}.", plots)


def sweep_keys(sweeps: Data | None) -> list[tuple[Markup, str]]:
    """Return the shape and the name of each method."""
    methods = [] if sweeps is None else sweeps["methods"]
    return [
        (_mark(place).key(), method_name(sweep["method"])) for place, sweep in enumerate(methods)
    ]


def _mark(place: int) -> Mark:
    return _MARKS[place % len(_MARKS)]


def _lines(sweeps: Data) -> list[_Line]:
    lines = []
    for place, sweep in enumerate(sweeps["methods"]):
        spots = sorted(
            (row["k"], row["score"]) for row in sweep["rows"] if row["score"] is not None
        )
        if spots:
            lines.append(_Line(_mark(place), method_name(sweep["method"]), spots))
    return lines


def _sweep(sweeps: Data, lines: Sequence[_Line], canvas: Canvas) -> Plot:
    measure, raw, chance = sweeps["measure"], sweeps["raw"], sweeps["chance"]
    ks = sorted({k for line in lines for k, _ in line.spots})
    # One answer for everyone may lie far below, and would squeeze what is to be compared.
    scores = [raw, *(score for line in lines for _, score in line.spots)]
    # each doubling of k takes the same room
    across = padded(*span((math.log(k) for k in ks), least=1.0), 0.04)
    plot = Plot(canvas, across, padded(*span(scores), 0.12), bend_across=math.log)
    plot.grid(plot.y.ticks(canvas.ticks), short_percent if measure == "share" else "{:g}".format)
    plot.base((k, f"{k:,}") for k in ks)
    score = score_name(measure)
    plot.names(f"↑ {score[0].upper()}{score[1:]}, people held out", "k → more share a record")
    ends = [(*line.spots[-1], line.name) for line in lines]
    if raw is not None:
        plot.level(raw, "edge")
        ends.append((ks[-1], raw, "raw rows"))
    if chance is not None and chance >= plot.y.low:
        words = f"one answer for everyone {score_words(chance, measure)}"
        plot.level(chance, "naive", words, "left")
    for line in lines:
        plot.line(line.spots, f"line {line.mark.colour}")
    for line in lines:
        for k, value in line.spots:
            hint = f"{line.name}, k = {k:,}: {score_words(value, measure)}"
            plot.mark(line.mark, k, value, hint)
    plot.end_names(ends)
    return plot

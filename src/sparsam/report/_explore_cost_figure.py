"""What exploring costs along its functions: the paper's way, and this one."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._explore_data import ExploreReportData
from sparsam.report._explore_words import FUNCTIONS, epsilon_number
from sparsam.report._scale import Scale
from sparsam.report._svg import tag

WIDE = Canvas("wide", 620, 270, ticks=5, left=46, right=26, top=40, bottom=34)
NARROW = Canvas("narrow", 340, 250, ticks=5, left=40, right=22, top=40, bottom=34)
_KINDS = {
    "paper": "query by query",
    "same": "query by query, as exact as here",
    "ours": "this exploration",
}


def cost_figure(data: ExploreReportData) -> Markup:
    """Draw the cumulative cost of the paper's queries (its Figure 2) beside what was paid here."""
    return Markup("\n").join(_figure(data, canvas) for canvas in (WIDE, NARROW))


def ours(data: ExploreReportData) -> float:
    """The epsilon of this exploration that is comparable: added up, or at the delta."""
    here = data["spent"][0]
    return here["concentrated"] if here["pure"] is None else here["pure"]


def _figure(data: ExploreReportData, canvas: Canvas) -> Markup:
    ids = [f"costs-{part}-{canvas.name}" for part in ("title", "desc")]
    functions = data["paper"]["functions"]
    total = functions[-1]["cumulative"]
    words = f"One charge for each query comes to {epsilon_number(total)}, this exploration to "
    return tag(
        "svg",
        tag("title", "Cumulative epsilon along the functions of the analysis", id=ids[0]),
        tag("desc", words + f"{epsilon_number(ours(data))}.", id=ids[1]),
        *_parts(data, canvas),
        class_=f"costs {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


def _parts(data: ExploreReportData, canvas: Canvas) -> Iterator[Markup]:
    functions, lines = data["paper"]["functions"], _lines(data)
    right, floor = canvas.width - canvas.right, canvas.height - canvas.bottom
    highest = max(height for heights in lines.values() for height in heights)
    y = Scale(0.0, 1.1 * max(highest, 1e-9), floor, canvas.top)
    step = (right - canvas.left) / len(functions)
    for value in y.ticks(canvas.ticks):
        yield tag("line", x1=canvas.left, x2=right, y1=y(value), y2=y(value), class_="grid")
        yield text(f"{value:g}", canvas.left - 8, y(value) + 4, "tick", "end")
    yield tag("line", x1=canvas.left, x2=right, y1=floor, y2=floor, class_="axis")
    places = [canvas.left + (place + 0.5) * step for place in range(len(functions))]
    for kind, heights in lines.items():
        start = heights[0] if kind == "ours" and data["how"] != "interactive" else 0.0
        drawn = [(canvas.left, start), *zip(places, heights, strict=True)]
        points = " ".join(f"{x:.1f},{y(height):.1f}" for x, height in drawn)
        yield tag("polyline", points=points, class_=f"line {kind}")
        for x, one, height in zip(places, functions, heights, strict=True):
            hint = f"{_KINDS[kind]}, {FUNCTIONS[one['name']]}: {epsilon_number(height)} in all"
            yield tag("circle", tag("title", hint), cx=x, cy=y(height), r=4, class_=f"mark {kind}")
    for x, one in zip(places, functions, strict=True):
        yield text(FUNCTIONS[one["name"]].split()[0], x, floor + 20, "tick", "middle")
    yield text("↑ Epsilon, cumulative", 0, 14, "name")


def _lines(data: ExploreReportData) -> dict[str, list[float]]:
    """The cumulative cost of each way, function by function."""
    functions, here = data["paper"]["functions"], ours(data)
    paper = [one["cumulative"] for one in functions]
    lines = {"paper": paper}
    same = [one["same"] for one in functions if one["same"] is not None]
    if len(same) == len(functions):
        lines["same"] = same
    if data["how"] == "interactive":  # queries are paid one after the other, tables at the start
        lines["ours"] = [here * one / (paper[-1] or 1.0) for one in paper]
    else:
        lines["ours"] = [here] * len(functions)
    return lines

"""A sparsity curve as a chart: accuracy or a risk along the share of values that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparsam._checks import check_choice
from sparsam.individual import SparsityCurve
from sparsam.report._individual_report import point_data
from sparsam.report._words import pair, percent, short_percent
from sparsam.report.charts._paper import Paper, nothing_to_draw, told
from sparsam.report.pictures._individual import Panel, decimals, figure_of, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES = ("accuracy", "reconstruction", "reidentification", "weighed", "membership")
_UP = {
    "accuracy": "Accuracy, people apart (%)",
    "reconstruction": "RCR (0 to 1); more is worse",
    "reidentification": "RIR, ties at random (0 to 1)",
    "weighed": "RIR, evidence weighed (0 to 1)",
    "membership": "AUC (0.5 is a coin)",
}


def plot_curve(curve: SparsityCurve, ax: Axes | None, measure: str, **style: Any) -> Axes:
    """Draw a line for each algorithm, and the levels to read them against.

    Parameters
    ----------
    curve : SparsityCurve
    ax : Axes or None
    measure : str
        One of `MEASURES`.
    **style
        See `Style`.
    """
    check_choice("plot", "measure", measure, MEASURES)
    points = list(map(point_data, curve.points))
    data = {"full": point_data(curve.full), "points": points}
    panel = next((panel for panel in panels(data) if panel.measure == measure), None)
    if panel is None:
        raise nothing_to_draw("membership was not attacked along the curve.")
    paper = Paper(ax, style, (7.2, 5.2))
    for place, name in enumerate(curve.algorithms):
        chosen = name == curve.chosen.algorithm
        own = [point for point in points if point["algorithm"] == name]
        spots = [(p["kept_share"], f) for p in own if (f := figure_of(p, panel.measure))]
        known = [(share, *figure) for share, figure in spots if figure[0] is not None]
        for share, _, interval in known if chosen else ():
            paper.upright(share, pair(interval), paper.style.look(place).colour)
        paper.line(
            [share for share, *_ in known],
            [value for _, value, _ in known],
            paper.style.look(place),
            label=f"{name} (chosen)" if chosen else name,
            linewidth=2.4 if chosen else 1.4,
        )
    _draw_levels(paper, panel, curve.chosen.kept_share)
    _shares(paper, sorted({point.kept_share for point in curve.points}))
    if measure == "accuracy":
        paper.percent("y")
    title = {"accuracy": "Accuracy", "membership": "Membership", "reconstruction": "Reconstruction"}
    words = title.get(measure, "Re-identification")
    return paper.done(f"{words} along the kept share", "Values kept (%, log scale)", _UP[measure])


def _draw_levels(paper: Paper, panel: Panel, chosen: float) -> None:
    write = percent if panel.measure == "accuracy" else decimals
    if panel.full is not None:
        paper.level(panel.full, f"every value kept: {told(write(panel.full))}", "--")
    if panel.baseline is not None:
        paper.level(panel.baseline, f"{panel.baseline_name}: {told(write(panel.baseline))}", ":")
    paper.edge(chosen, f"chosen: {told(short_percent(round(chosen, 4)))}", "-.")


def _shares(paper: Paper, shares: list[float]) -> None:
    """Name the shares that were measured along a logarithmic axis, as many as have room."""
    paper.ax.set_xscale("log")
    shown = [shares[0]]
    for share in shares[1:]:
        if share / shown[-1] >= 1.35:
            shown.append(share)
    paper.ax.set_xticks(shown, [told(short_percent(round(share, 4))) for share in shown])
    paper.ax.minorticks_off()

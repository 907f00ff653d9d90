"""The front as a chart: how wrong the model is against how wrong an attacker is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sparsam.assess import Choice, Front, Point, Score
from sparsam.report._score_words import heading, tick, value_words
from sparsam.report._words import data_words, pair, percent
from sparsam.report.charts._paper import (
    BAR,
    INK,
    TRIED,
    Look,
    Paper,
    nothing_to_draw,
    told,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR = 0.6
"""A limit further out than this share of the axis is named, and not drawn."""
_CHOSEN = Look(INK, "*", "-", "")
_TRIED = Look(TRIED, "x", "", "")


def plot_front(front: Front, ax: Axes | None, choice: Choice | None, **style: Any) -> Axes:
    """Draw all that was tried, what no other one beats, the limits, and what was chosen.

    Parameters
    ----------
    front : Front
    ax : Axes or None
    choice : Choice or None
    **style
        See `Style`.
    """
    points = _Points(front, choice)
    if not points.places:
        raise nothing_to_draw("everything was measured on fewer than five people.")
    paper = Paper(ax, style, (7.2, 5.2))
    score = front.limits.score
    _draw_points(paper, points)
    _draw_limits(paper, front, points)
    paper.ax.xaxis.set_major_formatter(lambda error, _: told(tick(score, error)))
    paper.ax.locator_params(axis="x", nbins=7)
    paper.percent("y")
    split = data_words(front.points[0].assessment.utility.split)
    return paper.done(
        f"{_model(score)} against attacker error",
        f"{_model(score)}, {split} ({_unit(score)})",
        f"Attacker error, {split} (% of guesses)",
    )


class _Points:
    """Where the points of a front lie, as far as that may be told."""

    def __init__(self, front: Front, choice: Choice | None) -> None:
        told_of = [(point, *_figures(point)) for point in front.points]
        self.figures = {
            id(point): (utility, risk)
            for point, utility, risk in told_of
            if utility["error"] is not None and risk["value"] is not None
        }
        self.places = {
            key: (utility["error"], risk["value"]) for key, (utility, risk) in self.figures.items()
        }
        self.best = [point for point in front.best if id(point) in self.places]
        best = set(map(id, self.best))
        self.others = [p for p in front.points if id(p) in self.places and id(p) not in best]
        known = (
            p for p in front.points if choice is not None and p.assessment is choice.assessment
        )
        self.chosen = [point for point in known if id(point) in self.places]

    def x(self, points: Sequence[Point]) -> list[float]:
        return [self.places[id(point)][0] for point in points]

    def y(self, points: Sequence[Point]) -> list[float]:
        return [self.places[id(point)][1] for point in points]


def _figures(point: Point) -> tuple[dict[str, Any], dict[str, Any]]:
    return point.assessment.utility.to_dict(), point.assessment.risk.to_dict()


def _draw_limits(paper: Paper, front: Front, points: _Points) -> None:
    """Draw the model that sees everything, the one that sees nothing, and the majority guess."""
    limits, score = front.limits.to_dict(), front.limits.score
    everything, nothing = limits["everything"]["error"], limits["nothing"]["error"]
    naive = limits["naive"]["error"]
    if everything is not None:
        paper.edge(everything, f"everything collected: {_told(score, everything)}", "--")
    if nothing is not None:
        across = [*(x for x, _ in points.places.values()), everything or 0.0]
        near = nothing <= max(across) + FAR * (max(across) - min(across))
        words = f"nothing collected: {_told(score, nothing)}"
        if near:
            paper.edge(nothing, words, "-.")
        else:
            paper.ax.plot([], [], linestyle="none", label=f"{words} (far right)")
    if naive is not None:
        paper.level(naive, f"majority guess: {told(percent(naive))}", ":")


def _draw_points(paper: Paper, points: _Points) -> None:
    if points.chosen:
        x, y = points.x(points.chosen), points.y(points.chosen)
        paper.points(x, y, _CHOSEN, label="chosen", markersize=15, zorder=4)
    for point in points.best:
        _draw_intervals(paper, points, point)
    by_minimiser: dict[str, list[Point]] = {}
    for point in points.best:
        by_minimiser.setdefault(point.candidate.minimiser, []).append(point)
    for place, (name, group) in enumerate(by_minimiser.items()):
        label = f"on the front, by {name}: {len(group)}"
        look = paper.style.look(place)
        paper.points(points.x(group), points.y(group), look, label=label, zorder=3)
    if points.others:
        x, y, label = points.x(points.others), points.y(points.others), "tried, not on the front"
        small = {"markersize": 5, "markeredgecolor": TRIED, "markeredgewidth": 1.3, "zorder": 2}
        paper.points(x, y, _TRIED, label=f"{label}: {len(x)}", **small)


def _draw_intervals(paper: Paper, points: _Points, point: Point) -> None:
    (x, y), (utility, risk) = points.places[id(point)], points.figures[id(point)]
    paper.upright(x, pair(risk["interval"]), BAR)
    if (ends := pair(utility["interval"])) is not None:
        paper.ax.plot(ends, [y, y], color=BAR, linewidth=1.2, zorder=1.5)


def _model(score: Score) -> str:
    return "Model error" if score.name == "accuracy" else heading(score)


def _unit(score: Score) -> str:
    if score.name == "accuracy":
        return "% of people"
    return "%, worse to the right" if score.kind.percent else "worse to the right"


def _told(score: Score, error: float) -> str:
    """An error as it stands at the axis: of accuracy the error, otherwise the score."""
    return told(percent(error) if score.name == "accuracy" else value_words(score, error))

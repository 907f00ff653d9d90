"""People over time as charts: errors by period, and shares of people then and now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparsam.assess import Drift, Monitoring
from sparsam.report._words import pair, percent
from sparsam.report.charts._paper import (
    ACCENT,
    RISK,
    Look,
    Paper,
    named,
    nothing_to_draw,
    row_height,
    told,
)
from sparsam.report.charts._rows import Row, draw_rows
from sparsam.report.plot._labels import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 12
_MOST_PERIODS = 10
_LONGEST = 12
_LONG = 44
_OF_TARGET = ("error", "class")
_TITLES = {"people": "Who the people were and are", "target": "What the records tell of the target"}
_SHOWN = {True: "now: changed by more than matters", False: "now: no change shown that matters"}
_KINDS = {"unseen": "values never seen", "refused": "values refused", "error": "guessed wrong"}


def plot_drift(drift: Drift, ax: Axes | None, **style: Any) -> Axes:
    """Draw how wrong the model and the adversary are in each period.

    Parameters
    ----------
    drift : Drift
    ax : Axes or None
    **style
        See `Style`.
    """
    paper = Paper(ax, style, (7.2, 4.6))
    periods, assessments = list(drift.assessments), list(drift.assessments.values())
    utilities = [assessment.utility.to_dict() for assessment in assessments]
    risks = [assessment.risk.to_dict() for assessment in assessments]
    if all(risk["value"] is None for risk in risks):
        raise nothing_to_draw("every period was measured on fewer than five people.")
    _draw_errors(paper, [u["error"] for u in utilities], [u["interval"] for u in utilities], 0,
                 "model")  # fmt: skip
    _draw_errors(paper, [r["value"] for r in risks], [r["interval"] for r in risks], 1, "attacker")
    _draw_errors(paper, [r["baseline"] for r in risks], [], 3, "majority guess")
    every = -(-len(periods) // _MOST_PERIODS)
    shown = range(0, len(periods), every)
    paper.ax.set_xticks(list(shown), [named(periods[place], _LONGEST) for place in shown])
    paper.ax.set_xlim(-0.4, len(periods) - 0.6)
    paper.ax.set_ylim(0, 1.05 * paper.ax.get_ylim()[1])
    paper.percent("y")
    return paper.done(
        "Errors period by period", "Period; all was learned in the first", "Wrong answers (%)", "y"
    )


def _draw_errors(
    paper: Paper, errors: list[Any], intervals: list[Any], place: int, name: str
) -> None:
    look = paper.style.look(place)
    known = [period for period, error in enumerate(errors) if error is not None]
    for period in known if intervals else ():
        paper.upright(period, pair(intervals[period]), look.colour)
    paper.line(known, [errors[period] for period in known], look, label=name)


def plot_monitoring(monitoring: Monitoring, ax: Axes | None, about: str, **style: Any) -> Axes:
    """Draw the shares of people that changed most, then and now.

    Parameters
    ----------
    monitoring : Monitoring
    ax : Axes or None
    about : {"people", "target"}
    **style
        See `Style`.
    """
    facts = monitoring.to_dict()
    changes = [
        change
        for change in facts["changes"]
        if change["now"] is not None and (change["kind"] in _OF_TARGET) == (about == "target")
    ]
    if not changes:
        raise nothing_to_draw("no share of people could be compared.")
    order = sorted(changes, key=lambda change: (not change["shown"], -abs(change["change"])))
    drawn = order[:_MOST_ROWS]
    paper = Paper(ax, style, (8.4, row_height(len(drawn))))
    colours = paper.style.colors or (RISK, ACCENT)
    shown = Look(colours[0], "o", "-", "")
    others = Look(colours[-1], "D", "-", "")
    rows = [
        Row(place, change["now"], _interval(change), change["then"],
            shown if change["shown"] else others,
            _SHOWN[change["shown"]],
            hollow=not change["shown"])
        for place, change in enumerate(drawn)
    ]  # fmt: skip
    draw_rows(paper, rows, "then")
    paper.names([_words(change) for change in drawn], _LONG)
    paper.percent("x")
    title = _TITLES[about]
    if len(drawn) < len(changes):
        title += f": the {len(drawn)} of {len(changes)} that changed most"
    smallest = told(percent(facts["min_change"], 0))
    across = f"Share of people (%); a change of {smallest} of all would matter"
    return paper.done(title, across, "", grid="x")


def _interval(change: dict[str, Any]) -> tuple[float, float] | None:
    ends = pair(change["interval"])
    if ends is None:
        return None
    low, high = (min(1.0, max(0.0, change["then"] + end)) for end in ends)
    return low, high


def _words(change: dict[str, Any]) -> str:
    kind, bucket = _KINDS.get(change["kind"]), change["bucket"]
    where = shorten(change["attribute"], 16) + (f": {shorten(bucket, 24)}" if bucket else "")
    if change["kind"] == "class":
        return f"{where}, usual class"
    return f"{where}, {kind}" if kind else where

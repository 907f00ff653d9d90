"""Groups as a chart: what each group of people loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparsam.assess import Groups
from sparsam.report._score_words import heading, loss_words
from sparsam.report._words import pair, plain_number
from sparsam.report.charts._paper import (
    ACCENT,
    RISK,
    Look,
    Paper,
    nothing_to_draw,
    row_height,
    told,
)
from sparsam.report.charts._rows import Row, draw_rows
from sparsam.report.plot._labels import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 16


def plot_groups(groups: Groups, ax: Axes | None, **style: Any) -> Axes:
    """Draw what each group loses against everything collected, with intervals for all together.

    Parameters
    ----------
    groups : Groups
    ax : Axes or None
    **style
        See `Style`.
    """
    facts, score = groups.to_dict(), groups.score
    known = [group for group in facts["groups"] if group["loss"] is not None]
    if not known:
        raise nothing_to_draw("no group has enough people to tell what it loses.")
    drawn = known[:_MOST_ROWS]
    paper = Paper(ax, style, (8.0, row_height(len(drawn))))
    colours = paper.style.colors or (RISK, ACCENT)
    more, usual = Look(colours[0], "o", "-", ""), Look(colours[-1], "D", "-", "")
    rows = [
        Row(place, group["loss"], pair(group["interval"]), None,
            more if group["loses_more"] else usual,
            "shown to lose more than all" if group["loses_more"] else "a group, with its interval",
            hollow=not group["loses_more"])
        for place, group in enumerate(drawn)
    ]  # fmt: skip
    draw_rows(paper, rows)
    paper.edge(0.0, "nothing lost", "-")
    everyone = score.publish(groups.loss, _people(groups))
    if everyone is not None:
        paper.edge(everyone, f"everyone: {told(loss_words(score, everyone))}", "--")
    paper.names([f"{shorten(group['attribute'], 14)}: {group['group']}" for group in drawn])
    points = score.kind.percent
    paper.ax.xaxis.set_major_formatter(lambda loss, _: plain_number(100 * loss if points else loss))
    fewer = f": the {len(drawn)} of {len(known)} who lose most" if len(drawn) < len(known) else ""
    unit = "points" if points else "in its own units"
    return paper.done(
        f"What each group loses{fewer}", f"{heading(score)} lost, test data ({unit})", "", grid="x"
    )


def _people(groups: Groups) -> int:
    """How many people there are at least: those of one way to group them."""
    people: dict[str, int] = {}
    for effect in groups.effects:
        people[effect.grouping] = people.get(effect.grouping, 0) + effect.people
    return max(people.values())

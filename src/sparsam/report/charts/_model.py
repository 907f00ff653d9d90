"""A model that already runs, as charts: answers kept along the search, and what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparsam._small_counts import publish_share
from sparsam.assess import ModelAssessment
from sparsam.report._words import pair, percent, score_words, target_words
from sparsam.report.charts._paper import (
    BAR,
    INK,
    Look,
    Paper,
    nothing_to_draw,
    row_height,
    told,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CHOSEN = Look(INK, "*", "-", "")


def plot_model(assessment: ModelAssessment, ax: Axes | None, **style: Any) -> Axes:
    """Draw the share of answers that is kept against the detail that is lost.

    Parameters
    ----------
    assessment : ModelAssessment
    ax : Axes or None
    **style
        See `Style`.
    """
    facts = assessment.to_dict()
    spots = [
        (point["information_loss"], point["held_out"])
        for point in facts["curve"]
        if point["information_loss"] is not None and point["held_out"] is not None
    ]
    if not spots:
        raise nothing_to_draw("the search has no steps.")
    kept, target = facts["relative_accuracy"], facts["target"]
    measure = kept["measure"]
    paper = Paper(ax, style, (7.2, 4.8))
    look = paper.style.look(0)._replace(marker=".")
    paper.line([loss for loss, _ in spots], [score for _, score in spots], look,
               label="steps of the search", linewidth=1.2)  # fmt: skip
    loss = facts["information_loss"]["overall"]
    paper.upright(loss, pair(kept["interval"]), INK)
    words = f"chosen: {told(score_words(kept['score'], measure))} kept"
    paper.points([loss], [kept["score"]], _CHOSEN, label=words, markersize=14, zorder=4)
    paper.level(target, f"target: {told(target_words(target, measure))}", "--")
    null = facts["null_accuracy"]
    paper.level(null, f"one answer for all: {told(score_words(null, measure))}", ":")
    paper.percent("x")
    if measure == "share":
        paper.percent("y")
    unit = {"share": " (%)", "r2": " (R²)"}.get(measure, "")
    return paper.done(
        "What the model keeps, and what is lost for it",
        "Information loss of what is collected (%)",
        f"Answers kept, people held out{unit}",
    )


def plot_asked(
    shares: Mapping[str, float], people: int, form: int, mean: float, ax: Axes | None, **style: Any
) -> Axes:
    """Draw the share of people whom a questionnaire asks for each attribute.

    Parameters
    ----------
    shares : mapping of str to float
    people : int
        Whom they are shares of.
    form : int
        How many questions the form asks everyone.
    mean : float
        How many questions a person is asked on average.
    ax : Axes or None
    **style
        See `Style`.
    """
    told_of = {name: publish_share(share, people) for name, share in shares.items()}
    known = sorted(
        ((name, share) for name, share in told_of.items() if share is not None),
        key=lambda pair: -pair[1],
    )
    if not known:
        raise nothing_to_draw("nobody was asked for anything, or fewer than five people were.")
    paper = Paper(ax, style, (6.8, row_height(len(known))))
    look = paper.style.bar(color=BAR, edgecolor=INK, linewidth=0.6)
    paper.ax.barh(range(len(known)), [share for _, share in known], 0.66, **look)
    for place, (_, share) in enumerate(known):
        paper.ax.annotate(told(percent(share, 0)), (share, place), (4, 0), va="center",
                          textcoords="offset points", fontsize="small")  # fmt: skip
    paper.names([name for name, _ in known])
    paper.ax.set_xlim(0, 1.12)
    paper.ax.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
    paper.percent("x")
    return paper.done(
        f"Who is asked what: {mean:.1f} of {form} questions on average",
        "People who are asked (%)",
        "",
        grid="x",
    )

"""What every k costs, as a chart: a line for each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparsam._checks import check_choice
from sparsam.anonymise import KScores, KSweep
from sparsam.report._words import score_name, score_words
from sparsam.report.charts._paper import Paper, nothing_to_draw, told
from sparsam.report.pictures._release import method_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ACROSS = "k: rows that share a record (log scale)"
_FAR = 0.6  # of the scores, for one answer for all to be drawn so far below them
_UP = {"loss": "Detail lost, tight (%)", "score": "Score of the release"}


def plot_k_sweep(sweep: KSweep, ax: Axes | None, measure: str | None, **style: Any) -> Axes:
    """Draw the detail that is lost, or the score, along k.

    Parameters
    ----------
    sweep : KSweep
    ax : Axes or None
    measure : {"loss", "score"} or None
    **style
        See `Style`.
    """
    facts = sweep.to_dict()
    scored = any(row["score"] is not None for row in facts["rows"])
    measure = measure or ("score" if scored else "loss")
    check_choice("plot", "measure", measure, _UP)
    if measure == "score" and not scored:
        raise nothing_to_draw("no score was asked for: k_sweep(..., score=...).")
    paper = Paper(ax, style)
    _draw(paper, [facts], measure)
    if measure == "loss":
        paper.percent("y")
    return paper.done(
        f"What every k costs: {method_name(sweep.method)}",
        _ACROSS,
        _UP[measure],
    )


def plot_k_scores(scores: KScores, ax: Axes | None, **style: Any) -> Axes:
    """Draw what a model learns from the releases of each method, along k.

    Parameters
    ----------
    scores : KScores
    ax : Axes or None
    **style
        See `Style`.
    """
    paper, measure = Paper(ax, style, (7.2, 4.8)), scores.scores["measure"]
    _draw(paper, [sweep.to_dict() for sweep in scores.sweeps], "score")
    raw, chance = scores.scores["raw"], scores.scores["chance"]
    paper.level(raw, f"raw rows: {told(score_words(raw, measure))}", "--")
    low, high = paper.ax.get_ylim()
    words = f"one answer for all: {told(score_words(chance, measure))}"
    if chance >= low - _FAR * (high - low):
        paper.level(chance, words, ":")
    else:
        paper.ax.plot([], [], linestyle="none", label=f"{words} (below)")
    if measure == "share":
        paper.percent("y")
    name = score_name(measure)
    unit = " (%)" if measure == "share" else ""
    return paper.done(
        "What a model learns from the release",
        _ACROSS,
        f"{name[0].upper()}{name[1:]}, people held out{unit}",
    )


def _draw(paper: Paper, sweeps: Sequence[Mapping[str, Any]], measure: str) -> None:
    """Draw a line for each sweep; each doubling of k takes the same room."""
    ks: set[int] = set()
    for place, sweep in enumerate(sweeps):
        spots = sorted((r["k"], r[measure]) for r in sweep["rows"] if r[measure] is not None)
        ks |= {k for k, _ in spots}
        name = method_name(sweep["method"])
        x, y = [k for k, _ in spots], [value for _, value in spots]
        paper.line(x, y, paper.style.look(place), label=name)
    paper.ax.set_xscale("log")
    paper.ax.set_xticks(sorted(ks), [f"{k:,}" for k in sorted(ks)])
    paper.ax.minorticks_off()

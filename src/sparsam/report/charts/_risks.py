"""Risks as a chart: how often each adversary is wrong, and how often it would be without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparsam.attack import WORST, Attacks, Risk
from sparsam.report._attack_view import ATTACKERS, GUESSING, attack_view, share_of
from sparsam.report._words import data_words, pair, short_percent
from sparsam.report.charts._paper import RISK, Look, Paper, named, nothing_to_draw, row_height, told
from sparsam.report.charts._rows import Row, draw_rows, rule_between

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Data = Mapping[str, Any]
_ATTACKER = Look(RISK, "o", "-", "")
_LANE = 0.19
_FEW = "all of it was measured on fewer than five people."


def plot_attacks(attacks: Attacks, ax: Axes | None, by: str, **style: Any) -> Axes:
    """Draw what every adversary achieved, over all personal attributes or one by one.

    Parameters
    ----------
    attacks : Attacks
    ax : Axes or None
    by : {"adversary", "attribute"}
    **style
        See `Style`.
    """
    facts = attacks.to_dict()
    if by == "attribute":
        return _by_attribute(facts, ax, style)
    known = [risk for risk in facts["risks"] if risk["value"] is not None]
    return _listed(known, list(map(_adversary, known)), "What attackers get wrong", ax, style)


def plot_risk(risk: Risk, ax: Axes | None, **style: Any) -> Axes:
    """Draw what one adversary achieved, attribute by attribute where it has several.

    Parameters
    ----------
    risk : Risk
    ax : Axes or None
    **style
        See `Style`.
    """
    facts = risk.to_dict()
    known = [part for part in facts["parts"] or [facts] if part["value"] is not None]
    names = [part["attribute"] or _adversary(part) for part in known]
    # the most exposed first: where the baseline is beaten by most
    order = sorted(range(len(known)), key=lambda place: -(known[place]["recovered"] or 0.0))
    return _listed(
        [known[place] for place in order],
        [names[place] for place in order],
        f"What the attacker gets wrong: {named(_adversary(facts))}",
        ax,
        style,
    )


def _listed(
    risks: Sequence[Data], names: Sequence[str], title: str, ax: Axes | None, style: Data
) -> Axes:
    """Draw risks one below the other."""
    if not risks:
        raise nothing_to_draw(_FEW)
    paper = Paper(ax, style, (7.2, row_height(len(risks))))
    look = _ATTACKER if paper.style.colors is None else paper.style.look(0)._replace(marker="o")
    rows = [
        Row(place, wrong(risk, risk["value"]), _interval(risk), wrong(risk, risk["baseline"]),
            look, "attacker, 95 % interval")
        for place, risk in enumerate(risks)
    ]  # fmt: skip
    draw_rows(paper, rows, "without the records")
    paper.names(names)
    return _finish(paper, title, risks)


def _by_attribute(facts: Data, ax: Axes | None, style: Data) -> Axes:
    view = attack_view(facts, {})
    if not view.attributes:
        raise nothing_to_draw("none of these adversaries guesses attribute by attribute.")
    lanes = len(view.codes)
    paper = Paper(ax, style, (7.2, row_height(len(view.attributes), each=0.16 + 0.15 * lanes)))
    rows = []
    for place, attribute in enumerate(view.attributes):
        for lane, code in enumerate(view.codes):
            if (risk := attribute.risks.get(code)) is None or risk["value"] is None:
                continue
            offset = _LANE * (lane - (lanes - 1) / 2)
            name = f"{code} {ATTACKERS[code].name}"
            look = paper.style.look(GUESSING.index(code))
            rows.append(
                Row(place, risk["value"], pair(risk["interval"]), risk["baseline"], look, name,
                    offset)
            )  # fmt: skip
    draw_rows(paper, rows, "without the records", tall=8)
    rule_between(paper, len(view.attributes))
    paper.names([attribute.name for attribute in view.attributes])
    risks = [risk for attribute in view.attributes for risk in attribute.risks.values()]
    return _finish(paper, "What attackers get wrong, by attribute", risks)


def _finish(paper: Paper, title: str, risks: Sequence[Data]) -> Axes:
    paper.ax.set_xlim(left=-0.02 * paper.ax.get_xlim()[1])
    paper.percent("x")
    splits = ", ".join(dict.fromkeys(data_words(risk["split"]) for risk in risks))
    return paper.done(title, f"Wrong guesses, {splits} (%); further left is worse", "", grid="x")


def wrong(risk: Data, value: float | None) -> float | None:
    """Return how far a value is from that of an adversary who gets everyone right.

    Examples
    --------
    >>> wrong({"measure": "error"}, 0.25), wrong({"measure": "accuracy"}, 0.75)
    (0.25, 0.25)
    """
    return None if value is None else abs(WORST[risk["measure"]] - value)


def _interval(risk: Data) -> tuple[float, float] | None:
    ends = pair(risk["interval"])
    if ends is None:
        return None
    low, high = sorted(abs(WORST[risk["measure"]] - end) for end in ends)
    return low, high


def _adversary(risk: Data) -> str:
    """Name an adversary; where its measure is no error, say what is drawn."""
    code = risk["id"]
    attacker = ATTACKERS.get(code)
    words = risk["adversary"] if attacker is None else f"{code} {attacker.name}"
    if code == "A2" and (share := share_of(risk)):
        words = f"A2 Surest {told(short_percent(share))} of its guesses"
    elif code == "control":
        words = "Control: people of the sample"
    if risk["measure"] not in ("error", "accuracy"):
        words += f" (1 − {risk['measure']})"
    return str(words)

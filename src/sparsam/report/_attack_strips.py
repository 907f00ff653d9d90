"""Lines of the attack tables: attackers on one attribute, and people by how many are alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.report._attack_view import AttributeRow
from sparsam.report._data import AttackRiskData, HistogramData
from sparsam.report._marks import colour, mark
from sparsam.report._scale import Scale
from sparsam.report._svg import percent_of, tag
from sparsam.report._words import pair, percent, whole

LANE = 11
BAR = 18


def lane_scale(rows: Sequence[AttributeRow]) -> Scale:
    """Return all attributes one scale, from no error to the largest that is drawn.

    Examples
    --------
    >>> lane_scale([]).high
    0.1
    """
    largest = [0.1]
    for row in rows:
        largest.append(row.baseline or 0.0)
        for risk in row.risks.values():
            largest += [risk["value"] or 0.0, *(pair(risk["interval"]) or ())]
    return Scale(0.0, max(largest), 0.0, 1.0)


def lanes(row: AttributeRow, codes: Sequence[str], scale: Scale) -> Markup:
    """Draw one lane for each attacker: its shape, and a line to the majority guess.

    Parameters
    ----------
    row : AttributeRow
        The attribute.
    codes : sequence of str
        The attackers, from top to bottom.
    scale : Scale
        The scale shared by all attributes.
    """
    height = LANE * len(codes) + 6
    parts: list[Markup] = []
    if row.baseline is not None:
        at = percent_of(scale(row.baseline))
        parts.append(tag("line", x1=at, x2=at, y1=1, y2=height - 1, class_="guess"))
    for number, code in enumerate(codes):
        if code in row.risks:
            y = 3 + LANE * (number + 0.5)
            parts += _lane(code, row.risks[code], row.baseline, scale, y)
    said = [
        f"{code} wrong {percent(row.risks[code]['value'])}" for code in codes if code in row.risks
    ]
    words = ", ".join([*said, f"majority guess wrong {percent(row.baseline)}"])
    return tag("svg", tag("title", words), *parts, class_="strip", height=height, role="img")


def _lane(
    code: str, risk: AttackRiskData, baseline: float | None, scale: Scale, y: float
) -> list[Markup]:
    parts = [tag("line", x1="0", x2="100%", y1=y, y2=y, class_="track")]
    if risk["value"] is None:
        return parts
    at = percent_of(scale(risk["value"]))
    if baseline is not None:
        guess = percent_of(scale(baseline))
        parts.append(tag("line", x1=at, x2=guess, y1=y, y2=y, class_=f"reach {colour(code)}"))
    if (ends := pair(risk["interval"])) is not None:
        start, stop = percent_of(scale(ends[0])), percent_of(scale(ends[1]))
        parts.append(tag("line", x1=start, x2=stop, y1=y, y2=y, class_="whisker"))
    parts.append(tag("svg", mark(code), x=at, y=y, overflow="visible"))
    return parts


def people_top(bars: Sequence[HistogramData]) -> int:
    """Return the power of ten at the end of the scale of people.

    Examples
    --------
    >>> people_top([{"from": 1, "to": 1, "people": 38289}])
    100000
    """
    most = max((bar["people"] for bar in bars if isinstance(bar["people"], int)), default=0)
    return int(10 ** max(1, math.ceil(math.log10(max(most, 1)))))


def people_bar(bar: HistogramData, top: int) -> Markup:
    """Draw how many people are in groups of one size; each step is ten times as many."""
    steps = round(math.log10(top))
    parts = [
        tag("line", x1=percent_of(step / steps), x2=percent_of(step / steps), y1=0, y2=BAR,
            class_="step")
        for step in range(steps + 1)
    ]  # fmt: skip
    people = bar["people"]
    if isinstance(people, int) and people > 0:
        width = percent_of(max(math.log10(people) / steps, 0.005))
        kind = "people small" if bar["to"] < SMALLEST_COUNT else "people"
        parts.append(tag("rect", x=0, y=4, width=width, height=BAR - 8, class_=kind))
    words = f"{whole(people)} people"
    return tag("svg", tag("title", words), *parts, class_="strip", height=BAR, role="img")


def group_words(bar: HistogramData, last: bool) -> str:
    """Return how many people share a record.

    Examples
    --------
    >>> group_words({"from": 1, "to": 1, "people": 9}, False)
    'alone'
    >>> group_words({"from": 100, "to": 6674, "people": 9}, True)
    '100 or more'
    """
    if last:
        return f"{whole(bar['from'])} or more" if bar["from"] > 1 else "any number"
    if bar["from"] == bar["to"]:
        return "alone" if bar["to"] == 1 else whole(bar["to"])
    return f"{whole(bar['from'])}–{whole(bar['to'])}"

"""One line of the risk figure: the attacker's error against the majority guess."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sparsam.report._data import AttributeRiskData
from sparsam.report._scale import Scale
from sparsam.report._svg import percent_of, tag
from sparsam.report._view import RiskRow
from sparsam.report._words import pair, percent

HEIGHT = 22
MIDDLE = HEIGHT / 2


def risk_scale(rows: Sequence[RiskRow]) -> Scale:
    """Return all attributes one scale, from no error to the largest that is drawn.

    Examples
    --------
    >>> risk_scale([]).high
    0.1
    """
    largest = [0.1]
    for risk in (row.risk for row in rows):
        ends = pair(risk["interval"]) or (0.0, 0.0)
        largest += [ends[1], risk["value"] or 0.0, risk["baseline"] or 0.0]
    return Scale(0.0, max(largest), 0.0, 1.0)


def risk_strip(risk: AttributeRiskData, scale: Scale) -> Markup:
    """Draw a tick for the majority guess, a dot for the attacker and a bar for what is gained.

    Places are shares of the width, so the strip fits any column.

    Parameters
    ----------
    risk : AttributeRiskData
        The attribute's numbers.
    scale : Scale
        The scale shared by all attributes.
    """
    parts = [tag("line", x1="0", x2="100%", y1=MIDDLE, y2=MIDDLE, class_="track")]
    error, baseline = risk["value"], risk["baseline"]
    if error is not None and baseline is not None:
        parts.append(_gain(scale(error), scale(baseline)))
    if (ends := pair(risk["interval"])) is not None:
        parts.append(_whisker(scale(ends[0]), scale(ends[1])))
    if baseline is not None:
        at = percent_of(scale(baseline))
        parts.append(tag("line", x1=at, x2=at, y1=3, y2=HEIGHT - 3, class_="guess"))
    if error is not None:
        parts.append(tag("circle", cx=percent_of(scale(error)), cy=MIDDLE, r=4.5, class_="attack"))
    words = f"attacker wrong {percent(error)}, majority guess wrong {percent(baseline)}"
    return tag("svg", tag("title", words), *parts, class_="strip", height=HEIGHT, role="img")


def _gain(error: float, baseline: float) -> Markup:
    return tag(
        "rect",
        x=percent_of(min(error, baseline)),
        y=MIDDLE - 4,
        width=percent_of(abs(baseline - error)),
        height=8,
        class_="gain" if error <= baseline else "gain none",
    )


def _whisker(low: float, high: float) -> Markup:
    start, stop = percent_of(low), percent_of(high)
    return tag("line", x1=start, x2=stop, y1=MIDDLE, y2=MIDDLE, class_="whisker")

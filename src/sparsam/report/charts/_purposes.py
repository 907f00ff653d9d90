"""Several purposes as a chart: which of them needs which attribute, and how finely."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sparsam.assess import PurposesChoice
from sparsam.report.charts._paper import ACCENT, INK, Paper, named, row_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 14
ALL = "all purposes"


def plot_purposes(choice: PurposesChoice, ax: Axes | None, **style: Any) -> Axes:
    """Draw a matrix of attributes and purposes: the darker, the finer; numbers are buckets.

    Parameters
    ----------
    choice : PurposesChoice
    ax : Axes or None
    **style
        See `Style`.
    """
    needs = choice.to_dict()["needs"]
    columns = [*choice.purposes, ALL]
    paper = Paper(ax, style, (2.4 + 1.25 * len(columns), row_height(len(needs), each=0.32)))
    shades = []
    for row, need in enumerate(needs):
        cells = [*(need["alone"][name] for name in choice.purposes), need["together"]]
        shares = [_share(labels, need["values"]) for labels in cells]
        shades.append(shares)
        for column, (labels, share) in enumerate(zip(cells, shares, strict=True)):
            words = "?" if labels is None else str(len(labels)) if labels else "–"
            paper.ax.text(column, row, words, ha="center", va="center", fontsize="small",
                          color="white" if share > 0.6 else INK)  # fmt: skip
    paper.shades(shades, ("white", ACCENT))
    paper.names([need["attribute"] for need in needs])
    paper.ax.set_ylim(len(needs) - 0.5, -0.5)
    paper.ax.set_xticks(range(len(columns)), [named(name, _LONGEST) for name in columns])
    paper.ax.axvline(len(columns) - 1.5, color=INK, linewidth=1.2)
    paper.ax.hlines([row + 0.5 for row in range(len(needs) - 1)], -0.5, len(columns) - 0.5,
                    color="white", linewidth=1.2)  # fmt: skip
    paper.ax.tick_params(axis="x", length=0)
    return paper.done(
        "Which purpose needs what", "Purpose (number of buckets; – not needed)", "", grid=None
    )


def _share(labels: list[str] | None, values: int) -> float:
    """How finely an attribute is told, from 0 (not at all) to 1 (every value)."""
    return min(1.0, math.log(max(1, len(labels or ()))) / math.log(max(2, values)))

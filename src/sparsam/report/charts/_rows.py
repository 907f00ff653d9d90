"""Rows: a figure with its interval beside what it is held against, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sparsam.report.charts._paper import INK, SOFT, Look, Paper


@dataclass(frozen=True)
class Row:
    """One figure of a row.

    Attributes
    ----------
    row : int
        Which row it is in, from the top.
    value : float or None
    interval : pair of float or None
    against : float or None
        What it is held against.
    look : Look
    name : str
        Of the series, in a legend.
    lane : float
        How far below the middle of its row it is, where several share one.
    hollow : bool
        Whether the shape is empty.
    """

    row: int
    value: float | None
    interval: tuple[float, float] | None
    against: float | None
    look: Look
    name: str
    lane: float = 0.0
    hollow: bool = False

    @property
    def place(self) -> float:
        """Where it is between the first row and the last."""
        return self.row + self.lane


def draw_rows(
    paper: Paper, rows: Sequence[Row], against: str | None = None, tall: float = 15
) -> None:
    """Draw every figure, a thin line to what it is held against, and its interval.

    Parameters
    ----------
    paper : Paper
    rows : sequence of Row
    against : str, optional
        What all of them are held against, in a legend; nothing is drawn of it without a name.
    tall : float, default=15
        How high the line for that is, in points.
    """
    for row in rows:
        y = [row.place, row.place]
        if row.value is not None and row.against is not None and against is not None:
            paper.ax.plot([row.value, row.against], y, color=row.look.colour, linewidth=1.0,
                          linestyle=":", zorder=1.5)  # fmt: skip
        if row.interval is not None:
            paper.ax.plot(row.interval, y, color=row.look.colour, linewidth=2.2, alpha=0.55,
                          zorder=1.6, solid_capstyle="butt")  # fmt: skip
    held = [(row.against, row.place) for row in rows if row.against is not None]
    if against is not None and held:
        ticks: dict[str, Any] = {"marker": "|", "markersize": tall, "markeredgewidth": 2.2}
        paper.ax.plot([x for x, _ in held], [y for _, y in held], color=INK, linestyle="none",
                      label=against, zorder=2.5, **ticks)  # fmt: skip
    for name in dict.fromkeys(row.name for row in rows):
        some = [row for row in rows if row.name == name and row.value is not None]
        if some:
            look = some[0].look
            empty = {"markerfacecolor": "white", "markeredgecolor": look.colour,
                     "markeredgewidth": 1.6} if some[0].hollow else {}  # fmt: skip
            values = [row.value for row in some if row.value is not None]
            paper.points(values, [row.place for row in some], look, label=name, zorder=3, **empty)


def rule_between(paper: Paper, rows: int) -> None:
    """Draw thin lines between rows that hold several figures."""
    for row in range(1, rows):
        paper.ax.axhline(row - 0.5, color=SOFT, linewidth=0.4, alpha=0.5, zorder=0.5)

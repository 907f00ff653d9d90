"""A mask as a chart: which values are kept, of blocks of people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparsam.individual import Mask
from sparsam.report._individual_data import picture_of
from sparsam.report._words import percent
from sparsam.report.charts._paper import ACCENT, INK, Paper, named, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NAMES = 36
_LONGEST = 18


def plot_mask(mask: Mask, ax: Axes | None, **style: Any) -> Axes:
    """Draw a row for every block of ten people or more, and a column for every attribute.

    Parameters
    ----------
    mask : Mask
    ax : Axes or None
    **style
        See `Style`.
    """
    picture = picture_of(mask.kept)
    paper = Paper(ax, style, (6.8, 6.4))
    drawn = paper.shades(picture["rows"], ("white", ACCENT), interpolation="nearest")
    rows, columns = len(picture["rows"]), len(picture["rows"][0])
    names, size = list(mask.attributes), len(mask.attributes)
    if size <= _MOST_NAMES and size == columns:
        paper.ax.set_xticks(range(size), [named(n, _LONGEST) for n in names], rotation=90)
    else:
        paper.ax.set_xticks([])
    paper.ax.set_yticks([])
    paper.ax.set_xticks([place - 0.5 for place in range(1, columns)], minor=True)
    paper.ax.grid(which="minor", axis="x", color=INK, linewidth=0.3, alpha=0.4)
    paper.ax.tick_params(which="minor", length=0)
    bar = paper.ax.get_figure(root=True).colorbar(  # type: ignore[union-attr]
        drawn, ax=paper.ax, format=lambda share, _: told(percent(share, 0)), shrink=0.8
    )
    bar.set_label("People of a row whose value is kept (%)")
    kept = told(percent(mask.kept_share))
    each = picture["people_per_row"]
    return paper.done(
        f"Which values are kept of whom: {kept} of all",
        "Attribute" if size <= _MOST_NAMES else f"{size:,} attributes",
        f"{rows:,} rows of about {each:,} people, most kept first",
        grid=None,
    )

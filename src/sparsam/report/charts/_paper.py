"""What all charts have in common: axes, the colours of the reports, shapes, words at the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sparsam._errors import MissingExtraError, ParameterError
from sparsam._printable import one_line
from sparsam.report._words import THIN, own_number, short_percent
from sparsam.report.plot._labels import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

# The colours of our reports (templates/page.css), which most who see few colours tell apart.
PAPER = "#fdfcf9"
INK = "#1c2024"
SOFT = "#565d64"
RULE = "#d9d4c8"
ACCENT = "#0f5e57"
ACCENT_SOFT = "#e0edea"
RISK = "#a8401b"
RISK_SOFT = "#eeb298"
BAR = "#9dbfba"
TRIED = "#a9a59b"

_COLOURS = (ACCENT, RISK, INK, SOFT, TRIED)
_MARKERS = ("^", "o", "s", "D", "P", "v", "X")
_LINES = ("-", "--", ":", "-.")
_HATCHES = ("", "//", "..", "xx", "--")
_LONGEST = 30
# In inches: beside a legend, a letter, the sign of a series, the numbers and words of an axis.
_MARGIN, _LETTER, _KEY, _BELOW = 0.2, 0.078, 0.65, 0.55


class Look(NamedTuple):
    """How one series is drawn: no two of the first 28 share both their shape and their line."""

    colour: str
    marker: str
    line: str
    hatch: str


@dataclass(frozen=True)
class Style:
    """What a user may change of a chart while it is drawn; the axes can be changed afterwards.

    Parameters
    ----------
    title : str, optional
        In place of ours; an empty one for none.
    figsize : pair of float, optional
        In inches, where no axes are given.
    colors : sequence of str, optional
        In place of the colours of our reports, for the series in their order.
    legend : bool, default=True
        Whether there may be one.
    marks : mapping
        What else matplotlib knows of lines, markers or bars, such as `alpha` or `markersize`.
    """

    title: str | None = None
    figsize: tuple[float, float] | None = None
    colors: Sequence[str] | None = None
    legend: bool = True
    marks: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Style:
        """Take apart what a user wrote."""
        own = {name: words[name] for name in ("title", "figsize", "colors", "legend")
               if name in words}  # fmt: skip
        if isinstance(own.get("colors"), str):
            own["colors"] = (own["colors"],)
        return cls(**own, marks={name: words[name] for name in words if name not in own})

    def look(self, place: int) -> Look:
        """Return how a series is drawn, by its place among the others.

        Examples
        --------
        >>> Style(colors=["black"]).look(1)
        Look(colour='black', marker='o', line='--', hatch='//')
        """
        colours = self.colors or _COLOURS
        return Look(
            colours[place % len(colours)],
            _MARKERS[place % len(_MARKERS)],
            _LINES[place % len(_LINES)],
            _HATCHES[place % len(_HATCHES)],
        )

    def line(self, **ours: Any) -> dict[str, Any]:
        """Join what we say of a line with what the user says, who is right."""
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        return ours | normalize_kwargs(dict(self.marks), Line2D)

    def bar(self, **ours: Any) -> dict[str, Any]:
        """Join what we say of bars with what the user says, who is right."""
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.patches import Patch

        return ours | normalize_kwargs(dict(self.marks), Patch)


class Paper:
    """Axes to draw on: those that were given, or the only ones of a new figure.

    Parameters
    ----------
    ax : Axes or None
    style : mapping
        What a user wrote; see `Style`.
    figsize : pair of float
        Of a new figure, unless the user says otherwise.
    """

    def __init__(
        self, ax: Axes | None, style: Mapping[str, Any], figsize: tuple[float, float] = (6.4, 4.4)
    ) -> None:
        self.style = Style.of(style)
        self.own = ax is None
        self.ax: Axes = new_axes(self.style.figsize or figsize)[0] if ax is None else ax

    def points(self, x: Sequence[float], y: Sequence[float], look: Look, **ours: Any) -> None:
        """Draw shapes without a line between them."""
        usual = {"marker": look.marker, "color": look.colour, "markersize": 7, "linestyle": "none",
                 "markeredgecolor": PAPER, "markeredgewidth": 0.8}  # fmt: skip
        self.ax.plot(x, y, **self.style.line(**usual | ours))

    def line(self, x: Sequence[float], y: Sequence[float], look: Look, **ours: Any) -> None:
        """Draw a line with a shape at each of its points."""
        usual = {"marker": look.marker, "color": look.colour, "linestyle": look.line,
                 "linewidth": 1.6, "markersize": 6.5, "markeredgecolor": PAPER,
                 "markeredgewidth": 0.8}  # fmt: skip
        self.ax.plot(x, y, **self.style.line(**usual | ours))

    def upright(self, x: float, ends: tuple[float, float] | None, colour: str = SOFT) -> None:
        """Draw the interval of a value; nothing where there is none."""
        if ends is not None:
            self.ax.plot([x, x], ends, color=colour, linewidth=1.2, zorder=1.5)

    def level(self, value: float | None, words: str, line: str = "--") -> None:
        """Draw a line from side to side that a legend names; nothing where it is not known."""
        if value is not None:
            self.ax.axhline(value, color=SOFT, linewidth=1.1, linestyle=line, label=words, zorder=1)

    def edge(self, value: float | None, words: str, line: str = "--") -> None:
        """Draw a line from top to bottom that a legend names; nothing where it is not known."""
        if value is not None:
            self.ax.axvline(value, color=SOFT, linewidth=1.1, linestyle=line, label=words, zorder=1)

    def shades(
        self, values: Any, colours: Sequence[str], low: float = 0.0, **ours: Any
    ) -> AxesImage:
        """Draw a matrix of numbers up to one, from the first colour to the last.

        Parameters
        ----------
        values : array-like of shape (rows, columns)
        colours : sequence of str
            The user's own take the place of the last ones.
        low : float, default=0.0
            The number that is drawn in the first colour.
        """
        from matplotlib.colors import LinearSegmentedColormap

        own = list(self.style.colors or ())[: len(colours)]
        between = LinearSegmentedColormap.from_list(
            "shades", [*colours[: len(colours) - len(own)], *own]
        )
        look: dict[str, Any] = {"cmap": between, "vmin": low, "vmax": 1.0, "aspect": "auto"}
        return self.ax.imshow(values, **look | ours | dict(self.style.marks))

    def names(self, words: Sequence[str], longest: int = _LONGEST) -> None:
        """Write one name for each row, the first at the top."""
        self.ax.set_yticks(range(len(words)), [named(word, longest) for word in words])
        self.ax.set_ylim(len(words) - 0.4, -0.6)
        self.ax.tick_params(axis="y", length=0)

    def percent(self, axis: Literal["x", "y"], most: int = 6) -> None:
        """Write the numbers of an axis as percentages."""
        getattr(self.ax, f"{axis}axis").set_major_formatter(percent_tick)
        self.ax.locator_params(axis=axis, nbins=most)

    def numbers(self, axis: Literal["x", "y"], most: int = 6) -> None:
        """Write the numbers of an axis in the user's own units, as many as have room beside."""
        getattr(self.ax, f"{axis}axis").set_major_formatter(lambda value, _: own_number(value))
        if axis == "x":
            letters = max(len(own_number(round(end))) for end in self.ax.get_xlim())
            width = self.ax.get_window_extent().width / self.ax.figure.dpi
            most = max(1, min(most, int(width / (_LETTER * letters + 0.2))))
        self.ax.locator_params(axis=axis, nbins=most)

    def done(
        self, title: str, across: str, up: str, grid: Literal["both", "x", "y"] | None = "both"
    ) -> Axes:
        """Write what is drawn and what the axes measure, and name the series if there are several.

        Parameters
        ----------
        title, across, up : str
        grid : {"both", "x", "y"} or None
            Which numbers get a line through the chart.
        """
        ax, style = self.ax, self.style
        words = title if style.title is None else style.title
        if words:
            ax.set_title(words, loc="left")
        ax.set_xlabel(across)
        ax.set_ylabel(up)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_axisbelow(True)
        if grid is not None:
            ax.grid(axis=grid, color=RULE, linewidth=0.8)
        if style.legend and len(ax.get_legend_handles_labels()[0]) > 1:
            self._legend()
        return ax

    def _legend(self) -> None:
        """Name the series: below the axes of our own figure, or where a given one has room."""
        ax = self.ax
        if not self.own:
            ax.legend(loc="best", fontsize="small")
            return
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        figure = ax.get_figure(root=True)
        assert figure is not None
        longest = max(map(len, ax.get_legend_handles_labels()[1]))
        columns = max(1, int((figure.get_figwidth() - _MARGIN) / (_LETTER * longest + _KEY)))
        below = ax.transAxes + ScaledTranslation(0, -_BELOW, figure.dpi_scale_trans)
        place = blended_transform_factory(figure.transFigure, below)
        ax.legend(loc="upper left", bbox_to_anchor=(0.01, 0), bbox_transform=place, ncols=columns,
                  frameon=False, borderaxespad=0, handlelength=2.4)  # fmt: skip


def new_axes(figsize: tuple[float, float], rows: int = 1, columns: int = 1) -> list[Axes]:
    """Make a figure with so many axes.

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise MissingExtraError(
            "A plot needs matplotlib, which is not installed.\n\nHint: pip install 'sparsam[plot]'"
        ) from error
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    engine = ConstrainedLayoutEngine(w_pad=0.07, h_pad=0.07)
    figure, _ = plt.subplots(rows, columns, figsize=figsize, layout=engine)
    return list(figure.axes)


def percent_tick(share: float, place: int | None = None) -> str:
    """Write a share at an axis.

    Examples
    --------
    >>> percent_tick(0.05).replace("\\u00a0", " "), percent_tick(-0.005).replace("\\u00a0", " ")
    ('5 %', '−0.5 %')
    """
    return told(short_percent(share))


def told(words: str) -> str:
    """Write words with signs that every font has, and that matplotlib takes for words.

    Examples
    --------
    >>> told("5\\u202f%") == "5\\u00a0%", told("under $5")
    (True, 'under \\\\$5')
    """
    return words.replace(THIN, "\u00a0").replace("$", r"\$")


def named(words: str, longest: int = _LONGEST) -> str:
    """Write a name or a label of the user's on one line, cut to so many letters.

    Examples
    --------
    >>> named("a very long name of an attribute", 12)
    'a very long…'
    """
    return told(shorten(one_line(words), longest))


def nothing_to_draw(what: str) -> ParameterError:
    """Make the error for a chart that would be empty."""
    return ParameterError(f"There is nothing to draw: {what}")


def row_height(rows: int, least: float = 2.2, each: float = 0.34) -> float:
    """Return how high a figure must be for so many rows, in inches.

    Examples
    --------
    >>> row_height(1), row_height(20)
    (2.2, 8.3)
    """
    return max(least, round(1.5 + each * rows, 3))

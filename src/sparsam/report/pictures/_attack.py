"""The pictures of attacks: errors as lines, and strips for the tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.report._attack_view import GUESSING, AttackView, AttributeRow, naive_of, share_of
from sparsam.report._score_words import axis, most_useful, tick, value_words
from sparsam.report._words import Interval, counted, pair, percent, short_percent, whole
from sparsam.report.plot._marks import Mark
from sparsam.report.plot._plot import Canvas, Picture, Plot, picture
from sparsam.report.plot._scale import Scale, padded, span
from sparsam.report.plot._strip import Strip, strip_scale

WIDE = Canvas("wide", 484, 330, ticks=7, right=30, top=48)
NARROW = Canvas("narrow", 340, 300, ticks=5, left=44, right=28, top=48)
_LANE = 11
_BAR = 18
# One shape for each attacker, so that no reader has to tell colours apart.
_MARKS = {
    "A1": Mark("circle", "a1"),
    "A3": Mark("diamond", "a3"),
    "A5": Mark("triangle", "a5"),
    "A4": Mark("square", "a4"),
}


@dataclass(frozen=True)
class Spot:
    """One measured point of a line."""

    x: float
    error: float
    interval: Interval
    hint: str


Lines = dict[str, list[Spot]]


def mark_of(code: str) -> Mark:
    """Return an attacker's shape and colour."""
    return _MARKS.get(code, _MARKS["A1"])


def mark_key(code: str) -> Markup:
    """Draw an attacker's shape on its own, for a legend or the head of a column."""
    return mark_of(code).key()


def confidence_figure(view: AttackView) -> Picture | None:
    """Draw how often A2 errs, from its surest guesses to all of them; None without A2."""
    if not view.curve:
        return None
    spots = [_surest(risk) for risk in view.curve]
    naive = view.curve[-1]["baseline"]
    ticks = [(spot.x, short_percent(share_of(risk)))
             for spot, risk in zip(spots, view.curve, strict=True)]  # fmt: skip
    plots = []
    for canvas in (WIDE, NARROW):
        plot = _error_plot({"A1": spots}, naive, canvas)
        plot.base(ticks)
        _draw_errors(plot, {"A1": spots}, naive, "Share of guesses, the surest first →")
        plots.append(plot)
    title = "Attacker error against the share of guesses it acts on"
    words = f"{'; '.join(spot.hint for spot in spots)}. Majority guess wrong {percent(naive)}."
    return picture("confidence", "lines", title, words, plots)


def _surest(risk: Mapping[str, Any]) -> Spot:
    share, error = share_of(risk), risk["value"] or 0.0
    which = "all guesses" if share == 1 else f"surest {short_percent(share)}"
    return Spot(math.log10(share), error, risk["interval"], f"{which}: wrong {percent(error)}")


def along_figure(view: AttackView, chosen: int | None) -> Picture | None:
    """Draw how often attackers err on the points of the front; None when that is not known.

    Parameters
    ----------
    view : AttackView
    chosen : int or None
        The id of the chosen point, to mark it.
    """
    lines = {code: spots for code in GUESSING if (spots := _spots(view, code))}
    if not lines:
        return None
    naive = next((naive_of(risk) for code in GUESSING if (risk := view.risk(code))), None)
    at = [point["utility_error"] for point in view.along if point["id"] == chosen]
    plots = []
    for canvas in (WIDE, NARROW):
        plot = _error_plot(lines, naive, canvas)
        plot.base((value, tick(view.score, value)) for value in plot.x.ticks(canvas.ticks))
        if at and at[0] is not None:
            plot.edge(at[0], "chosen")
        _draw_errors(plot, lines, naive, axis(view.score))
        plots.append(plot)
    words = (
        f"{counted(len(view.along), 'point')} of the front, {most_useful(view.score)} model on the "
        "left; the figures stand in the table below."
    )
    return picture("along", "lines", "Error of each attacker along the front", words, plots)


def _spots(view: AttackView, code: str) -> list[Spot]:
    spots = []
    for point in view.along:
        x, error = point["utility_error"], point["errors"].get(code)
        if x is not None and error is not None:
            told = f"model error {percent(x)}"
            if view.score.name != "accuracy":
                told = f"{view.score.kind.words} {value_words(view.score, x)}"
            hint = f"{point['label']}: {told}, {code} wrong {percent(error)}"
            spots.append(Spot(x, error, None, hint))
    return spots


def _error_plot(lines: Lines, naive: float | None, canvas: Canvas) -> Plot:
    """Return a plot with room for all errors, from none at its floor."""
    spots = [spot for line in lines.values() for spot in line]
    errors: list[float | None] = [naive]
    for spot in spots:
        errors += spot.error, *(pair(spot.interval) or ())
    across = padded(*span((spot.x for spot in spots), least=0.01), 0.03)
    plot = Plot(canvas, across, (0.0, 1.08 * span(errors)[1]))
    plot.grid(plot.y.ticks(6), short_percent)
    return plot


def _draw_errors(plot: Plot, lines: Lines, naive: float | None, across: str) -> None:
    """Draw the majority guess, and a line with its intervals and marks for each attacker."""
    end = plot.canvas.width if plot.canvas.name == "narrow" else plot.right
    plot.names("↑ Attacker error: higher is safer", across, end)
    if naive is not None:
        plot.level(naive, "naive", f"majority guess {percent(naive)}")
    for spots in lines.values():
        for spot in spots:
            plot.interval(spot.x, pair(spot.interval))
    for code, spots in lines.items():
        plot.line([(spot.x, spot.error) for spot in spots], f"line {mark_of(code).colour}")
    for code, spots in lines.items():
        for spot in spots:
            plot.mark(mark_of(code), spot.x, spot.error, spot.hint)
    if len(lines) > 1:
        plot.end_names((spots[-1].x, spots[-1].error, code) for code, spots in lines.items())


def lane_scale(rows: Sequence[AttributeRow]) -> Scale:
    """Return one scale for all attributes, from no error to the largest that is drawn."""
    errors = [row.naive for row in rows]
    for risk in (risk for row in rows for risk in row.risks.values()):
        errors += risk["value"], risk["baseline"], *(pair(risk["interval"]) or ())
    return strip_scale(errors)


def lanes(row: AttributeRow, codes: Sequence[str], scale: Scale) -> Picture:
    """Draw one lane for each attacker: its shape, and a line to what it would get wrong without.

    Parameters
    ----------
    row : AttributeRow
        The attribute.
    codes : sequence of str
        The attackers, from top to bottom.
    scale : Scale
        The scale shared by all attributes.
    """
    strip = Strip(scale, _LANE * len(codes) + 6)
    strip.tick(row.naive, "guess", margin=1)
    words = []
    for number, code in enumerate(codes):
        if code not in row.risks:
            continue
        risk, y = row.risks[code], 3 + _LANE * (number + 0.5)
        words.append(f"{code} wrong {percent(risk['value'])}")
        strip.track(y)
        if risk["value"] is None:
            continue
        if risk["baseline"] is not None:
            strip.span((risk["value"], risk["baseline"]), y, f"reach {mark_of(code).colour}")
        strip.span(pair(risk["interval"]), y, "whisker")
        strip.mark(mark_of(code), risk["value"], y)
    return strip.picture(", ".join([*words, f"majority guess wrong {percent(row.naive)}"]))


def people_top(bars: Sequence[Mapping[str, Any]]) -> int:
    """Return the power of ten at the end of the scale of people.

    Examples
    --------
    >>> people_top([{"from": 1, "to": 1, "people": 38289}])
    100000
    """
    most = max((bar["people"] for bar in bars if isinstance(bar["people"], int)), default=0)
    return int(10 ** max(1, math.ceil(math.log10(max(most, 1)))))


def people_bar(bar: Mapping[str, Any], top: int) -> Picture:
    """Draw how many people are in groups of one size; each step is ten times as many."""
    steps = round(math.log10(top))
    strip = Strip(Scale(0.0, steps, 0.0, 1.0), _BAR)
    for step in range(steps + 1):
        strip.tick(step, "step")
    people = bar["people"]
    if isinstance(people, int) and people > 0:
        kind = "people small" if bar["to"] < SMALLEST_COUNT else "people"
        strip.bar((0.0, max(math.log10(people), 0.005 * steps)), 4, _BAR - 8, kind)
    return strip.picture(f"{whole(people)} people")


def group_words(bar: Mapping[str, Any], last: bool) -> str:
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

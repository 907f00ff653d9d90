"""The two line figures of the attack section."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from sparsam.report._attack_view import AttackView, share_of
from sparsam.report._attack_words import GUESSING
from sparsam.report._data import AlongFrontData, AttackRiskData
from sparsam.report._line_figure import NARROW, WIDE, Line, Picture, Spot, line_figure
from sparsam.report._words import counted, percent, short_percent


def confidence_figure(view: AttackView) -> Markup | None:
    """Draw how often A2 errs, from its surest guesses to all of them; None without A2."""
    if not view.curve:
        return None
    spots = [_surest(risk) for risk in view.curve]
    said = "; ".join(spot.hint for spot in spots)
    return _both(
        Picture(
            name="confidence",
            title="Attacker error against the share of guesses it acts on",
            words=f"{said}. Majority guess wrong {percent(view.curve[-1]['baseline'])}.",
            across="Share of guesses, the surest first →",
            lines=(Line("A1", tuple(spots)),),
            naive=view.curve[-1]["baseline"],
            ticks=tuple((spot.x, short_percent(share_of(risk)))
                        for spot, risk in zip(spots, view.curve, strict=True)),
        )
    )  # fmt: skip


def along_figure(view: AttackView, chosen: int | None) -> Markup | None:
    """Draw how often attackers err on the points of the front; None when that is not known.

    Parameters
    ----------
    view : AttackView
    chosen : int or None
        The id of the chosen point, to mark it.
    """
    lines = tuple(Line(code, spots) for code in GUESSING if (spots := _spots(view.along, code)))
    if not lines:
        return None
    naive = next((risk["baseline"] for code in GUESSING if (risk := view.risk(code))), None)
    at = [point["utility_error"] for point in view.along if point["id"] == chosen]
    return _both(
        Picture(
            name="along",
            title="Error of each attacker along the front",
            words=f"{counted(len(view.along), 'point')} of the front, the most accurate model "
            "on the left; the figures stand in the table below.",
            across="Model error → less accurate",
            lines=lines,
            naive=naive,
            chosen=at[0] if at else None,
        )
    )


def _surest(risk: AttackRiskData) -> Spot:
    share, error = share_of(risk), risk["value"] or 0.0
    which = "all guesses" if share == 1 else f"surest {short_percent(share)}"
    return Spot(math.log10(share), error, risk["interval"], f"{which}: wrong {percent(error)}")


def _spots(points: Sequence[AlongFrontData], code: str) -> tuple[Spot, ...]:
    found = []
    for point in points:
        x, error = point["utility_error"], point["errors"].get(code)
        if x is not None and error is not None:
            hint = f"{point['label']}: model error {percent(x)}, {code} wrong {percent(error)}"
            found.append(Spot(x, error, None, hint))
    return tuple(found)


def _both(picture: Picture) -> Markup:
    """Draw for a screen and for a telephone; the page shows one of them."""
    return Markup("\n").join(line_figure(picture, canvas) for canvas in (WIDE, NARROW))

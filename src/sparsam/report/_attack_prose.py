"""The sentences of a report of attacks."""

from __future__ import annotations

from sparsam.report._attack_view import AttackView
from sparsam.report._data import AttackReportData, AttackRiskData
from sparsam.report._prose import data_words
from sparsam.report._words import counted, percent, percent_range, rough_percent, whole
from sparsam.report.page._blocks import KeyFigure, Verdict

INTERRUPTED = (
    "The attacks were interrupted: what is missing below was not tried, and is no sign of safety."
)
LEAD = (
    "These attackers differ in what they know and in what they try. All of them know how the "
    "records were made coarser, and those who guess or link hold a full-resolution sample of other "
    "people. An error is worth only what it is compared with, so each stands beside its baseline. "
    "Recovered is the share of the majority guess’s mistakes that an attacker avoids."
)
CERTIFIED = (
    "The bounds hold for anyone who sees only the collected records, as A1 does. They do not bind "
    "attackers who know more about a person or act only on their surest guesses."
)


def attack_verdict(data: AttackReportData, view: AttackView) -> Verdict:
    """Say in two plain sentences what attackers make of these records."""
    total, held = data["task"]["attributes"], data["collected"]["n_collected"]
    who = {"A1": "Whoever sees them", "A4": "Whoever also knows everything else about a person"}
    clauses = [
        f"{name} {_recovers(risk)}." for code, name in who.items() if (risk := view.risk(code))
    ]
    costs = " ".join(clauses) or f"{counted(len(view.attackers), 'attacker')} tried."
    return Verdict(f"These records hold {held} of {total} attributes.", costs)


def _recovers(risk: AttackRiskData) -> str:
    recovered = risk["recovered"]
    if recovered is None or recovered <= 0:
        return "does no better than the majority guess"
    return f"recovers {rough_percent(recovered)} of what the majority guess gets wrong"


def attack_figures(view: AttackView) -> list[KeyFigure]:
    """Pick the numbers that sum up the attacks, as far as they are there."""
    found = [
        _recovered(view.risk("A1"), "recovered from the records alone"),
        _recovered(view.risk("A4"), "recovered when all else is known"),
        _isolated(view.risk("A8")),
        _linked(view.risk("A7")),
    ]
    return [figure for figure in found if figure is not None]


def _recovered(risk: AttackRiskData | None, name: str) -> KeyFigure | None:
    if risk is None:
        return None
    guess = f"of what the majority guess gets wrong ({percent(risk['baseline'])})"
    wrong = f"attacker wrong {percent(risk['value'])}{_around(risk)}"
    return KeyFigure(
        rough_percent(risk["recovered"]), name, (guess, wrong, data_words(risk["split"]))
    )


def _isolated(risk: AttackRiskData | None) -> KeyFigure | None:
    if risk is None or risk["value"] is None:
        return None
    baseline = None if risk["baseline"] is None else 1 - risk["baseline"]
    alone = f"{whole(risk['details'].get('alone'))} of {whole(risk['n'])} stand alone"
    return KeyFigure(
        rough_percent(1 - risk["value"]),
        "of attempts single somebody out",
        (f"random descriptions {rough_percent(baseline)}", alone, data_words(risk["split"])),
    )


def _linked(risk: AttackRiskData | None) -> KeyFigure | None:
    if risk is None or risk["value"] is None:
        return None
    baseline = None if risk["baseline"] is None else 1 - risk["baseline"]
    notes = (f"{percent(baseline)} without these records", data_words(risk["split"]))
    return KeyFigure(percent(1 - risk["value"]), "of people linked across two lists", notes)


def _around(risk: AttackRiskData) -> str:
    around = percent_range(risk["interval"])
    return f" ({around})" if around else ""

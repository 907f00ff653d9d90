"""Attackers in plain words: what each knows, what it is held against, and how far it came."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sparsam.report._data import AttackRiskData
from sparsam.report._prose import beats_guessing, data_words
from sparsam.report._words import (
    NOTHING,
    counted,
    pair,
    percent,
    percent_range,
    short_percent,
    whole,
)

CONTROL = "control"
GUESSING = ("A1", "A3", "A5", "A4")
"""Attackers that guess attribute by attribute, from the one that knows least to the one that knows
all but what it guesses."""


@dataclass(frozen=True)
class Attacker:
    """One kind of attacker.

    Attributes
    ----------
    name : str
    knows : str
        What it knows, or does.
    against : str
        What its success is held against.
    """

    name: str
    knows: str
    against: str = "majority guess"


ATTACKERS = {
    "A1": Attacker("Reconstruction", "sees a person’s collected record"),
    "A2": Attacker("Reconstruction where it is surest", "as A1, but acts only on its surest guess"),
    "A3": Attacker(
        "Non-personal knowledge",
        "sees the record, and knows every attribute that is not personal exactly",
    ),
    "A4": Attacker(
        "All but one", "sees the record, and knows every other attribute of the person exactly"
    ),
    "A5": Attacker(
        "Partial personal knowledge",
        "as A3, and knows the personal attributes one after the other: mean over that chain",
    ),
    "A6": Attacker("Several breaches", "sees the record, and the same person’s in another release"),
    "A7": Attacker(
        "Linking",
        "has two lists with exact parts of people’s records, and links them through the collected "
        "records",
        "without the records",
    ),
    "A8": Attacker(
        "Singling out",
        "sees all records, and describes one person so that it fits nobody else",
        "random descriptions",
    ),
    CONTROL: Attacker(
        "Control",
        "as A1, on the people that the cut points were learned from, having learned from others",
        "people outside the sample",
    ),
}


@dataclass(frozen=True)
class Achieved:
    """How far an attacker came: a number, what it is a share of, and a remark."""

    value: str
    of: str
    remark: str = ""


def code_of(risk: AttackRiskData) -> str:
    """Return the short name of the adversary behind a risk; an empty one for a user's own."""
    code = risk["id"]
    return code if code in ATTACKERS else ""


def attacker_of(risk: AttackRiskData) -> Attacker:
    """Describe the attacker behind a risk."""
    code = code_of(risk)
    if code not in ATTACKERS:
        return Attacker(risk["adversary"], "an adversary of your own")
    attacker = ATTACKERS[code]
    share = risk["details"].get("share")
    if code == "A2" and share is not None:
        knows = f"as A1, but acts only on the {short_percent(share)} of guesses it is surest of"
        return Attacker(attacker.name, knows)
    return attacker


def achieved_by(risk: AttackRiskData) -> Achieved:
    """Return how far an attacker came, in the words that fit what it tried."""
    code = code_of(risk)
    if code == CONTROL:
        return Achieved(control_comparison(risk) or NOTHING, "people outside the sample")
    beats = beats_guessing(risk["baseline"], risk["interval"])
    remark = "within the noise" if beats is False else ""
    if code == "A7":
        return Achieved(_complement(risk["value"]), "of people linked to their own record", remark)
    if code == "A8":
        return Achieved(_complement(risk["value"]), "of attempts isolate one person", remark)
    return Achieved(percent(risk["recovered"]), "recovered", remark)


def control_comparison(risk: AttackRiskData) -> str | None:
    """Return whether people of the sample are recovered as often as others."""
    inside, outside = pair(risk["interval"]), pair(risk["details"].get("control_interval"))
    if inside is None or outside is None or risk["advantage"] is None:
        return None
    noise = math.hypot(inside[1] - inside[0], outside[1] - outside[0]) / 2
    if abs(risk["advantage"]) <= noise:
        return "as often as"
    return "more often than" if risk["advantage"] > 0 else "less often than"


_SAMPLE_REMARKS = {
    "as often as": "The difference is within the noise: the cut points do not betray the people "
    "that they were learned from.",
    "more often than": "The difference is beyond the noise: the cut points give away something "
    "about the people that they were learned from.",
    "less often than": "Nothing suggests that the cut points betray the people that they were "
    "learned from.",
}


def control_words(risk: AttackRiskData) -> str:
    """Sum up the control."""
    comparison = control_comparison(risk)
    people = counted(risk["n"], "person", "people")
    others = risk["details"].get("control_records")
    figures = (
        f"the attacker is wrong {percent(risk['value'])} on {people} of the sample and "
        f"{percent(risk['baseline'])} on {whole(others)} outside it"
    )
    if comparison is None:
        return f"{figures[0].upper()}{figures[1:]}."
    remark = _SAMPLE_REMARKS[comparison]
    return f"People of the sample are recovered {comparison} others: {figures}. {remark}"


def linkage_words(risk: AttackRiskData, interval: str) -> list[str]:
    """Sum up both figures of linking: one to one, and by value."""
    details = risk["details"]
    around = percent_range(risk["interval"], complement=True)
    beside = f" ({interval} {around})" if around else ""
    people = counted(details.get("people_at_once"), "person", "people")
    sentences = [
        f"Two organisations hold exact but partial records of the same {people}. With the "
        f"collected records, {_complement(risk['value'])} of them are linked to their own record, "
        f"one to one{beside}; without the collected records {_complement(risk['baseline'])}."
    ]
    if (matched := details.get("value_matched")) is not None:
        chance = percent(details.get("value_matched_by_chance"), 2)
        sentences.append(
            "Counting a link as right when the values are right, whoever they belong to: "
            f"{percent(matched, 2)} with the collected records, {chance} by chance."
        )
    return sentences


def breach_words(risk: AttackRiskData) -> str:
    """Sum up what several releases of the same people reveal together."""
    single = [percent(error) for error in risk["details"].get("single_breaches") or ()]
    together = f"the attacker is wrong {percent(risk['value'])}"
    if not single:
        return f"With all releases together, {together}."
    others = " and ".join(single[1:]) or NOTHING
    return (
        f"With all releases together, {together}. From this one alone it is wrong {single[0]}, "
        f"from each other one alone {others}. What it gains over the best of them is the price of "
        "having published them all."
    )


def isolation_words(risk: AttackRiskData) -> str:
    """Sum up singling out."""
    details = risk["details"]
    return (
        f"Aimed at the rarest records, {_complement(risk['value'])} of descriptions fit exactly "
        f"one person; random ones that fit as many people, {_complement(risk['baseline'])}. "
        f"{counted(details.get('distinct'), 'different record')} among "
        f"{counted(risk['n'], 'person', 'people')} ({data_words(risk['split'])}); "
        f"{whole(details.get('alone'))} stand alone."
    )


def _complement(error: float | None) -> str:
    return percent(None if error is None else 1 - error)

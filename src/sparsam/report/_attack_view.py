"""What attackers achieved against one generalization, sorted and in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparsam.assess import ACCURACY, Score
from sparsam.report._words import (
    NOTHING,
    beats_guessing,
    complement,
    counted,
    data_words,
    pair,
    percent,
    percent_range,
    rough_percent,
    short_percent,
    whole,
)

Data = Mapping[str, Any]
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


_WITHOUT = "the same attacker without the records"
ATTACKERS = {
    "A1": Attacker("Reconstruction", "sees a person’s collected record"),
    "A2": Attacker("Reconstruction where it is surest", "as A1, but acts only on its surest guess"),
    "A3": Attacker(
        "Non-personal knowledge",
        "sees the record, and knows every attribute that is not personal exactly",
        _WITHOUT,
    ),
    "A4": Attacker(
        "All but one",
        "sees the record, and knows every other attribute of the person exactly",
        _WITHOUT,
    ),
    "A5": Attacker(
        "Partial personal knowledge",
        "as A3, and knows the personal attributes one after the other: mean over that chain",
        _WITHOUT,
    ),
    "A6": Attacker("Several breaches", "sees the record, and the same person’s in another release"),
    "A7": Attacker(
        "Linking",
        "has two lists with exact parts of people’s records, and links them through the collected "
        "records",
        _WITHOUT,
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


def code_of(risk: Data) -> str:
    """Return the short name of the adversary behind a risk; an empty one for a user's own."""
    code = risk["id"]
    return code if code in ATTACKERS else ""


def attacker_of(risk: Data) -> Attacker:
    """Describe the attacker behind a risk."""
    code = code_of(risk)
    if code not in ATTACKERS:
        known = risk["id"] is not None  # built in, but without words of its own here
        return Attacker(risk["adversary"], risk["id"] if known else "an adversary of your own")
    attacker = ATTACKERS[code]
    share = risk["details"].get("share")
    if code == "A2" and share is not None:
        knows = f"as A1, but acts only on the {short_percent(share)} of guesses it is surest of"
        return Attacker(attacker.name, knows)
    return attacker


def baseline_words(risks: Sequence[Data]) -> str:
    """Return what each kind of attacker is held against; nothing where none is known."""
    against: dict[str, list[str]] = {}
    for code in dict.fromkeys(filter(None, map(code_of, risks))):
        against.setdefault(ATTACKERS[code].against, []).append(code)
    if not against:
        return ""
    told = (f"{', '.join(codes)}: {words}" for words, codes in against.items())
    return (
        f"Baseline of {'; of '.join(told)}. Recovered: the share of the baseline’s mistakes that "
        "the attacker avoids."
    )


_NO_BETTER = "does no better than the majority guess"
EVERYBODY = ("A1", "A3", "A4", "A5", "A6")
"""Attackers that guess for everybody: how much they recover can be compared."""


def strongest_run(risk: Data, attacks: Data | None) -> tuple[str, Data]:
    """Return the attack that recovers most of those that guess for everybody, and what it did.

    Parameters
    ----------
    risk : mapping
        What A1 did, which is always run.
    attacks : mapping or None
        What else was run.
    """
    others = _by_code((attacks or {}).get("risks", ()))
    tried = {"A1": risk} | {code: others[code] for code in EVERYBODY[1:] if code in others}
    return max(tried.items(), key=lambda pair: -_less(pair[1]["recovered"]))


def not_run(risk: Data, attacks: Data | None) -> str:
    """Return which attackers did not try, and how to have them try; nothing when all did."""
    run = {"A1", *map(code_of, (attacks or {}).get("risks", ()))}
    run |= {"A2"} if risk.get("confident") else set()
    attackers = [code for code in ATTACKERS if code != CONTROL]
    missing = [code for code in attackers if code not in run]
    if not missing:
        return ""
    if missing == ["A6"]:
        return "A6 was not run: sparsam attack, with what else was published of the same people."
    listed = ", ".join(missing)
    if len(missing) > 2 and missing == attackers[-len(missing) :]:
        listed = f"{missing[0]} to {missing[-1]}"
    were = "was" if len(missing) == 1 else "were"
    return f"{listed} {were} not run: sparsam attack, or minimise --attack."


def strength_words(code: str, risk: Data) -> str:
    """Return who an attacker is and what it recovers, in a clause."""
    recovered, informed = risk["recovered"], "naive" in (risk.get("details") or {})
    who = f"the strongest attack that was run ({code}: {ATTACKERS[code].knows})"
    if recovered is None or recovered <= 0:
        gains = "learns nothing from the records" if informed else _NO_BETTER
        return f"{who} {gains}"
    wrong = "it gets wrong without the records" if informed else "the majority guess gets wrong"
    return f"{who} recovers {rough_percent(recovered)} of what {wrong}"


def achieved_by(risk: Data) -> Achieved:
    """Return how far an attacker came, in the words that fit what it tried."""
    code = code_of(risk)
    if code == CONTROL:
        return Achieved(control_comparison(risk) or NOTHING, "people outside the sample")
    remark = "within the noise" if _beyond_noise(risk) is False else ""
    if code == "A7":
        return Achieved(complement(risk["value"]), "of people linked to their own record", remark)
    if code == "A8":
        attempts = f"beyond chance: {complement(risk['value'])} of attempts isolate one person"
        return Achieved(percent(risk["recovered"]), attempts, remark)
    return Achieved(percent(risk["recovered"]), "recovered", remark)


def _beyond_noise(risk: Data) -> bool | None:
    """Tell whether an attacker is beyond its baseline; on the same people, where that is known."""
    gained = pair(risk["details"].get("advantage_interval"))
    if gained is not None:
        return gained[0] > 0
    return beats_guessing(risk["baseline"], risk["interval"])


def naive_of(risk: Data) -> float | None:
    """Return the error of the majority guess, whatever the attacker's own baseline is."""
    naive: float | None = risk["details"].get("naive", risk["baseline"])
    return naive


def control_comparison(risk: Data) -> str | None:
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


def control_words(risk: Data) -> str:
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


def linkage_words(risk: Data, interval: str) -> list[str]:
    """Sum up both figures of linking: one to one, and by value."""
    details = risk["details"]
    around = percent_range(risk["interval"], complement=True)
    beside = f" ({interval} {around})" if around else ""
    people = counted(details.get("people_at_once"), "person", "people")
    sentences = [
        f"Two organisations hold exact but partial records of the same {people}. With the "
        f"collected records, {complement(risk['value'])} of them are linked to their own record, "
        f"one to one{beside}; without the collected records {complement(risk['baseline'])}."
    ]
    if (matched := details.get("value_matched")) is not None:
        chance = percent(details.get("value_matched_by_chance"), 2)
        sentences.append(
            "Counting a link as right when the values are right, whoever they belong to: "
            f"{percent(matched, 2)} with the collected records, {chance} by chance."
        )
    return sentences


def breach_words(risk: Data) -> str:
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


def isolation_words(risk: Data) -> str:
    """Sum up singling out."""
    details = risk["details"]
    adds = ": all records are the same" if details.get("distinct") == 1 else ""
    return (
        f"Aimed at the rarest records, {complement(risk['value'])} of descriptions fit exactly "
        f"one person; random ones that fit as many people, {complement(risk['baseline'])}{adds}. "
        f"{counted(details.get('distinct'), 'different record')} among "
        f"{counted(risk['n'], 'person', 'people')} ({data_words(risk['split'])}); "
        f"{whole(details.get('alone'))} stand alone."
    )


_ORDER = (*(code for code in ATTACKERS if code != CONTROL), "", CONTROL)


@dataclass(frozen=True)
class AttackerRow:
    """One attacker: who it is and how far it came."""

    code: str
    attacker: Attacker
    risk: Data
    achieved: Achieved


@dataclass(frozen=True)
class AttributeRow:
    """One personal attribute, and how often the majority guess and each attacker are wrong."""

    name: str
    collected: str
    naive: float | None
    risks: Mapping[str, Data]

    @property
    def recovered(self) -> float | None:
        """The largest share of its own baseline's mistakes that one of them avoids."""
        shares = [risk["recovered"] for risk in self.risks.values()]
        return max((share for share in shares if share is not None), default=None)


@dataclass(frozen=True)
class BoundRow:
    """The bound for one attribute beside what the attack reached."""

    bound: Data
    reached: Data | None


@dataclass(frozen=True)
class AttackView:
    """All attacks on one generalization, sorted and worded.

    Attributes
    ----------
    complete : bool
        Whether every attacker finished.
    attackers : list of AttackerRow
        In the order A1 to A8, a user's own, the control.
    curve : list of mapping
        A2 from its surest guesses to all of them.
    codes : tuple of str
        The attackers that are compared attribute by attribute.
    attributes : list of AttributeRow
        The most exposed first.
    along : list of mapping
        Points of the front, the most accurate first.
    histogram : list of mapping
        People by how many share their record.
    isolation, breach, control : str
        A8, A6 and the control in words; empty when they were not run.
    linkage : list of str
        A7 in words.
    sides : list of list of str
        The attributes on the two lists that A7 links.
    bounds : list of BoundRow
        The tightest bound first.
    score : Score
        What the models along the front are judged by.
    """

    complete: bool
    attackers: list[AttackerRow]
    curve: list[Data]
    codes: tuple[str, ...]
    attributes: list[AttributeRow]
    along: list[Data]
    histogram: list[Data]
    isolation: str
    breach: str
    control: str
    linkage: list[str]
    sides: list[Sequence[str]]
    bounds: list[BoundRow]
    score: Score = ACCURACY

    def risk(self, code: str) -> Data | None:
        """Return what one attacker achieved, if it was run and may be known."""
        for row in self.attackers:
            if row.code == code and row.risk["value"] is not None:
                return row.risk
        return None


def attack_view(
    attacks: Data,
    collected: Mapping[str, str],
    interval: str = "interval",
    score: Score = ACCURACY,
) -> AttackView:
    """Sort and word all attacks.

    Parameters
    ----------
    attacks : mapping
        Fit to be published.
    collected : mapping of str to str
        How each attribute is collected, in words.
    interval : str
        What to call the intervals.
    score : Score
        What the models along the front are judged by.
    """
    risks = _by_code(attacks["risks"])
    linked, isolated = risks.get("A7"), risks.get("A8")
    breached, controlled = risks.get("A6"), risks.get(CONTROL)
    guessing = {code: risks[code] for code in GUESSING if code in risks}
    details = linked["details"] if linked else {}
    return AttackView(
        complete=attacks["complete"],
        attackers=_attackers(attacks["risks"]),
        curve=_curve(attacks["risks"]),
        codes=tuple(code for code, risk in guessing.items() if risk["parts"]),
        attributes=_attributes(guessing, collected),
        along=sorted(attacks.get("along_front", ()), key=_by_accuracy),
        histogram=list(isolated["details"].get("histogram", ())) if isolated else [],
        isolation=isolation_words(isolated) if isolated else "",
        breach=breach_words(breached) if breached else "",
        control=control_words(controlled) if controlled else "",
        linkage=linkage_words(linked, interval) if linked else [],
        sides=[names for names in (details.get("first"), details.get("second")) if names],
        bounds=_bounds(attacks["bounds"], risks.get("A1")),
        score=score,
    )


def _by_code(risks: Sequence[Data]) -> dict[str, Data]:
    """The first risk of each kind that was measured on enough people."""
    known = [risk for risk in risks if risk["value"] is not None]
    return {code_of(risk): risk for risk in reversed(known)}


def _attackers(risks: Sequence[Data]) -> list[AttackerRow]:
    surest = _surest(risks)
    rows = [
        AttackerRow(code_of(risk), attacker_of(risk), risk, achieved_by(risk))
        for risk in risks
        if code_of(risk) != "A2" or risk is surest
    ]
    return sorted(rows, key=lambda row: _ORDER.index(row.code))


def _surest(risks: Sequence[Data]) -> Data | None:
    """The surest guesses of A2 that were made on enough people."""
    return next((risk for risk in _curve(risks) if code_of(risk) == "A2"), None)


def _curve(risks: Sequence[Data]) -> list[Data]:
    known = [risk for risk in risks if risk["value"] is not None]
    surest = [risk for risk in known if code_of(risk) == "A2" and share_of(risk)]
    if not surest:
        return []
    everyone = [risk for risk in known if code_of(risk) == "A1"][:1]
    return [*sorted(surest, key=share_of), *everyone]


def share_of(risk: Data) -> float:
    """Return the share of guesses that an attacker acts on: all of them unless it says less."""
    share = risk["details"].get("share")
    if code_of(risk) == "A1":
        return 1.0
    return share if share is not None and 0 < share <= 1 else 0.0


def _attributes(guessing: Mapping[str, Data], collected: Mapping[str, str]) -> list[AttributeRow]:
    parts = {
        code: {str(part["attribute"]): part for part in risk["parts"]}
        for code, risk in guessing.items()
    }
    names = {name: None for by_name in parts.values() for name in by_name}
    rows = [
        _attribute(name, {c: by_name[name] for c, by_name in parts.items() if name in by_name},
                   collected.get(name, ""))
        for name in names
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (_less(row.recovered), row.name))


def _attribute(name: str, risks: Mapping[str, Data], collected: str) -> AttributeRow:
    naive = next((n for risk in risks.values() if (n := naive_of(risk)) is not None), None)
    return AttributeRow(name, collected, naive, risks)


def _less(share: float | None) -> float:
    return float("inf") if share is None else -share


def _by_accuracy(point: Data) -> tuple[float, str]:
    error = point["utility_error"]
    return (float("inf") if error is None else error, point["label"])


def _bounds(bounds: Sequence[Data], reached: Data | None) -> list[BoundRow]:
    parts = {part["attribute"]: part for part in (reached["parts"] if reached else ())}
    rows = [
        BoundRow(bound, parts.get(bound["attribute"]))
        for bound in bounds
        if bound["accuracy"] is not None
    ]
    return sorted(rows, key=lambda row: (row.bound["accuracy"], row.bound["attribute"]))

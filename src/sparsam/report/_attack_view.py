"""What a page or a text shows of the attacks, in the order in which it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparsam.report._attack_words import (
    CONTROL,
    GUESSING,
    Achieved,
    Attacker,
    achieved_by,
    attacker_of,
    breach_words,
    code_of,
    control_words,
    isolation_words,
    linkage_words,
)
from sparsam.report._data import (
    AlongFrontData,
    AttackRiskData,
    AttacksData,
    BoundData,
    HistogramData,
)

_ORDER = ("A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "", CONTROL)


@dataclass(frozen=True)
class AttackerRow:
    """One attacker: who it is and how far it came."""

    code: str
    attacker: Attacker
    risk: AttackRiskData
    achieved: Achieved


@dataclass(frozen=True)
class AttributeRow:
    """One personal attribute, and how often each attacker gets it wrong."""

    name: str
    collected: str
    baseline: float | None
    risks: Mapping[str, AttackRiskData]

    @property
    def recovered(self) -> float | None:
        """What the strongest of them recovers."""
        found = [risk["recovered"] for risk in self.risks.values()]
        return max((share for share in found if share is not None), default=None)


@dataclass(frozen=True)
class CertificateRow:
    """The bound for one attribute beside what the attack reached."""

    certificate: BoundData
    reached: AttackRiskData | None


@dataclass(frozen=True)
class AttackView:
    """All attacks on one generalization, sorted and worded.

    Attributes
    ----------
    complete : bool
        Whether every attacker finished.
    attackers : list of AttackerRow
        In the order A1 to A8, a user's own, the control.
    curve : list of AttackRiskData
        A2 from its surest guesses to all of them.
    codes : tuple of str
        The attackers that are compared attribute by attribute.
    attributes : list of AttributeRow
        The most exposed first.
    along : list of AlongFrontData
        Points of the front, the most accurate first.
    histogram : list of HistogramData
        People by how many share their record.
    isolation, breach, control : str
        A8, A6 and the control in words; empty when they were not run.
    linkage : list of str
        A7 in words.
    sides : list of list of str
        The attributes on the two lists that A7 links.
    certificates : list of CertificateRow
        The tightest bound first.
    """

    complete: bool
    attackers: list[AttackerRow]
    curve: list[AttackRiskData]
    codes: tuple[str, ...]
    attributes: list[AttributeRow]
    along: list[AlongFrontData]
    histogram: list[HistogramData]
    isolation: str
    breach: str
    control: str
    linkage: list[str]
    sides: list[Sequence[str]]
    certificates: list[CertificateRow]

    def risk(self, code: str) -> AttackRiskData | None:
        """Return what one attacker achieved, if it was run and may be told."""
        for row in self.attackers:
            if row.code == code and row.risk["value"] is not None:
                return row.risk
        return None


def attack_view(
    attacks: AttacksData, collected: Mapping[str, str], interval: str = "interval"
) -> AttackView:
    """Sort and word all attacks.

    Parameters
    ----------
    attacks : AttacksData
        Fit to be published.
    collected : mapping of str to str
        How each attribute is collected, in words.
    interval : str
        What to call the intervals.
    """
    found = _by_code(attacks["risks"])
    linked, isolated = found.get("A7"), found.get("A8")
    breached, controlled = found.get("A6"), found.get(CONTROL)
    guessing = {code: found[code] for code in GUESSING if code in found}
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
        certificates=_certificates(attacks["bounds"], found.get("A1")),
    )


def _by_code(risks: Sequence[AttackRiskData]) -> dict[str, AttackRiskData]:
    """The first risk of each kind that may be told."""
    told = [risk for risk in risks if risk["value"] is not None]
    return {code_of(risk): risk for risk in reversed(told)}


def _attackers(risks: Sequence[AttackRiskData]) -> list[AttackerRow]:
    surest = _surest(risks)
    rows = [
        AttackerRow(code_of(risk), attacker_of(risk), risk, achieved_by(risk))
        for risk in risks
        if code_of(risk) != "A2" or risk is surest
    ]
    return sorted(rows, key=lambda row: _ORDER.index(row.code))


def _surest(risks: Sequence[AttackRiskData]) -> AttackRiskData | None:
    """The surest guesses of A2 that were made on enough people."""
    return next((risk for risk in _curve(risks) if code_of(risk) == "A2"), None)


def _curve(risks: Sequence[AttackRiskData]) -> list[AttackRiskData]:
    told = [risk for risk in risks if risk["value"] is not None]
    surest = [risk for risk in told if code_of(risk) == "A2" and share_of(risk)]
    if not surest:
        return []
    everyone = [risk for risk in told if code_of(risk) == "A1"][:1]
    return [*sorted(surest, key=share_of), *everyone]


def share_of(risk: AttackRiskData) -> float:
    """Return the share of guesses that an attacker acts on: all of them unless it says less."""
    share = risk["details"].get("share")
    if code_of(risk) == "A1":
        return 1.0
    return share if share is not None and 0 < share <= 1 else 0.0


def _attributes(
    guessing: Mapping[str, AttackRiskData], collected: Mapping[str, str]
) -> list[AttributeRow]:
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


def _attribute(name: str, risks: Mapping[str, AttackRiskData], collected: str) -> AttributeRow:
    baseline = next((r["baseline"] for r in risks.values() if r["baseline"] is not None), None)
    return AttributeRow(name, collected, baseline, risks)


def _less(share: float | None) -> float:
    return float("inf") if share is None else -share


def _by_accuracy(point: AlongFrontData) -> tuple[float, str]:
    error = point["utility_error"]
    return (float("inf") if error is None else error, point["label"])


def _certificates(
    certificates: Sequence[BoundData], reached: AttackRiskData | None
) -> list[CertificateRow]:
    parts = {part["attribute"]: part for part in (reached["parts"] if reached else ())}
    rows = [
        CertificateRow(certificate, parts.get(certificate["attribute"]))
        for certificate in certificates
        if certificate["accuracy"] is not None
    ]
    return sorted(rows, key=lambda row: (row.certificate["accuracy"], row.certificate["attribute"]))

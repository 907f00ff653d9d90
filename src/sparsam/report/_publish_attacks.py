"""What may leave the house of what attackers found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sparsam.report._data import (
    AlongFrontData,
    AttackDetails,
    AttackRiskData,
    AttacksData,
    CertificateData,
    HistogramData,
)
from sparsam.report._small import FEWER, few, plain, suppress, suppress_nested

_FIGURES = ("error", "baseline", "advantage", "recovered", "interval", "absolute_error")
_COUNTS = ("smallest", "rarest", "people_at_once", "control_records")


def publishable_attacks(attacks: Mapping[str, Any]) -> AttacksData:
    """Copy what attackers found so that nothing in it stands for fewer than five people.

    Figures that were measured on fewer than five people are left out. What an adversary says beyond
    the facts that a report knows is left out too, since it could hold anything. Gaps are filled, so
    that every rendering finds every key.

    Parameters
    ----------
    attacks : mapping
        As `Attacks.to_dict()` gives it, perhaps with `along_front`.
    """
    safe = plain(attacks)
    published: AttacksData = {
        "complete": bool(safe.get("complete", True)),
        "risks": [_risk(risk) for risk in safe.get("risks") or ()],
        "certificates": [_certificate(one) for one in safe.get("certificates") or ()],
    }
    if along := safe.get("along_front"):
        published["along_front"] = [_along(point) for point in along]
    return published


def _risk(risk: Mapping[str, Any]) -> AttackRiskData:
    n_records = risk.get("n_records")
    safe: AttackRiskData = {
        "adversary": str(risk.get("adversary") or "an attacker"),
        "attribute": risk.get("attribute"),
        "error": risk.get("error"),
        "baseline": risk.get("baseline"),
        "advantage": risk.get("advantage"),
        "recovered": risk.get("recovered"),
        "interval": risk.get("interval"),
        "n_records": suppress(n_records),
        "split": str(risk.get("split") or "unknown"),
        "random_state": risk.get("random_state"),
        "model": risk.get("model"),
        "tolerance": risk.get("tolerance"),
        "absolute_error": risk.get("absolute_error"),
        "parts": [_risk(part) for part in risk.get("parts") or ()],
        "details": _details(risk.get("details") or {}, n_records),
    }
    if few(n_records) or n_records == FEWER:
        safe |= dict.fromkeys(_FIGURES)  # type: ignore[typeddict-item]
        safe["parts"], safe["details"] = [], {}
    return safe


def _details(details: Mapping[str, Any], n_people: int | None) -> AttackDetails:
    known = sorted(AttackDetails.__annotations__.keys() & details.keys())
    safe: dict[str, Any] = {name: details[name] for name in known}
    safe |= {name: suppress(safe[name]) for name in _COUNTS if name in safe}
    if few(safe.get("control_records")) or safe.get("control_records") == FEWER:
        safe.pop("control_interval", None)
    sizes = sorted(filter(str.isdecimal, safe.get("under") or {}), key=int)
    counts = [safe.get("alone", 0), *(safe["under"][size] for size in sizes)]
    alone, *under = suppress_nested(counts, n_people)
    if "alone" in safe:
        safe["alone"] = alone
    if "under" in safe:
        safe["under"] = dict(zip(sizes, under, strict=True))
    if "histogram" in safe:
        safe["histogram"] = joined(safe["histogram"] or ())
    return safe  # type: ignore[return-value]


def joined(bars: Sequence[HistogramData]) -> list[HistogramData]:
    """Join each bar of one to four people with the next, so that no subtraction uncovers it.

    Examples
    --------
    >>> joined([{"from": 1, "to": 1, "people": 3}, {"from": 2, "to": 4, "people": 8}])
    [{'from': 1, 'to': 4, 'people': 11}]
    """
    found: list[HistogramData] = []
    for bar in bars:
        if found and few(found[-1]["people"]):
            found[-1] = _both(found[-1], bar)
        else:
            found.append({"from": bar["from"], "to": bar["to"], "people": bar["people"]})
    if len(found) > 1 and few(found[-1]["people"]):
        last = found.pop()
        found[-1] = _both(found[-1], last)
    return [{"from": bar["from"], "to": bar["to"], "people": suppress(bar["people"])}
            for bar in found]  # fmt: skip


def _both(one: HistogramData, other: HistogramData) -> HistogramData:
    people = [count for count in (one["people"], other["people"]) if isinstance(count, int)]
    return {"from": one["from"], "to": other["to"], "people": sum(people)}


def _certificate(certificate: Mapping[str, Any]) -> CertificateData:
    n_records = certificate.get("n_records")
    hidden = few(n_records) or n_records == FEWER
    return {
        "attribute": str(certificate.get("attribute")),
        "accuracy": None if hidden else certificate.get("accuracy"),
        "on_these_records": None if hidden else certificate.get("on_these_records"),
        "confidence": certificate.get("confidence"),
        "n_records": suppress(n_records),
        "tolerance": certificate.get("tolerance"),
    }


def _along(point: Mapping[str, Any]) -> AlongFrontData:
    return {
        "id": point.get("id"),
        "label": str(point.get("label") or ""),
        "utility_error": point.get("utility_error"),
        "errors": dict(point.get("errors") or {}),
    }

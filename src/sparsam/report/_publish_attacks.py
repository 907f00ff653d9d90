"""What may leave the house of what attackers found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from sparsam._small_counts import PublishedCounts, class_counts, publish_share
from sparsam.attack import publish_bound, publish_risk
from sparsam.report._data import (
    AlongFrontData,
    AttackDetails,
    AttackRiskData,
    AttacksData,
    BoundData,
    SplitData,
)
from sparsam.report._plain import plain


def counts_of_attacks(attacks: Mapping[str, Any]) -> list[Any]:
    """The counts of people that attackers tell, to be published together with others."""
    found = []
    for risk in attacks.get("risks") or ():
        found += class_counts(risk.get("details") or {})
    return found


def publishable_attacks(
    attacks: Mapping[str, Any],
    tell: PublishedCounts | None = None,
    split: SplitData | None = None,
) -> AttacksData:
    """Copy what attackers found so that nothing in it stands for fewer than five people.

    Figures that were measured on fewer than five people are left out. What an adversary says beyond
    the facts that a report knows is left out too, since it could hold anything. Gaps are filled, so
    that every rendering finds every key.

    Parameters
    ----------
    attacks : mapping
        As `Attacks.facts()` gives it, perhaps with `along_front`.
    tell : PublishedCounts, optional
        Where other counts of the same people are published too.
    split : SplitData, optional
        How many people the parts of the table hold.
    """
    safe = plain(attacks)
    published: AttacksData = {
        "complete": bool(safe.get("complete", True)),
        "risks": [_risk(risk, tell) for risk in safe.get("risks") or ()],
        "bounds": [cast(BoundData, publish_bound(bound)) for bound in safe.get("bounds") or ()],
    }
    if along := safe.get("along_front"):
        people = None if split is None else split["test"]
        published["along_front"] = [_along(point, people) for point in along]
    return published


def _risk(risk: Mapping[str, Any], tell: PublishedCounts | None) -> AttackRiskData:
    return cast(AttackRiskData, publish_risk(_without_surprises(risk), tell))


def _without_surprises(risk: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the details of a risk, and of its parts, that a report does not know."""
    parts = [_without_surprises(part) for part in risk["parts"]]
    return {**risk, "parts": parts, "details": _known(risk["details"])}


def _known(details: Mapping[str, Any]) -> AttackDetails:
    names = sorted(AttackDetails.__annotations__.keys() & details.keys())
    known = {name: details[name] for name in names}
    if "under" in known:
        sizes = sorted(filter(str.isdecimal, known["under"] or {}), key=int)
        known["under"] = {size: known["under"][size] for size in sizes}
    if "histogram" in known:
        bars = known["histogram"] or ()
        known["histogram"] = [
            {name: bar[name] for name in ("from", "to", "people")} for bar in bars
        ]
    return cast(AttackDetails, known)


def _along(point: Mapping[str, Any], people: int | None) -> AlongFrontData:
    errors = {
        name: publish_share(error, people) for name, error in (point.get("errors") or {}).items()
    }
    return {
        "id": point.get("id"),
        "label": str(point.get("label") or ""),
        "utility_error": publish_share(point.get("utility_error"), people),
        "errors": errors,
    }

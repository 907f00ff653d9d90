"""What may be told of an adversary's success."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsam._small_counts import (
    PublishedCounts,
    few,
    publish_classes,
    publish_interval,
    publish_share,
    suppress,
)

_COUNTS = ("people_at_once", "control_records")


def published_risk(facts: Mapping[str, Any], tell: PublishedCounts | None = None) -> dict[str, Any]:
    """Copy the facts of a risk so that nothing in them stands for fewer than five people.

    Shares are told in steps of five people or more; nothing is told that was measured on fewer.
    What is told already stays as it is.

    Parameters
    ----------
    facts : mapping
        As `Risk.facts` gives them.
    tell : PublishedCounts, optional
        Where other counts of the same people are published too.
    """
    n_records, details = facts["n_records"], facts.get("details") or {}
    safe = {**facts, "n_records": suppress(n_records)}
    if few(n_records):
        hidden = ("error", "baseline", "advantage", "recovered", "interval", "absolute_error")
        return {**safe, **dict.fromkeys(hidden), "parts": [], "details": {}}
    tried = _tried(details, n_records)
    # People of the control are others than those of the sample.
    beside = details.get("control_records", tried)
    safe["error"] = publish_share(facts["error"], tried)
    safe["baseline"] = publish_share(facts["baseline"], beside)
    safe["interval"] = publish_interval(facts["interval"], tried)
    safe |= compared(safe["error"], safe["baseline"])
    safe["parts"] = [published_risk(part) for part in facts.get("parts") or ()]
    safe["details"] = _details(details, n_records, tell)
    return safe


def _tried(details: Mapping[str, Any], n_records: Any) -> Any:
    """What the share of failures is a share of; None where it says nothing of few people.

    Attempts to single someone out are aimed at records. Where each of these stands for five people
    or more, their sizes are no secret.
    """
    if "attempts" not in details:
        return n_records
    return details["attempts"] if few(details.get("smallest")) else None


def compared(error: float | None, baseline: float | None) -> dict[str, float | None]:
    """Work out the advantage from what is told, so that it tells no more."""
    if error is None or baseline is None:
        return {"advantage": None, "recovered": None}
    advantage = round(baseline - error, 12)
    return {"advantage": advantage, "recovered": advantage / baseline if baseline > 0 else 0.0}


def _details(
    details: Mapping[str, Any], n_records: Any, tell: PublishedCounts | None
) -> dict[str, Any]:
    safe = publish_classes(details, n_records, tell)
    safe |= {name: suppress(safe[name]) for name in _COUNTS if name in safe}
    for name in ("smallest_error", "largest_error"):
        if name in safe:
            safe[name] = publish_share(safe[name], n_records)
    if "single_breaches" in safe:
        errors = safe["single_breaches"] or ()
        safe["single_breaches"] = [publish_share(error, n_records) for error in errors]
    if "control_interval" in safe:
        ends = publish_interval(safe["control_interval"], details.get("control_records"))
        safe["control_interval"] = ends
    return safe

"""What may leave the house: small counts of people become words, gaps become None."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsam._errors import ParameterError
from sparsam._small_counts import (
    PublishedCounts,
    class_counts,
    publish_classes,
    publish_interval,
    publish_loss,
    publish_share,
    suppress,
)
from sparsam.attack import compare_published, publish_bound, publish_risk
from sparsam.report._document import plain

Data = dict[str, Any]
_DETAILS = frozenset(
    (
        "share",
        "advantage_interval",
        "naive",
        "smallest_error",
        "largest_error",
        "single_breaches",
        "first",
        "second",
        "value_matched",
        "value_matched_by_chance",
        "people_at_once",
        "attempts",
        "distinct",
        "smallest",
        "rarest",
        "alone",
        "under",
        "histogram",
        "control_interval",
        "control_records",
        "tolerance",
        "absolute_error",
    )
)
"""What only one adversary has to say; anything else is left out of a report."""


def publishable(data: Data) -> Data:
    """Copy the data so that no number in it, and no difference, stands for fewer than five people.

    The copy holds plain JSON values only (tuples become lists, NaN becomes None), so that the page,
    the Markdown and the JSON are all made from the same, already safe, data.

    Parameters
    ----------
    data : dict
        The data as it was measured; it is not changed.

    Returns
    -------
    dict
    """
    safe: Data = plain(data)
    if safe["chosen"] not in {point["id"] for point in safe["points"]}:
        raise ParameterError(
            "The 'chosen' entry of a report must be the id of one of its points. "
            f"Got {safe['chosen']!r} instead, with {len(safe['points'])} points."
        )
    split = safe["task"]["split"]
    attacks = safe.pop("attacks", None)
    # All points are about the same people: what two of them tell can be subtracted.
    counts = [count for point in safe["points"] for count in class_counts(point["classes"])]
    tell = PublishedCounts([*counts, *counts_of_attacks(attacks or {})], split["train"])
    scale = (safe.get("score") or {}).get("scale", 1.0)
    for point in safe["points"]:
        classes = publish_classes(point["classes"], split["train"], tell)
        point["classes"] = classes
        _round_point(point, split, scale)
    for name, limit in safe["limits"].items():
        _round(limit, split["test"], 1.0 if name == "naive" else scale)
    for point in safe["points"]:
        if point["utility"]["loss"] is not None:
            loss = publish_loss(point["utility"]["error"], safe["limits"]["everything"]["error"])
            point["utility"]["loss"] = loss
    if attacks is not None:
        safe["attacks"] = publishable_attacks(attacks, tell, split)
    return safe


def publishable_attack_report(data: Data) -> Data:
    """Copy the data of a report of attacks, fit to be published in the same way."""
    safe: Data = plain(data)
    split = safe["task"]["split"]
    tell = PublishedCounts(counts_of_attacks(safe["attacks"]), split["train"])
    safe["attacks"] = publishable_attacks(safe["attacks"], tell, split)
    return safe


def _round_point(point: Data, split: Data, scale: float) -> None:
    """Round the shares of one point to steps of five people or more."""
    utility, risk = point["utility"], point["risk"]
    people = split[utility["split"]] if utility["split"] in split else split["test"]
    _round(utility, people, scale)
    _round(risk, risk["n"])
    for figures, unit in ((utility, scale), (risk, 1.0)):
        error = figures["validation_error"]
        figures["validation_error"] = _share(error, split["validation"], unit)
    for part in risk.get("attributes", ()):
        _round(part, risk["n"])
    for confident in risk.get("confident", ()):
        people = max(1, round(confident["share"] * risk["n"]))
        confident["error"] = publish_share(confident["error"], people)
    risk["n"] = suppress(risk["n"])


def _round(figures: dict[str, Any], people: int, scale: float = 1.0) -> None:
    """Round what is there of an error, its baseline and their intervals.

    Errors that are no shares are rounded as shares of a scale.
    """
    for name in ("error", "value", "baseline"):
        if name in figures:
            figures[name] = _share(figures[name], people, scale)
    for name in ("interval", "loss_interval"):
        if (ends := figures.get(name)) is not None:
            scaled = [end if end is None else end / scale for end in ends]
            rounded = publish_interval(scaled, people)
            figures[name] = rounded and [end if end is None else end * scale for end in rounded]
    if "recovered" in figures:
        figures |= compare_published(figures["measure"], figures["value"], figures["baseline"])


def _share(figure: float | None, people: int | None, scale: float) -> float | None:
    share = publish_share(None if figure is None else figure / scale, people)
    return None if share is None else share * scale


def counts_of_attacks(attacks: Mapping[str, Any]) -> list[Any]:
    """The counts of people that attackers tell, to be published together with others."""
    counts = []
    for risk in attacks.get("risks") or ():
        counts += class_counts(risk.get("details") or {})
    return counts


def publishable_attacks(
    attacks: Mapping[str, Any],
    tell: PublishedCounts | None = None,
    split: Data | None = None,
) -> Data:
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
    split : dict, optional
        How many people the parts of the table hold.
    """
    safe = plain(attacks)
    published: Data = {
        "complete": bool(safe.get("complete", True)),
        "risks": [publish_risk(_without_surprises(risk), tell) for risk in safe.get("risks") or ()],
        "bounds": [publish_bound(bound) for bound in safe.get("bounds") or ()],
    }
    if along := safe.get("along_front"):
        people = None if split is None else split["test"]
        published["along_front"] = [_along(point, people) for point in along]
    return published


def _without_surprises(risk: Mapping[str, Any]) -> Data:
    """Leave out the details of a risk, and of its parts, that a report does not know."""
    parts = [_without_surprises(part) for part in risk["parts"]]
    return {**risk, "parts": parts, "details": _known(risk["details"])}


def _known(details: Mapping[str, Any]) -> Data:
    known = {name: details[name] for name in sorted(_DETAILS & details.keys())}
    if "under" in known:
        sizes = sorted(filter(str.isdecimal, known["under"] or {}), key=int)
        known["under"] = {size: known["under"][size] for size in sizes}
    if "histogram" in known:
        bars = known["histogram"] or ()
        known["histogram"] = [
            {name: bar[name] for name in ("from", "to", "people")} for bar in bars
        ]
    return known


def _along(point: Mapping[str, Any], people: int | None) -> Data:
    errors = {
        name: publish_share(error, people) for name, error in (point.get("errors") or {}).items()
    }
    return {
        "id": point.get("id"),
        "label": str(point.get("label") or ""),
        "utility_error": _share(point.get("utility_error"), people, point.get("scale", 1.0)),
        "errors": errors,
    }

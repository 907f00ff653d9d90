"""What may leave the house: small counts of people become words, gaps become None."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

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
from sparsam.attack import compare_published
from sparsam.report._data import AttackReportData, PointData, ReportData, SplitData
from sparsam.report._plain import plain
from sparsam.report._publish_attacks import counts_of_attacks, publishable_attacks


def publishable(data: ReportData) -> ReportData:
    """Copy the data so that no number in it, and no difference, stands for fewer than five people.

    The copy holds plain JSON values only (tuples become lists, NaN becomes None), so that the page,
    the Markdown and the JSON are all made from the same, already safe, data.

    Parameters
    ----------
    data : ReportData
        The data as it was measured; it is not changed.

    Returns
    -------
    ReportData
    """
    safe = cast(ReportData, plain(data))
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
    for point in safe["points"]:
        classes = publish_classes(point["classes"], split["train"], tell)
        point["classes"] = classes  # type: ignore[typeddict-item]
        _round_point(point, split)
    _round_limits(cast(dict[str, Any], safe["limits"]), split["test"])
    for point in safe["points"]:
        if point["utility"]["loss"] is not None:
            loss = publish_loss(point["utility"]["error"], safe["limits"]["everything"]["error"])
            point["utility"]["loss"] = loss
    if attacks is not None:
        safe["attacks"] = publishable_attacks(attacks, tell, split)
    return safe


def publishable_attack_report(data: AttackReportData) -> AttackReportData:
    """Copy the data of a report of attacks, fit to be published in the same way."""
    safe = cast(AttackReportData, plain(data))
    split = safe["task"]["split"]
    tell = PublishedCounts(counts_of_attacks(safe["attacks"]), split["train"])
    safe["attacks"] = publishable_attacks(safe["attacks"], tell, split)
    return safe


def _round_point(point: PointData, split: SplitData) -> None:
    """Round the shares of one point to steps of five people or more."""
    utility, risk = point["utility"], point["risk"]
    parts = cast(Mapping[str, int], split)
    _round(cast(dict[str, Any], utility), parts.get(utility["split"], split["test"]))
    _round(cast(dict[str, Any], risk), risk["n"])
    for one in (utility, risk):
        error = one["validation_error"]
        one["validation_error"] = publish_share(error, split["validation"])
    for part in risk.get("attributes", ()):
        _round(cast(dict[str, Any], part), risk["n"])
    for confident in risk.get("confident", ()):
        people = max(1, round(confident["share"] * risk["n"]))
        confident["error"] = publish_share(confident["error"], people)
    risk["n"] = suppress(risk["n"])  # type: ignore[typeddict-item]


def _round_limits(limits: dict[str, Any], people: int) -> None:
    for one in limits.values():
        _round(one, people)


def _round(figures: dict[str, Any], people: int) -> None:
    """Round what is there of an error, its baseline and their intervals."""
    for name in ("error", "value", "baseline"):
        if name in figures:
            figures[name] = publish_share(figures[name], people)
    for name in ("interval", "loss_interval"):
        if name in figures:
            figures[name] = publish_interval(figures[name], people)
    if "recovered" in figures:
        figures |= compare_published(figures["measure"], figures["value"], figures["baseline"])

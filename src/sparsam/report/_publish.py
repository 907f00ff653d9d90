"""What may leave the house: small counts of people become words, gaps become None."""

from __future__ import annotations

from typing import cast

from sparsam._errors import ParameterError
from sparsam.report._data import AttackReportData, ClassesData, ReportData
from sparsam.report._publish_attacks import publishable_attacks
from sparsam.report._small import FEWER, SMALLEST_COUNT, plain, suppress, suppress_nested

__all__ = ["FEWER", "SMALLEST_COUNT", "publishable", "publishable_attack_report", "suppress"]


def publishable(data: ReportData) -> ReportData:
    """Copy the data so that no number in it stands for fewer than five people.

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
    for point in safe["points"]:
        _suppress_classes(point["classes"])
    attacks = safe.pop("attacks", None)
    if attacks is not None:
        safe["attacks"] = publishable_attacks(attacks)
    return safe


def publishable_attack_report(data: AttackReportData) -> AttackReportData:
    """Copy the data of a report of attacks, fit to be published in the same way."""
    safe = cast(AttackReportData, plain(data))
    safe["attacks"] = publishable_attacks(safe["attacks"])
    return safe


def _suppress_classes(classes: ClassesData) -> None:
    sizes = sorted(classes["under"], key=int)
    counts = [classes["alone"], *(classes["under"][size] for size in sizes)]
    alone, *under = suppress_nested(counts)
    classes["smallest"] = suppress(classes["smallest"])
    classes["alone"] = alone
    classes["under"] = dict(zip(sizes, under, strict=True))

"""What a page or a text shows of one point, in the order in which it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sparsam.report._data import (
    AttributeData,
    AttributeRiskData,
    CollectedData,
    ConfidentData,
    PointData,
    ReportData,
)
from sparsam.report._prose import beats_guessing, key_figures, verdict
from sparsam.report._words import counted
from sparsam.report.page._blocks import KeyFigure, Verdict

MANY_BUCKETS = 12
"""Buckets shown at once; the rest unfolds."""


@dataclass(frozen=True)
class RiskRow:
    """One personal attribute, what an adversary learns about it, and how it is collected."""

    risk: AttributeRiskData
    collected: str
    beats_guessing: bool | None


@dataclass(frozen=True)
class CollectedView:
    """What one generalization collects.

    Attributes
    ----------
    attributes : list of AttributeData
        All attributes of the table.
    n_buckets : int
    information_loss : float or None
    """

    attributes: list[AttributeData]
    n_buckets: int
    information_loss: float | None

    @property
    def collected(self) -> list[AttributeData]:
        """The attributes to collect."""
        return [attribute for attribute in self.attributes if attribute["collected"]]

    @property
    def spared(self) -> list[AttributeData]:
        """Those that need not be collected."""
        return [attribute for attribute in self.attributes if not attribute["collected"]]

    @property
    def values_before(self) -> int:
        """How many values all attributes could take before."""
        return sum(attribute["before"] for attribute in self.attributes)


@dataclass(frozen=True)
class PointView(CollectedView):
    """One point of the front, sorted and worded.

    Attributes
    ----------
    point : PointData
        The numbers.
    chosen : bool
        Whether this is the point that the report recommends.
    verdict : Verdict
        The point in two sentences.
    figures : list of KeyFigure
        The point in four numbers.
    risks : list of RiskRow
        Personal attributes, the one that leaks most first.
    confident : list of ConfidentData
        How often the adversary errs where it is surest.
    """

    point: PointData
    chosen: bool
    verdict: Verdict
    figures: list[KeyFigure]
    risks: list[RiskRow]
    confident: list[ConfidentData]


def front_views(data: ReportData) -> list[PointView]:
    """Show the points a reader can choose between, the most accurate first."""
    shown = [
        point for point in data["points"] if point["on_front"] or point["id"] == data["chosen"]
    ]
    return [point_view(data, point) for point in sorted(shown, key=_by_accuracy)]


def chosen_view(data: ReportData) -> PointView:
    """Show the point that the report recommends."""
    point = next(point for point in data["points"] if point["id"] == data["chosen"])
    return point_view(data, point)


def point_view(data: ReportData, point: PointData) -> PointView:
    """Sort and word one point."""
    return PointView(
        attributes=list(point.get("attributes", ())),
        n_buckets=point["n_buckets"],
        information_loss=point["information_loss"],
        point=point,
        chosen=point["id"] == data["chosen"],
        verdict=verdict(data, point),
        figures=key_figures(data, point),
        risks=_risk_rows(point),
        confident=list(point["risk"].get("confident", ())),
    )


def collected_view(collected: CollectedData) -> CollectedView:
    """Show what a generalization collects."""
    return CollectedView(
        list(collected["attributes"]), collected["n_buckets"], collected["information_loss"]
    )


def how_collected(attributes: Sequence[AttributeData]) -> dict[str, str]:
    """Say of each attribute how it is collected."""
    return {attribute["name"]: _how(attribute) for attribute in attributes}


def as_before(attribute: AttributeData) -> bool:
    """Tell whether an attribute is collected in all its detail."""
    return attribute["collected"] and attribute["after"] >= attribute["before"]


def _risk_rows(point: PointData) -> list[RiskRow]:
    how = how_collected(point.get("attributes", ()))
    rows = [
        RiskRow(
            risk=risk,
            collected=how.get(risk["attribute"], ""),
            beats_guessing=beats_guessing(risk["baseline"], risk["interval"]),
        )
        for risk in point["risk"].get("attributes", ())
    ]
    return sorted(rows, key=_by_recovered)


def _how(attribute: AttributeData) -> str:
    if not attribute["collected"]:
        return "not collected"
    if as_before(attribute):
        return "collected as before"
    return f"collected in {counted(attribute['after'], 'bucket')}"


def _by_recovered(row: RiskRow) -> tuple[float, str]:
    recovered = row.risk["recovered"]
    return (float("inf") if recovered is None else -recovered, row.risk["attribute"])


def _by_accuracy(point: PointData) -> tuple[float, int]:
    error = point["utility"]["error"]
    return (float("inf") if error is None else error, point["id"])

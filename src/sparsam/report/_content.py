"""From a choice and its front to the plain data of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.assess import Assessment, AttackedPoint, Choice, Front, Point
from sparsam.attack import Attacks
from sparsam.report._collected import attributes_data
from sparsam.report._data import (
    AlongFrontData,
    AttacksData,
    AttributeRiskData,
    ConfidentData,
    PointData,
    ReportData,
    ReproduceData,
    RiskData,
    UtilityData,
)
from sparsam.report._meaning import ATTACK_MEANING, MEANING
from sparsam.report._provenance import reproduce_data, task_data
from sparsam.report._report import Report

ALONG = ("A1", "A3", "A4", "A5")


def report_on(
    choice: Choice,
    *,
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    attacks: Attacks | None = None,
    along_front: Sequence[AttackedPoint] = (),
) -> Report:
    """Write down a choice and its evidence.

    Parameters
    ----------
    choice : Choice
    title : str, optional
    source : str, default="table"
        What the input is called: a file name, not a path.
    command : str, optional
        The command that made the choice.
    attacks : Attacks, optional
        What the whole bench of adversaries achieved against the chosen generalization; it gets a
        section of its own.
    along_front : sequence of AttackedPoint, optional
        What `attack_along` found for the points of the front; drawn in that section.

    Returns
    -------
    Report
    """
    front = choice.front
    title = title or f"Data minimisation report: {front.data.train.target_name}"
    data = _data(choice, title, _reproduce(front, source, command))
    if attacks is not None:
        data["attacks"] = cast(AttacksData, attacks.facts())
        data["meaning"] = [*MEANING, *ATTACK_MEANING]
        if along_front:
            along = [cast(AlongFrontData, point.to_dict()) for point in along_front]
            data["attacks"]["along_front"] = along
    return Report(data)


def _data(choice: Choice, title: str, reproduce: ReproduceData) -> ReportData:
    front = choice.front
    data = front.data
    best = set(map(id, front.best))
    points = [
        _point(number, point, front, id(point) in best, _is_chosen(point, choice))
        for number, point in enumerate(front.points)
    ]
    chosen = next(n for n, point in enumerate(front.points) if _is_chosen(point, choice))
    return {
        "title": title,
        "task": task_data(data),
        "limits": front.limits.to_dict(),  # type: ignore[typeddict-item]
        "requirement": {"words": choice.requirement.words, "met": choice.met},
        "chosen": chosen,
        "points": points,
        "meaning": list(MEANING),
        "reproduce": reproduce,
        "confidence": 0.95,
    }


def _is_chosen(point: Point, choice: Choice) -> bool:
    return point.assessment is choice.assessment


def _point(number: int, point: Point, front: Front, on_front: bool, chosen: bool) -> PointData:
    assessment, generalization = point.assessment, point.candidate.generalization
    data: PointData = {
        "id": number,
        "minimiser": point.candidate.minimiser,
        "parameters": dict(point.candidate.parameters),
        "label": point.candidate.label,
        "on_front": on_front,
        "utility": _utility(assessment, front),
        "risk": _risk(assessment, detailed=on_front or chosen),
        "classes": assessment.class_sizes.facts(),  # type: ignore[typeddict-item]
        "information_loss": assessment.information_loss,
        "n_buckets": generalization.n_buckets,
        "n_collected": len(generalization.collected),
    }
    if on_front or chosen:
        data["attributes"] = attributes_data(generalization, front.data.train)  # type: ignore[typeddict-item]
    return data


def _utility(assessment: Assessment, front: Front) -> UtilityData:
    loss, interval = front.limits.loss(assessment, "test")
    utility = assessment.utility
    return {
        "error": utility.error,
        "interval": list(utility.interval),
        "split": utility.split,
        "model": utility.model,
        "validation_error": assessment.validation_utility.error,
        "loss": loss,
        "loss_interval": list(interval),
    }


def _risk(assessment: Assessment, *, detailed: bool) -> RiskData:
    risk = assessment.risk
    data: RiskData = {
        "adversary": risk.adversary,
        "measure": risk.measure,
        "value": risk.value,
        "baseline": risk.baseline,
        "advantage": risk.advantage,
        "recovered": risk.recovered,
        "interval": list(risk.interval),
        "split": risk.split,
        "validation_error": assessment.validation_risk.value,
        "n": risk.n,
    }
    if detailed:
        data["attributes"] = [_attribute_risk(part.facts()) for part in risk.parts]
        data["confident"] = [
            ConfidentData(share=share, error=confident.value)
            for share, confident in assessment.confident_risks.items()
            if confident.n >= SMALLEST_COUNT
        ]
    return data


def _attribute_risk(part: dict[str, Any]) -> AttributeRiskData:
    part["absolute_error"] = part["details"].get("absolute_error")
    names = AttributeRiskData.__required_keys__
    return {name: part[name] for name in sorted(names)}  # type: ignore[return-value]


def _reproduce(front: Front, source: str, command: str | None) -> ReproduceData:
    settings = {"generalizations tried": len(front.points), "on the front": len(front.best)}
    return reproduce_data(front.data, source, command, settings)

"""From a choice and its front to the plain data of a report."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

from sparsam.assess import Assessment, Choice, Front, Point
from sparsam.data import Attribute
from sparsam.generalization import CategoricalPartition, Generalization, Partition
from sparsam.report._data import (
    AttributeData,
    AttributeRiskData,
    ConfidentData,
    PointData,
    ReportData,
    ReproduceData,
    RiskData,
    UtilityData,
)
from sparsam.report._meaning import MEANING
from sparsam.report._publish import SMALLEST_COUNT
from sparsam.report._report import Report

_LIBRARIES = ("sparsam", "numpy", "scipy", "scikit-learn", "numba", "duckdb")


def report_on(
    choice: Choice,
    *,
    title: str | None = None,
    source: str = "table",
    sha256: str | None = None,
    command: str | None = None,
) -> Report:
    """Write down a choice and its evidence.

    Parameters
    ----------
    choice : Choice
    title : str, optional
    source : str, default="table"
        What the input is called: a file name, not a path.
    sha256 : str, optional
        Hash of the input file; the hash of the encoded table when not given.
    command : str, optional
        The command that made the choice.

    Returns
    -------
    Report
    """
    front = choice.front
    title = title or f"Data minimisation report: {front.data.train.target_name}"
    return Report(_data(choice, title, _reproduce(front, source, sha256, command)))


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
        "task": {
            "target": data.train.target_name,
            "classes": list(data.train.classes),
            "rows": front.n_rows,
            "attributes": len(data.train.names),
            "personal": [data.train.names[p] for p in data.train.personal],
            "split": {
                "train": data.train.n_rows,
                "validation": data.validation.n_rows,
                "test": data.test.n_rows,
            },
        },
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
        "classes": assessment.class_sizes.to_dict(),  # type: ignore[typeddict-item]
        "information_loss": assessment.information_loss,
        "n_buckets": generalization.n_buckets,
        "n_collected": len(generalization.collected),
    }
    if on_front or chosen:
        data["attributes"] = _attributes(generalization, front)
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
        "error": risk.error,
        "baseline": risk.baseline,
        "advantage": risk.advantage,
        "recovered": risk.recovered,
        "interval": list(risk.interval),
        "split": risk.split,
        "validation_error": assessment.validation_risk.error,
        "n_records": risk.n_records,
    }
    if detailed:
        data["attributes"] = [_attribute_risk(part.to_dict()) for part in risk.parts]
        data["confident"] = [
            ConfidentData(share=share, error=confident.error)
            for share, confident in assessment.confident_risks.items()
            if confident.n_records >= SMALLEST_COUNT
        ]
    return data


def _attribute_risk(part: dict[str, Any]) -> AttributeRiskData:
    names = AttributeRiskData.__required_keys__
    return {name: part[name] for name in sorted(names)}  # type: ignore[return-value]


def _attributes(generalization: Generalization, front: Front) -> list[AttributeData]:
    task = front.data.train
    personal = {task.names[p] for p in task.personal}
    return [
        _attribute(attribute, generalization[attribute.name], attribute.name in personal)
        for attribute in task.table.attributes
    ]


def _attribute(attribute: Attribute, partition: Partition, personal: bool) -> AttributeData:
    before = _before(attribute)
    after = ", ".join(partition.labels)
    return {
        "name": attribute.name,
        "kind": attribute.kind,
        "personal": personal,
        "before": attribute.size,
        "before_words": before,
        "after": partition.n_buckets,
        "collected": partition.collected,
        "buckets": list(partition.labels) if partition.collected else [],
        "members": _members(partition),
        "words": f"{attribute.name}: {before} → {after}",
    }


def _before(attribute: Attribute) -> str:
    counted = f"{attribute.n_values:,} value{'s' * (attribute.n_values != 1)}"
    before = "exact numbers" if attribute.binned else counted
    return f"{before} or missing" if attribute.missing else before


def _members(partition: Partition) -> dict[str, list[str]]:
    """The categories of each bucket whose label does not name them all."""
    if not partition.collected or not isinstance(partition, CategoricalPartition):
        return {}
    named = zip(partition.labels, partition.groups, strict=False)
    return {
        label: [str(category) for category in group]
        for label, group in named
        if not all(str(category) in label for category in group)
    }


def _reproduce(front: Front, source: str, sha256: str | None, command: str | None) -> ReproduceData:
    data = front.data
    settings = {
        "split": " / ".join(f"{share:.0%}" for share in data.fractions),
        "generalizations tried": len(front.points),
        "on the front": len(front.best),
    }
    return {
        "versions": {
            "python": platform.python_version(),
            **{library: version(library) for library in _LIBRARIES},
        },
        "seed": data.random_state,
        "input": {"name": source, "sha256": sha256 or front.fingerprint, "rows": front.n_rows},
        "command": command,
        "settings": settings,
    }

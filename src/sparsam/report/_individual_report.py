"""The report on which single values of whom to retain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from sparsam.attack import Risk
from sparsam.individual import CurvePoint, Mask, Retention
from sparsam.report._data import ReproduceData, RequirementData
from sparsam.report._document import Document
from sparsam.report._individual_data import (
    IndividualReportData,
    MaskAccuracyData,
    MaskFactsData,
    MaskFigureData,
    MaskPointData,
)
from sparsam.report._individual_html import individual_page, individual_summary
from sparsam.report._individual_markdown import individual_markdown
from sparsam.report._individual_picture import kept_attributes, kept_people, picture_of
from sparsam.report._individual_words import MEANING_OF_MASK, individual_verdict
from sparsam.report._plain import plain
from sparsam.report._provenance import input_data, versions
from sparsam.report._words import points

_TPR = "0.01"


class IndividualReport(Document[IndividualReportData]):
    """Which values are retained, and what it costs and spares: to read, to print and to file.

    Parameters
    ----------
    data : IndividualReportData
        What was measured, as plain values; nothing in it tells of fewer than five people.
    """

    def __init__(self, data: IndividualReportData) -> None:
        super().__init__(cast(IndividualReportData, plain(data)))

    @property
    def verdict(self) -> str:
        """How much is kept and what it costs, in two sentences."""
        return str(individual_verdict(self._data))

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return individual_markdown(self._data)

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return individual_page(self._data)

    def __repr__(self) -> str:
        verdict = individual_verdict(self._data)
        return f"<IndividualReport {self._data['title']!r}: {verdict.needs}>"

    def _repr_html_(self) -> str:
        return individual_summary(self._data)


def individual_report(
    found: Retention,
    *,
    target: str | None = None,
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> IndividualReport:
    """Write down which values are retained, and the evidence for it.

    Parameters
    ----------
    found : Retention
        See `sparsam.individual.retain`.
    target : str, optional
        What the model predicts.
    title : str, optional
    source : str, default="table"
        What the table is called: a file name, not a path.
    command : str, optional
        The command that found the mask.
    settings : mapping, optional
        More facts on how it was found.

    Returns
    -------
    IndividualReport
    """
    curve, mask = found.curve, found.mask
    data: IndividualReportData = {
        "title": title or f"What to retain for training: {target or source}",
        "target": target,
        "requirement": _requirement(found),
        "mask": _mask(found),
        "chosen": _point(curve.chosen),
        "full": _point(curve.full),
        "points": [_point(one) for one in curve.points],
        "overlap": cast(Any, None if curve.overlap is None else curve.overlap.to_dict()),
        "people": curve.people,
        "n_references": curve.n_references,
        "attributes": kept_attributes(mask.kept, mask.attributes),
        "kept_people": kept_people(mask.kept),
        "picture": picture_of(mask.kept),
        "meaning": MEANING_OF_MASK,
        "reproduce": _reproduce(found, source, command, settings),
    }
    return IndividualReport(data)


def _requirement(found: Retention) -> RequirementData | None:
    if found.max_drop is None:
        return None
    words = f"a drop in accuracy of at most {points(found.max_drop)}"
    return {"words": words, "met": found.met}


def _mask(found: Retention) -> MaskFactsData:
    mask = found.mask
    return {
        "people": mask.shape[0],
        "attributes": mask.shape[1],
        "names": list(mask.attributes),
        "table_rows": _table_rows(mask),
        "values": mask.kept.size,
        "kept": mask.n_kept,
        "kept_share": mask.kept_share,
        "algorithm": mask.algorithm,
        "learner": mask.learner,
        "imputation": found.curve.imputation,
        "random_state": mask.random_state,
        "facts": dict(mask.facts),
        "reconstruction": {
            "value": found.reconstruction.value,
            "interval": found.reconstruction.interval,
            "baseline": found.reconstruction.baseline,
            "found": None,
        },
        "reidentification": _ranked(found.reidentification),
        "weighed": _ranked(found.weighed),
    }


def _table_rows(mask: Mask) -> int:
    return mask.shape[0] if mask.table_rows is None else mask.table_rows


def _point(one: CurvePoint) -> MaskPointData:
    return {
        "algorithm": one.algorithm,
        "kept_share": one.kept_share,
        "accuracy": _accuracy(one),
        "reconstruction": {
            "value": one.reconstruction.value,
            "interval": one.reconstruction.interval,
            "baseline": one.reconstruction.baseline,
            "found": None,
        },
        "reidentification": _ranked(one.reidentification),
        "weighed": _ranked(one.weighed),
        "membership": None if one.membership is None else _member(one.membership),
    }


def _accuracy(one: CurvePoint) -> MaskAccuracyData:
    plain_one = one.accuracy.to_dict()
    return cast(MaskAccuracyData, {"value": plain_one.pop("accuracy"), **plain_one})


def _ranked(one: Risk | None) -> MaskFigureData | None:
    if one is None:
        return None
    return {
        "value": one.value,
        "interval": one.interval,
        "baseline": one.baseline,
        "found": one.to_dict()["details"].get("ranked_first"),
    }


def _member(one: Risk) -> MaskFigureData:
    found = one.to_dict()["details"].get("tpr_at", {}).get(_TPR)
    return {
        "value": one.value,
        "interval": one.interval,
        "baseline": one.baseline,
        "found": found,
    }


def _reproduce(
    found: Retention,
    source: str,
    command: str | None,
    settings: Mapping[str, Any] | None,
) -> ReproduceData:
    curve = found.curve
    people = ", ".join(f"{count:,} {name}" for name, count in curve.people.items())
    more: dict[str, Any] = {
        "Algorithm": found.mask.algorithm,
        "Model": curve.learner,
        "Imputation": curve.imputation,
        "Division": people,
        "Reference models": curve.n_references,
        **(settings or {}),
    }
    return {
        "versions": versions(),
        "seed": curve.random_state,
        "input": input_data(source, _table_rows(found.mask)),
        "command": command,
        "settings": more,
    }

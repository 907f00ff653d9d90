"""The report on a table that is published so that nobody stands alone."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import (
    FEWER,
    PublishedCounts,
    few,
    publish_nested,
    publish_share,
    suppress,
)
from sparsam.anonymise import (
    AnonymisedModel,
    Certificate,
    DropOne,
    KAnonymityTerms,
    KSweep,
    ModelFacts,
    TightLoss,
    Verification,
    people_in,
    release_risk,
    verify,
)
from sparsam.attack import Risk
from sparsam.data import columns_of
from sparsam.report._document import Document
from sparsam.report._plain import plain
from sparsam.report._provenance import input_data, versions
from sparsam.report._release_data import (
    CertificateData,
    FindingData,
    LossData,
    ModelFactsData,
    RecordRiskData,
    ReleaseReportData,
    ReleaseRiskData,
    RetrainedData,
    SweepsData,
    WholeRowsData,
)
from sparsam.report._release_html import release_page, release_summary
from sparsam.report._release_markdown import release_markdown
from sparsam.report._release_sizes import size_bins
from sparsam.report._release_words import MEANING_OF_RELEASE, release_verdict


class ReleaseReport(Document[ReleaseReportData]):
    """What a release promises, keeps and costs, to read, to print and to file.

    Counts of fewer than five people are replaced by words before anything is written, in the plain
    data too.

    Parameters
    ----------
    data : ReleaseReportData
        What was measured, as plain values.
    """

    def __init__(self, data: ReleaseReportData) -> None:
        super().__init__(_publishable(data))

    @property
    def verdict(self) -> str:
        """Whether the promise is kept, and of how many, in two sentences."""
        return str(release_verdict(self._data))

    @property
    def kept(self) -> bool:
        """Whether nothing was found to be wrong."""
        return self._data["kept"]

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return release_markdown(self._data)

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return release_page(self._data)

    def __repr__(self) -> str:
        return f"<ReleaseReport {self._data['title']!r}: {release_verdict(self._data).needs}>"

    def _repr_html_(self) -> str:
        return release_summary(self._data)


def release_report(
    release: Any,
    certificate: Certificate | str | os.PathLike[str],
    *,
    unpublished: Mapping[str, NDArray[Any]] | None = None,
    sweeps: Sequence[KSweep] = (),
    scores: Mapping[str, Any] | None = None,
    drop_one: DropOne | None = None,
    model: AnonymisedModel | None = None,
    title: str | None = None,
    source: str = "table",
    rows: int | None = None,
    command: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> ReleaseReport:
    """Check a release once more from its published cells, and write down the evidence.

    Parameters
    ----------
    release : frame, mapping of arrays, ndarray, Table or path
        The published table.
    certificate : Certificate or path
    unpublished : mapping of str to ndarray, optional
        Columns that promises speak about and that are not published, for the published rows.
    sweeps : sequence of KSweep, optional
        What every k costs, a sweep for each method.
    scores : mapping, optional
        What the scores of the sweeps are: "measure" ("share" of right answers, "r2" or "own"),
        "raw" and "chance" (the scores of a model that learned from raw rows, and of one answer for
        everyone), and "words" on how they were measured.
    drop_one : DropOne, optional
        What every quasi-identifier costs.
    model : AnonymisedModel, optional
        A model before and after.
    title : str, optional
    source : str, default="table"
        What the raw table is called: a file name, not a path.
    rows : int, optional
        How many rows it has.
    command : str, optional
        The command that made the release.
    facts : mapping, optional
        More plain facts for whoever wants to do it again.

    Returns
    -------
    ReleaseReport

    Examples
    --------
    >>> from sparsam.anonymise import Anonymiser
    >>> anonymiser = Anonymiser(k=2)
    >>> release = anonymiser.fit_transform({"age": np.array([20, 21, 22, 40, 41, 60])})
    >>> release_report(release, anonymiser.certificate_).kept
    True
    """
    paper = _opened(certificate)
    found = verify(release, paper, unpublished=unpublished)
    sizes, people = _sizes(release, paper, found, unpublished or {})
    return ReleaseReport(
        {
            "title": title or "Anonymisation report",
            "kept": found.ok,
            "complete": found.complete,
            "findings": _findings(found),
            "certificate": _certificate(paper),
            "sizes": [] if sizes is None else size_bins(sizes),
            "risk": _risk(paper, sizes, people),
            "sweeps": _sweeps(sweeps, scores or {}),
            "drop_one": None if drop_one is None else cast(Any, drop_one.to_dict()),
            "model": None if model is None else _model(model),
            "meaning": list(MEANING_OF_RELEASE),
            "reproduce": {
                "versions": versions(),
                "seed": paper.parameters.get("random_state"),
                "input": input_data(source, rows),
                "command": command,
                "settings": dict(facts or {}),
            },
        }
    )


def _opened(certificate: Certificate | str | os.PathLike[str]) -> Certificate:
    if isinstance(certificate, Certificate):
        return certificate
    return Certificate.load(os.fspath(certificate))


def _sizes(
    release: Any, paper: Certificate, found: Verification, unpublished: Mapping[str, NDArray[Any]]
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """Rows and people of every class; None where nobody shows whose row it is."""
    if not found.ok or found.counted is None:
        return None, None
    of_row, sizes = found.counted.of_row, found.counted.sizes
    entity = _entity(paper)
    if entity is None:
        return sizes, sizes
    if entity in unpublished:
        return sizes, people_in(of_row, np.asarray(unpublished[entity]))
    if entity in paper.columns:
        return sizes, people_in(of_row, columns_of(release, [entity])[entity])
    return sizes, None


def _entity(paper: Certificate) -> str | None:
    named = (terms.entity for terms in paper.demands if isinstance(terms, KAnonymityTerms))
    return next((entity for entity in named if entity is not None), None)


def _findings(found: Verification) -> list[FindingData]:
    return [
        {"words": one.words, "held": one.held, "detail": _safe(one.detail)}
        for one in found.findings
    ]


def _safe(detail: str) -> str:
    """Replace counts of few people inside a sentence."""
    return re.sub(
        r"(?<![\d,.])\d[\d,]*(?![\d.])",
        lambda hit: FEWER if few(int(hit[0].replace(",", ""))) else hit[0],
        detail,
    )


def _certificate(paper: Certificate) -> CertificateData:
    return {
        "sha256": paper.sha256,
        "n_rows": paper.n_rows,
        "suppressed": paper.suppressed,
        "columns": paper.columns,
        "quasi_identifiers": paper.quasi_identifiers,
        "kept": paper.kept,
        "promises": [terms.words for terms in paper.demands],
        "classes": paper.classes,
        "smallest": paper.smallest,
        "smallest_people": paper.smallest_people,
        "k": max(
            (one.k for one in paper.demands if isinstance(one, KAnonymityTerms)), default=None
        ),
        "whole_rows": _whole_rows(paper),
        "one_value": [
            {"column": one.column, "classes": one.classes, "rows": one.rows}
            for one in paper.one_value
        ],
        "information_loss": [_loss(name, loss) for name, loss in paper.information_loss.items()],
        "parameters": paper.parameters,
        "versions": paper.versions,
    }


def _whole_rows(paper: Certificate) -> WholeRowsData | None:
    found = paper.whole_rows
    if found is None or not paper.kept:
        return None
    return {"unique": found.unique, "few": found.few, "different": found.different}


def _loss(name: str, loss: float) -> LossData:
    named = re.fullmatch(r"tight \((range|share|values)\)", name)
    words = TightLoss(loss, {}, cast(Any, named[1])).definition if named else ""
    return {"name": name, "loss": loss, "definition": words}


def _risk(
    paper: Certificate, sizes: NDArray[np.int64] | None, people: NDArray[np.int64] | None
) -> ReleaseRiskData | None:
    if sizes is None or people is None:
        return None
    risks = release_risk(sizes, people=people)
    prosecutor = risks["prosecutor"]
    return {
        "prosecutor": _record_risk(prosecutor),
        "journalist": _record_risk(risks["journalist"]),
        "marketer": risks["marketer"].value,
        "baseline": prosecutor.baseline,
        "threshold": prosecutor.details["threshold"],
    }


def _record_risk(risk: Risk) -> RecordRiskData:
    return {
        "highest": risk.details["highest"],
        "average": risk.value,
        "share_above": risk.details["share_above"],
    }


def _sweeps(sweeps: Sequence[KSweep], scores: Mapping[str, Any]) -> SweepsData | None:
    if not sweeps:
        return None
    return {
        "measure": scores.get("measure", "own"),
        "raw": scores.get("raw"),
        "chance": scores.get("chance"),
        "words": scores.get("words", ""),
        "methods": [
            cast(Any, {"method": one.method, "n_rows": one.n_rows, "rows": one.facts()["rows"]})
            for one in sweeps
        ],
    }


def _model(found: AnonymisedModel) -> RetrainedData:
    return {
        "method": found.method,
        "k": found.k,
        "n_train": found.n_train,
        "n_test": found.n_test,
        "models": [_facts(one) for one in (found.before, found.after, *found.private)],
    }


def _facts(facts: ModelFacts) -> ModelFactsData:
    spent = None if facts.privacy is None else facts.privacy.get("epsilon")
    return {
        "name": facts.name,
        "train_accuracy": facts.train_accuracy,
        "test_accuracy": facts.test_accuracy,
        "membership": [
            {"adversary": one.adversary, "figure": one.value, "interval": one.interval,
             "baseline": one.baseline}
            for one in facts.membership
        ],
        "attribute": [
            {"adversary": f"{one.adversary} on {one.attribute}", "figure": one.value,
             "interval": one.interval, "baseline": one.baseline}
            for one in facts.attribute
        ],
        "epsilon": spent,
    }  # fmt: skip


def _publishable(data: ReleaseReportData) -> ReleaseReportData:
    """Copy the data with words for counts of few people, and nothing but plain values."""
    safe: dict[str, Any] = plain(data)
    paper = safe["certificate"]
    smallest = paper["smallest"] if paper["smallest_people"] is None else paper["smallest_people"]
    if few(smallest) and safe["risk"] is not None:
        for name in ("prosecutor", "journalist"):
            safe["risk"][name]["highest"] = None
    for name in ("smallest", "smallest_people"):
        paper[name] = suppress(paper[name])
    if (rows := paper["whole_rows"]) is not None:
        counts = [rows["unique"], rows["few"]]
        rows["unique"], rows["few"] = publish_nested(counts, paper["n_rows"])
    for one in paper["one_value"]:
        if few(one["rows"]):
            one["rows"] = one["classes"] = FEWER
    methods = (safe["sweeps"] or {"methods": []})["methods"]
    swept = [row for one in methods for row in one["rows"]]
    left_out = [row["suppressed"] for row in (paper, *swept)]
    tell = PublishedCounts(left_out, safe["reproduce"]["input"]["rows"])
    told = tell(paper["suppressed"]) == paper["suppressed"]
    for row in (paper, *swept):
        row["suppressed"] = tell(row["suppressed"])
    for row in swept:
        row["smallest"] = suppress(row["smallest"])
    if not told:
        # The rows of the raw table, less those of the release, are the rows that were left out.
        safe["reproduce"]["input"]["rows"] = None
        for one in methods:
            one["n_rows"] = None
    return cast(ReleaseReportData, _rounded_model(safe))


def _rounded_model(safe: dict[str, Any]) -> dict[str, Any]:
    """Round how often models are right to steps of five people or more."""
    found = safe["model"]
    for one in [] if found is None else found["models"]:
        one["train_accuracy"] = publish_share(one["train_accuracy"], found["n_train"])
        one["test_accuracy"] = publish_share(one["test_accuracy"], found["n_test"])
    return safe

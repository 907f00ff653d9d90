"""The report on what a model that already runs needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from sparsam._errors import ParameterError
from sparsam._small_counts import suppress
from sparsam.assess import ModelAssessment
from sparsam.generalization import Generalization
from sparsam.report._collected import attribute_data
from sparsam.report._document import Document
from sparsam.report._model_data import (
    KeptData,
    ModelAttributeData,
    ModelCollectedData,
    ModelReportData,
    QuestionsData,
    StoredData,
    TruthData,
)
from sparsam.report._model_html import model_page, model_summary
from sparsam.report._model_markdown import model_markdown
from sparsam.report._model_words import MEANING_OF_MODEL, method_words, model_verdict
from sparsam.report._plain import plain
from sparsam.report._provenance import input_data, versions


class Questions(Protocol):
    """What a questionnaire asks of people, against a form that asks everyone for everything."""

    @property
    def mean(self) -> float:
        """Questions a person is asked on average."""

    @property
    def saved(self) -> float:
        """The share of the form's questions that are not asked."""

    @property
    def form(self) -> int:
        """Questions of the form."""

    @property
    def per_attribute(self) -> Mapping[str, float]:
        """The share of people who are asked for each attribute."""


class ModelReport(Document[ModelReportData]):
    """What a model needs and keeps, to read, to print and to file.

    Counts of fewer than five people are replaced by words before anything is written, in the plain
    data too.

    Parameters
    ----------
    data : ModelReportData
        What was measured, as plain values.
    """

    def __init__(self, data: ModelReportData) -> None:
        super().__init__(_publishable(data))

    @property
    def verdict(self) -> str:
        """What the model needs and keeps, in two sentences; a missed target comes first."""
        return str(model_verdict(self._data))

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return model_markdown(self._data)

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return model_page(self._data)

    def __repr__(self) -> str:
        return f"<ModelReport {self._data['title']!r}: {model_verdict(self._data).needs}>"

    def _repr_html_(self) -> str:
        return model_summary(self._data)


def model_report(
    assessment: ModelAssessment,
    generalization: Generalization,
    questions: Questions | None = None,
    *,
    title: str | None = None,
    source: str = "table",
    rows: int | None = None,
    command: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> ModelReport:
    """Write down what a model needs, and the evidence.

    Parameters
    ----------
    assessment : ModelAssessment
        What `assess_model` measured.
    generalization : Generalization
        The ranges that are asked for.
    questions : Asked, optional
        What `Questionnaire.ask` counted.
    title : str, optional
    source : str, default="table"
        What the input is called: a file name, not a path.
    rows : int, optional
        How many records it has.
    command : str, optional
        The command that made it.
    facts : mapping, optional
        More plain facts for whoever wants to do it again, such as the name of the model's file.

    Returns
    -------
    ModelReport
    """
    found, settings = assessment.to_dict(), dict(assessment.settings)
    seed = settings.pop("random_state", None)
    return ModelReport(
        {
            "title": title or "Data minimisation report for a model",
            "collected": _collected(assessment, generalization),
            "kept": cast(KeptData, {**found, "held_out": found["relative_accuracy"]}),
            "truth": cast(TruthData | None, found["true_accuracy"]),
            "stored": cast(StoredData, found["disclosure"]),
            "curve": found["curve"],
            "questions": _questions(questions),
            "method": method_words(assessment.settings, assessment.n_asked),
            "meaning": list(MEANING_OF_MODEL),
            "reproduce": {
                "versions": versions(),
                "seed": seed,
                "input": input_data(source, rows),
                "command": command,
                "settings": {**(facts or {}), **_named(settings), "model asked": found["n_asked"]},
            },
            "confidence": 0.95,
        }
    )


def _collected(assessment: ModelAssessment, generalization: Generalization) -> ModelCollectedData:
    whole, local = assessment.information_loss, assessment.local_information_loss
    if set(generalization.names) != {one.name for one in assessment.attributes}:
        raise ParameterError(
            "A report needs the generalization that was assessed. Got one with other attributes."
        )
    attributes: list[ModelAttributeData] = [
        {
            **attribute_data(one, generalization[one.name], personal=False),
            "information_loss": whole.per_attribute[one.name],
            "local_information_loss": local.per_attribute[one.name],
        }
        for one in assessment.attributes
    ]
    return {
        "attributes": attributes,
        "n_buckets": generalization.n_buckets,
        "n_collected": len(generalization.collected),
        "information_loss": whole.overall,
        "local_information_loss": local.overall,
    }


def _questions(asked: Questions | None) -> QuestionsData | None:
    if asked is None:
        return None
    return {
        "mean": float(asked.mean),
        "form": int(asked.form),
        "saved": float(asked.saved),
        "per_attribute": dict(asked.per_attribute),
    }


def _named(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings by names that a person reads."""
    return {name.replace("_", " "): value for name, value in settings.items()}


def _publishable(data: ModelReportData) -> ModelReportData:
    """Copy the data with words for counts of few people, and nothing but plain values."""
    safe: dict[str, Any] = plain(data)
    safe["kept"] = {name: safe["kept"][name] for name in KeptData.__annotations__}
    counted = [*safe["kept"].values(), *(safe["truth"] or {}).values(), *safe["stored"].values()]
    for one in counted:
        if isinstance(one, dict):
            one["n_records"] = suppress(one["n_records"])
    return cast(ModelReportData, safe)

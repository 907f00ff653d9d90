"""The shape of the plain data of a report on a model that already runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from sparsam.report._data import AttributeData, Count, Interval, MeaningData, ReproduceData


class ModelAttributeData(AttributeData):
    """One attribute before and after, and how much of its detail is lost."""

    information_loss: float | None
    local_information_loss: float | None


class ModelCollectedData(TypedDict):
    """What the model needs."""

    attributes: Sequence[ModelAttributeData]
    n_buckets: int
    n_collected: int
    information_loss: float | None
    """Of the ranges that are asked for."""
    local_information_loss: float | None
    """Of the recoding, leaf by leaf."""


class AccuracyData(TypedDict):
    """How well answers agree with others."""

    score: float | None
    interval: Interval
    n_records: Count
    measure: str
    """A share of answers, R², or a score of the user's own: "share", "r2" or "own"."""


class KeptData(TypedDict):
    """How much of the model's answers is kept, and how much was asked for."""

    held_out: AccuracyData
    chosen_on: AccuracyData
    worst_cell: AccuracyData | None
    target: float
    met: bool
    shortfall: float
    null_accuracy: float | None


class TruthData(TypedDict):
    """How often the model is right, on the records and on what it is fed instead."""

    before: AccuracyData
    after: AccuracyData


class DisclosureData(TypedDict):
    """How far some records tell people apart."""

    as_printed: float | None
    as_reported: float | None
    distinct: Count
    n_records: Count


class StoredData(TypedDict):
    """Disclosure risk before and after."""

    before: DisclosureData
    after: DisclosureData
    recoded: DisclosureData
    quasi_identifiers: Sequence[str]


class CurveData(TypedDict):
    """One generalization that the search passed."""

    information_loss: float | None
    chosen_on: float | None
    held_out: float | None
    n_collected: int


class QuestionsData(TypedDict):
    """What the dynamic questionnaire asks."""

    mean: float
    form: int
    saved: float
    per_attribute: Mapping[str, float]


class ModelReportData(TypedDict):
    """Everything that a report on a model says, as plain JSON values."""

    title: str
    collected: ModelCollectedData
    kept: KeptData
    truth: TruthData | None
    stored: StoredData
    curve: Sequence[CurveData]
    questions: QuestionsData | None
    method: Sequence[str]
    meaning: Sequence[MeaningData]
    reproduce: ReproduceData
    confidence: NotRequired[float | None]

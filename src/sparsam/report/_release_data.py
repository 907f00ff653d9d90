"""The shape of the plain data of a report on a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from sparsam.report._data import Count, Interval, MeaningData, ReproduceData


class FindingData(TypedDict):
    """One thing that was checked from the published cells."""

    words: str
    held: bool | None
    """None where the release does not show it."""
    detail: str


class LossData(TypedDict):
    """Detail that was lost, by one of several definitions."""

    name: str
    loss: float
    definition: str


class WholeRowsData(TypedDict):
    """Whole published rows, with the columns that are published as they are."""

    unique: Count
    """Rows that no other row is equal to."""
    few: Count
    """Rows that fewer than k rows are equal to."""
    different: int


class OneValueData(TypedDict):
    """Classes in which everyone has the same value of a column that is published as it is."""

    column: str
    classes: Count
    rows: Count


class CertificateData(TypedDict):
    """What the certificate states."""

    sha256: str
    n_rows: int
    suppressed: Count
    columns: Sequence[str]
    quasi_identifiers: Sequence[str]
    kept: Sequence[str]
    """Columns that are published as they are."""
    promises: Sequence[str]
    classes: int
    smallest: Count
    smallest_people: Count
    k: int | None
    whole_rows: WholeRowsData | None
    one_value: Sequence[OneValueData]
    information_loss: Sequence[LossData]
    parameters: Mapping[str, Any]
    versions: Mapping[str, str]


class SizeData(TypedDict):
    """Published records that are shared by so many rows."""

    low: int
    high: int | None
    """None: and more."""
    records: int
    rows: int


class RecordRiskData(TypedDict):
    """How likely the people behind published records are to be recognised."""

    highest: float | None
    """None where fewer than five share the rarest record: the risk is above the threshold."""
    average: float
    share_above: float


class ReleaseRiskData(TypedDict):
    """The risk of being recognised, by what the other one knows."""

    prosecutor: RecordRiskData
    journalist: RecordRiskData
    marketer: float
    baseline: float
    threshold: float


class SweepRowData(TypedDict):
    """What one k costs."""

    k: int
    classes: int
    smallest: Count
    suppressed: Count
    loss: float
    score: float | None


class SweepData(TypedDict):
    """What every k costs, by one method."""

    method: str
    n_rows: int | None
    """None where it would tell of few rows that were left out."""
    rows: Sequence[SweepRowData]


class SweepsData(TypedDict):
    """What every k costs, method by method."""

    measure: str
    """What the scores are: "share", "r2" or "own"."""
    raw: float | None
    """The score of a model that learned from the raw rows."""
    chance: float | None
    """The score of one answer for everyone."""
    words: str
    methods: Sequence[SweepData]


class DropOneRowData(TypedDict):
    """What changes when one quasi-identifier is none."""

    name: str
    own: float
    before: float
    after: float
    cost: float
    score: float | None


class DropOneData(TypedDict):
    """What every quasi-identifier costs, the dearest first."""

    rows: Sequence[DropOneRowData]
    loss: float
    score: float | None
    method: str
    k: int
    then: str


class ModelRiskData(TypedDict):
    """One attack on a model."""

    adversary: str
    figure: float
    """The area under the curve for membership, the accuracy for an attribute."""
    interval: Interval
    baseline: float


class ModelFactsData(TypedDict):
    """How right a model is, and how much it betrays."""

    name: str
    train_accuracy: float
    test_accuracy: float
    membership: Sequence[ModelRiskData]
    attribute: Sequence[ModelRiskData]
    epsilon: float | None


class RetrainedData(TypedDict):
    """Models trained on the people themselves, on anonymised people, and under noise."""

    method: str
    k: int
    n_train: int
    n_test: int
    models: Sequence[ModelFactsData]


class ReleaseReportData(TypedDict):
    """Everything that a report on a release says, as plain JSON values."""

    title: str
    kept: bool
    """Whether every promise that could be checked holds."""
    complete: bool
    """Whether all of them could be checked."""
    findings: Sequence[FindingData]
    certificate: CertificateData
    sizes: Sequence[SizeData]
    risk: ReleaseRiskData | None
    sweeps: SweepsData | None
    drop_one: DropOneData | None
    model: RetrainedData | None
    meaning: Sequence[MeaningData]
    reproduce: ReproduceData

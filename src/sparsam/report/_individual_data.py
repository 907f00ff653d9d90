"""The shape of the plain data of a report on which values to retain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from sparsam.report._data import Count, Interval, MeaningData, ReproduceData, RequirementData


class MaskFigureData(TypedDict):
    """What one adversary achieved, and what it must be read against."""

    value: float
    interval: Interval
    baseline: float
    found: float | None
    """RIR: people whose record comes first. MIR: members found at 1 % false accusations."""


class MaskAccuracyData(TypedDict):
    """How often the model is right about people apart."""

    value: float
    interval: Interval
    baseline: float
    full: float
    drop: float
    drop_interval: Interval
    n_people: int


class MaskPointData(TypedDict):
    """One algorithm at one kept share."""

    algorithm: str
    kept_share: float
    accuracy: MaskAccuracyData
    reconstruction: MaskFigureData
    reidentification: MaskFigureData | None
    weighed: MaskFigureData | None
    membership: MaskFigureData | None


class MaskFactsData(TypedDict):
    """The mask that was saved."""

    people: int
    attributes: int
    names: Sequence[str]
    """The attributes, as the table has them."""
    table_rows: int
    values: int
    kept: int
    kept_share: float
    algorithm: str
    learner: str
    imputation: str
    random_state: int | None
    facts: Mapping[str, Any]
    reconstruction: MaskFigureData
    reidentification: MaskFigureData | None
    weighed: MaskFigureData | None


class OverlapData(TypedDict):
    """How far runs with other seeds agree."""

    algorithm: str
    kept_share: float
    seeds: Sequence[int]
    mean: float
    low: float
    high: float
    random: float
    random_low: float
    random_high: float


class KeptAttributeData(TypedDict):
    """Of how many people an attribute is kept."""

    name: str
    share: float | None
    """None where it would tell of fewer than five people."""
    words: str


class KeptPeopleData(TypedDict):
    """People of whom so many values are kept."""

    low: int
    high: int
    people: Count


class PictureData(TypedDict):
    """The mask in rows of many people each: the share of them whose value is kept."""

    people_per_row: int
    attributes_per_column: int
    rows: Sequence[Sequence[float]]


class IndividualReportData(TypedDict):
    """Everything that a report on which values to retain says, as plain JSON values."""

    title: str
    target: str | None
    requirement: RequirementData | None
    mask: MaskFactsData
    chosen: MaskPointData
    full: MaskPointData
    points: Sequence[MaskPointData]
    overlap: OverlapData | None
    people: Mapping[str, int]
    """How many of the division were public, members, others and test people."""
    n_references: int
    attributes: Sequence[KeptAttributeData]
    kept_people: Sequence[KeptPeopleData]
    picture: PictureData
    meaning: Sequence[MeaningData]
    reproduce: ReproduceData

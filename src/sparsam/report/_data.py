"""The shape of a report's plain data: what goes in, and what every rendering reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

Interval = Sequence[float | None] | None
"""Lower and upper end of a confidence interval, or None where none was computed."""

Count = int | str | None
"""A number of people; words like "fewer than 5" where it may not be published."""


class SplitData(TypedDict):
    """How many records each part of the table holds."""

    train: int
    validation: int
    test: int


class TaskData(TypedDict):
    """What the model is for, and the table it learns from."""

    target: str
    classes: Sequence[str]
    rows: int
    attributes: int
    personal: Sequence[str]
    split: SplitData


class LimitData(TypedDict):
    """The model's error at one end of what can be collected."""

    error: float | None
    interval: NotRequired[Interval]
    model: NotRequired[str | None]


class LimitsData(TypedDict):
    """The two ends of what can be collected, and the guess that needs nothing."""

    everything: LimitData
    nothing: LimitData
    naive: LimitData


class RequirementData(TypedDict):
    """What the user asked for, in words, and whether the chosen point keeps to it."""

    words: str
    met: bool


class UtilityData(TypedDict):
    """How well the model does with what is collected."""

    error: float | None
    interval: Interval
    split: str
    model: str | None
    validation_error: float | None
    loss: float | None
    loss_interval: Interval


class AttributeRiskData(TypedDict):
    """What an adversary still learns about one personal attribute."""

    attribute: str
    measure: str
    value: float | None
    baseline: float | None
    advantage: float | None
    recovered: float | None
    interval: Interval
    model: str | None
    absolute_error: float | None


class ConfidentData(TypedDict):
    """How often the adversary errs on the records it is surest of."""

    share: float
    error: float | None


class RiskData(TypedDict):
    """What an adversary still learns, over all personal attributes."""

    adversary: str
    measure: str
    value: float | None
    baseline: float | None
    advantage: float | None
    recovered: float | None
    interval: Interval
    split: str
    validation_error: float | None
    n: int
    attributes: NotRequired[Sequence[AttributeRiskData]]
    confident: NotRequired[Sequence[ConfidentData]]


class ClassesData(TypedDict):
    """People by the size of their group of identical generalized records."""

    distinct: Count
    smallest: Count
    alone: Count
    under: Mapping[str, Count]


class AttributeData(TypedDict):
    """One attribute before and after."""

    name: str
    kind: str
    personal: bool
    before: int
    before_words: str
    after: int
    collected: bool
    buckets: Sequence[str]
    members: NotRequired[Mapping[str, Sequence[str]]]
    """Every category of the buckets whose label does not name them all."""
    words: str


class PointData(TypedDict):
    """One generalization with its utility and its risk."""

    id: int
    minimiser: str
    parameters: Mapping[str, Any]
    label: str
    on_front: bool
    utility: UtilityData
    risk: RiskData
    classes: ClassesData
    information_loss: float | None
    n_buckets: int
    n_collected: int
    attributes: NotRequired[Sequence[AttributeData]]


HistogramData = TypedDict("HistogramData", {"from": int, "to": int, "people": Count})
"""People whose record is shared by as many people as the two ends say."""


class AttackDetails(TypedDict, total=False):
    """What only one adversary has to say; anything else is left out of a report."""

    share: float | None
    smallest_error: float | None
    largest_error: float | None
    single_breaches: Sequence[float | None]
    first: Sequence[str]
    second: Sequence[str]
    value_matched: float | None
    value_matched_by_chance: float | None
    people_at_once: Count
    attempts: int
    distinct: Count
    smallest: Count
    rarest: Count
    alone: Count
    under: Mapping[str, Count]
    histogram: Sequence[HistogramData]
    control_interval: Interval
    control_records: Count
    tolerance: float
    absolute_error: float | None


class AttackRiskData(TypedDict):
    """How far one adversary came, on one attribute or on all."""

    adversary: str
    id: str | None
    attribute: str | None
    measure: str
    value: float | None
    baseline: float | None
    advantage: float | None
    recovered: float | None
    interval: Interval
    n: Count
    split: str
    random_state: int | None
    model: str | None
    parts: Sequence[AttackRiskData]
    details: AttackDetails


class BoundData(TypedDict):
    """What no adversary exceeds that sees only a person's record."""

    attribute: str
    accuracy: float | None
    on_these_records: float | None
    confidence: float | None
    n: Count
    tolerance: NotRequired[float | None]
    """How close a guess of a number must come."""


class AlongFrontData(TypedDict):
    """How often adversaries err on one point of the front."""

    id: int | None
    label: str
    utility_error: float | None
    errors: Mapping[str, float | None]
    """By the adversary's short name: A1, A3, A4, A5."""


class AttacksData(TypedDict):
    """What all adversaries achieved against one generalization."""

    complete: bool
    risks: Sequence[AttackRiskData]
    bounds: Sequence[BoundData]
    along_front: NotRequired[Sequence[AlongFrontData]]


class MeaningData(TypedDict):
    """One thing that the numbers do not say."""

    heading: str
    text: str


class InputData(TypedDict):
    """The file or frame that the report was made from."""

    name: str
    hash: str
    """Why there is none."""
    rows: int | None


class ReproduceData(TypedDict):
    """All that is needed to get the same report again."""

    versions: Mapping[str, str]
    seed: int | None
    input: InputData
    command: str | None
    settings: Mapping[str, Any]


class ReportData(TypedDict):
    """Everything that a report says, as plain JSON values."""

    title: str
    task: TaskData
    limits: LimitsData
    requirement: RequirementData | None
    chosen: int
    points: Sequence[PointData]
    meaning: Sequence[MeaningData]
    reproduce: ReproduceData
    confidence: NotRequired[float | None]
    """The level of all intervals, 0.95 for example; named beside them where it is known."""
    attacks: NotRequired[AttacksData]
    """The whole bench of adversaries on the chosen point."""


class CollectedData(TypedDict):
    """What one generalization collects."""

    attributes: Sequence[AttributeData]
    n_buckets: int
    n_collected: int
    information_loss: float | None


class AttackReportData(TypedDict):
    """Everything that a report of attacks on one generalization says."""

    title: str
    task: TaskData
    collected: CollectedData
    attacks: AttacksData
    meaning: Sequence[MeaningData]
    reproduce: ReproduceData
    confidence: NotRequired[float | None]

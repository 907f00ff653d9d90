"""The shape of the plain data of a report on an exploration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from sparsam.report._data import Interval, MeaningData, ReproduceData

Kind = Literal["numeric", "ordered", "categorical"]


class NoisyCellData(TypedDict):
    """A noisy count; at least zero, as counts are."""

    label: str
    count: float
    interval: Interval
    apart: bool
    """Whether it counts what is missing or not declared."""


class NoisyFigureData(TypedDict):
    """One figure of an attribute, or of a pair of them."""

    name: str
    value: float
    interval: Interval


class ExploredAttributeData(TypedDict):
    """What was learned about one attribute."""

    name: str
    kind: Kind
    declared: str
    """What it may hold, as somebody declared it."""
    edges: Sequence[float]
    """Of the cells of a numeric attribute; empty otherwise, and where none were counted."""
    cells: Sequence[NoisyCellData]
    quantiles: Sequence[NoisyFigureData]
    figures: Sequence[NoisyFigureData]
    """Missing values, outliers, mean."""
    notes: Sequence[str]


class PairData(TypedDict):
    """How two attributes go together."""

    first: str
    second: str
    value: float
    interval: Interval


class MatrixData(TypedDict):
    """All pairs of attributes of one kind."""

    measure: Literal["spearman", "cramers_v"]
    names: Sequence[str]
    pairs: Sequence[PairData]


class SpentData(TypedDict):
    """What something costs, under each account."""

    name: str
    pure: float | None
    """Epsilon, added up; None where the noise has none."""
    rho: float
    concentrated: float
    """Epsilon at the delta, by zero-concentrated differential privacy."""
    loss: float | None
    """Epsilon at the delta, by the privacy loss distribution; None where it is not installed."""


class FunctionCostData(TypedDict):
    """What one function costs in the paper's way, and in all up to it."""

    name: str
    queries: int
    epsilon: float
    cumulative: float
    same: float | None
    """In all up to it, for noise as small as here; at the delta where there is one."""


class PaperData(TypedDict):
    """What one charge for every query would have cost."""

    per_query: str
    numeric: int
    categorical: int
    functions: Sequence[FunctionCostData]


class ExpectedData(TypedDict):
    """The noise to expect of one function, for the same total cost."""

    name: str
    unit: str
    here: float
    paper: float | None


class CheaperFunctionData(TypedDict):
    """The noise of one function, of the raw and of the generalized data for the same cost."""

    name: str
    unit: str
    raw: float
    here: float
    share: float
    """Of the cost, for an answer as exact as that of the raw data."""


class CheaperData(TypedDict):
    """What the same exploration costs before and after generalizing."""

    raw_attributes: int
    raw_tables: int
    raw_cells: int
    attributes: int
    tables: int
    cells: int
    functions: Sequence[CheaperFunctionData]
    raw_paper: float
    paper: float


class BudgetData(TypedDict):
    """The ledger after the exploration; amounts are exact decimals."""

    ledger: str
    unit: str
    epsilon: float
    delta: float | None
    budget: str
    spent: str
    left: str
    paid: str
    """By this exploration; 0 where all of it had been paid before."""
    entries: Sequence[int]


class ExploreReportData(TypedDict):
    """Everything that a report on an exploration says, as plain JSON values."""

    title: str
    how: str
    purpose: str
    rows: NoisyFigureData | None
    generalized: bool
    attributes: Sequence[ExploredAttributeData]
    notes: Sequence[str]
    """What to know before using the figures of several attributes."""
    matrices: Sequence[MatrixData]
    delta: float
    """Of the accounts that need one."""
    spent: Sequence[SpentData]
    paper: PaperData
    expected: Sequence[ExpectedData]
    cheaper: CheaperData | None
    budget: BudgetData
    meaning: Sequence[MeaningData]
    reproduce: ReproduceData

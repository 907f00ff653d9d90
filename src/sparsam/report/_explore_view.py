"""What a page or a text shows of an exploration's report, in the order in which it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sparsam.report._explore_data import (
    ExploredAttributeData,
    ExploreReportData,
    MatrixData,
    NoisyFigureData,
)
from sparsam.report._explore_words import (
    FUNCTIONS,
    count_words,
    epsilon_number,
    interval_text,
    number,
    share,
)
from sparsam.report._words import NOTHING, percent

_TITLES = {
    "attributes": "Attribute by attribute",
    "together": "What goes together",
    "cost": "What it cost",
    "generalized": "Cheaper after generalizing",
    "meaning": "What these numbers do not mean",
    "reproduce": "How to reproduce",
}
_NAMES = {"missing": "missing", "outliers": "outliers beyond 1.5 IQR", "mean": "mean"}
_EXPECTED = {
    "missing": "missing values",
    "outliers": "outliers",
    "quantiles": "quantiles",
    "value_counts": "value counts",
    "histogram": "histogram",
    "mean": "mean",
    "spearman": "Spearman",
    "cramers_v": "Cramér's V",
}
MEASURES = {"spearman": "Spearman's rank correlation", "cramers_v": "Cramér's V"}
MOST_PAIRS = 8


@dataclass(frozen=True)
class FigureRow:
    """A figure, and where the table's own figure lies."""

    name: str
    value: str
    around: str


def explore_sections(data: ExploreReportData) -> dict[str, tuple[int, str]]:
    """Number the sections that there are."""
    there = {
        "together": bool(data["matrices"]),
        "generalized": data["cheaper"] is not None,
    }
    names = [name for name in _TITLES if there.get(name, True)]
    return {name: (place, _TITLES[name]) for place, name in enumerate(names, start=1)}


def figure_rows(one: ExploredAttributeData) -> list[FigureRow]:
    """The quantiles and the other figures of an attribute."""
    rows = [_row(figure, figure["name"], number) for figure in one["quantiles"]]
    for figure in one["figures"]:
        write = number if figure["name"] == "mean" else count_words
        rows.append(_row(figure, _NAMES[figure["name"]], write))
    return rows


def _row(figure: NoisyFigureData, name: str, write: Callable[[float], str]) -> FigureRow:
    return FigureRow(name, write(figure["value"]), interval_text(figure["interval"], write))


def cell_rows(one: ExploredAttributeData) -> list[FigureRow]:
    """Every count of an attribute."""
    return [
        FigureRow(cell["label"], count_words(cell["count"]),
                  interval_text(cell["interval"], count_words))
        for cell in one["cells"]
    ]  # fmt: skip


def pair_rows(matrix: MatrixData) -> list[tuple[str, str, str, str]]:
    """Every pair of a matrix, the strongest first."""
    ordered = sorted(matrix["pairs"], key=lambda one: -abs(one["value"]))
    return [
        (one["first"], one["second"], share(one["value"]), interval_text(one["interval"], share))
        for one in ordered
    ]


def spent_rows(data: ExploreReportData) -> list[tuple[str, str, str, str]]:
    """What this exploration and the paper's way cost, under each account."""
    return [
        (
            one["name"],
            epsilon_number(one["pure"]),
            epsilon_number(one["concentrated"]),
            epsilon_number(one["loss"]),
        )
        for one in data["spent"]
    ]


def function_rows(data: ExploreReportData) -> list[tuple[str, str, str, str, str]]:
    """What each function costs in the paper's way."""
    return [
        (FUNCTIONS[one["name"]], f"{one['queries']:,}", epsilon_number(one["epsilon"]),
         epsilon_number(one["cumulative"]), epsilon_number(one["same"]))
        for one in data["paper"]["functions"]
    ]  # fmt: skip


def expected_rows(data: ExploreReportData) -> list[tuple[str, str, str, str]]:
    """The noise of each function, in this way and query by query, and how many times more."""
    rows = []
    for one in data["expected"]:
        here, there = one["here"], one["paper"]
        times = NOTHING if not there or not here else f"{there / here:.1f} ×"
        other = NOTHING if there is None else f"{there:.3g}"
        rows.append((_named(one["name"], one["unit"]), f"{here:.3g}", other, times))
    return rows


def cheaper_rows(data: ExploreReportData) -> list[tuple[str, str, str, str]]:
    """The noise of each function before and after generalizing, and the share that would do."""
    found = data["cheaper"]
    if found is None:
        return []
    return [
        (_named(one["name"], one["unit"]), f"{one['raw']:.3g}", f"{one['here']:.3g}",
         percent(one["share"], 0))
        for one in found["functions"]
    ]  # fmt: skip


def _named(name: str, unit: str) -> str:
    return f"{_EXPECTED.get(name, name)}, {unit}" if unit else _EXPECTED.get(name, name)

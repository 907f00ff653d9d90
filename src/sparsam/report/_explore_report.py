"""The report on an exploration under a budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from sparsam.data import NumericDomain
from sparsam.explore import (
    DELTA,
    MISSING,
    OTHER,
    Declared,
    Exploration,
    Ledger,
    accounts_of,
    beside_raw,
    expected_noise,
    nano_text,
    paper_price,
    raw_domains,
)
from sparsam.report._document import Document
from sparsam.report._explore_data import (
    BudgetData,
    ExploredAttributeData,
    ExploreReportData,
    Kind,
    MatrixData,
    NoisyCellData,
    NoisyFigureData,
)
from sparsam.report._explore_html import explore_page, explore_summary
from sparsam.report._explore_markdown import explore_markdown
from sparsam.report._explore_policy import noisy_versions
from sparsam.report._explore_words import MEANING_OF_EXPLORATION, explore_verdict, number
from sparsam.report._plain import plain
from sparsam.report._provenance import input_data
from sparsam.report._words import counted

_FIGURES = ("missing", "outliers", "mean")
_BUCKETS = (
    "Numbers are generalized to buckets: where in its bucket a quantile or a mean lies cannot be "
    "told, so that none is given."
)


class ExploreReport(Document[ExploreReportData]):
    """What an exploration found, how sure it is and what it cost: to read, to print and to file.

    Every figure in it was made from noisy answers. A small count is shown as it is, as it tells
    nothing sure about anybody.

    Parameters
    ----------
    data : ExploreReportData
        What was found, as plain values.
    """

    def __init__(self, data: ExploreReportData) -> None:
        super().__init__(cast(ExploreReportData, plain(data)))

    @property
    def verdict(self) -> str:
        """What was looked at and what it cost, in two sentences."""
        return str(explore_verdict(self._data))

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return explore_markdown(self._data)

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return explore_page(self._data)

    def __repr__(self) -> str:
        return f"<ExploreReport {self._data['title']!r}: {explore_verdict(self._data).needs}>"

    def _repr_html_(self) -> str:
        return explore_summary(self._data)


def explore_report(
    found: Exploration,
    ledger: Ledger,
    *,
    purpose: str = "",
    per_query: str = "0.01",
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    order: Sequence[str] = (),
) -> ExploreReport:
    """Write down what an exploration found, and what it cost.

    Parameters
    ----------
    found : Exploration
        See `sparsam.explore.explore_table`.
    ledger : Ledger
        The one that paid.
    purpose : str, default=""
        Why it was asked.
    per_query : str, default="0.01"
        What each query of the paper's way would cost, to compare with.
    title : str, optional
    source : str, default="table"
        What the table is called: a file name, not a path.
    command : str, optional
        The command that explored it.
    order : sequence of str, optional
        The columns of the table, in their order; by default attributes are in that of the plan.

    Returns
    -------
    ExploreReport

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.explore import Ledger, explore_table
    >>> people = {"age": [30, 41, 52] * 100, "sex": ["f", "m", "m"] * 100}
    >>> domains = {"age": (0, 99, "integer"), "sex": ["f", "m"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger.create(f"{folder}/people.ledger", epsilon=20) as ledger:
    ...         report = explore_report(explore_table(people, ledger, domains=domains), ledger)
    >>> report.to_dict()["paper"]["functions"][-1]["cumulative"]
    0.08
    """
    said = found.to_dict()
    declared = found.plan.declared
    delta = DELTA if ledger.delta is None else ledger.delta
    places = {name: place for place, name in enumerate(order)}
    ordered = sorted(said["attributes"], key=lambda one: places.get(one["name"], len(places)))
    attributes, notes = _attributes(found, ordered)
    names = [one["name"] for one in ordered]
    n_rows = None if said["rows"] is None else max(round(said["rows"]["value"]), 1)
    raw = raw_domains(found.plan, ledger)
    data = {
        "title": title or f"Exploration of {source} under a budget",
        "how": found.how,
        "purpose": purpose,
        "rows": _figure("rows", said["rows"]),
        "generalized": bool(declared.partitions),
        "attributes": attributes,
        "notes": notes,
        "matrices": [
            one for name in ("spearman", "cramers_v") if (one := _matrix(found, name, names))
        ],
        "delta": delta,
        "spent": accounts_of(found.plan, delta, per_query),
        "paper": paper_price(found.plan, per_query, delta, n_rows),
        "expected": expected_noise(found.plan, n_rows),
        "cheaper": None if raw is None else beside_raw(found.plan, raw, n_rows, per_query),
        "budget": _budget(found, ledger),
        "meaning": list(MEANING_OF_EXPLORATION),
        "reproduce": {
            "versions": noisy_versions(),
            "seed": None,
            # neither the number of rows nor a hash: both would tell without noise
            "input": input_data(source, None),
            "command": command,
            "settings": {},
        },
    }
    return ExploreReport(cast(Any, data))


def _attributes(
    found: Exploration, said: Sequence[Mapping[str, Any]]
) -> tuple[list[ExploredAttributeData], list[str]]:
    """What was learned of every attribute, and the remarks that hold for several."""
    buckets = found.plan.declared.partitions
    remarks: dict[str, list[str]] = {one["name"]: [] for one in said}
    for answer in found.answers:
        if len(answer.attributes) == 1 and answer.attributes[0] not in buckets:
            own = remarks[answer.attributes[0]]
            own += [note for note in answer.notes if note not in own]
    times = Counter(note for notes in remarks.values() for note in notes)
    several = [note for note, number_of in times.items() if number_of > 1]
    paired = (note for one in found.answers if len(one.attributes) != 1 for note in one.notes)
    several += [note for note in dict.fromkeys(paired) if note not in several]
    if any(one["kind"] == "numeric" and one["name"] in buckets for one in said):
        several.append(_BUCKETS)
    declared = found.plan.declared
    return [
        {
            "name": one["name"],
            "kind": _kind(declared, one["name"]),
            "declared": _declared_words(declared, one["name"]),
            "edges": _edges(one["cells"]),
            "cells": [_cell(cell) for cell in one["cells"]],
            "quantiles": _quantiles(one, buckets),
            "figures": _figures(one, buckets),
            "notes": [note for note in remarks[one["name"]] if note not in several],
        }
        for one in said
    ], several


def _quantiles(one: Mapping[str, Any], buckets: Collection[str]) -> list[NoisyFigureData]:
    box = {} if one["name"] in buckets else one["box"] or {}
    return [_known_figure(label, figure) for label, figure in box.items()]


def _figures(one: Mapping[str, Any], buckets: Collection[str]) -> list[NoisyFigureData]:
    """What else is known; of buckets only what is counted without looking inside."""
    known = ("missing",) if one["name"] in buckets else _FIGURES
    return [_known_figure(name, one[name]) for name in known if one[name] is not None]


def _kind(declared: Declared, name: str) -> Kind:
    domain = declared[name]
    if isinstance(domain, NumericDomain):
        return "numeric"
    return "ordered" if domain.ordered else "categorical"


def _declared_words(declared: Declared, name: str) -> str:
    domain, partition = declared[name], declared.partitions.get(name)
    if partition is not None:
        return f"generalized to {counted(partition.n_buckets, 'bucket')}"
    if isinstance(domain, NumericDomain):
        whole = ", whole numbers" if domain.integer else ""
        return f"declared {number(domain.low)} to {number(domain.high)}{whole}"
    order = ", in order" if domain.ordered else ""
    return f"{counted(len(domain.categories), 'declared category', 'declared categories')}{order}"


def _edges(cells: Sequence[Mapping[str, Any]]) -> list[float]:
    real = [cell for cell in cells if cell["low"] is not None]
    return [cell["low"] for cell in real] + [cell["high"] for cell in real[-1:]]


def _cell(cell: Mapping[str, Any]) -> NoisyCellData:
    ends = cell["interval"]
    return {
        "label": cell["label"],
        "count": max(float(cell["count"]), 0.0),
        "interval": None if ends is None else [max(float(end), 0.0) for end in ends],
        "apart": cell["label"] in (MISSING, OTHER),
    }


def _known_figure(name: str, figure: Mapping[str, Any]) -> NoisyFigureData:
    ends = figure["interval"]
    return {
        "name": name,
        "value": float(figure["value"]),
        "interval": None if ends is None else list(map(float, ends)),
    }


def _figure(name: str, figure: Mapping[str, Any] | None) -> NoisyFigureData | None:
    return None if figure is None else _known_figure(name, figure)


def _matrix(found: Exploration, measure: str, names: Sequence[str]) -> MatrixData | None:
    answers = [one for one in found.answers if one.function == measure]
    if not answers:
        return None
    declared = found.plan.declared
    own = declared.numeric if measure == "spearman" else declared.categorical
    return {
        "measure": cast(Any, measure),
        "names": [name for name in names if name in own],
        "pairs": [
            {
                "first": one.attributes[0],
                "second": one.attributes[1],
                "value": float(one.value),
                "interval": list(one.intervals["value"]) if "value" in one.intervals else None,
            }
            for one in answers
        ],
    }


def _budget(found: Exploration, ledger: Ledger) -> BudgetData:
    paid = getattr(found.cost, found.plan.unit) if found.paid else 0
    return {
        "ledger": ledger.path.name,
        "unit": ledger.unit,
        "epsilon": ledger.epsilon,
        "delta": ledger.delta,
        "budget": nano_text(ledger.budget),
        "spent": nano_text(ledger.spent),
        "left": nano_text(ledger.remaining),
        "paid": nano_text(paid),
        "entries": list(found.entries),
    }

"""An exploration as text: one table for each group of answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sparsam.explore.ledger._amounts import nano_text
from sparsam.explore.planned._plan import paper_costs

if TYPE_CHECKING:
    from sparsam.explore._answers import Answer
    from sparsam.explore._exploration import Exploration

_WIDEST = 24
_VALUES = 6


def exploration_text(eda: Exploration) -> str:
    """Write an exploration as readable tables."""
    parts = [_heading(eda)]
    for group in (_numbers(eda), _categories(eda), _matrix(eda, "spearman", "Spearman's rank")):
        parts += [group] if group else []
    group = _matrix(eda, "cramers_v", "Cramér's V")
    return "\n\n".join([*parts, group] if group else parts)


def _heading(eda: Exploration) -> str:
    plan = eda.plan
    n, c = len(plan.declared.numeric), len(plan.declared.categorical)
    spent = f"{plan.unit} {nano_text(getattr(plan.cost, plan.unit))}"
    rows = next((a for a in eda.answers if a.function == "count"), None)
    lines = [f"{eda.how} exploration: {n} numeric and {c} categorical attributes"]
    if rows is not None:
        lines.append(f"rows {_cell(rows, 'value')}")
    lines.append(f"cost {spent}{'' if eda.paid else ' (paid before)'}")
    paper = paper_costs(n, c)["total"]
    lines.append(f"one query at a time, each at epsilon 0.01: epsilon {nano_text(paper)}")
    lines.append("± and ranges: 95 % intervals for the noise")
    return "\n".join(lines)


def _numbers(eda: Exploration) -> str:
    rows = []
    for name in eda.plan.declared.numeric:
        box = {**_values(eda, "range", name), **_values(eda, "quantiles", name)}
        cells = [box.get(label, "") for label in ("P1", "Q1", "Q2", "Q3", "P99")]
        more = [_values(eda, what, name).get("value", "") for what in ("missing", "outliers")]
        rows.append([_short(name), *cells, *more])
    if not rows:
        return ""
    return _table(["numeric", "P1", "Q1", "Q2", "Q3", "P99", "missing", "outliers"], rows)


def _categories(eda: Exploration) -> str:
    lines = []
    for name in eda.plan.declared.categorical:
        answer = _find(eda, "value_counts", name)
        if answer is None:
            continue
        order = sorted(answer.values, key=lambda label: -answer.values[label])
        shown = [f"{_short(label)} {_cell(answer, label)}" for label in order[:_VALUES]]
        rest = f", and {len(order) - _VALUES} more" if len(order) > _VALUES else ""
        lines.append(f"{_short(name)}: {', '.join(shown)}{rest}")
    return "\n".join(["categorical, the most frequent values", *lines]) if lines else ""


def _matrix(eda: Exploration, function: str, title: str) -> str:
    if not any(answer.function == function for answer in eda.answers):
        return ""
    found = eda.matrix(function)
    names = [_short(name) for name in found["attributes"]]
    rows = []
    for place, name in enumerate(names):
        cells = []
        for other in range(place):
            value, high = found["values"][place][other], found["high"][place][other]
            low = found["low"][place][other]
            half = "" if high is None or low is None else f" ±{(high - low) / 2:.2f}"
            cells.append("" if value is None else f"{value:.2f}{half}")
        rows.append([name, *cells, *[""] * (len(names) - 1 - place)])
    return _table([title, *names[:-1]], rows[1:])


def _values(eda: Exploration, function: str, name: str) -> dict[str, str]:
    answer = _find(eda, function, name)
    return {} if answer is None else {label: _cell(answer, label) for label in answer.values}


def _find(eda: Exploration, function: str, name: str) -> Answer | None:
    listed = (a for a in eda.answers if a.function == function and a.attributes == (name,))
    return next(listed, None)


def _cell(answer: Answer, label: str) -> str:
    value = answer.values[label]
    if label not in answer.intervals:
        return _number(value)
    low, high = answer.intervals[label]
    return f"{_number(value)} ±{_number((high - low) / 2)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    listed = [list(head), *map(list, rows)]
    widths = [max(len(row[column]) for row in listed) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in listed
    )

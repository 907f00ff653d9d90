"""The report on an exploration as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from sparsam.report._explore_data import ExploreReportData
from sparsam.report._explore_view import (
    MEASURES,
    FigureRow,
    cell_rows,
    cheaper_rows,
    expected_rows,
    explore_sections,
    figure_rows,
    function_rows,
    pair_rows,
    spent_rows,
)
from sparsam.report._explore_words import (
    cheaper_words,
    explore_figures,
    explore_verdict,
    paper_words,
)
from sparsam.report._markdown_parts import escaped, fenced, figure_list, heading, table
from sparsam.report._words import small_words


def explore_markdown(data: ExploreReportData) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    data : ExploreReportData
    """
    verdict = explore_verdict(data)
    writers = {
        "attributes": _attributes,
        "together": _together,
        "cost": _cost,
        "generalized": _generalized,
        "meaning": _meaning,
        "reproduce": _reproduce,
    }
    parts = [
        f"# {escaped(data['title'])}",
        f"**{escaped(verdict.needs)}** {escaped(verdict.costs)}",
        escaped(f"For: {data['purpose']}") if data["purpose"] else "",
        figure_list(explore_figures(data)),
    ]
    for name, section in explore_sections(data).items():
        parts += [heading(section), *writers[name](data)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _attributes(data: ExploreReportData) -> Iterator[str]:
    if data["how"] == "synthetic":
        yield "Every figure is read off made-up rows, so that there are no intervals."
    else:
        yield "Ranges are 95 % intervals: they cover the noise, and nothing else."
    if data["notes"]:
        yield "\n".join(f"- {escaped(note)}" for note in data["notes"])
    for one in data["attributes"]:
        yield f"### {escaped(one['name'])} ({one['declared']})"
        if rows := figure_rows(one):
            yield table(("Figure", " Value", " 95 %"), map(_cells, rows))
        if rows := cell_rows(one):
            yield table(("Cell", " Rows", " 95 %"), map(_cells, rows))
        if one["notes"]:
            yield "\n".join(f"- {escaped(note)}" for note in one["notes"])


def _cells(row: FigureRow) -> tuple[str, str, str]:
    return escaped(row.name), row.value, row.around or "–"


def _together(data: ExploreReportData) -> Iterator[str]:
    for matrix in data["matrices"]:
        yield f"### {MEASURES[matrix['measure']]}"
        rows = ((escaped(one), escaped(two), value, around or "–")
                for one, two, value, around in pair_rows(matrix))  # fmt: skip
        yield table(("Attribute", "with", " Value", " 95 %"), rows)


def _cost(data: ExploreReportData) -> Iterator[str]:
    budget = data["budget"]
    yield (
        f"Paid {budget['paid']} of {budget['budget']} {budget['unit']}; {budget['left']} is left "
        f"in {escaped(budget['ledger'])}."
    )
    head = ("Epsilon", " Added up", f" zCDP at {small_words(data['delta'])}",
            f" Privacy loss distribution at {small_words(data['delta'])}")  # fmt: skip
    yield table(head, spent_rows(data))
    yield escaped(paper_words(data))
    columns = ("Function", " Queries", " Epsilon", " In all", " In all, as exact as here")
    yield table(columns, function_rows(data))
    if data["expected"]:
        yield "The noise to expect for the same cost (typical size):"
        yield table(("Function", " This way", " Query by query", " Times"), expected_rows(data))


def _generalized(data: ExploreReportData) -> Iterator[str]:
    yield " ".join(cheaper_words(data))
    if rows := cheaper_rows(data):
        yield "The noise to expect for the same cost (typical size):"
        yield table(("Function", " Raw", " Generalized", " Cost that would do"), rows)


def _meaning(data: ExploreReportData) -> Iterator[str]:
    for one in data["meaning"]:
        yield f"**{escaped(one['heading'])}.** {escaped(one['text'])}"


def _reproduce(data: ExploreReportData) -> Iterator[str]:
    again = data["reproduce"]
    if again["command"]:
        yield "The same command gives the same answers again, for nothing."
        yield fenced(again["command"])
    facts = {
        "Input": again["input"]["name"],
        "Ledger": data["budget"]["ledger"],
        "Entries": ", ".join(map(str, data["budget"]["entries"])) or "–",
        "Versions": ", ".join(f"{name} {v}" for name, v in again["versions"].items()),
    }
    yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in facts.items())

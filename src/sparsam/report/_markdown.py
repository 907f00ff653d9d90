"""The report as Markdown: the chosen point, and the front as a table."""

from __future__ import annotations

from collections.abc import Iterator

from sparsam.report._attack_markdown import attack_section
from sparsam.report._attack_view import attack_view
from sparsam.report._data import ReportData
from sparsam.report._markdown_parts import (
    collect_table,
    escaped,
    figure_list,
    heading,
    meaning,
    reproduce,
    table,
    with_range,
)
from sparsam.report._prose import accuracy_of, data_words, interval_words
from sparsam.report._sections import numbered, report_sections
from sparsam.report._view import PointView, RiskRow, chosen_view, front_views, how_collected
from sparsam.report._words import (
    NOTHING,
    counted,
    percent,
    percent_range,
    plain_number,
    short_percent,
    whole,
)

Section = tuple[int, str]


def markdown_text(data: ReportData) -> str:
    """Write the report of the chosen point as Markdown.

    Parameters
    ----------
    data : ReportData
        The report's data, fit to be published.
    """
    view = chosen_view(data)
    sections = numbered(report_sections(data))
    parts = [
        *_head(data, view),
        *_collect(view, sections["collect"]),
        *_tradeoff(data, sections["tradeoff"]),
        *_risk(data, view, sections["risk"]),
        *_attacks(data, view, sections),
        *meaning(data, sections["meaning"]),
        *reproduce(data, sections["reproduce"]),
    ]
    return "\n\n".join(parts) + "\n"


def _head(data: ReportData, view: PointView) -> Iterator[str]:
    yield f"# {escaped(data['title'])}"
    yield f"**{view.verdict.needs}** {view.verdict.costs}"
    if (requirement := data["requirement"]) is not None:
        met = "met" if requirement["met"] else "not met"
        yield f"Requirement **{met}**: {escaped(requirement['words'])}."
    yield figure_list(view.figures)


def _collect(view: PointView, section: Section) -> Iterator[str]:
    yield heading(section)
    yield from collect_table(view.collected, view.spared, view.information_loss, advice=True)


def _attacks(data: ReportData, view: PointView, sections: dict[str, Section]) -> Iterator[str]:
    if "attacks" in data:
        interval = interval_words(data)
        tried = attack_view(data["attacks"], how_collected(view.attributes), interval)
        yield from attack_section(tried, sections["attacks"], interval, data["chosen"])


def _tradeoff(data: ReportData, section: Section) -> Iterator[str]:
    limits = data["limits"]
    split = data_words(data["points"][0]["utility"]["split"])
    yield heading(section)
    yield (
        f"Accuracy on {split} is {accuracy_of(limits['everything']['error'])} with everything "
        f"collected and {accuracy_of(limits['nothing']['error'])} with nothing collected. The "
        f"majority guess at personal attributes is wrong {percent(limits['naive']['error'])}. The "
        f"points that no other beats on both accuracy and risk, with {interval_words(data)}s:"
    )
    head = ("Way to collect", " Attributes", " Accuracy", " Attacker wrong", " Recovered")
    yield table(head, (_point_row(view) for view in front_views(data)))


def _point_row(view: PointView) -> tuple[str, ...]:
    utility, risk = view.point["utility"], view.point["risk"]
    label = escaped(view.point["label"])
    return (
        f"**{label}** (chosen)" if view.chosen else label,
        str(view.point["n_collected"]),
        with_range(
            accuracy_of(utility["error"]), percent_range(utility["interval"], complement=True)
        ),
        with_range(percent(risk["value"]), percent_range(risk["interval"])),
        percent(risk["recovered"]),
    )


def _risk(data: ReportData, view: PointView, section: Section) -> Iterator[str]:
    risk = view.point["risk"]
    yield heading(section)
    yield (
        f"Attacker: {escaped(risk['adversary'])}, {counted(risk['n'], 'record')} of "
        f"{data_words(risk['split'])}. *Recovered* is the share of the majority guess's mistakes "
        "that the attacker avoids."
    )
    if view.risks:
        head = ("Personal attribute", " Attacker wrong", " Guess wrong", " Recovered", "Model")
        yield table(head, (_risk_row(row) for row in view.risks))
    if view.confident:
        yield table(("Surest guesses", " Wrong"), _confident_rows(view))
    yield table(("Group of identical records", " People"), _group_rows(view))
    people = whole(data["task"]["split"]["train"])
    yield f"People of the training data ({people}) by the size of their group."


def _risk_row(row: RiskRow) -> tuple[str, ...]:
    risk = row.risk
    noise = " (within the noise)" if row.beats_guessing is False else ""
    model = escaped(risk["model"] or NOTHING)
    if risk["absolute_error"] is not None:
        model += f", off by {plain_number(risk['absolute_error'])} on average"
    return (
        escaped(risk["attribute"]) + (f" ({row.collected})" if row.collected else ""),
        with_range(percent(risk["value"]), percent_range(risk["interval"])),
        percent(risk["baseline"]),
        percent(risk["recovered"]) + noise,
        model,
    )


def _confident_rows(view: PointView) -> Iterator[tuple[str, str]]:
    for step in view.confident:
        yield f"{short_percent(step['share'])} of records", percent(step["error"])


def _group_rows(view: PointView) -> Iterator[tuple[str, str]]:
    classes = view.point["classes"]
    yield "alone, nobody else has it", whole(classes["alone"])
    for size, people in classes["under"].items():
        yield f"fewer than {escaped(size)} people", whole(people)
    yield "smallest group", whole(classes["smallest"])
    yield "different records", whole(classes["distinct"])

"""The report as Markdown: the chosen point, and the front as a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from sparsam.report._data import AttributeData, ReportData
from sparsam.report._prose import accuracy_of, data_words, interval_words
from sparsam.report._view import PointView, RiskRow, chosen_view, front_views
from sparsam.report._words import (
    NOTHING,
    counted,
    percent,
    percent_range,
    plain_number,
    setting,
    short_percent,
    whole,
)


def markdown_text(data: ReportData) -> str:
    """Write the report of the chosen point as Markdown.

    Parameters
    ----------
    data : ReportData
        The report's data, fit to be published.
    """
    view = chosen_view(data)
    parts = [
        *_head(data, view),
        *_collect(view),
        *_tradeoff(data),
        *_risk(data, view),
        *_meaning(data),
        *_reproduce(data),
    ]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Make a name safe inside a sentence or a table cell.

    Examples
    --------
    >>> print(escaped("a|b <i>*c*"))
    a\\|b &lt;i&gt;\\*c\\*
    """
    flat = " ".join(text.split())
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*|\[\]#~])", r"\\\1", flat)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; a column whose name starts with a space is aligned to the right."""
    rule = ["---:" if name.startswith(" ") else "---" for name in head]
    lines = [[name.strip() for name in head], rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _code(text: str) -> str:
    """Fence a text with more backticks than it holds itself."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _head(data: ReportData, view: PointView) -> Iterator[str]:
    yield f"# {escaped(data['title'])}"
    yield f"**{view.verdict.needs}** {view.verdict.costs}"
    if (requirement := data["requirement"]) is not None:
        met = "met" if requirement["met"] else "not met"
        yield f"Requirement **{met}**: {escaped(requirement['words'])}."
    yield "\n".join(
        f"- **{figure.value}** {figure.name}: {'; '.join(figure.notes)}" for figure in view.figures
    )


def _collect(view: PointView) -> Iterator[str]:
    yield "## 1. What to collect"
    if view.collected:
        head = ("Attribute", "Collected before", "Collect from now on")
        yield _table(head, (_attribute_row(attribute) for attribute in view.collected))
    else:
        yield "Nothing needs to be collected."
    if view.spared:
        names = ", ".join(escaped(attribute["name"]) for attribute in view.spared)
        yield f"**Do not collect:** {names}"
    if view.point["information_loss"] is not None:
        yield f"Information loss {percent(view.point['information_loss'])}."


def _attribute_row(attribute: AttributeData) -> tuple[str, str, str]:
    members = attribute.get("members", {})
    buckets = " · ".join(
        escaped(", ".join(members.get(bucket, [bucket]))) for bucket in attribute["buckets"]
    )
    return escaped(attribute["name"]), escaped(attribute["before_words"]), buckets


def _tradeoff(data: ReportData) -> Iterator[str]:
    limits = data["limits"]
    split = data_words(data["points"][0]["utility"]["split"])
    yield "## 2. The trade-off"
    yield (
        f"Accuracy on {split} is {accuracy_of(limits['everything']['error'])} with everything "
        f"collected and {accuracy_of(limits['nothing']['error'])} with nothing collected. The "
        f"majority guess at personal attributes is wrong {percent(limits['naive']['error'])}. The "
        f"points that no other beats on both accuracy and risk, with {interval_words(data)}s:"
    )
    head = ("Way to collect", " Attributes", " Accuracy", " Attacker wrong", " Recovered")
    yield _table(head, (_point_row(view) for view in front_views(data)))


def _point_row(view: PointView) -> tuple[str, ...]:
    utility, risk = view.point["utility"], view.point["risk"]
    label = escaped(view.point["label"])
    return (
        f"**{label}** (chosen)" if view.chosen else label,
        str(view.point["n_collected"]),
        _with_range(
            accuracy_of(utility["error"]), percent_range(utility["interval"], complement=True)
        ),
        _with_range(percent(risk["error"]), percent_range(risk["interval"])),
        percent(risk["recovered"]),
    )


def _risk(data: ReportData, view: PointView) -> Iterator[str]:
    risk = view.point["risk"]
    yield "## 3. What someone could still learn"
    yield (
        f"Attacker: {escaped(risk['adversary'])}, {counted(risk['n_records'], 'record')} of "
        f"{data_words(risk['split'])}. *Recovered* is the share of the majority guess's mistakes "
        "that the attacker avoids."
    )
    if view.risks:
        head = ("Personal attribute", " Attacker wrong", " Guess wrong", " Recovered", "Model")
        yield _table(head, (_risk_row(row) for row in view.risks))
    if view.confident:
        yield _table(("Surest guesses", " Wrong"), _confident_rows(view))
    yield _table(("Group of identical records", " People"), _group_rows(view))
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
        _with_range(percent(risk["error"]), percent_range(risk["interval"])),
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


def _meaning(data: ReportData) -> Iterator[str]:
    yield "## 4. What these numbers do not mean"
    for item in data["meaning"]:
        yield f"**{escaped(item['heading'])}.** {escaped(item['text'])}"


def _reproduce(data: ReportData) -> Iterator[str]:
    again, task = data["reproduce"], data["task"]
    yield "## 5. How to reproduce"
    if again["command"]:
        yield _code(again["command"])
    versions = ", ".join(f"{name} {version}" for name, version in again["versions"].items())
    parts = ", ".join(f"{whole(task['split'][part])} {part}" for part in _PARTS)
    facts = {
        "Input": f"{again['input']['name']}, {counted(again['input']['rows'], 'record')}",
        "SHA-256": again["input"]["sha256"] or NOTHING,
        "Target": f"{task['target']} ({' / '.join(task['classes'])})",
        "Split": parts,
        "Seed": NOTHING if again["seed"] is None else str(again["seed"]),
        **{name: setting(value) for name, value in again["settings"].items()},
        "Versions": versions,
    }
    yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in facts.items())


_PARTS: tuple[Literal["train"], Literal["validation"], Literal["test"]] = (
    "train",
    "validation",
    "test",
)


def _with_range(text: str, around: str | None) -> str:
    return f"{text} ({around})" if around else text

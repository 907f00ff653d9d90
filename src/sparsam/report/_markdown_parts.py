"""The parts of a report in Markdown that every kind of report has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from sparsam.report._data import AttackReportData, AttributeData, ReportData
from sparsam.report._words import NOTHING, THIN, counted, percent, setting, whole
from sparsam.report.page._blocks import KeyFigure

_PARTS: tuple[Literal["train"], Literal["validation"], Literal["test"]] = (
    "train",
    "validation",
    "test",
)


def escaped(text: str) -> str:
    """Make a name safe inside a sentence or a table cell.

    Examples
    --------
    >>> print(escaped("a|b <i>*c*"))
    a\\|b &lt;i&gt;\\*c\\*
    """
    flat = re.sub(rf"[^\S{THIN}]+", " ", text).strip()
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*|\[\]#~])", r"\\\1", flat)


def heading(section: tuple[int, str]) -> str:
    """Write the heading of a section."""
    return f"## {section[0]}. {section[1]}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; a column whose name starts with a space is aligned to the right."""
    rule = ["---:" if name.startswith(" ") else "---" for name in head]
    lines = [[name.strip() for name in head], rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def with_range(text: str, around: str | None) -> str:
    """Add an interval to a figure, where there is one."""
    return f"{text} ({around})" if around else text


def figure_list(figures: Iterable[KeyFigure]) -> str:
    """Write the key figures as a list."""
    return "\n".join(
        f"- **{figure.value}** {figure.name}: {escaped('; '.join(figure.notes))}"
        for figure in figures
    )


def collect_table(collected: Sequence[AttributeData], spared: Sequence[AttributeData],
                  information_loss: float | None, *, advice: bool) -> Iterator[str]:  # fmt: skip
    """Write what is collected; as advice, or as a matter of fact."""
    if collected:
        head = ("Attribute", "Collected before" if advice else "Full detail",
                "Collect from now on" if advice else "Collected")  # fmt: skip
        yield table(head, (_attribute_row(attribute) for attribute in collected))
    else:
        yield "Nothing needs to be collected." if advice else "Nothing is collected."
    if spared:
        names = ", ".join(escaped(attribute["name"]) for attribute in spared)
        yield f"**{'Do not collect' if advice else 'Not collected'}:** {names}"
    if information_loss is not None:
        yield f"Information loss {percent(information_loss)}."


def _attribute_row(attribute: AttributeData) -> tuple[str, str, str]:
    members = attribute.get("members", {})
    buckets = " · ".join(
        escaped(", ".join(members.get(bucket, [bucket]))) for bucket in attribute["buckets"]
    )
    return escaped(attribute["name"]), escaped(attribute["before_words"]), buckets


def meaning(data: ReportData | AttackReportData, section: tuple[int, str]) -> Iterator[str]:
    """Write what the numbers do not mean."""
    yield heading(section)
    for item in data["meaning"]:
        yield f"**{escaped(item['heading'])}.** {escaped(item['text'])}"


def reproduce(data: ReportData | AttackReportData, section: tuple[int, str]) -> Iterator[str]:
    """Write what it takes to get the same report again."""
    again, task = data["reproduce"], data["task"]
    yield heading(section)
    if again["command"]:
        yield fenced(again["command"])
    versions = ", ".join(f"{name} {version}" for name, version in again["versions"].items())
    parts = ", ".join(f"{whole(task['split'][part])} {part}" for part in _PARTS)
    facts = {
        "Input": f"{again['input']['name']}, {counted(again['input']['rows'], 'record')}",
        "Hash of the input": again["input"]["hash"],
        "Target": f"{task['target']} ({' / '.join(task['classes'])})",
        "Split": parts,
        "Seed": NOTHING if again["seed"] is None else str(again["seed"]),
        **{name: setting(value) for name, value in again["settings"].items()},
        "Versions": versions,
    }
    yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in facts.items())


def fenced(text: str) -> str:
    """Fence a text with more backticks than it holds itself."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"

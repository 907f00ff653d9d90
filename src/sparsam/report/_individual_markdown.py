"""The report on which values to retain as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from sparsam.report._individual_data import IndividualReportData
from sparsam.report._individual_view import (
    POINT_HEAD,
    attribute_rows,
    individual_sections,
    mask_rows,
    measure_rows,
    more_words,
    people_rows,
    point_rows,
    whole_rows,
)
from sparsam.report._individual_words import (
    RETAIN,
    individual_figures,
    individual_verdict,
    overlap_words,
    weak_words,
)
from sparsam.report._markdown_parts import (
    escaped,
    fenced,
    figure_list,
    heading,
    table,
    with_range,
)
from sparsam.report._words import NOTHING, counted, setting, whole


def individual_markdown(data: IndividualReportData) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    data : IndividualReportData
        Fit to be published.
    """
    sections, verdict = individual_sections(data), individual_verdict(data)
    writers = {
        "decided": _decided,
        "mask": _mask,
        "curves": _curves,
        "overlap": _overlap,
        "meaning": _meaning,
        "reproduce": _reproduce,
    }
    parts = [
        f"# {escaped(data['title'])}",
        f"**{escaped(verdict.needs)}** {escaped(verdict.costs)}",
        RETAIN,
        weak_words(data),
        figure_list(individual_figures(data)),
    ]
    for name, section in sections.items():
        parts += [heading(section), *writers[name](data)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _decided(data: IndividualReportData) -> Iterator[str]:
    if (asked := data["requirement"]) is not None:
        verb = "met" if asked["met"] else "NOT met"
        yield f"Required: {escaped(asked['words'])}: **{verb}** on the test people."
    yield "\n".join(f"- {name}: {escaped(value)}" for name, value in mask_rows(data))
    yield "The mask itself, attacked:"
    rows = ((name, with_range(value, around), baseline)
            for name, value, around, baseline in whole_rows(data))  # fmt: skip
    yield table(("Risk", " Value", " Baseline"), rows)
    people = data["people"]
    yield (
        f"The same algorithm with the same share on a division of the table: "
        f"{whole(people['members'])} people minimised, {whole(people['public'])} public, "
        f"{whole(people['others'])} outside, {whole(people['test'])} to test."
    )
    measured = ((f"{row.name} ({row.note})", with_range(row.value, row.around), row.full,
                 row.baseline) for row in measure_rows(data))  # fmt: skip
    yield table(("What", " Chosen", " Every value", " Baseline"), measured)


def _mask(data: IndividualReportData) -> Iterator[str]:
    rows = ((escaped(name), words) for name, words, _ in attribute_rows(data))
    yield table(("Attribute", " Kept of"), rows)
    yield more_words(data)
    yield table((" Values kept", " People"), people_rows(data))


def _curves(data: IndividualReportData) -> Iterator[str]:
    yield table(POINT_HEAD, point_rows(data))


def _overlap(data: IndividualReportData) -> Iterator[str]:
    yield overlap_words(data)


def _meaning(data: IndividualReportData) -> Iterator[str]:
    for item in data["meaning"]:
        yield f"**{escaped(item['heading'])}.** {escaped(item['text'])}"


def _reproduce(data: IndividualReportData) -> Iterator[str]:
    again = data["reproduce"]
    if again["command"]:
        yield fenced(again["command"])
    facts = {
        "Input": f"{again['input']['name']}, {counted(again['input']['rows'], 'row')}",
        "Hash of the input": again["input"]["hash"],
        "Seed": NOTHING if again["seed"] is None else str(again["seed"]),
        **{name: setting(value) for name, value in again["settings"].items()},
        "Versions": ", ".join(f"{name} {number}" for name, number in again["versions"].items()),
    }
    yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in facts.items())

"""The report on a model as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from sparsam.report._markdown_parts import (
    escaped,
    fenced,
    figure_list,
    heading,
    table,
)
from sparsam.report._model_data import ModelAttributeData, ModelReportData
from sparsam.report._model_view import (
    asked_rows,
    kept_rows,
    model_sections,
    needed,
    spared,
    stored_rows,
    stored_words,
)
from sparsam.report._model_words import model_figures, model_verdict, score_words
from sparsam.report._prose import interval_words
from sparsam.report._view import as_before
from sparsam.report._words import NOTHING, counted, percent, plain_number, setting

Section = tuple[int, str]


def model_markdown(data: ModelReportData) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    data : ModelReportData
        Fit to be published.
    """
    sections, verdict = model_sections(data), model_verdict(data)
    parts = [
        f"# {escaped(data['title'])}",
        f"**{verdict.needs}** {verdict.costs}",
        figure_list(model_figures(data)),
        *_collect(data, sections["collect"]),
        *_kept(data, sections["kept"]),
        *_stored(data, sections["stored"]),
        *(_asked(data, sections["asked"]) if data["questions"] else ()),
        heading(sections["method"]),
        *map(escaped, data["method"]),
        heading(sections["meaning"]),
        *(f"**{escaped(one['heading'])}.** {escaped(one['text'])}" for one in data["meaning"]),
        *_reproduce(data, sections["reproduce"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _collect(data: ModelReportData, section: Section) -> Iterator[str]:
    yield heading(section)
    if found := needed(data):
        head = ("Attribute", "Collected before", "Collect from now on", " Information loss",
                " As the model is fed")  # fmt: skip
        yield table(head, map(_attribute_row, found))
    else:
        yield "Nothing needs to be collected: the model answers as before without any of it."
    if gone := spared(data):
        yield f"**Do not collect:** {', '.join(escaped(one['name']) for one in gone)}"


def _attribute_row(attribute: ModelAttributeData) -> tuple[str, ...]:
    members = attribute.get("members", {})
    buckets = " · ".join(
        escaped(", ".join(members.get(bucket, [bucket]))) for bucket in attribute["buckets"]
    )
    return (
        escaped(attribute["name"]),
        escaped(attribute["before_words"]),
        f"as before: {buckets}" if as_before(attribute) else buckets,
        percent(attribute["information_loss"]),
        percent(attribute["local_information_loss"]),
    )


def _kept(data: ModelReportData, section: Section) -> Iterator[str]:
    yield heading(section)
    rows = (
        (f"{row.name} ({row.note})", row.score, row.around or NOTHING, row.people or NOTHING)
        for row in kept_rows(data)
    )
    yield table(("What", " Figure", f" {interval_words(data)}", " People"), rows)
    if data["curve"]:
        measure = data["kept"]["held_out"]["measure"]
        yield "The steps of the search, from everything collected to nothing:"
        steps = (
            (
                percent(step["information_loss"]),
                score_words(step["held_out"], measure),
                score_words(step["chosen_on"], measure),
                str(step["n_collected"]),
            )
            for step in data["curve"]
        )
        head = (" Information loss", " Kept, held out", " Kept, chosen on", " Attributes")
        yield table(head, steps)


def _stored(data: ModelReportData, section: Section) -> Iterator[str]:
    yield heading(section)
    yield escaped(stored_words(data))
    rows = (
        (f"{row.name} ({row.note})", row.before, row.after, row.recoded)
        for row in stored_rows(data)
    )
    yield table(("What", " Full detail", " Ranges asked for", " As the model is fed"), rows)


def _asked(data: ModelReportData, section: Section) -> Iterator[str]:
    asked = data["questions"]
    if asked is None:
        return
    yield heading(section)
    yield (
        f"The questionnaire asks {plain_number(asked['mean'])} of "
        f"{counted(asked['form'], 'question')} on average, {percent(asked['saved'])} fewer than "
        "the form, and the model answers the same."
    )
    rows = ((escaped(name), share) for name, share in asked_rows(data))
    yield table(("Attribute", " People asked for it"), rows)


def _reproduce(data: ModelReportData, section: Section) -> Iterator[str]:
    again = data["reproduce"]
    yield heading(section)
    if again["command"]:
        yield fenced(again["command"])
    rows = again["input"]["rows"]
    facts = {
        "Input": again["input"]["name"] + (f", {counted(rows, 'record')}" if rows else ""),
        "Hash of the input": again["input"]["hash"],
        "Seed": NOTHING if again["seed"] is None else str(again["seed"]),
        **{name: setting(value) for name, value in again["settings"].items()},
        "Versions": ", ".join(f"{name} {v}" for name, v in again["versions"].items()),
    }
    yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in facts.items())

"""The report on a release as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from sparsam.report._markdown_parts import escaped, fenced, figure_list, heading, table
from sparsam.report._release_data import ReleaseReportData
from sparsam.report._release_view import (
    drop_rows,
    finding_rows,
    model_table,
    release_sections,
    risk_rows,
    risk_words,
    size_rows,
    sweep_table,
)
from sparsam.report._release_words import (
    method_name,
    parameter_words,
    release_figures,
    release_verdict,
    score_name,
    whole_row_facts,
)
from sparsam.report._words import NOTHING, counted, percent, score_words, setting, whole

Section = tuple[int, str]


def release_markdown(data: ReleaseReportData) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    data : ReleaseReportData
        Fit to be published.
    """
    sections, verdict = release_sections(data), release_verdict(data)
    writers = {
        "certificate": _certificate,
        "sizes": _sizes,
        "risk": _risk,
        "sweep": _sweep,
        "drop": _drop,
        "model": _model,
        "meaning": _meaning,
        "reproduce": _reproduce,
    }
    parts = [
        f"# {escaped(data['title'])}",
        f"**{escaped(verdict.needs)}** {escaped(verdict.costs)}",
        figure_list(release_figures(data)),
    ]
    for name, section in sections.items():
        parts += [heading(section), *writers[name](data)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _certificate(data: ReleaseReportData) -> Iterator[str]:
    paper = data["certificate"]
    rows = [(mark, escaped(words + (f" ({detail})" if detail else "")))
            for mark, words, detail in finding_rows(data)]  # fmt: skip
    yield table(("Checked", "What"), rows)
    facts = {
        "SHA-256 of the cells": paper["sha256"],
        "Quasi-identifiers": ", ".join(paper["quasi_identifiers"]),
        "Published as they are": ", ".join(paper["kept"]) or NOTHING,
        "Rows": whole(paper["n_rows"]),
        "Left out": whole(paper["suppressed"]),
        "Classes": whole(paper["classes"]),
        "Rows of the smallest class": whole(paper["smallest"]),
    }
    if paper["smallest_people"] is not None:
        facts["People of the smallest class"] = whole(paper["smallest_people"])
    facts |= {name[0].upper() + name[1:]: value for name, value in whole_row_facts(paper)}
    yield "\n".join(f"- {name}: {escaped(value)}" for name, value in facts.items())
    if paper["information_loss"]:
        losses = ((escaped(one["name"]), percent(one["loss"], 2), escaped(one["definition"]))
                  for one in paper["information_loss"])  # fmt: skip
        yield table(("Information loss", " Lost", "Definition"), losses)
    if paper["parameters"]:
        yield "How it was made:"
        named = parameter_words(paper["parameters"])
        yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in named)


def _sizes(data: ReleaseReportData) -> Iterator[str]:
    yield table((" Rows that share a record", " Records", " Rows"), size_rows(data))


def _risk(data: ReleaseReportData) -> Iterator[str]:
    yield risk_words(data)
    rows = ((f"{row.name} ({row.note})", row.highest, row.average, row.above)
            for row in risk_rows(data))  # fmt: skip
    yield table(("Who", " Highest", " Mean", " Rows above the threshold"), rows)


def _sweep(data: ReleaseReportData) -> Iterator[str]:
    sweeps, found = data["sweeps"], sweep_table(data)
    if sweeps is None or found is None:
        return
    yield escaped(sweeps["words"])
    what = score_name(sweeps["measure"])
    head = [" k"]
    for name in found.methods:
        head += [f" {name}: {what}", f" {name}: detail lost"]
    rows = ([k, *(figure for cell in cells for figure in cell)] for k, cells in found.lines)
    yield table(head, rows)
    limits = {"Raw rows": sweeps["raw"], "One answer for everyone": sweeps["chance"]}
    yield "\n".join(
        f"- {name}: {score_words(score, sweeps['measure'])}"
        for name, score in limits.items()
        if score is not None
    )


def _drop(data: ReleaseReportData) -> Iterator[str]:
    found = data["drop_one"]
    if found is None:
        return
    yield (
        f"With {method_name(found['method'])} at k = {found['k']:,}; all together lose "
        f"{percent(found['loss'])}."
    )
    head = ("Quasi-identifier", " Loses itself", " Others lose with it", " Without it", " It costs")
    yield table(head, ((escaped(name), *figures) for name, *figures in drop_rows(data)))


def _model(data: ReleaseReportData) -> Iterator[str]:
    found, shown = data["model"], model_table(data)
    if found is None or shown is None:
        return
    yield (
        f"{counted(found['n_train'], 'person', 'people')} to train on, "
        f"{method_name(found['method'])} at k = {found['k']:,}."
    )
    rows = ((escaped(f"{name} ({note})"), *figures) for name, note, figures in shown.lines)
    yield table(("What", *(f" {escaped(name)}" for name in shown.names)), rows)


def _meaning(data: ReleaseReportData) -> Iterator[str]:
    for one in data["meaning"]:
        yield f"**{escaped(one['heading'])}.** {escaped(one['text'])}"


def _reproduce(data: ReleaseReportData) -> Iterator[str]:
    again = data["reproduce"]
    if again["command"]:
        yield fenced(again["command"])
    rows = again["input"]["rows"]
    facts = {
        "Input": again["input"]["name"] + (f", {counted(rows, 'row')}" if rows else ""),
        "Hash of the input": again["input"]["hash"],
        "Seed": NOTHING if again["seed"] is None else str(again["seed"]),
        **{name: setting(value) for name, value in again["settings"].items()},
        "Versions": ", ".join(f"{name} {v}" for name, v in again["versions"].items()),
    }
    yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in facts.items())

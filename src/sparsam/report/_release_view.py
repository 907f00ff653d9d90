"""What a page or a text shows of a release's report, in the order in which it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparsam.report._markdown_parts import with_range
from sparsam.report._release_data import (
    ModelFactsData,
    ModelRiskData,
    ReleaseReportData,
    ReleaseRiskData,
)
from sparsam.report._release_sizes import size_words
from sparsam.report._release_words import highest_words, method_name
from sparsam.report._words import (
    NOTHING,
    pair,
    percent,
    percent_range,
    points,
    score_words,
    short_percent,
    whole,
)

_TITLES = {
    "meaning": "What these numbers do not mean",
    "reproduce": "How to reproduce",
    "certificate": "The certificate",
    "sizes": "How many share their quasi-identifiers",
    "risk": "Who could be recognised",
    "sweep": "What every k costs",
    "drop": "What every quasi-identifier costs",
    "model": "A model trained on it",
}
_MARKS = {True: "✓ holds", False: "✗ broken", None: "– not checked"}


@dataclass(frozen=True)
class RiskRow:
    """One adversary: who, what they know, and how likely they are to be right."""

    name: str
    note: str
    highest: str
    average: str
    above: str


@dataclass(frozen=True)
class SweepTable:
    """What every k costs, a line for each k and a pair of columns for each method."""

    methods: tuple[str, ...]
    lines: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """The k, and for each method its score and what is lost."""


@dataclass(frozen=True)
class ModelTable:
    """Models side by side: names, and lines of a name and a figure for each."""

    names: tuple[str, ...]
    lines: tuple[tuple[str, str, tuple[str, ...]], ...]
    """What, a note, and the figures."""


def release_sections(data: ReleaseReportData) -> dict[str, tuple[int, str]]:
    """Give each section its number and its title."""
    optional = {
        "sizes": data["sizes"],
        "risk": data["risk"],
        "sweep": data["sweeps"],
        "drop": data["drop_one"],
        "model": data["model"],
    }
    there = [name for name, found in optional.items() if found]
    names = ("certificate", *there, "meaning", "reproduce")
    return {name: (place, _TITLES[name]) for place, name in enumerate(names, start=1)}


def finding_rows(data: ReleaseReportData) -> list[tuple[str, str, str]]:
    """What was checked, whether it holds, and how it does not."""
    return [(_MARKS[one["held"]], one["words"], one["detail"]) for one in data["findings"]]


def size_rows(data: ReleaseReportData) -> list[tuple[str, str, str]]:
    """Bins that hold something: rows that share a record, records, rows."""
    return [
        (size_words(one), whole(one["records"]), whole(one["rows"]))
        for one in data["sizes"]
        if one["records"]
    ]


def risk_rows(data: ReleaseReportData) -> list[RiskRow]:
    """The three adversaries."""
    return [] if data["risk"] is None else list(_risk_rows(data["risk"]))


def _risk_rows(risk: ReleaseRiskData) -> Iterator[RiskRow]:
    notes = {
        "prosecutor": "looks for one person, and knows that the person is in the release",
        "journalist": "looks for anyone, to show that it can be done; without figures on the "
        "population, as bad as the prosecutor",
    }
    for name, note in notes.items():
        one = risk["prosecutor"] if name == "prosecutor" else risk["journalist"]
        highest = highest_words(one, risk["threshold"])
        above = percent(one["share_above"])
        yield RiskRow(name.capitalize(), note, highest, percent(one["average"]), above)
    note = "matches everyone they can with a list of their own: the share that is right"
    yield RiskRow("Marketer", note, NOTHING, percent(risk["marketer"]), NOTHING)
    note = "guesses among all rows of the release"
    yield RiskRow("Without any knowledge", note, NOTHING, percent(risk["baseline"], 2), NOTHING)


def risk_words(data: ReleaseReportData) -> str:
    """Say the risk in a sentence for each adversary."""
    risk = data["risk"]
    if risk is None:
        return ""
    seeker = risk["prosecutor"]
    return (
        "Someone who knows all quasi-identifiers of a person and finds the record that this person "
        f"has must still choose among all who share it: they are right in "
        f"{percent(seeker['average'])} of the cases on average and in "
        f"{highest_words(seeker, risk['threshold'])} at worst. {percent(seeker['share_above'])} "
        f"of the rows have a risk above {short_percent(risk['threshold'])}."
    )


def sweep_table(data: ReleaseReportData) -> SweepTable | None:
    """What every k costs."""
    sweeps = data["sweeps"]
    if sweeps is None:
        return None
    methods = sweeps["methods"]
    ks = sorted({row["k"] for one in methods for row in one["rows"]})
    lines = []
    for k in ks:
        cells = []
        for one in methods:
            row = next((row for row in one["rows"] if row["k"] == k), None)
            score = None if row is None else row["score"]
            loss = None if row is None else row["loss"]
            cells.append((score_words(score, sweeps["measure"]), percent(loss)))
        lines.append((f"{k:,}", tuple(cells)))
    return SweepTable(tuple(method_name(one["method"]) for one in methods), tuple(lines))


def drop_rows(data: ReleaseReportData) -> list[tuple[str, str, str, str, str]]:
    """For each quasi-identifier: its own loss, that of the others with and without it, the gain."""
    found = data["drop_one"]
    if found is None:
        return []
    return [
        (row["name"], percent(row["own"]), percent(row["before"]), percent(row["after"]),
         points(row["cost"]))
        for row in found["rows"]
    ]  # fmt: skip


def model_table(data: ReleaseReportData) -> ModelTable | None:
    """Models side by side: how right, and how much they betray."""
    found = data["model"]
    if found is None:
        return None
    models = found["models"]
    lines = [
        ("Right answers", f"{whole(found['n_test'])} other people", _each(models, "test_accuracy")),
        ("Right answers", "its own training people", _each(models, "train_accuracy")),
        *_risk_lines([one["membership"] for one in models], "Training people told from others",
                     "area under the curve, 0.5 is a coin", decimals=3),
        *_risk_lines([one["attribute"] for one in models], "Attribute guessed", "share right"),
    ]  # fmt: skip
    if any(one["epsilon"] is not None for one in models):
        spent = (NOTHING if one["epsilon"] is None else f"{one['epsilon']:.3g}" for one in models)
        lines.append(("Privacy budget", "epsilon, differential privacy", tuple(spent)))
    return ModelTable(tuple(_model_name(one) for one in models), tuple(lines))


def _model_name(one: ModelFactsData) -> str:
    known = {"raw": "trained on raw rows", "anonymised": "trained on anonymised rows"}
    return known.get(one["name"], one["name"])


def _each(models: Sequence[ModelFactsData], name: str) -> tuple[str, ...]:
    right = {
        "test_accuracy": [one["test_accuracy"] for one in models],
        "train_accuracy": [one["train_accuracy"] for one in models],
    }
    return tuple(percent(share) for share in right[name])


def _risk_lines(
    risks: Sequence[Sequence[ModelRiskData]], what: str, note: str, decimals: int | None = None
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    names = dict.fromkeys(one["adversary"] for each in risks for one in each)
    for name in names:
        found = [next((one for one in each if one["adversary"] == name), None) for each in risks]
        known = next(one for one in found if one is not None)
        beside = f", without the model {percent(known['baseline'])}" if decimals is None else ""
        yield what, f"{name}; {note}{beside}", tuple(_figure(one, decimals) for one in found)


def _figure(one: ModelRiskData | None, decimals: int | None) -> str:
    if one is None:
        return NOTHING
    if decimals is None:
        return with_range(percent(one["figure"]), percent_range(one["interval"]))
    ends = pair(one["interval"])
    around = "" if ends is None else f" ({ends[0]:.{decimals}f}–{ends[1]:.{decimals}f})"
    return f"{one['figure']:.{decimals}f}{around}"

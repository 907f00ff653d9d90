"""What a page or a text shows of a model's report, in the order in which it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparsam.report._model_data import AccuracyData, ModelAttributeData, ModelReportData
from sparsam.report._model_words import range_words, score_words, target_words, telling
from sparsam.report._sections import TITLES
from sparsam.report._words import percent, whole

_TITLES = {
    **TITLES,
    "kept": "What the model keeps",
    "stored": "Who can still be told apart",
    "asked": "What a person is asked",
    "method": "How it was done",
}


@dataclass(frozen=True)
class KeptRow:
    """One line of the table of accuracies: what, how much, how sure, of how many."""

    name: str
    note: str
    score: str
    around: str
    people: str


@dataclass(frozen=True)
class StoredRow:
    """One reading of what is stored, before and after."""

    name: str
    note: str
    before: str
    after: str
    recoded: str


def model_sections(data: ModelReportData) -> dict[str, tuple[int, str]]:
    """Give each section of a model's report its number and its title."""
    asked = ("asked",) if data["questions"] else ()
    names = ("collect", "kept", "stored", *asked, "method", "meaning", "reproduce")
    return {name: (place, _TITLES[name]) for place, name in enumerate(names, start=1)}


def needed(data: ModelReportData) -> list[ModelAttributeData]:
    """The attributes to collect."""
    return [one for one in data["collected"]["attributes"] if one["collected"]]


def spared(data: ModelReportData) -> list[ModelAttributeData]:
    """Those that need not be collected."""
    return [one for one in data["collected"]["attributes"] if not one["collected"]]


def kept_rows(data: ModelReportData) -> list[KeptRow]:
    """How much is kept, on whom, and what it is to be compared with."""
    return list(_kept_rows(data))


def _kept_rows(data: ModelReportData) -> Iterator[KeptRow]:
    kept, truth = data["kept"], data["truth"]
    measure = kept["held_out"]["measure"]
    what = {"share": "Answers that stay the same", "r2": "R² before and after"}
    name = what.get(measure, "Score before and after")
    target = target_words(kept["target"], measure)
    verdict = "met" if kept["met"] else "missed"
    decimals = telling(kept["held_out"]["score"], kept["target"])
    note = f"people held out; target {target}: {verdict}"
    yield _row(name, note, kept["held_out"], decimals)
    yield _row(name, "people chosen on", kept["chosen_on"])
    if kept["worst_cell"]:
        yield _row(name, "the worst group, people held out", kept["worst_cell"])
    null = score_words(kept["null_accuracy"], measure)
    yield KeptRow("One answer for everyone", "what nothing collected would keep", null, "", "")
    if truth:
        right = "R² to the truth" if measure == "r2" else "Answers that are right"
        yield _row(right, "on the records themselves", truth["before"])
        yield _row(right, "on what the model is fed instead", truth["after"])


def _row(name: str, note: str, accuracy: AccuracyData, decimals: int = 1) -> KeptRow:
    score = score_words(accuracy["score"], accuracy["measure"], decimals)
    around = range_words(accuracy["interval"], accuracy["measure"]) or ""
    return KeptRow(name, note, score, around, whole(accuracy["n_records"]))


def stored_rows(data: ModelReportData) -> list[StoredRow]:
    """Disclosure risk in both readings, and distinct records."""
    parts = [data["stored"][part] for part in ("before", "after", "recoded")]
    printed = (percent(part["as_printed"]) for part in parts)
    reported = (percent(part["as_reported"]) for part in parts)
    distinct = (whole(part["distinct"]) for part in parts)
    people = whole(parts[0]["n_records"])
    return [
        StoredRow("Disclosure risk, eq. 4 as printed",
                  "mean over people of 1 / people with the same record", *printed),
        StoredRow("Disclosure risk, as the paper’s figures are made",
                  "the same sum over distinct records only, divided by people", *reported),
        StoredRow("Distinct records", f"of {people} people held out", *distinct),
    ]  # fmt: skip


def stored_words(data: ModelReportData) -> str:
    """Return which attributes count."""
    names, total = data["stored"]["quasi_identifiers"], len(data["collected"]["attributes"])
    if len(names) == total:
        return "All attributes count as known to someone."
    return f"These attributes count as known to someone: {', '.join(names)}."


def asked_rows(data: ModelReportData) -> list[tuple[str, str]]:
    """The share of people who are asked for each attribute, the most asked first."""
    asked = data["questions"]
    shares = asked["per_attribute"] if asked else {}
    ordered = sorted(shares.items(), key=lambda one: (-one[1], one[0]))
    return [(name, percent(share)) for name, share in ordered]

"""The sentences of a report on a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsam.report._data import MeaningData
from sparsam.report._release_data import CertificateData, RecordRiskData, ReleaseReportData
from sparsam.report._words import counted, percent, setting, short_percent, whole
from sparsam.report.page._blocks import KeyFigure, Verdict

MEANING_OF_RELEASE: tuple[MeaningData, ...] = (
    {
        "heading": "The promise is about the quasi-identifiers that were named",
        "text": "A column that is published as it is and that others know of a person is a way to "
        "recognise that person. Name every column that someone could know.",
    },
    {
        "heading": "Whole rows are another matter",
        "text": "Classes are counted over the quasi-identifiers. With the columns that are "
        "published as they are, many rows are unique in any release: whoever knows these too finds "
        "the row. How many there are is said above.",
    },
    {
        "heading": "Not recognised is not the same as nothing learned",
        "text": "Where all who share a record have the same illness, nobody needs to be recognised "
        "for it to be known. ℓ-diversity and t-closeness are promises about that; k alone is not.",
    },
    {
        "heading": "One release, not two",
        "text": "Who sees two releases of the same people, with other classes or another k, knows "
        "more than either of them tells. The promise of each is about itself only.",
    },
    {
        "heading": "The certificate proves the cells, not their history",
        "text": "Classes, promises and the hash can be checked by anyone who has the release. The "
        "rows that were left out and the detail that was lost are stated by whoever made it.",
    },
    {
        "heading": "Risk counts people who share a record",
        "text": "It takes the worst for granted: the other one knows every quasi-identifier of a "
        "person rightly. It says nothing about who would try, or about what can be worked out from "
        "the rest of the record. This is not differential privacy.",
    },
    {
        "heading": "Whether these are still personal data is a question of law",
        "text": "No figure here settles it.",
    },
)
_ROWS = {"own": "score", "r2": "R²", "share": "accuracy"}
_METHODS = {"BulkLoad": "bulk load", "FullDomain": "full domain"}


def method_name(method: str) -> str:
    """Write the name of a method as a person says it.

    Examples
    --------
    >>> method_name("FullDomain"), method_name("Hybrid")
    ('full domain', 'hybrid')
    """
    return _METHODS.get(method, method.lower())


def score_name(measure: str) -> str:
    """Say what a score measures.

    Examples
    --------
    >>> score_name("share")
    'accuracy'
    """
    return _ROWS.get(measure, "score")


def release_verdict(data: ReleaseReportData) -> Verdict:
    """Say in plain words whether the release keeps its promise, and what it costs."""
    paper = data["certificate"]
    if not data["kept"]:
        broken = [one["words"] for one in data["findings"] if one["held"] is False]
        return Verdict(
            "This release must not be relied on.",
            f"Not true of the published cells: {'; '.join(broken)}.",
        )
    first = paper["promises"][0]
    needs = f"{first[0].upper()}{first[1:]}."
    more = len(paper["promises"]) - 1
    if not data["complete"]:
        unseen = sum(one["held"] is None for one in data["findings"])
        return Verdict(
            f"{needs[:-1]}, says the certificate.",
            f"{counted(unseen, 'statement')} could not be checked from the published cells; the "
            f"others hold. {_published(paper)}",
        )
    what = f"This and {counted(more, 'further promise')} were" if more else "This was"
    return Verdict(needs, f"{what} checked from the published cells. {_published(paper)}")


def _published(paper: CertificateData) -> str:
    rows = f"{counted(paper['n_rows'], 'row')} are published in "
    rows += counted(paper["classes"], "class", "classes")
    return f"{rows}; {suppressed_words(paper)}.{_unique_words(paper)}"


def whole_row_facts(paper: CertificateData) -> list[tuple[str, str]]:
    """What whole rows say beside the quasi-identifiers: names and values.

    Parameters
    ----------
    paper : CertificateData
        Fit to be published.
    """
    facts = []
    if (rows := paper["whole_rows"]) is not None:
        k = "k" if paper["k"] is None else whole(paper["k"])
        everyone = whole(paper["n_rows"])
        facts.append(("unique whole rows", f"{whole(rows['unique'])} of {everyone}"))
        facts.append((f"whole rows of fewer than {k}", f"{whole(rows['few'])} of {everyone}"))
    for one in paper["one_value"]:
        value = f"{whole(one['classes'])} of {whole(paper['classes'])} classes, "
        facts.append((f"one value of {one['column']}", f"{value}{whole(one['rows'])} rows"))
    return facts


def _unique_words(paper: CertificateData) -> str:
    """Return how many whole rows are unique, with the columns that are published as they are."""
    rows = paper["whole_rows"]
    if rows is None:
        return ""
    alone = f"{whole(rows['unique'])} of {whole(paper['n_rows'])} are unique"
    if rows["unique"] == 0:
        alone = "none is unique"
    return f" Whole rows, with the columns published as they are: {alone}."


def suppressed_words(paper: CertificateData) -> str:
    """Return how many rows were left out."""
    left_out = paper["suppressed"]
    if left_out == 0:
        return "no row was left out"
    return f"{whole(left_out)} were left out"


def release_figures(data: ReleaseReportData) -> list[KeyFigure]:
    """Pick the four numbers that sum up the report."""
    paper = data["certificate"]
    people = paper["smallest_people"]
    smallest = paper["smallest"] if people is None else people
    who = "rows" if people is None else "people"
    figures = [
        KeyFigure(
            whole(smallest),
            f"{who} in the smallest class",
            (
                f"{counted(paper['classes'], 'class', 'classes')} in all",
                "over the quasi-identifiers, counted in the release",
            ),
        ),
        KeyFigure(
            whole(paper["suppressed"]),
            "rows left out",
            (f"{counted(paper['n_rows'], 'row')} published",),
        ),
    ]
    if paper["information_loss"]:
        first = paper["information_loss"][0]
        figures.append(
            KeyFigure(percent(first["loss"]), "of the detail is lost", (f"by {first['name']}",))
        )
    if (risk := data["risk"]) is not None:
        notes = (f"highest {highest_words(risk['prosecutor'], risk['threshold'])}",
                 "someone looks for a person who is in it")  # fmt: skip
        figures.append(KeyFigure(percent(risk["prosecutor"]["average"]), "mean risk", notes))
    return figures


def highest_words(risk: RecordRiskData, threshold: float) -> str:
    """Write the highest risk; where few share a record, only that it is high."""
    if risk["highest"] is None:
        return f"more than {short_percent(threshold)}"
    return percent(risk["highest"])


def parameter_words(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Write how a release was made, a name and a value at a time."""
    return [(name.replace("_", " "), setting(value)) for name, value in parameters.items()]

"""The sentences of a report on a model that already runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsam.report._data import Interval, MeaningData
from sparsam.report._meaning import MEANING
from sparsam.report._model_data import AccuracyData, ModelReportData
from sparsam.report._prose import interval_words
from sparsam.report._words import (
    NOTHING,
    counted,
    pair,
    percent,
    percent_range,
    plain_number,
    short_percent,
    whole,
)
from sparsam.report.page._blocks import KeyFigure, Verdict

_SAMPLE = next(item for item in MEANING if "full resolution" in item["heading"])

MEANING_OF_MODEL: tuple[MeaningData, ...] = (
    {
        "heading": "Kept answers are the model’s own, not the right ones",
        "text": "Relative accuracy compares the model with itself. A model that is wrong or unfair "
        "stays so in the same way; whether it should answer at all is another question.",
    },
    {
        "heading": "What this model needs is not what the purpose needs",
        "text": "Another model, trained on the ranges for instance, may need less. That a model "
        "uses an attribute is no reason in law to collect it.",
    },
    {
        "heading": "Information loss is not privacy",
        "text": "It measures the detail that is given up. What someone can still work out from the "
        "rest is measured by attacking it: sparsam attack does.",
    },
    {
        "heading": "Disclosure risk is counted in this sample",
        "text": "It asks how many of these people share a record, and falls by itself when there "
        "are more of them. It says nothing about someone who knows only some of the attributes, or "
        "more than these.",
    },
    {
        "heading": "An average can hide a group",
        "text": "The answers that change are not spread evenly over people. A target that must "
        "hold in each group that the model treats alike (kept_in) says more.",
    },
    {
        "heading": "The interval covers chance, not change",
        "text": "Intervals say how far a figure may move with another random sample of the same "
        "size. They do not cover other people than these, a later year or a new version of the "
        "model: measure again before you rely on it.",
    },
    _SAMPLE,
)

_SEARCHES = {
    "responses": "Values for which the model answers alike were put together, in both directions: "
    "merging while there was room, taking back what cost most.",
    "paper": "A decision tree on the model’s answers gave the ranges (Goldsteen et al. 2021): it "
    "was pruned level by level while there was room, and attributes were given back by the lowest "
    "information loss per accuracy gained while there was none.",
}


def score_words(score: float | None, measure: str, decimals: int = 1) -> str:
    """Write a score: a share as a percentage, R² and others as numbers.

    Examples
    --------
    >>> score_words(0.991, "r2"), score_words(0.983, "share").replace("\\u202f", " ")
    ('0.991', '98.3 %')
    """
    if score is None:
        return NOTHING
    return percent(score, decimals) if measure == "share" else f"{score:.{decimals + 2}f}"


def target_words(target: float, measure: str) -> str:
    """Write the target as it was given."""
    return short_percent(target) if measure == "share" else f"{target:g}"


def range_words(interval: Interval, measure: str) -> str | None:
    """Write an interval of scores; None where there is none."""
    ends = pair(interval)
    if ends is None or measure == "share":
        return percent_range(interval)
    return f"{ends[0]:.3f} to {ends[1]:.3f}"


def model_verdict(data: ModelReportData) -> Verdict:
    """Say in plain words what the model needs and keeps; a missed target comes first."""
    kept, held_out = data["kept"], data["kept"]["held_out"]
    target = target_words(kept["target"], held_out["measure"])
    people = f"on {_people(held_out)} held out"
    if kept["met"]:
        words = _kept("its", held_out)
        costs = f"{words} {people} (target {target}: met)."
        return Verdict(f"The model needs {_needed(data)}.", costs)
    measured = kept["worst_cell"] or held_out
    decimals = telling(measured["score"], kept["target"])
    words = _kept("the model’s", measured, decimals)
    where = " in the worst group" if kept["worst_cell"] else ""
    return Verdict(
        f"The target of {target} is missed by {_lacking(data, decimals)}.",
        f"{words}{where} {people}, when the model is given {_needed(data)}.",
    )


def _kept(whose: str, accuracy: AccuracyData, decimals: int = 1) -> str:
    score = score_words(accuracy["score"], accuracy["measure"], decimals)
    if accuracy["measure"] == "share":
        return f"{score} of {whose} answers stay the same"
    what = "an R²" if accuracy["measure"] == "r2" else "a score"
    return f"{whose[0].upper()}{whose[1:]} answers before and after agree with {what} of {score}"


def _lacking(data: ModelReportData, decimals: int) -> str:
    shortfall = data["kept"]["shortfall"]
    if data["kept"]["held_out"]["measure"] == "share":
        return f"{100 * shortfall:.{decimals}f} points"
    return f"{shortfall:.{decimals + 2}f}"


def telling(score: float | None, target: float) -> int:
    """Return how many decimals it takes until a missed target does not look like a met one.

    Examples
    --------
    >>> telling(0.97, 0.98), telling(0.9796, 0.98), telling(0.99, 0.98)
    (1, 2, 1)
    """
    if score is None or score >= target:
        return 1
    return next((d for d in range(1, 6) if round(100 * (target - score), d) > 0), 6)


def _people(accuracy: AccuracyData) -> str:
    return counted(accuracy["n_records"], "person", "people")


def _needed(data: ModelReportData) -> str:
    needed, total = data["collected"]["n_collected"], len(data["collected"]["attributes"])
    if needed == 0:
        return f"none of the {total} attributes"
    if needed == total:
        return f"all {total} attributes" if total > 1 else "its only attribute"
    return f"{needed} of {total} attributes"


def model_figures(data: ModelReportData) -> list[KeyFigure]:
    """Pick the four numbers that sum up the report."""
    return [_attributes(data), _answers(data), _loss(data), _questions(data) or _stored(data)]


def _attributes(data: ModelReportData) -> KeyFigure:
    collected = data["collected"]
    needed, total = collected["n_collected"], len(collected["attributes"])
    spared = f"{total - needed} need not be collected" if needed < total else "none can be spared"
    shape = f"{counted(collected['n_buckets'], 'bucket')} in all"
    return KeyFigure(f"{needed} of {total}", "attributes to collect", (spared, shape))


def _answers(data: ModelReportData) -> KeyFigure:
    kept, held_out = data["kept"], data["kept"]["held_out"]
    measure = held_out["measure"]
    target = f"target {target_words(kept['target'], measure)}: {'met' if kept['met'] else 'missed'}"
    around = range_words(held_out["interval"], measure)
    name = {"share": "of the answers stay", "r2": "R² between the answers"}.get(measure, "score")
    notes = [target, f"{whole(held_out['n_records'])} people held out"]
    if around:
        notes.insert(1, f"{interval_words(data)} {around}")
    decimals = telling(held_out["score"], kept["target"])
    return KeyFigure(score_words(held_out["score"], measure, decimals), name, tuple(notes))


def _loss(data: ModelReportData) -> KeyFigure:
    collected = data["collected"]
    local = f"{percent(collected['local_information_loss'])} of what the model is fed"
    notes = ("of the ranges asked for", local)
    return KeyFigure(percent(collected["information_loss"]), "information loss", notes)


def _questions(data: ModelReportData) -> KeyFigure | None:
    asked = data["questions"]
    if asked is None:
        return None
    notes = (
        f"of the {counted(asked['form'], 'question')} of the form",
        f"{percent(asked['saved'])} fewer, the same predictions",
    )
    return KeyFigure(plain_number(asked["mean"]), "questions on average", notes)


def _stored(data: ModelReportData) -> KeyFigure:
    before, after = data["stored"]["before"], data["stored"]["after"]
    notes = (f"{percent(before['as_printed'])} in full detail", "eq. 4 as printed, people held out")
    return KeyFigure(percent(after["as_printed"]), "disclosure risk", notes)


def method_words(settings: Mapping[str, Any], n_asked: int) -> list[str]:
    """Say how it was done.

    Parameters
    ----------
    settings : mapping
        The parameters of the tree.
    n_asked : int
        How many records the model was asked about.
    """
    learn, choose, report = (short_percent(share) for share in settings["fractions"])
    said = [
        f"The model was not changed; it was asked about {n_asked:,} records.",
        _SEARCHES.get(settings["search"], ""),
        f"{learn} of the people were learned from, {choose} chosen on and {report} held out. All "
        "figures are from the people held out unless they say otherwise.",
        "The ranges that are announced are the ranges that are applied: what is measured is the "
        "model’s answer to what the recoding feeds it, nothing else.",
    ]
    if settings.get("caution"):
        errors = f"{settings['caution']:g} standard error{'s' * (settings['caution'] != 1)}"
        said.insert(3, "To be met on other people too, the target had to be kept on those chosen "
                    f"on with {errors} to spare.")  # fmt: skip
    if settings["search"] == "paper" and settings.get("ilag") == "paper":
        said.append("Attributes were given back in the order as printed (eq. 3), which takes "
                    "useless ones first.")  # fmt: skip
    if settings.get("weights"):
        said.append("Attributes count in the information loss by the weights below.")
    return [sentence for sentence in said if sentence]

"""The sentences of a report on which values to retain."""

from __future__ import annotations

from sparsam.report._data import MeaningData
from sparsam.report._individual_data import IndividualReportData
from sparsam.report._words import (
    NOTHING,
    counted,
    pair,
    percent,
    percent_range,
    points,
    points_range,
    rough_percent,
    short_percent,
    whole,
)
from sparsam.report.page._blocks import KeyFigure, Verdict
from sparsam.report.pictures._individual import decimals

RETAIN = (
    "This is a tool for deciding what to retain, not what to ask for: to choose the values that "
    "can go, it must see all of them once."
)
MEANING_OF_MASK: tuple[MeaningData, ...] = (
    {
        "heading": "What to retain, not what to ask for",
        "text": f"{RETAIN} Whoever asks people for less from the start should use "
        "`sparsam minimise`. Delete the full table once the mask is carried out.",
    },
    {
        "heading": "The mask belongs to one model and one way of filling holes",
        "text": "It was chosen for the learner and the imputation named here. Filled in another "
        "way, the same kept values can teach a model far less. `sparsam apply --fill` fills them "
        "as they were filled here.",
    },
    {
        "heading": "Few values are not anonymous values",
        "text": "Ties at random is the paper's reading of re-identification. Who weighs how many "
        "people a retained record fits finds far more of them, as the second figure shows. Both "
        "know everything of the person they look for; a real adversary knows less.",
    },
    {
        "heading": "The curves are about a division, the mask about everyone",
        "text": "Where everyone is minimised nobody is left to test on. So accuracy and membership "
        "were measured on a division of the same table, by the same algorithm with the same share.",
    },
    {
        "heading": "Which value is kept depends on the values",
        "text": "The mask was worked out from what it takes away. The attacks here see kept "
        "values, statistics and models; they do not turn the algorithm around.",
    },
    {
        "heading": "A risk is what these attacks achieved",
        "text": "A better attack may achieve more. This is neither anonymity nor differential "
        "privacy.",
    },
)


def individual_verdict(data: IndividualReportData) -> Verdict:
    """Say in plain words how much is kept, and what it costs and spares."""
    mask, accuracy = data["mask"], data["chosen"]["accuracy"]
    needs = (
        f"Retain {whole(mask['kept'])} of {whole(mask['values'])} values: "
        f"{short_percent(round(mask['kept_share'], 4))}."
    )
    here, full = percent(accuracy["value"]), percent(accuracy["full"])
    if here == full:
        clauses = [f"The model is right about {here} of people apart, as with every value"]
    else:
        clauses = [f"The model is right about {here} of people apart, instead of {full}"]
    risk = mask["weighed"] or data["chosen"]["weighed"]
    if risk is not None:
        clauses.append(
            "someone who knows a whole record picks the right retained one for "
            f"{rough_percent(risk['found'])} of people"
        )
    return Verdict(needs, "; ".join(clauses) + ".")


def individual_figures(data: IndividualReportData) -> list[KeyFigure]:
    """Pick the four numbers that sum up the report."""
    return [_kept(data), _accuracy(data), _found(data), _member(data)]


def _kept(data: IndividualReportData) -> KeyFigure:
    mask = data["mask"]
    notes = (f"{whole(mask['kept'])} of {whole(mask['values'])}",
             f"{counted(mask['people'], 'person', 'people')}, "
             f"{counted(mask['attributes'], 'attribute')}")  # fmt: skip
    return KeyFigure(short_percent(round(mask["kept_share"], 3)), "of the values are kept", notes)


def _accuracy(data: IndividualReportData) -> KeyFigure:
    one = data["chosen"]["accuracy"]
    around = points_range(one["drop_interval"])
    notes = (
        f"{percent(one['full'])} with every value",
        f"a drop of {points(one['drop'])}" + (f" ({around})" if around else ""),
        f"{counted(one['n_people'], 'person', 'people')} apart",
    )
    return KeyFigure(percent(one["value"]), "accuracy", notes)


def _found(data: IndividualReportData) -> KeyFigure:
    mine = data["mask"]["weighed"]
    risk = mine or data["chosen"]["weighed"]
    if risk is None:
        return KeyFigure(NOTHING, "re-identified at once", ())
    where = "the mask itself" if mine else "people of the division"
    notes = (
        f"RIR {decimals(risk['value'])}, evidence weighed",
        f"{decimals(risk['baseline'])} for records in random order",
        where,
    )
    return KeyFigure(rough_percent(risk["found"]), "re-identified at once", notes)


def _member(data: IndividualReportData) -> KeyFigure:
    one, full = data["chosen"]["membership"], data["full"]["membership"]
    if one is None or full is None:
        return KeyFigure(NOTHING, "membership (MIR)", ("not measured",))
    ends = one["interval"] or (None, None)
    notes = (
        f"area under the curve ({decimals(ends[0])}–{decimals(ends[1])})",
        "0.500 for a coin",
        f"{decimals(full['value'])} for the model of every value",
    )
    return KeyFigure(decimals(one["value"]), "membership (MIR)", notes)


def weak_words(data: IndividualReportData) -> str:
    """Warn of a model that has learned nothing to lose; empty where it has."""
    full = data["full"]["accuracy"]
    ends = pair(full["interval"])
    if ends is None or ends[0] > full["baseline"]:
        return ""
    return (
        f"With every value the model ({percent(full['value'])}) is not surely better than the most "
        f"common class ({percent(full['baseline'])}) on these "
        f"{counted(full['n_people'], 'person', 'people')}: a mask can hardly cost it anything. "
        "More people to measure on, or a better model, would tell more."
    )


def overlap_words(data: IndividualReportData) -> str:
    """Return whether runs agree more than chance would have it."""
    one = data["overlap"]
    if one is None:
        return ""
    gap = one["mean"] - one["random"]
    beyond = one["mean"] > one["random_high"] + 0.01 or one["mean"] < one["random_low"] - 0.01
    runs = counted(len(one["seeds"]), "run")
    first = (
        f"{runs} of {one['algorithm']} with other seeds have {percent(one['mean'])} of their kept "
        f"values in common ({percent_range((one['low'], one['high']))}); masks of the same size "
        f"drawn at random have {percent(one['random'])}."
    )
    if not beyond:
        return (
            f"{first} That is chance: many different sets of values will do, and no single value "
            "is needed."
        )
    if gap > 0:
        return f"{first} What the runs share beyond chance are values that the model needs."
    return f"{first} The runs avoid each other's values more than chance would."

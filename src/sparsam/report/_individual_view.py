"""What a page or a text shows of a report on which values to retain, in reading order."""

from __future__ import annotations

from dataclasses import dataclass

from sparsam.report._individual_data import (
    IndividualReportData,
    MaskFigureData,
    MaskPointData,
)
from sparsam.report._sections import TITLES
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
from sparsam.report.pictures._individual import decimals

_TITLES = {
    **TITLES,
    "decided": "What is retained",
    "mask": "The mask as a picture",
    "curves": "Accuracy and risk along the kept share",
    "overlap": "Do runs agree?",
}

MOST_ATTRIBUTES = 200


@dataclass(frozen=True)
class MeasureRow:
    """One figure: its name, what it means, the chosen mask, all values and the baseline."""

    name: str
    note: str
    value: str
    around: str
    full: str
    baseline: str


def individual_sections(data: IndividualReportData) -> dict[str, tuple[int, str]]:
    """Give each section its number and its title."""
    curves = ("curves",) if len(data["points"]) > 1 else ()
    overlap = () if data["overlap"] is None else ("overlap",)
    names = ("decided", "mask", *curves, *overlap, "meaning", "reproduce")
    return {name: (place, _TITLES[name]) for place, name in enumerate(names, start=1)}


def measure_rows(data: IndividualReportData) -> list[MeasureRow]:
    """The chosen algorithm at the chosen share, on the division."""
    one, full = data["chosen"], data["full"]
    accuracy = one["accuracy"]
    rows = [
        MeasureRow(
            "Accuracy",
            f"on {counted(accuracy['n_people'], 'person', 'people')} apart",
            percent(accuracy["value"]),
            percent_range(accuracy["interval"]) or "",
            percent(accuracy["full"]),
            percent(accuracy["baseline"]),
        ),
        MeasureRow(
            "Drop in accuracy",
            "against the model of every value, the same people",
            points(accuracy["drop"]),
            points_range(accuracy["drop_interval"]) or "",
            NOTHING,
            NOTHING,
        ),
        _risk("Reconstruction (RCR)", "how near the filled records come to the true ones; 1 is "
              "exactly", one["reconstruction"], full["reconstruction"]),
        _risk("Re-identification (RIR), ties at random", "how far up someone who knows a whole "
              "record ranks the retained one; 1 is first", one["reidentification"],
              full["reidentification"]),
        _risk("Re-identification (RIR), evidence weighed", "the same for someone who counts how "
              "many people a record fits", one["weighed"], full["weighed"]),
    ]  # fmt: skip
    if one["membership"] is not None:
        note = f"RMIA with {data['n_references']} reference models; area under the curve"
        rows.append(_risk("Membership (MIR)", note, one["membership"], full["membership"]))
        rows.append(_tpr(one["membership"], full["membership"]))
    return rows


def _risk(
    name: str, note: str, one: MaskFigureData | None, full: MaskFigureData | None
) -> MeasureRow:
    baseline = decimals(one["baseline"] if one else None)
    value = decimals(one["value"] if one else None)
    return MeasureRow(
        name, note, value, around(one), decimals(full["value"] if full else None), baseline
    )


def _tpr(one: MaskFigureData, full: MaskFigureData | None) -> MeasureRow:
    return MeasureRow(
        "Members found",
        "when one other person in a hundred is accused wrongly",
        percent(one["found"]),
        "",
        percent(full["found"]) if full else NOTHING,
        percent(0.01),
    )


def around(figure: MaskFigureData | None) -> str:
    """Write an interval of a risk."""
    ends = pair(figure["interval"]) if figure else None
    return "" if ends is None else f"{decimals(ends[0])}–{decimals(ends[1])}"


def whole_rows(data: IndividualReportData) -> list[tuple[str, str, str, str]]:
    """The mask itself, attacked: name, value, interval, baseline."""
    mask = data["mask"]
    named = {
        "Reconstruction (RCR)": mask["reconstruction"],
        "Re-identification (RIR), ties at random": mask["reidentification"],
        "Re-identification (RIR), evidence weighed": mask["weighed"],
    }
    return [
        (name, decimals(one["value"]), around(one), decimals(one["baseline"]))
        for name, one in named.items()
        if one is not None
    ]


def point_rows(data: IndividualReportData) -> list[tuple[str, ...]]:
    """Every point: algorithm, share, accuracy, drop, RCR, RIR twice, MIR, members found."""
    return [_point(one) for one in (*data["points"], data["full"])]


def _point(one: MaskPointData) -> tuple[str, ...]:
    member = one["membership"]
    risks = (one["reconstruction"], one["reidentification"], one["weighed"], member)
    return (
        one["algorithm"],
        short_percent(round(one["kept_share"], 4)),
        percent(one["accuracy"]["value"]),
        points(one["accuracy"]["drop"]).removesuffix(" points"),
        *(decimals(risk["value"] if risk else None) for risk in risks),
        percent(member["found"]) if member else NOTHING,
    )


POINT_HEAD = ("Algorithm", " Kept", " Accuracy", " Drop (points)", " RCR", " RIR, ties at random",
              " RIR, evidence weighed", " MIR", " Members found at 1 %")  # fmt: skip


def attribute_rows(data: IndividualReportData) -> list[tuple[str, str, float]]:
    """Attributes, of how many people they are kept, and how long the bar is."""
    return [
        (one["name"], one["words"] or percent(one["share"]), one["share"] or 0.0)
        for one in data["attributes"][:MOST_ATTRIBUTES]
    ]


def more_words(data: IndividualReportData) -> str:
    """Return how many attributes a long table leaves out; empty where none."""
    more = len(data["attributes"]) - MOST_ATTRIBUTES
    return "" if more <= 0 else f"And {counted(more, 'attribute')} that are kept less often."


def people_rows(data: IndividualReportData) -> list[tuple[str, str]]:
    """How many values are kept of how many people."""
    return [
        (
            whole(one["low"]) if one["low"] == one["high"] else f"{one['low']}–{one['high']}",
            whole(one["people"]),
        )
        for one in data["kept_people"]
    ]


def mask_rows(data: IndividualReportData) -> list[tuple[str, str]]:
    """What the mask is about and how it was found."""
    mask = data["mask"]
    rows = counted(mask["people"], "row")
    covered = f"all {rows} of the table, in its order"
    if mask["people"] < mask["table_rows"]:
        covered = f"{rows} of {whole(mask['table_rows'])}, those that are complete"
    return [
        ("Covers", covered),
        ("Kept", f"{whole(mask['kept'])} of {whole(mask['values'])} values"),
        ("Algorithm", mask["algorithm"]),
        ("Model", mask["learner"]),
        ("What is not kept", f"filled in by the imputation “{mask['imputation']}”"),
        ("Accuracy on its own rows", own_accuracy(data)),
        ("Seed", NOTHING if mask["random_state"] is None else str(mask["random_state"])),
    ]


def own_accuracy(data: IndividualReportData) -> str:
    """How right the model of the mask is about the people it was trained on (eq. 1b)."""
    facts = data["mask"]["facts"]
    here, full = facts.get("training_accuracy"), facts.get("training_full_accuracy")
    return f"{percent(here)}, {percent(full)} with every value"


def fact_rows(data: IndividualReportData) -> list[tuple[str, str]]:
    """The figures that a terminal shows."""
    one, full = data["chosen"], data["full"]
    accuracy, mask = one["accuracy"], data["mask"]
    found = [
        ("kept", f"{percent(mask['kept_share'], 2)} of the values ({mask['algorithm']})"),
        (
            "accuracy",
            f"{percent(accuracy['value'])}, {percent(accuracy['full'])} with every value, "
            f"drop {points(accuracy['drop'])} ({points_range(accuracy['drop_interval'])})",
        ),
        ("  on the rows themselves", own_accuracy(data)),
        ("reconstruction (RCR)", _short(mask["reconstruction"], "public mean")),
    ]
    ties = mask["reidentification"] or one["reidentification"]
    weighed = mask["weighed"] or one["weighed"]
    found += [("re-identification (RIR)", f"{_short(ties, 'random order')}; ties at random")]
    if weighed is not None:
        text = f"{decimals(weighed['value'])}, first for {rough_percent(weighed['found'])}"
        found.append(("  evidence weighed", text))
    if one["membership"] is not None and full["membership"] is not None:
        text = f"{decimals(one['membership']['value'])} ({around(one['membership'])}), "
        text += f"{decimals(full['membership']['value'])} with every value, coin 0.500"
        found.append(("membership (MIR)", text))
    if (same := data["overlap"]) is not None:
        text = f"{percent(same['mean'])} in common, random masks {percent(same['random'])}"
        found.append(("runs with other seeds", text))
    return found


def _short(one: MaskFigureData | None, name: str) -> str:
    if one is None:
        return NOTHING
    return f"{decimals(one['value'])} ({around(one)}), {name} {decimals(one['baseline'])}"

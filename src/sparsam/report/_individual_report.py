"""The report on which single values of whom to retain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sparsam._small_counts import SMALLEST_COUNT, suppress
from sparsam.attack import Risk
from sparsam.individual import CurvePoint, Mask, Retention
from sparsam.report._closing import input_data, meaning_section, reproduce_section, versions
from sparsam.report._document import Document, plain
from sparsam.report._individual_data import kept_attributes, kept_people, picture_of
from sparsam.report._made import Day, made_data
from sparsam.report._words import (
    NOTHING,
    THIN,
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
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Columns,
    Facts,
    Figure,
    Fold,
    Heading,
    KeyFigure,
    Legend,
    Notice,
    Page,
    Row,
    Section,
    Table,
    Text,
    Verdict,
    name,
    number,
    strong,
)
from sparsam.report.pictures._individual import (
    curve_figures,
    curve_keys,
    decimals,
    mask_figure,
)

_TPR = "0.01"
_SHOWN = 18
_MOST = 200
_RCR = "Reconstruction (RCR)"
_TIES = "Re-identification (RIR), ties at random"
_WEIGHED = "Re-identification (RIR), evidence weighed"
_RETAIN = (
    "This is a tool for deciding what to retain, not what to ask for: to choose the values that "
    "can go, it must see all of them once."
)
_MEANING = (
    {
        "heading": "What to retain, not what to ask for",
        "text": f"{_RETAIN} Whoever asks people for less from the start should use "
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

Data = Mapping[str, Any]


class IndividualReport(Document[dict[str, Any]]):
    """Which values are retained, and what it costs and spares: to read, to print and to file.

    Parameters
    ----------
    data : dict
        What was measured, as plain values; nothing in it tells of fewer than five people.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(plain(data))

    def page(self) -> Page:
        """Return the report as a page."""
        data = self._data
        sections = [
            Section("decided", "What is retained", _decided(data)),
            Section("mask", "The mask as a picture", _drawn(data)),
        ]
        if len(data["points"]) > 1:
            title = "Accuracy and risk along the kept share"
            sections.append(Section("curves", title, _curves(data)))
        if data["overlap"] is not None:
            sections.append(Section("overlap", "Do runs agree?", _agreement(data)))
        promise = "The same command on the same file gives the same mask and the same report."
        target = [("Target", name(data["target"]))] if data["target"] else []
        sections += [
            meaning_section(data["meaning"]),
            reproduce_section(data["reproduce"], promise, target, rows="row"),
        ]
        return Page(
            title=data["title"],
            verdict=_verdict(data),
            figures=(_kept(data), _accurate(data), _found(data), _member_figure(data)),
            notices=tuple(_notices(data)),
            sections=tuple(sections),
            brief=tuple(_brief(data)),
            saved_as="retain.html",
        )

    def __repr__(self) -> str:
        return f"<IndividualReport {self._data['title']!r}: {_verdict(self._data).needs}>"


def individual_report(
    retention: Retention,
    *,
    target: str | None = None,
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    settings: Mapping[str, Any] | None = None,
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
) -> IndividualReport:
    """Write down which values are retained, and the evidence for it.

    Parameters
    ----------
    retention : Retention
        See `sparsam.individual.retain`.
    target : str, optional
        What the model predicts.
    title : str, optional
    source : str, default="table"
        What the table is called: a file name, not a path.
    command : str, optional
        The command that found the mask.
    settings : mapping, optional
        More facts on how it was found.
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.

    Returns
    -------
    IndividualReport

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.individual import read_people, retain
    >>> X = np.random.default_rng(0).random((400, 3))
    >>> columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": X[:, 0] > X[:, 1]}
    >>> people = read_people(columns, "y")
    >>> retention = retain(people, keep=0.2, algorithms=[], shares=[], n_runs=0)
    >>> print(individual_report(retention, target="y").to_markdown().splitlines()[0])
    # What to retain for training: y
    """
    curve, mask = retention.curve, retention.mask
    data = {
        "title": title or f"What to retain for training: {target or source}",
        "made": made_data(author, purpose, date),
        "target": target,
        "requirement": _requirement(retention),
        "mask": _mask(retention),
        "chosen": point_data(curve.chosen),
        "full": point_data(curve.full),
        "points": [point_data(point) for point in curve.points],
        "overlap": None if curve.overlap is None else curve.overlap.to_dict(),
        "people": curve.people,
        "n_references": curve.n_references,
        "attributes": kept_attributes(mask.kept, mask.attributes),
        "kept_people": kept_people(mask.kept),
        "picture": picture_of(mask.kept),
        "meaning": _MEANING,
        "reproduce": _reproduce(retention, source, command, settings),
    }
    return IndividualReport(data)


def _requirement(retention: Retention) -> dict[str, Any] | None:
    if retention.max_drop is None:
        return None
    words = f"a drop in accuracy of at most {points(retention.max_drop)}"
    return {"words": words, "met": retention.met}


def _mask(retention: Retention) -> dict[str, Any]:
    mask = retention.mask
    return {
        "people": mask.shape[0],
        "attributes": mask.shape[1],
        "names": list(mask.attributes),
        "table_rows": _table_rows(mask),
        **_values(mask),
        "algorithm": mask.algorithm,
        "learner": mask.learner,
        "imputation": retention.curve.imputation,
        "random_state": mask.random_state,
        "facts": dict(mask.facts),
        "reconstruction": _reconstructed(retention.reconstruction),
        "reidentification": _ranked(retention.reidentification),
        "weighed": _ranked(retention.weighed),
    }


def _values(mask: Mask) -> dict[str, Any]:
    """How many values there are, are missing and are kept: shares of both."""
    cells = mask.kept.size
    missing = cells - mask.n_values
    # as few as these would tell whose values are missing: they count as if they were there
    values = cells if missing < SMALLEST_COUNT else mask.n_values
    return {
        "values": values,
        "missing": suppress(missing),
        "kept": mask.n_kept,
        "kept_share": mask.n_kept / values,
        "share_of_all": mask.n_kept / cells,
    }


def _table_rows(mask: Mask) -> int:
    return mask.shape[0] if mask.table_rows is None else mask.table_rows


def point_data(point: CurvePoint) -> dict[str, Any]:
    """Return what is told of a point of the curve."""
    return {
        "algorithm": point.algorithm,
        "kept_share": point.kept_share,
        "accuracy": _accuracy(point),
        "reconstruction": _reconstructed(point.reconstruction),
        "reidentification": _ranked(point.reidentification),
        "weighed": _ranked(point.weighed),
        "membership": None if point.membership is None else _member(point.membership),
    }


def _accuracy(point: CurvePoint) -> dict[str, Any]:
    facts = dict(point.accuracy.to_dict())
    return {"value": facts.pop("accuracy"), **facts}


def _reconstructed(risk: Risk) -> dict[str, Any]:
    return {
        "value": risk.value,
        "interval": risk.interval,
        "baseline": risk.baseline,
        "found": None,
    }


def _ranked(risk: Risk | None) -> dict[str, Any] | None:
    if risk is None:
        return None
    return {
        "value": risk.value,
        "interval": risk.interval,
        "baseline": risk.baseline,
        "found": risk.to_dict()["details"].get("ranked_first"),
    }


def _member(risk: Risk) -> dict[str, Any]:
    return {
        "value": risk.value,
        "interval": risk.interval,
        "baseline": risk.baseline,
        "found": risk.to_dict()["details"].get("tpr_at", {}).get(_TPR),
    }


def _reproduce(
    retention: Retention,
    source: str,
    command: str | None,
    settings: Mapping[str, Any] | None,
) -> dict[str, Any]:
    curve = retention.curve
    people = ", ".join(f"{count:,} {group}" for group, count in curve.people.items())
    more: dict[str, Any] = {
        "Algorithm": retention.mask.algorithm,
        "Model": curve.learner,
        "Imputation": curve.imputation,
        "Division": people,
        "Reference models": curve.n_references,
        **(settings or {}),
    }
    return {
        "versions": versions(),
        "seed": curve.random_state,
        "input": input_data(source, _table_rows(retention.mask)),
        "command": command,
        "settings": more,
    }


def _verdict(data: Data) -> Verdict:
    mask, accuracy = data["mask"], data["chosen"]["accuracy"]
    there = " that are there" if mask["missing"] else ""
    needs = (
        f"Retain {whole(mask['kept'])} of {whole(mask['values'])} values{there}: "
        f"{short_percent(round(mask['kept_share'], 4))}."
    )
    here, full = percent(accuracy["value"]), percent(accuracy["full"])
    instead = "as with every value" if here == full else f"instead of {full}"
    clauses = [f"The model is right about {here} of people apart, {instead}"]
    risk = mask["weighed"] or data["chosen"]["weighed"]
    if risk is not None:
        clauses.append(
            "someone who knows a whole record picks the right retained one for "
            f"{rough_percent(risk['found'])} of people"
        )
    return Verdict(needs, "; ".join(clauses) + ".")


def _notices(data: Data) -> list[Notice]:
    notices = []
    if (asked := data["requirement"]) is not None:
        met = "✓ Requirement met" if asked["met"] else "✗ Requirement not met"
        words = (strong(met), f" on the test people: {asked['words']}.")
        notices.append(Notice(words, "met" if asked["met"] else "missed"))
    full = data["full"]["accuracy"]
    ends = pair(full["interval"])
    if ends is not None and ends[0] <= full["baseline"]:
        weak = (
            f" With every value the model ({percent(full['value'])}) is not surely better than the "
            f"most common class ({percent(full['baseline'])}) on these "
            f"{counted(full['n_people'], 'person', 'people')}: a mask can hardly cost it anything. "
            "More people to measure on, or a better model, would tell more."
        )
        notices.append(Notice((strong("✗ Little to lose."), weak), "missed"))
    return [*notices, Notice((strong("To decide what to retain."), f" {_RETAIN}"))]


def _kept(data: Data) -> KeyFigure:
    mask = data["mask"]
    notes = (f"{whole(mask['kept'])} of {whole(mask['values'])}",
             f"{counted(mask['people'], 'person', 'people')}, "
             f"{counted(mask['attributes'], 'attribute')}")  # fmt: skip
    return KeyFigure(short_percent(round(mask["kept_share"], 3)), "of the values are kept", notes)


def _accurate(data: Data) -> KeyFigure:
    accuracy = data["chosen"]["accuracy"]
    around = points_range(accuracy["drop_interval"])
    notes = (
        f"{percent(accuracy['full'])} with every value",
        f"a drop of {points(accuracy['drop'])}" + (f" ({around})" if around else ""),
        f"{counted(accuracy['n_people'], 'person', 'people')} apart",
    )
    return KeyFigure(percent(accuracy["value"]), "accuracy", notes)


def _found(data: Data) -> KeyFigure:
    mine = data["mask"]["weighed"]
    risk = mine or data["chosen"]["weighed"]
    if risk is None:
        return KeyFigure(NOTHING, "re-identified at once", ())
    notes = (
        f"RIR {decimals(risk['value'])}, evidence weighed",
        f"{decimals(risk['baseline'])} for records in random order",
        "the mask itself" if mine else "people of the division",
    )
    return KeyFigure(rough_percent(risk["found"]), "re-identified at once", notes)


def _member_figure(data: Data) -> KeyFigure:
    risk, full = data["chosen"]["membership"], data["full"]["membership"]
    if risk is None or full is None:
        return KeyFigure(NOTHING, "membership (MIR)", ("not measured",))
    ends = risk["interval"] or (None, None)
    notes = (
        f"area under the curve ({decimals(ends[0])}–{decimals(ends[1])})",
        "0.500 for a coin",
        f"{decimals(full['value'])} for the model of every value",
    )
    return KeyFigure(decimals(risk["value"]), "membership (MIR)", notes)


def _brief(data: Data) -> Iterator[Block]:
    """What a notebook and a terminal show."""
    yield Text("Measured on people apart:")
    yield _measures(data).bare()
    yield Text("The mask itself, attacked:")
    yield _attacked(data)
    yield Text(f"Accuracy on its own rows: {_own_accuracy(data)}.")
    if data["overlap"] is not None:
        yield Text(overlap_words(data["overlap"]))


def _decided(data: Data) -> tuple[Block, ...]:
    people = data["people"]
    return (
        Columns(
            (
                (Heading("The mask"), Facts(tuple(_mask_facts(data)))),
                (
                    Heading("The mask itself, attacked"),
                    _attacked(data),
                    Text(
                        "Baselines: the public mean said of everyone; records in a random order.",
                        note=True,
                    ),
                ),
            )
        ),
        Heading("Measured on people apart"),
        Text(
            "The same algorithm with the same share, on a division of the table: "
            f"{whole(people['members'])} people minimised, {whole(people['public'])} public, "
            f"{whole(people['others'])} outside for the membership attack, and "
            f"{whole(people['test'])} to test. Intervals are 95{THIN}%."
        ),
        _measures(data),
    )


def _mask_facts(data: Data) -> list[tuple[str, str]]:
    mask = data["mask"]
    rows = counted(mask["people"], "row")
    covered = f"all {rows} of the table, in its order"
    if mask["people"] < mask["table_rows"]:
        which = left_out_words(mask["facts"])
        covered = f"{rows} of {whole(mask['table_rows'])}; left out are those {which}"
    missing = [("Missing", _missing_words(mask))] if mask["missing"] else []
    return [
        ("Covers", covered),
        ("Kept", f"{whole(mask['kept'])} of {whole(mask['values'])} values"),
        *missing,
        ("Algorithm", mask["algorithm"]),
        ("Model", mask["learner"]),
        ("What is not kept", f"filled in by the imputation “{mask['imputation']}”"),
        ("Accuracy on its own rows", _own_accuracy(data)),
        ("Seed", NOTHING if mask["random_state"] is None else str(mask["random_state"])),
    ]


def _missing_words(mask: Data) -> str:
    values = counted(mask["missing"], "value")
    share = short_percent(round(mask["share_of_all"], 4))
    return f"{values}, which cannot be kept; what is kept is {share} of all"


def left_out_words(facts: Mapping[str, Any]) -> str:
    """Return which rows of the table a mask is not about.

    Examples
    --------
    >>> left_out_words({"left_out": "without target"})
    'without a target'
    """
    # a mask that does not say so was found when only complete rows were used
    if facts.get("left_out", "incomplete") == "incomplete":
        return "without a number or target"
    return "without a target"


def _own_accuracy(data: Data) -> str:
    """How right the model of the mask is about the people it was trained on (eq. 1b)."""
    facts = data["mask"]["facts"]
    here, full = facts.get("training_accuracy"), facts.get("training_full_accuracy")
    return f"{percent(here)}, {percent(full)} with every value"


def _attacked(data: Data) -> Table:
    mask = data["mask"]
    risks = {
        _RCR: mask["reconstruction"],
        _TIES: mask["reidentification"],
        _WEIGHED: mask["weighed"],
    }
    return Table(
        "What adversaries achieve against the retained values of everyone",
        ("Risk", number("Value"), number("Baseline")),
        tuple(
            (
                title,
                Cell(strong(decimals(risk["value"])), _around(risk)),
                decimals(risk["baseline"]),
            )
            for title, risk in risks.items()
            if risk is not None
        ),
    )


def _around(risk: Data | None) -> str:
    ends = pair(risk["interval"]) if risk else None
    return "" if ends is None else f"{decimals(ends[0])}–{decimals(ends[1])}"


def _measures(data: Data) -> Table:
    """The chosen algorithm at the chosen share, on the division."""
    chosen, full = data["chosen"], data["full"]
    accuracy, member = chosen["accuracy"], chosen["membership"]
    n_people = counted(accuracy["n_people"], "person", "people")
    rows: list[Row] = [
        (
            Cell("Accuracy", f"on {n_people} apart"),
            Cell(strong(percent(accuracy["value"])), percent_range(accuracy["interval"]) or ""),
            percent(accuracy["full"]),
            percent(accuracy["baseline"]),
        ),
        (
            Cell("Drop in accuracy", "against the model of every value, the same people"),
            Cell(strong(points(accuracy["drop"])), points_range(accuracy["drop_interval"]) or ""),
            NOTHING,
            NOTHING,
        ),
    ]
    risks = {
        "reconstruction": (_RCR, "how near the filled records come to the true ones; 1 is exactly"),
        "reidentification": (
            _TIES,
            "how far up someone who knows a whole record ranks the retained one; 1 is first",
        ),
        "weighed": (_WEIGHED, "the same for someone who counts how many people a record fits"),
        "membership": (
            "Membership (MIR)",
            f"RMIA with {data['n_references']} reference models; area under the curve",
        ),
    }
    for key, (title, note) in risks.items():
        if key != "membership" or member is not None:
            rows.append(_risk(Cell(title, note), chosen[key], full[key]))
    if member is not None:
        note = "when one other person in a hundred is accused wrongly"
        all_found = percent(full["membership"]["found"]) if full["membership"] else NOTHING
        members = strong(percent(member["found"]))
        rows.append((Cell("Members found", note), members, all_found, percent(0.01)))
    return Table(
        "Accuracy and risk of the chosen algorithm at the chosen share",
        (
            "What",
            number("Retained values", "retained"),
            number("Every value", "every value"),
            number("Baseline", "baseline"),
        ),
        tuple(rows),
        stack="late",
    )


def _risk(title: Cell, risk: Data | None, full: Data | None) -> Row:
    value, baseline = (decimals(risk[key] if risk else None) for key in ("value", "baseline"))
    all_values = decimals(full["value"] if full else None)
    return title, Cell(strong(value), _around(risk)), all_values, baseline


def _drawn(data: Data) -> tuple[Block, ...]:
    picture = data["picture"]
    mean = counted(picture["people_per_row"], "person", "people")
    if picture["attributes_per_column"] > 1:
        mean += f" and {picture['attributes_per_column']} attributes"
    blocks: list[Block] = [_kept_table(data["attributes"][:_SHOWN])]
    attributes = data["attributes"][:_MOST]
    if more := attributes[_SHOWN:]:
        blocks.append(Fold(f"and {len(more)} more", (_kept_table(more),)))
    if left_out := data["attributes"][_MOST:]:
        words = f"And {counted(len(left_out), 'attribute')} that are kept less often."
        blocks.append(Text(words, note=True))
    lead = (
        "No value is shown, only where values are kept. People are sorted by how much is kept of "
        f"them, and each line is the mean over about {mean}: the stronger the colour, the more of "
        "them keep the value."
    )
    shown = (Text(lead), Columns(((Figure(mask_figure(data)),), tuple(blocks))))
    if not data["kept_people"]:
        return shown
    title = "how many values are kept of how many people"
    people = Table(
        "How many values are kept of how many people",
        (number("Values kept"), number("People")),
        tuple((_span(bin_["low"], bin_["high"]), whole(bin_["people"]))
              for bin_ in data["kept_people"]),
        look="plain narrow-table",
    )  # fmt: skip
    return (*shown, Fold(title, (people,)))


def _span(low: int, high: int) -> str:
    return whole(low) if low == high else f"{low}–{high}"


def _kept_table(attributes: list[dict[str, Any]]) -> Table:
    return Table(
        "Of how many people each attribute is kept",
        ("Attribute", number("Kept of")),
        tuple(
            (
                Cell(name(attribute["name"]), share=attribute["share"] or 0.0),
                attribute["words"] or percent(attribute["share"]),
            )
            for attribute in attributes
        ),
    )


def _curves(data: Data) -> tuple[Block, ...]:
    lead = (
        "Every algorithm on the same people, from few values kept to many. Accuracy should be high "
        f"and the risks low; bars are 95{THIN}% intervals of the chosen algorithm."
    )
    figures = curve_figures(data)
    drawn: tuple[Block, ...] = ()
    if figures:
        groups = tuple((Figure(picture, tuple(levels)),) for picture, levels in figures)
        drawn = (Legend(tuple(curve_keys(data))), Columns(groups, "drawings"))
    heads = ("Kept", "Accuracy", "Drop (points)", "RCR", "RIR, ties at random",
             "RIR, evidence weighed", "MIR", "Members found at 1 %")  # fmt: skip
    table = Table(
        "Accuracy and risk of every algorithm at every share",
        ("Algorithm", *map(number, heads)),
        tuple(map(_point_row, (*data["points"], data["full"]))),
        scroll="across",
    )
    return (Text(lead), *drawn, Fold("all figures as a table", (table,)))


def _point_row(point: Data) -> Row:
    member = point["membership"]
    risks = (point["reconstruction"], point["reidentification"], point["weighed"], member)
    return (
        point["algorithm"],
        short_percent(round(point["kept_share"], 4)),
        percent(point["accuracy"]["value"]),
        points(point["accuracy"]["drop"]).removesuffix(" points"),
        *(decimals(risk["value"] if risk else None) for risk in risks),
        percent(member["found"]) if member else NOTHING,
    )


def _agreement(data: Data) -> tuple[Block, ...]:
    same = data["overlap"]
    common = Table(
        "Kept values that two masks have in common",
        ("Two masks", number("In common"), number("Lowest to highest pair")),
        (
            (
                f"{same['algorithm']}, other seeds",
                strong(percent(same["mean"])),
                percent_range((same["low"], same["high"])) or NOTHING,
            ),
            (
                "drawn at random",
                percent(same["random"]),
                percent_range((same["random_low"], same["random_high"])) or NOTHING,
            ),
        ),
        look="plain narrow-table",
    )
    return (Text(overlap_words(same)), common)


def overlap_words(same: Data) -> str:
    """Return whether runs agree more than chance would have it."""
    words = (
        f"{counted(len(same['seeds']), 'run')} of {same['algorithm']} with other seeds have "
        f"{percent(same['mean'])} of their kept values in common "
        f"({percent_range((same['low'], same['high']))}); masks of the same size drawn at random "
        f"have {percent(same['random'])}."
    )
    if same["random_low"] - 0.01 <= same["mean"] <= same["random_high"] + 0.01:
        return (
            f"{words} That is chance: many different sets of values will do, and no single value "
            "is needed."
        )
    if same["mean"] > same["random"]:
        return f"{words} What the runs share beyond chance are values that the model needs."
    return f"{words} The runs avoid each other's values more than chance would."

"""The report of attacks on one generalization, and the section on attacks in other reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sparsam.attack import Attacks
from sparsam.data import Split
from sparsam.data import Table as People
from sparsam.generalization import Generalization, information_loss
from sparsam.report._attack_view import (
    GUESSING,
    AttackerRow,
    AttackView,
    AttributeRow,
    BoundRow,
    attack_view,
    baseline_words,
    share_of,
)
from sparsam.report._closing import (
    MEANING_OF_ATTACKS,
    meaning_section,
    reproduce_data,
    reproduce_section,
    task_data,
    task_facts,
)
from sparsam.report._collected import attributes_data, collected_blocks, how_collected
from sparsam.report._document import Document
from sparsam.report._made import Day, made_data
from sparsam.report._publish import publishable_attack_report
from sparsam.report._score_words import heading, most_useful, value_words
from sparsam.report._words import (
    NOTHING,
    THIN,
    complement,
    counted,
    data_words,
    interval_words,
    percent,
    percent_range,
    plain_number,
    recovered_percent,
    rough_percent,
    short_percent,
    whole,
)
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Column,
    Columns,
    Figure,
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
    Words,
    badge,
    name,
    names,
    number,
    strong,
)
from sparsam.report.pictures._attack import (
    along_figure,
    confidence_figure,
    group_words,
    lane_scale,
    lanes,
    mark_key,
    people_bar,
    people_top,
)
from sparsam.report.pictures._front import GUESS_KEY

_SIGNS = {"A1": "●", "A3": "◆", "A5": "▲", "A4": "■"}
_INTERRUPTED = (
    "The attacks were interrupted: what is missing below was not tried, and is no sign of safety."
)
_LEAD = (
    "These attackers differ in what they know and in what they try. All of them know how the "
    "records were made coarser, and those who guess or link hold a full-resolution sample of other "
    "people. An error is worth only what it is compared with, so each stands beside its baseline: "
    "the majority guess for those who have nothing but the records, and the same attacker without "
    "the records for those who know more. Recovered is the share of the baseline’s mistakes that "
    "an attacker avoids: what the records give away."
)
_BOUNDED = (
    "The bounds hold for anyone who sees only the collected records, as A1 does. They do not bind "
    "attackers who know more about a person or act only on their surest guesses."
)


class AttackReport(Document[dict[str, Any]]):
    """What attackers make of the records of one generalization, to read, to print and to file.

    Counts of fewer than five people are replaced by words before anything is written, in the plain
    data too.

    Parameters
    ----------
    data : dict
        What was measured, as plain values.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(publishable_attack_report(data))

    def page(self) -> Page:
        """Return the report as a page."""
        data, collected = self._data, self._data["collected"]
        interval, attributes = interval_words(data), collected["attributes"]
        view = attack_view(data["attacks"], how_collected(attributes), interval)
        shown = collected_blocks(
            attributes, collected["n_buckets"], collected["information_loss"], advice=False
        )
        return Page(
            title=data["title"],
            verdict=_verdict(data, view),
            figures=tuple(_figures(view)),
            sections=(
                Section("collected", "What is collected", tuple(shown)),
                attack_section(view, interval),
                meaning_section(data["meaning"]),
                reproduce_section(data["reproduce"], facts=task_facts(data["task"])),
            ),
            brief=tuple(attack_brief(data["attacks"], interval)),
            saved_as="attacks.html",
        )

    def __repr__(self) -> str:
        count = len(self._data["attacks"]["risks"])
        return f"<AttackReport {self._data['title']!r}: {count} risks>"


def attack_report(
    attacks: Attacks,
    generalization: Generalization,
    data: Split,
    *,
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
) -> AttackReport:
    """Write down what attackers achieved against one generalization.

    Parameters
    ----------
    attacks : Attacks
        What `sparsam.run_attacks` returned.
    generalization : Generalization
        What was attacked.
    data : Split
        The people it was attacked on.
    title : str, optional
    source : str, default="table"
        What the input is called: a file name, not a path.
    command : str, optional
        The command that attacked.
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.

    Returns
    -------
    AttackReport

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> attacks = sp.run_attacks(tree.generalization_, data, ["A1", "A8"])
    >>> report = attack_report(attacks, tree.generalization_, data, date="2026-01-01")
    >>> print(report.to_markdown().splitlines()[0])
    # Attack report: employed
    """
    codes = (risk.id or risk.adversary for risk in attacks.risks)
    settings = {"adversaries": list(dict.fromkeys(codes))}
    return AttackReport(
        {
            "title": title or f"Attack report: {data.train.target_name}",
            "made": made_data(author, purpose, date),
            "task": task_data(data),
            "collected": _collected(generalization, data),
            "attacks": attacks.facts(),
            "meaning": list(MEANING_OF_ATTACKS),
            "reproduce": reproduce_data(data, source, command, settings),
            "confidence": 0.95,
        }
    )


def _collected(generalization: Generalization, data: Split) -> dict[str, Any]:
    attributes = attributes_data(generalization, data.train)
    return {
        "attributes": attributes,
        "n_buckets": sum(attribute["after"] for attribute in attributes),
        "n_collected": sum(attribute["collected"] for attribute in attributes),
        "information_loss": _loss(generalization, data.train.table),
    }


def _loss(generalization: Generalization, table: People) -> float:
    present = Generalization([generalization[attribute] for attribute in table.names])
    return information_loss(present, table).overall


# The head of the page


def _verdict(data: Mapping[str, Any], view: AttackView) -> Verdict:
    total, held = data["task"]["attributes"], data["collected"]["n_collected"]
    who = {"A1": "Whoever sees them", "A4": "Whoever also knows everything else about a person"}
    clauses = [
        f"{person} {_recovers(risk)}." for code, person in who.items() if (risk := view.risk(code))
    ]
    costs = " ".join(clauses) or f"{counted(len(view.attackers), 'attacker')} tried."
    return Verdict(f"These records hold {held} of {total} attributes.", costs)


def _recovers(risk: Mapping[str, Any]) -> str:
    recovered, informed = risk["recovered"], "naive" in risk["details"]
    if recovered is None or recovered <= 0:
        return "learns nothing from them" if informed else "does no better than the majority guess"
    who = "they would get wrong without them" if informed else "the majority guess gets wrong"
    return f"recovers {rough_percent(recovered)} of what {who}"


def _figures(view: AttackView) -> Iterator[KeyFigure]:
    """Pick the numbers that sum up the attacks, as far as they are there."""
    known = {"A1": "recovered from the records alone", "A4": "recovered when all else is known"}
    for code, title in known.items():
        if risk := view.risk(code):
            who = "same attacker" if "naive" in risk["details"] else "majority guess"
            without = " without the records" if "naive" in risk["details"] else ""
            guess = f"of what the {who} gets wrong{without} ({percent(risk['baseline'])})"
            wrong = f"attacker wrong {_with_range(risk)}"
            notes = (guess, wrong, data_words(risk["split"]))
            yield KeyFigure(recovered_percent(risk["recovered"]), title, notes)
    if risk := view.risk("A8"):
        tried = f"{complement(risk['value'])} of attempts, {complement(risk['baseline'])} by chance"
        alone = f"{whole(risk['details'].get('alone'))} of {whole(risk['n'])} stand alone"
        notes = (tried, alone, data_words(risk["split"]))
        yield KeyFigure(recovered_percent(risk["recovered"]), "singled out beyond chance", notes)
    if risk := view.risk("A7"):
        without = f"{complement(risk['baseline'])} without these records"
        yield KeyFigure(
            complement(risk["value"]),
            "of people linked across two lists",
            (without, data_words(risk["split"])),
        )


def _with_range(risk: Mapping[str, Any]) -> str:
    around = percent_range(risk["interval"])
    return percent(risk["value"]) + (f" ({around})" if around else "")


def attack_brief(attacks: Mapping[str, Any], interval: str = "95 % interval") -> Iterator[Block]:
    """What all attackers achieved, for a terminal: a table, and the bounds.

    Parameters
    ----------
    attacks : mapping
        Fit to be published, as `Attacks.to_dict` returns it.
    interval : str
        What to call the intervals.
    """
    if not attacks["complete"]:
        yield Notice((strong("✗ Not complete."), " ", _INTERRUPTED), "missed")
    yield Table(
        "Every attacker, and how far it came",
        ("Adversary", *map(number, ("Wrong", interval, "Baseline", "Recovered", "People"))),
        tuple(
            (
                name(risk["adversary"]),
                percent(risk["value"]),
                percent_range(risk["interval"]) or NOTHING,
                percent(risk["baseline"]),
                percent(risk["recovered"]),
                whole(risk["n"]),
            )
            for risk in attacks["risks"]
        ),
    )
    if baselines := baseline_words(attacks["risks"]):
        yield Text(baselines, note=True)
    if bounds := attacks["bounds"]:
        yield Text(
            "What no attack on these records can exceed, however clever "
            f"({rough_percent(bounds[0]['confidence'])} confidence for all together, "
            f"{whole(bounds[0]['n'])} records):"
        )
        yield Table(
            "Bounds on every attack",
            ("Attribute", number("People recovered at most")),
            tuple((name(bound["attribute"]), percent(bound["accuracy"])) for bound in bounds),
        )


# The section on attacks


def attack_section(view: AttackView, interval: str, chosen: int | None = None) -> Section:
    """Return the section on attacks.

    Parameters
    ----------
    view : AttackView
    interval : str
        What to call the intervals.
    chosen : int, optional
        The id of the chosen point of the front, where there is a front.
    """
    return Section("attacks", "How hard we tried", tuple(_attack_blocks(view, interval, chosen)))


def _attack_blocks(view: AttackView, interval: str, chosen: int | None) -> Iterator[Block]:
    if not view.complete:
        yield Notice((strong("✗ Not complete."), " ", _INTERRUPTED), "missed")
    yield Text(_LEAD if chosen is None else f"{_LEAD} All of them attack the chosen point.")
    if view.attackers:
        yield Table(
            "All attackers, what they know and how far they came",
            (
                "Attacker",
                number("Wrong", "wrong", note=interval),
                number("Baseline wrong", "baseline"),
                number("Achieved"),
                number("People", "people"),
            ),
            tuple(map(_attacker_row, view.attackers)),
            look="attackers",
            stack="early",
        )
    halves = tuple(filter(None, (tuple(_surest(view, interval)), tuple(_isolation(view)))))
    if halves:
        yield Columns(halves, "even")
    yield from _attributes(view, interval)
    yield from _along(view, chosen)
    if stories := tuple(_stories(view)):
        yield Columns(stories, "many")
    yield from _bounds(view)


def _attacker_row(row: AttackerRow) -> Row:
    risk, achieved = row.risk, row.achieved
    title: Words = name(row.attacker.name)
    if row.code.startswith("A"):
        title = (badge(row.code), " ", title)
    remark = f", {achieved.remark}" if achieved.remark else ""
    return (
        Cell(title, row.attacker.knows),
        Cell(percent(risk["value"]), percent_range(risk["interval"]) or ""),
        Cell(percent(risk["baseline"]), row.attacker.against),
        Cell(strong(achieved.value), achieved.of + remark),
        Cell(whole(risk["n"]), data_words(risk["split"])),
    )


def _surest(view: AttackView, interval: str) -> Iterator[Block]:
    if not view.curve:
        return
    yield Heading(("Where the attacker is surest ", badge("A2")))
    yield Text(
        "An attacker may act only on the guesses that look safest. Mean over personal attributes, "
        f"{data_words(view.curve[0]['split'])}; bars are {interval}s."
    )
    figures = Table(
        "How often the attacker is wrong, from its surest guesses to all of them",
        ("Surest guesses", number("Wrong"), number("People")),
        tuple(
            (
                "all of them (A1)" if share_of(risk) == 1 else short_percent(share_of(risk)),
                Cell(percent(risk["value"]), percent_range(risk["interval"]) or ""),
                whole(risk["n"]),
            )
            for risk in view.curve
        ),
        look="plain small",
    )
    yield Figure(confidence_figure(view), figures=(figures,))


def _isolation(view: AttackView) -> Iterator[Block]:
    if not view.isolation:
        return
    yield Heading(("How many share a record ", badge("A8")))
    yield Text(view.isolation)
    if view.histogram:
        top, last = people_top(view.histogram), len(view.histogram) - 1
        yield Table(
            "People by how many share their record",
            ("Who share it", Column("", axis=("1", whole(top))), number("People")),
            tuple(
                (
                    group_words(bar, place == last),
                    Cell(drawn=people_bar(bar, top)),
                    whole(bar["people"]),
                )
                for place, bar in enumerate(view.histogram)
            ),
            look="plain groups",
        )
        yield Text(
            "Each line of the scale is ten times as many people as the one before.",
            note=True,
            on_page=True,
        )
        yield Text("A group with fewer than 5 people in all is joined with the next.", note=True)


def _attributes(view: AttackView, interval: str) -> Iterator[Block]:
    if not view.attributes:
        return
    scale = lane_scale(view.attributes)
    marks = {code: mark_key(code) for code in view.codes}
    yield Heading("Attribute by attribute")
    yield Text(
        "How often each attacker is wrong about each personal attribute, the most exposed first. "
        "A line leads from each to what it would get wrong without the records: the longer it is, "
        "the more they give away."
    )
    yield Table(
        "Error of each attacker on each personal attribute, the most exposed first",
        (
            "Personal attribute",
            Column("", axis=(f"wrong 0{THIN}%", percent(scale.high))),
            *(number(code, f"{_SIGNS[code]} {code}", mark=mark) for code, mark in marks.items()),
            number("Majority guess", "guess"),
        ),
        tuple(
            (
                Cell(name(row.name), row.collected),
                Cell(drawn=lanes(row, view.codes, scale)),
                *(_attribute_cell(row, code) for code in view.codes),
                percent(row.naive),
            )
            for row in view.attributes
        ),
        look="lanes",
        stack="early",
    )
    split = next(iter(view.attributes[0].risks.values()))["split"]
    keys = (*((mark, code) for code, mark in marks.items()), (GUESS_KEY, "majority guess"))
    yield Legend(keys, f"With {interval}s, {data_words(split)}.")


def _attribute_cell(row: AttributeRow, code: str) -> Cell:
    risk = row.risks.get(code)
    if risk is None:
        return Cell(NOTHING)
    around = percent_range(risk["interval"]) or ""
    if "naive" in risk["details"]:
        around = "; ".join(filter(None, (around, f"without {percent(risk['baseline'])}")))
    return Cell(percent(risk["value"]), around)


def _along(view: AttackView, chosen: int | None) -> Iterator[Block]:
    drawing = along_figure(view, chosen)
    if drawing is None:
        return
    table = Table(
        f"Error of each attacker on each point of the front, {most_useful(view.score)} first",
        (
            "Way to collect",
            number("Model", "model"),
            *(number(code, code, mark=mark_key(code)) for code in GUESSING),
        ),
        tuple(
            (
                (point["label"], " ", strong("◆ chosen"))
                if chosen is not None and point["id"] == chosen
                else point["label"],
                percent(point["utility_error"])
                if view.score.name == "accuracy"
                else value_words(view.score, point["utility_error"]),
                *(percent(point["errors"].get(code)) for code in GUESSING),
            )
            for point in view.along
        ),
        look="plain along",
        stack="late",
        scroll="down",
    )
    words = (
        "The same attackers on every point of the front that was tried. Where the lines lie far "
        "apart, side information decides."
    )
    told = "Share that the model, and each attacker, gets wrong."
    if view.score.name != "accuracy":
        told = f"{heading(view.score)} of the model, and share that each attacker gets wrong."
    note = Text(told, note=True)
    yield Heading("Along the front")
    yield Columns(((Text(words), Figure(drawing)), (table, note)), "even")


def _stories(view: AttackView) -> Iterator[tuple[Block, ...]]:
    """What linking, several releases and the control showed, in sentences."""
    if view.linkage:
        sides = zip(("First", "Second"), view.sides, strict=False)
        yield (
            Heading(("Linking two lists ", badge("A7"))),
            *(Text(sentence) for sentence in view.linkage),
            *(Text((f"{place} list: ", names(list(side))), note=True) for place, side in sides),
        )
    if view.breach:
        yield Heading(("Several releases ", badge("A6"))), Text(view.breach)
    if view.control:
        yield Heading(("The people of the sample ", badge("control"))), Text(view.control)


def _bounds(view: AttackView) -> Iterator[Block]:
    if not view.bounds:
        return
    best, loosest = view.bounds[0].bound, view.bounds[-1].bound
    words: list[Words] = [
        strong(
            "No attack on these records, however clever, recovers ",
            name(best["attribute"]),
            f" for more than {percent(best['accuracy'])} of people",
        ),
        f" ({rough_percent(best['confidence'])} confidence, for all bounds together). ",
    ]
    if len(view.bounds) > 1:
        words += ["The highest of these bounds is that for ", name(loosest["attribute"])]
        words.append(f": {percent(loosest['accuracy'])}. ")
    yield Heading("What no attack can exceed")
    yield Text((*words, _BOUNDED))
    yield Table(
        "Bounds on every attack that sees only the collected records, the lowest first",
        (
            "Personal attribute",
            number("Any attack right at most", "any attack at most"),
            number("A1 was right", "A1"),
            number("Majority guess was right", "guess"),
        ),
        tuple(map(_bound_row, view.bounds)),
        stack="late",
    )
    reached = view.risk("A1")
    yield Text(
        f"From {counted(best['n'], 'person', 'people')} that the generalization was not "
        "learned from (validation and test data); A1 and the guess on "
        f"{data_words(reached['split'] if reached else 'test')}.",
        note=True,
    )


def _bound_row(row: BoundRow) -> Row:
    reached = row.reached or {"value": None, "baseline": None, "details": {}}
    note = ""
    if tolerance := reached["details"].get("tolerance"):
        note = f"within ±{plain_number(tolerance)}; bound for the exact value"
    return (
        name(row.bound["attribute"]),
        strong(percent(row.bound["accuracy"])),
        Cell(complement(reached["value"]), note),
        complement(reached["baseline"]),
    )

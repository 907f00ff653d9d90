"""The report of a choice on the front: what to collect, what it costs, what is still at risk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparsam._small_counts import SMALLEST_COUNT
from sparsam.assess import (
    Assessment,
    AttackedPoint,
    Choice,
    Front,
    Point,
    everyone_data,
    publish_kept,
)
from sparsam.attack import Attacks
from sparsam.data import LEAK
from sparsam.report._attack_report import attack_section
from sparsam.report._attack_view import attack_view, not_run, strength_words, strongest_run
from sparsam.report._closing import (
    ATTACK_MEANING,
    MEANING,
    meaning_section,
    reproduce_data,
    reproduce_section,
    task_data,
    task_facts,
)
from sparsam.report._collected import (
    attributes_data,
    collected_blocks,
    collected_table,
    how_collected,
)
from sparsam.report._document import Document
from sparsam.report._made import Day, made_data
from sparsam.report._publish import publishable
from sparsam.report._score_words import (
    heading,
    loss_range,
    loss_words,
    most_useful,
    score_data,
    score_of,
    value_range,
    value_words,
)
from sparsam.report._words import (
    NOTHING,
    THIN,
    beats_guessing,
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
    Variant,
    Verdict,
    name,
    names,
    number,
    stressed,
    strong,
)
from sparsam.report.pictures._front import (
    ATTACK_KEY,
    GAIN_KEY,
    GUESS_KEY,
    front_figure,
    risk_scale,
    risk_strip,
)
from sparsam.report.sections._everyone import everyone_section
from sparsam.report.sections._groups import groups_section, worst_clause

Data = dict[str, Any]


class Report(Document[Data]):
    """The evidence for what to collect, to read, to print and to file.

    Counts of fewer than five people are replaced by words before anything is written, in the plain
    data too.

    Parameters
    ----------
    data : dict
        What was measured, as plain values.

    Examples
    --------
    ``report.save("report.html")`` writes one file that opens anywhere, without a network.
    """

    def __init__(self, data: Data) -> None:
        super().__init__(publishable(data))

    def head(self) -> Page:
        """Return the page of the chosen point without its sections."""
        data, chosen = self._data, self._chosen
        return Page(
            title=data["title"],
            verdict=_verdict(data, chosen),
            figures=_figures(data, chosen),
            sections=(),
            notices=tuple(_notices(data)),
            brief=tuple(_brief(data, chosen)),
        )

    def page(self) -> Page:
        """Return the report as a page: of the chosen point, with the others as its variants."""
        data, chosen, shown = self._data, self._chosen, _pickable(self._data)
        sections = [
            Section("collect", "What to collect", (*_collect(chosen), *_needed(data))),
            Section("tradeoff", "The trade-off", tuple(_tradeoff(data, shown))),
            Section("risk", "What someone could still learn", tuple(_risk(data, chosen))),
        ]
        if (groups := data.get("groups")) and groups["attributes"]:
            lost = chosen["utility"]["loss"]
            sections.insert(2, groups_section(groups, score_of(data), lost))
        if everyone := data.get("everyone"):
            sections.append(everyone_section(everyone, data["task"]["rows"], score_of(data)))
        if "attacks" in data:
            interval = interval_words(data)
            how = how_collected(chosen.get("attributes", ()))
            view = attack_view(data["attacks"], how, interval, score_of(data))
            sections.append(attack_section(view, interval, data["chosen"]))
        sections += [
            meaning_section(data["meaning"]),
            reproduce_section(data["reproduce"], facts=task_facts(data["task"])),
        ]
        variants = (_variant(data, point) for point in shown if point is not chosen)
        return replace(self.head(), sections=tuple(sections), variants=tuple(variants))

    @property
    def _chosen(self) -> Data:
        data = self._data
        return next(point for point in data["points"] if point["id"] == data["chosen"])

    def __repr__(self) -> str:
        return f"<Report {self._data['title']!r}: {self.head().verdict.needs}>"


def report_on(
    choice: Choice,
    *,
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    attacks: Attacks | None = None,
    along_front: Sequence[AttackedPoint] = (),
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
) -> Report:
    """Write down a choice and its evidence.

    Parameters
    ----------
    choice : Choice
    title : str, optional
    source : str, default="table"
        What the input is called: a file name, not a path.
    command : str, optional
        The command that made the choice.
    attacks : Attacks, optional
        What the whole bench of adversaries achieved against the chosen generalization; it gets a
        section of its own.
    along_front : sequence of AttackedPoint, optional
        What `attack_along` found for the points of the front; drawn in that section.
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.

    Returns
    -------
    Report

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, repeats=1)
    >>> report = sp.report_on(front.choose(), source="people.csv", date="2026-01-01")
    >>> print(report.to_markdown().splitlines()[0])
    # Data minimisation report: employed
    """
    front = choice.front
    settings = {"generalizations tried": len(front.points), "on the front": len(front.best)}
    best = set(map(id, front.best))
    numbers = [n for n, point in enumerate(front.points) if _is_chosen(point, choice)]
    data: Data = {
        "title": title or f"Data minimisation report: {front.data.train.target_name}",
        "made": made_data(author, purpose, date),
        "task": task_data(front.data),
        "score": score_data(front.limits.score),
        "limits": front.limits.to_dict(),
        "requirement": choice.answer,
        "groups": choice.groups.to_dict(),
        "chosen": numbers[0],
        "points": [
            _point_data(number, point, front, id(point) in best, _is_chosen(point, choice))
            for number, point in enumerate(front.points)
        ],
        "meaning": list(MEANING),
        "reproduce": reproduce_data(front.data, source, command, settings),
        "confidence": 0.95,
    }
    if choice.everyone:
        data["everyone"] = everyone_data(choice.everyone)
    if attacks is not None:
        data["attacks"] = attacks.facts()
        data["meaning"] += ATTACK_MEANING
        if along_front:
            data["attacks"]["along_front"] = [point.to_dict() for point in along_front]
    return Report(data)


def _is_chosen(point: Point, choice: Choice) -> bool:
    return point.assessment is choice.assessment


def _point_data(number: int, point: Point, front: Front, on_front: bool, chosen: bool) -> Data:
    assessment, generalization = point.assessment, point.candidate.generalization
    detailed = on_front or chosen
    data: Data = {
        "id": number,
        "minimiser": point.candidate.minimiser,
        "parameters": dict(point.candidate.parameters),
        "label": point.candidate.label,
        "on_front": on_front,
        "utility": _utility_data(assessment, front),
        "risk": _risk_data(assessment, detailed=detailed),
        "classes": assessment.class_sizes.facts(),
        "information_loss": assessment.information_loss,
        "n_buckets": generalization.n_buckets,
        "n_collected": len(generalization.collected),
    }
    if detailed:
        data["attributes"] = attributes_data(generalization, front.data.train)
    return data


def _utility_data(assessment: Assessment, front: Front) -> Data:
    loss, interval = front.limits.loss(assessment, "test")
    utility = assessment.utility
    return {
        "error": utility.error,
        "interval": list(utility.interval),
        "split": utility.split,
        "model": utility.model,
        "validation_error": assessment.validation_utility.error,
        "loss": loss,
        "loss_interval": list(interval),
    }


def _risk_data(assessment: Assessment, *, detailed: bool) -> Data:
    risk = assessment.risk
    data: Data = {
        "adversary": risk.adversary,
        "measure": risk.measure,
        "value": risk.value,
        "baseline": risk.baseline,
        "advantage": risk.advantage,
        "recovered": risk.recovered,
        "interval": list(risk.interval),
        "split": risk.split,
        "validation_error": assessment.validation_risk.value,
        "n": risk.n,
    }
    if detailed:
        data["attributes"] = [_attribute_data(part.facts()) for part in risk.parts]
        data["confident"] = [
            {"share": share, "error": confident.value}
            for share, confident in assessment.confident_risks.items()
            if confident.n >= SMALLEST_COUNT
        ]
    return data


def _attribute_data(facts: Mapping[str, Any]) -> Data:
    names = ("advantage", "attribute", "baseline", "interval", "measure", "model", "recovered")
    absolute = facts["details"].get("absolute_error")
    return {
        "absolute_error": absolute,
        **{key: facts[key] for key in names},
        "value": facts["value"],
    }


# The head of the page


def _variant(data: Data, point: Data) -> Variant:
    return Variant(
        point["id"],
        point["label"],
        _verdict(data, point),
        _figures(data, point),
        {"collect": tuple(_collect(point)), "risk": tuple(_risk(data, point))},
    )


def _pickable(data: Data) -> list[Data]:
    """The points that a reader can choose between, the most accurate first."""
    shown = [
        point for point in data["points"] if point["on_front"] or point["id"] == data["chosen"]
    ]
    return sorted(shown, key=lambda point: (_last(point["utility"]["error"]), point["id"]))


def _last(figure: float | None) -> float:
    return float("inf") if figure is None else figure


def _verdict(data: Data, point: Data) -> Verdict:
    total, needed = data["task"]["attributes"], point["n_collected"]
    share = f"{needed} of {total} attributes"
    if needed == 0:
        share = f"none of the {total} attributes"
    elif needed == total:
        share = f"all {total} attributes" if total > 1 else "its only attribute"
    verb = "needs" if point["id"] == data["chosen"] else "would need"
    clauses = filter(
        None,
        (
            _utility_clause(data, point),
            _worst_clause(data, point),
            _kept_clause(data, point),
            _risk_clause(data, point),
        ),
    )
    needs = f"This model {verb} {share}."
    if (data["requirement"] or {}).get("met", True) is None:
        needs = f"Too few people to tell what this model needs, perhaps {share}."
    return Verdict(needs, f"{'; '.join(clauses)}.")


def _utility_clause(data: Data, point: Data) -> str:
    score = score_of(data)
    value = value_words(score, point["utility"]["error"])
    everything = value_words(score, data["limits"]["everything"]["error"])
    told = f"{heading(score)} {value}"
    if everything == NOTHING:
        return told
    if value != NOTHING:
        told += _beside(data, value_range(score, point["utility"]["interval"]))
    if value == everything:
        return f"{told}, the same as with everything collected"
    return f"{told} instead of {everything} with everything collected"


def _worst_clause(data: Data, point: Data) -> str:
    """Who loses most; groups are looked at for the chosen point only."""
    groups = data.get("groups") if point["id"] == data["chosen"] else None
    return worst_clause(groups, score_of(data))


def _kept_clause(data: Data, point: Data) -> str:
    """How much of what the data add to the majority guess is kept."""
    kept = _kept(data, point)
    return "" if kept is None else f"it keeps {kept} of what the data add to {_guess(data)}"


def _kept(data: Data, point: Data) -> str | None:
    limits = data["limits"]
    kept = publish_kept(
        point["utility"]["error"],
        limits["nothing"]["error"],
        limits["everything"]["error"],
        tells=limits.get("adds", {}).get("tells", False),
    )
    if kept is None:
        return None
    return "all" if kept >= 1 else "nothing" if kept <= 0 else rough_percent(kept)


def _guess(data: Data) -> str:
    model = data["limits"]["nothing"].get("model")
    return f"the {model}" if model in ("mean", "median") else "the majority guess"


def _risk_clause(data: Data, point: Data) -> str:
    if point["risk"]["recovered"] is None:
        return ""
    return strength_words(*strongest_run(point["risk"], _attacks_on(data, point)))


def _attacks_on(data: Data, point: Data) -> Data | None:
    """What else attacked a point: only the chosen one is attacked by all."""
    return data.get("attacks") if point["id"] == data["chosen"] else None


def _figures(data: Data, point: Data) -> tuple[KeyFigure, ...]:
    total, needed = data["task"]["attributes"], point["n_collected"]
    spared = f"{total - needed} need not be collected" if needed < total else "none can be spared"
    utility, risk, classes = point["utility"], point["risk"], point["classes"]
    score = score_of(data)
    everything = value_words(score, data["limits"]["everything"]["error"])
    notes = [f"{everything} with everything collected"]
    if around := value_range(score, utility["interval"]):
        notes.insert(0, f"{interval_words(data)} {around}")
    if utility["loss"] is not None:
        around = _beside(data, loss_range(score, utility["loss_interval"]))
        notes.append(f"a loss of {loss_words(score, utility['loss'])}{around}")
    if kept := _kept(data, point):
        notes.append(f"keeps {kept} of what the data add")
    return (
        KeyFigure(
            f"{needed} of {total}",
            "attributes to collect",
            (spared, f"{counted(point['n_buckets'], 'bucket')} in all"),
        ),
        KeyFigure(
            value_words(score, utility["error"]),
            score.kind.words,
            (*notes, data_words(utility["split"])),
        ),
        KeyFigure(
            recovered_percent(risk["recovered"]),
            "recovered by A1, who sees the records",
            (
                f"of what the majority guess gets wrong ({percent(risk['baseline'])})",
                f"attacker wrong {percent(risk['value'])}"
                f"{_beside(data, percent_range(risk['interval']))}",
                data_words(risk["split"]),
                *filter(None, [not_run(risk, _attacks_on(data, point))]),
            ),
        ),
        KeyFigure(
            whole(classes["alone"]),
            "people stand alone",
            (
                f"of {whole(data['task']['split']['train'])} share their record with nobody",
                counted(classes["distinct"], "different record"),
                "training data",
            ),
        ),
    )


def _beside(data: Data, around: str | None) -> str:
    return f" ({interval_words(data)} {around})" if around else ""


def _notices(data: Data) -> Iterator[Notice]:
    yield from _answers(data)
    for remark in (data["requirement"] or {}).get("remarks", ()):
        yield Notice(remark, "missed")
    for remark in data["task"].get("remarks", ()):
        if LEAK in remark:
            yield Notice((strong("! A leak of the target? "), name(f"{remark}.")), "missed")


def _answers(data: Data) -> Iterator[Notice]:
    if requirement := data["requirement"]:
        met = requirement["met"]
        if met is None:
            asked = f" whether this is met: {requirement['words']}. {_sentence(requirement['why'])}"
            yield Notice((strong("✗ Too few people to tell"), asked), "missed")
            return
        sign = "✓ Requirement met" if met else "✗ Requirement not met"
        words = f" by the chosen point: {requirement['words']}."
        if proof := requirement.get("proof"):
            words += f" {proof['words']}"
        if limit := requirement.get("limit"):
            words += f" {_sentence(limit)}"
        yield Notice((strong(sign), words), "met" if met else "missed")


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _brief(data: Data, point: Data) -> Iterator[Block]:
    attributes = point.get("attributes", ())
    collected = [attribute for attribute in attributes if attribute["collected"]]
    if collected:
        yield collected_table(collected, advice=True)
    if len(collected) < len(attributes):
        spared = [attribute["name"] for attribute in attributes if not attribute["collected"]]
        yield Text(("Do not collect: ", names(spared)))
    risk = point["risk"]
    yield Text(
        f"Chosen: {point['label']}. Attacker A1 wrong {percent(risk['value'])}, majority guess "
        f"wrong {percent(risk['baseline'])} ({data_words(risk['split'])})."
    )
    if missing := not_run(risk, _attacks_on(data, point)):
        yield Text(missing)


# The sections


def _collect(point: Data) -> Iterator[Block]:
    return collected_blocks(
        point.get("attributes", ()), point["n_buckets"], point["information_loss"], advice=True
    )


def _needed(data: Data) -> Iterator[Block]:
    """How often each attribute was needed, where people were divided in several ways."""
    proof = (data["requirement"] or {}).get("proof") or {}
    ways = len(proof.get("counts", ()))
    if ways < 2:
        return
    yield Heading("How sure the choice of attributes is")
    yield Text(
        f"The people were divided in {ways} ways. An attribute that all of them ask for is needed; "
        "one that only some ask for can stand in for another."
    )
    often: dict[int, list[str]] = {}
    for attribute, times in proof["needed"].items():
        often.setdefault(times, []).append(attribute)
    yield Table(
        "In how many ways to divide the people an attribute was needed",
        ("Asked for", "Attributes"),
        tuple(
            (f"{times} of {ways}" if times else "never", names(often[times]))
            for times in sorted(often, reverse=True)
        ),
    )


def _tradeoff(data: Data, shown: list[Data]) -> Iterator[Block]:
    limits, interval = data["limits"], interval_words(data)
    split = data_words(data["points"][0]["utility"]["split"])
    score = score_of(data)
    better = "more accurate" if score.kind.percent else "more useful"
    best = most_useful(score)
    why = f" The score is {score.kind.words}, since {score.why}." if score.why else ""
    yield Text(
        f"Each dot is one way to collect less. Further left, the model is {better}; higher up, "
        "an attacker is more often wrong. On the front, no other dot is better at both.",
        on_page=True,
    )
    yield Text(
        f"{heading(score)} on {split} is {value_words(score, limits['everything']['error'])} with "
        f"everything collected and {value_words(score, limits['nothing']['error'])} with nothing "
        f"collected.{why} The "
        "majority guess, the commonest value of each personal attribute for everyone, is wrong "
        f"{percent(limits['naive']['error'])}."
    )
    picture = Figure(
        front_figure(data),
        keys=(
            ("◆", "chosen"),
            ("○", f"on the front, with {interval}s on both axes"),
            ("•", "also tried"),
        ),
        note=f"All figures on {split}. The front was picked on validation data, so a point may lie "
        f"a little off it. {_rule(data)}{_limit_words(data)}",
    )
    table = Table(
        f"Points on the front, {best} first, on {split}",
        (
            "Way to collect",
            number("Attri\u00adbutes"),
            number("Accu\u00adracy" if score.name == "accuracy" else heading(score)),
            number(interval, off_page=True),
            number("Attacker wrong"),
            number(interval, off_page=True),
            number("Recovered", off_page=True),
        ),
        tuple(
            (
                point["label"],
                str(point["n_collected"]),
                value_words(score, point["utility"]["error"]),
                value_range(score, point["utility"]["interval"]) or NOTHING,
                percent(point["risk"]["value"]),
                percent_range(point["risk"]["interval"]) or NOTHING,
                percent(point["risk"]["recovered"]),
            )
            for point in shown
        ),
        picks=tuple(point["id"] for point in shown),
        chosen=data["chosen"],
    )
    note = f"{counted(len(shown), 'point')} to choose from, {best} first."
    beside = (table, Text(note, note=True)) if len(shown) > 1 else (table,)
    yield Columns(((picture,), beside))


def _rule(data: Data) -> str:
    """Why a point was chosen and no other."""
    proof = (data["requirement"] or {}).get("proof") or {}
    if "counts" not in proof:
        return ""
    if not proof["counts"]:
        return "Of the points shown to keep the risk, the most useful was chosen. "
    return (
        "Of the points shown to keep the limit, the one that protects most was chosen; of those "
        "that noise cannot tell apart, or whose risk is within 2 points, the one with the fewest "
        "attributes. "
    )


def _limit_words(data: Data) -> str:
    """Name the models that the two limits come from."""
    everything, nothing = data["limits"]["everything"], data["limits"]["nothing"]
    sentences = []
    if model := everything.get("model"):
        score, ends = score_of(data), everything.get("interval")
        accuracy = score.name == "accuracy"
        around = _beside(data, percent_range(ends) if accuracy else value_range(score, ends))
        sentences.append(f"Everything collected: {model}{around}.")
    if model := nothing.get("model"):
        sentences.append(f"Nothing collected: {model}.")
    return " ".join(sentences)


def _risk(data: Data, point: Data) -> Iterator[Block]:
    risk, interval = point["risk"], interval_words(data)
    yield Text(
        (
            "Someone who holds the collected records tries to work out each personal attribute "
            f"({risk['adversary']}, {counted(risk['n'], 'record')} of "
            f"{data_words(risk['split'])}). The majority guess is wrong "
            f"{percent(risk['baseline'])} of the time, this attacker {percent(risk['value'])}"
            f"{_beside(data, percent_range(risk['interval']))}. ",
            stressed("Recovered"),
            " is the share of the guess’s mistakes that the attacker avoids. ",
            not_run(risk, _attacks_on(data, point)),
        )
    )
    attributes = sorted(
        risk.get("attributes", ()), key=lambda part: (_less(part["recovered"]), part["attribute"])
    )
    if attributes:
        yield _risk_table(point, attributes)
        yield Legend(
            (
                (ATTACK_KEY, f"attacker, with {interval}"),
                (GUESS_KEY, "majority guess"),
                (GAIN_KEY, "what the records give away"),
            )
        )
    halves = (tuple(_surest(risk)), tuple(_alone(data, point)))
    yield Columns(tuple(filter(None, halves)), "even")


def _less(share: float | None) -> float:
    return float("inf") if share is None else -share


def _risk_table(point: Data, attributes: list[Data]) -> Table:
    scale = risk_scale(attributes)
    how = how_collected(point.get("attributes", ()))
    return Table(
        f"Risk per personal attribute on {data_words(point['risk']['split'])}, the most exposed "
        "first",
        (
            "Personal attribute",
            Column("", axis=(f"wrong 0{THIN}%", percent(scale.high))),
            number("Attacker wrong", "attacker wrong"),
            number("Guess wrong", "guess wrong"),
            number("Recovered", "recovered"),
            Column("Attack model", label="by"),
        ),
        tuple(
            (
                Cell(name(part["attribute"]), how.get(part["attribute"], "")),
                Cell(drawn=risk_strip(part, scale)),
                *_risk_cells(part),
            )
            for part in attributes
        ),
        look="risks",
        stack="early",
    )


def _risk_cells(risk: Data) -> Row:
    noise = beats_guessing(risk["baseline"], risk["interval"]) is False
    off = ""
    if risk["absolute_error"] is not None:
        off = f"off by {plain_number(risk['absolute_error'])} on average"
    return (
        Cell(percent(risk["value"]), percent_range(risk["interval"]) or ""),
        percent(risk["baseline"]),
        Cell(strong(percent(risk["recovered"])), "within the noise" if noise else ""),
        Cell(risk["model"] or NOTHING, off),
    )


def _surest(risk: Data) -> Iterator[Block]:
    if not risk.get("confident"):
        return
    yield Heading("Where the attacker is surest")
    yield Text(
        "An attacker may act only on the guesses that look safest. Mean over personal attributes, "
        f"{data_words(risk['split'])}."
    )
    yield Table(
        "How often the attacker is wrong on its surest guesses",
        ("Surest guesses", number("Wrong")),
        tuple(
            (f"{short_percent(step['share'])} of records", percent(step["error"]))
            for step in risk["confident"]
        ),
    )


def _alone(data: Data, point: Data) -> Iterator[Block]:
    classes = point["classes"]
    yield Heading("People who stand out")
    yield Text(
        f"People of the training data ({whole(data['task']['split']['train'])}), by how many share "
        "the very same generalized record."
    )
    yield Table(
        "People by the size of their group of identical records",
        ("Group of identical records", number("People")),
        (
            ("alone, nobody else has it", whole(classes["alone"])),
            *(
                (f"fewer than {size} people", whole(people))
                for size, people in classes["under"].items()
            ),
        ),
        foot=(
            ("smallest group", whole(classes["smallest"])),
            ("different records", whole(classes["distinct"])),
        ),
    )

"""The report of a choice for several purposes: what each of them needs, and what all share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparsam.assess import PurposesChoice, Score
from sparsam.data import LEAK
from sparsam.report._closing import (
    MEANING,
    meaning_section,
    reproduce_data,
    reproduce_section,
    task_data,
)
from sparsam.report._collected import attributes_data, collected_blocks, collected_table
from sparsam.report._document import Document, plain
from sparsam.report._made import Day, made_data
from sparsam.report._score_words import heading, loss_words, score_of, value_words
from sparsam.report._words import NOTHING, counted, percent, percent_range, recovered_percent, whole
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Column,
    Figure,
    Heading,
    KeyFigure,
    Notice,
    Page,
    Section,
    Table,
    Text,
    Verdict,
    Words,
    name,
    names,
    number,
    strong,
)
from sparsam.report.pictures._purposes import needs_figure

Data = dict[str, Any]
_LIMITATION = {
    "heading": "A purpose is what was named",
    "text": "The figures hold for the targets that were named, each on the people who have it. "
    "That data serve a purpose does not make the purpose lawful, and data that were collected for "
    "these purposes are not collected for others.",
}
_MOST_LABELS = 4


class PurposesReport(Document[Data]):
    """The evidence for one collection that serves several purposes.

    Parameters
    ----------
    data : dict
        What was measured, as plain values that may be published.
    """

    def head(self) -> Page:
        """Return the page without its sections."""
        data = self._data
        return Page(
            title=data["title"],
            verdict=_verdict(data),
            figures=_figures(data),
            sections=(),
            notices=tuple(_notices(data)),
            brief=tuple(_brief(data)),
        )

    def page(self) -> Page:
        """Return the report as a page."""
        data, head = self._data, self.head()
        sections = (
            Section("purposes", "Which purpose needs what", tuple(_needs(data))),
            Section("collect", "What to collect", tuple(_collect(data))),
            Section("utility", "What each purpose keeps", tuple(_utility(data))),
            Section("risk", "What someone could still learn", tuple(_risk(data))),
            meaning_section(data["meaning"]),
            reproduce_section(data["reproduce"], facts=tuple(_task_facts(data["task"]))),
        )
        return Page(
            title=head.title,
            verdict=head.verdict,
            figures=head.figures,
            sections=sections,
            notices=head.notices,
            brief=head.brief,
        )

    def __repr__(self) -> str:
        return f"<PurposesReport {self._data['title']!r}: {self.head().verdict.needs}>"


def purposes_report(
    choice: PurposesChoice,
    *,
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
) -> PurposesReport:
    """Write down a choice for several purposes, and its evidence.

    Parameters
    ----------
    choice : PurposesChoice
    title : str, optional
    source : str, default="table"
        What the input is called: a file name, not a path.
    command : str, optional
        The command that made the choice.
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.

    Returns
    -------
    PurposesReport

    Examples
    --------
    >>> import sparsam as sp
    >>> from sparsam.assess import minimise_for_purposes
    >>> columns = ["age", "sex", "disability", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> roles = sp.Roles(targets=["employed", "disability"])
    >>> choice = minimise_for_purposes(people, roles, max_utility_loss=0.2, minimisers=["uniform"])
    >>> print(purposes_report(choice).to_markdown().splitlines()[0])
    # Data minimisation report: 2 purposes
    """
    together = choice.data.together
    settings = {
        "generalizations tried": choice.n_tried,
        "tested": choice.n_tested,
        "others": choice.n_others,
        "confidence": choice.confidence,
    }
    data: Data = {
        "title": title or f"Data minimisation report: {len(choice.purposes)} purposes",
        "made": made_data(author, purpose, date),
        "task": {**task_data(together), "target": list(choice.purposes), "classes": []},
        **choice.to_dict(),
        "attributes": attributes_data(choice.generalization, together.train),
        "meaning": [*MEANING, _LIMITATION],
        "reproduce": reproduce_data(together, source, command, settings),
    }
    return PurposesReport(plain(data))


# The head of the page


def _verdict(data: Data) -> Verdict:
    total, needed = data["task"]["attributes"], len(data["collected"])
    share = f"{needed} of {total} attributes"
    if needed == 0:
        share = f"none of the {total} attributes"
    elif needed == total:
        share = f"all {total} attributes" if total > 1 else "the only attribute"
    many = f"{len(data['targets'])} purposes"
    needs = f"These {many} need {share} together."
    if data["requirement"]["met"] is None:
        needs = f"Too few people to tell what these {many} need, perhaps {share}."
    clauses = [_lost(name_, facts) for name_, facts in data["purposes"].items()]
    recovered = data["risk"]["recovered"]
    if recovered is not None:
        clauses.append(
            "an attacker who sees the collected records recovers "
            f"{recovered_percent(recovered)} of what the majority guess gets wrong"
        )
    costs = "; ".join(clauses)
    return Verdict(needs, f"{costs[0].upper()}{costs[1:]}.")


def _lost(target: str, facts: Mapping[str, Any]) -> str:
    score = score_of(facts)
    value = value_words(score, facts["utility"]["error"])
    everything = value_words(score, facts["everything"]["error"])
    return f"{score.kind.words} of {target} {value} instead of {everything}"


def _figures(data: Data) -> tuple[KeyFigure, ...]:
    total, needed = data["task"]["attributes"], len(data["collected"])
    risk, apart = data["risk"], data["apart"]
    notes = [f"of what the majority guess gets wrong ({percent(risk['baseline'])})"]
    if apart is not None:
        notes.append(
            f"{recovered_percent(apart['recovered'])} if each purpose collected for itself"
        )
    worst = max(
        data["purposes"].items(),
        key=lambda pair: (pair[1]["at_most"] or 0.0) / (pair[1]["limit"] or 1.0),
    )
    score = score_of(worst[1])
    return (
        KeyFigure(
            f"{needed} of {total}",
            "attributes to collect",
            (f"{counted(data['n_buckets'], 'bucket')} in all", *_apart_notes(data)),
        ),
        KeyFigure(
            loss_words(score, worst[1]["at_most"]),
            f"lost at most by {worst[0]}",
            (
                f"with {_sure(data)} confidence; {_limit(score, worst[1])} permitted",
                "the purpose that comes nearest to its limit",
            ),
        ),
        KeyFigure(recovered_percent(risk["recovered"]), "attacker recovers", (*notes, "test data")),
    )


def _apart_notes(data: Data) -> tuple[str, ...]:
    if data["apart"] is None:
        return ()
    return (
        f"{counted(data['apart']['n_buckets'], 'bucket')} of "
        f"{counted(len(data['apart']['collected']), 'attribute')} if each purpose collected for "
        "itself",
    )


def _sure(data: Data) -> str:
    return percent(data["requirement"]["confidence"], 0)


def _limit(score: Score, facts: Mapping[str, Any]) -> str:
    return loss_words(score, facts["limit"])


def _notices(data: Data) -> Iterator[Notice]:
    requirement = data["requirement"]
    if requirement["met"]:
        words = f" with {_sure(data)} confidence: every purpose keeps its limit, "
        yield Notice((strong("✓ Shown"), words, *_limits_said(data)), "met")
    else:
        words = f" whether every purpose keeps its limit. {requirement['why']}."
        yield Notice((strong("✗ Too few people to tell"), name(words)), "missed")
    for target, facts in data["purposes"].items():
        if not facts["tells"]:
            words = " beyond the noise, so that it needs none of them."
            yield Notice(
                ("The data add nothing to what is known of ", name(target), words), "missed"
            )
    for remark in data["task"].get("remarks", ()):
        if LEAK in remark:
            yield Notice((strong("! A leak of the target? "), name(f"{remark}.")), "missed")


def _limits_said(data: Data) -> Iterator[Words]:
    """Each limit, and why it is what it is where nobody set it."""
    purposes = tuple(data["purposes"].items())
    for place, (target, facts) in enumerate(purposes):
        score = score_of(facts)
        before = "which is " if place == 0 else ", " if place < len(purposes) - 1 else " and "
        yield from (f"{before}{_limit(score, facts)} of {score.kind.words} for ", name(target))
    yield "."
    for target, facts in data["purposes"].items():
        if facts["limit_words"]:
            yield from (" Of ", name(target), f", {facts['limit_words']}.")


def _brief(data: Data) -> Iterator[Block]:
    yield _needs_table(data, details=False)
    yield _utility_table(data)
    collected = [attribute for attribute in data["attributes"] if attribute["collected"]]
    if collected:
        yield collected_table(collected, advice=True)
    spared = [part["name"] for part in data["attributes"] if not part["collected"]]
    if spared:
        yield Text(("Do not collect: ", names(spared)))


# The sections


def _needs(data: Data) -> Iterator[Block]:
    yield Text(
        "What one purpose predicts is no attribute of another: it is known only afterwards, and is "
        "not collected as an input. Each purpose was also minimised alone. An attribute that only "
        "one purpose needs is collected for that purpose, and may be used for no other."
    )
    yield Figure(
        needs_figure(data["targets"], data["needs"]),
        note="The number of buckets; the darker, the finer. Each purpose alone, and all together.",
        look="alone",
    )
    yield _needs_table(data, details=True)
    yield from _only_one(data)


def _only_one(data: Data) -> Iterator[Block]:
    """Name the attributes that a single purpose is the reason for."""
    for target in data["targets"]:
        own = [
            need["attribute"]
            for need in data["needs"]
            if need["together"]
            and [other for other, labels in need["alone"].items() if labels] == [target]
        ]
        if own:
            yield Text(("Only ", name(target), " needs: ", names(own)))
    nobody = [
        need["attribute"]
        for need in data["needs"]
        if need["together"] and not any(need["alone"].values())
    ]
    if nobody:
        yield Text(
            (
                "In place of others that purposes would need on their own, all together need: ",
                names(nobody),
            )
        )


def _needs_table(data: Data, *, details: bool) -> Table:
    return Table(
        "How finely each purpose needs each attribute, alone and together",
        (
            "Attribute",
            *(Column(("", name(target), " alone"), label=target) for target in data["targets"]),
            Column("All together", label="all together"),
        ),
        tuple(
            (
                name(need["attribute"]),
                *(
                    _fineness(need["alone"][target], need["values"], details)
                    for target in data["targets"]
                ),
                _fineness(need["together"], need["values"], details),
            )
            for need in data["needs"]
        ),
        foot=(_recovered(data),),
        scroll="across",
    )


def _fineness(labels: Sequence[str] | None, values: int, details: bool) -> Cell:
    if not labels:
        return Cell("?" if labels is None else NOTHING)
    shown = [*labels[:_MOST_LABELS], *(["…"] if len(labels) > _MOST_LABELS else [])]
    note: Words = name(" | ".join(shown)) if details else ""
    return Cell(f"{len(labels)} of {values}", note)


def _recovered(data: Data) -> tuple[Words | Cell, ...]:
    alone = [facts["alone"] for facts in data["purposes"].values()]
    return (
        "attacker recovers",
        *(NOTHING if each is None else recovered_percent(each["recovered"]) for each in alone),
        recovered_percent(data["risk"]["recovered"]),
    )


def _collect(data: Data) -> Iterator[Block]:
    return collected_blocks(
        data["attributes"], data["n_buckets"], data["information_loss"], advice=True
    )


def _utility(data: Data) -> Iterator[Block]:
    yield Text(
        "Each purpose is judged by a model of its own, on the people of the test part who have its "
        "target. None of them took part in learning or in the choice among generalizations: "
        f"{counted(data['tested'], 'of them was', 'of them were')} tested in an order settled "
        f"before, until one could not be shown{_others(data)}. All purposes must be shown at once, "
        f"each with {_sure(data)} confidence, so that none of them can be wrong more often."
    )
    yield _utility_table(data)


def _others(data: Data) -> str:
    if not data["others"]:
        return ""
    return (
        f"; and, at a tenth of what may go wrong, {counted(data['others'], 'more', 'more')}, which "
        "may protect better"
    )


def _utility_table(data: Data) -> Table:
    return Table(
        "What each purpose keeps, on test data",
        (
            "Purpose",
            "Score",
            number("Everything"),
            number("Collected"),
            number("Lost at most", note=f"with {_sure(data)} confidence"),
            number("Permitted"),
            number("People"),
        ),
        tuple(
            (
                name(target),
                heading(score),
                value_words(score, facts["everything"]["error"]),
                value_words(score, facts["utility"]["error"]),
                loss_words(score, facts["at_most"]),
                _limit(score, facts),
                whole(facts["people"]),
            )
            for target, facts in data["purposes"].items()
            for score in [score_of(facts)]
        ),
        scroll="across",
    )


def _risk(data: Data) -> Iterator[Block]:
    risk = data["risk"]
    around = percent_range(risk["interval"])
    yield Text(
        "Someone who holds the collected records tries to work out each personal attribute "
        f"({risk['adversary']}, test data). The majority guess is wrong "
        f"{percent(risk['baseline'])} of the time, this attacker {percent(risk['value'])}"
        + (f" (95 % interval {around})." if around else ".")
    )
    parts = sorted(risk["parts"], key=lambda part: -(part["recovered"] or 0.0))
    if parts:
        yield Table(
            "Risk per personal attribute on test data, the most exposed first",
            (
                "Personal attribute",
                number("Attacker wrong"),
                number("Guess wrong"),
                number("Recovered"),
                "Attack model",
            ),
            tuple(
                (
                    name(part["attribute"]),
                    percent(part["value"]),
                    percent(part["baseline"]),
                    percent(part["recovered"]),
                    part["model"] or NOTHING,
                )
                for part in parts
            ),
        )
    yield Heading("One collection, or several")
    if data["apart"] is None:
        yield Text("Not every purpose can be shown to keep its limit when it collects alone.")
    else:
        apart = recovered_percent(data["apart"]["recovered"])
        yield Text(
            "If each purpose collected what it needs alone, someone who saw all of these records "
            f"would recover {apart} of what the majority guess gets wrong; of this one collection "
            f"it is {recovered_percent(risk['recovered'])}."
        )
    sizes = data["class_sizes"]
    yield Text(
        f"{counted(sizes['distinct'], 'different record')} among the training part; the smallest "
        f"group of people who share one has {whole(sizes['smallest'])}, and "
        f"{whole(sizes['alone'])} people stand alone."
    )


def _task_facts(task: Mapping[str, Any]) -> Iterator[tuple[Words, Words]]:
    split = task["split"]
    yield (
        "Purposes",
        (
            "predict ",
            names(task["target"]),
            f" from {counted(task['attributes'], 'attribute')}, {len(task['personal'])} of them "
            "personal",
        ),
    )
    yield (
        "Split",
        f"{whole(split['train'])} records to learn, {whole(split['validation'])} to choose, "
        f"{whole(split['test'])} to test",
    )
    yield from (("Remark", name(remark)) for remark in task.get("remarks", ()))

"""The attack section, and the report of attacks alone, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from sparsam.report._attack_prose import (
    CERTIFIED,
    INTERRUPTED,
    LEAD,
    attack_figures,
    attack_verdict,
)
from sparsam.report._attack_view import AttackerRow, AttackView, AttributeRow, attack_view, share_of
from sparsam.report._attack_words import GUESSING
from sparsam.report._data import AttackReportData
from sparsam.report._markdown_parts import (
    collect_table,
    escaped,
    figure_list,
    heading,
    meaning,
    reproduce,
    table,
    with_range,
)
from sparsam.report._prose import data_words, interval_words
from sparsam.report._sections import ATTACK_SECTIONS, numbered
from sparsam.report._view import collected_view, how_collected
from sparsam.report._words import (
    NOTHING,
    percent,
    percent_range,
    rough_percent,
    short_percent,
    whole,
)
from sparsam.report.pictures._attack import group_words


def attack_markdown(data: AttackReportData) -> str:
    """Write a report of attacks on one generalization as Markdown."""
    sections, interval = numbered(ATTACK_SECTIONS), interval_words(data)
    view = attack_view(data["attacks"], how_collected(data["collected"]["attributes"]), interval)
    collected = collected_view(data["collected"])
    verdict = attack_verdict(data, view)
    parts = [
        f"# {escaped(data['title'])}",
        f"**{verdict.needs}** {verdict.costs}",
        figure_list(attack_figures(view)),
        heading(sections["collected"]),
        *collect_table(
            collected.collected, collected.spared, collected.information_loss, advice=False
        ),
        *attack_section(view, sections["attacks"], interval, None),
        *meaning(data, sections["meaning"]),
        *reproduce(data, sections["reproduce"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def attack_section(
    view: AttackView, section: tuple[int, str], interval: str, chosen: int | None
) -> Iterator[str]:
    """Write the section on attacks.

    Parameters
    ----------
    view : AttackView
    section : pair of int and str
        Number and title.
    interval : str
        What to call the intervals.
    chosen : int or None
        The id of the chosen point of the front.
    """
    yield heading(section)
    if not view.complete:
        yield f"**{INTERRUPTED}**"
    yield LEAD
    if view.attackers:
        head = ("Attacker", f" Wrong ({interval})", " Baseline wrong", "Achieved", "People")
        yield table(head, map(_attacker_row, view.attackers))
    yield from _curve(view)
    yield from _attributes(view)
    yield from _along(view, chosen)
    yield from _words(view)
    yield from _certificates(view)


def _attacker_row(row: AttackerRow) -> tuple[str, ...]:
    risk, achieved = row.risk, row.achieved
    code = f"{row.code} " if row.code.startswith("A") else ""
    remark = f" ({achieved.remark})" if achieved.remark else ""
    return (
        f"**{code}{escaped(row.attacker.name)}**: {row.attacker.knows}",
        with_range(percent(risk["value"]), percent_range(risk["interval"])),
        f"{percent(risk['baseline'])} ({row.attacker.against})",
        f"{achieved.value} {achieved.of}{remark}",
        f"{whole(risk['n'])}, {data_words(escaped(risk['split']))}",
    )


def _curve(view: AttackView) -> Iterator[str]:
    if view.curve:
        yield "### Where the attacker is surest (A2)"
        rows = (
            (
                "all guesses (A1)" if share_of(risk) == 1 else short_percent(share_of(risk)),
                with_range(percent(risk["value"]), percent_range(risk["interval"])),
                whole(risk["n"]),
            )
            for risk in view.curve
        )
        yield table(("Surest guesses", " Wrong", " People"), rows)


def _attributes(view: AttackView) -> Iterator[str]:
    if view.attributes:
        yield "### Attribute by attribute"
        yield "Share of people whose value the attacker gets wrong, the most exposed first."
        head = ("Personal attribute", *(f" {code}" for code in view.codes), " Majority guess")
        yield table(head, (_attribute_row(row, view.codes) for row in view.attributes))


def _attribute_row(row: AttributeRow, codes: tuple[str, ...]) -> tuple[str, ...]:
    risks = (row.risks.get(code) for code in codes)
    return (
        escaped(row.name) + (f" ({row.collected})" if row.collected else ""),
        *(
            with_range(percent(risk["value"]), percent_range(risk["interval"])) if risk else NOTHING
            for risk in risks
        ),
        percent(row.baseline),
    )


def _along(view: AttackView, chosen: int | None) -> Iterator[str]:
    if view.along:
        yield "### Along the front"
        yield "How often each attacker is wrong, the most accurate model first."
        rows = (
            (
                escaped(point["label"]) + (" (chosen)" if point["id"] == chosen else ""),
                percent(point["utility_error"]),
                *(percent(point["errors"].get(code)) for code in GUESSING),
            )
            for point in view.along
        )
        codes = (f" {code} wrong" for code in GUESSING)
        yield table(("Way to collect", " Model error", *codes), rows)


def _words(view: AttackView) -> Iterator[str]:
    if view.isolation:
        yield "### How many share a record (A8)"
        yield escaped(view.isolation)
    if view.histogram:
        last = len(view.histogram) - 1
        rows = (
            (group_words(bar, place == last), whole(bar["people"]))
            for place, bar in enumerate(view.histogram)
        )
        yield table(("Who share the same record", " People"), rows)
    if view.linkage:
        yield "### Linking two lists (A7)"
        yield escaped(" ".join(view.linkage))
        for place, names in zip(("First", "Second"), view.sides, strict=False):
            yield f"{place} list: {', '.join(map(escaped, names))}."
    if view.breach:
        yield "### Several releases (A6)"
        yield escaped(view.breach)
    if view.control:
        yield "### The people of the sample (control)"
        yield escaped(view.control)


def _certificates(view: AttackView) -> Iterator[str]:
    if not view.certificates:
        return
    best, loosest = view.certificates[0].certificate, view.certificates[-1].certificate
    yield "### What no attack can exceed"
    yield (
        f"No attack on these records, however clever, recovers {escaped(best['attribute'])} for "
        f"more than {percent(best['accuracy'])} of people ({rough_percent(best['confidence'])} "
        f"confidence, for all bounds together). The highest of these bounds is that for "
        f"{escaped(loosest['attribute'])}: {percent(loosest['accuracy'])}. {CERTIFIED}"
    )
    rows = (
        (
            escaped(row.certificate["attribute"]),
            percent(row.certificate["accuracy"]),
            _right(row.reached["value"] if row.reached else None),
            _right(row.reached["baseline"] if row.reached else None),
        )
        for row in view.certificates
    )
    head = ("Personal attribute", " Any attack right at most", " A1 was right",
            " Majority guess was right")  # fmt: skip
    yield table(head, rows)


def _right(error: float | None) -> str:
    return percent(None if error is None else 1 - error)

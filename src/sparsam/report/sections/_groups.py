"""For whom is something lost? The section of a report on groups, and its clause in the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparsam.assess import Score
from sparsam.report._score_words import heading, loss_range, loss_words, value_words
from sparsam.report._words import NOTHING, counted, percent, percent_range, rough_percent, whole
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Column,
    Fold,
    Legend,
    Row,
    Section,
    Table,
    Text,
    Words,
    name,
    names,
    number,
    strong,
)
from sparsam.report.pictures._groups import (
    EVERYONE_KEY,
    GROUP_KEY,
    WORSE_KEY,
    group_scale,
    group_strip,
)

Data = Mapping[str, Any]
_SHOWN = 10  # groups; the others are folded away


def worst_clause(groups: Data | None, score: Score) -> str:
    """Name the group that loses most, for a verdict; nothing where no group can tell.

    Parameters
    ----------
    groups : dict or None
        What `Groups.to_dict` tells.
    score : Score
    """
    if not groups or groups["worst"] is None:
        return ""
    worst = groups["groups"][groups["worst"]]
    around = loss_range(score, worst["interval"])
    lost = loss_words(score, worst["loss"]) + (f" ({around})" if around else "")
    if worst["loses_more"]:
        return f"worst: {worst['group']} ({worst['attribute']}), who lose {lost}"
    who = f"{worst['attribute']}: {worst['group']}"
    return f"no group is shown to lose more than the average, the most is {lost} ({who})"


def groups_section(groups: Data, score: Score, everyone: float | None) -> Section:
    """Return the section on groups.

    Parameters
    ----------
    groups : dict
        What `Groups.to_dict` tells.
    score : Score
    everyone : float or None
        What everyone loses on average.
    """
    return Section("groups", "For whom", tuple(groups_blocks(groups, score, everyone)))


def groups_blocks(groups: Data, score: Score, everyone: float | None) -> Iterator[Block]:
    """Return what each group loses, and how much an attacker recovers of its people."""
    measured: Sequence[Data] = groups["groups"]
    fewest = whole(groups["fewest"])
    if not measured:
        yield Text(
            (
                "People were grouped by ",
                names(groups["attributes"]),
                f", but no group has {fewest} people in the test data who could show what it "
                "loses.",
            )
        )
        return
    yield Text((names(groups["attributes"]), ": ", _how(groups, score, everyone)))
    shown, others = measured[:_SHOWN], measured[_SHOWN:]
    scale = group_scale(measured, everyone)

    def table(some: Sequence[Data]) -> Table:
        rows = tuple(_row(group, score, everyone, scale) for group in some)
        ends = (loss_words(score, scale.low), loss_words(score, scale.high))
        return Table(
            "What each group loses, on test data, those who lose most first",
            (
                "Group",
                Column("", axis=ends),
                number(heading(score), score.kind.words),
                number("People", "people, about", note="about"),
                number("Lost", "lost"),
                number("Attacker recovers", "attacker recovers"),
            ),
            rows,
            look="risks",
            stack="early",
        )

    yield table(shown)
    yield Legend(
        (
            (GROUP_KEY, "what a group loses, with its interval"),
            (EVERYONE_KEY, "everyone on average"),
            (WORSE_KEY, "shown to lose more than that"),
        )
    )
    if others:
        yield Fold(f"{counted(len(others), 'more group')}", (table(others),))
    if left_out := groups["left_out"]:
        yield Text(("Left out, with too few people to tell: ", _named(left_out), "."), note=True)


def groups_brief(groups: Data, score: Score) -> Iterator[Block]:
    """Return the same for a terminal; nothing where no group can tell."""
    words = worst_clause(groups, score)
    if not words:
        return
    yield Text("Loss by group (test data), and what the attacker recovers of each")
    yield Table(
        "What each group loses",
        ("attribute", "group", *map(number, ("people", "lost", "interval", "recovered"))),
        tuple(
            (
                name(group["attribute"]),
                name(group["group"]),
                f"about {whole(group['people'])}",
                loss_words(score, group["loss"]),
                loss_range(score, group["interval"]) or NOTHING,
                percent((group["risk"] or {}).get("recovered"), 0),
            )
            for group in groups["groups"]
        ),
    )
    yield Text(f"{words[0].upper()}{words[1:]}.")


def _how(groups: Data, score: Score, everyone: float | None) -> str:
    """How groups were measured, and what a difference does not mean."""
    n_groups, worst = len(groups["groups"]), groups["groups"][groups["worst"]]
    level = rough_percent(groups["confidence"])
    average = ""
    if everyone is not None:
        average = f" Everyone loses {loss_words(score, everyone)} on average."
    finding = (
        "Some lose more than the average, beyond the noise."
        if worst["loses_more"]
        else "None of them is shown to lose more than the average."
    )
    inside = ""
    if score.kind.judge is not None:
        inside = (
            f" {heading(score)} is measured inside each group, so that the losses of groups need "
            "not average to that of everyone."
        )
    return (
        f"{counted(n_groups, 'group')} of at least {whole(groups['fewest'])} people, each judged "
        f"on its own people of the test data.{average} {finding} The intervals hold for all "
        f"groups together ({level}): whoever looks at many groups finds one that does badly by "
        f"chance.{inside} A difference between groups says nothing about its cause."
    )


def _row(group: Data, score: Score, everyone: float | None, scale: Any) -> Row:
    around, risk = loss_range(score, group["interval"]), group["risk"] or {}
    lost = loss_words(score, group["loss"])
    before = value_words(score, group["everything"])
    said = f"{group['group']} loses {lost}" + (f", {around}" if around else "")
    recovered = risk.get("recovered")
    return (
        Cell(name(group["group"]), name(group["attribute"])),
        Cell(drawn=group_strip(group, everyone, scale, said)),
        Cell(value_words(score, group["error"]), "" if before == NOTHING else f"before {before}"),
        whole(group["people"]),
        Cell(strong(lost), around or ""),
        Cell(percent(recovered, 0), percent_range(risk.get("interval")) or ""),
    )


def _named(left_out: Sequence[Data]) -> Words:
    words: list[Words] = []
    for group in left_out:
        words += [", "] if words else []
        words += [name(group["group"]), " (", name(group["attribute"]), ")"]
    return tuple(words)

"""What is counted on all rows, where the choice was made on a sample: the section of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparsam.assess import Score
from sparsam.report._score_words import heading, value_range, value_words
from sparsam.report._words import NOTHING, counted, percent, whole
from sparsam.report.page._blocks import Block, Section, Table, Text, number

Data = Mapping[str, Any]


def everyone_section(everyone: Sequence[Data], sample: int | str, score: Score) -> Section:
    """Return the section on all rows.

    Parameters
    ----------
    everyone : sequence of dict
        What `Everyone.to_dict` tells: of the choice, and of points of the front like it.
    sample : int or str
        How many people the choice was made on.
    score : Score
    """
    blocks = tuple(everyone_blocks(everyone, sample, score))
    return Section("everyone", "Counted on all rows", blocks)


def everyone_blocks(everyone: Sequence[Data], sample: int | str, score: Score) -> Iterator[Block]:
    """Return what was counted on all rows, and how."""
    chosen = everyone[0]
    people, others = chosen["n_people"], chosen["risk"]["n"]
    yield Text(
        f"The choice was made on {counted(sample, 'person', 'people')}, drawn at random from "
        f"{whole(people)} rows. What follows was counted on all of them, where they are: "
        f"{score.kind.words} and what an attacker recovers on the other {whole(others)}, of whom "
        "nobody took part in learning or choosing; people alike on everyone."
        if chosen["utility"] is not None
        else f"The choice was made on {counted(sample, 'person', 'people')}, drawn at random from "
        f"{whole(people)} rows. What an attacker recovers was counted on the other "
        f"{whole(others)}, people alike on everyone; the target is a number, which is told on the "
        "sample alone."
    )
    yield Table(
        "Counted on all rows: the choice first, then points of the front that are like it",
        (
            "",
            number("Attributes", "attributes"),
            number("Buckets", "buckets"),
            number(heading(score), score.kind.words),
            number("Attacker recovers", "attacker recovers"),
            number("Different records", "different records"),
            number("Fewest alike", "fewest people alike"),
            number("Alone", "people alone"),
        ),
        tuple(_row(place, told, score) for place, told in enumerate(everyone)),
    )


def _row(place: int, told: Data, score: Score) -> tuple[str, ...]:
    utility, sizes = told["utility"], told["class_sizes"]
    value = NOTHING
    if utility is not None:
        around = value_range(score, utility["interval"])
        value = value_words(score, utility["error"]) + (f" ({around})" if around else "")
    return (
        "chosen" if place == 0 else f"beside it, {place}",
        whole(len(told["collected"])),
        whole(told["n_buckets"]),
        value,
        percent(told["risk"]["recovered"]),
        whole(sizes["distinct"]),
        whole(sizes["smallest"]),
        whole(sizes["alone"]),
    )

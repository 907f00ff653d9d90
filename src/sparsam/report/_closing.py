"""The two sections that close most reports: what its numbers do not mean, and how to repeat it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sparsam.report._words import NOTHING, counted, setting, version_words
from sparsam.report.page._blocks import (
    Block,
    Code,
    Columns,
    Facts,
    Heading,
    Section,
    Text,
    Words,
    name,
)

Meaning = dict[str, str]
_ACCURACY: Meaning = {
    "heading": "The accuracy is for this task, this population and this time",
    "text": "It is that of the best of a few classifiers trained on generalized records, on "
    "people who were not used for learning. Another model, another population or a later year "
    "can do better or worse: measure again before you rely on it.",
}

MEANING: tuple[Meaning, ...] = (
    {
        "heading": "The risk is what these attacks achieved, not what is possible",
        "text": "The adversary knows the generalization and a full-resolution sample from the same "
        "population, and the strongest of several attack models was used for each attribute. A "
        "cleverer attack, or one with more knowledge about a person, may recover more.",
    },
    {
        "heading": "Minimised is not anonymous",
        "text": "People with rare combinations can still stand out. The number of people who share "
        "a record with nobody, or with few others, is given for the sample; it shrinks or grows "
        "with the number of people collected. Whether the data remain personal data is a legal "
        "question that no figure here settles.",
    },
    _ACCURACY,
    {
        "heading": "The interval covers chance, not bias",
        "text": "Intervals say how far a figure may move with another random sample of the same "
        "size. They do not cover a sample that differs from the people you will collect from, or "
        "the fact that the best of many candidates was chosen.",
    },
    {
        "heading": "The sample itself was seen at full resolution",
        "text": "Finding out what is needed takes a sample with everything in it, and the cut "
        "points were learned from it. Protect it, and delete it when the choice is made.",
    },
    {
        "heading": "An average can hide a group",
        "text": "Utility and risk are averages over people. A small group can lose more accuracy, "
        "or be recovered more often, than the average says.",
    },
)

ATTACK_MEANING: tuple[Meaning, ...] = (
    {
        "heading": "A certificate covers one kind of attacker",
        "text": "It bounds how often someone can be right who sees only the collected record of a "
        "person who was not in the sample. It says nothing about someone who knows more about the "
        "person, who links several tables, or who acts only on the surest guesses.",
    },
    {
        "heading": "Side information is taken from this table",
        "text": "The attackers who know more were given the other columns of this table. Someone "
        "may know things about a person that are in no column of it.",
    },
)

MEANING_OF_ATTACKS = (*(item for item in MEANING if item is not _ACCURACY), *ATTACK_MEANING)
"""For a report that is only about attacks, and says nothing of accuracy."""


def meaning_section(items: Iterable[Mapping[str, str]]) -> Section:
    """Return the section on what the numbers do not mean.

    Parameters
    ----------
    items : iterable of mappings
        Each with a heading and a text.
    """
    groups = tuple((Heading(item["heading"]), Text(item["text"])) for item in items)
    return Section("meaning", "What these numbers do not mean", (Columns(groups, "many"),))


def reproduce_section(
    data: Mapping[str, Any],
    promise: str = "The same command on the same file gives the same report.",
    facts: Iterable[tuple[Words, Words]] = (),
    *,
    rows: str = "record",
) -> Section:
    """Return the section on what it takes to get the same report again.

    Parameters
    ----------
    data : mapping
        The 'reproduce' entry of a report's data: command, input, seed, settings and versions.
    promise : str
        What the command gives.
    facts : iterable of pairs of Words
        What else must be known, between the input and the seed.
    rows : str
        What a row of the input is called.
    """
    table = data["input"]
    source: Words = name(table["name"])
    if table["rows"]:
        source = (source, f", {counted(table['rows'], rows)}")
    pairs: list[tuple[Words, Words]] = [
        ("Input", source),
        ("Hash of the input", table["hash"]),
        *facts,
        ("Seed", NOTHING if data["seed"] is None else str(data["seed"])),
        *((key, setting(value)) for key, value in data["settings"].items()),
        ("Versions", version_words(data["versions"])),
    ]
    command: tuple[Block, ...] = ()
    if data["command"]:
        command = (Text(promise), Code(data["command"]))
    return Section("reproduce", "How to reproduce", (*command, Facts(tuple(pairs))))

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

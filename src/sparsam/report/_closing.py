"""The two sections that close most reports: what its numbers do not mean, and how to repeat it."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from sparsam.report._words import NOTHING, counted, setting, version_words, whole
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

if TYPE_CHECKING:
    from sparsam.data import Split

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


NO_HASH = "left out: with all other rows at hand, it would give away any one of them"

_LIBRARIES = ("sparsam", "numpy", "scipy", "scikit-learn", "numba", "duckdb")
# Those that draw and count noise.
_NOISE = ("opendp", "dp-accounting")


def task_data(data: Split) -> dict[str, Any]:
    """Write down what the model is for, and the table it learns from."""
    train = data.train
    return {
        "target": train.target_name,
        "classes": list(train.classes) if train.numbers is None else ["a number"],
        "rows": n_rows(data),
        "attributes": len(train.names),
        "personal": [train.names[p] for p in train.personal],
        "split": {
            "train": train.n_rows,
            "validation": data.validation.n_rows,
            "test": data.test.n_rows,
        },
        "remarks": list(train.table.notes),
    }


def task_facts(task: Mapping[str, Any]) -> tuple[tuple[Words, Words], ...]:
    """Return what `task_data` wrote down, in words."""
    classes, split = " / ".join(task["classes"]), task["split"]
    words = (
        "predict ",
        name(task["target"]),
        f" ({classes}) from {counted(task['attributes'], 'attribute')}, "
        f"{len(task['personal'])} of them personal",
    )
    parts = (
        f"{whole(split['train'])} records to learn, {whole(split['validation'])} to choose, "
        f"{whole(split['test'])} to test"
    )
    remarks = tuple(("Remark", name(remark)) for remark in task.get("remarks", ()))
    return (("Task", words), ("Split", parts), *remarks)


def reproduce_data(
    data: Split,
    source: str,
    command: str | None,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Write down what it takes to get the same report again."""
    split = " / ".join(f"{share:.0%}" for share in data.fractions)
    return {
        "versions": versions(),
        "seed": data.random_state,
        "input": input_data(source, n_rows(data)),
        "command": command,
        "settings": {"split": split, **settings},
    }


def input_data(name: str, rows: int | None) -> dict[str, Any]:
    """Write down what the input is called, and that its hash is left out.

    A hash of personal data is personal data: with all rows but one at hand, that one is found by
    trying, in as many tries as there are people like that.
    """
    return {"name": name, "hash": NO_HASH, "rows": rows}


def versions() -> dict[str, str]:
    """Name the versions that made a report."""
    return {
        "python": platform.python_version(),
        **{library: version(library) for library in _LIBRARIES},
    }


def n_rows(data: Split) -> int:
    """Count the records of all three parts."""
    return data.train.n_rows + data.validation.n_rows + data.test.n_rows


def noisy_versions() -> dict[str, str]:
    """Name the versions that made a report, with those that drew and counted noise."""
    return {**versions(), **{name: _version(name) for name in _NOISE}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"

"""The suite covers every command, and would see a canary if there were one."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

from sparsam.cli._main import cli
from sparsam.cli._options import InputFile

from . import cases, planted
from .cases import CASES
from .sightings import in_digests, in_file, in_text
from .stage import BAD, GOOD, Case, Stage

# The demo runs on bundled data of nobody's that can be recognised: its failing ways only.
ON_BUNDLED_DATA = {"demo"}
# They open a ledger, or never open the table.
OPEN_NO_TABLE = {
    ("ledger", "show"),
    ("ledger", "verify"),
    ("ledger", "statement"),
    ("explore", "plan"),
    ("export",),
    ("form",),
    ("records", "tighten"),
    ("collect",),
}


def leaves(
    group: click.Group, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands, with the names of the groups that they are in."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, (*above, name))
        else:
            yield (*above, name), command


COMMANDS = dict(leaves(cli))


def of(path: tuple[str, ...], way: str) -> list[Case]:
    """The cases of a command."""
    mine = [case for case in CASES.values() if tuple(case.words[: len(path)]) == path]
    return [case for case in mine if case.way == way]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_runs_in_good_and_failing_ways(path: tuple[str, ...]) -> None:
    assert of(path, GOOD) or path[0] in ON_BUNDLED_DATA, f"add a good way of {path} to cases.py"
    assert of(path, BAD), f"add a failing way of {path} to cases.py"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_output_is_looked_at(path: tuple[str, ...]) -> None:
    """Options that write a file or print JSON are used in a good way."""
    words = {word for case in of(path, GOOD) for word in case.words}
    for option in COMMANDS[path].params:
        writes = isinstance(option.type, click.Path) and not option.type.exists
        if path[0] in ON_BUNDLED_DATA or not isinstance(option, click.Option):
            continue
        if (writes and option.name != "witness") or "--json" in option.opts:
            assert words & set(option.opts), f"use {option.opts} of {path} in cases.py"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_that_opens_a_table_meets_the_damaged_ones(path: tuple[str, ...]) -> None:
    arguments = [
        parameter for parameter in COMMANDS[path].params if isinstance(parameter, click.Argument)
    ]
    if path in OPEN_NO_TABLE or not any(
        isinstance(argument.type, type(InputFile)) for argument in arguments
    ):
        return
    lines = [case.line for case in CASES.values() if tuple(case.words[: len(path)]) == path]
    for table in cases._UNREADABLE:
        assert any(f"@{table}" in line for line in lines), f"add {path} to _READERS in cases.py"


def test_every_report_is_looked_at_in_every_form() -> None:
    endings = {
        (case.words[0], Path(word).suffix)
        for case in CASES.values()
        if case.way == GOOD
        for word in case.words
        if word.startswith(">report")
    }
    for name in ("minimise", "attack", "anonymise", "explore"):
        assert {(name, ".html"), (name, ".md"), (name, ".json")} <= endings


def test_every_case_that_is_named_is_there() -> None:
    for case in CASES.values():
        for word in case.words:
            if word.startswith("<"):
                assert word[1:].partition("/")[0] in CASES, case


# --------------------------------------------- what the search finds, and what it does not


SPELLINGS = {
    "income": ["184467.31", "184,467.31", "184 467.31", "184\u202f467.31", "184.467,31", "184467",
               "1.8446731e+05", "184467.31000000003", "-9173.77", "\u22129,173.77", "48271.63"],
    "age": ["age 18 to 117", "age | 30–117", '{"name": "age", "domain": {"high": 117.0}}'],
    "rent": ["48817", "48,817", "rent  48,418 values", "[400, 48818)"],
    "patient": ["904410007", "904,410,007", "904410007.0"],
    "label": ["817330003"],
    "surname": ["Wibblethorpe0007", "wibblethorpe0007"],
    "phone": ["+49-1517-7000114"],
    "region": ["Zyxquartz-7", "zyxquartz-7", "5a797871756172747a2d37", "Wnl4cXVhcnR6LTc="],
    "latin": ["Grümpfling", "Gr\\xfcmpfling", "Gr\ufffdmpfling", "GrÃ¼mpfling"],
}  # fmt: skip


@pytest.mark.parametrize("column", SPELLINGS)
def test_spellings_are_seen(column: str) -> None:
    for spelling in SPELLINGS[column]:
        for text in (spelling, f"[{spelling}]", f"is {spelling}, and", f"\n{spelling}\n"):
            assert [one.column for one in in_text(text, "here")] == [column], text
            assert not in_text(text, "here", {column})
            assert not in_text(text, "here", {"*"})


@pytest.mark.parametrize(
    "text",
    ["117 people", "line 117", "age 17, 117.5 s", "1184467.31", "184467.313", "190,000", "-10,000",
     "sex 117", "ages", "48,270", "3f817330003ab", "north", "904 of 410 007", "age 30–120"],
)  # fmt: skip
def test_other_things_are_not(text: str) -> None:
    assert not in_text(text, "here")


def test_files_are_opened(tmp_path: Path) -> None:
    word, number = planted.RARE["region"], planted.HIGHEST
    frame = pd.DataFrame({"a": [word], "b": [number]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv.gz", index=False, sep="\t")
    frame.to_parquet(tmp_path / "t.parquet")
    frame.set_index("a").to_parquet(tmp_path / "index.parquet")
    np.savez_compressed(tmp_path / "t.npz", a=np.array([word]), b=np.array([number]))
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in word)
    (tmp_path / "t.json").write_text(f'{{"a": "{escaped}", "b": {number}}}', encoding="utf-8")
    (tmp_path / "t.html").write_text(
        f"<p>{word.replace('-', '&#45;')}<i title='184,467.31'>", encoding="utf-8"
    )
    (tmp_path / "t.md").write_text(f"{word} {number}", encoding="utf-8")
    with sqlite3.connect(tmp_path / "t.ledger") as connection:
        connection.execute("create table t (a text, b real)")
        connection.execute("insert into t values (?, ?)", (word, number))
    connection.close()
    for file in tmp_path.iterdir():
        assert {one.column for one in in_file(file, {})} == {"region", "income"}, file.name
        assert not in_file(file, {}, {"*": ["*"]})
    held = {"a": ["region"], "b": ["income"]}
    assert not in_file(tmp_path / "t.csv", {}, held)
    assert in_file(tmp_path / "t.csv", {}, {"b": ["region", "income"]})


def test_hashes_are_seen(stage: Stage) -> None:
    for digest, name in stage.known.items():
        assert in_digests(f"SHA {digest.upper()}.", "here", stage.known), name
        assert in_digests(json.dumps({"hash": digest[:40]}), "here", stage.known), name
    assert not in_digests("0" * 64, "here", stage.known)


def test_every_column_holds_canaries(stage: Stage) -> None:
    """But for the target, whose classes are many people's."""
    seen = {one.column for one in in_file(stage.tables / "people.csv", {})}
    assert {*planted.people().columns} - {"employed"} <= seen | {"age"}
    seen = {one.column for one in in_file(stage.tables / "labelled.parquet", {})}
    assert "label" in seen
    ages = planted.people()["age"]
    assert (ages == planted.OLDEST).sum() == 1
    assert ages.max() == planted.OLDEST
    for name, category in planted.RARE.items():
        assert 1 <= (planted.people()[name] == category).sum() <= 3
    named = planted.people()["surname"]
    assert named[named.str.startswith(planted.SURNAME)].value_counts().max() <= 4


def test_damaged_tables_hold_canaries(stage: Stage) -> None:
    for name in cases._UNREADABLE:
        raw = (stage.tables / name).read_bytes()
        if name == "packed.csv.gz":
            raw = gzip.decompress(raw)
        if not name.startswith(("cut", "damaged", "wrong.csv", "latin.parquet")):
            assert b"Wibblethorpe" in raw, name

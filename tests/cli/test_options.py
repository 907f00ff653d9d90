"""Roles from a file and from options, and the command as it could be typed again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rich_click as click
from click.testing import CliRunner, Result

from sparsam.cli import _options
from sparsam.cli._main import cli
from sparsam.cli._options import InputFile, InputTable, OutputFile, command_line, roles_from

NONE = {
    "target": None,
    "personal": None,
    "identifier": (),
    "numeric": (),
    "categorical": (),
    "missing": (),
    "roles": None,
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_text(
        '[roles]\ntarget = "works"\npersonal = "all"\nidentifiers = ["name"]\n'
        'missing_values = ["?"]\n[attributes.age]\nkind = "numeric"\n'
    )
    return path


def test_the_file_alone(file):
    roles = roles_from({**NONE, "roles": file})
    assert (roles.target, roles.personal, roles.identifiers) == ("works", "all", ("name",))


def test_options_win_but_no_identifier_comes_back(file):
    options = {
        "target": "age>40", "personal": ("sex, race",), "identifier": ("id", "name"),
        "missing": ("n/a",), "categorical": ("zip",),
    }  # fmt: skip
    roles = roles_from({**NONE, "roles": file, **options})
    assert roles.target == "age>40"
    assert roles.personal == ("sex", "race")
    assert roles.identifiers == ("name", "id")
    assert roles.missing_values == ("?", "n/a")
    assert (roles.numeric, roles.categorical) == (("age",), ("zip",))


@pytest.mark.parametrize("word", ["all", "categorical"])
def test_words_for_personal(word):
    assert roles_from({**NONE, "personal": (word,)}).personal == word


def test_an_option_wins_over_what_the_file_says_of_the_same_column(file):
    roles = roles_from({**NONE, "roles": file, "categorical": ("age",), "ignore": ("zip",)})
    assert (roles.numeric, roles.categorical, roles.ignore) == ((), ("age",), ("zip",))
    assert roles_from({**NONE, "roles": file, "target": "name"}).identifiers == ()
    explicit = {**NONE, "roles": file, "personal": ("categorical",)}
    assert roles_from(explicit).personal == "categorical"


@pytest.mark.parametrize(
    "name", ["identifier", "ignore", "numeric", "categorical", "dates", "must-keep", "must-drop"]
)
def test_names_come_with_commas_and_with_an_option_each(name):
    option = next(p for p in cli.commands["minimise"].params if f"--{name}" in p.opts)
    told = cli.commands["minimise"].make_context(
        "minimise", [__file__, f"--{name}", "a, b", f"--{name}", "c,a"]
    )
    assert told.params[option.name] == ("a", "b", "c")


def test_every_option_that_takes_names_takes_lists():
    told = {
        (name, option.opts[-1])
        for name, command in cli.commands.items()
        for option in command.params
        if isinstance(option, click.Option) and option.multiple and option.metavar == "NAME"
    }
    assert not told


def test_without_anything():
    assert roles_from(NONE).target is None


@click.command()
@click.argument("data", type=click.Path(path_type=__import__("pathlib").Path))
@click.option("-o", "--output", type=OutputFile(".json"))
@click.option("--target")
@click.option("--keep", multiple=True)
@click.option("--codes", is_flag=True)
@click.option("--open/--no-open", "shown", default=None)
@click.option("--seed", default=0)
def sample(**_):
    click.echo(command_line())


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        (["/home/me/p.csv"], ["p.csv"]),
        (["p.csv", "--target", "a/b>5 0"], ["p.csv", "--target", "a/b>5 0"]),
        (["p.csv", "--target=$HOME 'x'"], ["p.csv", "--target", "$HOME 'x'"]),
        (["p.csv", "--keep", "a", "--keep", "b"], ["p.csv", "--keep", "a", "--keep", "b"]),
        (["--codes", "p.csv"], ["p.csv", "--codes"]),
        (["p.csv", "--no-open", "--seed", "3"], ["p.csv", "--no-open", "--seed", "3"]),
        (["p.csv", "--open"], ["p.csv", "--open"]),
    ],
)
def test_the_command_can_be_typed_again(typed, written):
    result = CliRunner().invoke(sample, typed)
    assert shlex.split(result.output) == ["sparsam", "sample", *written]


def test_folders_of_this_machine_are_left_out(tmp_path):
    result = CliRunner().invoke(sample, ["p.csv", "-o", str(tmp_path / "g.json")])
    assert result.output.strip() == "sparsam sample p.csv --output g.json"


def commands(group: click.Group = cli, words: tuple[str, ...] = ()) -> Iterator[Any]:
    """Every command, and the words that call it."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name), command


COMMANDS = list(commands())


def word(param: click.Parameter) -> str:
    """What a message calls a parameter."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.make_metavar(click.Context(click.Command("a")))


def pairs() -> Iterator[Any]:
    for words, command in COMMANDS:
        files = [one for one in command.params if isinstance(one.type, type(InputFile))]
        written = [one for one in command.params if isinstance(one.type, OutputFile)]
        for output in written:
            for other in (*files, *written):
                if other is not output:
                    names = (*words, word(output), "over", word(other))
                    yield pytest.param(words, command, output, other, id=" ".join(names))


def arguments(
    command: click.Command, places: dict[click.Parameter, Path], folder: Path
) -> list[str]:
    """Give every argument a file, and the options that are wanted."""
    given: list[str] = []
    for param in command.params:
        if isinstance(param, click.Argument):
            for i in range(2 if param.nargs == -1 else 1):
                spare = folder / f"{param.name}{i}.csv"
                if isinstance(param.type, type(InputFile)):
                    spare.touch()
                given.append(str(places.get(param, spare) if i == 0 else spare))
        elif param in places:
            given += [param.opts[-1], str(places[param])]
    return given


def ending(param: click.Parameter) -> str:
    return param.type.endings[0] if getattr(param.type, "endings", ()) else ".csv"


def refused(words: tuple[str, ...], given: list[str], *texts: str) -> None:
    result = CliRunner().invoke(cli, [*words, *given])
    said = " ".join(result.output.replace("│", " ").split())
    assert result.exit_code == 2, result.output
    for text in texts:
        assert text in said


@pytest.mark.parametrize(("words", "command", "output", "other"), list(pairs()))
@pytest.mark.parametrize("how", ["name", "symbolic link", "hard link"])
def test_two_files_of_one_command_are_two(
    words: tuple[str, ...],
    command: click.Command,
    output: click.Parameter,
    other: click.Parameter,
    how: str,
    tmp_path: Path,
) -> None:
    ends = (ending(output), ending(other))
    if isinstance(other.type, OutputFile) and {*ends} != {ends[0]} and how == "name":
        both = {*output.type.endings} & {*other.type.endings}
        if not both:
            pytest.skip("they cannot have one name")
        ends = (min(both), min(both))
    first = tmp_path / f"first{ends[0]}"
    first.write_bytes(b"kept")
    second = first
    if how != "name":
        second = tmp_path / f"second{ends[1]}"
        (os.symlink if how == "symbolic link" else os.link)(first, second)
    given = arguments(command, {output: first, other: second}, tmp_path)
    refused(words, given, word(output), word(other), "are the same file")
    assert first.read_bytes() == b"kept"
    assert not any(name.startswith(".") for name in os.listdir(tmp_path))


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=lambda one: "")
def test_every_file_of_every_command_is_checked(words: Any, command: click.Command) -> None:
    for param in command.params:
        if isinstance(param.type, click.Path) and param.type.file_okay:
            known = param.type in (InputFile, InputTable) or isinstance(param.type, OutputFile)
            assert known, param.name


def test_names_of_new_files_that_differ_in_case_only(tmp_path: Path) -> None:
    one, other = tmp_path / "Straße.json", tmp_path / "STRASSE.JSON"
    assert _options._same(one, other)
    assert _options._same(tmp_path / "\u00e9", tmp_path / "e\u0301")
    assert not _options._same(one, tmp_path / "x.json")
    one.touch()
    # one is there and the other is not: this disk tells them apart
    assert _options._same(one, other) == other.exists()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    place = tmp_path / "people.csv"
    place.write_text("age,sex\n" + "30,f\n40,m\n" * 20)
    return place


def test_the_certificate_beside_a_release(run: Callable[..., Result], table: Path) -> None:
    roles = table.with_name("out.certificate.json")
    roles.write_text("[roles]\n")
    common = ("anonymise", table, "--quasi-identifiers", "age,sex", "--k", 2)
    result = run(*common, "-o", table.with_name("out.csv"), "--roles", roles)
    assert result.exit_code == 2
    assert "the certificate beside --output are the same file" in " ".join(
        result.output.replace("│", " ").split()
    )
    assert roles.read_text() == "[roles]\n"


def test_hierarchies_are_inputs(run: Callable[..., Result], table: Path) -> None:
    hierarchy = table.with_name("ages.csv")
    hierarchy.write_text("30;*\n40;*\n")
    common = ("anonymise", table, "--quasi-identifiers", "age", "--method", "full-domain")
    result = run(*common, "--hierarchy", f"age={hierarchy}", "-o", hierarchy)
    assert result.exit_code == 2
    assert hierarchy.read_text() == "30;*\n40;*\n"


def test_a_folder_or_a_missing_folder_is_no_place(run: Callable[..., Result], table: Path) -> None:
    (table.parent / "folder.json").mkdir()
    for place in (table.parent / "folder.json", table.parent / "none" / "a.json", table / "a.json"):
        result = run("minimise", table, "--target", "sex", "-o", place)
        assert result.exit_code == 2


def test_the_disk_is_asked_before_the_work(
    run: Callable[..., Result], table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    for module in ("sparsam.cli._options", "sparsam.cli._options"):
        monkeypatch.setattr(f"{module}.check_writable", denied)
    monkeypatch.setattr("sparsam.data.source._engine.Engine", None)  # nothing may be read
    for given in (
        ("minimise", table, "--target", "sex", "-o", "a.json"),
        ("apply", table, table, "-o", "a.csv"),
        ("demo", "--folder", table.parent),
        ("ledger", "create", "a.ledger", table, "--epsilon", "1", "--domains", table),
    ):
        result = run(*given)
        assert result.exit_code == 2
        assert "cannot be written: Permission denied" in " ".join(
            result.output.replace("│", " ").split()
        )

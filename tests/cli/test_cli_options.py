"""Roles from a file and from options, and the command as it could be typed again."""

from __future__ import annotations

import shlex

import pytest
import rich_click as click
from click.testing import CliRunner

from sparsam.cli._command_line import command_line
from sparsam.cli._options import OutputFile, roles_from

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
        "target": "age>40", "personal": "sex, race", "identifier": ("id", "name"),
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
    assert roles_from({**NONE, "personal": word}).personal == word


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

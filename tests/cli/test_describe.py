"""`sparsam describe`, `sparsam --help`, and what happens to damaged artifacts."""

from __future__ import annotations

import json

import pytest

import sparsam


def test_an_artifact(run, artifact):
    text = run("describe", artifact).stdout
    assert "Collects 2 of 5 attributes." in text
    assert "not collected" in text
    assert "target: works" in text
    assert "personal: education, sex, region, zip" in text
    assert "{" not in text
    found = json.loads(run("describe", artifact, "--json").stdout)
    assert [one["name"] for one in found["attributes"] if one["collected"]] == ["age", "education"]
    assert found["about"]["target"] == "works"


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.parquet"])
def test_a_table(run, folder, name):
    text = run("describe", folder / name).stdout
    assert "300 records, 6 attributes" in text
    assert "sex        categorical, 2 values" in text
    found = json.loads(run("describe", folder / name, "--json").stdout)
    assert found["rows"] == 300
    assert found["attributes"][0]["kind"] == "numeric"
    assert "female" not in text + json.dumps(found)


def test_a_table_with_roles_and_odd_columns(run, tmp_path):
    (tmp_path / "t.csv").write_text("id,one,x\n1,a,?\n2,a,3\n")
    text = run("describe", tmp_path / "t.csv", "--identifier", "id", "--missing", "?").stdout
    assert "one  categorical, 1 value\n" in text
    assert "x    numeric, 1 value, some missing" in text
    assert "Note: id: identifier, left out" in text


DAMAGES = {
    "cut short": (lambda text: text[:100], "$"),
    "another format": (lambda text: text.replace("sparsam/generalization", "other"), "$.format"),
    "a newer version": (lambda text: text.replace('"version": 1', '"version": 99'), "$.version"),
    "cuts out of order": (lambda text: text.replace('"cuts": [', '"cuts": [99999999, '), ".cuts"),
    "an unknown field": (
        lambda text: text.replace('"beyond"', '"beyondd"', 1),
        "$.attributes[0]",
    ),
    "nothing": (lambda _: "", "$"),
}


@pytest.mark.parametrize("command", ["describe", "apply", "assess"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_artifact_points_at_the_field(run, artifact, folder, tmp_path, command, damage):
    change, field = DAMAGES[damage]
    broken = tmp_path / "broken.json"
    broken.write_text(change(artifact.read_text(encoding="utf-8")), encoding="utf-8")
    more = {
        "describe": [],
        "apply": [folder / "people.csv", "-o", tmp_path / "o.csv"],
        "assess": [folder / "people.csv"],
    }[command]
    result = run(command, broken, *more)
    assert result.exit_code == 2
    assert field in result.stderr
    assert "The document is the file 'broken.json'." in result.stderr
    assert result.stdout == ""


def test_a_binary_artifact(run, tmp_path):
    (tmp_path / "g.json").write_bytes(b"\xff\xfe\x00\x01")
    result = run("describe", tmp_path / "g.json")
    assert result.exit_code == 2


def test_help_and_version(shell):
    done = shell("--help")
    assert done.returncode == 0
    for command in ("demo", "minimise", "apply", "assess", "describe"):
        assert command in done.stdout
    assert "Exit codes" in done.stdout
    assert shell("--version").stdout.strip() == f"sparsam, version {sparsam.__version__}"


@pytest.mark.parametrize("arguments", [["minimize"], ["--nonsense"], ["apply", "--nonsense"]])
def test_unknown_commands_and_options(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_json_in_a_pipe(shell, folder):
    done = shell("describe", folder / "people.csv", "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    assert json.loads(done.stdout)["rows"] == 300


def test_an_error_in_a_process_of_its_own(shell, folder):
    done = shell("minimise", folder / "people.csv", "--target", "wroks")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Error: 'wroks' is not a column (role 'target'). Did you mean 'works'?" in done.stderr

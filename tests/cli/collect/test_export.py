"""`sparsam export`: a generalization in the languages of other tools."""

from __future__ import annotations

import json

import pytest

from sparsam.cli.collect._export import FORMATS
from sparsam.collect import Target
from sparsam.generalization import Generalization


def test_the_help_names_every_format(run):
    shown = " ".join(run("export", "--help").stdout.split())
    assert all(name in shown for name in FORMATS)


def test_a_file_holds_what_python_writes(run, artifact, tmp_path):
    output = tmp_path / "people.mjs"
    result = run("export", artifact, "--to", "javascript", "-o", output)
    assert result.exit_code == 0
    assert "Wrote people.mjs." in result.stderr
    assert output.read_text(encoding="utf-8") == Generalization.load(artifact).to_javascript()


def test_standard_output_holds_nothing_else(run, artifact):
    result = run("export", artifact, "--to", "json-schema", "-o", "-")
    assert json.loads(result.stdout) == Generalization.load(artifact).to_json_schema()


def test_the_target_comes_with_the_schema(run, artifact, tmp_path):
    evidence = {"people": 700, "target": {"name": "works", "classes": ["no", "yes"]}}
    people = Generalization.load(artifact).with_about({"evidence": evidence})
    people.save(tmp_path / "people.json")
    result = run(
        "export", tmp_path / "people.json", "--to", "json-schema", "--with-target", "-o", "-"
    )
    assert json.loads(result.stdout) == people.to_json_schema(Target("works", ("no", "yes")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--to", "javascript", "-o", "people.json"), "must end in .js or .mjs"),
        (
            ("--to", "javascript", "--with-target", "-o", "x.js"),
            "--with-target goes with --to json-",
        ),
        (("--to", "cobol", "-o", "-"), "'cobol' is not one of"),
        (("-o", "-"), "Missing option '--to'"),
    ],
)
def test_wrong_usage_is_said(run, artifact, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("export", artifact, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.replace("│", "").split())
    assert not list(tmp_path.iterdir())

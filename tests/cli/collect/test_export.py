"""`sparsam export`: a generalization in the languages of other tools."""

from __future__ import annotations

import json

import pytest

from sparsam.cli.collect._export import FORMATS
from sparsam.collect import Target
from sparsam.data import Roles
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


def test_sql_comes_with_its_options(run, artifact, tmp_path):
    pytest.importorskip("sqlglot", reason="sqlglot is not installed (extra sql)")
    people = Generalization.load(artifact)
    common = ("export", artifact, "--to", "sql", "-o", "-", "--table", "s.people")
    written = run(*common, "--dialect", "postgres", "--codes", "--keep", "works").stdout
    assert written == people.to_sql("s.people", "postgres", "codes", ["works"])
    assert run(*common, "--check").stdout == people.to_sql_check("s.people")
    result = run(*common, "--check", "--codes")
    assert (result.exit_code, "--check counts" in result.stderr) == (2, True)


def test_macros_come_with_their_options(run, artifact):
    pytest.importorskip("sqlglot", reason="sqlglot is not installed (extra sql)")
    options = ("--name", "staff", "--adapter", "trino,duckdb")
    result = run("export", artifact, "--to", "dbt", "-o", "-", *options)
    assert result.stdout == Generalization.load(artifact).to_dbt("staff", ["trino", "duckdb"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--to", "javascript", "-o", "people.json"), "must end in .js or .mjs"),
        (
            ("--to", "javascript", "--with-target", "-o", "x.js"),
            "--with-target goes with --to fhir or json-",
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


def test_forms_and_models_are_those_of_python(run, artifact, tmp_path):
    people = Generalization.load(artifact)
    options = ("--fhir-version", "R4", "--title", "T", "-o", "-")
    given = run("export", artifact, "--to", "fhir", *options)
    assert json.loads(given.stdout) == people.to_fhir(version="R4", title="T")
    assert run("export", artifact, "--to", "pydantic", "-o", "-").stdout == people.to_pydantic()
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not here")
    assert run("export", artifact, "--to", "xlsform", "-o", tmp_path / "f.xlsx").exit_code == 0
    book = openpyxl.load_workbook(tmp_path / "f.xlsx")
    rows = [[cell.value for cell in row] for row in book["survey"]]
    sheet = people.to_xlsform()["survey"]
    assert rows == [list(sheet[0]), *([row[head] or None for head in row] for row in sheet)]


def test_a_spreadsheet_is_no_text(run, artifact):
    result = run("export", artifact, "--to", "xlsform", "-o", "-")
    assert result.exit_code == 2
    assert "give a file" in result.stderr


def test_documents_for_a_regulator_are_those_of_python(run, artifact, tmp_path):
    people = Generalization.load(artifact)
    (tmp_path / "roles.toml").write_text('[attributes.sex]\nspecial = "sex life"\n')
    facts = {"keep_days": 9, "mode": "rows", "author": "A", "date": "2026-11-16", "title": "T"}
    options = [word for name in facts for word in (f"--{name.replace('_', '-')}", facts[name])]
    roles = Roles(special={"sex": "sex life"})
    asked = (*options, "--roles", tmp_path / "roles.toml", "-o", "-")
    written = run("export", artifact, "--to", "article30", *asked).stdout
    assert written == people.to_article30(roles=roles, **facts)
    assert "sex** (sex life or sexual orientation): not collected" in written
    given = run("export", artifact, "--to", "pia", *asked)
    assert json.loads(given.stdout) == people.to_pia(roles=roles, **facts)


def test_evidence_must_be_about_the_artifact(run, artifact, tmp_path):
    (tmp_path / "report.json").write_text('{"collected": {"attributes": [], "x": 1}}')
    result = run(
        *("export", artifact, "--to", "pia", "--evidence", tmp_path / "report.json"), "-o", "-"
    )
    assert result.exit_code == 2
    assert "saved as JSON" in result.stderr

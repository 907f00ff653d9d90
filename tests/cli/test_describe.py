"""`sparsam describe`, `sparsam --help`, and what happens to damaged artifacts."""

from __future__ import annotations

import json

import pytest

import sparsam
from sparsam.collect import Questionnaire
from sparsam.data import NumericDomain, Roles
from sparsam.generalization import Branch, Generalization, Leaf, Recoding, numeric_partition
from sparsam.individual import Mask


def test_an_artifact(run, artifact):
    text = run("describe", artifact).stdout
    assert "Collects 2 of 5 attributes." in text
    assert "not collected" in text
    assert "target: works" in text
    assert "personal: education, sex, region, zip" in text
    assert "{" not in text
    assert "roles:" not in text
    assert "sparsam export artifact.json --to article30 | dbt" in text
    found = json.loads(run("describe", artifact, "--json").stdout)
    assert [one["name"] for one in found["attributes"] if one["collected"]] == ["age", "education"]
    assert found["about"]["target"] == "works"


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.parquet"])
def test_a_table(run, folder, name):
    text = run("describe", folder / name).stdout
    assert "700 records, 6 attributes" in text
    assert "sex        categorical, 2 values" in text
    found = json.loads(run("describe", folder / name, "--json").stdout)
    assert found["rows"] == 700
    assert found["attributes"][0]["kind"] == "numeric"
    assert "female" not in text + json.dumps(found)


def test_a_table_with_roles_and_odd_columns(run, tmp_path):
    (tmp_path / "t.csv").write_text("id,one,x\n1,a,?\n2,a,3\n")
    text = run("describe", tmp_path / "t.csv", "--identifier", "id", "--missing", "?").stdout
    assert "one  categorical, 1 value\n" in text
    assert "x    numeric, 1 value, some missing" in text
    assert "Note: id: identifier, left out" in text


@pytest.fixture(scope="module")
def recoding():
    ages, hours = (NumericDomain(0, 99, integer=True) for _ in range(2))
    asked = Generalization(
        [numeric_partition("age", ages, [17, 62], missing=2), numeric_partition("hours", hours, [])]
    )
    ends = [Leaf((), {"age": 9, "hours": 0}, "no"), Leaf((), {"age": 40, "hours": 0}, "yes")]
    return Recoding(asked, {"age": [9, 40, 70], "hours": [20]}, [Branch("age", (0,), 1, 2), *ends])


def test_a_recoding(run, recoding, tmp_path):
    recoding.save(tmp_path / "r.json")
    text = run("describe", tmp_path / "r.json").stdout
    assert "A recoding: 2 ways to be asked, 2 of them with the model's answer known" in text
    assert "age 17 and over, or missing -> yes" in text
    assert "Collects 1 of 2 attributes." in text
    found = json.loads(run("describe", tmp_path / "r.json", "--json").stdout)
    assert (found["leaves"], found["settled"], len(found["attributes"])) == (2, 2, 2)


def test_a_questionnaire(run, recoding, tmp_path):
    Questionnaire(recoding).save(tmp_path / "q.json")
    text = run("describe", tmp_path / "q.json").stdout
    assert "A questionnaire: at most 1 question, in the order 'fewest'." in text
    assert "First asked: age (under 17 | 17 and over, or missing)" in text
    found = json.loads(run("describe", tmp_path / "q.json", "--json").stdout)
    assert (found["questions"], found["first"]) == (["age"], "age")


def test_a_certificate_and_a_report(run, folder, tmp_path):
    made = run("anonymise", folder / "people.csv", "--quasi-identifiers", "age,sex", "--k", "20",
               "-o", tmp_path / "o.csv", "--certificate", tmp_path / "c.json", "--report",
               tmp_path / "report.json", "--author", "Ada", "--date", "2026-11-16")  # fmt: skip
    assert made.exit_code == 0, made.output
    text = run("describe", tmp_path / "c.json").stdout
    assert "A certificate of a release: 700 rows, 2 columns." in text
    assert "quasi-identifiers: age, sex" in text
    assert "promised: every record is shared by at least 20" in text or "at least 20" in text
    found = json.loads(run("describe", tmp_path / "c.json", "--json").stdout)
    assert found["quasi_identifiers"] == ["age", "sex"]
    text = run("describe", tmp_path / "report.json").stdout
    assert text.startswith("A report: Anonymisation report: people.csv\ndate: 2026-11-16\n")
    assert "author: Ada" in text
    assert "command: sparsam anonymise people.csv" in text
    assert "--date 2026-11-16" in text
    found = json.loads(run("describe", tmp_path / "report.json", "--json").stdout)
    assert (found["date"], found["purpose"]) == ("2026-11-16", None)


def test_answers_roles_masks_and_hierarchies(run, tmp_path):
    answers = {"how": "planned", "answers": [{}], "plan": {}, "attributes": [{"name": "age"}, 3]}
    (tmp_path / "a.json").write_text(json.dumps(answers))
    text = run("describe", tmp_path / "a.json").stdout
    assert "Answers of an exploration under a budget: 1 answer about 1 attribute." in text
    roles = Roles("works", identifiers=["id", "name"])
    (tmp_path / "roles.toml").write_text(roles.to_toml())
    text = run("describe", tmp_path / "roles.toml").stdout
    assert text.startswith("Roles of the columns of a table:\n")
    assert 'identifiers = ["id", "name"]' in text
    found = json.loads(run("describe", tmp_path / "roles.toml", "--json").stdout)
    assert found["identifiers"] == ["id", "name"]
    facts = {"accuracy": 0.8533333333333334}
    Mask([[True, False], [False, False]], n_values=3, facts=facts).save(tmp_path / "m.npz")
    text = run("describe", tmp_path / "m.npz").stdout
    assert "33.33 % kept (1 of 3 values that are there, 25.00 % of all 4)" in text
    assert "accuracy: 0.853333\n" in text
    (tmp_path / "h.csv").write_text("Bonn;D;*\nUlm;D;*\nWien;A;*\n")
    text = run("describe", tmp_path / "h.csv", "--hierarchy").stdout
    assert text == "A hierarchy: 3 values, then 2 labels, then 1 label.\n"


@pytest.mark.parametrize(
    "document",
    [
        {"title": "t", "meaning": [], "made": 3, "reproduce": []},
        {"title": ["t"], "accounts": 1, "reproduce": {"input": "x", "command": {}}},
        {"how": [], "answers": 3, "plan": None, "attributes": {}},
    ],
)
def test_documents_of_strangers_are_no_unexpected_error(run, tmp_path, document):
    (tmp_path / "d.json").write_text(json.dumps(document))
    assert run("describe", tmp_path / "d.json").exit_code == 0


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
    assert json.loads(done.stdout)["rows"] == 700


def test_an_error_in_a_process_of_its_own(shell, folder):
    done = shell("minimise", folder / "people.csv", "--target", "wroks")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Error: 'wroks' is not a column (role 'target'). Did you mean 'works'?" in done.stderr


def test_what_an_artifact_carries_of_the_roles(run, artifact, tmp_path):
    saved = json.loads(artifact.read_text(encoding="utf-8"))
    saved["about"]["roles"] = {
        "roles": {"target": "works", "personal": "all", "ignore": ["row"], "missing_values": ["?"]},
        "file": {"encoding": "latin-1"},
        "attributes": {"big_age": {"unit": "years", "missing": ["N"]}},
    }
    (tmp_path / "people.json").write_text(json.dumps(saved), encoding="utf-8")
    text = run("describe", tmp_path / "people.json").stdout
    for line in ("ignore: row", "file: encoding latin-1", "big_age: unit years, missing N"):
        assert line in text.splitlines()
    assert "personal: all" not in text
    assert "Special category" not in text
    saved["about"]["roles"]["attributes"] = {
        "sex": {"special": "sex life"},
        "education": {"special": "union"},
        "works": {"special": "health"},
        "age": {"special": 7},
    }
    (tmp_path / "special.json").write_text(json.dumps(saved), encoding="utf-8")
    lines = run("describe", tmp_path / "special.json").stdout.splitlines()
    for name, words in (
        ("sex", "(sex life or sexual orientation), not collected."),
        ("education", "(trade union membership), collected."),
        ("works", "(health), the target."),
    ):
        assert f"Special category (GDPR Art. 9): {name} {words}" in lines
    told = json.loads(run("describe", tmp_path / "special.json", "--json").stdout)["attributes"]
    named = {one["name"]: one["special"] for one in told if "special" in one}
    assert named == {
        "sex": "sex life or sexual orientation",
        "education": "trade union membership",
    }
    saved["about"]["roles"] = ["odd", {"x": 1}]
    (tmp_path / "odd.json").write_text(json.dumps(saved), encoding="utf-8")
    assert run("describe", tmp_path / "odd.json").exit_code == 0

"""`sparsam assess`: figures, and gates that decide the exit code."""

from __future__ import annotations

import json

import pytest

from sparsam.data import read
from sparsam.generalization import Generalization


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.parquet"])
def test_every_format_gives_the_same_figures(run, artifact, folder, name):
    result = run("assess", artifact, folder / name, "--json")
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    first = json.loads(run("assess", artifact, folder / "people.csv", "--json").stdout)
    assert facts == first
    assert facts["gates"] == []
    assert facts["risk"]["split"] == "test"


def test_for_people_to_read(run, artifact, folder):
    result = run("assess", artifact, folder / "people.csv", "--max-risk", 1, "--min-class-size", 1)
    assert result.exit_code == 0
    for words in ("education", "naive", "with nothing (test data)", "distinct records"):
        assert words in result.stdout
    assert result.stdout.count("Gate passed") == 2


@pytest.mark.parametrize(
    "gate",
    [
        ("--max-risk", "0"),
        ("--max-attribute-risk", "0.001"),
        ("--min-class-size", "1000"),
    ],
)
def test_a_failed_gate_is_exit_code_1(run, artifact, folder, gate):
    result = run("assess", artifact, folder / "people.csv", *gate, "--json")
    assert result.exit_code == 1
    (failed,) = json.loads(result.stdout)["gates"]
    assert failed["passed"] is False


def test_too_few_people_are_exit_code_3(run, artifact, folder, tmp_path):
    lines = (folder / "people.csv").read_text().splitlines()
    few = tmp_path / "few.csv"
    few.write_text("\n".join(lines[:400]))
    result = run("assess", artifact, few, "--max-risk", 1, "--max-utility-loss", 0)
    assert result.exit_code == 3
    assert result.stdout.count("too few people to tell") == 3
    assert "about 670 people in all would do" in result.stdout
    assert run("assess", artifact, few, "--max-risk", 1, "--min-class-size", 99).exit_code == 1
    facts = json.loads(run("assess", artifact, few, "--max-risk", 1, "--json").stdout)
    assert facts["evidence"] == {"people": 120, "enough": False, "needed": 670}
    assert facts["gates"][0]["verdict"] == "too few people to tell"


def test_the_score_is_the_one_that_was_chosen_by(run, artifact, folder, tmp_path):
    found = Generalization.load(artifact)
    by_auc = tmp_path / "auc.json"
    found.with_about({**found.about, "score": "auc"}).save(by_auc)
    carried = run("assess", by_auc, folder / "people.csv", "--max-utility-loss", 1, "--json")
    facts = json.loads(carried.stdout)
    assert facts["score"]["name"] == facts["utility"]["score"] == "auc"
    assert facts["gates"][0]["gate"] == "AUC loss at most"
    assert facts["utility"]["value"] == pytest.approx(1 - facts["utility"]["error"])
    said = run("assess", by_auc, folder / "people.csv", "--score", "log loss").stdout
    assert "Log loss 0." in said


def test_one_failed_gate_among_passed_ones(shell, artifact, folder):
    done = shell("assess", artifact, folder / "people.csv", "--max-risk", 1, "--min-class-size",
                 1000, "-q")  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == ""
    assert "Gate passed: risk at most 1" in done.stdout
    assert "Gate FAILED: people behind one record at least 1000" in done.stdout


def test_a_handful_of_people_is_not_counted(run, folder, tmp_path):
    whole = Generalization.identity(read(folder / "people.csv").drop(["works"]))
    whole.with_about({"target": "works"}).save(tmp_path / "all.json")
    call = ("assess", tmp_path / "all.json", folder / "people.csv", "--min-class-size", 2)
    facts = json.loads(run(*call, "--json").stdout)
    assert facts["class_sizes"]["smallest"] == "fewer than 5"
    assert facts["gates"][0]["value"] == "fewer than 5"
    assert facts["gates"][0]["passed"] is False
    text = run(*call).stdout
    assert "measured fewer than 5." in text
    assert "the rarest stands for fewer than 5 people" in text


def test_another_target_and_other_personal_attributes(run, artifact, folder):
    result = run("assess", artifact, folder / "people.csv", "--target", "age>40", "--personal",
                 "sex,region", "--json")  # fmt: skip
    assert result.exit_code == 0
    assert [p["attribute"] for p in json.loads(result.stdout)["risk"]["parts"]] == ["sex", "region"]


def test_the_seed_matters(run, artifact, folder):
    results = [
        json.loads(run("assess", artifact, folder / "people.csv", "--json", "--seed", seed).stdout)
        for seed in (0, 0, 1)
    ]
    assert results[0] == results[1] != results[2]


def test_names_are_not_markup(run, tmp_path, make_people):
    people = make_people(60).rename(columns={"sex": "[/b]", "region": "[red]:smile:[/red]"})
    people.to_csv(tmp_path / "p.csv", index=False)
    table = read(tmp_path / "p.csv").drop(["works"])
    Generalization.nothing(table).with_about({"target": "works"}).save(tmp_path / "g.json")
    result = run("assess", tmp_path / "g.json", tmp_path / "p.csv")
    assert result.exit_code == 0
    assert "[/b]" in result.stdout
    assert "[red]:smile:[/red]" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "wroks"], "Did you mean 'works'"),
        (["--personal", "sexx"], "Did you mean 'sex'"),
        (["--max-risk", "-1"], "x>=0"),
    ],
)
def test_wrong_usage(run, artifact, folder, options, message):
    result = run("assess", artifact, folder / "people.csv", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_table_that_lacks_attributes(run, artifact, folder, tmp_path, make_people):
    make_people(50).drop(columns=["age"]).to_csv(tmp_path / "p.csv", index=False)
    result = run("assess", artifact, tmp_path / "p.csv")
    assert result.exit_code == 2
    assert "['age'] are absent" in result.stderr


def test_groups_are_told_and_held_to_a_limit(run, artifact, folder):
    asked = ("assess", artifact, folder / "people.csv", "--groups", "age=50")
    result = run(*asked, "--max-utility-loss-per-group", 0.9)
    assert result.exit_code == 0
    for words in ("Loss by group", "under 50", "50 and over"):
        assert words in result.stdout
    assert "Gate passed: accuracy loss of any group at most 0.9" in result.stdout
    strict = run(*asked, "--max-utility-loss-per-group", 0, "--json")
    assert strict.exit_code in (1, 3)
    facts = json.loads(strict.stdout)
    assert {group["attribute"] for group in facts["groups"]["groups"]} == {"age"}
    assert facts["gates"][0]["who"] in ("age: under 50", "age: 50 and over")


def test_a_group_that_is_not_there_is_told_before_the_work(run, artifact, folder):
    result = run("assess", artifact, folder / "people.csv", "--groups", "sexx")
    assert result.exit_code == 2
    assert "'sexx' is not a column (role 'groups'). Did you mean 'sex'?" in result.stderr

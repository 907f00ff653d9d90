"""`sparsam minimise`: files in, files out, and errors before the work rather than after it."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from sparsam.generalization import Generalization

SWEEP = ("--min-leaf", 20, "--jobs", 1)


def test_json_is_all_there_is_on_stdout(minimised):
    found = json.loads(minimised.stdout)
    assert found["requirement"]["met"] is True
    assert found["utility_loss"] <= 0.15
    assert found["tried"] >= found["on_front"] >= 1
    assert found["limits"]["everything"]["error"] < found["limits"]["nothing"]["error"]
    assert "0.01" not in found["assessment"]["confident_risks"]  # two people of 210
    smallest = found["assessment"]["class_sizes"]["smallest"]
    assert smallest == "fewer than 5" or smallest >= 5


def test_progress_and_remarks_are_on_stderr(minimised):
    assert "Read 700 records with 5 attributes." in minimised.stderr
    assert "Minimise and attack: " in minimised.stderr
    assert "Wrote the generalization" in minimised.stderr
    assert "Wrote the report" in minimised.stderr
    assert minimised.stderr.endswith("Then: sparsam form people.json -o form.html\n")


def test_the_artifact_is_one(minimised, folder):
    found = Generalization.load(folder / "people.json")
    assert list(found.collected) == json.loads(minimised.stdout)["assessment"]["collected"]
    assert 0 < len(found.collected) < len(found)
    assert found.about["target"] == "works"


def test_the_report_says_how_to_make_it_again(minimised, folder):
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "sparsam minimise people.csv --target works --output people.json" in page
    assert str(folder) not in page
    assert hashlib.sha256((folder / "people.csv").read_bytes()).hexdigest() not in page
    assert "Hash of the input" in page


def write_near_identifier(path, n_rows):
    """People whose work depends on their age; all but two have a name of their own."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, n_rows)
    works = (age < 60) != (rng.random(n_rows) < 0.1)
    lines = [f"p{max(i, 1)},{age[i]},{'yes' if works[i] else 'no'}" for i in range(n_rows)]
    path.write_text("\n".join(["name,age,works", *lines]))


FEW = {"sex": ["f", "m", "m", "f", "f"], "works": ["yes", "no", "yes", "no", "yes"]}


def test_five_people_show_nothing(run, tmp_path):
    table = tmp_path / "table.csv"
    lines = [f"{sex},{works}" for sex, works in zip(*FEW.values(), strict=True)]
    table.write_text("\n".join(["sex,works", *lines]))
    result = run("minimise", table, "--target", "works", "--personal", "all", *SWEEP)
    assert result.exit_code == 3, result.output
    assert "too few people to tell what is needed" in result.stderr
    assert "about 1,000 people in all" in result.stderr or "at least 1,000" in result.stderr


def test_too_few_people_are_promised_nothing(run, tmp_path):
    table = tmp_path / "table.csv"
    write_near_identifier(table, 600)
    result = run("minimise", table, "--target", "works", "--personal", "all", *SWEEP,
                 "--report", tmp_path / "report.html", "--json")  # fmt: skip
    assert result.exit_code == 3, result.output
    answer = json.loads(result.stdout)["requirement"]
    assert answer["met"] is None
    assert answer["verdict"] == "too few people to tell"
    assert answer["needed"] == 670
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Too few people to tell what this model needs" in page
    assert "Too few people to tell</b> whether this is met: " in page
    assert "Requirement met" not in page


def test_a_near_identifier_does_not_shrink_the_test_part(run, tmp_path):
    write_near_identifier(tmp_path / "table.csv", 1000)
    result = run("minimise", tmp_path / "table.csv", "--target", "works", "--personal", "all",
                 "--max-utility-loss", 0.1, *SWEEP, "--json")  # fmt: skip
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert found["limits"]["everything"]["n_records"] == 300
    # nine in ten can be told
    assert 0.05 <= found["limits"]["everything"]["error"] <= 0.15
    assert found["assessment"]["collected"] == ["age"]


def test_by_risk_with_constraints_for_people_to_read(run, folder, tmp_path):
    roles = tmp_path / "roles.toml"
    roles.write_text(
        '[roles]\ntarget = "works"\npersonal = ["education", "sex"]\nidentifiers = ["zip"]\n'
    )
    result = run(
        "minimise", folder / "people.parquet", "--roles", roles, "--max-risk", 0.6,
        "--must-drop", "region", "--max-buckets", "age=2", *SWEEP, "-o", tmp_path / "g.json",
    )  # fmt: skip
    assert result.exit_code in (0, 1)
    assert ("Requirement not met" in result.stdout) == (result.exit_code == 1)
    assert "at most 60 % of what the naive adversary gets wrong" in result.stdout
    found = Generalization.load(tmp_path / "g.json")
    assert found.names == ("age", "education", "sex", "region")
    assert found["age"].n_buckets <= 2
    assert not found["region"].collected
    assert found.about["personal"] == ["education", "sex"]
    assert "zip: identifier, left out" in result.stderr


@pytest.mark.parametrize(
    ("people", "code", "said"),
    [
        (700, 1, "The first that was tested may lose"),
        (60, 3, "too few people to tell what is needed"),
    ],
)
def test_nothing_fits_is_exit_code_1_or_3(run, make_people, tmp_path, people, code, said):
    file = tmp_path / "table.csv"
    make_people(people).to_csv(file, index=False)
    result = run("minimise", file, "--target", "works", "--max-utility-loss", 0, "--must-drop",
                 "age", "--must-drop", "education", "--jobs", 1, "-q")  # fmt: skip
    assert result.exit_code == code
    assert result.stdout == ""
    assert said in result.stderr
    assert "Hint:" in result.stderr


def test_nothing_saved_is_said(run, make_people, tmp_path):
    file = tmp_path / "few.csv"
    make_people(60).to_csv(file, index=False)
    call = ("minimise", file, "--target", "works", "--max-utility-loss", 1, "--jobs", 1)
    loud, quiet = run(*call), run(*call, "-q")
    assert "Nothing was saved: -o" in loud.stderr
    assert quiet.stderr == ""
    assert loud.stdout == quiet.stdout
    assert "perhaps none of the 5 attributes" in quiet.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "wroks"], "Did you mean 'works'"),
        (["--target", "age", "--score", "auc"], "must fit the target"),
        (["--target", "age>"], "A target must be a column"),
        ([], "Missing option '--target'"),
        (["--target", "works", "--max-risk", "0.1", "--max-utility-loss", "0.1"], "not both"),
        (["--target", "works", "--max-risk", "7"], "0<=x<=1"),
        (["--target", "works", "--max-buckets", "age"], "NAME=3"),
        (["--target", "works", "--max-buckets", "age=few"], "NAME=3"),
        (["--target", "works", "--max-buckets", "age=0"], "int >= 1"),
        (["--target", "works", "--max-buckets", "agee=2"], "Did you mean 'age'"),
        (["--target", "works", "--must-drop", "sexx"], "Did you mean 'sex'"),
        (["--target", "works", "--must-keep", "sex", "--must-drop", "sex"], "neither"),
        (["--target", "works", "--identifier", "nane"], "'nane' is not a column"),
        (["--target", "works", "--personal", "sexx,age"], "Did you mean 'sex'"),
        (["--target", "works", "--numeric", "sex"], "must hold numbers"),
        (["--target", "works", "--min-leaf", "0"], "x>=1"),
        (["--target", "works", "--seed", "-1"], "x>=0"),
        (["--target", "works", "--jobs", "0"], "x>=1"),
    ],
)
def test_wrong_usage_is_exit_code_2(run, folder, options, said):
    result = run("minimise", folder / "people.csv", *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.replace("│", " ").split())
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("option", "name", "said"),
    [
        ("-o", "people.txt", "must end in .json"),
        ("-o", "people.html", "must end in .json: 'people.html'. Use --report for it."),
        ("-o", "none/people.json", "There is no folder"),
        ("--report", "report.pdf", "must end in .html, .htm, .md or .json"),
    ],
)
def test_outputs_are_checked_before_the_work(run, folder, tmp_path, option, name, said):
    result = run("minimise", folder / "people.csv", "--target", "works", option, tmp_path / name)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.replace("│", " ").split())
    assert "Read 300" not in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("broken.csv", "a,works\n1,yes\n1,2,3\n", "Line 3 is damaged"),
        ("empty.csv", "", "It is empty"),
        ("heads.csv", "a,works\n", "at least one row"),
        ("fake.parquet", "no parquet", "cannot be read as one"),
        ("table.ods", "x", "must end in .csv"),
        ("one.csv", "a,works\nx,yes\ny,yes\nz,yes\n", "at least two classes"),
        ("gap.csv", "a,works\nx,yes\ny,\nz,no\n", "1 rows without it"),
        ("two.csv", "a,works\nx,yes\ny,no\n", "at least 3 rows"),
        ("bytes.csv", b"\xff\xfe\x00", "UTF-8"),
    ],
)
def test_unusable_input_is_exit_code_2(run, tmp_path, name, content, said):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = run("minimise", file, "--target", "works", "--jobs", 1)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_file_that_is_not_there(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("minimise", "none.csv", "--target", "works")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[roles]\ntargt = "works"\n', "targt"),
        ("[roles\n", "A roles file (TOML) was expected"),
        ('[attributes.age]\nkind = "ordered"\n', "$.attributes.age"),
    ],
)
def test_a_damaged_roles_file_points_at_the_field(run, folder, tmp_path, toml, said):
    (tmp_path / "roles.toml").write_text(toml)
    result = run("minimise", folder / "people.csv", "--roles", tmp_path / "roles.toml")
    assert result.exit_code == 2
    assert said in result.stderr


def test_output_that_cannot_be_written_is_no_traceback(run, make_people, tmp_path, monkeypatch):
    file = tmp_path / "few.csv"
    make_people(40).to_csv(file, index=False)

    def full(self, path):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Generalization, "save", full)
    result = run("minimise", file, "--target", "works", "--max-utility-loss", 1, "--jobs", 1,
                 "-o", tmp_path / "g.json")  # fmt: skip
    assert result.exit_code == 2
    assert "Error: No space left on device: 'g.json'." in result.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--groups", "sexx"), "'sexx' is not a column (role 'groups'). Did you mean 'sex'?"),
        (("--groups", "works"), "'works' is the target"),
        (("--max-risk", 0.5, "--max-utility-loss-per-group", 0.1), "does not go together with"),
    ],
)
def test_groups_that_cannot_be_are_refused_before_the_work(run, folder, options, words):
    result = run("minimise", folder / "people.csv", "--target", "works", *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Minimise" not in result.stderr


def test_the_groups_of_a_choice_are_told(minimised):
    groups = json.loads(minimised.stdout)["groups"]
    assert groups["fewest"] == 100
    assert all(group["people"] >= 100 for group in groups["groups"])
    assert {group["attribute"] for group in groups["groups"]} <= set(groups["attributes"])

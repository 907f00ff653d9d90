"""`sparsam monitor`: what it says, its exit codes, and the history it keeps."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from sparsam.generalization import Generalization

from .conftest import SWEEP


@pytest.fixture(scope="module")
def chosen(run, folder, tmp_path_factory):
    """An artifact with its evidence."""
    file = tmp_path_factory.mktemp("chosen") / "people.json"
    result = run("minimise", folder / "people.csv", "--target", "works", *SWEEP, "-o", file, "-q")
    assert result.exit_code in (0, 1), result.output
    return file


def test_the_same_people_give_no_alarm(run, chosen, folder, tmp_path):
    history, report = tmp_path / "looks.json", tmp_path / "drift.html"
    options = ("--history", history, "--report", report, "--max-utility-loss", 0.3)
    result = run("monitor", chosen, folder / "people.csv", *options)
    assert result.exit_code == 0, result.output
    assert "The promise holds" in result.stdout
    assert "Keep the artifact" in result.stdout
    assert "Monitoring report" in report.read_text()
    again = run("monitor", chosen, folder / "people.csv", *options, "--json", "-q")
    assert json.loads(again.stdout)["look"] == 2
    assert [look["people"] for look in json.loads(history.read_text())["looks"]] == [700, 700]


def test_changed_people_are_exit_code_1(run, chosen, folder, tmp_path):
    people = pd.read_csv(folder / "people.csv", dtype={"zip": str})
    attribute = Generalization.load(chosen).collected[0]
    commonest = people[attribute].mode()[0]
    people.loc[: len(people) * 0.9, attribute] = commonest
    people.to_csv(tmp_path / "later.csv", index=False)
    result = run("monitor", chosen, tmp_path / "later.csv")
    assert result.exit_code == 1
    assert "no longer holds" in result.stdout
    assert attribute in result.stdout


def test_few_people_are_exit_code_3(run, chosen, folder, tmp_path):
    pd.read_csv(folder / "people.csv", dtype={"zip": str}).head(50).to_csv(tmp_path / "few.csv")
    result = run("monitor", chosen, tmp_path / "few.csv")
    assert result.exit_code == 3
    assert "too few people to tell" in result.stdout


def test_generalized_records(run, chosen, folder, tmp_path):
    run("apply", chosen, folder / "people.csv", "--keep", "works", "-o", tmp_path / "out.csv", "-q")
    result = run("monitor", chosen, tmp_path / "out.csv", "--json")
    facts = json.loads(result.stdout)
    assert result.exit_code == 0
    assert facts["generalized"]
    assert facts["utility"]["n_records"] == 700


def test_an_artifact_without_evidence(run, artifact, folder):
    result = run("monitor", artifact, folder / "people.csv")
    assert result.exit_code == 2
    assert "--baseline old.parquet" in result.output
    result = run(
        "monitor", artifact, folder / "people.csv", "--baseline", folder / "people.parquet"
    )
    assert result.exit_code in (0, 3)


def test_describe_tells_the_evidence_in_short(run, chosen):
    lines = run("describe", chosen).stdout.splitlines()
    (told,) = [line for line in lines if line.startswith("evidence")]
    assert "700 people" in told
    assert len(told) < 200

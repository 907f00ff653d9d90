"""`sparsam diff`: what changed between two versions, in words, as a page and as an exit code."""

from __future__ import annotations

import json

import pytest

from sparsam.collect import Questionnaire
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, Leaf, Recoding, numeric_partition


@pytest.fixture(scope="module")
def fewer(artifact, folder):
    """The artifact without education."""
    old = Generalization.load(artifact)
    kept = Generalization([part for part in old if part.name != "education"], old.about)
    kept.save(folder / "fewer.json")
    return folder / "fewer.json"


@pytest.mark.parametrize(("option", "codes"), [((), (0, 0, 0)), (("--exit-code",), (1, 0, 0))])
def test_the_exit_code_tells_what_is_finer_where_it_is_asked_to(
    run, artifact, fewer, option, codes
):
    pairs = ((fewer, artifact), (artifact, fewer), (artifact, artifact))
    results = [run("diff", *pair, *option) for pair in pairs]
    assert tuple(result.exit_code for result in results) == codes
    assert "- education: collected now, in" in results[0].stdout
    assert "- education: no longer collected, and no longer in the document" in results[1].stdout
    assert "Nothing changed in what is collected." in results[2].stdout


def test_a_page_and_json_with_the_risk_of_both_together(run, folder, artifact, fewer):
    report = folder / "diff.html"
    result = run("diff", fewer, artifact, folder / "people.csv", "--json", "--report", report,
                 "--date", "2026-11-16")  # fmt: skip
    told = json.loads(result.stdout)
    assert told["changes"]["finer"] is True
    assert told["risks"]["together"]["id"] == "A6"
    single = told["risks"]["together"]["details"]["single_breaches"]
    assert single == [told["risks"][which]["value"] for which in ("after", "before")]
    page = report.read_text(encoding="utf-8")
    assert "sparsam diff fewer.json artifact.json people.csv" in page
    assert "What both reveal together" in page


def test_what_cannot_be_measured_is_said_by_name(run, folder, artifact, fewer, tmp_path):
    table = tmp_path / "narrow.csv"
    table.write_text("age,works\n30,yes\n40,no\n", encoding="utf-8")
    result = run("diff", artifact, fewer, table)
    assert result.exit_code == 2
    assert "education" in result.stderr


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (("artifact.json", "people.csv"), (), "'people.csv' is a table, not a generalization"),
        (("artifact.json", "artifact.json"), ("--target", "works"), "is about a table of people"),
        (("artifact.json", "artifact.json"), ("--seed", "3"), "is about a table of people"),
        (("artifact.json", "nowhere.json"), (), "does not exist"),
        (("artifact.json", "paper.json"), (), "is the certificate of a release, not a"),
        (("artifact.json", "mask.npz"), (), "is a mask of single values, not a generalization"),
        (("artifact.json", "roles.toml"), (), "is a file of roles, not a generalization"),
        (("artifact.json", "report.json"), (), "is a report, not a generalization"),
        (("artifact.json", "damaged.json"), (), "damaged.json"),
    ],
)
def test_what_is_no_generalization(run, folder, artifact, files, options, message):
    for name, text in {
        "paper.json": '{"format": "sparsam/certificate"}',
        "mask.npz": "",
        "roles.toml": "",
        "report.json": '{"title": "x", "made": {}}',
        "damaged.json": '{"format": "sparsam/gen',
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    result = run("diff", *(folder / name for name in files), *options)
    assert result.exit_code == 2
    words = " ".join(result.stderr.replace("│", " ").split())
    assert message in words


def test_recodings_and_questionnaires_are_compared_by_their_ranges(run, tmp_path):
    ages = numeric_partition("age", NumericDomain(0, 99, integer=True), [30])
    recoding = Recoding(Generalization([ages]), {"age": [20, 40]}, [Leaf(("age",), {})])
    recoding.save(tmp_path / "recoding.json")
    Questionnaire(recoding).save(tmp_path / "questions.json")
    result = run("diff", tmp_path / "recoding.json", tmp_path / "questions.json")
    assert "recoding.json is a recoding: compared are the ranges" in result.stdout
    assert "questions.json is a questionnaire" in result.stdout
    assert "Nothing changed in what is collected." in result.stdout

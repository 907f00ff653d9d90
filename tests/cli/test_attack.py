"""`sparsam attack`: every adversary on a saved generalization."""

from __future__ import annotations

import json

import pytest


@pytest.fixture(scope="module")
def attacked(run, folder, artifact):
    report = folder / "attacks.html"
    return run("attack", artifact, folder / "people.csv", "--report", report), report


def test_a_table_of_all_adversaries(attacked):
    result, report = attacked
    assert result.exit_code == 0
    for name in ("A1", "A2", "A3", "A4", "A5", "A7", "A8", "control"):
        assert name in result.stdout
    assert "A6" not in result.stdout
    assert "What no attack on these records can exceed" in result.stdout
    assert report.read_text(encoding="utf-8").lower().startswith("<!doctype html")


def test_json_is_all_there_is_on_stdout(run, folder, artifact):
    result = run("attack", artifact, folder / "people.parquet", "--json", "--adversary", "A1")
    facts = json.loads(result.stdout)
    assert [risk["adversary"] for risk in facts["risks"]] == ["A1 reconstruction"]
    assert facts["complete"] is True


def test_two_generalizations_make_a_multi_breach(run, folder, artifact):
    result = run("attack", artifact, artifact, folder / "people.csv", "--adversary", "A6")
    assert result.exit_code == 0
    assert "A6 multi-breach" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "data last"),
        (("people.csv", "--adversary", "A9"), "must be one of"),
        (("people.csv", "--target", "wroks"), "Did you mean"),
    ],
)
def test_wrong_usage(run, folder, artifact, options, message):
    files = [folder / word if word.endswith(".csv") else word for word in options]
    result = run("attack", artifact, *files)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize("finished", [0, 1])
def test_what_is_interrupted_says_so_even_where_remarks_are_not_wanted(
    run, folder, artifact, monkeypatch, finished
):
    from sparsam.attack import _bench

    def interrupted(bench):
        raise KeyboardInterrupt

    monkeypatch.setitem(_bench._RUNS, "A8", interrupted)
    names = (*["A7"] * finished, "A8")
    wanted = [word for name in names for word in ("--adversary", name)]
    result = run("attack", artifact, folder / "people.csv", "--quiet", *wanted)
    assert result.exit_code == 130
    assert "Interrupted" in result.stderr
    assert ("A7" in result.stdout) == bool(finished)
    assert ("Not complete" in result.stdout) == bool(finished)

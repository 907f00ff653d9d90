"""`sparsam minimise` with several targets, and what is done with its artifact afterwards."""

from __future__ import annotations

import json

import numpy as np
import pytest
import rich_click as click

from sparsam.cli.minimise._purposes import LossLimit, single_limit
from sparsam.generalization import Generalization

TARGETS = ("--target", "works", "--target", "ill")
SWEEP = ("--min-leaf", 40, "--jobs", 1, "--max-utility-loss", "works=0.08,ill=0.1")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Work hangs on the age, illness on the town, and is known of the old."""
    rng = np.random.default_rng(0)
    age, town = rng.integers(20, 80, 1500), rng.choice(list("abcd"), 1500)
    works = (age < 60) ^ (rng.random(1500) < 0.1)
    ill = np.isin(town, ["a", "b"]) ^ (rng.random(1500) < 0.1)
    path = tmp_path_factory.mktemp("purposes") / "people.csv"
    lines = [
        f"{a},{t},{w},{i if a > 40 else ''}"
        for a, t, w, i in zip(age, town, works, ill, strict=True)
    ]
    path.write_text("\n".join(["age,town,works,ill", *lines]))
    return path


@pytest.fixture(scope="module")
def minimised(run, table):
    """The command, with everything it writes."""
    folder = table.parent
    return run("minimise", table, *TARGETS, *SWEEP, "--json", "-o", folder / "both.json",
               "--report", folder / "both.html")  # fmt: skip


def test_one_artifact_serves_all(minimised, table):
    assert minimised.exit_code == 0, minimised.output
    facts = json.loads(minimised.stdout)
    assert facts["targets"] == ["works", "ill"]
    assert facts["requirement"]["met"] is True
    assert facts["purposes"]["ill"]["limit"] == 0.1
    artifact = Generalization.load(table.parent / "both.json")
    assert artifact.about["targets"] == ["works", "ill"]
    assert list(artifact.collected) == facts["collected"] == ["age", "town"]
    assert "1,500 records with 2 attributes, for 2 purposes" in minimised.stderr


def test_the_report_shows_who_needs_what(minimised, table):
    page = (table.parent / "both.html").read_text(encoding="utf-8")
    assert "Which purpose needs which attribute" in page
    assert "--target works --target ill" in page
    assert str(table.parent) not in page


def test_the_artifact_is_judged_for_one_purpose(run, minimised, table):
    artifact = table.parent / "both.json"
    refused = run("assess", artifact, table)
    assert refused.exit_code == 2
    assert "must be judged for one: 'works', 'ill'" in refused.stderr
    assert "--target 'works'" in refused.stderr
    judged = run("assess", artifact, table, "--target", "ill", "--json")
    assert judged.exit_code == 0, judged.output
    assert judged.exit_code == run("apply", artifact, table, "-o", artifact.with_name("out.csv")
                                   ).exit_code  # fmt: skip


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--target", "works", "--target", "works"), "more than once"),
        ((*TARGETS, "--ignore", "ill"), "'ill' must not be declared as both"),
        ((*TARGETS, "--max-risk", "0.1"), "--max-risk goes with one --target only"),
        ((*TARGETS, "--attack"), "--attack goes with one --target only"),
        ((*TARGETS, "--max-utility-loss", "rich=0.1"), "'rich', which is not a purpose"),
        ((*TARGETS, "--must-keep", "works"), "'works', which is not an attribute"),
        ((*TARGETS, "--must-keep", "age", "--must-drop", "age"), "'must_keep' must be in neither"),
        (("--target", "works", "--max-utility-loss", "ill=0.1"), "'ill', which is not a target"),
    ],
)
def test_what_does_not_go_together(run, table, words, says):
    result = run("minimise", table, *words)
    assert result.exit_code == 2
    assert says in result.stderr


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("0.02", 0.02),
        ("works=0.01, ill=.02", {"works": 0.01, "ill": 0.02}),
        ("income>=50000=0.03", {"income>=50000": 0.03}),
        ("income in bins(1, 2)=0.03,a=0", {"income in bins(1, 2)": 0.03, "a": 0.0}),
    ],
)
def test_limits(text, limit):
    assert LossLimit().convert(text, None, None) == limit


@pytest.mark.parametrize("text", ["much", "-1", "a=much", "a=-1", "a=1,a=2", "a=inf", "nan"])
def test_limits_that_cannot_be(text):
    with pytest.raises(click.BadParameter):
        LossLimit().convert(text, None, None)


def test_the_limit_of_one_target():
    assert single_limit(None, "works") is None
    with pytest.raises(click.UsageError):
        single_limit({"ill": 0.1}, "works")

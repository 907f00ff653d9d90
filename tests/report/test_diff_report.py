"""The report on two versions: what it says, and that names cannot break it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sparsam.attack import attack_versions, task_for
from sparsam.data import CategoricalDomain, NumericDomain, split
from sparsam.generalization import Generalization, categorical_partition, changes, numeric_partition
from sparsam.report import diff_report

SCRIPT = "<script>alert(1)</script>"
AGES = NumericDomain(0, 99, integer=True)


def version(cuts, groups=(("a",), ("b", SCRIPT)), **about):
    listed = CategoricalDomain(tuple(c for group in groups for c in group) if groups else ())
    return Generalization(
        [
            numeric_partition("age", AGES, cuts),
            categorical_partition(SCRIPT, listed, [list(group) for group in groups]),
        ],
        about,
    )


@pytest.fixture(scope="module")
def old():
    return version(
        [30, 40, 50],
        target="y",
        personal=[SCRIPT, "sex"],
        learned_from_rows=900,
        parameters={"max_leaves": 20},
        roles={"attributes": {"age": {"unit": "years"}}},
    )


@pytest.fixture(scope="module")
def new():
    return version(
        [30, 45],
        (),
        target="z",
        personal=[SCRIPT],
        learned_from_rows=902,
        parameters={"max_leaves": 30},
        roles={"attributes": {"age": {"unit": "months"}}},
    )


def test_the_same_is_said_everywhere(old, new, read_html):
    report = diff_report(old, new, purpose="the record of processing", command="sparsam diff")
    for text in (
        "".join(read_html(report.to_html()).texts),
        report.to_markdown(),
        report.to_terminal(),
    ):
        assert "30–39 " in text
        assert "are cut otherwise now" in text
        assert "no longer collected" in text
        assert "the record of processing" in text
    assert SCRIPT not in report.to_html()
    assert report.verdict == (
        "1 attribute is finer in one place and coarser in another and 1 is no longer collected. "
        "Together, both versions tell more apart than either alone, in 1 attribute."
    )
    assert report.finer
    assert json.loads(report.to_json())["changes"]["finer"] is True


def test_facts_that_differ_are_listed(old, new):
    told = {fact["what"]: (fact["before"], fact["after"]) for fact in
            diff_report(old, new).to_dict()["facts"]}  # fmt: skip
    assert told["Protected no more"] == ("sex", "")
    assert told["What is predicted"] == ("y", "z")
    assert told["Setting max leaves"] == ("20", "30")
    assert told["age: unit"] == ("years", "months")
    # two people apart: whoever subtracts would know the few
    assert told["Records it was learned from"] == ("900", "fewer than 905")
    assert list(diff_report(old, old).to_dict()["facts"]) == []


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ([30], [30], "Nothing changed in what is collected. Both versions tell the same apart."),
        ([30, 40], [30], "Nothing is collected more finely than before; 1 attribute is coarser. "
         "Together, both versions tell no more apart than the finer one."),
        ([], [30], "1 attribute is collected now that was not. Together, both versions tell no "
         "more apart than the finer one."),
    ],
)  # fmt: skip
def test_the_verdict(before, after, verdict):
    report = diff_report(version(before), version(after))
    assert report.verdict == verdict
    assert report.finer == (before == [])


def test_measured_on_people():
    rng = np.random.default_rng(0)
    people = {
        "age": rng.integers(0, 99, 600),
        "sex": rng.choice(["f", "m"], 600),
        "y": rng.choice(["no", "yes"], 600),
    }
    sexes = CategoricalDomain(("f", "m"))
    versions = [
        Generalization(
            [numeric_partition("age", AGES, cuts),
             categorical_partition("sex", sexes, [["f"], ["m"]])],
            {"target": "y", "personal": ["sex"]},
        )
        for cuts in ([30], [60])
    ]  # fmt: skip
    compared = changes(*versions)
    data = split(task_for(compared.together, people), random_state=0)
    report = diff_report(*versions, attack_versions(compared, data), data, source="people.csv")
    told = report.to_dict()["risks"]
    assert told["together"]["recovered"] == 1.0
    assert "recovers 100" in report.verdict
    assert "people.csv" in report.to_markdown()
    assert "Both together" in report.to_terminal()
    assert told["before"]["parts"][0]["attribute"] == "sex"

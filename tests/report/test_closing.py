"""How to repeat a report, without a hash by which a row can be guessed."""

from __future__ import annotations

import re

import pytest

from sparsam.report import Report, report_on
from sparsam.report._closing import NO_HASH, meaning_section, reproduce_section, task_facts
from sparsam.report.page._blocks import plain_words


@pytest.fixture(scope="module")
def report(choice) -> Report:
    return report_on(choice, source="people.csv", command="sparsam minimise people.csv")


def test_how_to_reproduce(report, choice):
    reproduce = report.to_dict()["reproduce"]
    assert reproduce["input"] == {
        "name": "people.csv",
        "hash": NO_HASH,
        "rows": 700,
    }
    assert reproduce["seed"] == 0
    assert reproduce["command"] == "sparsam minimise people.csv"
    assert {"sparsam", "python", "numpy", "scikit-learn"} <= set(reproduce["versions"])


def test_no_hash_by_which_a_row_can_be_guessed(choice):
    report = report_on(choice)
    data = report.to_dict()
    assert data["title"] == "Data minimisation report: works"
    assert NO_HASH in report.to_markdown()
    assert NO_HASH in report.to_html()
    assert not re.search(r"\b[0-9a-f]{32,}\b", report.to_json() + report.to_markdown())


def test_sections_of_few_words():
    again = {"command": None, "input": {"name": "a.csv", "rows": None, "hash": "left out"}}
    again |= {"seed": None, "settings": {"split": "60 / 10 / 30"}, "versions": {"numpy": "2.3"}}
    (facts,) = reproduce_section(again, facts=[("Task", "predict")]).blocks
    assert [name for name, _ in facts.pairs] == [
        "Input", "Hash of the input", "Task", "Seed", "split", "Versions",
    ]  # fmt: skip
    (columns,) = meaning_section([{"heading": "h", "text": "t"}]).blocks
    assert len(columns.groups) == 1


def test_what_reading_remarked_is_in_the_report():
    task = {
        "target": "y",
        "classes": ["a", "b"],
        "attributes": 3,
        "personal": [],
        "split": {"train": 60, "validation": 10, "test": 30},
        "remarks": ["x: alone tells the target"],
    }
    assert [plain_words(fact) for fact, _ in task_facts(task)] == ["Task", "Split", "Remark"]
    assert plain_words(task_facts(task)[-1][1]) == "x: alone tells the target"

"""What the report of several purposes says, on a real result."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sparsam.assess import PurposesChoice, minimise_for_purposes
from sparsam.data import Roles
from sparsam.report import PurposesReport, purposes_report

HOSTILE = "<b>ill|"


@pytest.fixture(scope="module")
def choice() -> PurposesChoice:
    """Work hangs on the age, illness on the town."""
    rng = np.random.default_rng(0)
    age, town = rng.integers(20, 80, 1500), rng.choice(list("abcd"), 1500)
    table: dict[str, Any] = {
        "age": age,
        "town": town,
        "sex": rng.choice(["f", "m"], 1500),
        "works": (age < 60) ^ (rng.random(1500) < 0.1),
        HOSTILE: np.isin(town, ["a", "b"]) ^ (rng.random(1500) < 0.1),
    }
    roles = Roles(targets=["works", HOSTILE])
    return minimise_for_purposes(
        table, roles, max_utility_loss=0.08, minimisers=("merging",), min_leaf=40, n_jobs=1
    )


@pytest.fixture(scope="module")
def report(choice: PurposesChoice) -> PurposesReport:
    """Its report."""
    return purposes_report(choice, source="people.csv", date="2026-11-16")


def test_sections(report: PurposesReport) -> None:
    assert [section.title for section in report.page().sections] == [
        "Which purpose needs what",
        "What to collect",
        "What each purpose keeps",
        "What someone could still learn",
        "What these numbers do not mean",
        "How to reproduce",
    ]


def test_the_verdict(report: PurposesReport) -> None:
    assert report.verdict.startswith("These 2 purposes need 2 of 3 attributes together. ")
    assert "accuracy of works" in report.verdict.lower()


def test_what_each_purpose_needs(report: PurposesReport) -> None:
    text = report.to_markdown()
    assert "Only works needs: age" in text
    assert "no attribute of another" in text
    needs = {need["attribute"]: need for need in report.to_dict()["needs"]}
    assert needs["sex"]["together"] == []


def test_the_picture_has_a_field_for_each_need(report: PurposesReport) -> None:
    page = report.to_html()
    assert page.count('class="shade more"') == 3 * 3  # two purposes and all of them
    assert "sex, works: not needed" in page


def test_names_do_no_harm(report: PurposesReport) -> None:
    assert HOSTILE not in report.to_html()
    assert "&lt;b&gt;ill|" in report.to_html()


def test_plain_data(report: PurposesReport, choice: PurposesChoice) -> None:
    data = json.loads(report.to_json())
    assert data["targets"] == ["works", HOSTILE]
    assert data["purposes"]["works"]["people"] == choice.shown["works"].people
    assert data["reproduce"]["input"]["name"] == "people.csv"


def test_a_choice_writes_its_report(choice: PurposesChoice) -> None:
    assert "2 purposes" in choice.report(title="2 purposes").to_markdown()


def test_a_terminal_has_the_table_of_needs(report: PurposesReport) -> None:
    text = report.to_terminal(100)
    assert "works alone" in text
    assert "All together" in text
    assert "Do not collect: sex" in text


def test_the_verdict_says_each_limit(report: PurposesReport) -> None:
    limits = "8.0 points of accuracy for works and 8.0 points of accuracy for"
    assert f"every purpose keeps its limit, which is {limits}" in report.to_markdown()


def test_a_limit_that_nobody_set_is_explained(choice: PurposesChoice) -> None:
    why = "0.08 is what so many can show; 0.01 would take about 9,000 people"
    document = purposes_report(replace(choice, limit_words={"works": "", HOSTILE: why}))
    assert f", {why}." in document.to_markdown()
    assert "Of works," not in document.to_markdown()

"""The report on what to retain: true words, no person in it, one page that needs nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparsam.individual import Retention, retain
from sparsam.individual._people import Encoded
from sparsam.report import IndividualReport, individual_report
from sparsam.report._individual_report import overlap_words

THIN = "\u202f"
BITS = hnp.arrays(bool, st.tuples(st.integers(10, 60), st.integers(1, 5)))


@pytest.fixture(scope="module")
def people() -> Encoded:
    rng = np.random.default_rng(2)
    X = rng.random((240, 3))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    return Encoded(X, y, ("age", "<b>pay", "job_kind"), ("no", "yes"))


@pytest.fixture(scope="module")
def retention(people: Encoded) -> Retention:
    return retain(
        people,
        max_drop=0.1,
        algorithms=["random rows", "individualised random"],
        shares=[0.25, 0.5],
        n_references=2,
    )


@pytest.fixture(scope="module")
def report(retention: Retention) -> IndividualReport:
    ask = {"source": "people.csv", "command": "sparsam individual <x>"}
    return individual_report(retention, target="ill", **ask)


def test_plain_data_are_json_and_make_the_same_report(report: IndividualReport) -> None:
    again = IndividualReport(json.loads(report.to_json()))
    assert again.to_html() == report.to_html()
    assert again.to_markdown() == report.to_markdown()


def test_the_page_needs_nothing_else(report: IndividualReport, read_html) -> None:
    text = report.to_html()
    page = read_html(text)
    assert "http" not in re.sub(r"http-equiv", "", text)
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed")
        for name in ("src", "href"):
            value = attributes.get(name)
            assert value is None or value.startswith(("data:", "#"))
    assert all(tag != "script" for tag, _ in page.elements)
    assert "&lt;b&gt;pay" in text
    assert "<b>pay" not in text
    assert len(page.ids) == len(set(page.ids))
    assert "prefers-color-scheme: dark" in text


@pytest.mark.parametrize("how", ["to_html", "to_markdown"])
def test_it_says_what_it_must(report: IndividualReport, retention: Retention, how: str) -> None:
    text = getattr(report, how)().replace(THIN, " ")
    for words in (
        "deciding what to retain, not what to ask for",
        "must see all of them once",
        "random rows",
        "individualised random",
        "Re-identification (RIR), evidence weighed",
        "Membership (MIR)",
        f"{retention.curve.chosen.accuracy.to_dict()['accuracy']:.1%}".replace("%", " %"),
        f"{retention.curve.chosen.weighed.value:.3f}",
        f"{retention.reconstruction.value:.3f}",
        "with other seeds have",
        "all 240 rows of the table",
        "a drop in accuracy of at most 10.0 points",
        "people.csv",
        "sparsam individual",
    ):
        assert words in text, words


def test_every_point_is_in_both_renderings(report: IndividualReport, retention: Retention) -> None:
    for text in (report.to_html(), report.to_markdown()):
        for point in retention.curve.points:
            assert f"{point.reconstruction.value:.3f}" in text
            assert point.membership is not None
            assert f"{point.membership.value:.3f}" in text


def test_a_missed_requirement_comes_first(retention: Retention) -> None:
    drop = retention.drop
    missed = individual_report(replace(retention, max_drop=drop - 0.01))
    assert "Requirement not met" in missed.to_html()
    assert "**✗ Requirement not met**" in missed.to_markdown()
    assert "Requirement" not in individual_report(replace(retention, max_drop=None)).to_html()


def test_one_point_and_no_runs(people: Encoded, read_html) -> None:
    ask = {"algorithms": [], "shares": [], "n_runs": 0, "membership": "none"}
    report = individual_report(retain(people, keep=0.2, **ask))
    names = [section.id for section in report.page().sections]
    assert names == ["decided", "mask", "meaning", "reproduce"]
    assert "not measured" in report.to_html()
    assert "MIR" not in report.to_markdown().split("## ")[1]
    assert "MIR" not in report.to_terminal()
    read_html(report.to_html())
    assert "Retain 144 of 720 values" in repr(report)
    assert "<table>" in report._repr_html_()


def test_saved_in_three_ways(report: IndividualReport, tmp_path) -> None:
    for ending in ("html", "md", "json"):
        report.save(tmp_path / f"r.{ending}")
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == report.to_dict()
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html")


def test_many_attributes(report: IndividualReport) -> None:
    data = report.to_dict()
    age = data["attributes"][0]
    data["attributes"] = [{**age, "name": f"word{j}"} for j in range(20_000)]
    wide = IndividualReport(data)
    for text in (wide.to_html(), wide.to_markdown()):
        assert "And 19,800 attributes that are kept less often." in text
        assert "word199" in text
        assert "word200" not in text


@pytest.mark.parametrize(
    ("mean", "words"), [(0.21, "That is chance"), (0.6, "beyond chance"), (0.05, "avoid")]
)
def test_overlap_in_words(report: IndividualReport, mean: float, words: str) -> None:
    data = report.to_dict()
    data["overlap"] |= {"mean": mean, "random": 0.2, "random_low": 0.19, "random_high": 0.21}
    assert words in overlap_words(data["overlap"])


def test_no_value_of_a_person_is_in_it(people: Encoded, report: IndividualReport) -> None:
    text = report.to_json()
    for value in people.X[:50].ravel():
        assert repr(float(value)) not in text

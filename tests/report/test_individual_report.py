"""The report on what to retain: true words, no person in it, one page that needs nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparsam._small_counts import share_step
from sparsam.individual import Retention, retain
from sparsam.individual._people import Encoded
from sparsam.report import IndividualReport, individual_report
from sparsam.report._individual_picture import (
    MOST_COLUMNS,
    MOST_ROWS,
    _by_pattern,
    kept_attributes,
    kept_people,
    picture_of,
)
from sparsam.report._individual_view import individual_sections
from sparsam.report._individual_words import overlap_words
from sparsam.report.pictures._individual import curve_figures
from sparsam.report.plot._matrix import shares_uri

VOID = {"meta", "link", "input", "br", "wbr"}
THIN = "\u202f"
BITS = hnp.arrays(bool, st.tuples(st.integers(10, 60), st.integers(1, 5)))


class Page(HTMLParser):
    """Collects elements, and checks that they close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def people() -> Encoded:
    rng = np.random.default_rng(2)
    X = rng.random((240, 3))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    return Encoded(X, y, ("age", "<b>pay", "job_kind"), ("no", "yes"))


@pytest.fixture(scope="module")
def found(people: Encoded) -> Retention:
    return retain(
        people,
        max_drop=0.1,
        algorithms=["random rows", "individualised random"],
        shares=[0.25, 0.5],
        n_references=2,
    )


@pytest.fixture(scope="module")
def report(found: Retention) -> IndividualReport:
    ask = {"source": "people.csv", "command": "sparsam individual <x>"}
    return individual_report(found, target="ill", **ask)


def test_plain_data_are_json_and_make_the_same_report(report: IndividualReport) -> None:
    again = IndividualReport(json.loads(report.to_json()))
    assert again.to_html() == report.to_html()
    assert again.to_markdown() == report.to_markdown()


def test_the_page_needs_nothing_else(report: IndividualReport) -> None:
    text = report.to_html()
    page = Page(text)
    assert "http" not in re.sub(r"http-equiv", "", text)
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed")
        for name in ("src", "href"):
            value = attributes.get(name)
            assert value is None or value.startswith(("data:", "#"))
    assert sum(tag == "script" for tag, _ in page.elements) == 1
    assert "&lt;b&gt;pay" in text
    assert "<b>pay" not in text
    ids = [attributes["id"] for _, attributes in page.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    assert "prefers-color-scheme: dark" in text


@pytest.mark.parametrize("how", ["to_html", "to_markdown"])
def test_it_says_what_it_must(report: IndividualReport, found: Retention, how: str) -> None:
    text = getattr(report, how)().replace(THIN, " ")
    for words in (
        "deciding what to retain, not what to ask for",
        "must see all of them once",
        "random rows",
        "individualised random",
        "Re-identification (RIR), evidence weighed",
        "Membership (MIR)",
        f"{found.curve.chosen.accuracy.to_dict()['accuracy']:.1%}".replace("%", " %"),
        f"{found.curve.chosen.weighed.rir:.3f}",
        f"{found.reconstruction.rcr:.3f}",
        "with other seeds have",
        "all 240 rows of the table",
        "a drop in accuracy of at most 10.0 points",
        "people.csv",
        "sparsam individual",
    ):
        assert words in text, words


def test_every_point_is_in_both_renderings(report: IndividualReport, found: Retention) -> None:
    for text in (report.to_html(), report.to_markdown()):
        for point in found.curve.points:
            assert f"{point.reconstruction.rcr:.3f}" in text
            assert point.membership is not None
            assert f"{point.membership.auc:.3f}" in text


def test_a_missed_requirement_comes_first(found: Retention) -> None:
    drop = found.drop
    missed = individual_report(replace(found, max_drop=drop - 0.01))
    assert "Requirement not met" in missed.to_html()
    assert "**NOT met**" in missed.to_markdown()
    assert "Requirement" not in individual_report(replace(found, max_drop=None)).to_html()


def test_one_point_and_no_runs(people: Encoded) -> None:
    ask = {"algorithms": [], "shares": [], "n_runs": 0, "membership": "none"}
    report = individual_report(retain(people, keep=0.2, **ask))
    data = report.to_dict()
    assert list(individual_sections(data)) == ["decided", "mask", "meaning", "reproduce"]
    assert curve_figures(data) == []
    assert "not measured" in report.to_html()
    assert "MIR" not in report.to_markdown().split("## ")[1]
    Page(report.to_html())
    assert "Retain 144 of 720 values" in repr(report)
    assert "<table>" in report._repr_html_()


def test_saved_in_three_ways(report: IndividualReport, tmp_path) -> None:
    for ending in ("html", "md", "json"):
        report.save(tmp_path / f"r.{ending}")
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == report.to_dict()
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html")


@given(BITS)
def test_the_picture_is_of_many_people(kept: np.ndarray) -> None:
    picture = picture_of(kept)
    rows = np.array(picture["rows"])
    assert picture["people_per_row"] >= 10
    assert len(rows) == max(1, len(kept) // 10)
    assert rows.shape[1] == kept.shape[1]
    sizes = [len(part) for part in np.array_split(np.arange(len(kept)), len(rows))]
    total = (rows * np.array(sizes)[:, None]).sum(0)
    step = max(0.01, share_step(picture["people_per_row"]))
    assert picture["people_per_row"] * step >= 5
    assert rows / step == pytest.approx(np.round(rows / step), abs=1e-6)
    assert total == pytest.approx(kept.sum(0), abs=(step / 2 + 1e-6) * len(kept))
    # of the first block at least as much is kept as of the last
    assert rows[0].sum() >= rows[-1].sum() - 0.1


@given(BITS)
def test_people_are_sorted_by_how_much_is_kept_and_by_what(kept: np.ndarray) -> None:
    expected = sorted(range(len(kept)), key=lambda i: (-kept[i].sum(), (~kept[i]).tolist(), i))
    assert _by_pattern(kept).tolist() == expected


def test_many_attributes(report: IndividualReport) -> None:
    data = report.to_dict()
    one = data["attributes"][0]
    data["attributes"] = [{**one, "name": f"word{j}"} for j in range(20_000)]
    wide = IndividualReport(data)
    for text in (wide.to_html(), wide.to_markdown()):
        assert "And 19,800 attributes that are kept less often." in text
        assert "word199" in text
        assert "word200" not in text


def test_wide_and_long_masks_stay_small() -> None:
    picture = picture_of(np.ones((5000, 700), bool))
    assert len(picture["rows"]) == MOST_ROWS
    assert len(picture["rows"][0]) == MOST_COLUMNS
    assert picture["attributes_per_column"] == 6
    assert len(shares_uri(picture["rows"])) < 5000


@given(BITS)
def test_no_count_tells_of_few_people(kept: np.ndarray) -> None:
    bins = kept_people(kept)
    assert sum(one["people"] for one in bins) == len(kept)
    assert all(one["people"] >= 5 for one in bins)
    held = kept.sum(1)
    for one in bins:
        assert one["people"] == ((held >= one["low"]) & (held <= one["high"])).sum()
    names = [f"a{j}" for j in range(kept.shape[1])]
    shown = {one["name"]: one for one in kept_attributes(kept, names)}
    for name, count in zip(names, kept.sum(0), strict=True):
        few = 0 < count < 5 or 0 < len(kept) - count < 5
        assert (shown[name]["share"] is None) == few
        if not few:
            assert shown[name]["share"] == pytest.approx(
                count / len(kept), abs=share_step(len(kept)) / 2 + 1e-9
            )


@pytest.mark.parametrize(
    ("mean", "words"), [(0.21, "That is chance"), (0.6, "beyond chance"), (0.05, "avoid")]
)
def test_overlap_in_words(report: IndividualReport, mean: float, words: str) -> None:
    data = report.to_dict()
    data["overlap"] |= {"mean": mean, "random": 0.2, "random_low": 0.19, "random_high": 0.21}
    assert words in overlap_words(data)


def test_no_value_of_a_person_is_in_it(people: Encoded, report: IndividualReport) -> None:
    text = report.to_json()
    for value in people.X[:50].ravel():
        assert repr(float(value)) not in text

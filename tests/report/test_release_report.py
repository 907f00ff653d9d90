"""The report on a release: true words, safe numbers, one page that needs nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from types import MappingProxyType

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsam as sp
from sparsam.anonymise import Anonymiser, DistinctDiversity, Greedy, Mondrian, drop_one, k_sweep
from sparsam.anonymise._anonymise_model import AnonymisedModel, ModelFacts
from sparsam.attack import Risk
from sparsam.report import release_report
from sparsam.report._provenance import NO_HASH
from sparsam.report._release_sizes import size_bins, size_words
from sparsam.report._release_words import release_verdict

VOID = {"meta", "link", "input", "br", "wbr"}
THIN = "\u202f"
NAMES = ["age", "education", "marital_status", "sex"]
SCORES = {"measure": "share", "raw": 0.8, "chance": 0.55, "words": "How it was measured."}


class Page(HTMLParser):
    """Collects elements, and checks that they close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def plain(text: str) -> str:
    return text.replace(THIN, " ")


@pytest.fixture(scope="module")
def people():
    return sp.load_example().take(range(600)).to_frame("pandas")


@pytest.fixture(scope="module")
def greedy(people):
    method = Anonymiser(Greedy(), quasi_identifiers=NAMES, k=8, keep=["employed"], publish="mode")
    method.release = method.fit_transform(people)
    return method


@pytest.fixture(scope="module")
def report(people, greedy):
    labels = people["employed"].to_numpy()
    ask = MappingProxyType({"quasi_identifiers": NAMES, "ks": (5, 40)})
    sweeps = [
        k_sweep(people, labels, anonymiser=one, score=lambda release, y: 0.5 + len(y) / 4000, **ask)
        for one in (Anonymiser(Greedy()), Anonymiser(Mondrian()))
    ]
    return release_report(
        greedy.release,
        greedy.certificate_,
        sweeps=sweeps,
        scores=SCORES,
        drop_one=drop_one(people, quasi_identifiers=NAMES, anonymiser=Anonymiser(Greedy(), k=8)),
        model=anonymised(greedy.certificate_),
        source="people.csv",
        rows=600,
        command="sparsam anonymise people.csv --quasi-identifiers age",
    )


def anonymised(certificate):
    """A model before and after, with made-up figures."""
    about = {"n": 300, "split": "members", "random_state": 0, "baseline": 0.5}
    told = Risk(adversary="RMIA", measure="AUC", value=0.71, interval=(0.69, 0.73), **about)
    guess = Risk(adversary="Fredrikson", measure="accuracy", attribute="race", value=0.61,
                 interval=(0.55, 0.67), **about)  # fmt: skip
    before = ModelFacts(name="raw", train_accuracy=0.97, test_accuracy=0.812, membership=(told,),
                        attribute=(guess,))  # fmt: skip
    after = replace(before, name="anonymised", test_accuracy=0.805,
                    membership=(replace(told, value=0.52),))  # fmt: skip
    noisy = ModelFacts(name="DP forest", train_accuracy=0.7, test_accuracy=0.699,
                       privacy={"epsilon": 1.25, "delta": 0})  # fmt: skip
    return AnonymisedModel(
        model=None, before=before, after=after, private=(noisy,), certificate=certificate,
        method="Hybrid", k=20, quasi_identifiers=tuple(NAMES), n_train=300, n_test=300,
        n_suppressed=0, information_loss=0.2, random_state=0,
    )  # fmt: skip


def test_the_verdict_comes_first(report, greedy):
    assert plain(report.verdict) == (
        "Every combination of quasi-identifiers is shared by at least 8 rows. This was checked "
        f"from the published cells. 600 rows are published in {greedy.certificate_.classes} "
        "classes; no row was left out. Whole rows, with the columns published as they are: "
        f"{greedy.certificate_.whole_rows.unique} of 600 are unique."
    )
    page = report.to_html()
    assert page.index("Every combination of") < page.index('class="figures"')
    assert report.to_markdown().splitlines()[2].startswith("**Every combination of quasi-identif")
    assert "✓ Promise kept" in page
    assert report.kept
    assert repr(report).startswith("<ReleaseReport 'Anonymisation report': Every combination")


def test_everything_that_was_measured_is_there(report, greedy):
    paper = greedy.certificate_
    data = report.to_dict()
    assert json.loads(report.to_json()) == data
    assert data["certificate"]["smallest"] == paper.smallest
    assert sum(one["records"] for one in data["sizes"]) == paper.classes
    assert sum(one["rows"] for one in data["sizes"]) == 600
    mean_risk = 100 * paper.classes / 600
    for text in map(plain, (report.to_html(), report.to_markdown())):
        assert paper.sha256 in text
        for loss in paper.information_loss.values():
            assert f"{100 * loss:.2f} %" in text
        for name in paper.information_loss:
            assert name in text
        assert "Goldsteen et al. 2021 eq. 1-2" in text
        assert f"{mean_risk:.1f} %" in text  # the mean of 1 / size over rows
        assert f"{100 / paper.smallest:.1f} %" in text
        for who in ("Prosecutor", "Journalist", "Marketer"):
            assert who in text
        assert "How it was measured." in text
        assert "sparsam anonymise people.csv" in text
        assert NO_HASH in text
        assert "One release, not two" in text


def test_whole_rows_and_classes_that_say_one_thing(people, greedy):
    paper = greedy.certificate_
    made = release_report(greedy.release, paper)
    rows, one = made.to_dict()["certificate"]["whole_rows"], paper.one_value[0]
    assert rows == {"unique": paper.whole_rows.unique, "few": paper.whole_rows.few,
                    "different": paper.whole_rows.different}  # fmt: skip
    assert one.classes > 0
    for text in map(plain, (made.to_html(), made.to_markdown())):
        assert f"{paper.whole_rows.unique} of 600" in text
        assert f"{one.classes} of {paper.classes} classes, {one.rows} rows" in text
    change = msgspec.structs.replace
    for unique, rare, said in (
        (3, 100, "fewer than 5 of 600 are"),
        (598, 600, "more than 595 of 600 are"),
        (0, 0, "none is"),
    ):
        counts = change(paper.whole_rows, unique=unique, few=rare)
        other = release_report(greedy.release, change(paper, whole_rows=counts)).to_dict()
        told = release_verdict({**other, "kept": True, "complete": True})
        assert f"published as they are: {said} unique." in str(told)
    bare = Anonymiser(Greedy(), quasi_identifiers=NAMES, k=8)
    alone = release_report(bare.fit_transform(people), bare.certificate_)
    assert "Whole rows" not in alone.verdict
    assert alone.to_dict()["certificate"]["whole_rows"] is None


def test_the_optional_parts(report):
    for text in map(plain, (report.to_html(), report.to_markdown())):
        assert "What every k costs" in text
        assert "65.0 %" in text  # 0.5 + 600 / 4000
        assert "80.0 %" in text  # raw rows
        assert "55.0 %" in text  # one answer for everyone
        assert "What every quasi-identifier costs" in text
        assert "points" in text
        assert "trained on anonymised rows" in text
        assert "0.520 (0.690–0.730)" in text
        assert "80.0 %" in text  # 0.805 of 300 people, in steps of 0.02
        assert "61.0 % (55.0–67.0 %)" in text
        assert "without the model 50.0 %" in text
        assert "1.25" in text
        assert "DP forest" in text


def test_without_them(greedy):
    made = release_report(greedy.release, greedy.certificate_)
    data = made.to_dict()
    assert data["sweeps"] is data["drop_one"] is data["model"] is None
    for text in (made.to_html(), made.to_markdown()):
        for title in ("What every k costs", "quasi-identifier costs", "A model trained on it"):
            assert title not in text
    Page(made.to_html())


def test_no_value_of_a_person(report, people):
    values = {str(v) for name in people for v in people[name].unique() if not str(v).isdigit()}
    said = (report.to_html(), report.to_markdown(), report.to_json(), report._repr_html_())
    for value in values - {"yes", "no"}:
        assert not any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) for text in said), value


def test_one_page_that_needs_nothing_else(report):
    page = report.to_html()
    found = Page(page)
    assert not re.search(r"https?://|@import|url\(", page)
    assert not [a for _, a in found.elements if "src" in a]
    assert len([name for name, _ in found.elements if name == "script"]) == 1
    ids = [a["id"] for _, a in found.elements if "id" in a]
    assert len(ids) == len(set(ids))
    links = [a["href"][1:] for name, a in found.elements if name == "a"]
    assert set(links) <= set(ids)
    assert 'http-equiv="Content-Security-Policy"' in page


def test_names_are_escaped(people):
    evil = people[["age"]].rename(columns={"age": "<script>alert(1)</script>|"})
    method = Anonymiser(Greedy(), k=20)
    made = release_report(method.fit_transform(evil), method.certificate_, title="<b>|")
    page = made.to_html()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    Page(page)
    assert "<script>" not in made.to_markdown()
    assert "<script>" not in made._repr_html_()


def test_a_broken_promise_comes_first(greedy):
    changed = greedy.release.copy()
    changed.loc[5, "age"] = 199
    made = release_report(changed, greedy.certificate_)
    assert not made.kept
    assert made.verdict.startswith("This release must not be relied on. Not true of the published")
    page = made.to_html()
    assert "✗ Promise broken" in page
    assert "✓ Promise kept" not in page
    data = made.to_dict()
    assert data["risk"] is None
    assert data["sizes"] == []
    held = {one["words"]: one for one in data["findings"]}
    words = "every combination of quasi-identifiers is shared by at least 8 rows"
    assert held[words]["held"] is False
    assert "1 rows" not in page
    assert "199" not in re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    assert "must not be relied on" in made.to_markdown()
    Page(page)


def test_few_people_are_not_counted(people):
    method = Anonymiser(
        Mondrian(), quasi_identifiers=["age", "sex", "education"], k=2, publish="ranges"
    )
    release = method.fit_transform(people)
    assert method.certificate_.smallest < 5
    data = release_report(release, method.certificate_).to_dict()
    assert data["certificate"]["smallest"] == "fewer than 5"
    assert data["risk"]["prosecutor"]["highest"] is None
    assert data["risk"]["journalist"]["highest"] is None
    assert data["sizes"][0]["low"] == 1
    assert data["sizes"][0]["high"] >= 4
    page = plain(release_report(release, method.certificate_).to_html())
    assert "more than 20 %" in page
    suppressed = msgspec.structs.replace(method.certificate_, suppressed=3)
    shown = release_report(release, suppressed)
    assert "fewer than 5 were left out" in shown.verdict
    assert shown.to_dict()["certificate"]["suppressed"] == "fewer than 5"


def test_a_promise_about_a_column_that_nobody_shows(people):
    method = Anonymiser(
        Greedy(), quasi_identifiers=["age"], k=10, privacy=DistinctDiversity(2, "race")
    )
    release = method.fit_transform(people)
    made = release_report(release, method.certificate_)
    assert made.kept
    assert not made.to_dict()["complete"]
    assert ", says the certificate." in made.verdict
    assert "– not checked" in made.to_html()
    shown = {"race": people["race"].to_numpy()}
    full = release_report(release, method.certificate_, unpublished=shown)
    assert full.to_dict()["complete"]
    assert "This and 1 further promise were checked" in full.verdict


def test_people_with_several_rows(people):
    several = people.assign(whose=np.arange(600) // 2)
    method = Anonymiser(Greedy(), quasi_identifiers=["age", "sex"], k=6, entity="whose")
    release = method.fit_transform(several)
    shown = {"whose": several["whose"].to_numpy()}
    data = release_report(release, method.certificate_, unpublished=shown).to_dict()
    behind = release.assign(whose=several["whose"]).groupby(["age", "sex"])["whose"].nunique()
    assert data["certificate"]["smallest_people"] == behind.min()
    assert data["risk"]["prosecutor"]["highest"] == pytest.approx(1 / behind.min())
    # rows alone would make the risk look smaller than it is
    assert release_report(release, method.certificate_).to_dict()["risk"] is None


def test_a_certificate_in_a_file(greedy, tmp_path):
    greedy.certificate_.save(tmp_path / "c.json")
    made = release_report(greedy.release, tmp_path / "c.json")
    assert made.kept
    for name in ("r.html", "r.md", "r.json"):
        made.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000


@given(st.lists(st.integers(1, 400), min_size=1, max_size=60))
def test_bins_hold_everyone_and_give_nobody_away(sizes):
    found = size_bins(np.array(sizes, dtype=np.int64))
    if sum(sizes) < 5:
        assert found == []
        return
    assert sum(one["rows"] for one in found) == sum(sizes)
    assert sum(one["records"] for one in found) == len(sizes)
    assert all(one["rows"] == 0 or one["rows"] >= 5 for one in found)
    assert found[0]["low"] == 1 or found[0]["low"] <= min(sizes)
    for one, after in pairwise(found):
        assert one["high"] + 1 == after["low"]
        inside = [size for size in sizes if one["low"] <= size <= one["high"]]
        assert (len(inside), sum(inside)) == (one["records"], one["rows"])
    assert len(found) <= 25
    assert all(not re.search(r"(?<!\d)[1-4](?!\d)", size_words(one)) for one in found)


def test_scores_of_other_kinds_and_none(people, greedy):
    sweep = k_sweep(people, quasi_identifiers=NAMES, ks=(10,))
    made = release_report(greedy.release, greedy.certificate_, sweeps=[sweep])
    assert "What every k costs" in made.to_html()
    numbers = {"measure": "r2", "raw": 0.5}
    scored = replace(sweep, rows=tuple(replace(row, score=0.437) for row in sweep.rows))
    made = release_report(greedy.release, greedy.certificate_, sweeps=[scored], scores=numbers)
    assert "0.437" in made.to_markdown()
    assert "R²" in made.to_html()
    Page(made.to_html())

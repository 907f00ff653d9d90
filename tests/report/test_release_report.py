"""The report on a release: true words, safe numbers, one page that needs nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import MappingProxyType

import msgspec
import numpy as np
import pytest

import sparsam as sp
from sparsam.anonymise import Anonymiser, DistinctDiversity, Greedy, Mondrian, drop_one, k_sweep
from sparsam.anonymise._anonymise_model import AnonymisedModel, ModelFacts
from sparsam.attack import Risk
from sparsam.report import ReleaseReport, release_report
from sparsam.report._closing import NO_HASH
from sparsam.report._words import THIN

NAMES = ["age", "education", "marital_status", "sex"]
SCORES = {"measure": "share", "raw": 0.8, "chance": 0.55, "words": "How it was measured."}


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
def bare(greedy):
    """A report without any of the optional parts."""
    return release_report(greedy.release, greedy.certificate_)


@pytest.fixture(scope="module")
def report(people, greedy):
    labels = people["employed"].to_numpy()
    ask = MappingProxyType({"quasi_identifiers": NAMES, "ks": (5, 40)})
    sweeps = [
        k_sweep(people, labels, anonymiser=method, score=lambda _, y: 0.5 + len(y) / 4000, **ask)
        for method in (Anonymiser(Greedy()), Anonymiser(Mondrian()))
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
    member = Risk(adversary="RMIA", measure="AUC", value=0.71, interval=(0.69, 0.73), **about)
    guess = Risk(adversary="Fredrikson", measure="accuracy", attribute="race", value=0.61,
                 interval=(0.55, 0.67), **about)  # fmt: skip
    before = ModelFacts(name="raw", train_accuracy=0.97, test_accuracy=0.812, membership=(member,),
                        attribute=(guess,))  # fmt: skip
    after = replace(before, name="anonymised", test_accuracy=0.805,
                    membership=(replace(member, value=0.52),))  # fmt: skip
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
    assert report.to_markdown().splitlines()[4].startswith("**Every combination of quasi-identif")
    assert "✓ Promise kept" in page
    assert report.kept
    assert repr(report).startswith("<ReleaseReport 'Anonymisation report': Every combination")


def test_everything_that_was_measured_is_there(report, greedy):
    paper = greedy.certificate_
    data = report.to_dict()
    assert json.loads(report.to_json()) == data
    assert data["certificate"]["smallest"] == paper.smallest
    assert sum(size["records"] for size in data["sizes"]) == paper.classes
    assert sum(size["rows"] for size in data["sizes"]) == 600
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


def test_whole_rows_and_classes_that_say_one_thing(people, greedy, bare):
    paper = greedy.certificate_
    rows, value = paper.whole_rows, paper.one_value[0]
    published = bare.to_dict()["certificate"]["whole_rows"]
    assert published == {"unique": rows.unique, "few": rows.few, "different": rows.different}
    assert value.classes > 0
    for text in map(plain, (bare.to_html(), bare.to_markdown(), bare.to_terminal())):
        assert f"{rows.unique} of 600" in text
        assert f"{value.classes} of {paper.classes} classes, {value.rows} rows" in text
    change = msgspec.structs.replace
    for unique, rare, words in (
        (3, 100, "fewer than 5 of 600 are"),
        (598, 600, "more than 595 of 600 are"),
        (0, 0, "none is"),
    ):
        counts = change(rows, unique=unique, few=rare)
        data = release_report(greedy.release, change(paper, whole_rows=counts)).to_dict()
        verdict = ReleaseReport({**data, "kept": True, "complete": True}).verdict
        assert f"published as they are: {words} unique." in verdict
    method = Anonymiser(Greedy(), quasi_identifiers=NAMES, k=8)
    alone = release_report(method.fit_transform(people), method.certificate_)
    assert "Whole rows" not in alone.verdict
    assert alone.to_dict()["certificate"]["whole_rows"] is None


def test_the_optional_parts(report):
    text = plain(report.to_markdown())
    for words in (
        "What every k costs",
        "**65.0 %** (",  # 0.5 + 600 / 4000
        "accuracy on raw rows 80.0 %, one answer for everyone 55.0 %",
        "What every quasi-identifier costs",
        " points** |",
        "trained on anonymised rows",
        "| 0.710 (0.690–0.730) | 0.520 (0.690–0.730) | – |",
        "| 82.0 % | 80.0 % | 70.0 % |",  # of 300 people, in steps of 0.02
        "61.0 % (55.0–67.0 %)",
        "without the model 50.0 %",
        "| – | – | 1.25 |",
        "DP forest",
    ):
        assert words in text, words
    page = plain(report.to_html())
    for id in ("sweep", "drop", "model"):
        assert f'<section id="{id}">' in page
    assert "Accuracy (and detail lost) for every k:" in report.to_terminal()
    assert "Detail that the others lose to each quasi-identifier:" in report._repr_html_()


def test_without_them(bare):
    data = bare.to_dict()
    assert data["sweeps"] is data["drop_one"] is data["model"] is None
    for text in (bare.to_html(), bare.to_markdown(), bare.to_terminal()):
        for title in ("every k", "quasi-identifier costs", "A model trained on it"):
            assert title not in text


def test_no_value_of_a_person(report, people):
    values = {str(v) for name in people for v in people[name].unique() if not str(v).isdigit()}
    texts = (report.to_html(), report.to_markdown(), report.to_json(), report.to_terminal(),
             report._repr_html_())  # fmt: skip
    for value in values - {"yes", "no"}:
        word = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
        assert not any(map(word.search, texts)), value


def test_one_page_that_needs_nothing_else(report, read_html):
    page = report.to_html()
    html = read_html(page)
    assert not re.search(r"https?://|@import|url\(", page)
    assert not [attributes for _, attributes in html.elements if "src" in attributes]
    assert "script" not in {element for element, _ in html.elements}
    assert len(html.ids) == len(set(html.ids))
    links = {attributes["href"][1:] for element, attributes in html.elements if element == "a"}
    assert links <= set(html.ids)


def test_names_are_escaped(people, read_html):
    evil = people[["age"]].rename(columns={"age": "<script>alert(1)</script>|"})
    method = Anonymiser(Greedy(), k=20)
    report = release_report(method.fit_transform(evil), method.certificate_, title="<b>|")
    page = report.to_html()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    read_html(page)
    assert "<script>" not in report.to_markdown()
    assert "<script>" not in report._repr_html_()


def test_a_broken_promise_comes_first(greedy, read_html):
    changed = greedy.release.copy()
    changed.loc[5, "age"] = 199
    report = release_report(changed, greedy.certificate_)
    assert not report.kept
    assert report.verdict.startswith("This release must not be relied on. Not true of the publish")
    page = report.to_html()
    assert "✗ Promise broken" in page
    assert "✓ Promise kept" not in page
    assert 'class="paper broken"' in page
    data = report.to_dict()
    assert data["risk"] is None
    assert data["sizes"] == []
    findings = {finding["words"]: finding for finding in data["findings"]}
    promise = findings["every combination of quasi-identifiers is shared by at least 8 rows"]
    assert promise["held"] is False
    assert promise["detail"] == "fewer than 5 records, fewer than 5 rows"
    smallest = findings["as many rows in the smallest class as it says"]
    assert smallest["detail"] == f"{greedy.certificate_.smallest} stated, fewer than 5 found"
    assert "199" not in re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    assert "must not be relied on" in report.to_markdown()
    read_html(page)


def test_numbers_in_names_are_no_counts(greedy):
    more = greedy.release.assign(**{"visit 3": "x"})
    report = release_report(more, greedy.certificate_)
    assert report.to_dict()["findings"][0]["detail"] == "not certified: visit 3"


def test_few_people_are_not_counted(people):
    method = Anonymiser(
        Mondrian(), quasi_identifiers=["age", "sex", "education"], k=2, publish="ranges"
    )
    release = method.fit_transform(people)
    assert method.certificate_.smallest < 5
    report = release_report(release, method.certificate_)
    data = report.to_dict()
    assert data["certificate"]["smallest"] == "fewer than 5"
    assert data["risk"]["prosecutor"]["highest"] is None
    assert data["risk"]["journalist"]["highest"] is None
    assert data["sizes"][0]["low"] == 1
    assert data["sizes"][0]["high"] >= 4
    assert "more than 20 %" in plain(report.to_html())
    suppressed = msgspec.structs.replace(method.certificate_, suppressed=3)
    report = release_report(release, suppressed)
    assert "fewer than 5 were left out" in report.verdict
    assert report.to_dict()["certificate"]["suppressed"] == "fewer than 5"


def test_a_promise_about_a_column_that_nobody_shows(people):
    method = Anonymiser(
        Greedy(), quasi_identifiers=["age"], k=10, privacy=DistinctDiversity(2, "race")
    )
    release = method.fit_transform(people)
    report = release_report(release, method.certificate_)
    assert report.kept
    assert not report.to_dict()["complete"]
    assert ", says the certificate." in report.verdict
    assert "– not checked" in report.to_html()
    unpublished = {"race": people["race"].to_numpy()}
    complete = release_report(release, method.certificate_, unpublished=unpublished)
    assert complete.to_dict()["complete"]
    assert "This and 1 further promise were checked" in complete.verdict


def test_people_with_several_rows(people):
    several = people.assign(whose=np.arange(600) // 2)
    method = Anonymiser(Greedy(), quasi_identifiers=["age", "sex"], k=6, entity="whose")
    release = method.fit_transform(several)
    unpublished = {"whose": several["whose"].to_numpy()}
    report = release_report(release, method.certificate_, unpublished=unpublished)
    data = report.to_dict()
    behind = release.assign(whose=several["whose"]).groupby(["age", "sex"])["whose"].nunique()
    assert data["certificate"]["smallest_people"] == behind.min()
    assert f"rows and {behind.min()} people" in report.to_markdown()
    assert data["risk"]["prosecutor"]["highest"] == pytest.approx(1 / behind.min())
    # rows alone would make the risk look smaller than it is
    assert release_report(release, method.certificate_).to_dict()["risk"] is None


def test_a_certificate_in_a_file(greedy, tmp_path):
    greedy.certificate_.save(tmp_path / "c.json")
    report = release_report(greedy.release, tmp_path / "c.json")
    assert report.kept
    for name in ("r.html", "r.md", "r.json"):
        report.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000


def test_scores_of_other_kinds_and_none(people, greedy, read_html):
    sweep = k_sweep(people, quasi_identifiers=NAMES, ks=(10,))
    report = release_report(greedy.release, greedy.certificate_, sweeps=[sweep])
    assert "What every k costs" in report.to_html()
    scores = {"measure": "r2", "raw": 0.5}
    scored = replace(sweep, rows=tuple(replace(row, score=0.437) for row in sweep.rows))
    report = release_report(greedy.release, greedy.certificate_, sweeps=[scored], scores=scores)
    assert "0.437" in report.to_markdown()
    assert "R²" in report.to_html()
    read_html(report.to_html())

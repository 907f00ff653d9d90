"""The statement of a ledger: who asked what, what is left, and nothing of the data."""

from __future__ import annotations

import json
import re

import pytest

from sparsam.explore import Ledger, gaussian_cost, laplace_cost
from sparsam.explore.ledger._costs import sequential
from sparsam.explore.ledger._statement import LIMITS, Charge, Noise
from sparsam.report import statement_report

SCRIPT = "<script>alert(1)</script>"
SECRET = 987654321


def ask(ledger, number, cost, **options):
    return ledger.ask({"ask": "missing", "of": [f"column {number}"]}, cost, lambda: [SECRET],
                      fingerprint="the table", **options)  # fmt: skip


@pytest.fixture
def pure(tmp_path):
    with Ledger.create(
        tmp_path / "pure.ledger", fingerprint="the table", epsilon=1, note=f"n {SCRIPT}"
    ) as ledger:
        ask(ledger, 1, laplace_cost("0.25"), purpose=f"why {SCRIPT} | b")
    with Ledger.open(tmp_path / "pure.ledger", analyst="*ada*") as ledger:
        ask(ledger, 2, laplace_cost("0.5"))
        ask(ledger, 2, laplace_cost("0.5"))  # free, and not listed
        yield ledger


@pytest.fixture
def report(pure):
    return statement_report(pure.statement())


def test_what_it_says(report, pure):
    data = report.to_dict()
    assert json.loads(report.to_json()) == data
    assert (data["budget"], data["spent"], data["remaining"]) == ("1", "0.75", "0.25")
    assert [charge["what"] for charge in data["charges"]] == [
        "missing values of column 1",
        "missing values of column 2",
    ]
    for text in (report.to_html(), report.to_markdown()):
        assert pure.head in text
        assert "missing values of column 2" in text
        assert "--at-least" in text
        for limit in LIMITS:
            assert limit.split("<")[0][:60] in text
        for name in ("pure epsilon", "zCDP", "privacy loss distribution"):
            assert name in text
    assert report.verdict.replace("\u202f", " ") == (
        "Everything that may be asked of this table together keeps epsilon 1. 2 charges by 2 "
        "people spent 75.0 % of it; 25.0 % is left."
    )
    assert report.verdict in report._repr_html_()
    assert "| \\*ada\\* | 1 | 50.0\u202f% |" in report.to_markdown()
    assert repr(report).startswith("<StatementReport 'pure.ledger'")


def test_no_answer_and_no_fingerprint(report, pure):
    for text in (report.to_html(), report.to_markdown(), report.to_json()):
        assert str(SECRET) not in text
        assert str(pure.fingerprint) not in text
        assert pure.salt not in text


def test_the_page_runs_nothing_and_loads_nothing(report, read_html):
    page = report.to_html()
    elements = read_html(page).elements
    assert "script" not in {tag for tag, _ in elements}
    assert SCRIPT not in page
    assert "&lt;script&gt;" in page
    assert "<script" not in report.to_markdown()
    assert not re.search(r"https?://|url\(|@import|javascript:", page)
    assert not any(name.startswith("on") for _, attributes in elements for name in attributes)
    rules = next(
        attributes["content"] for _, attributes in elements if attributes.get("http-equiv")
    )
    assert "default-src 'none'" in rules
    assert "script-src" not in rules
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_what_an_analyst_typed_stays_in_its_cell(report):
    rows = [line for line in report.to_markdown().splitlines() if "column 1" in line]
    assert len(rows) == 1
    assert rows[0].count(" | ") == 5
    assert "\\*ada\\*" in report.to_markdown()


def test_an_empty_ledger(tmp_path):
    with Ledger.create(tmp_path / "new.ledger", epsilon=1, delta=1e-6) as ledger:
        report = statement_report(ledger.statement(), title="Own title")
    assert "Nobody has asked anything yet" in report.to_html()
    assert "Nobody has asked anything yet" in report.to_markdown()
    assert "Own title" in report.to_html()
    assert "epsilon 1 and delta 1e-6" in report.verdict


def test_a_spent_ledger_with_a_failed_question(tmp_path):
    def broken():
        raise ValueError(SECRET)

    with Ledger.create(
        tmp_path / "p.ledger", fingerprint="the table", epsilon=1, delta=1e-6
    ) as ledger:
        half = ledger.budget // 2
        from fractions import Fraction

        cost = gaussian_cost(Fraction(half, 10**9))
        with pytest.raises(Exception, match="charged"):
            ledger.ask({"q": 1}, cost, broken, fingerprint="the table")
        rest = gaussian_cost(Fraction(ledger.remaining, 10**9))
        ledger.ask({"q": 2}, rest, lambda: 1, fingerprint="the table")
        report = statement_report(ledger.statement())
    data = report.to_dict()
    assert data["remaining"] == "0"
    assert [charge["outcome"] for charge in data["charges"]] == ["failed", "answered"]
    assert "nothing is left" in report.verdict
    assert str(SECRET) not in report.to_html()


def test_training_is_listed(tmp_path):
    with Ledger.create(
        tmp_path / "t.ledger", fingerprint="the table", epsilon=8, delta=1e-6
    ) as ledger:
        ledger.charge_training(2.125, 1 / 79, 1580, purpose="a model")
        report = statement_report(ledger.statement())
        texts = [str(ledger.statement()), json.dumps(ledger.statement().to_dict())]
    data = report.to_dict()
    assert data["charges"][0]["what"] == "training, DP-SGD"
    assert data["charges"][0]["outcome"] == "charged"
    assert data["charges"][0]["noise"] == "DP-SGD"
    # 79 batches of 256 would be about 20,000 people
    texts += [report.to_json(), report.to_markdown(), report.to_html()]
    for text in texts:
        assert not re.search(r"0\.0126|1,?580\b|2\.125", text)


def test_many_scales_are_counted():
    noises = [Noise("Gaussian", f"Gaussian, scale {scale}") for scale in (1, 2, 4)] + [
        Noise("choice", "choice, Gumbel, scale 3 × 2")
    ]
    few, many = (
        Charge(1, "", "", "", {}, tuple(uses), "1", "1", "") for uses in (noises[1:], noises)
    )
    assert few.short_noise == few.noise
    assert many.short_noise == "Gaussian, choice, at 4 scales"


def test_amounts_are_exact(tmp_path):
    with Ledger.create(tmp_path / "e.ledger", fingerprint="the table", epsilon=1) as ledger:
        for number in range(10):
            ask(ledger, number, sequential([laplace_cost("0.1")]))
        data = statement_report(ledger.statement()).to_dict()
    assert (data["spent"], data["remaining"]) == ("1", "0")
    assert [charge["spent"] for charge in data["charges"]][:3] == ["0.1", "0.2", "0.3"]

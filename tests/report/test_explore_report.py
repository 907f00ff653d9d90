"""The report on an exploration: true words, safe figures, one page that runs nothing."""

from __future__ import annotations

import copy
import json
from math import comb
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("opendp", reason="exploring needs the extra 'dp'")

from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.explore import Ledger, declared, explore_table
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.report import ExploreReport, explore_report
from sparsam.report._closing import NO_HASH
from sparsam.report.page._blocks import Table, plain_words

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "<script>alert(1)</script>"
DOMAINS = {
    "age": (0, 99, "integer"),
    "wage": (0, 100_000),
    "hours": (0, 80, "integer"),
    SCRIPT: ["a|b", '"><img src=x onerror=alert(2)>', "{{ 7*7 }}"],
    "job": ["farm", "office", "shop"],
    "town": [f"town {place}" for place in range(30)],
}
NEVER = 23.4567  # a number that only one person has


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    n = 600
    wage = rng.normal(40_000, 9_000, n).round(2)
    wage[0] = NEVER
    return {
        "age": rng.integers(18, 90, n),
        "wage": wage,
        "hours": rng.integers(0, 60, n),
        SCRIPT: rng.choice(DOMAINS[SCRIPT], n),
        "job": np.where(rng.random(n) < 0.01, "Zachariah's own", rng.choice(DOMAINS["job"], n)),
        "town": rng.choice(DOMAINS["town"], n),
    }


def explored(people, folder, how="planned", delta=None, domains=None):
    options = {"delta": delta} if delta else {}
    name = f"{how} {delta} {type(domains).__name__}.ledger"
    with Ledger.create(folder / name, epsilon=6, domains=declared(DOMAINS), **options) as ledger:
        exploration = explore_table(people, ledger, how, domains=domains, epsilon=3, purpose="p")
        command = "sparsam explore run people.csv"
        return explore_report(exploration, ledger, purpose="to *look*", source="people.csv",
                              command=command, order=list(DOMAINS))  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("explored")


@pytest.fixture(scope="module")
def report(people, folder):
    return explored(people, folder, delta=1e-6)


@pytest.fixture(scope="module")
def generalized(people, folder):
    parts = (
        numeric_partition("age", NumericDomain(0, 99, True), (30, 65), missing=3),
        categorical_partition("job", CategoricalDomain(("farm", "office", "shop")),
                              (("farm",), ("office", "shop")), missing=2, unseen=3),
    )  # fmt: skip
    return explored(people, folder, delta=1e-6, domains=Generalization(parts))


@pytest.fixture(scope="module")
def pure(people, folder):
    return explored(people, folder)


@pytest.fixture(scope="module")
def interactive(people, folder):
    return explored(people, folder, "interactive", delta=1e-6)


def flat(text):
    return text.replace("\u202f", " ")


def test_the_pages_read_well_and_run_nothing(report, generalized, interactive, pure, read_html):
    for document in (report, generalized, interactive, pure):
        page = read_html(document.to_html())
        assert "script" not in {tag for tag, _ in page.elements}
        assert len(page.ids) == len(set(page.ids))
        links = {attributes["href"][1:] for tag, attributes in page.elements if tag == "a"}
        assert links <= set(page.ids)


def test_no_value_of_a_person(report, people):
    for text in (report.to_html(), report.to_markdown(), report.to_json(), repr(report),
                 report._repr_html_()):  # fmt: skip
        assert "Zachariah" not in text
        assert str(NEVER) not in text
    again = report.to_dict()["reproduce"]
    assert again["input"] == {"name": "people.csv", "hash": NO_HASH, "rows": None}


def test_names_are_escaped(report):
    assert SCRIPT not in report.to_html()
    assert SCRIPT not in report._repr_html_()
    assert "<script>" not in report.to_markdown()
    assert "&lt;script&gt;" in report.to_html()
    assert "{{ 7*7 }}" in report.to_html()
    assert "to \\*look\\*" in report.to_markdown()


def test_everything_is_said(report):
    data = report.to_dict()
    assert json.loads(report.to_json()) == data
    assert [attribute["name"] for attribute in data["attributes"]] == list(DOMAINS)
    n, c = 3, 3
    for text in map(flat, (report.to_html(), report.to_markdown())):
        for section in report.page().sections:
            assert section.title in text
        assert "95 % intervals" in text
        assert "The intervals cover the noise, and nothing else" in text
        assert "Small counts may be shown" in text
        assert f"{7 * n + c + comb(n, 2) + comb(c, 2)} queries" in text
        assert "sparsam explore run people.csv" in text
        assert "declared 0 to 99, whole numbers" in text
        assert "30 declared categories" in text
    assert "for nothing" in report.to_html()
    assert flat(report.verdict).startswith("6 attributes of about ")
    assert repr(report).startswith("<ExploreReport 'Exploration of people.csv")


def test_counts_and_intervals_are_never_below_zero(report):
    for one in report.to_dict()["attributes"]:
        assert one["cells"]
        for cell in one["cells"]:
            assert cell["count"] >= 0
            assert 0 <= cell["interval"][0] <= cell["interval"][1]
        assert [cell["apart"] for cell in one["cells"]].count(True) == (
            1 if one["kind"] == "numeric" else 2
        )


def test_a_numeric_attribute_has_five_figures_and_edges(report):
    one = report.to_dict()["attributes"][0]
    assert [figure["name"] for figure in one["quantiles"]] == ["P1", "Q1", "Q2", "Q3", "P99"]
    assert len(one["edges"]) == sum(not cell["apart"] for cell in one["cells"]) + 1
    assert {figure["name"] for figure in one["figures"]} >= {"missing", "outliers"}
    median = one["quantiles"][2]
    assert median["interval"][0] <= median["value"] <= median["interval"][1]


def test_pairs_are_all_there(report):
    spearman, cramers = report.to_dict()["matrices"]
    assert (len(spearman["pairs"]), len(cramers["pairs"])) == (3, 3)
    assert spearman["names"] == ["age", "wage", "hours"]
    together = report.page().sections[1].blocks[1]
    strongest = next(block for block in together.blocks[1].groups[1] if isinstance(block, Table))
    sizes = [float(plain_words(cell.words).replace("−", "-")) for _, cell in strongest.rows]
    assert [abs(size) for size in sizes] == sorted(map(abs, sizes), reverse=True)


def test_costs_of_the_paper(report):
    functions = report.to_dict()["paper"]["functions"]
    assert functions[-1]["cumulative"] == pytest.approx(0.30)
    same = [function["same"] for function in functions]
    assert same == sorted(same)


def test_the_accounts(report, pure):
    here, paper_way = report.to_dict()["spent"]
    assert here["pure"] is None
    assert here["concentrated"] == pytest.approx(3, rel=1e-3)
    assert paper_way["pure"] == pytest.approx(0.30)
    assert paper_way["concentrated"] < paper_way["pure"]
    pure = pure.to_dict()
    assert pure["spent"][0]["pure"] == pytest.approx(3, rel=1e-6)
    assert (pure["budget"]["unit"], pure["budget"]["delta"]) == ("epsilon", None)
    assert float(pure["budget"]["left"]) == pytest.approx(3, rel=1e-6)


def test_exploring_generalized_data(generalized):
    data = generalized.to_dict()
    assert data["generalized"] is True
    cheaper = data["cheaper"]
    assert (cheaper["attributes"], cheaper["raw_attributes"]) == (2, 6)
    assert cheaper["cells"] < cheaper["raw_cells"]
    assert cheaper["paper"] < cheaper["raw_paper"]
    assert all(each["here"] < each["raw"] and each["share"] < 1 for each in cheaper["functions"])
    for text in (generalized.to_html(), generalized.to_markdown()):
        assert "Cheaper after generalizing" in text
        assert "2 attributes instead of 6" in text
    assert data["attributes"][0]["quantiles"] == []  # what is inside a bucket cannot be told
    assert [attribute["name"] for attribute in data["attributes"][0]["figures"]] == ["missing"]
    assert any("generalized to buckets" in note for note in data["notes"])
    labels = [cell["label"] for cell in data["attributes"][0]["cells"]]
    assert labels[:3] == ["0–29", "30–64", "65–99"]


def test_interactive_says_less(interactive):
    data = interactive.to_dict()
    assert data["rows"] is None
    assert data["expected"] == []
    assert data["paper"]["functions"][-1]["same"] is None
    page = ExploreReport(data).to_html()
    assert "6 attributes, seen through noise." in page
    assert "as small as here" not in page


def test_reports_are_copies(report):
    before = copy.deepcopy(report.to_dict())
    report.to_dict()["attributes"][0]["cells"][0]["count"] = -5
    assert report.to_dict() == before


def test_saved_in_three_ways(report, tmp_path):
    for ending, start in (("html", "<!doctype html>"), ("md", "# Exploration"), ("json", "{")):
        report.save(tmp_path / f"eda.{ending}")
        assert (tmp_path / f"eda.{ending}").read_text(encoding="utf-8").startswith(start)

"""The report on an exploration: true words, safe figures, one page that runs nothing."""

from __future__ import annotations

import copy
import json
import re
from html.parser import HTMLParser
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("opendp", reason="exploring needs the extra 'dp'")

from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.explore import Ledger, declared, explore_table, plan
from sparsam.explore._prices import _needed, beside_raw, paper_price
from sparsam.explore.planned._plan import paper_counts, plan_for
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.report import ExploreReport, explore_report
from sparsam.report._explore_view import expected_rows, explore_sections, pair_rows
from sparsam.report._provenance import NO_HASH

ROOT = Path(__file__).resolve().parents[2]
VOID = {"meta", "link", "br", "wbr"}
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


class Page(HTMLParser):
    """Collects elements and checks that they close in order."""

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


def made(people, folder, how="planned", delta=None, domains=None):
    options = {"delta": delta} if delta else {}
    name = f"{how} {delta} {type(domains).__name__}.ledger"
    with Ledger.create(folder / name, epsilon=6, domains=declared(DOMAINS), **options) as ledger:
        found = explore_table(people, ledger, how, domains=domains, epsilon=3, purpose="p")
        command = "sparsam explore run people.csv"
        return explore_report(found, ledger, purpose="to *look*", source="people.csv",
                              command=command, order=list(DOMAINS))  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("explored")


@pytest.fixture(scope="module")
def report(people, folder):
    return made(people, folder, delta=1e-6)


@pytest.fixture(scope="module")
def generalized(people, folder):
    parts = (
        numeric_partition("age", NumericDomain(0, 99, True), (30, 65), missing=3),
        categorical_partition("job", CategoricalDomain(("farm", "office", "shop")),
                              (("farm",), ("office", "shop")), missing=2, unseen=3),
    )  # fmt: skip
    return made(people, folder, delta=1e-6, domains=Generalization(parts))


@pytest.fixture(scope="module")
def pure(people, folder):
    return made(people, folder)


@pytest.fixture(scope="module")
def interactive(people, folder):
    return made(people, folder, "interactive", delta=1e-6)


def flat(text):
    return text.replace("\u202f", " ")


def test_the_page_runs_nothing_and_loads_nothing(report, generalized, interactive, pure):
    for one in (report, generalized, interactive, pure):
        page = one.to_html()
        found = Page(page).elements
        assert "script" not in {tag for tag, _ in found}
        assert not {"img", "iframe", "object", "embed", "form", "base"} & {tag for tag, _ in found}
        for _, attributes in found:
            assert not any(name.startswith("on") for name in attributes)
            for name in ("href", "src", "xlink:href"):
                link = attributes.get(name) or ""
                assert link == "" or link.startswith("#") or link == "data:,"
        assert not re.search(r"https?://|url\(|@import|javascript:", page)
        rules = next(a["content"] for t, a in found if a.get("http-equiv"))
        assert "default-src 'none'" in rules
        assert "script-src" not in rules
        ids = [attributes["id"] for _, attributes in found if "id" in attributes]
        assert len(ids) == len(set(ids))
        links = {a["href"][1:] for t, a in found if t == "a"}
        assert links <= set(ids)


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
    assert [one["name"] for one in data["attributes"]] == list(DOMAINS)
    n, c = 3, 3
    for text in map(flat, (report.to_html(), report.to_markdown())):
        for section in explore_sections(data).values():
            assert section[1] in text
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
    sizes = [abs(float(value.replace("−", "-"))) for *_, value, _ in pair_rows(spearman)]
    assert sizes == sorted(sizes, reverse=True)


def test_costs_of_the_paper(report):
    """ε_i·(5n+c), ε_i·n, ε_i·n and ε_i·(C(n,2)+C(c,2)), cumulatively: Table 1 and Figure 2."""
    made_for = plan({**{f"n{i}": (0, 9) for i in range(6)}, **{f"c{i}": ["a"] for i in range(9)}},
                    epsilon=1)  # fmt: skip
    found = paper_price(made_for, "0.01", 1e-6, None)["functions"]
    assert [one["cumulative"] for one in found] == pytest.approx([0.39, 0.45, 0.51, 1.02])
    assert sum(paper_counts(10, 1).values()) == 116
    ours = report.to_dict()["paper"]["functions"]
    assert ours[-1]["cumulative"] == pytest.approx(0.30)
    same = [one["same"] for one in ours]
    assert same == sorted(same)


@pytest.mark.parametrize(("unit", "delta"), [("epsilon", None), ("rho", 1e-6)])
def test_as_exact_as_here_is_what_it_says(unit, delta):
    """Queries at the price that is named have the noise of the plan, function by function."""
    options = {"delta": delta} if delta else {}
    ours = plan(DOMAINS, epsilon=1, **options)
    errors = ours.expected_errors(5_000)
    needed = _needed(ours, 5_000)
    assert set(needed) == set(errors)
    for name, each in needed.items():
        amount = int(each * 1e9 * sum(paper_counts(3, 3).values()))
        other = plan_for(ours.declared, "interactive", unit, amount)
        assert other.expected_errors(5_000)[name] == pytest.approx(errors[name], rel=0.01)


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
    found = data["cheaper"]
    assert (found["attributes"], found["raw_attributes"]) == (2, 6)
    assert found["cells"] < found["raw_cells"]
    assert found["paper"] < found["raw_paper"]
    assert all(one["here"] < one["raw"] and one["share"] < 1 for one in found["functions"])
    for text in (generalized.to_html(), generalized.to_markdown()):
        assert "Cheaper after generalizing" in text
        assert "2 attributes instead of 6" in text
    assert data["attributes"][0]["quantiles"] == []  # what is inside a bucket cannot be told
    assert [one["name"] for one in data["attributes"][0]["figures"]] == ["missing"]
    assert any("generalized to buckets" in note for note in data["notes"])
    labels = [cell["label"] for cell in data["attributes"][0]["cells"]]
    assert labels[:3] == ["0–29", "30–64", "65–99"]


def test_the_same_plan_is_not_cheaper():
    one = plan(DOMAINS, epsilon=1, delta=1e-6)
    found = beside_raw(one, one.declared, 1_000)
    assert all(function["share"] == pytest.approx(1) for function in found["functions"])
    assert beside_raw(one, one.declared, None)["functions"] == []


def test_interactive_says_less(interactive):
    data = interactive.to_dict()
    assert data["rows"] is None
    assert data["expected"] == []
    assert data["paper"]["functions"][-1]["same"] is None
    assert expected_rows(data) == []
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


def test_exploring_in_the_guide_works(tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    block = next(one for one in shown if "sp.Ledger.create" in one)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(block, "docs/guide.md", "exec"), names)
    assert names["again"].paid is False
    assert names["again"].answers == names["eda"].answers
    assert len(names["rows"]["age"]) == 1000
    assert "cramers v of marital_status and employed" in capsys.readouterr().out
    for name in ("eda.html", "statement.html"):
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<!doctype html>")

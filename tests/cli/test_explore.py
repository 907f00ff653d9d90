"""`sparsam explore`: priced before it is paid, answered through noise, refused over budget."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest

from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.explore import Ledger
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

pytest.importorskip("opendp", reason="exploring needs the extra 'dp'")

ROLES = """
[attributes.age]
kind = "numeric"
low = 0
high = 99
integer = true

[attributes.wage]
kind = "numeric"
low = 0
high = 100000

[attributes.sex]
kind = "categorical"
categories = ["f", "m"]

[attributes.job]
kind = "categorical"
categories = ["farm", "office", "shop"]
"""
QUERIES = 2 * 7 + 2 + 2  # two numeric and two categorical attributes


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(7)
    n = 400
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "wage": np.where(rng.random(n) < 0.1, np.nan, rng.normal(30_000, 8_000, n).round(2)),
            "sex": rng.choice(["f", "m"], n),
            "job": rng.choice(["farm", "office", "shop"], n),
            "name": [f"Zachariah{place:04d}" for place in range(n)],
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory, people, run):
    """A table, what is declared of it, and ledgers of pure epsilon 8 and of (4, 1e-6)."""
    folder = tmp_path_factory.mktemp("explore")
    people.to_csv(folder / "people.csv", index=False)
    (folder / "roles.toml").write_text(ROLES, encoding="utf-8")
    for name, budget in (("pure", ["8"]), ("delta", ["4", "--delta", "1e-6"])):
        done = run("ledger", "create", folder / f"{name}.ledger", folder / "people.csv",
                   "--domains", folder / "roles.toml", "-q", "--epsilon", *budget)  # fmt: skip
        assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def place(tmp_path, made):
    """A copy of them for one test."""
    return shutil.copytree(made, tmp_path / "place")


def spent(path):
    with Ledger.open(path) as opened:
        return opened.spent


def explored(run, place, *options, ledger="pure"):
    return run("explore", "run", place / "people.csv", "--ledger", place / f"{ledger}.ledger",
               "--purpose", "a look", *options)  # fmt: skip


def flat(text):
    """What was said, without the box that errors stand in."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", text).split())


@pytest.mark.parametrize("ledger", ["pure", "delta"])
@pytest.mark.parametrize("how", ["planned", "interactive", "synthetic"])
def test_a_plan_spends_nothing(run, place, ledger, how):
    found = run("explore", "plan", place / "people.csv", "--ledger", place / f"{ledger}.ledger",
                "--how", how, "--epsilon", "1")  # fmt: skip
    assert found.exit_code == 0, found.output
    assert "Nothing was spent." in found.stdout
    assert f"as in the paper, {QUERIES} queries at 0.01 each: epsilon 0.18" in found.stdout
    assert spent(place / f"{ledger}.ledger") == 0


def test_a_plan_from_domains_alone(run, place):
    found = run(
        "explore", "plan", place / "roles.toml", "--epsilon", "1", "--rows", "400", "--json"
    )
    plain = json.loads(found.stdout)
    assert plain["fits"] is True
    assert plain["left"] is None
    assert 0 < float(plain["price"]) <= 1
    assert plain["queries"] == QUERIES
    assert plain["accounts"][1]["pure"] == pytest.approx(0.01 * QUERIES)
    assert set(plain["expected_errors"]) >= {"value_counts", "missing", "spearman"}


def test_a_plan_that_does_not_fit(run, place):
    found = run("explore", "plan", "--ledger", place / "pure.ledger", "--epsilon", "9")
    assert found.exit_code == 1
    assert "only 8 is left" in found.stdout
    assert spent(place / "pure.ledger") == 0


def test_the_price_of_the_papers_way(run, place):
    found = run("explore", "plan", "--ledger", place / "pure.ledger", "--how", "interactive",
                "--per-query", "0.01", "--json")  # fmt: skip
    assert json.loads(found.stdout)["price"] == "0.18"


def test_planned_run(run, place):
    outputs = ("--report", place / "eda.html", "-o", place / "eda.json",
               "--synthetic", place / "rows.csv")  # fmt: skip
    found = explored(run, place, "--epsilon", "4", *outputs)
    assert found.exit_code == 0, found.output
    assert "It took 50.0 % of the budget; 50.0 % is left." in found.stdout
    assert "Spearman" in found.stdout
    page = (place / "eda.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    saved = json.loads((place / "eda.json").read_text(encoding="utf-8"))
    assert {one["function"] for one in saved["answers"]} >= {
        "value_counts",
        "quantiles",
        "spearman",
    }
    rows = pd.read_csv(place / "rows.csv")
    assert set(rows.columns) == {"age", "wage", "sex", "job"}
    for text in (page, json.dumps(saved), found.output, rows.to_csv()):
        assert "Zachariah" not in text
    assert str(place.parent) not in page  # no folder of this machine


def test_the_same_again_is_free_and_the_same(run, place):
    first = json.loads(explored(run, place, "--epsilon", "2", "--json").stdout)
    paid = spent(place / "pure.ledger")
    again = json.loads(explored(run, place, "--epsilon", "2", "--json").stdout)
    assert spent(place / "pure.ledger") == paid > 0
    assert again["attributes"] == first["attributes"]
    assert (first["budget"]["paid"] == "0", again["budget"]["paid"]) == (False, "0")


@pytest.mark.parametrize("ledger", ["pure", "delta"])
def test_interactive_run(run, place, ledger):
    found = explored(run, place, "--how", "interactive", "--epsilon", "1", "--json", ledger=ledger)
    assert found.exit_code == 0, found.output
    plain = json.loads(found.stdout)
    assert plain["how"] == "interactive"
    assert [one["name"] for one in plain["paper"]["functions"]][-1] == "correlation"
    with Ledger.open(place / f"{ledger}.ledger") as opened:
        charges = [one for one in opened.entries() if one["kind"] == "reserve"]
    assert len(charges) < QUERIES  # range and quartiles are one question each
    assert {one["purpose"] for one in charges} == {"a look"}


def test_per_query(run, place):
    found = explored(run, place, "--how", "interactive", "--per-query", "0.01", "--json")
    assert found.exit_code == 0, found.output
    assert spent(place / "pure.ledger") == 10_000_000 * QUERIES


def test_synthetic_run(run, place):
    found = explored(run, place, "--how", "synthetic", "--epsilon", "3", "--report",
                     place / "s.html")  # fmt: skip
    assert found.exit_code == 0, found.output
    assert "Made-up rows were drawn" in found.stdout


def test_over_budget(run, place):
    found = explored(run, place, "--epsilon", "9")
    assert found.exit_code == 1
    assert "8 is left" in flat(found.stderr)
    assert "--epsilon 8 would fit" in flat(found.stderr)
    assert "Nothing was charged and nothing was computed" in flat(found.stderr)
    assert spent(place / "pure.ledger") == 0
    assert explored(run, place, "--epsilon", "all").exit_code == 0  # the rest stays usable


@pytest.mark.parametrize(("ledger", "first", "second"), [("pure", 5, 4), ("delta", 3, 3)])
def test_what_is_said_to_fit_fits(run, place, ledger, first, second):
    assert explored(run, place, "--epsilon", first, "-q", ledger=ledger).exit_code == 0
    paid = spent(place / f"{ledger}.ledger")
    (place / "part.toml").write_text(ROLES.partition("[attributes.job]")[0], encoding="utf-8")
    other = ("--domains", place / "part.toml", "-q")
    refused = explored(run, place, "--epsilon", second, *other, ledger=ledger)
    assert refused.exit_code == 1
    assert spent(place / f"{ledger}.ledger") == paid  # not even the first stage
    fits = re.search(r"--epsilon ([\d.]+) would fit", refused.stderr)
    assert fits is not None
    done = explored(run, place, "--epsilon", fits[1], *other, ledger=ledger)
    assert done.exit_code == 0, done.output
    assert explored(run, place, "--epsilon", "1", "--domains", place / "part.toml",
                    ledger=ledger).exit_code == 1  # fmt: skip


def test_generalized_data_are_cheaper(run, place):
    age = numeric_partition("age", NumericDomain(0, 99, True), (30, 65), missing=3)
    sex = categorical_partition("sex", CategoricalDomain(("f", "m")), (("f",), ("m",)))
    Generalization((age, sex)).save(place / "g.json")
    price = run("explore", "plan", "--ledger", place / "delta.ledger", "--epsilon", "1",
                "--generalization", place / "g.json", "--rows", "400")  # fmt: skip
    assert price.exit_code == 0, price.output
    assert "2 attributes instead of 4" in price.stdout
    found = explored(run, place, "--epsilon", "1", "--generalization", place / "g.json",
                     "--report", place / "g.html", "--json", ledger="delta")  # fmt: skip
    assert found.exit_code == 0, found.output
    plain = json.loads(found.stdout)
    assert plain["generalized"] is True
    assert plain["cheaper"]["cells"] < plain["cheaper"]["raw_cells"]
    assert plain["attributes"][0]["cells"][0]["label"] == "0–29"
    assert "Cheaper after generalizing" in (place / "g.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "Missing option '--epsilon'"),
        (["--epsilon", "0"], "'epsilon' must be above 0"),
        (["--epsilon", "much"], "'epsilon' must be a number"),
        (["--epsilon", "1", "--per-query", "0.01"], "--how interactive only"),
        (["--epsilon", "1", "--how", "interactive", "--per-query", "0.1"], "not both"),
        (["--epsilon", "1", "--how", "interactive", "--synthetic", "r.csv"], "needs tables"),
        (["--epsilon", "1", "--how", "guess"], "not one of"),
        (["--epsilon", "1", "--report", "r.pdf"], "must end in"),
    ],
)
def test_what_run_refuses(run, place, monkeypatch, options, said):
    monkeypatch.chdir(place)
    found = explored(run, place, *options)
    assert found.exit_code == 2
    assert said in flat(found.output)
    assert spent(place / "pure.ledger") == 0


def test_domains_and_a_generalization_together(run, place):
    (place / "g.json").write_text("{}", encoding="utf-8")
    found = explored(run, place, "--epsilon", "1", "--domains", place / "roles.toml",
                     "--generalization", place / "g.json")  # fmt: skip
    assert found.exit_code == 2
    assert "not both" in flat(found.output)


def test_no_ledger(run, place):
    found = run("explore", "run", place / "people.csv", "--purpose", "p", "--epsilon", "1")
    assert found.exit_code == 2
    assert "--ledger" in found.output
    found = run("explore", "run", place / "people.csv", "--purpose", "p", "--epsilon", "1",
                "--ledger", place / "roles.toml")  # fmt: skip
    assert found.exit_code == 2
    assert "not a ledger" in flat(found.output)


def test_a_purpose_is_needed(run, place):
    found = run("explore", "run", place / "people.csv", "--epsilon", "1", "--ledger",
                place / "pure.ledger")  # fmt: skip
    assert found.exit_code == 2
    assert "--purpose" in found.output


def test_another_table(run, place, people):
    people.head(399).to_csv(place / "people.csv", index=False)
    found = explored(run, place, "--epsilon", "1")
    assert found.exit_code == 2
    assert "another one, or it has changed" in flat(found.stderr)
    assert spent(place / "pure.ledger") == 0


def test_an_undeclared_column(run, place):
    (place / "more.toml").write_text(
        '[attributes.height]\nkind = "numeric"\nlow = 0\nhigh = 9\n', encoding="utf-8"
    )
    found = explored(run, place, "--epsilon", "1", "--domains", place / "more.toml")
    assert found.exit_code == 2
    assert "height" in found.output
    assert spent(place / "pure.ledger") == 0


def test_an_unreadable_file(run, place):
    (place / "people.csv").write_bytes(b"\x00\xff\xfe" * 50)
    found = explored(run, place, "--epsilon", "1")
    assert found.exit_code == 2
    assert spent(place / "pure.ledger") == 0


def test_an_older_copy_is_refused(run, place):
    found = explored(run, place, "--epsilon", "1", "--at-least", "0" * 64)
    assert found.exit_code == 2
    assert "older copy" in flat(found.stderr)


def test_a_witness_remembers_a_run(run, place):
    found = explored(run, place, "--epsilon", "1", "--witness", place / "witness", "-q")
    assert found.exit_code == 0, found.output
    head = json.loads((place / "witness").read_text(encoding="utf-8"))["head"]
    with Ledger.open(place / "pure.ledger", at_least=head) as opened:
        assert opened.head == head


def test_the_analyst_and_the_command_are_written_down(run, place):
    explored(run, place, "--epsilon", "1", "--analyst", "ada", "--report", place / "r.md", "-q")
    shown = run("ledger", "show", place / "pure.ledger").stdout
    assert "  ada  planned exploration, stage 1: 4 tables (a look)" in shown
    text = (place / "r.md").read_text(encoding="utf-8")
    assert "sparsam explore run people.csv --ledger pure.ledger --epsilon 1" in text


def test_how_a_file_is_written_is_said_once_in_the_roles(run, tmp_path):
    pytest.importorskip("opendp")
    rows = [f"{20 + i % 50};M\u00fcller;{i % 7},5" for i in range(300)]
    text = "\n".join(["age;n\u00e4me;pay", *rows])
    (tmp_path / "people.csv").write_bytes(text.encode("latin-1"))
    (tmp_path / "roles.toml").write_text(
        '[file]\nencoding = "latin-1"\ndecimal = ","\n'
        '[attributes.age]\nkind = "numeric"\nlow = 0\nhigh = 99\n'
        '[attributes.pay]\nkind = "numeric"\nlow = 0\nhigh = 9\n',
        encoding="utf-8",
    )
    ledger = tmp_path / "people.ledger"
    result = run("ledger", "create", ledger, tmp_path / "people.csv", "--epsilon", 50, "--roles",
                 tmp_path / "roles.toml")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    result = run("explore", "run", tmp_path / "people.csv", "--ledger", ledger, "--epsilon", 40,
                 "--purpose", "look", "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    pay = next(a for a in json.loads(result.stdout)["attributes"] if a["name"] == "pay")
    assert "pay" in json.dumps(pay)
    with Ledger.open(ledger) as opened:
        assert opened.declared.file.encoding == "latin-1"
        assert opened.declared.file.decimal == ","

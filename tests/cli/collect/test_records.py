"""`sparsam records`: what it says, what it writes, and its exit codes."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from sparsam.collect import Questionnaire, Store, Target
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import (
    Branch,
    Generalization,
    Leaf,
    Recoding,
    categorical_partition,
    numeric_partition,
)

TARGET = Target("employed", ("no", "yes"))


def collected(cuts):
    jobs = CategoricalDomain(("cook", "=judge"))
    return Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), cuts),
            categorical_partition("job", jobs, [["cook"], ["=judge"]]),
        ]
    )


@pytest.fixture
def place(tmp_path):
    return tmp_path / "people.db"


@pytest.fixture
def receipts(place):
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 4, 200), rng.integers(0, 2, 200)])
    works = (codes[:, 0] > 1) ^ (rng.random(200) < 0.1)
    with Store.open(place, collected([20, 40, 60]), keep_days=30, target=TARGET) as store:
        return store.add(np.column_stack([codes, works]).tolist())


def test_counting(run, place, receipts):
    said = run("records", "count", place).output
    assert "records   200\n" in said
    assert "counts, for 30 days" in said
    assert "age (4 buckets), job (2 buckets), employed (2 buckets)" in said
    facts = json.loads(run("records", "count", place, "--json").output)
    assert facts["records"] == 200
    assert facts["buckets"] == {"age": 4, "job": 2, "employed": 2}
    assert facts["target"] == "employed"


def test_few_records_are_not_counted_out(run, place):
    with Store.open(place, collected([20]), keep_days=30) as store:
        store.add([(0, 0)] * 3)
    assert "fewer than 5" in run("records", "count", place).output
    assert json.loads(run("records", "count", place, "--json").output)["records"] == "fewer than 5"


def test_forgetting(run, place, receipts, tmp_path):
    from click.testing import CliRunner

    from sparsam.cli._main import cli

    done = run("records", "forget", place, receipts[0])
    assert (done.exit_code, done.stderr) == (0, "The record is deleted.\n")
    again = run("records", "forget", place, receipts[0])
    assert again.exit_code == 2
    assert again.stderr == "Error: This receipt was used already: its record is deleted.\n"
    piped = CliRunner().invoke(
        cli, ["records", "forget", str(place), "-"], input=receipts[1] + "\n"
    )
    assert piped.exit_code == 0
    key = tmp_path / "people.db.key"
    key.rename(tmp_path / "elsewhere.key")
    lost = run("records", "forget", place, receipts[2])
    assert lost.exit_code == 2
    assert "--key FILE" in lost.stderr
    assert "key=path" not in lost.stderr
    found = run("records", "forget", place, receipts[2], "--key", tmp_path / "elsewhere.key", "-q")
    assert (found.exit_code, found.stderr) == (0, "")
    assert json.loads(run("records", "count", place, "--json").output)["records"] == 197


def test_tightening(run, place, receipts, tmp_path):
    collected([40]).save(tmp_path / "coarse.json")
    collected([20, 41]).save(tmp_path / "other.json")
    refused = run("records", "tighten", place, tmp_path / "other.json")
    assert refused.exit_code == 2
    assert "This one is not in: age" in refused.stderr
    done = run("records", "tighten", place, tmp_path / "coarse.json")
    assert done.exit_code == 0
    assert "from 8 to 6 buckets" in done.stderr
    assert json.loads(run("records", "count", place, "--json").output)["records"] == 200
    assert run("records", "forget", place, receipts[7]).exit_code == 0


def test_exporting(run, place, receipts, tmp_path):
    assert run("records", "export", place, "-o", tmp_path / "all.csv").exit_code == 0
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["age", "job", "employed", "n"]
    assert sum(int(row["n"]) for row in rows) == 200
    assert {row["age"] for row in rows} == {"under 20", "20–39", "40–59", "60 and over"}
    assert {row["employed"] for row in rows} == {"no", "yes"}
    codes = run("records", "export", place, "--codes", "-o", "-").stdout.splitlines()
    assert codes[0] == "age,job,employed,n"
    assert {line.split(",")[0] for line in codes[1:]} == {"0", "1", "2", "3"}
    assert {line.split(",")[2] for line in codes[1:]} == {"0", "1"}
    safe = run("records", "export", place, "--spreadsheet-safe", "-o", "-").stdout
    assert "'=judge" in safe
    itself = run("records", "export", place, "-o", place)
    assert itself.exit_code == 2


def test_training(run, place, receipts, tmp_path):
    pytest.importorskip("skops", reason="skops is not installed (extra models)")
    from sparsam.data import load_model

    model = tmp_path / "model.skops"
    done = run("records", "train", place, "-o", model, "--learner", "linear")
    assert done.exit_code == 0
    assert "held out; guessing the commonest class would get" in done.output
    people = {"age": np.array(["under 20", "60 and over"], object),
              "job": np.array(["cook", "cook"], object)}  # fmt: skip
    assert load_model(model).predict(people).tolist() == ["no", "yes"]
    facts = json.loads(run("records", "train", place, "-o", model, "--json").output)
    assert facts["held_out"]["accuracy"] > 0.6
    assert facts["learner"] == "pairs"


def test_training_without_a_target_or_with_few_records(run, tmp_path):
    pytest.importorskip("skops", reason="skops is not installed (extra models)")
    alone, few = tmp_path / "alone.db", tmp_path / "few.db"
    with Store.open(alone, collected([20]), keep_days=30) as store:
        store.add([(0, 0)] * 9)
    refused = run("records", "train", alone, "-o", tmp_path / "model.skops")
    assert refused.exit_code == 2
    assert "--with-target" in refused.stderr
    assert not (tmp_path / "model.skops").exists()
    with Store.open(few, collected([20]), keep_days=30, target=TARGET) as store:
        store.add([(0, 0, 0), (1, 0, 1)])
    done = run("records", "train", few, "-o", tmp_path / "model.skops")
    assert done.exit_code == 0
    assert "too few records to tell" in done.output


@pytest.fixture
def interviewed(place):
    """Under 20: nothing more. Otherwise the job, in a leaf that only the model can answer."""
    g = collected([20, 40, 60])
    means = {"age": [9, 30, 50, 70], "job": ["cook", "=judge"]}
    nodes = [
        Branch("age", (0,), 1, 2),
        Leaf((), {"age": 9, "job": "cook"}, "no"),
        Leaf(("job",), {"age": 50}),
    ]
    asks = Questionnaire(Recoding(g, means, nodes))
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 3, 200)
    works = (numbers == 2) ^ (rng.random(200) < 0.1)
    with Store.open(place, asks, keep_days=30, target=TARGET) as store:
        return store.add(np.column_stack([numbers, works]).tolist())


def test_interviews(run, place, interviewed, tmp_path):
    said = run("records", "count", place).output
    assert "one of 3 interviews about age, job, employed (2 buckets)" in said
    facts = json.loads(run("records", "count", place, "--json").output)
    assert facts["records"] == 200
    assert facts["buckets"] == {"interview": 3, "employed": 2}
    assert facts["asks"] == ["age", "job", "employed"]
    assert run("records", "export", place, "-o", tmp_path / "all.csv").exit_code == 0
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["age", "job", "employed", "n"]
    assert sum(int(row["n"]) for row in rows) == 200
    assert {(row["age"], row["job"]) for row in rows} == {
        ("under 20", "not asked"),
        ("20 and over", "cook"),
        ("20 and over", "=judge"),
    }
    codes = run("records", "export", place, "--codes", "-o", "-").stdout.splitlines()
    assert {tuple(line.split(",")[:2]) for line in codes[1:]} == {
        ("0", ""),
        ("1-3", "0"),
        ("1-3", "1"),
    }
    assert run("records", "forget", place, interviewed[0], "-q").exit_code == 0
    assert json.loads(run("records", "count", place, "--json").output)["records"] == 199
    collected([40]).save(tmp_path / "coarse.json")
    refused = run("records", "tighten", place, tmp_path / "coarse.json")
    assert refused.exit_code == 2
    assert "into another database with the new questionnaire" in " ".join(refused.stderr.split())


def test_training_on_interviews(run, place, interviewed, tmp_path):
    pytest.importorskip("skops", reason="skops is not installed (extra models)")
    from sparsam.data import load_model

    model = tmp_path / "model.skops"
    done = run("records", "train", place, "-o", model)
    assert done.exit_code == 0
    people = {"age": np.array(["under 20", "20 and over", "20 and over"], object),
              "job": np.array(["not asked", "cook", "=judge"], object)}  # fmt: skip
    assert load_model(model).predict(people).tolist() == ["no", "no", "yes"]


@pytest.mark.parametrize(
    "words", ["count {}", "export {} -o -", "forget {} abc", "train {} -o model.skops"]
)
def test_no_store(run, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    for name, message in (("nowhere.db", "There is no store"), ("text.db", "is not a database")):
        (tmp_path / "text.db").write_text("age,job\n47,cook\n" * 50)
        result = run("records", *words.format(tmp_path / name).split())
        assert result.exit_code == 2
        assert message in result.stderr
        assert "47" not in result.stderr.replace(str(tmp_path), "")
    assert {file.name for file in tmp_path.iterdir()} == {"text.db"}


def test_an_address_that_is_none(run):
    result = run("records", "count", "mysql://user:secret@host/people")
    assert result.exit_code == 2
    assert "postgresql://" in result.stderr
    assert "secret" not in result.stderr

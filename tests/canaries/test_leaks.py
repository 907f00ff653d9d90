"""The leaks that a hostile review found, one test or more for each: none of them comes back."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import sparsam as sp
from sparsam.anonymise import Anonymiser, Hybrid, Mondrian, verify
from sparsam.anonymise._private_models import PrivateForest, PrivateLogistic, PrivateNetwork
from sparsam.data import CategoricalDomain, NumericDomain, OwnRecords, columns_of
from sparsam.explore import declared
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.individual import read_people
from sparsam.report import statement_report

from . import planted
from .planted import OLDEST, RARE, RENT, labelled, people
from .spoken import error_of
from .stage import Run, Stage, run_main

HIVE = "age=5/region=Splorknit-55"
MINIMISED = ("minimise", "minimise model", "minimise model paper", "minimise model by heart")


def clean(stage: Stage, *names: str, columns: set[str] | None = None) -> None:
    """Nothing of these columns is seen in what the cases said and wrote."""
    for name in names:
        run = stage.run(name)
        seen = [one for one in stage.sightings(run) if columns is None or one.column in columns]
        assert not seen, f"{run}\n\n" + "\n".join(map(str, seen[:20]))


def documents(run: Run) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON documents that a run has left."""
    for file in run.files:
        if file.suffix == ".json":
            yield file.name, json.loads(file.read_text(encoding="utf-8"))


def command(folder: Path, *words: Any) -> tuple[int, Mapping[str, str]]:
    """Run a command that is not among the cases."""
    return run_main([str(word) for word in words], folder)


# ---- 1: names of folders


READERS: dict[str, Callable[[Path], Any]] = {
    "read": lambda file: sp.read(file).to_frame("pandas")[["age", "region"]],
    "columns": lambda file: pd.DataFrame(columns_of(file, ["age", "region"])),
    "own records": lambda file: OwnRecords.open(file, columns=["age", "region"]).table.to_frame(
        "pandas"
    ),
    "people": lambda file: pd.DataFrame(
        {name: read_people(file, "employed").covered(name) for name in ("age", "region")}
    ),
}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("reader", READERS)
def test_leak_1_folder_names(stage: Stage, reader: str, ending: str) -> None:
    """Cells are those of the file, whatever its folders are called."""
    read = READERS[reader]
    there = read(stage.tables / HIVE / f"people.{ending}").astype(str)
    assert there.equals(read(stage.tables / f"people.{ending}").astype(str))
    assert there["age"].nunique() > 50
    assert planted.BROKEN not in set(there["region"])


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_leak_1_folder_names_in_a_release(tmp_path: Path, ending: str) -> None:
    """Forty different people in a folder that calls them one are not forty alike."""
    alike = pd.DataFrame({"age": [30] * 40, "sex": ["f"] * 40})
    name = f"release.{ending}"
    source = tmp_path / "alike.csv"
    alike.to_csv(source, index=False)
    made, said = command(tmp_path, "anonymise", source, "--quasi-identifiers", "age,sex", "--k", 10,
                         "-o", tmp_path / name)  # fmt: skip
    assert made == 0, said
    certificate = tmp_path / "release.certificate.json"
    folder = tmp_path / "age=30" / "sex=f"
    folder.mkdir(parents=True)
    different = pd.DataFrame({"age": range(20, 60), "sex": ["f", "m"] * 20})
    write = different.to_parquet if ending == "parquet" else different.to_csv
    write(folder / name, index=False)
    assert not verify(folder / name, certificate).ok
    assert command(tmp_path, "verify", folder / name, certificate)[0] != 0


def test_leak_1_folder_names_in_an_exploration(stage: Stage, tmp_path: Path) -> None:
    domains = declared({"age": (0, 130, "integer"), "region": ["north", "south", "east"]})
    file = stage.tables / HIVE / "people.parquet"
    with sp.Ledger.create(tmp_path / "x.ledger", file, epsilon=900, domains=domains) as ledger:
        found = sp.explore_table(file, ledger, epsilon=800)
    assert found.answer("mean", "age").value > 40
    assert found.answer("value_counts", "region").value > 100
    clean(stage, "describe folder", "describe folder --json")
    described = json.loads(stage.run("describe folder --json").said["stdout"])
    values = {one["attribute"]: one["values"] for one in described["attributes"]}
    assert values["age"] > 50
    assert values["region"] > 2


# ---- 2: the index of pandas


@pytest.mark.parametrize("method", [Hybrid, Mondrian])
def test_leak_2_an_index_is_not_published(method: Any, tmp_path: Path) -> None:
    frame = labelled(people())
    names = ["age", "sex", "education"]
    anonymiser = Anonymiser(method(), quasi_identifiers=names, k=10, keep=["employed"])
    with pytest.warns(sp.SparsamWarning):
        release = anonymiser.fit_transform(frame, frame["employed"])
    assert not set(release.index) & set(frame.index)
    release.to_parquet(tmp_path / "release.parquet")
    assert not any("index_level" in n for n in pq.read_schema(tmp_path / "release.parquet").names)


def test_leak_2_verify_looks_at_every_physical_column(stage: Stage, tmp_path: Path) -> None:
    done = stage.run("anonymise").folder
    certificate = done / "release.certificate.json"
    release = labelled(pd.read_parquet(done / "release.parquet"))
    release.to_parquet(tmp_path / "release.parquet")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "release.parquet").names
    assert not verify(tmp_path / "release.parquet", certificate).ok
    assert command(tmp_path, "verify", tmp_path / "release.parquet", certificate)[0] != 0
    assert verify(done / "release.parquet", certificate).ok


def test_leak_2_a_file_with_an_index(stage: Stage) -> None:
    clean(stage, "anonymise labelled", "describe parquet", columns={"label"})
    release = stage.run("anonymise labelled").folder / "release.parquet"
    assert "employed" in pq.read_schema(release).names
    assert not any("index_level" in name for name in pq.read_schema(release).names)


# ---- 3: messages of an engine


@pytest.mark.parametrize("table", ["latin.parquet", "damaged.parquet", "cut.csv.gz", "latin.csv"])
def test_leak_3_engine_messages(stage: Stage, table: str) -> None:
    names = [name for name in stage.cases if name.endswith(f" {table}")]
    assert len(names) >= 12
    clean(stage, *names, columns={"latin", "broken", "surname", "phone", "patient"})
    for name in names:
        assert "Traceback" not in stage.run(name).said["stderr"], stage.run(name)


def test_leak_3_an_unreadable_text_is_explored_as_other(stage: Stage) -> None:
    """One person's text does not make an exploration fail that was charged already."""
    run = stage.run("explore run latin.parquet")
    assert run.code == 0, run


def test_leak_3_errors_of_engines_are_worded(stage: Stage) -> None:
    names = [name for name in stage.cases if " fails by " in name]
    clean(stage, *names, columns={"broken", "income"})


# ---- 4: exact values


@pytest.mark.parametrize("name", MINIMISED)
def test_leak_4_exact_values(stage: Stage, name: str) -> None:
    clean(stage, name, columns={"age", "rent", "income", "patient"})


@pytest.mark.parametrize("name", MINIMISED)
def test_leak_4_ranges_are_rounded_outwards(stage: Stage, name: str) -> None:
    """A range holds every cell, and neither of its ends is the value of fewer than five."""
    frame = people()
    ranges = [
        (part["name"], part["domain"])
        for _, document in documents(stage.run(name))
        for part in document.get("attributes", [])
        if "low" in (part.get("domain") or {})
    ]
    assert ranges
    for attribute, domain in ranges:
        cells = frame[attribute]
        assert domain["low"] <= cells.min(), (attribute, domain)
        assert domain["high"] >= cells.max(), (attribute, domain)
        for end in (domain["low"], domain["high"]):
            assert not 1 <= (cells == end).sum() < 5, (attribute, domain)


@pytest.mark.parametrize("name", MINIMISED[1:])
def test_leak_4_representatives_are_nobody(stage: Stage, name: str) -> None:
    incomes = set(people()["income"])
    listed = [
        (file, value)
        for file, document in documents(stage.run(name))
        for value in numbers_in(document.get("representatives", {}).get("income", []))
    ]
    assert listed
    assert not [one for one in listed if one[1] in incomes]


def numbers_in(value: Any) -> Iterator[float]:
    """All numbers in plain data, at any depth."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from numbers_in(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


@pytest.mark.parametrize("name", MINIMISED)
def test_leak_4_rare_categories(stage: Stage, name: str) -> None:
    clean(stage, name, columns=set(RARE))


def test_leak_4_what_is_declared_may_be_said(stage: Stage) -> None:
    """The same tables with declared domains: their ends and categories stand in the artifact."""
    parts = {
        part["name"]: part
        for part in dict(documents(stage.run("minimise declared")))["people.json"]["attributes"]
    }
    assert parts["age"]["domain"]["high"] == OLDEST
    assert parts["rent"]["domain"]["high"] == RENT
    names = ("minimise declared", "minimise model declared", "describe declared generalization")
    clean(stage, *names, columns=set(planted.DECLARED))


# ---- 5: exploring what was learned


@pytest.mark.parametrize(
    "name",
    [
        "ranges to explore with",
        "groups to explore with",
        "ranges to plan with",
        "ranges of a ledger",
    ],
)
def test_leak_5_learned_generalization(stage: Stage, name: str) -> None:
    run = stage.run(f"wrong learned {name}")
    assert run.code == 2, run
    assert not run.said["stdout"]
    cuts = [
        f"{number:g}"
        for number in numbers_in(dict(documents(stage.run("minimise model")))["people.json"])
        if number > 1000
    ]
    assert not [cut for cut in cuts if cut in run.said["stderr"]]


def test_leak_5_learned_generalization_in_python(stage: Stage) -> None:
    learned = sp.Generalization.load(stage.run("minimise model").folder / "people.json")
    assert learned.collected
    with pytest.raises(sp.SparsamError):
        declared(learned)


def test_leak_5_declared_domains_are_no_secret(stage: Stage) -> None:
    assert stage.run("explore plan declared").code == 0, stage.run("explore plan declared")


# ---- 6: hashes of the table


HASHED = (
    "minimise", "minimise model", "minimise attack", "attack", "attack json", "anonymise",
    "individual", "individual json", "describe mask",
)  # fmt: skip


@pytest.mark.parametrize("name", HASHED)
def test_leak_6_unsalted_hashes(stage: Stage, name: str) -> None:
    clean(stage, name, columns={"hash"})


def test_leak_6_nobody_can_test_a_guess(stage: Stage) -> None:
    """Who knows all rows but one cell, and tries every age, finds it in no output."""
    rows = (stage.tables / "people.csv").read_bytes()
    assert rows.count(b",117,") == 1
    guesses = [rows.replace(b",117,", f",{age},".encode()) for age in range(100, 121)]
    told = {
        word
        for name in HASHED
        for text in (
            *stage.run(name).said.values(),
            *(file.read_bytes().decode("latin-1") for file in stage.run(name).files),
        )
        for word in re.findall(r"\b[0-9a-f]{32,}\b", text.lower())
    }
    for how in ("md5", "sha1", "sha256", "sha512", "blake2b"):
        assert not {hashlib.new(how, guess).hexdigest() for guess in guesses} & told


# ---- 7: small counts


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few who stand alone and pairs among many, and a generalization that tells them apart."""
    folder = tmp_path_factory.mktemp("small")
    rng = np.random.default_rng(5)
    age = np.concatenate(
        [np.repeat([20, 30, 40, 50], 100), np.arange(81, 88), np.repeat([90, 91, 92], 2)]
    )
    frame = pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], len(age)),
            "works": np.where(rng.random(len(age)) < 0.2 + 0.6 * (age > 30), "yes", "no"),
        }
    )
    frame.to_csv(folder / "people.csv", index=False)
    domain = NumericDomain(0, 99, integer=True)
    sexes = categorical_partition("sex", CategoricalDomain(("f", "m")), [["f", "m"]])
    parts = [numeric_partition("age", domain, [25, 35, 45, *range(80, 99)]), sexes]
    about = {"target": "works", "personal": ["sex"]}
    Generalization(parts, about).save(folder / "people.json")
    return folder


def published(counts: Mapping[str, Any]) -> list[int]:
    """All numbers of people in what is published of classes."""
    whole = [counts["alone"], *counts["under"].values()]
    return sorted({0, *(one for one in whole if isinstance(one, int))})


def test_leak_7_small_counts(small: Path, tmp_path: Path) -> None:
    """Neither a published count nor a difference of two stands for one to four people."""
    args = (small / "people.json", small / "people.csv", "--target", "works", "--personal", "sex")
    code, said = command(tmp_path, "assess", *args, "--json")
    assert code == 0, said
    table = sp.read(small / "people.csv")
    parts = sp.split(sp.resolve(table, sp.Roles("works", personal=("sex",))), random_state=0)
    raw = sp.assess_generalization(
        Generalization.load(small / "people.json"), parts, random_state=0
    ).class_sizes
    steps = np.diff([0, raw.alone, *raw.under.values()])
    assert ((steps > 0) & (steps < 5)).any(), "the test is about counts that lie close together"
    told = json.loads(said["stdout"])["class_sizes"]
    gaps = np.diff(published(told))
    assert not ((gaps > 0) & (gaps < 5)).any(), told
    assert not isinstance(told["smallest"], int) or not 0 < told["smallest"] < 5


def test_leak_7_all_places_agree(small: Path, tmp_path: Path) -> None:
    """The report, --json and the terminal say the same of the same classes."""
    outputs = ("-o", tmp_path / "g.json", "--report", tmp_path / "r.json")
    base = ("minimise", small / "people.csv", "--target", "works", "--personal", "sex", "--jobs", 1)
    much = ("--min-leaf", 1, "--must-keep", "age", "--max-risk", 1)
    code, said = command(tmp_path, *base, *much, *outputs, "--json")
    assert code in (0, 1, 3), said
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    point = next(one for one in report["points"] if one["id"] == report["chosen"])
    told = json.loads(said["stdout"])["assessment"]["class_sizes"]
    reported = point["classes"]
    assert told["alone"] == reported["alone"]
    assert told["smallest"] == reported["smallest"]
    assert {str(k): v for k, v in told["under"].items()} == dict(reported["under"])
    gaps = np.diff(published(told))
    assert not ((gaps > 0) & (gaps < 5)).any(), told


# ---- 8: releases


def test_leak_8_a_threshold_is_published_as_the_threshold(stage: Stage) -> None:
    clean(stage, "anonymise threshold", columns={"income"})
    release = pd.read_csv(stage.run("anonymise threshold").folder / "release.csv")
    rows = release.groupby(list(release.columns), dropna=False).size()
    assert len(rows) < 200
    for name in release.columns:
        assert release[name].nunique() < 100, name


def test_leak_8_columns_that_make_rows_unique_are_refused(stage: Stage, tmp_path: Path) -> None:
    run = stage.run("wrong kept incomes")
    assert run.code != 0, run
    assert not run.files
    line = run.case.line.replace("@people.csv", str(stage.tables / "people.csv"))
    words = [word for word in line.split() if word not in ("-o", ">release.csv")]
    output = tmp_path / "release.csv"
    code, said = command(tmp_path, *words, "--accept-unique", "-o", output)
    assert code == 0, said
    assert pd.read_csv(output)["income"].nunique() > 500
    assert "every published record is shared" not in said["stdout"].lower()


def test_leak_8_rows_leave_in_another_order(stage: Stage) -> None:
    for name in ("anonymise", "anonymise labelled"):
        release = pd.read_parquet(stage.run(name).folder / "release.parquet")
        assert sorted(release["employed"]) == sorted(people()["employed"])
        assert list(release["employed"]) != list(people()["employed"])


# ---- 9: names of categories


@pytest.mark.parametrize(
    "name",
    [*MINIMISED, "minimise attack", "attack", "attack json", "attack two", "apply", "apply model",
     "describe generalization", "describe generalization --json"],
)  # fmt: skip
def test_leak_9_category_names(stage: Stage, name: str) -> None:
    clean(stage, name, columns={"surname", "phone"})


# ---- 10: private training


RATE, STEPS, N = 0.0417014, 24_173, 617


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A ledger that a run of DP-SGD was charged to."""
    with sp.Ledger.create(tmp_path / "x.ledger", epsilon=90, delta=1e-6, fingerprint="x") as made:
        made.charge_training(9.0, RATE, STEPS, purpose="train")
        assert made.spent > 0
    return tmp_path / "x.ledger"


def test_leak_10_statements_of_training(trained: Path, tmp_path: Path) -> None:
    """Neither the sampling rate nor the steps: either gives the number of rows away."""
    with sp.Ledger.open(trained) as ledger:
        statement = ledger.statement()
        report = statement_report(statement)
    texts = {"str": str(statement), "repr": repr(statement), "dict": str(statement.to_dict())}
    texts |= {"html": report.to_html(), "md": report.to_markdown(), "json": str(report.to_dict())}
    for words in (["statement"], ["statement", "--json"], ["show"], ["show", "--json"]):
        code, said = command(tmp_path, "ledger", words[0], trained, *words[1:])
        assert code == 0, said
        texts[" ".join(words)] = "\n".join(said.values())
    hidden = re.compile(rf"{RATE:g}|{STEPS}|{STEPS:,}|sampling rate\s*[\d.]+|[\d,]+ steps")
    assert {name: hidden.findall(text) for name, text in texts.items() if hidden.search(text)} == {}


@pytest.mark.parametrize("learner", [PrivateNetwork, PrivateLogistic, PrivateForest])
def test_leak_10_errors_of_training(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No error says how many people there are, nor how many of them have what is wrong."""
    for name in ("opacus", "diffprivlib", "diffprivlib.models"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    rows = {"age": np.arange(N) % 90}
    labels = np.array(["no", "yes"])[np.arange(N) % 2]
    strange = np.where(np.arange(N) == 7, planted.BROKEN, labels)
    model = learner(domains={"age": NumericDomain(0, 99)}, classes=["no", "yes"])
    texts = [
        error_of(lambda: model.fit(rows, labels[:-1])),
        error_of(lambda: model.fit(rows, strange)),
    ]
    if learner is PrivateNetwork:
        texts.append(error_of(lambda: model.set_params(delta=0.5).fit(rows, labels)))
    said = [text.strip().rpartition("sparsam._errors.")[2] for text in texts]
    assert all(said)
    assert not re.findall(r"(?<![\d.])(?:616|617|1)(?= |,|\.)", " ".join(said)), said
    assert planted.BROKEN not in " ".join(said)

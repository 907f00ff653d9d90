"""`sparsam individual`: from a file to a mask, a report and the values that are retained."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from sparsam._small_counts import share_step
from sparsam.cli._individual import ALGORITHMS as NAMES
from sparsam.individual import Mask
from sparsam.individual._individual_minimiser import ALGORITHMS
from sparsam.individual._people import encode

QUICK = ("--references", "2", "--runs", "0")


@pytest.fixture(scope="module")
def made(run, folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("masks")
    outputs = ("-o", place / "mask.npz", "--report", place / "r.html")
    ask = ("--target", "works", "--keep", "0.2", "--compare", "random-rows", "--shares", "0.3,0.6")
    result = run("individual", folder / "people.csv", *ask, *outputs, *QUICK)
    assert result.exit_code == 0, result.output
    return place, result


def test_the_names_are_those_of_the_algorithms():
    assert [name.replace("-", " ") for name in NAMES] == list(ALGORITHMS)


def test_a_person_can_read_it(made, folder):
    place, result = made
    for words in (
        "Retain 700 of 3,500 values: 20 %.",
        "Accuracy",
        "Reconstruction (RCR)",
        "Re-identification (RIR)",
        "Membership (MIR)",
        "The mask covers all 700 rows of people.csv, in the order of the file.",
        "sparsam apply mask.npz people.csv",
        "what to retain, not what to ask for",
    ):
        assert words in result.stdout, words
    assert "Read 700 records with 5 attributes." in result.stderr
    assert "Minimise and attack: 6 of 6" in result.stderr
    page = (place / "r.html").read_text(encoding="utf-8")
    assert "random rows" in page
    assert "sparsam individual people.csv --target works --keep 0.2" in page
    assert str(folder) not in page


def test_the_mask_says_what_it_is_about(made):
    mask = Mask.load(made[0] / "mask.npz")
    assert mask.shape == (700, 5)
    assert mask.kept_share == 0.2
    assert mask.attributes == ("age", "education", "sex", "region", "zip")
    assert (mask.algorithm, mask.random_state) == ("stationarity", 0)
    assert mask.facts["target"] == "works"
    assert mask.facts["source"] == "people.csv"
    assert mask.rows is None
    # a hash of the table would let whoever holds the mask guess a person's row
    assert not re.search(r"\b[0-9a-f]{32,}\b", json.dumps(mask.header()))


@pytest.mark.parametrize("source", ["people.csv", "people.csv.gz", "people.parquet"])
def test_applied_to_the_file(run, made, folder, tmp_path, source):
    mask = Mask.load(made[0] / "mask.npz")
    result = run("apply", made[0] / "mask.npz", folder / source, "-o", tmp_path / "o.parquet")
    assert result.exit_code == 0, result.output
    assert "Wrote 700 records to o.parquet." in result.stderr
    assert "20.00 % of the values are kept" in result.stderr
    assert "must be the same people in the same order" in " ".join(result.stderr.split())
    found = pd.read_parquet(tmp_path / "o.parquet")
    raw = pd.read_parquet(folder / "people.parquet")
    assert list(found.columns) == list(raw.columns)
    assert (found[list(mask.attributes)].notna().to_numpy() == mask.kept).all()
    for name in mask.attributes:
        here = mask.kept[:, mask.attributes.index(name)]
        assert found[name][here].tolist() == raw[name][here].tolist()
    assert found["works"].tolist() == raw["works"].tolist()


def test_filled_is_ready_to_train_on(run, made, folder, tmp_path):
    mask = Mask.load(made[0] / "mask.npz")
    result = run("apply", made[0] / "mask.npz", folder / "people.csv", "-o", tmp_path / "o.csv",
                 "--fill", "--keep", "zip")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "filled in from statistics" in result.stderr
    found = pd.read_csv(tmp_path / "o.csv")
    rows = found[[name for name in mask.attributes if name != "zip"]].to_numpy()
    whole = encode(folder / "people.csv", "works")
    assert np.isfinite(rows).all()
    here = mask.kept[:, :4]
    assert rows[here] == pytest.approx(whole.X[:, :4][here])
    assert (rows[~here] != whole.X[:, :4][~here]).mean() > 0.9


def test_described(run, made):
    text = run("describe", made[0] / "mask.npz").stdout
    assert text.startswith("700 people x 5 attributes: 20.00 % kept (700 of 3,500 values)")
    assert "target: works" in text
    found = json.loads(run("describe", made[0] / "mask.npz", "--json").stdout)
    assert (found["people"], found["values"], found["kept"]) == (700, 3500, 700)
    assert found["algorithm"] == "stationarity"
    assert len(found["about"]["attributes"]) == 5


def test_json_and_quiet(run, folder):
    result = run("individual", folder / "people.csv", "--target", "works", "--keep", "0.5",
                 "--algorithm", "random-rows", "--json", "-q", *QUICK)  # fmt: skip
    assert result.exit_code == 0
    assert result.stderr == ""
    data = json.loads(result.stdout)
    assert data["mask"]["algorithm"] == "random rows"
    assert len(data["points"]) == 1
    again = run("individual", folder / "people.csv", "--target", "works", "--keep", "0.5",
                "--algorithm", "random-rows", "--json", "-q", *QUICK)  # fmt: skip
    assert again.stdout == result.stdout


def test_a_permitted_drop_and_its_exit_code(run, tmp_path):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.random((200, 3)), columns=["a", "b", "c"])
    people["y"] = np.where(people["a"] + people["b"] > 1, "yes", "no")
    people.to_csv(tmp_path / "people.csv", index=False)
    ask = ("individual", tmp_path / "people.csv", "--target", "y", "-q", "--json", *QUICK)
    good = run(*ask, "--max-drop", "0.3")
    assert good.exit_code == 0
    assert json.loads(good.stdout)["requirement"]["met"]
    # what holds on the people it was chosen on need not hold on others
    ask = (*ask, "--max-drop", "0.01", "--algorithm", "individualised-random")
    results = [run(*ask, "--seed", seed) for seed in range(6)]
    for result in results:
        data = json.loads(result.stdout)
        said = data["chosen"]["accuracy"]  # in steps of five people or more
        assert data["requirement"]["met"] == (said["drop"] <= 0.01) or (
            abs(said["drop"] - 0.01) <= share_step(said["n_people"]) / 2
        )
        assert result.exit_code == (0 if data["requirement"]["met"] else 1)
    assert {result.exit_code for result in results} == {0, 1}


def test_a_model_that_learns_nothing_is_named(run, tmp_path):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.integers(0, 9, (200, 2)), columns=["a", "b"])
    people["y"] = rng.integers(0, 2, 200)
    people.to_csv(tmp_path / "people.csv", index=False)
    result = run("individual", tmp_path / "people.csv", "--target", "y", "--keep", "0.2",
                 "--report", tmp_path / "r.html", "--compare", "none", *QUICK)  # fmt: skip
    assert "not surely better than the most common class" in result.stdout
    assert "not surely better than the most common class" in (tmp_path / "r.html").read_text(
        "utf-8"
    )


def test_a_network_a_weight_and_categories(run, folder, tmp_path):
    ask = (
        "individual",
        folder / "people.csv",
        "--target",
        "works",
        "--keep",
        "0.3",
        "-q",
        "--json",
    )
    result = run(*ask, "--learner", "network", "--compare", "feature-selection", "--shares", "0.6",
                 "--membership", "chosen", *QUICK)  # fmt: skip
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["mask"]["learner"].startswith("network")
    assert [one["algorithm"] for one in data["points"]] == ["stationarity"] * 2 + [
        "feature selection"
    ] * 2
    assert sum(one["membership"] is not None for one in data["points"]) == 1
    weighed = run(*ask, "--privacy-weight", "5", "--categorical", "zip", *QUICK)
    assert weighed.exit_code == 0
    kept = {one["name"]: one["share"] for one in json.loads(weighed.stdout)["attributes"]}
    assert kept["age"] < 0.1  # the attribute with by far the most values
    assert json.loads(weighed.stdout)["mask"]["facts"]["categorical"] == '["zip"]'


def test_incomplete_rows(run, folder, make_people, tmp_path):
    people = make_people(300)
    people["age"] = people["age"].astype(float)
    people.loc[[3, 8], "age"] = np.nan
    people.to_csv(tmp_path / "holes.csv", index=False)
    ask = ("individual", tmp_path / "holes.csv", "--target", "works", "--keep", "0.2", *QUICK)
    result = run(*ask, "-o", tmp_path / "all.npz", "--report", tmp_path / "r.json")
    assert result.exit_code == 0, result.output
    assert "Note: numbers are missing in age" in result.stderr
    assert "of 1,500 values that are there: 20 %" in result.stdout  # two would tell whose
    said = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["mask"]
    assert (said["missing"], said["values"], said["kept"]) == ("fewer than 5", 1500, 300)
    mask = Mask.load(tmp_path / "all.npz")
    assert (mask.rows, mask.n_values) == (None, 1498)
    assert not mask.kept[[3, 8], mask.attributes.index("age")].any()
    for more in ((), ("--fill",)):
        done = run("apply", tmp_path / "all.npz", tmp_path / "holes.csv", "-o", tmp_path / "o.csv",
                   *more)  # fmt: skip
        assert done.exit_code == 0, done.output
        found = pd.read_csv(tmp_path / "o.csv")
        assert len(found) == 300
        assert found["age"].isna().any() != bool(more)
    result = run(*ask, "--leave-out-incomplete", "-o", tmp_path / "m.npz")
    assert result.exit_code == 0, result.output
    assert "298 of the 300 rows of holes.csv" in result.stdout
    mask = Mask.load(tmp_path / "m.npz")
    assert mask.rows.tolist() == [i for i in range(300) if i not in (3, 8)]
    done = run("apply", tmp_path / "m.npz", tmp_path / "holes.csv", "-o", tmp_path / "o.csv",
               "--keep", "works")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Left out: 2 of 300 rows, as incomplete." in done.stderr
    assert len(pd.read_csv(tmp_path / "o.csv")) == 298


def test_cut_targets_go_all_the_way(run, folder, tmp_path):
    result = run("individual", folder / "people.csv", "--target", "age>40", "--keep", "0.3",
                 "-o", tmp_path / "m.npz", *QUICK)  # fmt: skip
    assert result.exit_code == 0, result.output
    done = run("apply", tmp_path / "m.npz", folder / "people.csv", "-o", tmp_path / "o.csv")
    assert done.exit_code == 0, done.output
    found = pd.read_csv(tmp_path / "o.csv")
    assert set(found["age>40"]) == {"age > 40", "age <= 40"}
    assert "age" not in found.columns


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "exactly one of the two"),
        (("--keep", "0.2", "--max-drop", "0.1"), "exactly one of the two"),
        (("--keep", "0"), "--keep"),
        (("--keep", "1"), "--keep"),
        (("--keep", "1.5"), "--keep"),
        (("--max-drop", "-0.1"), "--max-drop"),
        (("--keep", "0.2", "--target", "worked"), "Did you mean 'works'"),
        (("--keep", "0.2", "--algorithm", "magic"), "--algorithm"),
        (("--keep", "0.2", "--compare", "magic"), "--compare"),
        (("--keep", "0.2", "--compare", ","), "--compare"),
        (("--keep", "0.2", "--shares", "0.1,x"), "--shares"),
        (("--keep", "0.2", "--shares", "2"), "--shares"),
        (("--keep", "0.2", "--references", "3"), "even"),
        (("--keep", "0.2", "--privacy-weight", "1", "--algorithm", "modelling"), "stationarity"),
        (("--keep", "0.2", "--identifier", "nobody"), "nobody"),
        (("--keep", "0.2", "-o", "mask.json"), "-o"),
        (("--keep", "0.2", "--target", "age"), "must be a class"),
    ],
)
def test_wrong_usage(run, folder, options, words):
    target = () if "--target" in options else ("--target", "works")
    result = run("individual", folder / "people.csv", *target, *options)
    assert result.exit_code == 2
    assert words in result.stderr


def test_unusable_tables(run, make_people, tmp_path):
    people = make_people(300)
    cases = {
        "constant": (people.assign(works="yes"), "at least two classes"),
        "few": (people.head(12), "at least 40 people"),
        "rare": (people.assign(works=["rare"] + ["yes", "no"] * 149 + ["no"]), "too rare"),
        "alone": (people[["works"]], "besides its target"),
    }
    for name, (table, words) in cases.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        result = run("individual", tmp_path / f"{name}.csv", "--target", "works", "--keep", "0.2")
        assert result.exit_code == 2, name
        assert words in result.stderr, name
        assert "Ms Mask" not in result.output


def test_names_are_set_aside(run, make_people, tmp_path):
    people = make_people(300).assign(name=[f"Ms Mask {i}" for i in range(300)])
    people.to_csv(tmp_path / "names.csv", index=False)
    result = run("individual", tmp_path / "names.csv", "--target", "works", "--keep", "0.2", *QUICK)
    assert result.exit_code == 0
    assert "Note: name: looks like an identifier" in result.stderr
    assert "Ms Mask" not in result.output
    assert "Nothing was saved" in result.stderr


def test_wrong_artifacts(run, made, artifact, folder, tmp_path):
    mask, people = made[0] / "mask.npz", folder / "people.csv"
    out = ("-o", tmp_path / "o.csv")
    assert "--codes goes with" in run("apply", mask, people, *out, "--codes").stderr
    assert "--fill goes with" in run("apply", artifact, people, *out, "--fill").stderr
    Mask(np.ones((700, 1), bool), ["age"]).save(tmp_path / "bare.npz")
    assert "does not say" in run("apply", tmp_path / "bare.npz", people, *out).stderr
    (tmp_path / "broken.npz").write_bytes(b"no mask")
    assert "cannot be read" in run("apply", tmp_path / "broken.npz", people, *out).stderr
    pd.read_csv(people).head(50).to_csv(tmp_path / "half.csv", index=False)
    result = run("apply", mask, tmp_path / "half.csv", *out)
    assert result.exit_code == 2
    assert "700 people" in result.stderr
    assert not (tmp_path / "o.csv").exists()


def test_in_a_process_of_its_own(shell, folder, tmp_path):
    done = shell("individual", "people.csv", "--target", "works", "--keep", "0.1", "-q",
                 "-o", tmp_path / "m.npz", *QUICK, cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert (tmp_path / "m.npz").stat().st_size < 3000


@pytest.mark.parametrize("text", ["[1", "{}", "[1]", "9" * 5_000, "[" * 10_000, '["\\ud800"]'])
def test_a_mask_with_forged_facts_is_refused(run, made, folder, tmp_path, text):
    mask = Mask.load(made[0] / "mask.npz")
    facts = {**mask.facts, "categorical": text}
    forged = Mask(
        mask.kept, mask.attributes, facts=facts, rows=mask.rows, table_rows=mask.table_rows
    )
    forged.save(tmp_path / "forged.npz")
    done = run("apply", tmp_path / "forged.npz", folder / "people.csv", "-o", tmp_path / "o.csv")
    assert done.exit_code != 0
    assert len(done.stderr) < 1_000
    assert not (tmp_path / "o.csv").exists()


def test_rows_without_a_target(run, make_people, tmp_path):
    people = make_people(300)
    people["works"] = people["works"].astype(object)
    people.loc[[3, 8], "works"] = None
    people.to_csv(tmp_path / "holes.csv", index=False)
    ask = ("individual", tmp_path / "holes.csv", "--target", "works", "--keep", "0.2", *QUICK)
    refused = run(*ask)
    assert refused.exit_code == 2
    assert "--drop-missing-target" in refused.stderr
    result = run(*ask, "--drop-missing-target", "-o", tmp_path / "m.npz")
    assert result.exit_code == 0, result.output
    assert "298 of the 300 rows of holes.csv: those that have a target" in result.stdout
    done = run("apply", tmp_path / "m.npz", tmp_path / "holes.csv", "-o", tmp_path / "o.csv")
    assert done.exit_code == 0, done.output
    assert "Left out: 2 of 300 rows, without a target." in done.stderr

"""`sparsam anonymise`: the file that is written keeps the promise, or there is no file."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import sparsam as sp
from sparsam._small_counts import at_most
from sparsam.anonymise import Certificate, verify

QUASI = ["age", "education", "marital_status", "sex"]
NAMES = ",".join(QUASI)


def words_of(result):
    return " ".join(result.stderr.replace("│", " ").split())


def smallest_class(frame, names=QUASI):
    """The obvious count, from the cells as texts."""
    return min(Counter(frame[names].astype(str).itertuples(index=False, name=None)).values())


@pytest.fixture(scope="module")
def people():
    return sp.load_example().take(range(2000)).to_frame("pandas")


@pytest.fixture(scope="module")
def place(people, tmp_path_factory):
    """The bundled people as a CSV file, and a small pipeline that was fitted on them."""
    place = tmp_path_factory.mktemp("anonymise")
    people.to_csv(place / "people.csv", index=False)
    people.head(200).to_csv(place / "few.csv", index=False)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), QUASI[1:]), remainder="passthrough"
    )
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=5, random_state=0))
    joblib.dump(model.fit(people[QUASI], people["employed"]), place / "model.joblib")
    return place


def test_a_target_of_whole_numbers_that_are_labels(run, people, tmp_path):
    people.assign(employed=(people["employed"] == "yes") + 1).to_csv(
        tmp_path / "p.csv", index=False
    )
    # a threshold is a label, too: 1.5 lies between the two
    result = run("anonymise", tmp_path / "p.csv", "--quasi-identifiers", "age,sex", "--target",
                 "employed>1.5", "--sweep-k", 50, "-o", tmp_path / "o.csv", "--report",
                 tmp_path / "r.json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert json.loads((tmp_path / "r.json").read_text())["sweeps"]["measure"] == "share"


@pytest.fixture(scope="module")
def made(run, place):
    result = run(
        "anonymise", place / "people.csv", "--quasi-identifiers", NAMES, "--target", "employed",
        "-o", place / "out.csv", "--report", place / "report.html", "--sweep-k", "20,100",
        "--drop-one", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return result


def test_the_file_keeps_the_promise(made, place, people):
    release = pd.read_csv(place / "out.csv", dtype=str)
    assert list(release.columns) == [*QUASI, "employed"]
    assert len(release) == 2000
    assert smallest_class(release) >= 10
    # rows leave in another order, and what is kept is as it was
    assert release["employed"].tolist() != people["employed"].tolist()
    assert Counter(release["employed"]) == Counter(people["employed"])


def test_the_order_of_rows_says_nothing_about_the_raw_ones(run, people, tmp_path):
    """Not even to someone who knows the seed and the number of rows."""
    released = []
    for name, frame in (("a", people), ("b", people.sample(frac=1, random_state=3))):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        result = run("anonymise", tmp_path / f"{name}.csv", "--quasi-identifiers", "age,sex",
                     "--keep", "employed", "--method", "mondrian", "-o",
                     tmp_path / f"{name}-out.csv", "-q")  # fmt: skip
        assert result.exit_code == 0, result.stderr
        released.append((tmp_path / f"{name}-out.csv").read_text())
    assert released[0] == released[1]
    rows = released[0].splitlines()[1:]
    assert rows != sorted(rows)


def test_the_certificate_is_that_of_the_file(made, place):
    paper = Certificate.load(place / "out.certificate.json")
    assert verify(place / "out.csv", paper).ok
    found = json.loads(made.stdout)
    assert found["certificate"]["sha256"] == paper.sha256
    assert found["kept"] is True
    assert found["certificate"]["smallest"] == smallest_class(pd.read_csv(place / "out.csv"))
    assert found["certificate"]["parameters"]["method"] == "Hybrid"
    assert set(found["certificate"]["quasi_identifiers"]) == set(QUASI)
    losses = [one["name"] for one in found["certificate"]["information_loss"]]
    assert losses == ["tight (range)", "tight (share)", "tight (values)"]
    assert 0 < found["risk"]["prosecutor"]["highest"] <= 0.1


def test_json_has_the_sweep_and_the_drop_one_table(made):
    found = json.loads(made.stdout)
    methods = [one["method"] for one in found["sweeps"]["methods"]]
    assert methods == ["Hybrid", "Greedy", "Mondrian"]
    for one in found["sweeps"]["methods"]:
        assert [row["k"] for row in one["rows"]] == [20, 100]
        assert all(row["smallest"] >= row["k"] for row in one["rows"])
        assert all(0.4 < row["score"] < 1 for row in one["rows"])
        assert one["n_rows"] == 1400
    assert found["sweeps"]["chance"] < found["sweeps"]["raw"] < 1
    assert {row["name"] for row in found["drop_one"]["rows"]} == set(QUASI)


def test_the_report_has_the_evidence_and_no_record(made, place, people):
    page = (place / "report.html").read_text(encoding="utf-8")
    assert "sparsam anonymise people.csv" in page
    assert str(place) not in page
    assert hashlib.sha256((place / "people.csv").read_bytes()).hexdigest() not in page
    assert "Hash of the input" in page
    assert Certificate.load(place / "out.certificate.json").sha256 in page
    for value in ("never married", "female", *people["education"].unique()[:5]):
        assert value not in page
    assert "600 others" in page


def test_remarks_are_on_stderr(made):
    assert "Wrote the release to" in made.stderr
    assert "Wrote the certificate to" in made.stderr
    assert "Left out: relationship" in made.stderr
    assert "race" not in made.stdout


def test_csv_and_parquet_have_one_hash(run, place, made, tmp_path):
    result = run("anonymise", place / "people.csv", "--quasi-identifiers", NAMES, "--target",
                 "employed", "-o", tmp_path / "o.parquet", "--certificate", tmp_path / "c.json",
                 "-q")  # fmt: skip
    assert result.exit_code == 0
    assert result.stderr == ""
    paper = Certificate.load(tmp_path / "c.json")
    assert paper.sha256 == Certificate.load(place / "out.certificate.json").sha256
    assert verify(tmp_path / "o.parquet", paper).ok
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.json", "o.parquet"]


def test_for_people_to_read(run, place, tmp_path):
    result = run("anonymise", place / "people.csv", "--quasi-identifiers", NAMES, "--k", 50,
                 "--drop-one", "-o", tmp_path / "o.csv.gz")  # fmt: skip
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    verdict = "Every combination of quasi-identifiers is shared by at least 50 rows. This was check"
    assert lines[-2].startswith(verdict)
    assert lines[-1].startswith("✓ Promise kept, checked anew")
    for start in ("Rows ", "Classes ", "Information loss ", "│ Prosecutor ", "│ Journalist ",
                  "│ Marketer ", "✓ holds  every combination", "│ age "):  # fmt: skip
        assert any(line.startswith(start) for line in lines), start
    assert "tight (range)" in result.stdout
    assert "to each quasi-identifier:" in result.stdout
    paper = Certificate.load(tmp_path / "o.certificate.json")
    assert paper.parameters["method"] == "Greedy"  # nothing guides it
    assert paper.smallest >= 50


def test_a_model_guides(run, place, tmp_path):
    call = ("anonymise", place / "people.csv", "--quasi-identifiers", NAMES, "--model",
            place / "model.joblib", "-o", tmp_path / "o.csv")  # fmt: skip
    refused = run(*call)
    assert refused.exit_code == 2
    assert "--trust-model" in refused.stderr
    assert not list(tmp_path.iterdir())
    result = run(*call, "--trust-model", "--method", "guided", "--sweep-k", 50, "--json",
                 "--report", tmp_path / "r.md")  # fmt: skip
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["certificate"]["parameters"]["method"] == "Guided"
    assert found["certificate"]["kept"] == []
    assert found["sweeps"]["methods"][0]["method"] == "Guided"
    assert "the model’s answers" in found["sweeps"]["words"]
    assert "model.joblib" in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_a_model_that_answers_with_numbers(run, people, tmp_path):
    table = people.head(500)[["age", "sex"]].assign(size=np.arange(500) % 97 / 10)
    table.to_csv(tmp_path / "p.csv", index=False)
    names = ["age", "size"]
    joblib.dump(LinearRegression().fit(table[names], table["size"] * 2), tmp_path / "m.joblib")
    result = run("anonymise", tmp_path / "p.csv", "--quasi-identifiers", "age,size", "--model",
                 tmp_path / "m.joblib", "--trust-model", "-o", tmp_path / "o.csv", "--sweep-k", 10,
                 "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    sweeps = json.loads(result.stdout)["sweeps"]
    assert sweeps["measure"] == "r2"
    assert sweeps["raw"] > 0.95
    hybrid, greedy = (one["rows"][0]["score"] for one in sweeps["methods"][:2])
    assert hybrid > greedy


@pytest.mark.parametrize("method", ["mondrian", "hilbert", "bulk-load", "full-domain"])
@pytest.mark.parametrize("publish", [None, "ranges"])
def test_other_methods_and_forms(run, place, tmp_path, method, publish):
    more = () if publish is None else ("--publish", publish)
    result = run("anonymise", place / "people.csv", "--quasi-identifiers", "age,sex", "--method",
                 method, "--k", 20, "-o", tmp_path / "o.csv", "-q", *more)  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = pd.read_csv(tmp_path / "o.csv", dtype=str)
    assert smallest_class(found, ["age", "sex"]) >= 20
    expected = publish or ("hierarchy" if method == "full-domain" else "median")
    assert Certificate.load(tmp_path / "o.certificate.json").parameters["publish"] == expected


def test_privacy_models(run, place, people, tmp_path):
    result = run("anonymise", place / "people.csv", "--quasi-identifiers", "age,sex", "--keep",
                 "race,citizenship", "--l-diversity", "race:2", "--l-diversity",
                 "citizenship:1.2:entropy", "--l-diversity", "race:2:recursive=30",
                 "--t-closeness", "citizenship:0.5", "-o", tmp_path / "o.csv",
                 "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert len(found["certificate"]["promises"]) == 5
    assert all(one["held"] for one in found["findings"])
    release = pd.read_csv(tmp_path / "o.csv")
    assert release.groupby(["age", "sex"])["race"].nunique().min() >= 2
    models = [one["model"] for one in json.loads(
        (tmp_path / "o.certificate.json").read_text(encoding="utf-8"))["demands"]]  # fmt: skip
    assert models == ["k-anonymity", "distinct l-diversity", "entropy l-diversity",
                      "recursive l-diversity", "t-closeness"]  # fmt: skip


def test_rows_of_one_person_count_once(run, people, tmp_path):
    several = people.head(600).assign(person=np.arange(600) // 3)
    several.to_csv(tmp_path / "p.csv", index=False)
    result = run("anonymise", tmp_path / "p.csv", "--quasi-identifiers", "age,sex", "--entity",
                 "person", "--k", 5, "-o", tmp_path / "o.csv", "--json")  # fmt: skip
    assert result.exit_code == 0
    assert "cannot check what is promised about person" in result.stderr
    found = json.loads(result.stdout)
    assert found["complete"] is True
    assert found["certificate"]["smallest_people"] >= 5
    fewest = found["certificate"]["smallest_people"]
    assert found["risk"]["prosecutor"]["highest"] == pytest.approx(1 / fewest)
    # whose row it is stands nowhere in the release, so the promise cannot be checked from it
    assert run("verify", tmp_path / "o.csv", tmp_path / "o.certificate.json").exit_code == 1


def test_hierarchies_and_suppression(run, people, tmp_path):
    people.to_csv(tmp_path / "p.csv", index=False)
    with (tmp_path / "age.csv").open("w", encoding="utf-8") as lines:
        for age in sorted(people["age"].unique()):
            lines.write(f"{age};{age // 10 * 10}s;*\n")
    result = run("anonymise", tmp_path / "p.csv", "--quasi-identifiers", "age,sex", "--method",
                 "full-domain", "--hierarchy", f"age={tmp_path / 'age.csv'}", "--max-suppressed",
                 0.5, "--k", 40, "-o", tmp_path / "o.parquet", "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["certificate"]
    release = pd.read_parquet(tmp_path / "o.parquet")
    assert found["suppressed"] == at_most(2000 - len(release))
    labels = {*people["age"].astype(str), *(f"{age // 10 * 10}s" for age in people["age"]), "*"}
    assert set(release["age"]) <= labels
    assert smallest_class(release, ["age", "sex"]) >= 40


def test_missing_values_and_texts_that_mean_missing(run, people, tmp_path):
    holes = people.head(400)[["age", "education", "sex", "employed"]].astype(object)
    holes.loc[::7, "age"] = "?"
    holes.loc[::5, "education"] = "?"
    holes.loc[::9, "employed"] = "?"
    holes.to_csv(tmp_path / "p.csv", index=False)
    result = run("anonymise", tmp_path / "p.csv", "--quasi-identifiers", "age,education,sex",
                 "--target", "employed", "--missing", "?", "-o", tmp_path / "o.csv", "--sweep-k",
                 20, "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = pd.read_csv(tmp_path / "o.csv", dtype=str, keep_default_na=False)
    assert len(found) == 400
    assert smallest_class(found, ["age", "education", "sex"]) >= 10
    assert "?" not in found.to_numpy().ravel().tolist()
    # 45 of the 400 have no label; 106 of the others are held out
    assert json.loads(result.stdout)["sweeps"]["methods"][0]["n_rows"] == 355 - 106


def test_rows_without_a_target_are_left_out_when_the_roles_say_so(run, people, tmp_path):
    holes = people.head(400)[["age", "sex", "employed"]].astype(object)
    holes.loc[::9, "employed"] = "unknown"
    holes.to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "roles.toml").write_text(
        '[roles]\ntarget = "employed"\nquasi_identifiers = ["age", "sex"]\n'
        'drop_missing_target = true\n[attributes.employed]\nmissing = ["unknown"]\n'
    )
    result = run("anonymise", tmp_path / "p.csv", "--roles", tmp_path / "roles.toml", "-o",
                 tmp_path / "o.csv")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "45 rows without a target left out" in result.stderr
    assert len(pd.read_csv(tmp_path / "o.csv")) == 355


def test_without_pandas(run, place, tmp_path, monkeypatch):
    """A file becomes a dict of arrays where there is no pandas: the release is the same."""
    call = ("anonymise", place / "few.csv", "--quasi-identifiers", NAMES, "--target", "employed",
            "--k", 5, "--sweep-k", 5, "--json", "-o")  # fmt: skip
    with_pandas = run(*call, tmp_path / "a.csv")
    monkeypatch.setattr("sparsam.data.model._own_frame.find_spec", lambda name: None)
    without = run(*call, tmp_path / "b.csv")
    assert without.exit_code == 0, without.stderr
    assert json.loads(without.stdout) == json.loads(with_pandas.stdout)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_target_of_numbers(run, people, tmp_path):
    table = people.head(600)[["education", "sex", "age"]]
    table.to_csv(tmp_path / "p.csv", index=False)
    call = ("anonymise", tmp_path / "p.csv", "--quasi-identifiers", "education,sex", "--target",
            "age", "-o", tmp_path / "o.csv")  # fmt: skip
    refused = run(*call)
    assert refused.exit_code == 1
    assert "must not make rows unique. 'age': " in refused.stderr
    assert "--accept-unique" in refused.stderr
    assert not (tmp_path / "o.csv").exists()
    result = run(*call, "--sweep-k", 20, "--accept-unique", "--json")
    assert result.exit_code == 0, result.stderr
    sweeps = json.loads(result.stdout)["sweeps"]
    assert sweeps["measure"] == "r2"
    assert sweeps["raw"] > sweeps["chance"]


@pytest.fixture(scope="module")
def earners(people, tmp_path_factory):
    """People with an income that nobody shares."""
    place = tmp_path_factory.mktemp("earners")
    pay = np.random.default_rng(0).lognormal(10.5, 0.8, 1000).round(2)
    table = people.head(1000)[["age", "sex", "employed"]].assign(pay=pay)
    table.loc[::40, "pay"] = None
    table.to_csv(place / "p.csv", index=False)
    return place / "p.csv", table


@pytest.mark.parametrize(
    ("target", "column", "words"),
    [
        ("pay>40000", "pay>40000", {"yes", "no"}),
        ("pay < 40_000", "pay<40000", {"yes", "no"}),
        ("pay in bins(20000, 60000)", "pay in bins(20000, 60000)",
         {"pay under 20000", "pay 20000 to under 60000", "pay 60000 and over"}),
    ],
)  # fmt: skip
def test_a_threshold_is_published_as_a_threshold(run, earners, tmp_path, target, column, words):
    """8,301 of 10,000 rows were unique by the exact income beside the classes."""
    path, raw = earners
    result = run("anonymise", path, "--quasi-identifiers", "age,sex", "--target", target,
                 "-o", tmp_path / "o.csv", "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    release = pd.read_csv(tmp_path / "o.csv")
    assert list(release.columns) == ["age", "sex", column]
    assert set(release[column].dropna()) == words
    assert release[column].isna().sum() == raw["pay"].isna().sum()
    if column == "pay>40000":
        assert (release[column] == "yes").sum() == (raw["pay"] > 40000).sum()
    assert json.loads(result.stdout)["certificate"]["kept"] == [column]
    cells = {f"{value:.2f}" for value in raw["pay"].dropna()}
    for path in tmp_path.iterdir():
        assert not any(cell in path.read_text() for cell in cells)
    assert run("verify", tmp_path / "o.csv", tmp_path / "o.certificate.json").exit_code == 0


def test_a_column_that_makes_rows_unique_is_refused(run, earners, tmp_path):
    path, _ = earners
    call = ("anonymise", path, "--quasi-identifiers", "age,sex", "--keep", "pay", "-o",
            tmp_path / "o.parquet", "--json")  # fmt: skip
    refused = run(*call)
    assert refused.exit_code == 1
    assert list(tmp_path.iterdir()) == []
    result = run(*call, "--accept-unique")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["certificate"]
    release = pd.read_parquet(tmp_path / "o.parquet")
    alone = (~release.duplicated(keep=False)).sum()
    assert found["whole_rows"]["unique"] == alone > 900
    assert found["parameters"]["accept_unique"] is True


def test_a_threshold_of_something_else(run, earners, tmp_path):
    path, _ = earners
    call = ("anonymise", path, "--quasi-identifiers", "age,sex", "-o", tmp_path / "o.csv")
    result = run(*call, "--target", "employed>1")
    assert result.exit_code == 2
    assert "needs 'employed' to be numeric" in result.stderr
    # of a quasi-identifier: it guides, and the quasi-identifier is all that is published of it
    assert run(*call, "--target", "age>40").exit_code == 0
    assert list(pd.read_csv(tmp_path / "o.csv").columns) == ["age", "sex"]


def test_classes_in_which_all_say_one_thing(made, place):
    release = pd.read_csv(place / "out.csv")
    single = release.groupby(QUASI)["employed"].agg(["nunique", "size"]).query("nunique == 1")
    found = json.loads(made.stdout)["certificate"]["one_value"]
    assert found == [{"column": "employed", "classes": len(single), "rows": single["size"].sum()}]


def test_a_record_of_a_real_person_is_warned_of(run, place, tmp_path):
    call = ("anonymise", place / "people.csv", "--quasi-identifiers", "age,sex", "--publish",
            "nearest", "-o", tmp_path / "o.csv")  # fmt: skip
    result = run(*call)
    assert result.exit_code == 0
    assert "Warning: " in result.stderr
    assert "person" in result.stderr.split("Warning: ")[1]
    assert run(*call, "-q").stderr == ""


@pytest.mark.parametrize("spoilt", ["cell", "hash"])
def test_a_broken_promise_writes_nothing(run, place, tmp_path, monkeypatch, spoilt):
    from sparsam.anonymise import _release

    write = _release.write_columns

    def careless(columns, path):
        changed = {name: np.array(values, dtype=object) for name, values in columns.items()}
        changed["age" if spoilt == "cell" else "employed"][3] = "999"
        write(changed, path)

    monkeypatch.setattr(_release, "write_columns", careless)
    result = run("anonymise", place / "people.csv", "--quasi-identifiers", NAMES, "--keep",
                 "employed", "-o", tmp_path / "o.csv", "--report", tmp_path / "r.html")  # fmt: skip
    assert result.exit_code == 1
    said = {"cell": "must keep its promise", "hash": "must have the cells that were checked"}
    assert said[spoilt] in result.stderr
    assert "nothing was released" in words_of(result)
    assert "999" not in result.output
    assert list(tmp_path.iterdir()) == []
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--quasi-identifiers", "age", "--k", "201"], "200 rows together must satisfy"),
        (["--quasi-identifiers", "age", "--k", "1"], "x>=2"),
        (["--quasi-identifiers", "agee"], "Did you mean 'age'"),
        (["--quasi-identifiers", "age", "--keep", "agee"], "Did you mean 'age'"),
        (["--quasi-identifiers", "age", "--keep", "age"], "must not be kept"),
        (["--quasi-identifiers", "age", "--target", "age"], "quasi_identifiers"),
        (["--quasi-identifiers", "age", "--identifier", "age"], "quasi_identifiers"),
        (["--quasi-identifiers", "age", "--target", "emploed"], "Did you mean 'employed'"),
        ([], "Missing option '--quasi-identifiers'"),
        (["--quasi-identifiers", "age", "--method", "hybrid"], "must have --target or --model"),
        (["--quasi-identifiers", "age", "--trust-model"], "goes with --model only"),
        (["--quasi-identifiers", "age", "--sweep-k", "10"], "must have --target or --model"),
        (["--quasi-identifiers", "age", "--target", "employed", "--sweep-k", "ten"],
         "must look like 10,20,50"),
        (["--quasi-identifiers", "age", "--l-diversity", "race"], "must look like NAME:3"),
        (["--quasi-identifiers", "age", "--l-diversity", "race:2.5"], "must look like NAME:3"),
        (["--quasi-identifiers", "age", "--l-diversity", "race:3:odd"], "must look like NAME:3"),
        (["--quasi-identifiers", "age", "--l-diversity", "race:99"], "together must satisfy"),
        (["--quasi-identifiers", "age", "--t-closeness", "race:0.1:far"], "NAME:0.2:ordered"),
        (["--quasi-identifiers", "age", "--hierarchy", "age=a.csv"], "--hierarchy goes with"),
        (["--quasi-identifiers", "age", "--publish", "hierarchy"], "'age' has none"),
        (["--quasi-identifiers", "age", "--method", "full-domain", "--hierarchy", "sex=a.csv"],
         "'sex' is no quasi-identifier"),
        (["--quasi-identifiers", "age", "--publish", "hierarchy", "--hierarchy", "age"],
         "must look like NAME=FILE.csv"),
        (["--quasi-identifiers", "age", "--publish", "hierarchy", "--hierarchy", "age=none.csv"],
         "no file 'none.csv'"),
        (["--quasi-identifiers", "age", "--entity", "whose"], "'whose'"),
        (["--quasi-identifiers", "age", "--certificate", "o.csv"], "must end in .json"),
        (["--quasi-identifiers", "age", "--report", "o.pdf"], "must end in"),
        (["--quasi-identifiers", "age", "--certificate", "r.json", "--report", "r.json"],
         "must have its own name"),
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_code_2(run, place, options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("anonymise", place / "few.csv", "-o", "o.csv", *options)
    assert result.exit_code == 2
    assert said in words_of(result)
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_the_input_is_not_overwritten(run, place, tmp_path):
    shutil.copy(place / "people.csv", tmp_path / "people.csv")
    before = (tmp_path / "people.csv").read_bytes()
    result = run("anonymise", tmp_path / "people.csv", "--quasi-identifiers", "age", "-o",
                 tmp_path / "people.csv")  # fmt: skip
    assert result.exit_code == 2
    assert (tmp_path / "people.csv").read_bytes() == before


def test_texts_that_a_spreadsheet_would_run(run, people, tmp_path):
    jobs = np.resize(["=cmd|x", "-tab", "plain", "@x"], len(people))
    people.assign(job=jobs).to_csv(tmp_path / "p.csv", index=False)
    asked = ("anonymise", tmp_path / "p.csv", "--quasi-identifiers", "sex,job", "--k", "5")
    done = run(*asked, "--spreadsheet-safe", "-o", tmp_path / "r.csv")
    assert done.exit_code == 0
    released = pd.read_csv(tmp_path / "r.csv")
    assert set(released["job"]) == {"'=cmd|x", "'-tab", "plain", "'@x"}
    assert run("verify", tmp_path / "r.csv", tmp_path / "r.certificate.json").exit_code == 0
    refused = run(*asked, "--spreadsheet-safe", "-o", tmp_path / "r.parquet")
    assert refused.exit_code == 2
    assert not (tmp_path / "r.parquet").exists()

"""`sparsam minimise --model`: a model from a file, and never a silently missed target."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import joblib
import pytest
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import sparsam as sp
from sparsam.cli._minimise_model import KEPT_IN
from sparsam.collect import Questionnaire
from sparsam.generalization import Generalization, Recoding
from sparsam.minimise import ModelTree
from sparsam.minimise.model import _model_tree

COLUMNS = ["age", "education", "disability", "sex", "military_service"]


def words_of(result):
    return " ".join(result.stderr.replace("│", " ").split())


@pytest.fixture(scope="module")
def people():
    return sp.load_example().take(range(1500)).to_frame("pandas")


@pytest.fixture(scope="module")
def place(people, tmp_path_factory):
    """The bundled people as a CSV file, and a small pipeline that was fitted on some of them."""
    place = tmp_path_factory.mktemp("model")
    people.to_csv(place / "people.csv", index=False)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), COLUMNS[1:]), remainder="passthrough"
    )
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=5, random_state=0))
    joblib.dump(model.fit(people[COLUMNS], people["employed"]), place / "model.joblib")
    return place


@pytest.fixture(scope="module")
def minimised(run, place):
    result = run(
        "minimise", place / "people.csv", "--model", place / "model.joblib", "--trust-model",
        "--keep-accuracy", 0.9, "--target", "employed", "-o", place / "people.json",
        "--recoding", place / "recoding.json", "--questionnaire", place / "questions.json",
        "--report", place / "report.html", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return result


def test_json_is_all_there_is_on_stdout(minimised):
    found = json.loads(minimised.stdout)
    assert found["met"] is True
    assert found["target"] == 0.9
    assert found["relative_accuracy"]["score"] >= 0.9
    assert found["relative_accuracy"]["n_records"] == 600
    assert found["null_accuracy"] < 0.9
    assert set(found["collected"]) | set(found["not_needed"]) == set(COLUMNS)
    assert found["true_accuracy"]["before"]["score"] > 0.7
    stored = found["disclosure"]
    assert stored["after"]["as_printed"] < stored["before"]["as_printed"]
    assert 0 <= found["questions"]["saved"] <= 1


def test_progress_and_remarks_are_on_stderr(minimised):
    assert "Loading model.joblib: this runs the code inside the file." in minimised.stderr
    assert "Read 1,500 records; the model takes 5 columns." in minimised.stderr
    for what in ("generalization", "recoding", "questionnaire", "report"):
        assert f"Wrote the {what} to" in minimised.stderr


def test_the_artifacts_belong_together(minimised, place, people):
    generalization = Generalization.load(place / "people.json")
    recoding = Recoding.load(place / "recoding.json")
    questions = Questionnaire.load(place / "questions.json")
    assert list(generalization.collected) == json.loads(minimised.stdout)["collected"]
    assert recoding.generalization == generalization
    assert questions.recoding == recoding
    model = joblib.load(place / "model.joblib")
    kept = model.predict(recoding.apply(people)[COLUMNS]) == model.predict(people[COLUMNS])
    assert kept.mean() > 0.88


def test_the_report_says_how_to_make_it_again(minimised, place):
    page = (place / "report.html").read_text(encoding="utf-8")
    assert "sparsam minimise people.csv" in page
    assert "--model model.joblib" in page
    assert "--trust-model" in page
    assert str(place) not in page
    assert hashlib.sha256((place / "model.joblib").read_bytes()).hexdigest() in page
    assert hashlib.sha256((place / "people.csv").read_bytes()).hexdigest() not in page
    assert "Hash of the input" in page
    assert "Data minimisation report: model.joblib" in page
    assert "What a person is asked" in page


def test_for_people_to_read(run, place):
    result = run("minimise", place / "people.csv", "--model", place / "model.joblib",
                 "--trust-model", "--keep-accuracy", 0.9, "--search", "paper", "--ilag", "paper",
                 "--must-drop", "sex")  # fmt: skip
    assert result.exit_code in (0, 1)
    verdict = "The model needs" if result.exit_code == 0 else "The target of"
    assert any(line.startswith(verdict) for line in result.stdout.splitlines())
    assert "Disclosure risk" in result.stdout
    assert "The questionnaire stops asking" in result.stdout
    assert "Nothing was saved: -o" in result.stderr
    assert "Answers that are right" not in result.stdout  # no target was named


def plain(text: str) -> str:
    return " ".join(text.replace("\u202f", " ").split())


def test_a_missed_target_is_exit_code_1(run, place, monkeypatch, tmp_path):
    fit = ModelTree.fit

    def unlucky(self, X, y=None):
        fit(self, X, y)
        self.keep_accuracy, self.met_ = 0.9999999, False
        lost = {"target": 0.9999999, "shown": False, "at_least": None, "too_few": False}
        self.proof_ = replace(self.proof_, **lost)
        return self

    monkeypatch.setattr(ModelTree, "fit", unlucky)
    call = ("minimise", place / "people.csv", "--model", place / "model.joblib", "--trust-model",
            "--keep-accuracy", 0.8, "-o", tmp_path / "g.json")  # fmt: skip
    for extra in (("--json",), ("-q",)):
        result = run(*call, *extra)
        assert result.exit_code == 1
        if extra == ("--json",):
            found = json.loads(result.stdout)
            assert found["met"] is False
            assert found["shortfall"] > 0
        else:
            verdict, notice = result.stdout.splitlines()[-2:]
            assert verdict.startswith("The target of")
            assert "is missed by" in verdict
            assert notice.startswith("✗ Target missed.")
        assert (result.stderr == "") == (extra == ("-q",))
    assert (tmp_path / "g.json").exists()


def test_a_model_that_never_looks_needs_nothing(run, place, people, tmp_path):
    model = DummyClassifier(strategy="most_frequent").fit(people[COLUMNS], people["employed"])
    joblib.dump(model, tmp_path / "dull.joblib")
    result = run("minimise", place / "people.csv", "--model", tmp_path / "dull.joblib",
                 "--trust-model", "--keep-accuracy", 0.99, "-q")  # fmt: skip
    assert result.exit_code == 0
    assert "The model needs none of the" in result.stdout
    assert "with 95 % confidence at least 99 % of all people" in plain(result.stdout)
    assert "The form asks everyone 0 questions." in result.stdout


def test_too_few_people_to_tell_is_exit_code_3(run, place, people, tmp_path):
    model = DummyClassifier(strategy="most_frequent").fit(people[COLUMNS], people["employed"])
    joblib.dump(model, tmp_path / "dull.joblib")
    call = ("minimise", place / "people.csv", "--model", tmp_path / "dull.joblib", "--trust-model")
    result = run(*call, "--keep-accuracy", 0.999, "-q")
    assert result.exit_code == 3
    words = plain(result.stdout)
    assert "Too few people to tell whether 99.9 % is kept." in words
    assert "A table of 7,488 people could show it." in words  # 2,995 of them: 0.999 ** 2995 < 0.05
    told = run(*call, "--keep-accuracy", 0.999, "--json", "-q")
    proof = json.loads(told.stdout)["proof"]
    assert (proof["shown"], proof["too_few"], proof["n_enough"]) == (False, True, 7_488)


def test_where_the_target_must_hold_can_be_said(run, place, people, tmp_path):
    assert KEPT_IN == _model_tree.KEPT_IN
    rare = (people["age"] > 62) & (people["sex"] == people["sex"].mode()[0])
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=4, random_state=0))
    joblib.dump(model.fit(people[["age", "sex"]], rare), tmp_path / "rare.joblib")
    assert 150 < rare.sum() < 240
    call = ("minimise", place / "people.csv", "--model", tmp_path / "rare.joblib", "--trust-model",
            "--keep-accuracy", 0.8, "--max-ranges", 8, "--json", "-q")  # fmt: skip
    said = {
        where: json.loads(run(*call, *(("--kept-in", where) if where else ())).stdout)
        for where in ("all", "each-answer", "each-cell", None)
    }
    assert [of["kept_in"] for of in said.values()] == [
        "all", "each answer", "each cell", "each answer",
    ]  # fmt: skip
    assert said["each-cell"]["worst_cell"] is not None
    assert said["all"]["collected"] == []  # without any of it the rare answer is lost
    assert said["all"]["met"] is True
    lost = said["all"]["per_answer"][0]
    assert (lost["answer"], lost["score"]) == ("True", 0.0)
    assert said["each-answer"]["per_answer"][0]["score"] >= 0.8
    assert said[None]["collected"] == said["each-answer"]["collected"] == ["age"]
    in_words = run(*call[:-2], "-q", "--kept-in", "all").stdout
    assert "but of “True” only 0.0" in in_words
    assert "at least 80 % of all people get the same answer, but not of each" in plain(in_words)


def test_a_pickled_model_is_refused_without_a_word_for_it(run, place):
    result = run("minimise", place / "people.csv", "--model", place / "model.joblib")
    assert result.exit_code == 2
    assert "loading a pickled model runs the code inside the file" in words_of(result)
    assert "--trust-model" in result.stderr
    assert "ONNX or skops" in words_of(result)
    assert "Read" not in result.stderr


def test_skops(run, place, people, tmp_path):
    io = pytest.importorskip("skops.io")
    frame = people[["age"]]
    io.dump(LogisticRegression().fit(frame, people["employed"]), tmp_path / "safe.skops")
    io.dump(DecisionTreeClassifier(max_depth=2).fit(frame, people["employed"]),
            tmp_path / "tree.skops")  # fmt: skip
    call = ("minimise", place / "people.csv", "--keep-accuracy", 0.9, "-q", "--model")
    assert run(*call, tmp_path / "safe.skops").exit_code == 0
    refused = run(*call, tmp_path / "tree.skops")
    assert refused.exit_code == 2
    assert "--trust-model" in refused.stderr
    assert "sklearn.tree" in refused.stderr
    assert run(*call, tmp_path / "tree.skops", "--trust-model").exit_code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-utility-loss", "0.1"], "--max-utility-loss does not go together with --model"),
        (["--max-risk", "0.1"], "--max-risk does not go together with --model"),
        (["--attack"], "--attack does not go together with --model"),
        (["--min-leaf", "10"], "--min-leaf does not go together with --model"),
        (["--personal", "sex"], "--personal does not go together with --model"),
        (["--jobs", "2"], "--jobs does not go together with --model"),
        (["--ilag", "paper"], "--ilag goes with --search paper only"),
        (["--ilag", "paper", "--search", "responses"], "--ilag goes with --search paper only"),
        (["--keep-accuracy", "98"], "0<=x<=1"),
        (["--search", "luck"], "'luck' is not one of"),
        (["--kept-in", "nobody"], "'nobody' is not one of"),
        (["--max-ranges", "1"], "x>=2"),
        (["--recoding", "r.txt"], "must end in .json"),
        (["--questionnaire", "q.txt"], "must end in .json"),
        (["--target", "age"], "must not be a column that the model takes and the target"),
        (["--target", "emploed"], "Did you mean 'employed'"),
        (["--must-keep", "agee"], "Did you mean 'age'"),
        (["--identifier", "sex"], "must not be a column that the model takes"),
    ],
)
def test_wrong_usage_is_exit_code_2(run, place, options, said):
    result = run("minimise", place / "people.csv", "--model", place / "model.joblib",
                 "--trust-model", *options)  # fmt: skip
    assert result.exit_code == 2
    assert said in words_of(result)
    assert result.stdout == ""


@pytest.mark.parametrize(
    "option",
    [
        ("--keep-accuracy", "0.9"),
        ("--kept-in", "each-answer"),
        ("--max-ranges", "8"),
        ("--recoding", "r.json"),
        ("--questionnaire", "q.json"),
        ("--trust-model",),
        ("--search", "paper"),
        ("--ilag", "paper"),
    ],
)
def test_options_of_a_model_need_one(run, place, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("minimise", place / "people.csv", "--target", "employed", *option)
    assert result.exit_code == 2
    assert f"{option[0]} goes with --model only." in words_of(result)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("model.txt", b"x", "must end in .onnx"),
        ("model.joblib", b"no model", "cannot be read as one"),
        ("model.onnx", b"no model", "cannot be read as one"),
    ],
)
def test_files_that_are_no_model(run, place, tmp_path, name, content, said):
    if name.endswith("onnx"):
        pytest.importorskip("onnxruntime")
    (tmp_path / name).write_bytes(content)
    result = run("minimise", place / "people.csv", "--model", tmp_path / name, "--trust-model")
    assert result.exit_code == 2
    assert said in words_of(result)


def test_data_that_lacks_a_column_of_the_model(run, place, people, tmp_path):
    people.drop(columns="age").to_csv(tmp_path / "less.csv", index=False)
    result = run("minimise", tmp_path / "less.csv", "--model", place / "model.joblib",
                 "--trust-model")  # fmt: skip
    assert result.exit_code == 2
    assert "'age'" in result.stderr

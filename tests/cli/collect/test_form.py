"""`sparsam form`: the page of a generalization and of a questionnaire."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sparsam
from sparsam.collect import Questionnaire
from sparsam.data import NumericDomain
from sparsam.generalization import Branch, Generalization, Leaf, Recoding, numeric_partition


@pytest.fixture
def people(tmp_path: Path) -> Path:
    ages = NumericDomain(0, 99, integer=True)
    Generalization([numeric_partition("age", ages, [17, 62])]).save(tmp_path / "people.json")
    return tmp_path / "people.json"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    domain = NumericDomain(0, 99, integer=True)
    g = Generalization(
        [numeric_partition("age", domain, [17, 62]), numeric_partition("hours", domain, [35])]
    )
    nodes = [
        Branch("age", (0,), 1, 2),
        Leaf((), {"age": 9, "hours": 0}, "no"),
        Branch("hours", (0,), 3, 4),
        Leaf((), {"age": 40, "hours": 0}, "no"),
        Leaf((), {"age": 40, "hours": 40}, "yes"),
    ]
    recoding = Recoding(g, {"age": [9, 40, 70], "hours": [20, 40]}, nodes)
    Questionnaire(recoding).save(tmp_path / "questions.json")
    return tmp_path / "questions.json"


def test_a_generalization(run, people, tmp_path):
    page = tmp_path / "form.html"
    said = run("form", people, "-o", page).stdout
    form = sparsam.Generalization.load(people).form()
    assert page.read_text(encoding="utf-8") == form.html
    assert "form.html: 1 question," in said
    assert f"Content-Security-Policy: {form.content_security_policy}; frame-ancestors" in said
    facts = json.loads(run("form", people, "-o", page, "--json").stdout)
    assert facts["asks"] == ["age"]
    assert facts["bytes"] == len(page.read_bytes())
    assert run("form", people, "-o", page, "-q").stdout == ""


def test_words_labels_and_place(run, people, tmp_path):
    labels = tmp_path / "labels.toml"
    labels.write_text('[age]\nquestion = "Wie alt sind Sie?"\n', encoding="utf-8")
    page = tmp_path / "form.html"
    place = "https://collect.example/in"
    run("form", people, "-o", page, "--language", "de", "--labels", labels, "--action", place)
    text = page.read_text(encoding="utf-8")
    assert "<html lang=de>" in text
    assert "Wie alt sind Sie?" in text
    assert "62 und mehr" in text
    assert f"action={place} " in text


def test_a_questionnaire(run, questions, tmp_path):
    page = tmp_path / "form.html"
    assert "2 questions" in run("form", questions, "-o", page).stdout
    assert "method=post" in page.read_text(encoding="utf-8")
    run("form", questions, "-o", page, "--show-answer")
    assert "method=dialog" in page.read_text(encoding="utf-8")


def test_a_model_answers_in_the_page(run, questions, tmp_path):
    pd = pytest.importorskip("pandas")
    joblib = pytest.importorskip("joblib")
    trees = pytest.importorskip("sklearn.tree")
    asks = Questionnaire.load(questions)
    g = asks.recoding.generalization
    g.save(tmp_path / "people.json")
    asks.recoding.save(tmp_path / "recoding.json")
    records = pd.DataFrame({"age": [9.0, 40, 40, 70], "hours": [20.0, 20, 40, 40]})
    model = trees.DecisionTreeClassifier().fit(records, ["no", "no", "yes", "yes"])
    joblib.dump(model, tmp_path / "model.joblib")
    page = tmp_path / "form.html"
    trusted = ("--show-answer", "--trust-model", "--model", tmp_path / "model.joblib")
    said = run("form", questions, "-o", page, *trusted)
    assert "runs the code inside" in " ".join(said.output.split())
    assert ',["no","yes"],' in page.read_text(encoding="utf-8")
    recoding = ("--recoding", tmp_path / "recoding.json")
    run("form", tmp_path / "people.json", "-o", page, *trusted, *recoding)
    assert '"answers":[0,0,0,1,0,1]' in page.read_text(encoding="utf-8")


def test_the_target_is_asked_too(run, people, tmp_path):
    g = Generalization.load(people)
    evidence = {"people": 100, "target": {"name": "employed", "classes": ["no", "yes"]}}
    g.with_about({"evidence": evidence}).save(people)
    page = tmp_path / "form.html"
    facts = json.loads(run("form", people, "-o", page, "--with-target", "--json").stdout)
    assert facts["asks"] == ["age", "employed"]


def test_a_questionnaire_asks_for_its_target_last(run, questions, tmp_path):
    recoding = Questionnaire.load(questions).recoding.with_about({"target": "employed"})
    Questionnaire(recoding).save(questions)
    page = tmp_path / "form.html"
    facts = json.loads(run("form", questions, "-o", page, "--with-target", "--json").stdout)
    assert facts["asks"] == ["age", "hours", "employed"]
    # every end of the questionnaire leads to one more question
    assert "0:2,1:1-2;1:2;2:-1" in page.read_text(encoding="utf-8")


def test_what_cannot_be(run, people, questions, tmp_path):
    page = tmp_path / "form.html"
    for words, said in (
        ((people, "--language", "xx"), "must be one of de, en, es, fr, it"),
        ((people, "--action", "javascript:x"), "'action' of a form must be a path"),
        ((people, "--show-answer"), "--show-answer needs --model"),
        ((people, "--model", people), "--model goes with --show-answer"),
        ((people, "--trust-model"), "--trust-model goes with --model"),
        ((questions, "--show-answer", "--model", people, "--recoding", people), "--recoding is"),
        ((people, "--show-answer", "--model", people), "model"),
        ((people, "--with-target"), "does not say which target"),
        ((questions, "--with-target"), "does not say which target"),
    ):
        result = run("form", *words, "-o", page)
        assert result.exit_code == 2
        assert said in " ".join(result.output.split())
        assert not page.exists()
    assert run("form", people, "-o", tmp_path / "form.txt").exit_code == 2
    labels = tmp_path / "labels.toml"
    labels.write_text("[hat]\n", encoding="utf-8")
    assert "'hat' is none" in run("form", people, "-o", page, "--labels", labels).output

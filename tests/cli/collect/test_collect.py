"""`sparsam collect`: its options, and what it says before it serves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sparsam.cli._main import cli
from sparsam.collect import Questionnaire, Store, door
from sparsam.data import NumericDomain
from sparsam.generalization import Branch, Generalization, Leaf, Recoding, numeric_partition

pytest.importorskip("uvicorn")

DOMAIN = NumericDomain(0, 99, integer=True)
G = Generalization(
    [numeric_partition("age", DOMAIN, [17, 62]), numeric_partition("hours", DOMAIN, [35])]
)
EVIDENCE = {"people": 1000, "target": {"name": "works", "classes": ["no", "yes"]}}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    G.with_about({"evidence": EVIDENCE}).save(tmp_path / "people.json")
    return tmp_path / "people.json"


def run(people: Path, *words: str) -> Any:
    database = str(people.with_name("people.db"))
    given = ["collect", str(people), "--database", database, "--keep-days", "30", *words]
    return CliRunner().invoke(cli, given, prog_name="sparsam")


def test_check_opens_everything_and_serves_nothing(people: Path) -> None:
    done = run(people, "--check")
    assert done.exit_code == 0, done.output
    assert "Collects 2 answers of each person: age, hours." in done.output
    assert "deleted after 30 days" in done.output
    assert "Nothing was served" in done.output
    assert people.with_name("people.db").exists()


def test_the_target_comes_too(people: Path) -> None:
    done = run(people, "--check", "--with-target")
    assert "3 answers of each person: age, hours, works." in done.output
    G.save(people)
    done = run(people, "--check", "--with-target")
    assert done.exit_code == 2
    assert "does not say which target" in done.output


def test_what_is_served(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, dict[str, Any]]] = []

    def serve(service: Any, *, ready: Any, **where: Any) -> None:
        calls.append((service, where))
        ready("http://127.0.0.1:1/")

    monkeypatch.setattr(door, "serve", serve)
    done = run(people, "--workers", "2", "--no-form", "--language", "de", "--mode", "rows")
    assert done.exit_code == 0
    assert "Listens on http://127.0.0.1:1/ (Ctrl-C stops it)." in done.output
    assert "Stopped." in done.output
    (service, where), *_ = calls
    assert where == {"host": "127.0.0.1", "port": 8080, "workers": 2}
    assert (service.form, service.language, service.mode) == (False, "de", "rows")
    assert "TLS" not in done.output
    assert "TLS" in run(people, "--host", "0.0.0.0").output
    assert not run(people, "-q").output


def test_a_model_says_what_it_takes_or_is_told(people: Path, tmp_path: Path) -> None:
    import joblib
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    model = tmp_path / "model.joblib"
    joblib.dump(DecisionTreeClassifier().fit(np.eye(2), [0, 1]), model)
    told = ["--check", "--model", str(model), "--trust-model"]
    assert run(people, *told, "--model-takes", "codes").exit_code == 0
    done = run(people, *told)
    assert done.exit_code == 2
    assert "give --model-takes labels, --model-takes codes or --recoding FILE" in done.output
    done = run(people, "--check", "--model", str(model), "--model-takes", "codes")
    assert done.exit_code == 2
    assert "--trust-model" in done.output


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    nodes = [
        Branch("age", (0,), 1, 2),
        Leaf((), {"age": 9, "hours": 0}, "no"),
        Leaf(("hours",), {"age": 40}),
    ]
    means = {"age": [9, 40, 70], "hours": [20, 40]}
    recoding = Recoding(G, means, nodes, {"evidence": EVIDENCE})
    Questionnaire(recoding).save(tmp_path / "questions.json")
    return tmp_path / "questions.json"


def test_a_questionnaire_is_collected(questions: Path) -> None:
    done = run(questions, "--check")
    assert done.exit_code == 0, done.output
    assert "Collects up to 2 answers of each person: age, hours." in done.output
    with Store.reopen(questions.with_name("people.db")) as store:
        assert store.source == Questionnaire.load(questions)
        assert store.sizes == (3,)
    again = run(questions, "--check", "--with-target")
    assert again.exit_code == 2
    assert "another target" in again.output
    questions.with_name("people.db").unlink()
    assert "up to 3 answers" in run(questions, "--check", "--with-target").output


def test_a_questionnaire_and_its_model(questions: Path, tmp_path: Path) -> None:
    import joblib
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    model = tmp_path / "model.joblib"
    joblib.dump(DecisionTreeClassifier().fit(np.eye(2), [0, 1]), model)
    told = ["--check", "--model", str(model), "--trust-model"]
    assert run(questions, *told).exit_code == 0  # it has its own recoding
    assert run(questions, *told, "--model-takes", "codes").exit_code == 0
    Questionnaire.load(questions).recoding.save(tmp_path / "recoding.json")
    done = run(questions, *told, "--recoding", str(tmp_path / "recoding.json"))
    assert done.exit_code == 2
    assert "a questionnaire has its own" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model-takes", "codes"], "--model-takes goes with --model"),
        (["--trust-model"], "--trust-model goes with --model"),
        (["--port", "70000"], "0<=x<=65535"),
        (["--language", "xx"], "language"),
    ],
)
def test_wrong_usage(people: Path, words: list[str], said: str) -> None:
    done = run(people, "--check", *words)
    assert done.exit_code == 2
    assert said in done.output


def test_a_port_that_is_taken(people: Path) -> None:
    with door.listen("127.0.0.1", 0) as other:
        done = run(people, "--port", str(other.getsockname()[1]))
    assert done.exit_code == 2
    assert "Address already in use" in done.output
    assert "--port" in done.output

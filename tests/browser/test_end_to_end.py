"""The whole road: minimise, serve the form, people answer in a browser, train, and predict."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sparsam as sp
from sparsam.collect import Store, Target
from sparsam.generalization import NumericPartition

from .people import answer, mark

pytest.importorskip("uvicorn", reason="uvicorn is not installed (extra 'serve')")

N_PEOPLE = int(os.environ.get("SPARSAM_END_TO_END", "500"))
BY_HAND = 20  # people who use keyboard and mouse; the others' hands are a script in the page
TARGET = Target("employed", ("no", "yes"))


@pytest.fixture(scope="module")
def served() -> Any:
    """The class of `benchmarks/door.py` that starts `sparsam collect`."""
    place = Path(__file__).resolve().parents[2] / "benchmarks" / "door.py"
    found = importlib.util.spec_from_file_location("door_benchmark", place)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["door_benchmark"] = module
    found.loader.exec_module(module)
    return module.Served


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(300, min_samples_leaf=2, random_state=0)


@pytest.fixture(scope="module")
def table() -> Any:
    import pandas as pd

    example = sp.load_example()
    return pd.DataFrame(
        {name: example.attribute(name).decode(example.column(name)) for name in example.names}
    ).sample(frac=1, random_state=7)


def test_from_the_table_to_an_answer(served: Any, table: Any, browser: Any, tmp_path: Path) -> None:
    # what is collected is learned from people who are neither asked nor judged
    people, judged, others = table[:N_PEOPLE], table[N_PEOPLE:6_000], table[6_000:]
    tree = sp.PrivacyTree(sp.Roles(TARGET.name), max_leaves=12).fit(others)
    target = {"name": TARGET.name, "classes": list(TARGET.classes)}
    g = tree.generalization_.with_about({"evidence": {"people": len(others), "target": target}})
    g.save(tmp_path / "people.json")

    with served(tmp_path, options=("--with-target",)) as service:
        receipt = _all_answer(browser, service.port, g, people)
        _one_changes_their_mind(browser, service.port, receipt)
        said = "".join(service.said)
    assert "Traceback" not in said

    with Store.open(tmp_path / "people.db", g, keep_days=90, target=TARGET) as store:
        # the first one answered twice, and took one record back
        assert store.count() == len(people)
        training = store.training()
    expected = _counted(g, people)
    stored = {
        (*codes, label): int(weight)
        for codes, label, weight in zip(
            map(tuple, training.codes.tolist()), training.target, training.weights, strict=True
        )
    }
    assert stored == expected

    door = sp.GeneralizationStep(g, accept="generalized")
    model = make_pipeline(door, forest())
    model.fit(
        training.records,
        training.target,
        randomforestclassifier__sample_weight=training.weights,
    )
    joblib.dump(model, tmp_path / "model.joblib")
    words = ("--with-target", "--model", str(tmp_path / "model.joblib"), "--trust-model")
    with served(tmp_path, options=words) as service:
        answers = _answers(service.port, g, judged)
    collected = np.mean(answers == judged[TARGET.name].to_numpy())
    raw = _accuracy_on_raw(people, judged)
    assert collected >= raw - 0.02, (collected, raw)
    assert collected >= 0.7


# Type the number into the field that is never sent, mark the other lines, and send.
ANSWER = """([typed, marked]) => {
  for (const [name, value] of typed) {
    const aid = document.getElementsByName(name)[0].closest("fieldset").querySelector(".aid input");
    aid.value = value;
    aid.dispatchEvent(new Event("input", {bubbles: true}));
  }
  for (const [name, value] of marked)
    [...document.getElementsByName(name)].find(line => line.value === value).click();
  document.querySelector("button").click();
}"""


def _all_answer(browser: Any, port: int, g: Any, people: Any) -> str:
    """Let everyone fill in the page; return the receipt of an answer that was given too often."""
    rng = random.Random(0)
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(20_000)
    bodies: list[str] = []
    page.on("request", lambda request: bodies.append(request.post_data or ""))
    records = people.to_dict("records")
    receipt = ""
    for number, record in enumerate([records[0], *records]):
        page.goto(f"http://127.0.0.1:{port}/")
        if number < BY_HAND:
            for name in g.collected:
                answer(page, g[name], record[name], rng, assisted=True)
            mark(page, TARGET.name, TARGET.classes.index(record[TARGET.name]))
            page.click("button")
            receipt = receipt or page.inner_text("output")
            continue
        numbers = [name for name in g.collected if isinstance(g[name], NumericPartition)]
        marked = {name: g[name].bucket(record[name]) for name in g.collected if name not in numbers}
        marked[TARGET.name] = TARGET.classes.index(record[TARGET.name])
        typed = [(name, str(record[name])) for name in numbers]
        with page.expect_navigation(wait_until="commit"):
            page.evaluate(ANSWER, [typed, [(name, str(code)) for name, code in marked.items()]])
    page.wait_for_load_state()
    sent = [body for body in bodies if body]
    assert len(sent) == len(records) + 1
    assert all(re.fullmatch(r"([\w.%+-]+=\d{1,2}&?)+", body) for body in sent)
    context.close()
    return receipt


def _one_changes_their_mind(browser: Any, port: int, receipt: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{port}/forget")
    page.fill("input[name=receipt]", receipt)
    page.click("button")
    assert "deleted" in page.inner_text("main")
    page.goto(f"http://127.0.0.1:{port}/forget")
    page.fill("input[name=receipt]", receipt)
    page.click("button")
    assert "No answers belong to this receipt" in page.inner_text("main")
    context.close()


def _counted(g: Any, people: Any) -> dict[tuple[Any, ...], int]:
    counts: dict[tuple[Any, ...], int] = {}
    for record in people.to_dict("records"):
        codes = g.apply_record(record, "codes")
        key = (*(codes[name] for name in g.collected), record[TARGET.name])
        counts[key] = counts.get(key, 0) + 1
    return counts


def _answers(port: int, g: Any, people: Any) -> Any:
    """Ask the door about everyone, each different record once."""
    codes = g.apply(people[list(g.collected)], output="codes")[list(g.collected)].to_numpy()
    distinct, which = np.unique(codes, axis=0, return_inverse=True)
    talk = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    answers = []
    for row in distinct.tolist():
        body = json.dumps(dict(zip(g.collected, row, strict=True)))
        talk.request("POST", "/predict", body, {"Content-Type": "application/json"})
        answers.append(json.loads(talk.getresponse().read())["answer"])
    talk.close()
    return np.array(answers, dtype=object)[which.reshape(-1)]


def _accuracy_on_raw(people: Any, judged: Any) -> float:
    names = [name for name in people.columns if name != TARGET.name]
    categories = [name for name in names if name != "age"]
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), categories), remainder="passthrough"
    )
    model = make_pipeline(encoder, forest()).fit(people[names], people[TARGET.name])
    return float(np.mean(model.predict(judged[names]) == judged[TARGET.name]))

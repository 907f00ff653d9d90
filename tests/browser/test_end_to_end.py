"""The whole road, by the commands that a user types: minimise, collect, train, and predict.

`sparsam minimise` learns what to collect, `sparsam collect` serves the form, people answer it in a
browser, `sparsam records train` learns from the store, and the served model answers.
"""

from __future__ import annotations

import csv
import http.client
import importlib.util
import io
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sparsam as sp
from sparsam.collect import Questionnaire, Target
from sparsam.collect._runs import runs
from sparsam.generalization import NumericPartition

from .people import act_quickly, answer, decide, mark, person
from .test_questionnaire_page import interviewed, recodings

pytest.importorskip("uvicorn", reason="uvicorn is not installed (extra 'serve')")
pytest.importorskip("skops", reason="skops is not installed (extra 'models')")

N_PEOPLE = int(os.environ.get("SPARSAM_END_TO_END", "500"))
BY_HAND = 20  # people who use keyboard and mouse; the others' hands are a script in the page
TARGET = Target("employed", ("no", "yes"))


@pytest.fixture(scope="module")
def door() -> Any:
    """The module of `benchmarks/door.py`, which starts `sparsam collect`."""
    place = Path(__file__).resolve().parents[2] / "benchmarks" / "door.py"
    found = importlib.util.spec_from_file_location("door_benchmark", place)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["door_benchmark"] = module
    found.loader.exec_module(module)
    return module


def sparsam(folder: Path, words: str) -> str:
    """Run a command as a user does, in a folder; return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "sparsam", *words.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def table() -> Any:
    import pandas as pd

    example = sp.load_example()
    return pd.DataFrame(
        {name: example.attribute(name).decode(example.column(name)) for name in example.names}
    ).sample(frac=1, random_state=7)


def test_from_the_table_to_an_answer(door: Any, table: Any, browser: Any, tmp_path: Path) -> None:
    # what is collected is learned from people who are neither asked nor judged
    people, judged, others = table[:N_PEOPLE], table[N_PEOPLE:6_000], table[6_000:]
    others.to_csv(tmp_path / "others.csv", index=False)
    sparsam(tmp_path, "minimise others.csv --target employed --repeats 1 -o people.json")
    g = sp.Generalization.load(tmp_path / "people.json")
    assert Target.of(g) == TARGET  # which the artifact carries

    with door.Served(tmp_path, options=("--with-target",)) as service:
        receipt = _all_answer(browser, service.port, g, people)
        _one_changes_their_mind(browser, service.port, receipt)
        said = "".join(service.said)
    assert "Traceback" not in said

    # the first one answered twice, and took one record back
    facts = json.loads(sparsam(tmp_path, "records count people.db --json"))
    assert facts["records"] == len(people)
    exported = sparsam(tmp_path, "records export people.db --codes -o -")
    stored = {
        (*(int(row[name]) for name in g.collected), int(row[TARGET.name])): int(row["n"])
        for row in csv.DictReader(io.StringIO(exported))
    }
    assert stored == _counted(g, people)

    sparsam(tmp_path, "records train people.db -o model.skops")
    model = str(tmp_path / "model.skops")
    words = ("--with-target", "--model", model, "--model-takes", "labels")
    with door.Served(tmp_path, options=words) as service:
        answers = _answers(service.port, g, judged)
    collected = np.mean(answers == judged[TARGET.name].to_numpy())
    raw = _accuracy_on_raw(people, judged)
    assert collected >= raw - 0.02, (collected, raw)
    assert collected >= 0.7


@pytest.mark.parametrize("javascript", [True, False], ids=["JavaScript", "no JavaScript"])
def test_a_questionnaire_from_the_page_to_the_store(
    door: Any, browser: Any, tmp_path: Path, n_people: int, javascript: bool
) -> None:
    asks = Questionnaire(recodings().example())
    g, rng = asks.recoding.generalization, random.Random(19)
    evidence = {"people": 100, "target": {"name": TARGET.name, "classes": list(TARGET.classes)}}
    asks = Questionnaire(asks.recoding.with_about({"evidence": evidence}))
    expected: dict[tuple[str, ...], int] = {}
    subject = door.Interviewed(asks)
    with door.Served(tmp_path, options=("--with-target",), subject=subject) as service:
        context = browser.new_context(java_script_enabled=javascript)
        page = context.new_page()
        for number in range(n_people):
            page.goto(f"http://127.0.0.1:{service.port}/")
            record, works = person(g, rng), rng.randrange(2)
            interview = interviewed(asks, record)
            # without scripts everything is asked, and the door keeps what the interview needs
            names = list(interview.answers) if javascript else list(asks.names)
            steps = [decide(g[name], record[name], rng, assisted=javascript) for name in names]
            buckets = [g[name].bucket(record[name]) for name in names]
            act_quickly(page, list(zip(steps, buckets, strict=True)))
            mark(page, TARGET.name, works)
            page.click("button")
            receipt = page.inner_text("output")
            kept = {name: runs(choice.buckets) for name, choice in interview.answers.items()}
            row = (*(kept.get(name, "") for name in asks.names), str(works))
            if number == 0:  # who is sorry at once, and tries again
                page.click("button")
                assert "deleted" in page.inner_text("main")
                assert receipt not in page.content()
                continue
            expected[row] = expected.get(row, 0) + 1
        context.close()
    assert "Traceback" not in "".join(service.said)
    exported = sparsam(tmp_path, "records export people.db --codes -o -")
    stored = {tuple(row[:-1]): int(row[-1]) for row in csv.reader(exported.splitlines()[1:])}
    assert stored == expected


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
        works = TARGET.classes.index(record[TARGET.name])
        key = (*(codes[name] for name in g.collected), works)
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
    forest = RandomForestClassifier(300, min_samples_leaf=2, random_state=0)
    model = make_pipeline(encoder, forest).fit(people[names], people[TARGET.name])
    return float(np.mean(model.predict(judged[names]) == judged[TARGET.name]))

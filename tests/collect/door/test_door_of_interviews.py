"""The door of a questionnaire: the same promises, for what its page sends."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.collect import AnswerTable, Questionnaire, Store
from sparsam.collect._runs import runs
from sparsam.collect.door._collector import collector

from ..recodings import census, example, random_recoding
from .asking import FORM, JSON, ask, asked
from .stand_in import WORKS, G, MemoryStore

pytest.importorskip("starlette")

ASKS = Questionnaire(example())


def by_hours(people: Any) -> list[str]:
    return ["much" if hours > 15 else "little" for hours in people["hours"]]


def settled() -> Questionnaire:
    """A questionnaire that knows all answers by itself."""
    return next(
        asks
        for asks in (Questionnaire(random_recoding(seed)) for seed in range(400))
        if all(leaf.prediction is not None for leaf in asks.recoding.leaves.values())
        and len(asks.start().needed) > 1
    )


def written(interviews: Any, number: int) -> dict[str, int | str]:
    """An interview as a program sends it."""
    answers = interviews.answers(number)
    return {name: b[0] if len(b) == 1 else runs(b) for name, b in answers.items()}


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(ASKS)


@pytest.fixture
def door(store: MemoryStore) -> Any:
    return collector(store)  # type: ignore[arg-type]


def test_an_interview_in_a_receipt_out(door: Any, store: MemoryStore) -> None:
    reply = asked(door, "POST", "/records", b'{"age": "1-3", "sex": 0, "town": 1}', JSON)
    assert reply.status == 201
    assert store.records == {reply.data["receipt"]: (2,)}
    page = asked(door, "POST", "/records", b"age=1-3&sex=1&hours=2", FORM)
    assert page.status == 201
    assert list(store.records.values()) == [(2,), (5,)]
    assert asked(door, "DELETE", f"/records/{reply.data['receipt']}").status == 204
    assert list(store.records.values()) == [(5,)]


def test_the_page_that_is_served_asks_in_this_way(door: Any) -> None:
    page = asked(door, "GET", "/")
    assert page.status == 200
    assert "action=records " in page.text
    assert "0:-1,1:1-3;" in page.text
    judged = collector(MemoryStore(ASKS, WORKS))  # type: ignore[arg-type]
    assert "name=works " in asked(judged, "GET", "/").text


def test_finer_and_other_answers_are_refused_and_not_repeated(
    door: Any, store: MemoryStore
) -> None:
    reply = asked(door, "POST", "/records", b'{"age": 2, "sex": 0, "town": 1}', JSON)
    assert reply.status == 422
    assert reply.data["attributes"] == {"age": "must come once, as one of 0, 1-3"}
    page = asked(door, "POST", "/records", b"age=847361&sex=0", FORM)
    assert (page.status, "<li>age</li>" in page.text) == (422, True)
    assert "847361" not in page.everything
    assert not store.records


def readable(body: Any) -> dict[str, Any] | None:
    """A body as a schema sees it, where it sees all: no name twice, and 1.0 is no whole number."""
    try:
        pairs = json.loads(body.content, object_pairs_hook=list) if body.kind == JSON else None
    except ValueError:
        return None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return None
    record = dict(pairs)
    whole = any(isinstance(value, float) and value.is_integer() for value in record.values())
    return None if whole or len(record) < len(pairs) else record


def test_the_schema_is_what_is_accepted(hostile: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for source in (ASKS, hostile.QUESTIONS, settled(), Questionnaire(census(9, 40, seed=1))):
        for target in (None, WORKS):
            door = collector(MemoryStore(source, target))  # type: ignore[arg-type]
            schema = asked(door, "GET", "/schema").data
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            taken = 0
            for body in hostile.bodies(150, hostile.Interviewed(source), seed=4):
                record = readable(body)
                if record is None:
                    continue
                if target is not None:
                    record["works"] = 1
                content = json.dumps(record).encode()
                status = asked(door, "POST", "/records", content, JSON).status
                assert (status == 201) == validator.is_valid(record), record
                taken += status == 201
            assert taken > 10


def test_a_questionnaire_that_knows_the_answers_predicts() -> None:
    asks = settled()
    store = MemoryStore(asks, WORKS)
    door = collector(store)  # type: ignore[arg-type]
    interviews = store.collected.interviews  # type: ignore[attr-defined]
    for number in range(interviews.total):
        answers = written(interviews, number)
        reply = asked(door, "POST", "/predict", json.dumps(answers).encode(), JSON)
        assert reply.data == {"answer": asks.resume(answers).prediction}
    assert not store.records
    assert asked(door, "POST", "/predict", b"{}", JSON).status == 422


def test_where_only_the_model_knows_it_is_asked(store: MemoryStore) -> None:
    body = b'{"age": "1-3", "sex": 1, "hours": 0}'
    nobody = collector(store)  # type: ignore[arg-type]
    assert asked(nobody, "POST", "/predict", body, JSON).status == 404
    recoding = example()
    table = AnswerTable.of(by_hours, recoding.generalization, takes=recoding)
    for options in ({"model": by_hours}, {"model": by_hours, "takes": recoding}, {"model": table}):
        door = collector(store, **options)  # type: ignore[arg-type]
        for hours, answer in ((0, "little"), (1, "much"), (2, "much")):
            body = b'{"age": "1-3", "sex": 1, "hours": %d}' % hours
            assert asked(door, "POST", "/predict", body, JSON).data == {"answer": answer}
        page = asked(door, "POST", "/predict", b"age=0&sex=0&town=1&hours=2", FORM)
        assert "<output>little</output>" in page.text
    assert not store.records


def test_a_model_that_was_trained_on_interviews(tmp_path: Path) -> None:
    from sparsam.collect.store._model import train_model

    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 6, 600)
    works = np.isin(numbers, [1, 4, 5]).astype(int)
    with Store.open(tmp_path / "answers.db", ASKS, keep_days=9, target=WORKS) as store:
        store.add(np.column_stack([numbers, works]).tolist())
        model = train_model(store.training())
        door = collector(store, model=model, takes="labels")
        for body, answer in (
            (b'{"age": 0}', "no"),
            (b'{"age": "1-3", "sex": 0, "town": "0.2"}', "yes"),
            (b'{"age": "1-3", "sex": 0, "town": 1}', "no"),
            (b'{"age": "1-3", "sex": 1, "hours": 2}', "yes"),
        ):
            assert asked(door, "POST", "/predict", body, JSON).data == {"answer": answer}
        by_codes = collector(store, model=lambda people: people["town"] * 10, takes="codes")
        body = b'{"age": "1-3", "sex": 0, "town": 1}'
        assert asked(by_codes, "POST", "/predict", body, JSON).data == {"answer": 20}


def test_above_a_million_interviews_the_model_itself_answers() -> None:
    asks = Questionnaire(census(14, 60, seed=1))
    store = MemoryStore(asks)
    interviews = store.collected.interviews  # type: ignore[attr-defined]
    assert interviews.total > 10**6
    door = collector(store, model=lambda people: list(people["age"]))  # type: ignore[arg-type]
    answers = written(interviews, interviews.total // 3)
    reply = asked(door, "POST", "/predict", json.dumps(answers).encode(), JSON)
    assert reply.data == {"answer": asks.resume(answers).record()["age"]}


def test_models_that_do_not_fit(store: MemoryStore) -> None:
    with pytest.raises(ParameterError, match="must be that of the questionnaire"):
        collector(store, model=by_hours, takes=random_recoding(3))  # type: ignore[arg-type]
    table = AnswerTable.of(lambda people: people["age"], G, takes="codes")
    with pytest.raises(ParameterError, match="other attributes or buckets"):
        collector(store, model=table)  # type: ignore[arg-type]
    exact = AnswerTable.of(
        lambda people: list(people["sex"]), example().generalization, takes="codes"
    )
    with pytest.raises(ParameterError, match="does not ask for"):
        collector(store, model=exact)  # type: ignore[arg-type]


def test_what_is_sent_is_never_repeated(hostile: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Some hundred bodies; `benchmarks/door.py fuzz --questionnaire` sends ten thousand."""
    subject = hostile.Interviewed()
    store = MemoryStore(subject.source)
    door = collector(store, model=lambda people: people["age"])  # type: ignore[arg-type]
    interviews = store.collected.interviews  # type: ignore[attr-defined]

    async def all_of_them() -> None:
        for body in hostile.bodies(500, subject, seed=1):
            before = len(store.records)
            path = "/records" if body.number % 3 else "/predict"
            reply = await ask(door, "POST", path, body.content, body.kind)
            assert reply.status in body.statuses, (body, reply)
            kept = len(store.records) - before
            assert kept == (path == "/records" and reply.status == 201), body
            if kept:
                (number,) = list(store.records.values())[-1]
                told = subject.source.resume(body.record)
                given = {name: choice.buckets for name, choice in told.answers.items()}
                assert interviews.answers(number) == given
            assert not [word for word in body.canaries if word in reply.everything], (body, reply)
            assert not [word for word in body.canaries if word in caplog.text], body

    with caplog.at_level(logging.DEBUG):
        asyncio.run(all_of_them())
    assert 60 < len(store.records) < 300


def test_nothing_reaches_the_log_of_postgresql(postgres: Any, hostile: Any) -> None:
    _, address = postgres.schema()
    before = len(postgres.log.read_bytes())
    subject = hostile.Interviewed()
    bodies = list(hostile.bodies(150, subject, seed=2))
    with Store.open(address, subject.source, keep_days=30, key=bytes(32)) as store:
        door = collector(store)

        async def all_of_them() -> None:
            for body in bodies:
                reply = await ask(door, "POST", "/records", body.content, body.kind)
                assert reply.status in body.statuses, (body, reply)

        asyncio.run(all_of_them())
        assert store.count() == sum(body.record is not None for body in bodies) > 10
    log = postgres.log.read_bytes()[before:]
    assert not [word for body in bodies for word in body.canaries if word.encode() in log]

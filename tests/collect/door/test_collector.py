"""The door as a whole, without a server: what it takes, refuses, answers and never repeats."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.collect import AnswerTable, Store
from sparsam.collect.door._collector import collector
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition

from .asking import FORM, JSON, ask, asked
from .stand_in import AGES, SIZES, WORKS, G, MemoryStore

pytest.importorskip("starlette")

RECORD = {"age": 3, "sex": 0, "post code": 2}
BODY = json.dumps(RECORD).encode()


def by_codes(people: Any) -> Any:
    return np.where(people["age"] > people["post code"], "yes", "no")


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def door(store: MemoryStore) -> Any:
    return collector(store, model=by_codes, takes="codes")  # type: ignore[arg-type]


def test_json_in_receipt_out(door: Any, store: MemoryStore) -> None:
    reply = asked(door, "POST", "/records", BODY, JSON)
    assert reply.status == 201
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["cache-control"] == "no-store"
    assert store.records == {reply.data["receipt"]: (3, 0, 2)}


def test_a_form_in_a_page_out(door: Any, store: MemoryStore) -> None:
    reply = asked(door, "POST", "/records", b"age=3&sex=0&post+code=2", FORM)
    assert reply.status == 201
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    (receipt,) = store.records
    assert receipt in reply.text
    assert store.records[receipt] == (3, 0, 2)


def test_the_target_is_one_more_answer() -> None:
    store = MemoryStore(target=WORKS)
    door = collector(store)  # type: ignore[arg-type]
    assert asked(door, "POST", "/records", BODY, JSON).data["attributes"].keys() == {"works"}
    full = json.dumps({**RECORD, "works": 1}).encode()
    assert asked(door, "POST", "/records", full, JSON).status == 201
    assert list(store.records.values()) == [(3, 0, 2, 1)]
    page = asked(door, "GET", "/").text
    assert "works" in page


def test_prediction_answers_and_keeps_nothing(door: Any, store: MemoryStore) -> None:
    assert asked(door, "POST", "/predict", BODY, JSON).data == {"answer": "yes"}
    page = asked(door, "POST", "/predict", b"age=0&sex=1&post+code=0", FORM)
    assert (page.status, "<output>no</output>" in page.text) == (200, True)
    assert not store.records
    # the target is what is asked for, so that it cannot be part of the question
    learned = collector(MemoryStore(target=WORKS), model=by_codes, takes="codes")  # type: ignore[arg-type]
    more = json.dumps({**RECORD, "works": 1}).encode()
    assert asked(learned, "POST", "/predict", more, JSON).status == 422
    assert asked(learned, "POST", "/predict", BODY, JSON).data == {"answer": "yes"}


def test_without_a_model_there_is_nothing_to_ask(store: MemoryStore) -> None:
    door = collector(store, form=False)  # type: ignore[arg-type]
    assert asked(door, "POST", "/predict", BODY, JSON).status == 404
    assert asked(door, "GET", "/").status == 404


def test_above_a_million_cells_the_model_itself_answers() -> None:
    cuts = list(range(1, 90))
    wide = Generalization([numeric_partition(name, AGES, cuts) for name in "abcd"])
    door = collector(
        MemoryStore(wide),  # type: ignore[arg-type]
        model=lambda people: people["a"] * 1000 + people["d"],
        takes="codes",
    )
    body = b'{"a": 7, "b": 0, "c": 0, "d": 89}'
    assert asked(door, "POST", "/predict", body, JSON).data == {"answer": 7089}


def test_a_table_of_answers_must_fit(store: MemoryStore) -> None:
    table = AnswerTable.of(by_codes, G, takes="codes")
    door = collector(store, model=table)  # type: ignore[arg-type]
    assert asked(door, "POST", "/predict", BODY, JSON).data == {"answer": "yes"}
    other = Generalization([numeric_partition("age", NumericDomain(0, 99), [18])])
    with pytest.raises(ParameterError, match="other attributes or buckets"):
        collector(MemoryStore(other), model=table)  # type: ignore[arg-type]


def test_the_form_and_its_policy(door: Any) -> None:
    reply = asked(door, "GET", "/")
    assert reply.status == 200
    policy = reply.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors 'none'")
    assert "default-src 'none'" in policy
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-store"
    assert "action=records " in reply.text
    assert asked(door, "HEAD", "/").status == 200


def test_the_schema_is_what_is_accepted(door: Any) -> None:
    validator = pytest.importorskip("jsonschema").Draft202012Validator(
        asked(door, "GET", "/schema").data
    )
    bodies = [RECORD, {}, {**RECORD, "x": 0}, {**RECORD, "age": 4}, {**RECORD, "sex": "0"},
              {**RECORD, "age": None}, [RECORD], {**RECORD, "age": -1}]  # fmt: skip
    for body in bodies:
        status = asked(door, "POST", "/records", json.dumps(body).encode(), JSON).status
        assert (status == 201) == validator.is_valid(body), body


def test_a_record_is_taken_back_once(door: Any, store: MemoryStore) -> None:
    receipt = asked(door, "POST", "/records", BODY, JSON).data["receipt"]
    assert asked(door, "DELETE", f"/records/{receipt}").status == 204
    assert not store.records
    again = asked(door, "DELETE", f"/records/{receipt}")
    assert again.status == 404
    assert receipt not in again.everything


def test_a_person_takes_it_back_by_the_page(door: Any, store: MemoryStore) -> None:
    page = asked(door, "GET", "/forget")
    assert (page.status, 'name="receipt"' in page.text) == (200, True)
    receipt = asked(door, "POST", "/records", BODY, JSON).data["receipt"]
    body = f"receipt=+{receipt}%0A".encode()
    assert asked(door, "POST", "/forget", body, FORM).status == 200
    assert not store.records
    again = asked(door, "POST", "/forget", body, FORM)
    assert again.status == 404
    assert receipt not in again.everything


@pytest.mark.parametrize(
    "body", [b"", b"receipt=", b"x=1", b"receipt=a&receipt=b", b"receipt=" + b"a" * 3000, b"\xff"]
)
def test_what_is_no_receipt(door: Any, body: bytes) -> None:
    assert asked(door, "POST", "/forget", body, FORM).status == 404
    assert asked(door, "POST", "/forget", body, JSON).status == 415


@pytest.mark.parametrize("receipt", ["x", "a" * 5000, "é", "..", "%00"])
def test_a_receipt_that_is_none_is_not_repeated(door: Any, receipt: str) -> None:
    reply = asked(door, "DELETE", f"/records/{receipt}")
    assert reply.status == 404
    assert receipt == "x" or receipt not in reply.everything


def test_refusals_name_what_is_allowed(door: Any, store: MemoryStore) -> None:
    reply = asked(door, "POST", "/records", b'{"age": 847361, "sex": 0, "post code": 2}', JSON)
    assert reply.status == 422
    assert reply.data == {
        "error": "The record was refused: nothing was kept.",
        "attributes": {"age": "must come once, as a whole number from 0 to 3"},
    }
    page = asked(door, "POST", "/records", b"age=847361&sex=0&post+code=2", FORM)
    assert page.status == 422
    assert "<li>age</li>" in page.text
    assert "847361" not in reply.everything + page.everything
    assert not store.records


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404), ("POST", "/", 405), ("PUT", "/records", 405),
        ("GET", "/records", 405), ("POST", "/records/", 404), ("DELETE", "/records", 405),
        ("GET", "/records/abc", 405), ("POST", "/health", 405), ("GET", "//records", 404),
        ("POST", "/RECORDS", 404), ("OPTIONS", "/records", 405), ("TRACE", "/", 405),
    ],
)  # fmt: skip
def test_other_ways_lead_nowhere(door: Any, method: str, path: str, status: int) -> None:
    reply = asked(door, method, path, BODY, JSON, [("host", "canary.example")], query="age=847361")
    assert reply.status == status
    assert "location" not in reply.headers
    assert "canary" not in reply.everything
    assert "847361" not in reply.everything


def test_a_websocket_is_closed(door: Any) -> None:
    sent = []

    async def talk() -> None:
        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message["type"])

        await door(
            {"type": "websocket", "path": "/", "headers": [], "root_path": ""}, receive, send
        )

    asyncio.run(talk())
    assert sent == ["websocket.close"]


def test_a_store_that_fails_is_no_secret_but_its_words_are(
    door: Any, store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise RuntimeError("Failing row contains (847361)")

    store.before = fail
    with caplog.at_level(logging.DEBUG):
        reply = asked(door, "POST", "/records", BODY, JSON)
        page = asked(door, "POST", "/records", b"age=3&sex=0&post+code=2", FORM)
        assert (reply.status, page.status) == (503, 503)
        assert asked(door, "GET", "/health").status == 503
        store.forget = fail_with_words  # type: ignore[method-assign, assignment]
        assert asked(door, "DELETE", "/records/abc").status == 500
    for text in (reply.everything, page.everything, caplog.text):
        assert "847361" not in text


def fail_with_words(receipt: str) -> None:
    raise ValueError("847361")


def test_a_model_that_fails_does_not_say_on_whom() -> None:
    cuts = list(range(1, 90))
    wide = Generalization([numeric_partition(name, AGES, cuts) for name in "abcd"])

    def model(people: Any) -> Any:
        raise ValueError(f"strange record {people}")

    door = collector(MemoryStore(wide), model=model, takes="codes")  # type: ignore[arg-type]
    reply = asked(door, "POST", "/predict", b'{"a": 77, "b": 0, "c": 0, "d": 89}', JSON)
    assert reply.status == 500
    assert "77" not in reply.everything


def test_inside_another_app(door: Any, store: MemoryStore) -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    app = Starlette(routes=[Mount("/collect", door)])
    assert asked(app, "POST", "/collect/records", BODY, JSON).status == 201
    assert asked(app, "PUT", "/collect/records", BODY, JSON).status == 405
    assert asked(app, "GET", "/collect/nothing").status == 404
    assert len(store.records) == 1


def test_health(door: Any) -> None:
    reply = asked(door, "GET", "/health")
    assert (reply.status, reply.data) == (200, {"status": "ok"})


def test_who_hangs_up_gets_no_answer(door: Any, store: MemoryStore) -> None:
    assert asked(door, "POST", "/records", [], JSON).status == 0
    assert not store.records


def test_retention_and_the_end(store: MemoryStore) -> None:
    door = collector(store)  # type: ignore[arg-type]

    async def live() -> None:
        events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        told: asyncio.Queue[str] = asyncio.Queue()

        async def send(message: dict[str, Any]) -> None:
            told.put_nowait(message["type"])

        life = asyncio.create_task(door({"type": "lifespan"}, events.get, send))
        events.put_nowait({"type": "lifespan.startup"})
        assert await told.get() == "lifespan.startup.complete"
        waiting = asyncio.create_task(ask(door, "POST", "/records", BODY, JSON))
        await asyncio.sleep(0.05)
        events.put_nowait({"type": "lifespan.shutdown"})
        assert await told.get() == "lifespan.shutdown.complete"
        assert (await waiting).status == 201
        await life

    for times in (1, 2):  # a server may start an app again
        asyncio.run(live())
        assert store.expired == times


def test_what_is_sent_is_never_repeated(
    door: Any, store: MemoryStore, hostile: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Some hundred bodies; `benchmarks/door.py fuzz` sends ten thousand to a served process."""

    async def all_of_them() -> None:
        for body in hostile.bodies(400, hostile.WholeRecords(G), seed=1):
            before = len(store.records)
            path = "/records" if body.number % 3 else "/predict"
            reply = await ask(door, "POST", path, body.content, body.kind)
            assert reply.status in body.statuses, (body, reply)
            kept = len(store.records) - before
            assert kept == (path == "/records" and reply.status == 201), body
            if kept:
                assert list(store.records.values())[-1] == tuple(map(body.record.get, SIZES))
            assert not [word for word in body.canaries if word in reply.everything], (body, reply)
            assert not [word for word in body.canaries if word in caplog.text], body

    with caplog.at_level(logging.DEBUG):
        asyncio.run(all_of_them())
    assert 40 < len(store.records) < 200


def test_nothing_reaches_the_log_of_postgresql(postgres: Any, hostile: Any) -> None:
    _, address = postgres.schema()
    before = len(postgres.log.read_bytes())
    bodies = list(hostile.bodies(120, hostile.WholeRecords(G), seed=2))
    with Store.open(address, G, keep_days=30, key=bytes(32)) as store:
        door = collector(store)

        async def all_of_them() -> None:
            for body in bodies:
                reply = await ask(door, "POST", "/records", body.content, body.kind)
                assert reply.status in body.statuses, (body, reply)

        asyncio.run(all_of_them())
        good = [body.record for body in bodies if body.record is not None]
        assert store.count() == len(good) > 10
        codes = store.training().codes.tolist()
    assert {tuple(row) for row in codes} == {tuple(map(record.get, SIZES)) for record in good}
    log = postgres.log.read_bytes()[before:]
    assert not [word for body in bodies for word in body.canaries if word.encode() in log]

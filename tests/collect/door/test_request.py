"""Heads and bodies of requests: kinds, sizes, and patience."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sparsam.collect.door import _request
from sparsam.collect.door._record import Refused
from sparsam.collect.door._request import MOST_BYTES, Disconnected, body_of, kind_of


def scope(*headers: tuple[str, str], query: bytes = b"") -> dict[str, Any]:
    pairs = [(name.encode(), value.encode()) for name, value in headers]
    return {"headers": pairs, "query_string": query}


@pytest.mark.parametrize(
    ("kind", "read"),
    [
        ("application/json", "json"),
        ("Application/JSON", "json"),
        ("application/json; charset=utf-8", "json"),
        ('application/json;charset="UTF-8"', "json"),
        ("application/x-www-form-urlencoded", "form"),
        ("application/x-www-form-urlencoded; charset=UTF-8", "form"),
    ],
)
def test_the_two_kinds(kind: str, read: str) -> None:
    assert kind_of(scope(("content-type", kind))) == read


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (("content-type", ""),),
        (("content-type", "text/plain"),),
        (("content-type", "multipart/form-data; boundary=x"),),
        (("content-type", "application/json; charset=latin-1"),),
        (("content-type", "application/json; charset=utf-16"),),
        (("content-type", "application/json; profile=x"),),
        (("content-type", "application/jsonx"),),
        (("content-type", "application/json"), ("content-type", "application/json")),
        (("content-type", "application/json"), ("content-encoding", "gzip")),
    ],
)
def test_other_kinds_are_refused(headers: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(Refused) as caught:
        kind_of(scope(*headers))
    assert caught.value.status == 415


def test_nothing_may_stand_in_the_address() -> None:
    with pytest.raises(Refused, match="question mark") as caught:
        kind_of(scope(("content-type", "application/json"), query=b"age=47"))
    assert "47" not in str(caught.value)


@pytest.mark.parametrize("length", ["300000", "9" * 400, "-1", "ten"])
def test_a_body_that_says_it_is_huge_is_not_awaited(length: str) -> None:
    with pytest.raises(Refused) as caught:
        kind_of(scope(("content-type", "application/json"), ("content-length", length)))
    assert caught.value.status == 413


def read(*parts: bytes, last: dict[str, Any] | None = None) -> bytes:
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    if last is None:
        messages[-1]["more_body"] = False

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop(0)
        if last is None:
            raise AssertionError("read past the end")
        if last["type"] == "stall":
            await asyncio.sleep(60)
        return last

    return asyncio.run(body_of({}, receive))


def test_whole_and_in_parts() -> None:
    assert read(b"abc") == b"abc"
    assert read(b"a", b"", b"bc") == b"abc"
    assert read(b"x" * MOST_BYTES) == b"x" * MOST_BYTES
    assert read(b"x" * 96, b"y" * 4000) == b"x" * 96 + b"y" * 4000


@pytest.mark.parametrize("parts", [[b"x" * 4097], [b"x" * 4096, b"x"], [b"x" * 100] * 50])
def test_too_much_is_refused(parts: list[bytes]) -> None:
    with pytest.raises(Refused, match="4,096 bytes") as caught:
        read(*parts)
    assert caught.value.status == 413


def test_without_an_end_it_is_not_read_for_ever() -> None:
    count = 0

    async def receive() -> dict[str, Any]:
        nonlocal count
        count += 1
        return {"type": "http.request", "body": b"x" * 1000, "more_body": True}

    with pytest.raises(Refused) as caught:
        asyncio.run(body_of({}, receive))
    assert caught.value.status == 413
    assert count < 300


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_request, "PATIENCE", 0.01)
    with pytest.raises(Refused) as caught:
        read(b"{", last={"type": "stall"})
    assert caught.value.status == 408


def test_who_has_left_gets_no_answer() -> None:
    with pytest.raises(Disconnected):
        read(b"{", last={"type": "http.disconnect"})

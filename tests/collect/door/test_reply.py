"""Answers: their heads, and when a connection ends with them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sparsam.collect.door._record import Refused
from sparsam.collect.door._reply import refusal_json, send_json, send_nothing, send_page


def sent(sending: Any, *args: Any) -> tuple[int, dict[bytes, bytes], bytes]:
    messages: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    asyncio.run(sending(send, *args))
    start, body = messages
    return start["status"], dict(start["headers"]), body["body"]


@pytest.mark.parametrize(
    ("status", "closed"), [(201, False), (422, False), (413, True), (408, True)]
)
def test_what_was_not_read_ends_the_connection(status: int, closed: bool) -> None:
    code, headers, body = sent(send_json, status, b"{}")
    assert (code, body) == (status, b"{}")
    assert headers[b"content-length"] == b"2"
    assert (headers.get(b"connection") == b"close") is closed


def test_pages_and_silence() -> None:
    _, headers, body = sent(send_page, 200, b"<p>", b"default-src 'none'")
    assert headers[b"content-security-policy"] == b"default-src 'none'"
    assert headers[b"content-type"] == b"text/html; charset=utf-8"
    assert body == b"<p>"
    status, headers, body = sent(send_nothing, 204)
    assert (status, body) == (204, b"")
    assert headers[b"cache-control"] == b"no-store"


def test_refusals_as_json() -> None:
    assert refusal_json(Refused(404, "No.")) == b'{"error":"No."}'

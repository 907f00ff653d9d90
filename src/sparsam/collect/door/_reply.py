"""What goes out: JSON for programs, small pages for people, and nothing that was sent."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sparsam.collect.door._record import Refused
from sparsam.collect.door._request import Send

# Nothing is kept by caches on the way, and nobody is told where a person comes from.
_ALWAYS: Final = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
_JSON: Final = [*_ALWAYS, (b"content-type", b"application/json")]
_HTML: Final = [
    *_ALWAYS,
    (b"referrer-policy", b"no-referrer"),
    (b"content-type", b"text/html; charset=utf-8"),
]
# What else comes after one of these was not read, so that the talk cannot go on.
_LAST_WORDS: Final = (400, 408, 413, 415)
_CLOSE: Final = (b"connection", b"close")


async def send_json(send: Send, status: int, body: bytes) -> None:
    """Answer a program.

    Parameters
    ----------
    send
        Of ASGI.
    status : int
    body : bytes
        JSON.
    """
    headers = [*_JSON, (b"content-length", b"%d" % len(body))]
    await _send(send, status, headers, body)


async def send_page(send: Send, status: int, page: bytes, policy: bytes) -> None:
    """Answer a person.

    Parameters
    ----------
    send
        Of ASGI.
    status : int
    page : bytes
        HTML.
    policy : bytes
        What the page may load and do (content security policy).
    """
    headers = [
        *_HTML,
        (b"content-security-policy", policy),
        (b"content-length", b"%d" % len(page)),
    ]
    await _send(send, status, headers, page)


async def send_nothing(send: Send, status: int) -> None:
    """Answer with the status alone."""
    await _send(send, status, list(_ALWAYS), b"")


async def _send(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    if status in _LAST_WORDS:
        headers.append(_CLOSE)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def refusal_json(refused: Refused) -> bytes:
    """Write why something is refused, for a program.

    Examples
    --------
    >>> refusal_json(Refused(422, "Refused.", {"age": "must be a whole number from 0 to 8"}))
    b'{"error":"Refused.","attributes":{"age":"must be a whole number from 0 to 8"}}'
    """
    facts: dict[str, Any] = {"error": str(refused)}
    if refused.attributes:
        facts["attributes"] = refused.attributes
    return msgspec.json.encode(facts)

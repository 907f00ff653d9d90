"""What comes in with a request: its kind and its body, within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, Literal

from sparsam.collect.door._record import Refused

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Kind = Literal["json", "form"]

MOST_BYTES: Final = 4_096
PATIENCE: Final = 10.0  # seconds for the rest of a body
_MOST_DRAINED: Final = 262_144
_MOST_DIGITS: Final = 19

_KINDS: Final[dict[bytes, Kind]] = {
    b"application/json": "json",
    b"application/x-www-form-urlencoded": "form",
}

TOO_LARGE = "A body may have at most {most:,} bytes."
TOO_SLOW = f"A body must arrive within {PATIENCE:.0f} seconds."
WRONG_KIND = (
    "The body must be application/json or application/x-www-form-urlencoded, in UTF-8 and not "
    "compressed."
)
NO_QUERY = "Nothing may stand in the address after a question mark: records belong in the body."


class Disconnected(Exception):  # noqa: N818 - not an error, but the end of the talk
    """Whoever asked has left before everything was said."""


def kind_of(scope: Scope) -> Kind:
    """Return what a body is, from the head of its request.

    Parameters
    ----------
    scope : mapping
        Of ASGI.

    Raises
    ------
    Refused
        It is neither JSON nor a form, not in UTF-8, compressed, larger than it may be; or
        something stands in the address, where proxies write it down.
    """
    if scope.get("query_string"):
        raise Refused(400, NO_QUERY)
    kind: Kind | None = None
    for name, value in scope["headers"]:
        if name == b"content-type":
            if kind is not None:
                raise Refused(415, WRONG_KIND)
            kind = _KINDS.get(value) or _with_parameters(value)
        elif name == b"content-encoding" and value.strip().lower() != b"identity":
            raise Refused(415, WRONG_KIND)
        elif name == b"content-length" and _number(value) > _MOST_DRAINED:
            raise Refused(413, TOO_LARGE.format(most=_MOST_DRAINED))
    if kind is None:
        raise Refused(415, WRONG_KIND)
    return kind


def _number(value: bytes) -> int:
    return int(value) if value.isdigit() and len(value) < _MOST_DIGITS else _MOST_DRAINED + 1


def _with_parameters(value: bytes) -> Kind:
    """Read a content type with parameters, of which only UTF-8 as the charset may be there."""
    kind, *parameters = [part.strip().lower() for part in value.split(b";")]
    fits = all(
        part in (b"charset=utf-8", b'charset="utf-8"', b"charset=utf8", b"") for part in parameters
    )
    if kind not in _KINDS or not fits:
        raise Refused(415, WRONG_KIND)
    return _KINDS[kind]


def most_bytes(longest: int) -> int:
    """Return how many bytes a body may have, where a record has so many signs in a form at most.

    Examples
    --------
    >>> most_bytes(100), most_bytes(5_000)
    (4096, 10000)
    """
    return min(max(MOST_BYTES, 2 * longest), _MOST_DRAINED)  # as JSON it is longer


async def body_of(scope: Scope, receive: Receive, most: int = MOST_BYTES) -> bytes:
    """Read the body of a request: no more than is allowed, for no longer than is allowed.

    For how long the first part may be awaited is left to the server.

    Parameters
    ----------
    scope, receive
        Of ASGI.
    most : int
        How many bytes it may have.

    Raises
    ------
    Refused
    Disconnected
    """
    message = await receive()
    if not message.get("more_body"):  # it came whole, as nearly all do
        body = _part(message)
        if len(body) > most:
            raise Refused(413, TOO_LARGE.format(most=most))
        return body
    try:
        async with asyncio.timeout(PATIENCE):
            return await _joined(message, receive, most)
    except TimeoutError:
        raise Refused(408, TOO_SLOW) from None


def _part(message: Message) -> bytes:
    if message["type"] == "http.disconnect":
        raise Disconnected
    part: bytes = message.get("body", b"")
    return part


async def _joined(message: Message, receive: Receive, most: int) -> bytes:
    """Join a body that comes in parts, of which nobody has to say how many there are."""
    parts = [_part(message)]
    size = len(parts[0])
    while message.get("more_body"):
        message = await receive()
        part = _part(message)
        size += len(part)
        if size <= most:
            parts.append(part)
        elif size > _MOST_DRAINED:
            break
    if size > most:
        # read on for a while: who is cut off in the middle of a sentence never hears why
        raise Refused(413, TOO_LARGE.format(most=most))
    return b"".join(parts)

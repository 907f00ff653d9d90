"""Ask an ASGI app, without a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def everything(self) -> str:
        return f"{self.headers} {self.body.decode('utf-8', 'replace')}"


async def ask(
    app: Any,
    method: str,
    path: str,
    body: bytes | Iterable[bytes] = b"",
    kind: str | None = None,
    headers: Iterable[tuple[str, str]] = (),
    query: str = "",
    stalls: bool = False,
    **scope: Any,
) -> Reply:
    """Send a request; a body in parts comes part by part, and after them nothing if it stalls."""
    parts = [body] if isinstance(body, bytes) else list(body)
    sent: list[dict[str, Any]] = []
    head = [(name.lower().encode(), value.encode()) for name, value in headers]
    if kind is not None:
        head.append((b"content-type", kind.encode()))

    async def receive() -> dict[str, Any]:
        if parts:
            part = parts.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(parts) or stalls}
        if stalls:
            await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    request = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": head,
        "client": ("203.0.113.77", 4321),
        "server": ("127.0.0.1", 80),
        **scope,
    }
    await app(request, receive, send)
    if not sent:
        return Reply(0, {}, b"")
    start, *rest = sent
    fields = {name.decode(): value.decode() for name, value in start["headers"]}
    return Reply(start["status"], fields, b"".join(part.get("body", b"") for part in rest))


def asked(app: Any, method: str, path: str, *args: Any, **options: Any) -> Reply:
    """Do the same outside of an event loop."""
    return asyncio.run(ask(app, method, path, *args, **options))

"""The end of patience with connections that say nothing, or never come to an end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("httptools")

import uvicorn

from sparsam.collect.door import _protocol
from sparsam.collect.door._collector import collector
from sparsam.collect.door._serve import listen

from .stand_in import MemoryStore

HEAD = b"POST /records HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
BODY = b'{"age": 3, "sex": 0, "post code": 2}'
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


async def said(port: int, *parts: bytes, pause: float = 0.05) -> tuple[bytes, float]:
    """What comes back, and after how long the other side hung up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    loop = asyncio.get_running_loop()
    start = loop.time()
    answer = b""
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        answer = await asyncio.wait_for(reader.read(), 5)
    except ConnectionError:
        answer = answer or b"cut"
    finally:
        writer.close()
    return answer, loop.time() - start


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_protocol, "LONGEST_REQUEST", 0.4)
    store = MemoryStore()

    async def run() -> None:
        listener = listen("127.0.0.1", 0)
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            collector(store),  # type: ignore[arg-type]
            http=_protocol.PatientProtocol,
            ws="none",
            log_config=None,
            access_log=False,
            timeout_keep_alive=1,
        )
        server: Any = uvicorn.Server(config)
        task = asyncio.create_task(server._serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        late = [
            said(port),
            said(port, b"POST /rec"),
            said(port, *[b"X"] * 12),  # a head letter by letter
            said(port, HEAD),
            said(port, HEAD + b"Content-Length: 40\r\n\r\n"),
            said(port, HEAD + b"Content-Length: 40\r\n\r\n", *[b" "] * 12),
        ]
        in_time = [said(port, WHOLE, WHOLE, WHOLE), said(port, HEAD, WHOLE[len(HEAD) :])]
        ends = await asyncio.gather(*late, *in_time)
        for answer, seconds in ends[: len(late)]:
            assert b"201" not in answer
            assert seconds < 2
        # several requests on one connection may take longer together
        assert ends[-2][0].count(b"201 Created") == 3
        assert ends[-1][0].count(b"201 Created") == 1
        server.should_exit = True
        await task

    asyncio.run(run())
    assert len(store.records) == 4

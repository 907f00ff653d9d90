"""Records go when their time is over: at the start, and whenever a day has begun."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from sparsam.collect.door import _retention
from sparsam.collect.door._retention import delete_daily
from sparsam.collect.door._writer import Writer

from .stand_in import MemoryStore


def run(store: MemoryStore, days: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_retention, "_LOOK", 0.001)
    clock = iter(days)
    last = days[-1]
    monkeypatch.setattr(_retention.time, "time", lambda: next(clock, last) * 86_400.0)

    async def some_time() -> None:
        task = asyncio.create_task(delete_daily(Writer(store), store.expire))  # type: ignore[arg-type]
        await asyncio.sleep(0.15)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(some_time())


def test_once_at_the_start_and_once_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    run(store, [20_000.2, 20_000.9, 20_001.0, 20_001.5, 20_004.0], monkeypatch)
    assert store.expired == 3


def test_what_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    tries = 0

    def fails_twice(today: int | None = None) -> int:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise OSError
        return 0

    store.expire = fails_twice  # type: ignore[method-assign]
    run(store, [20_000.0], monkeypatch)
    assert tries == 3

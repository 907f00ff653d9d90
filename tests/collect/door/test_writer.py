"""Records on their way to the store: together, in one thread, and acknowledged when kept."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from sparsam.collect.door import _writer
from sparsam.collect.door._record import Refused
from sparsam.collect.door._writer import Writer

from .stand_in import MemoryStore


def test_many_share_one_transaction() -> None:
    store = MemoryStore()

    async def run() -> list[str]:
        writer = Writer(store)  # type: ignore[arg-type]
        receipts = await asyncio.gather(*(writer.add((i % 4, 0, 0)) for i in range(2_500)))
        await writer.finish()
        return receipts

    receipts = asyncio.run(run())
    assert [store.records[receipt][0] for receipt in receipts] == [i % 4 for i in range(2_500)]
    assert store.batches == [1000, 1000, 500]
    assert len(store.threads) == 1
    assert threading.current_thread().name not in store.threads


def test_no_answer_before_it_is_kept() -> None:
    store, gate = MemoryStore(), threading.Event()
    store.before = gate.wait

    async def run() -> None:
        writer = Writer(store)  # type: ignore[arg-type]
        first = asyncio.create_task(writer.add((0, 0, 0)))
        await asyncio.sleep(0.05)
        later = [asyncio.create_task(writer.add((1, 0, 0))) for _ in range(5)]
        await asyncio.sleep(0.05)
        assert not first.done()
        assert not store.records
        gate.set()
        await asyncio.gather(first, *later)
        assert store.batches == [1, 5]  # what came meanwhile went together

    asyncio.run(run())


def test_all_hear_of_a_failure_and_none_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()

    def fail() -> None:
        raise RuntimeError("Failing row contains (47, secret)")

    store.before = fail

    async def run() -> None:
        writer = Writer(store)  # type: ignore[arg-type]
        ends = await asyncio.gather(
            *(writer.add((0, 0, 0)) for _ in range(3)), return_exceptions=True
        )
        assert [type(end) for end in ends] == [Refused] * 3
        assert {end.status for end in ends if isinstance(end, Refused)} == {503}
        assert not await writer.is_well()
        store.before = lambda: None
        assert await writer.add((0, 0, 0))  # and then it goes on
        await writer.finish()

    with caplog.at_level(logging.DEBUG):
        asyncio.run(run())
    assert "RuntimeError in" in caplog.text
    assert "47" not in caplog.text.replace(":47", "")
    assert "secret" not in caplog.text
    assert len(store.records) == 1


def test_no_more_wait_than_memory_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_writer, "_MOST_WAITING", 3)
    store, gate = MemoryStore(), threading.Event()
    store.before = gate.wait

    async def run() -> None:
        writer = Writer(store)  # type: ignore[arg-type]
        writing = asyncio.create_task(writer.add((0, 0, 0)))
        await asyncio.sleep(0.05)
        waiting = [asyncio.create_task(writer.add((0, 0, 0))) for _ in range(4)]
        await asyncio.sleep(0.01)
        gate.set()
        ends = await asyncio.gather(writing, *waiting, return_exceptions=True)
        assert sum(isinstance(end, Refused) for end in ends) == 1

    asyncio.run(run())
    assert len(store.records) == 4


def test_who_leaves_does_not_stop_the_others() -> None:
    store, gate = MemoryStore(), threading.Event()
    store.before = gate.wait

    async def run() -> None:
        writer = Writer(store)  # type: ignore[arg-type]
        leaves, stays = (asyncio.create_task(writer.add((0, 0, 0))) for _ in range(2))
        await asyncio.sleep(0.02)
        leaves.cancel()
        gate.set()
        assert await stays
        await writer.finish()

    asyncio.run(run())


def test_well_or_not() -> None:
    store = MemoryStore()

    async def run() -> None:
        writer = Writer(store)  # type: ignore[arg-type]
        assert await writer.is_well()

        def gone() -> int:
            raise OSError

        store.count = gone  # type: ignore[method-assign]
        assert await writer.is_well()  # as a moment ago
        writer._looked = -_writer._FRESH
        assert not await writer.is_well()
        await writer.finish()

    asyncio.run(run())

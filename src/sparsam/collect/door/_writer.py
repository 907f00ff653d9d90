"""Records on their way to the store: many at once, and no answer before they are on disk."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

from sparsam.collect.door._record import Refused

if TYPE_CHECKING:
    from sparsam.collect.store._store import Store

_MOST_AT_ONCE: Final = 1_000
_MOST_WAITING: Final = 20_000
_LONGEST_GATHERING: Final = 0.01  # seconds
_QUIET: Final = 4  # rounds of the event loop in which nobody came
_FRESH: Final = 5.0  # seconds for which the store is taken to be as it was found
NOT_KEPT = "The record could not be kept. Please try again later."
BUSY = "Too many records wait to be kept. Please try again later."

logger = logging.getLogger("sparsam.door")
Answer = TypeVar("Answer")


def note(error: BaseException) -> None:
    """Log what kind of error came from where; its message may quote a person."""
    place, line = "?", 0
    step = error.__traceback__
    while step is not None:
        place, line = step.tb_frame.f_globals.get("__name__", "?"), step.tb_lineno
        step = step.tb_next
    logger.error("%s in %s:%d", type(error).__qualname__, place, line)


def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="sparsam-store")


class Writer:
    """The one way to the store: a thread of its own, and one transaction for all that wait.

    While one transaction is written, further records gather for the next: the more come, the more
    share the price of a write to disk. Needs no start; it is idle where nothing waits.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = _thread()
        self._waiting: list[tuple[Sequence[int], asyncio.Future[str]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._looked = -_FRESH
        self._well = True

    async def add(self, codes: Sequence[int]) -> str:
        """Keep one record, and return its receipt once it is on disk.

        Parameters
        ----------
        codes : sequence of int
            Valid, in the order of the store's columns.
        """
        if len(self._waiting) >= _MOST_WAITING:
            raise Refused(503, BUSY)
        receipt: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((codes, receipt))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await receipt

    async def _write(self) -> None:
        try:
            while self._waiting:
                await self._gather()
                batch = self._waiting[:_MOST_AT_ONCE]
                del self._waiting[:_MOST_AT_ONCE]
                await self._write_batch(batch)
        finally:
            self._writing = None

    async def _gather(self) -> None:
        """Let all come that are just arriving, so that they share one transaction."""
        until, known = time.monotonic() + _LONGEST_GATHERING, 0
        while known < len(self._waiting) < _MOST_AT_ONCE and time.monotonic() < until:
            known = len(self._waiting)
            for _ in range(_QUIET):
                await asyncio.sleep(0)

    async def _write_batch(self, batch: list[tuple[Sequence[int], asyncio.Future[str]]]) -> None:
        records = [codes for codes, _ in batch]
        try:
            receipts = await self.run(lambda: self._store.add(records))
            for (_, waits), receipt in zip(batch, receipts, strict=True):
                if not waits.done():
                    waits.set_result(receipt)
        except Exception as error:  # noqa: BLE001 - whatever it is, all who wait must hear of it
            note(error)
            self._well, self._looked = False, time.monotonic()
            for _, waits in batch:
                if not waits.done():
                    waits.set_exception(Refused(503, NOT_KEPT))

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Do something else with the store, in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def is_well(self) -> bool:
        """Whether the store answers; asked at most every few seconds."""
        if time.monotonic() - self._looked >= _FRESH:
            self._looked = time.monotonic()
            try:
                async with asyncio.timeout(_FRESH):
                    await self.run(self._store.count)
                self._well = True
            except Exception as error:  # noqa: BLE001 - whatever it is, the store is not well
                note(error)
                self._well = False
        return self._well

    async def finish(self) -> None:
        """Wait until nothing waits any more."""
        while self._writing is not None:
            await asyncio.shield(self._writing)
        self._thread.shutdown()
        self._thread = _thread()  # a server may start the app again

"""Records that are deleted after their time: when the service starts, and then daily."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from sparsam.collect.door._writer import Writer, note

_DAY: Final = 86_400
_LOOK: Final = 600.0  # seconds between two looks at the calendar, as machines sleep at times


async def delete_daily(writer: Writer, expire: Callable[[], int]) -> None:
    """Delete what has been kept long enough, now and every day, until cancelled.

    Parameters
    ----------
    writer : Writer
        Whose thread does it.
    expire : callable
        Of the store.
    """
    done = -1
    while True:
        today = int(time.time() // _DAY)
        if today != done:
            try:
                await writer.run(expire)
                done = today
            except Exception as error:  # noqa: BLE001 - it is tried again, whatever it was
                note(error)
        await asyncio.sleep(_LOOK)

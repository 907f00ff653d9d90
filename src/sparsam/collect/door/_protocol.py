"""HTTP as uvicorn speaks it, with an end to its patience."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_REQUEST: Final = 20.0


class PatientProtocol(HttpToolsProtocol):
    """Hang up on a connection that sends nothing, or whose request does not come to its end.

    The service itself gives up on a body that is late. This is for all that comes before it: a
    head that never ends, and connections on which nothing is ever said.
    """

    _since: float | None = None
    _look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._look = self.loop.call_later(LONGEST_REQUEST, self._hang_up_if_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Begin to wait for the end of a request."""
        self._since = self.loop.time()
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """Stop waiting: the request is there."""
        self._since = None
        super().on_message_complete()

    def _hang_up_if_late(self) -> None:
        if self.transport.is_closing():
            return
        left = LONGEST_REQUEST
        if self._since is not None:
            left += self._since - self.loop.time()
        if left <= 0:
            self.transport.abort()
        else:  # one timer for each connection is cheaper than one for each request
            self._look = self.loop.call_later(left, self._hang_up_if_late)

"""One thread in the libraries that we call, so that sums are added in one order on any machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits


class _Users:
    """How many contexts are open, in all threads, and the limit that they share."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open = 0
        self._limit: threadpool_limits | None = None

    def enter(self) -> None:
        with self._lock:
            if self._open == 0:
                self._limit = threadpool_limits(limits=1)
            self._open += 1

    def leave(self) -> None:
        with self._lock:
            self._open -= 1
            if self._open == 0 and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None


_USERS = _Users()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let the libraries of linear algebra use one thread.

    Contexts may be open inside one another, and in several threads of ours at once: the limit,
    which is one for the whole process, is set by the first and lifted by the last of them.
    """
    _USERS.enter()
    try:
        yield
    finally:
        _USERS.leave()

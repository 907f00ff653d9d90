"""One thread in the libraries that we call, so that sums are added in one order on any machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock, local
from typing import Any

from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Those that are loaded; to look for them takes milliseconds, and only imports load more."""
    return ThreadpoolController()


class _Users:
    """The contexts that are open.

    Linear algebra has one limit for all threads: the first context sets it and the last one lifts
    it. OpenMP has one for each thread, set and lifted there.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._open = 0
        self._of_all: Any = None
        self._here = local()

    def enter(self) -> None:
        depth = getattr(self._here, "depth", 0)
        self._here.depth = depth + 1
        if depth:
            return
        libraries = _libraries(len(sys.modules))
        self._here.limit = libraries.select(user_api="openmp").limit(limits=1)
        with self._lock:
            if self._open == 0:
                self._of_all = libraries.select(user_api="blas").limit(limits=1)
            self._open += 1

    def leave(self) -> None:
        self._here.depth -= 1
        if self._here.depth:
            return
        with self._lock:
            self._open -= 1
            if self._open == 0:
                self._of_all.restore_original_limits()
        self._here.limit.restore_original_limits()


_USERS = _Users()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let the libraries of linear algebra and OpenMP use one thread.

    Contexts may be open inside one another, and in several threads of ours at once.
    """
    _USERS.enter()
    try:
        yield
    finally:
        _USERS.leave()

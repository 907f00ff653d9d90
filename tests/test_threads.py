"""One thread in libraries: set by the first context, lifted by the last."""

from __future__ import annotations

from threading import Thread

import numpy as np  # noqa: F401  (its library of linear algebra is the one that is limited)
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sparsam._threads import one_thread


def _threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info()}


def test_contexts_inside_one_another() -> None:
    with threadpool_limits(limits=2):
        before = _threads()
        with one_thread():
            with one_thread():
                assert _threads() == {1}
            assert _threads() == {1}
        assert _threads() == before


def test_another_thread_does_not_lift_it() -> None:
    seen = []

    def other() -> None:
        with one_thread():
            seen.append(_threads())

    with threadpool_limits(limits=2):
        before, thread = _threads(), Thread(target=other)
        with one_thread():
            thread.start()
            thread.join()
            assert seen == [{1}]
            assert _threads() == {1}
        assert _threads() == before


def test_an_error_lifts_it() -> None:
    with threadpool_limits(limits=2):
        before = _threads()
        with pytest.raises(ValueError, match="broken"), one_thread():
            raise ValueError("broken")
        assert _threads() == before

"""What an early folder calls is supplied by the top level."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import sparsam as sp
from sparsam import _joined


def test_nothing_is_loaded_before_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []

    def load() -> Callable[..., int]:
        loads.append("later")
        return len

    monkeypatch.setattr(_joined, "_sources", {})
    _joined.supply("later", load)
    assert not loads
    assert _joined.supplied("later")("abc") == 3
    assert loads == ["later"]


def test_the_top_level_says_who_writes_a_report() -> None:
    assert _joined.supplied("report_on") is sp.report_on

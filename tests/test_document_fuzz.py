"""Damaged documents of every kind are refused in words, or accepted and of use."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def document_fuzz(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark, of which this test is a part."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    path = BENCHMARKS / "document_fuzz.py"
    spec = importlib.util.spec_from_file_location("document_fuzz", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "document_fuzz", module)
    spec.loader.exec_module(module)
    return module


def test_thousands_of_damaged_documents(document_fuzz: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="artifacts are used on frames (extra 'frames')")
    outcome = document_fuzz.fuzz(4_000, 0, tmp_path)
    assert outcome.crashed == []
    assert max(outcome.slowest.values()) < document_fuzz.SLOWEST
    for kind in document_fuzz.artifacts(tmp_path):
        n_read = outcome.accepted[kind.name] + outcome.refused[kind.name]
        assert n_read >= 440
        assert outcome.accepted[kind.name] > 20, "too few are accepted to try their use"
        assert outcome.refused[kind.name] > 20


def test_the_examples_themselves_are_accepted(document_fuzz: ModuleType, tmp_path: Path) -> None:
    for kind in document_fuzz.artifacts(tmp_path):
        path = tmp_path / f"example{kind.ending}"
        path.write_bytes(kind.example)
        kind.use(kind.load(path), 0)

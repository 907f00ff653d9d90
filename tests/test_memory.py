"""How much memory a table may take."""

from __future__ import annotations

import pytest

from sparsam import _memory
from sparsam._errors import ParameterError
from sparsam._memory import free_memory, give_memory_back, memory_budget


@pytest.mark.parametrize(
    ("said", "size"),
    [("4GB", 4 * 10**9), ("2 GiB", 2 << 30), ("10kb", 10_000), ("7", 7), ("1.5m", 1_500_000)],
)
def test_sizes_are_read_as_people_write_them(said, size):
    assert memory_budget("read", said) == size


@pytest.mark.parametrize("said", ["", "many", "-1GB", "4XB", 0, -5, True, 1.5])
def test_what_is_no_size_is_refused(said):
    with pytest.raises(ParameterError, match="'max_memory' parameter of read must be a number"):
        memory_budget("read", said)


def test_half_of_what_is_free_is_taken_when_nothing_is_said(monkeypatch):
    assert free_memory() > 0
    monkeypatch.setattr(_memory, "_free_on_machine", lambda: 1000)
    assert memory_budget("read", None) == 500


def test_a_container_has_less_than_its_machine(monkeypatch, tmp_path):
    (tmp_path / "max").write_text("3000\n")
    (tmp_path / "now").write_text("1000\n")
    files = ((str(tmp_path / "max"), str(tmp_path / "now")),)
    monkeypatch.setattr(_memory, "_LIMITS", files)
    monkeypatch.setattr(_memory, "_free_on_machine", lambda: 10**9)
    assert free_memory() == 2000
    (tmp_path / "max").write_text("max\n")
    assert free_memory() == 10**9


def test_a_machine_that_does_not_tell_has_a_modest_amount(monkeypatch):
    monkeypatch.setattr(_memory.os, "sysconf_names", {}, raising=False)
    assert _memory._free_pages() == 4 << 30


def test_memory_is_given_back_where_the_system_can_take_it(monkeypatch):
    give_memory_back()

    def without_it(name):
        raise OSError

    monkeypatch.setattr(_memory.ctypes, "CDLL", without_it)
    give_memory_back()

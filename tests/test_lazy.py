"""Names of a package are loaded when they are first asked for."""

from __future__ import annotations

import sys

import pytest

from sparsam._lazy import load_lazily


def test_a_name_is_loaded_once_and_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys.modules["sparsam"], "Roles", raising=False)
    get, listed = load_lazily("sparsam", {"Roles": "data"})
    assert "Roles" in listed()
    assert get("Roles").__name__ == "Roles"
    assert vars(sys.modules["sparsam"])["Roles"] is get("Roles")


def test_a_name_that_nobody_has_is_an_attribute_error() -> None:
    get, _ = load_lazily("sparsam", {"Roles": "data"})
    with pytest.raises(AttributeError, match="module 'sparsam' has no attribute 'Rolls'"):
        get("Rolls")

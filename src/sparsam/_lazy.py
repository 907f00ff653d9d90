"""Load the names of a folder when they are first asked for, so that importing is quick."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any


def load_lazily(
    package: str, homes: Mapping[str, str], folders: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the `__getattr__` and the `__dir__` of a package.

    Parameters
    ----------
    package : str
        Its `__name__`.
    homes : mapping of str to str
        For every public name the module inside the package that holds it.
    folders : collection of str
        Folders inside the package that can be reached from it.

    Examples
    --------
    >>> get, listed = load_lazily("sparsam", {"Risk": "attack"}, folders=["attack"])
    >>> get("Risk") is get("attack").Risk, {"Risk", "attack"} <= set(listed())
    (True, True)
    """

    def get(name: str) -> Any:
        if name in folders:
            return importlib.import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *folders})

    return get, listed


class LazyModule:
    """A library that is loaded when something of it is first needed.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> LazyModule("json").dumps([1])
    '[1]'
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self._name), name)
        setattr(self, name, value)
        return value

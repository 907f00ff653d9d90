"""Let a folder that is named after what it does be called: `sparsam.attack(...)`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def make_callable(name: str, function: Callable[..., Any]) -> None:
    """Make the module of a folder a synonym of its one verb.

    Python puts a folder's module where the verb would stand (`sparsam.attack`), so the module
    itself answers the call.

    Parameters
    ----------
    name : str
        The module's own `__name__`.
    function : callable
    """

    class CallableModule(ModuleType):
        __call__ = staticmethod(function)

    sys.modules[name].__class__ = CallableModule

"""Join what comes early in the flow with what comes late: only the top level knows both.

A choice offers its report (`choice.report()`), but reports come after assessments, which may not
import them. An early folder says what it needs by name and relies on nothing but its shape; the
top level says, at import and without loading anything, where that comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_sources: dict[str, Callable[[], Callable[..., Any]]] = {}


def supply(name: str, source: Callable[[], Callable[..., Any]]) -> None:
    """Note where a function comes from that an earlier folder calls.

    Parameters
    ----------
    name : str
    source : callable
        Returns the function; called when the function is first needed, so that it may import.
    """
    _sources[name] = source


def supplied(name: str) -> Callable[..., Any]:
    """Return a function that a later folder has.

    Examples
    --------
    >>> import sparsam
    >>> supplied("report_on") is sparsam.report_on
    True
    """
    return _sources[name]()

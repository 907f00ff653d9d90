"""What Python says: objects as texts, errors as tracebacks."""

from __future__ import annotations

import contextlib
import io
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from sparsam import SparsamError

from .stage import logged

# Objects that hold the user's own cells by their purpose, and are never asked to render them.
_CELLS = {"Table", "PeopleTable", "Task", "Split", "OwnRecords", "Encoded", "Source"}
_RENDERINGS = ("_repr_html_", "_repr_markdown_", "to_html", "to_markdown", "to_json", "header")
_PLAIN = ("to_dict",)


@contextlib.contextmanager
def overheard() -> Iterator[dict[str, str]]:
    """Return what is printed, warned and logged, once it has been."""
    out, err, log = io.StringIO(), io.StringIO(), io.StringIO()
    said: dict[str, str] = {}
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        logged(log),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        yield said
    said["stdout"], said["stderr"], said["log"] = out.getvalue(), err.getvalue(), log.getvalue()
    said["warnings"] = "\n".join(str(one.message) for one in caught)


def error_of(call: Callable[[], Any]) -> str:
    """Everything that a traceback would print of the error of a call; the call must fail."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - whatever comes is what we look at
        return "".join(traceback.format_exception(error))
    raise AssertionError("The call was to fail. It did not.")


def renderings(names: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the texts of all objects of sparsam among some names, and of those they hold."""
    for name, thing in names.items():
        if name.startswith("_") or not _ours(thing):
            continue
        yield from _texts(name, thing)
        for inner in dir(thing):
            if inner.startswith("_"):
                continue
            with warnings.catch_warnings(), contextlib.suppress(AttributeError, SparsamError):
                warnings.simplefilter("ignore")
                held = getattr(thing, inner)
                for place, one in enumerate(held if isinstance(held, list | tuple) else [held]):
                    if _ours(one) and type(one).__name__ not in _CELLS:
                        yield from _texts(f"{name}.{inner}[{place}]", one)


def _ours(thing: Any) -> bool:
    return (
        type(thing).__module__.partition(".")[0] in ("sparsam", "sklearn")
        and not isinstance(thing, type | np.ndarray)
        and not callable(getattr(thing, "__get__", None))
    )


def _texts(name: str, thing: Any) -> Iterator[tuple[str, str]]:
    yield f"repr({name})", repr(thing)
    yield f"str({name})", str(thing)
    if type(thing).__name__ in _CELLS:
        return
    for how in _RENDERINGS + _PLAIN:
        render = getattr(thing, how, None)
        if callable(render):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield f"{name}.{how}()", str(render())

"""Every public name has an example, which a reader can paste after importing that name alone.

`pytest` runs all examples of docstrings; here is looked at what is in those of public names.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import inspect
import re
from typing import Any

import pytest

from sparsam import _version

from .test_api import offered


def _public() -> dict[str, Any]:
    """Every public thing once, by the last name that it is offered under."""
    things = {}
    for folder, names in offered().items():
        for name in names:
            value = getattr(importlib.import_module(folder), name)
            things[id(value)] = (f"{folder}.{name}", value)
    return dict(things.values())


PUBLIC = _public()


def _example(value: Any) -> str:
    """The code of the examples in a docstring."""
    described = value if inspect.isclass(value) or callable(value) else _version
    examples = doctest.DocTestParser().get_examples(described.__doc__ or "")
    assert not any(example.options.get(doctest.SKIP) for example in examples), "it is not run"
    return "".join(example.source for example in examples)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name: str) -> None:
    assert _example(PUBLIC[name])


@pytest.mark.parametrize("name", PUBLIC)
def test_an_example_uses_what_it_imports(name: str) -> None:
    code = ast.parse(_example(PUBLIC[name]))
    known = {name.rpartition(".")[2], *dir(builtins)}
    used = set()
    for node in ast.walk(code):
        match node:
            case ast.Name(id=word, ctx=ast.Load()):
                used.add(word)
            case ast.Name(id=word) | ast.arg(arg=word):
                known.add(word)
            case ast.FunctionDef(name=word) | ast.ClassDef(name=word):
                known.add(word)
            case ast.alias(name=word, asname=other):
                known.add(other or word.partition(".")[0])
            case ast.ExceptHandler(name=str(word)):
                known.add(word)
    assert used <= known


@pytest.mark.parametrize("name", PUBLIC)
def test_an_example_is_for_users(name: str) -> None:
    """It reaches into nothing that may change without notice."""
    assert not re.search(r"\bsparsam[\w.]*\._[a-z]", _example(PUBLIC[name]))

"""Print the page of all public names, from the docstrings: `make api` writes docs/api.md.

The first line of a docstring is what the page says of a class, a function or a constant (for a
constant: the string below its assignment).
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import pkgutil
import sys
from types import ModuleType
from typing import Any

INTRODUCTION = """\
# Public names

Everything that a user may import, folder by folder; what is not listed here may change without
notice. Each name has its parameters and an example in its docstring: `help(sparsam.sweep)`. The
names of the first list are offered by `import sparsam as sp`, and most of them again by the folder
that they come from. `make api` writes this page.
"""


def main() -> None:
    """Write the page to standard output."""
    package = importlib.import_module("sparsam")
    sections = [_section(package, package.__all__)]
    for module in pkgutil.iter_modules(package.__path__, "sparsam."):
        if module.ispkg and module.name != "sparsam.cli":
            folder = importlib.import_module(module.name)
            if names := getattr(folder, "__all__", []):
                sections.append(_section(folder, names))
    sys.stdout.write("\n".join([INTRODUCTION, *sections]))


def _section(module: ModuleType, names: list[str]) -> str:
    heading = f"## `{module.__name__}`\n\n{_first_line(module)}\n"
    rows = [f"| `{name}` | {_cell(module, name)} |" for name in sorted(names, key=str.lower)]
    return "\n".join([heading, "| name | what it is |", "|---|---|", *rows, ""])


def _cell(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if name == "__version__":
        return "The version of sparsam."
    words = _first_line(value) if _documents_itself(value) else _constant(value, name, module)
    return words.replace("|", "\\|")


def _documents_itself(value: Any) -> bool:
    return inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)


def _first_line(value: Any) -> str:
    paragraph = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return " ".join(paragraph.split())


def _constant(value: Any, name: str, module: ModuleType) -> str:
    """Return the string below the assignment of a constant, in whichever module it stands."""
    prefix = f"{module.__name__}."
    homes = [other for key, other in sorted(sys.modules.items()) if key.startswith(prefix)]
    for home in homes:
        if getattr(home, name, None) is value and getattr(home, "__file__", None):
            body = ast.parse(inspect.getsource(home)).body
            for statement, below in itertools.pairwise(body):
                if _assigns(statement, name) and _is_text(below):
                    return " ".join(ast.literal_eval(below.value).partition("\n\n")[0].split())
    return ""


def _assigns(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.Assign):
        return any(isinstance(t, ast.Name) and t.id == name for t in statement.targets)
    return (
        isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.target.id == name
    )


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


if __name__ == "__main__":
    main()

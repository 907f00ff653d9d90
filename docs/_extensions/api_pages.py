"""Write a page for each public name, and one for each folder of them, before Sphinx reads any.

The pages lie in `docs/api/`, which git ignores; what they say comes from the docstrings. A name
that `import sparsam` offers as well as a folder has its page under the folder.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from written import write_folder

PACKAGE = "sparsam"


class Name(NamedTuple):
    """A public name: where it is offered, and the page that describes it."""

    folder: str
    name: str
    page: str

    @property
    def value(self) -> Any:
        """What the name stands for."""
        return getattr(importlib.import_module(self.folder), self.name)


def folders() -> list[str]:
    """The package, and its folders that users import from, in the order of their names."""
    package = importlib.import_module(PACKAGE)
    inside = pkgutil.iter_modules(package.__path__, f"{PACKAGE}.")
    names = [found.name for found in inside if found.ispkg and found.name != f"{PACKAGE}.cli"]
    return [n for n in (PACKAGE, *names) if getattr(importlib.import_module(n), "__all__", [])]


def public_names() -> list[Name]:
    """Every public name of every folder; names for one thing share a page."""
    pages: dict[int, str] = {}
    taken: set[str] = set()
    names = []
    # folders first, so that the top level refers to them
    for folder in sorted(folders(), key=lambda folder: folder == PACKAGE):
        module = importlib.import_module(folder)
        for name in sorted(module.__all__):
            value = getattr(module, name)
            page = pages.get(id(value)) or _page(f"{folder}.{name}", value, taken)
            pages[id(value)] = page
            names.append(Name(folder, name, page))
    return names


def _page(name: str, value: Any, taken: set[str]) -> str:
    """A name of a file, also where disks know no case: `Bound` and `bound` are two names."""
    page = f"{name}-function" if name.lower() in taken else name
    if inspect.isclass(value) and page != name:
        raise ValueError(f"The page of {name} would be written over by another one.")
    taken.add(name.lower())
    return page


def pages() -> dict[str, str]:
    """The text of every page, by the name of its file."""
    names = public_names()
    texts = {f"{folder}.rst": _folder_page(folder, names) for folder in folders()}
    for name in names:
        if name.page.startswith(f"{name.folder}.{name.name}"):
            texts[f"{name.page}.rst"] = _name_page(name)
    return texts


def _folder_page(folder: str, names: list[Name]) -> str:
    own = [name for name in names if name.folder == folder]
    rows = [f"   * - :doc:`{name.name} <{name.page}>`\n     - {_first_line(name)}" for name in own]
    below = [f"   {name.page}" for name in own if name.page.startswith(f"{folder}.{name.name}")]
    return "\n".join(
        [
            _title(f"``{folder}``"),
            _docstring(importlib.import_module(folder)),
            "",
            ".. list-table::",
            "   :widths: 30 70",
            "   :header-rows: 1",
            "",
            "   * - name",
            "     - what it is",
            *rows,
            "",
            ".. toctree::",
            "   :hidden:",
            "",
            *below,
            "",
        ]
    )


def _name_page(name: Name) -> str:
    value = name.value
    shown = f"from {name.folder} import {name.name}"
    head = [_title(name.name), ".. code-block:: python", "", f"   {shown}", ""]
    head += [f".. currentmodule:: {name.folder}", ""]
    if inspect.isclass(value):
        head += [f".. autoclass:: {name.name}", *_members(value)]
    elif callable(value):
        head += [f".. autofunction:: {name.name}"]
    else:
        home = importlib.import_module(f"{PACKAGE}._version")
        head += [f".. data:: {name.name}", "", *_indented(_docstring(home))]
    return "\n".join([*head, ""])


def _members(value: type) -> Iterator[str]:
    """Options that let autodoc describe the methods that we wrote, inherited ones too."""
    names = [
        name
        for name, member in inspect.getmembers(value)
        if not name.startswith("_") and _is_ours(value, name, member) and _is_described(member)
    ]
    if names:
        yield f"   :members: {', '.join(names)}"


def _is_ours(value: type, name: str, member: Any) -> bool:
    """Whether we wrote a member: neither inherited from a library, nor added by one."""
    owners = (kind for kind in value.__mro__ if name in vars(kind))
    homes = next(owners, object).__module__, getattr(member, "__module__", PACKAGE) or PACKAGE
    return all(home.startswith(PACKAGE) for home in homes)


def _is_described(member: Any) -> bool:
    kinds = (property, classmethod, staticmethod)
    return (callable(member) or isinstance(member, kinds)) and bool(inspect.getdoc(member))


def _title(words: str) -> str:
    return f"{words}\n{'=' * len(words)}\n"


def _docstring(value: Any) -> str:
    return inspect.getdoc(value) or ""


def _first_line(name: Name) -> str:
    paragraph = _docstring(name.value).partition("\n\n")[0]
    if not (inspect.isclass(name.value) or callable(name.value)):
        return "The version of sparsam."
    return " ".join(paragraph.split())


def _indented(text: str) -> list[str]:
    return [f"   {line}" if line else "" for line in text.splitlines()]


def _write(app: Any) -> None:
    write_folder(Path(app.srcdir) / "api", pages())


def _list_below(app: Any, docname: str, source: list[str]) -> None:
    """Put the folders below the page that lists all names, which is read without Sphinx too."""
    if docname == "api":
        below = "\n".join(f"api/{folder}" for folder in folders())
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{below}\n```\n"


def setup(app: Any) -> dict[str, Any]:
    """Let Sphinx write the pages before it looks for them."""
    app.connect("builder-inited", _write)
    app.connect("source-read", _list_below)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

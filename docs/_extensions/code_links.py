"""Let code in a sentence lead to what it names: `sp.sweep` and `sparsam attack` to their pages.

Chapters are plain Markdown that also reads well without Sphinx. A piece of code that is a public
name, or a command, gets a link when a page is made; nothing has to be kept in step by hand.
"""

from __future__ import annotations

import re
from typing import Any

from api_pages import PACKAGE, Name, public_names
from docutils import nodes

_WITHIN = (nodes.reference, nodes.title, nodes.term, nodes.literal_block)


def targets() -> dict[str, str]:
    """For each way to write a public name, its page."""
    pages: dict[str, str] = {}
    for name in public_names():
        for written in _spellings(name):
            pages[written] = f"api/{name.page}"
    return pages


def _spellings(name: Name) -> list[str]:
    """A name in full, as `sp.…` and, where it is capitalised, alone."""
    full = f"{name.folder}.{name.name}"
    short = [name.name] if name.name[0].isupper() else []
    top = [f"sp.{name.name}"] if name.folder == PACKAGE else []
    return [full, *top, *short]


def commands() -> set[str]:
    """The names of all commands."""
    from sparsam.cli._main import cli

    return set(cli.commands)


def page_of(code: str, pages: dict[str, str], names: set[str]) -> str | None:
    """The page that a piece of code leads to, if it names one thing.

    Examples
    --------
    >>> page_of("sp.sweep(people)", {"sp.sweep": "api/sparsam.assess.sweep"}, set())
    'api/sparsam.assess.sweep'
    >>> page_of("sparsam attack --report", {}, {"attack"})
    'commands/attack'
    >>> page_of("people.csv", {}, set()) is None
    True
    """
    command = re.match(rf"{PACKAGE} ([a-z]+)\b", code)
    if command and command[1] in names:
        return f"commands/{command[1]}"
    return pages.get(re.sub(r"\(.*\)$", "", code, flags=re.DOTALL))


def _link(app: Any, doctree: nodes.document, docname: str) -> None:
    pages, names = app.code_targets
    for literal in list(doctree.findall(nodes.literal)):
        if _is_within(literal):
            continue
        text = literal.astext()
        page = page_of(text, pages, names) or _listed(literal, text, docname, pages)
        if page is not None and page != docname:
            where = app.builder.get_relative_uri(docname, page)
            reference = nodes.reference("", "", internal=True, refuri=where)
            literal.replace_self(reference)
            reference += literal


def _is_within(node: nodes.Node) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, _WITHIN) or node.tagname.startswith("desc_signature"):
            return True
    return False


def _listed(literal: nodes.literal, text: str, docname: str, pages: dict[str, str]) -> str | None:
    """In the list of all names each name stands below the heading of its folder."""
    if docname != "api" or not isinstance(literal.parent.parent, nodes.entry):
        return None
    section: nodes.Node = literal
    while not isinstance(section, nodes.section):
        section = section.parent
    return pages.get(f"{section[0].astext()}.{text}")


def _prepare(app: Any) -> None:
    app.code_targets = targets(), commands()


def setup(app: Any) -> dict[str, Any]:
    """Let Sphinx put the links in when references are resolved."""
    app.connect("builder-inited", _prepare)
    app.connect("doctree-resolved", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

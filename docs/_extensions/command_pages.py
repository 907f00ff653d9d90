"""Write a page for each command, from the command itself, before Sphinx reads any.

The pages lie in `docs/commands/`, which git ignores. Click is asked what it would take, so that the
pages cannot say anything else.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from written import write_folder

PROGRAM = "sparsam"
SAID_OF_ALL = """\
What a shell takes, command by command. Each page is written from the command itself, as ``--help``
is. Progress and remarks go to standard error, results to standard output; what the exit codes mean,
and how a shell completes commands and options, is told in :doc:`the guide </guide/command-line>`.
"""


def pages() -> dict[str, str]:
    """The text of every page, by the name of its file."""
    from sparsam.cli._main import cli

    texts = {"index.rst": _index(cli)}
    above = click.Context(cli, info_name=PROGRAM, **cli.context_settings)
    for name, command in sorted(cli.commands.items()):
        context = click.Context(command, info_name=name, parent=above)
        texts[f"{name}.rst"] = "\n".join(_command(command, context, "="))
    return texts


def _index(cli: click.Group) -> str:
    rows = (
        f"   * - :doc:`{PROGRAM} {name} <{name}>`\n     - {_marked(_first(command))}"
        for name, command in sorted(cli.commands.items())
    )
    below = (f"   {PROGRAM} {name} <{name}>" for name in sorted(cli.commands))
    table = [".. list-table::", "   :widths: 30 70", "   :header-rows: 1", ""]
    heads = ["   * - command", "     - what it does"]
    toctree = ["", ".. toctree::", "   :hidden:", ""]
    return "\n".join(
        [*_title("The command line", "="), SAID_OF_ALL, *table, *heads, *rows, *toctree, *below, ""]
    )


def _command(command: click.Command, context: click.Context, line: str) -> Iterator[str]:
    """Yield the lines about a command, and about those that belong to it."""
    yield from _title(context.command_path, line)
    usage = " ".join(command.collect_usage_pieces(context))
    yield from [".. code-block:: none", "", f"   {context.command_path} {usage}", ""]
    yield _marked(inspect.cleandoc(command.help or ""))
    yield from ["", f".. program:: {context.command_path}", ""]
    for parameter in command.get_params(context):
        yield from _parameter(parameter, context)
    if isinstance(command, click.Group):
        for name, inner in sorted(command.commands.items()):
            below = click.Context(inner, info_name=name, parent=context)
            yield from _command(inner, below, "-")


def _parameter(parameter: click.Parameter, context: click.Context) -> Iterator[str]:
    if not isinstance(parameter, click.Option):
        return  # arguments are told of in the words of the command
    words = " ".join((parameter.help or "").split())
    facts = parameter.get_help_extra(context)
    notes = [
        "required" if "required" in facts else "",
        f"default: {facts['default']}" if "default" in facts else "",
        facts.get("range", ""),
        "may be given several times" if parameter.multiple and "several" not in words else "",
    ]
    noted = "; ".join(filter(None, notes))
    said = f"{words}  [{noted}]" if noted else words
    yield f".. option:: {_spelled(parameter, context)}"
    yield from ["", f"   {_marked(_joined(said))}", ""]


def _joined(text: str) -> str:
    """Two notes in brackets, one after the other, become one."""
    return re.sub(r"\]\s+\[", "; ", text)


def _spelled(option: click.Option, context: click.Context) -> str:
    metavar = option.make_metavar(context).removesuffix(" RANGE")
    shown = metavar if metavar.startswith("[") else f"<{metavar}>"
    value = "" if option.is_flag or option.count else f" {shown}"
    spellings = [*option.opts, *option.secondary_opts]
    return ", ".join(f"{one}{value}" for one in sorted(spellings, key=len, reverse=True))


def _first(command: click.Command) -> str:
    return " ".join(inspect.cleandoc(command.help or "").partition("\n\n")[0].split())


def _title(words: str, line: str) -> list[str]:
    return [words, line * len(words), ""]


def _marked(text: str) -> str:
    """Write options as code, and escape what reStructuredText would take for marks elsewhere."""
    parts = re.split(r"(`[^`\n]+`|(?<![\w-])--?[a-z][a-z-]*)", text.replace("\b", ""))
    return "".join(
        f"``{part.strip('`')}``" if index % 2 else re.sub(r"([\\*|_])", r"\\\1", part)
        for index, part in enumerate(parts)
    )


def _write(app: Any) -> None:
    write_folder(Path(app.srcdir) / "commands", pages())


def setup(app: Any) -> dict[str, Any]:
    """Let Sphinx write the pages before it looks for them."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""How to get the same result again: the command, and the hash of a model."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path
from typing import Any

import rich_click as click
from click import get_current_context
from click.core import ParameterSource


def command_line() -> str:
    """The command that is running, quoted for a shell, without the folders of this machine."""
    context = get_current_context()
    words = ["sparsam", *_names(context)]
    for parameter in context.command.params:
        name = str(parameter.name)
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += _words(parameter, context.params[name])
    return shlex.join(words)


def _names(context: click.Context) -> list[str]:
    """The command, after the groups that it belongs to; the outermost is the program itself."""
    if context.parent is None:
        return [str(context.info_name)]
    above = _names(context.parent) if context.parent.parent is not None else []
    return [*above, str(context.info_name)]


def _words(parameter: click.Parameter, value: Any) -> list[str]:
    if not isinstance(parameter, click.Option):
        return [_word(one) for one in (value if parameter.nargs == -1 else [value])]
    if parameter.is_flag:
        return [parameter.opts[-1] if value else parameter.secondary_opts[-1]]
    values = value if parameter.multiple else [value]
    return [word for one in values for word in (parameter.opts[-1], _word(one))]


def _word(value: Any) -> str:
    return value.name if isinstance(value, Path) else str(value)


def file_hash(file: Path) -> str:
    """The SHA-256 of a file: of a model, never of personal data."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()

"""`sparsam export`: a generalization in the language of another tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sparsam._writing import write_bytes
from sparsam.cli._options import InputFile, OutputFile, quiet_option
from sparsam.cli._tables import STANDARD_OUTPUT, output_name
from sparsam.cli._terminal import messages, write_out

if TYPE_CHECKING:
    from sparsam.generalization import Generalization


class ExportFormat(NamedTuple):
    """One thing that a generalization can be exported to.

    Parameters
    ----------
    words : str
        What it is, for the help.
    endings : tuple of str
        Those that its file may have.
    write : callable
        Takes the generalization and the options of the command; text goes to standard output too.
    options : tuple of str
        The options that it takes besides, by the names of their parameters.
    """

    words: str
    endings: tuple[str, ...]
    write: Callable[[Generalization, Mapping[str, Any]], str | bytes]
    options: tuple[str, ...] = ()


def _json_schema(generalization: Generalization, options: Mapping[str, Any]) -> str:
    from sparsam.collect import Target

    target = Target.of(generalization) if options["with_target"] else None
    schema = generalization.to_json_schema(target)
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


FORMATS: Final[dict[str, ExportFormat]] = {
    "javascript": ExportFormat(
        "an ES module that generalises records",
        (".js", ".mjs"),
        lambda generalization, _: generalization.to_javascript(),
    ),
    "json-schema": ExportFormat(
        "a collected record as JSON Schema 2020-12, for form builders and services",
        (".json",),
        _json_schema,
        ("with_target",),
    ),
}
"""What `--to` takes."""

_COMMON: Final = {"artifact", "to", "output", "quiet"}


@click.command()
@click.argument("artifact", type=InputFile)
@click.option(
    "--to",
    type=click.Choice(list(FORMATS)),
    required=True,
    help="; ".join(f"{name}: {form.words}" for name, form in FORMATS.items()) + ".",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(pipe=True),
    required=True,
    help="Where to write it, or - for standard output.",
)
@click.option("--with-target", is_flag=True, help="json-schema: the target is asked for too.")
@quiet_option
def export(artifact: Path, to: str, output: Path, quiet: bool, **options: Any) -> None:
    """Write a generalization (ARTIFACT, .json) in the language of another tool.

    Whatever is written holds the buckets of the collected attributes, and nothing of what the
    generalization says about the people it was learned from.
    """
    form = FORMATS[to]
    _check_options(to, form)
    if output != STANDARD_OUTPUT and not output.name.lower().endswith(form.endings):
        endings = " or ".join(form.endings)
        raise click.UsageError(f"With --to {to} the name of --output must end in {endings}.")
    from sparsam.generalization import Generalization

    content = form.write(Generalization.load(artifact), options)
    if output != STANDARD_OUTPUT:
        write_bytes(output, content.encode() if isinstance(content, str) else content)
    elif isinstance(content, str):
        write_out(content)
    else:
        raise click.UsageError(f"--to {to} cannot go to standard output: give a file.")
    messages(quiet).print(f"Wrote {output_name(output)}.")


def _check_options(to: str, form: ExportFormat) -> None:
    """Raise for an option that says nothing about this format."""
    context = get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in _COMMON and name not in form.options:
            fits = [other for other, each in FORMATS.items() if name in each.options]
            option = max(parameter.opts, key=len)
            raise click.UsageError(f"{option} goes with --to {' or '.join(fits)}, not {to}.")

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
from sparsam.cli._options import (
    InputFile,
    OutputFile,
    head_options,
    names_option,
    quiet_option,
)
from sparsam.cli._tables import STANDARD_OUTPUT, output_name
from sparsam.cli._terminal import messages, write_out

if TYPE_CHECKING:
    from sparsam.collect import Target
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
    return _json(generalization.to_json_schema(_target(generalization, options)))


def _xlsform(generalization: Generalization, options: Mapping[str, Any]) -> bytes:
    from sparsam.collect.exports import spreadsheet

    target = _target(generalization, options)
    words = _given(options, "title", "language", "labels")
    return spreadsheet(generalization.to_xlsform(target=target, **words))


def _fhir(generalization: Generalization, options: Mapping[str, Any]) -> str:
    target, version = _target(generalization, options), options["fhir_version"]
    facts = _given(options, "title", "language", "labels", "url")
    return _json(generalization.to_fhir(target=target, version=version, **facts))


def _pydantic(generalization: Generalization, options: Mapping[str, Any]) -> str:
    return generalization.to_pydantic(target=_target(generalization, options))


def _pia(generalization: Generalization, options: Mapping[str, Any]) -> str:
    return _json(generalization.to_pia(**_processing(options)))


def _article30(generalization: Generalization, options: Mapping[str, Any]) -> str:
    return generalization.to_article30(**_processing(options))


def _target(generalization: Generalization, options: Mapping[str, Any]) -> Target | None:
    from sparsam.collect import Target

    return Target.of(generalization) if options["with_target"] else None


def _processing(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said of the processing, for the documents of a regulator."""
    from sparsam.data import Roles

    facts = _given(options, "title", "purpose", "author", "date", "keep_days", "mode")
    roles = options["roles"]
    return {
        **facts,
        "roles": None if roles is None else Roles.from_toml(roles),
        "reports": options["evidence"],
    }


def _given(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: options[name] for name in names if options[name] is not None}


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


_FORM: Final = ("with_target", "title", "language", "labels")
_PROCESSING: Final = (
    *("title", "purpose", "author", "date", "roles", "evidence", "keep_days", "mode"),
)


def _sql(generalization: Generalization, options: Mapping[str, Any]) -> str:
    table, dialect = options["table"], options["dialect"]
    if options["check"]:
        if options["codes"] or options["keep"]:
            raise click.UsageError("--check counts what is refused: no --codes and no --keep.")
        return generalization.to_sql_check(table, dialect)
    output: Any = "codes" if options["codes"] else "labels"
    return generalization.to_sql(table, dialect, output, options["keep"])


FORMATS: Final[dict[str, ExportFormat]] = {
    "article30": ExportFormat(
        "a record of the processing (GDPR Art. 30), to be completed by a person",
        (".md",),
        _article30,
        _PROCESSING,
    ),
    "dbt": ExportFormat(
        "macros for dbt, and a test that nothing is refused",
        (".sql",),
        lambda generalization, options: generalization.to_dbt(options["name"], options["adapter"]),
        ("name", "adapter"),
    ),
    "fhir": ExportFormat(
        "a FHIR Questionnaire, for hospitals",
        (".json",),
        _fhir,
        (*_FORM, "url", "fhir_version"),
    ),
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
    "pia": ExportFormat(
        "what is known of the processing, to import into the CNIL's tool PIA",
        (".json",),
        _pia,
        _PROCESSING,
    ),
    "pydantic": ExportFormat(
        "a Python module with a pydantic model of a record", (".py",), _pydantic, ("with_target",)
    ),
    "sql": ExportFormat(
        "a statement that selects a table in buckets, in one of many dialects",
        (".sql",),
        _sql,
        ("table", "dialect", "codes", "keep", "check"),
    ),
    "xlsform": ExportFormat("a form for ODK or KoboToolbox", (".xlsx",), _xlsform, _FORM),
}
"""What `--to` takes."""

# Named here too, so that the command line starts without loading what writes them.
DIALECTS: Final = (
    *("athena", "bigquery", "clickhouse", "databricks", "duckdb", "materialize", "mysql", "oracle"),
    *("postgres", "presto", "redshift", "risingwave", "snowflake", "spark", "sqlite", "trino"),
    "tsql",
)
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
@click.option(
    "--table",
    metavar="NAME",
    default="people",
    show_default=True,
    help="sql: the table, as the dialect writes it, such as 'my_schema.people'.",
)
@click.option(
    "--dialect",
    type=click.Choice(DIALECTS),
    default="duckdb",
    show_default=True,
    help="sql: of which database. mysql is MariaDB's too, tsql is SQL Server's.",
)
@click.option("--codes", is_flag=True, help="sql: numbers of buckets instead of labels.")
@names_option("--keep", help="sql: other columns to pass through.")
@click.option(
    "--check", is_flag=True, help="sql: the statement that counts the values that are refused."
)
@click.option(
    "--name",
    default="people",
    show_default=True,
    help="dbt: how the names of the macros begin.",
)
@names_option(
    "--adapter",
    help="dbt: adapters to write for.  [default: bigquery, databricks, duckdb, postgres, "
    "redshift, snowflake]",
)
@click.option(
    "--with-target",
    is_flag=True,
    help="fhir, json-schema, pydantic, xlsform: the target is asked for too.",
)
@click.option("--title", metavar="TEXT", help="article30, fhir, pia, xlsform: what it is called.")
@click.option("--language", metavar="CODE|FILE", help="fhir, xlsform: as for `sparsam form`.")
@click.option("--labels", type=InputFile, help="fhir, xlsform: as for `sparsam form`.")
@click.option("--url", metavar="ADDRESS", help="fhir: where the questionnaire will be found.")
@click.option(
    "--fhir-version",
    type=click.Choice(["R5", "R4"]),
    default="R5",
    show_default=True,
    help="fhir: of the standard.",
)
@click.option(
    "--keep-days",
    type=click.IntRange(1),
    help="article30, pia: how long `sparsam collect` keeps a record. Without it nothing is said of "
    "how records are stored.",
)
@click.option(
    "--mode",
    type=click.Choice(["counts", "rows"]),
    help="article30, pia: how it keeps them.  [default: counts]",
)
@click.option(
    "--evidence",
    type=InputFile,
    multiple=True,
    help="article30, pia: a report on ARTIFACT that was saved as JSON, whose attacks and groups "
    "are told too. May be given several times.",
)
@click.option(
    "--roles",
    type=InputFile,
    help="article30, pia: a roles file with what ARTIFACT does not carry: special categories.",
)
@head_options
@quiet_option
def export(artifact: Path, to: str, output: Path, quiet: bool, **options: Any) -> None:
    """Write a generalization (ARTIFACT, .json) in the language of another tool.

    Forms, schemas and code hold the buckets of the collected attributes, and nothing of what the
    generalization says about the people it was learned from. Documents for a regulator (article30,
    pia) tell its evidence: figures that may be published.
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

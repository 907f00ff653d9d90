"""`sparsam diff`: what a new version of a generalization collects otherwise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from sparsam._documents import parse_json, read_bytes
from sparsam._errors import DocumentError
from sparsam.cli._options import (
    InputFile,
    InputTable,
    command_line,
    head_options,
    json_option,
    made_by,
    quiet_option,
    report_option,
    role_options,
    roles_from,
    seed_option,
)
from sparsam.cli._tables import is_table, show_notes
from sparsam.cli._terminal import NOT_MET, echo_json, messages, tables

if TYPE_CHECKING:
    from sparsam.attack import VersionRisks
    from sparsam.data import Split
    from sparsam.generalization import Changes, Generalization
    from sparsam.report import DiffReport

# What needs no table, among the options.
_WITHOUT_DATA = ("report", "author", "purpose", "date", "as_json", "quiet", "exit_code")


@click.command()
@click.argument("old", type=InputFile)
@click.argument("new", type=InputFile)
@click.argument("data", type=InputTable, required=False)
@click.option(
    "--exit-code",
    is_flag=True,
    help="End with 1 when anything is collected more finely than before, or perhaps so; else 0.",
)
@role_options
@report_option
@head_options
@seed_option
@json_option
@quiet_option
def diff(old: Path, new: Path, data: Path | None, **options: Any) -> None:
    """Compare the generalization OLD with the version NEW that replaces it.

    Which attributes were gained and lost, which buckets were split and joined, what else changed,
    and what records of both versions reveal together. With DATA, a table of people at full
    resolution, that risk is measured (A6), beside the risk of each version alone.

    Recodings and questionnaires are compared by the ranges that they ask for.
    """
    from sparsam.generalization import changes
    from sparsam.report import diff_report

    _check_table(data)
    console = messages(options["quiet"])
    remarks: list[str] = []
    compared = changes(_generalization(old, remarks), _generalization(new, remarks))
    risks, parts = None, None
    if data is not None:
        risks, parts = _measured(compared, data, options)
        show_notes(parts.train.table, console, said=False)
    report = diff_report(
        compared.old,
        compared.new,
        risks,
        parts,
        names=(old.name, new.name),
        source="" if data is None else data.name,
        command=command_line(),
        remarks=remarks,
        **made_by(options),
    )
    if options["report"] is not None:
        report.save(options["report"])
        console.print(f"Wrote the report to {options['report']}.")
    _show(report, as_json=options["as_json"])
    sys.exit(NOT_MET if options["exit_code"] and report.finer else 0)


def _show(report: DiffReport, *, as_json: bool) -> None:
    from sparsam.report.page import print_blocks

    if as_json:
        told = report.to_dict()
        echo_json({key: told[key] for key in ("changes", "facts", "risks", "remarks")})
        return
    page = report.page()
    print_blocks(page.brief, tables())
    click.echo("")
    click.echo(str(page.verdict))


def _measured(compared: Changes, data: Path, options: Any) -> tuple[VersionRisks, Split]:
    from sparsam.attack import Reconstruction, attack_versions, task_for
    from sparsam.data import split

    task = task_for(compared.together, data, roles_from(options))
    parts = split(task, random_state=options["seed"])
    guess = Reconstruction(random_state=options["seed"])
    return attack_versions(compared, parts, guess), parts


def _check_table(data: Path | None) -> None:
    """Refuse options that say how a table is to be read where there is none."""
    context = get_current_context()
    if data is not None:
        return
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if isinstance(parameter, click.Option) and given and parameter.name not in _WITHOUT_DATA:
            raise click.UsageError(
                f"{max(parameter.opts, key=len)} is about a table of people. Give one, after both "
                "documents."
            )


def _generalization(file: Path, remarks: list[str]) -> Generalization:
    """Read what can be compared: a generalization, or the ranges that a document asks for."""
    from sparsam.collect import Questionnaire
    from sparsam.generalization import Generalization, Recoding

    kind = _kind(file)
    if kind in _OTHERS:
        raise click.UsageError(
            f"'{file.name}' is {_OTHERS[kind]}, not a generalization: it does not say what is "
            f"collected. `sparsam describe {file.name}` tells what it holds."
        )
    if kind == "sparsam/recoding":
        remarks.append(f"{file.name} is a recoding: {_COMPARED}")
        return Recoding.load(file).generalization
    if kind == "sparsam/questionnaire":
        remarks.append(f"{file.name} is a questionnaire: {_COMPARED}")
        return Questionnaire.load(file).recoding.generalization
    return Generalization.load(file)


_COMPARED = "compared are the ranges that it asks for at most, not in which order and of whom."
_OTHERS = {
    "sparsam/certificate": "the certificate of a release",
    "table": "a table",
    "mask": "a mask of single values",
    "roles": "a file of roles",
    "report": "a report",
}


def _kind(file: Path) -> str:
    """Tell what a document is, by what it says of itself or by its name."""
    ending = file.suffix.lower()
    if is_table(file) or ending in (".csv", ".parquet", ".xlsx", ".jsonl", ".tsv", ".gz"):
        return "table"
    if ending in (".npz", ".toml"):
        return {".npz": "mask", ".toml": "roles"}[ending]
    try:
        document = parse_json(read_bytes(file))
    except DocumentError:
        return "damaged"  # loading it says where
    told = document if isinstance(document, dict) else {}
    if "format" not in told and "title" in told and "made" in told:
        return "report"
    return str(told.get("format"))

"""`sparsam attack`: every adversary on a saved generalization."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._command_line import command_line, file_hash
from sparsam.cli._console import messages, progress_bar, tables
from sparsam.cli._exit import INTERRUPTED
from sparsam.cli._json import echo_json
from sparsam.cli._options import (
    InputFile,
    json_option,
    quiet_option,
    report_option,
    role_options,
    roles_from,
    seed_option,
)

if TYPE_CHECKING:
    from sparsam.attack import Attacks, Risk


@click.command()
@click.argument("files", type=InputFile, nargs=-1, required=True, metavar="GENERALIZATION... DATA")
@role_options
@click.option(
    "--adversary", multiple=True, metavar="NAME", help="A1 … A8 or control.  [default: all]"
)
@report_option
@seed_option
@json_option
@quiet_option
def attack(files: tuple[Path, ...], **options: Any) -> None:
    """Attack a saved GENERALIZATION with every adversary, on the full-resolution DATA.

    With several generalizations, the last one is attacked by someone who has seen the others of
    the same people too (A6): the cost of replacing one that was already in use.
    """
    from sparsam.attack import attack as run
    from sparsam.attack import task_for
    from sparsam.attack._reconstruction import Reconstruction
    from sparsam.data import split
    from sparsam.generalization import Generalization
    from sparsam.report import attack_report

    if len(files) < 2:
        raise click.UsageError("Give at least one generalization, and the data last.")
    *earlier, artifact = [Generalization.load(file) for file in files[:-1]]
    seed = options["seed"]
    parts = split(task_for(artifact, files[-1], roles_from(options)), random_state=seed)
    console = messages(options["quiet"])
    with progress_bar(console, "Attack") as progress:
        found = run(
            artifact,
            parts,
            options["adversary"] or "all",
            others=earlier,
            reconstruction=Reconstruction(random_state=seed),
            progress=lambda done, total, name: progress(done, total),
        )
    if not found.complete:
        console.print("Interrupted: what was finished follows.")
    report = attack_report(
        found,
        artifact,
        parts,
        source=files[-1].name,
        sha256=file_hash(files[-1]),
        command=command_line(),
    )
    if options["report"] is not None:
        report.save(options["report"])
        console.print(f"Wrote the report to {options['report']}.")
    if options["as_json"]:
        echo_json(report.to_dict()["attacks"])
    else:
        _show(found)
    sys.exit(0 if found.complete else INTERRUPTED)


def _show(found: Attacks) -> None:
    from rich.table import Table

    table = Table()
    for column in ("adversary", "error", "95 % interval", "baseline", "recovered", "people"):
        table.add_column(column, justify="left" if column == "adversary" else "right")
    for risk in found.risks:
        table.add_row(risk.adversary, *_figures(risk))
    tables().print(table)
    if found.certificates:
        first = found.certificates[0]
        click.echo(
            f"What no attack on these records can exceed, however clever ({first.confidence:.0%} "
            f"confidence for all together, {first.n_records:,} records):"
        )
        width = max(len(one.attribute) for one in found.certificates)
        for one in found.certificates:
            click.echo(f"  {one.attribute:<{width}}  {one.accuracy:.1%} of people recovered")


def _figures(risk: Risk) -> tuple[str, ...]:
    low, high = risk.interval
    return (
        f"{risk.error:.3f}",
        f"{low:.3f}–{high:.3f}",
        f"{risk.baseline:.3f}",
        f"{risk.recovered:z.0%}",
        f"{risk.n_records:,}",
    )

"""`sparsam attack`: every adversary on a saved generalization."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._options import (
    InputFile,
    command_line,
    json_option,
    quiet_option,
    report_option,
    role_options,
    roles_from,
    seed_option,
)
from sparsam.cli._terminal import (
    INTERRUPTED,
    echo_json,
    figure,
    figure_range,
    messages,
    percent,
    progress_bar,
    tables,
    whole,
)

if TYPE_CHECKING:
    from sparsam.report._data import AttackRiskData, AttacksData


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
    from sparsam.attack import Reconstruction, run_attacks, task_for
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
        attacks = run_attacks(
            artifact,
            parts,
            options["adversary"] or "all",
            others=earlier,
            reconstruction=Reconstruction(random_state=seed),
            progress=lambda done, total, name: progress(done, total),
        )
    if not attacks.complete:
        console.print("Interrupted: what was finished follows.")
    report = attack_report(
        attacks,
        artifact,
        parts,
        source=files[-1].name,
        command=command_line(),
    )
    if options["report"] is not None:
        report.save(options["report"])
        console.print(f"Wrote the report to {options['report']}.")
    facts = report.to_dict()["attacks"]
    if options["as_json"]:
        echo_json(facts)
    else:
        _show(facts)
    sys.exit(0 if attacks.complete else INTERRUPTED)


def _show(facts: AttacksData) -> None:
    from rich.table import Table

    table = Table()
    for column in ("adversary", "error", "95 % interval", "baseline", "recovered", "people"):
        table.add_column(column, justify="left" if column == "adversary" else "right")
    for risk in facts["risks"]:
        table.add_row(risk["adversary"], *_figures(risk))
    tables().print(table)
    if facts["bounds"]:
        first = facts["bounds"][0]
        click.echo(
            "What no attack on these records can exceed, however clever "
            f"({percent(first['confidence'])} confidence for all together, "
            f"{whole(first['n'])} records):"
        )
        width = max(len(bound["attribute"]) for bound in facts["bounds"])
        for bound in facts["bounds"]:
            most = percent(bound["accuracy"], 1)
            click.echo(f"  {bound['attribute']:<{width}}  {most} of people recovered")


def _figures(risk: AttackRiskData) -> tuple[str, ...]:
    return (
        figure(risk["value"]),
        figure_range(risk["interval"]),
        figure(risk["baseline"]),
        percent(risk["recovered"]),
        whole(risk["n"]),
    )

"""`sparsam attack`: every adversary on a saved generalization."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
    if options["report"] is not None:
        from sparsam.report import attack_report

        command = command_line()
        report = attack_report(attacks, artifact, parts, source=files[-1].name, command=command)
        report.save(options["report"])
        console.print(f"Wrote the report to {options['report']}.")
    facts = attacks.to_dict()
    if options["as_json"]:
        echo_json(facts)
    else:
        _show(facts)
    sys.exit(0 if attacks.complete else INTERRUPTED)


def _show(facts: Mapping[str, Any]) -> None:
    from rich.table import Table

    table = Table()
    for column in ("adversary", "error", "95 % interval", "baseline", "recovered", "people"):
        table.add_column(column, justify="left" if column == "adversary" else "right")
    for risk in facts["risks"]:
        table.add_row(
            risk["adversary"],
            figure(risk["value"]),
            figure_range(risk["interval"]),
            figure(risk["baseline"]),
            percent(risk["recovered"]),
            whole(risk["n"]),
        )
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

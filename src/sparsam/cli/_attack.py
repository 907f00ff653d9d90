"""`sparsam attack`: every adversary on a saved generalization."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import rich_click as click

from sparsam.cli._options import (
    InputTable,
    command_line,
    head_options,
    json_option,
    made_by,
    memory_option,
    names_option,
    quiet_option,
    report_option,
    role_options,
    roles_from,
    seed_option,
)
from sparsam.cli._tables import show_notes
from sparsam.cli._terminal import (
    INTERRUPTED,
    echo_json,
    messages,
    progress_bar,
    tables,
)


@click.command()
@click.argument("files", type=InputTable, nargs=-1, required=True, metavar="GENERALIZATION... DATA")
@role_options
@names_option("--adversary", help="Some of A1 … A8 and control.  [default: all]")
@report_option
@head_options
@seed_option
@memory_option
@json_option
@quiet_option
def attack(files: tuple[Path, ...], **options: Any) -> None:
    """Attack a saved GENERALIZATION with every adversary, on the full-resolution DATA.

    With several generalizations, the last one is attacked by someone who has seen the others of
    the same people too (A6): the cost of replacing one that was already in use.
    """
    from sparsam.assess import assess_everyone, everyone_data, score_for
    from sparsam.attack import Reconstruction, run_attacks, task_for
    from sparsam.data import draw_people, split
    from sparsam.generalization import Generalization
    from sparsam.report import attack_brief, attack_report, everyone_blocks
    from sparsam.report.page import print_blocks

    if len(files) < 2:
        raise click.UsageError("Give at least one generalization, and the data last.")
    *earlier, artifact = [Generalization.load(file) for file in files[:-1]]
    seed = options["seed"]
    console = messages(options["quiet"])
    memory = options["max_memory"]
    task = task_for(artifact, files[-1], roles_from(options), max_memory=memory, random_state=seed)
    task = draw_people(task, random_state=seed)
    show_notes(task.table, console, said=False)
    parts = split(task, random_state=seed)
    with progress_bar(console, "Attack") as progress:
        attacks = run_attacks(
            artifact,
            parts,
            options["adversary"] or "all",
            others=earlier,
            reconstruction=Reconstruction(random_state=seed),
            progress=lambda done, total, name: progress(done, total),
        )
    if not attacks.complete:  # said even where remarks are not wanted: a part is no whole
        if not attacks.risks:
            raise KeyboardInterrupt
        click.echo("Interrupted: only what was finished follows.", err=True)
    everyone = everyone_data(assess_everyone([artifact], parts, random_state=seed))
    if options["report"] is not None:
        command = command_line()
        details = {"source": files[-1].name, "command": command, **made_by(options)}
        report = attack_report(attacks, artifact, parts, **details)
        report.save(options["report"])
        console.print(f"Wrote the report to {options['report']}.")
    if options["as_json"]:
        echo_json({**attacks.to_dict(), **({"everyone": everyone} if everyone else {})})
    else:
        print_blocks(attack_brief(attacks.to_dict()), tables())
        if everyone:
            print_blocks(everyone_blocks(everyone, task.n_rows, score_for(parts)), tables())
    sys.exit(0 if attacks.complete else INTERRUPTED)

"""`sparsam demo`: the whole flow on the bundled census records."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from sparsam.cli._minimise import choose, save
from sparsam.cli._options import (
    claim_output,
    command_line,
    date_option,
    jobs_option,
    quiet_option,
    seed_option,
)
from sparsam.cli._terminal import messages, tables


@click.command()
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where to write people.json, report.html and form.html.  [default: here]",
)
@click.option("--open/--no-open", "show_report", default=None, help="Open the report at the end.")
@seed_option
@jobs_option
@date_option
@quiet_option
def demo(
    folder: Path, show_report: bool | None, seed: int, jobs: int | None, date: str, quiet: bool
) -> None:
    """Walk the whole flow on 20,000 bundled census records.

    Which of 16 attributes does a model need that predicts whether someone is employed? It ends
    at the form that asks for these alone.
    """
    from sparsam.data import Roles, load_example
    from sparsam.report import report_on

    folder.mkdir(parents=True, exist_ok=True)
    artifact, report, page = (folder / n for n in ("people.json", "report.html", "form.html"))
    for place in (artifact, report, page):
        claim_output(place, "in --folder")
    console = messages(quiet)
    console.print("Task: predict from 16 census attributes whether someone is employed.")
    people = load_example()
    choice = choose(people, Roles("employed"), seed=seed, jobs=jobs, quiet=quiet)
    with console.working("Writing the report …"):
        evidence = report_on(choice, command=command_line(), source="bundled example", date=date)
    save(choice, evidence, artifact, report, quiet=quiet)
    choice.generalization.form().save(page)
    console.print(f"Wrote the form that asks for no more than that to {page}.")
    click.echo(evidence.to_terminal(tables().width), nl=False)
    console.print(
        f"To collect only that from now on: sparsam collect {artifact} --database people.db "
        "--keep-days 90"
    )
    if show_report or (show_report is None and console.is_terminal):
        click.launch(str(report.resolve()))

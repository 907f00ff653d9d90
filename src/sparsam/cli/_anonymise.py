"""`sparsam anonymise`: publish a table in which nobody stands alone, and prove it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._anonymise_options import (
    FORMS,
    METHODS,
    Paths,
    chosen_method,
    release_roles,
    whole_numbers,
)
from sparsam.cli._apply import ENDINGS
from sparsam.cli._console import complain, messages
from sparsam.cli._json import echo_json
from sparsam.cli._options import (
    InputFile,
    OutputFile,
    json_option,
    missing_option,
    quiet_option,
    report_option,
    seed_option,
    spreadsheet_option,
)

if TYPE_CHECKING:
    from sparsam.report import ReleaseReport

BROKEN = 1


@click.command()
@click.argument("data", type=InputFile)
@click.option(
    "--quasi-identifiers",
    multiple=True,
    metavar="NAMES",
    help="Columns by which people could be recognised, with commas.",
)
@click.option(
    "--k",
    type=click.IntRange(2),
    default=10,
    show_default=True,
    help="At least so many share every combination of quasi-identifiers.",
)
@click.option(
    "-o", "--output", type=OutputFile(*ENDINGS), required=True, help="A .csv or .parquet file."
)
@click.option(
    "--target",
    metavar="NAME|EXPRESSION",
    help='What will be learned from it: a column, which is published as it is, or "income>50000", '
    "which is published as yes and no.",
)
@click.option(
    "--model",
    type=InputFile,
    help="A model whose answers should be kept: .onnx, .skops, or .joblib with --trust-model.",
)
@click.option("--trust-model", is_flag=True, help="Load a pickled model, which runs its code.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    help="How people are divided.  [default: hybrid with a target or a model, else greedy]",
)
@click.option(
    "--publish",
    type=click.Choice(FORMS),
    help="What is published for a class.  [default: median; hierarchy with --method full-domain]",
)
@click.option("--keep", multiple=True, metavar="NAMES", help="Columns to publish as they are.")
@click.option(
    "--accept-unique",
    is_flag=True,
    help="Publish columns as they are even if they make rows unique.",
)
@click.option(
    "--l-diversity",
    multiple=True,
    metavar="NAME:L",
    help="So many values of a column in every class; NAME:L:entropy, NAME:L:recursive=C.",
)
@click.option(
    "--t-closeness",
    multiple=True,
    metavar="NAME:T",
    help="How far its spread in a class may be from that of all; NAME:T:ordered.",
)
@click.option("--entity", metavar="NAME", help="Whose row it is: a person's rows count once.")
@click.option(
    "--max-suppressed",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Largest share of rows that may be left out.",
)
@click.option(
    "--hierarchy", multiple=True, metavar="NAME=FILE", help="Labels of a column, as ARX has them."
)
@click.option(
    "--certificate",
    type=OutputFile(".json"),
    help="Where to save the certificate.  [default: beside the output]",
)
@report_option
@click.option(
    "--sweep-k",
    metavar="NUMBERS",
    help="For the report: accuracy for several k, such as 10,20,50,100 (takes longer).",
)
@click.option("--drop-one", is_flag=True, help="For the report: what each quasi-identifier costs.")
@click.option("--identifier", multiple=True, metavar="NAME", help="A column never to be used.")
@click.option("--numeric", multiple=True, metavar="NAME", help="Read a column as numbers.")
@click.option("--categorical", multiple=True, metavar="NAME", help="Read it as categories.")
@missing_option
@click.option("--roles", type=InputFile, help="A TOML file with roles.")
@spreadsheet_option
@seed_option
@json_option
@quiet_option
def anonymise(data: Path, **options: Any) -> None:
    """Publish DATA so that at least k people share their quasi-identifiers, and prove it.

    Only the quasi-identifiers, the target and the columns named with --keep come out, in a random
    order of rows. The file that was written is read again and checked from its cells by independent
    code; a certificate lets anyone repeat that with `sparsam verify`.

    Exit codes: 0 published, 1 the promise would be broken, or columns that are published as they
    are make rows unique, and nothing was written, 2 wrong usage.
    """
    from sparsam._errors import ReleaseError
    from sparsam.cli._anonymise_work import Work
    from sparsam.data.source import check_spreadsheet

    paths = Paths.of(options)
    if options["spreadsheet_safe"]:
        check_spreadsheet(paths.output)
    roles = release_roles(options)
    method = chosen_method(options, roles)
    ks = whole_numbers(options["sweep_k"])
    try:
        with _warnings_said(options["quiet"]):
            report = Work.of(data, roles, method, options).release(paths, ks)
    except ReleaseError as error:
        complain(error)
        sys.exit(BROKEN)
    if paths.report is not None:
        report.save(paths.report)
        messages(options["quiet"]).print(f"Wrote the report to {paths.report}.")
    if options["as_json"]:
        echo_json(_plain(report))
    else:
        _show(report)


@contextmanager
def _warnings_said(quiet: bool) -> Iterator[None]:
    """Print our own warnings as remarks, once each; those of others stay warnings."""
    from sparsam._errors import SparsamWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    console = messages(quiet)
    said = set()
    for one in caught:
        if not issubclass(one.category, SparsamWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        elif str(one.message) not in said:
            said.add(str(one.message))
            console.print(f"Warning: {one.message}")


def _plain(report: ReleaseReport) -> dict[str, Any]:
    data: dict[str, Any] = dict(report.to_dict())
    wanted = ("kept", "complete", "findings", "certificate", "sizes", "risk", "sweeps", "drop_one")
    return {name: data[name] for name in wanted}


def _show(report: ReleaseReport) -> None:
    """Print what was published for a person to read."""
    from sparsam.report._release_view import drop_rows, risk_rows, sweep_table
    from sparsam.report._release_words import score_name, whole_row_facts
    from sparsam.report._words import THIN, percent, whole

    data = report.to_dict()
    paper, risk = data["certificate"], data["risk"]
    lines = [report.verdict, ""]
    losses = ", ".join(f"{one['loss']:.4f} {one['name']}" for one in paper["information_loss"])
    facts = {
        "rows": whole(paper["n_rows"]),
        "classes": whole(paper["classes"]),
        "smallest class": whole(paper["smallest"]),
        **dict(whole_row_facts(paper)),
        "people in the smallest": paper["smallest_people"] and whole(paper["smallest_people"]),
        "suppressed": whole(paper["suppressed"]),
        "information loss": losses,
    }
    for row in risk_rows(data)[:3]:
        highest = "" if row.highest == "–" else f"highest {row.highest}, "
        facts[f"{row.name.lower()} risk"] = f"{highest}mean {row.average}"
    if risk is not None:
        facts["guess without knowledge"] = percent(risk["baseline"], 2)
    width = max(map(len, facts))
    lines += [f"{name:<{width}}  {value}" for name, value in facts.items() if value is not None]
    lines += ["", "Promised, and checked from the cells of the file:"]
    lines += [f"  {words}" for words in paper["promises"]]
    if (table := sweep_table(data)) is not None and data["sweeps"] is not None:
        what = score_name(data["sweeps"]["measure"])
        lines += ["", f"{what} (and detail lost) for every k:"]
        for k, cells in table.lines:
            each = (f"{name} {score} ({loss})"
                    for name, (score, loss) in zip(table.methods, cells, strict=True))  # fmt: skip
            lines.append(f"  k = {k}: {', '.join(each)}")
    if drops := drop_rows(data):
        lines += ["", "Detail that the others lose to each quasi-identifier:"]
        lines += [f"  {name}: {cost}" for name, *_, cost in drops]
    for line in lines:
        click.echo(line.replace(THIN, " "))

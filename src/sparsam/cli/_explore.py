"""`sparsam explore`: look at a table through noise, and pay for it from a ledger."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam._writing import write_text
from sparsam.cli._ledger import analyst_option, at_least_option
from sparsam.cli._options import (
    InputFile,
    InputTable,
    OutputFile,
    author_option,
    command_line,
    date_option,
    json_option,
    quiet_option,
    report_option,
    spreadsheet_option,
)
from sparsam.cli._tables import file_options, form_from
from sparsam.cli._terminal import complain, echo_json, messages

if TYPE_CHECKING:
    from sparsam._errors import BudgetError
    from sparsam.explore import Declared, Exploration, Ledger
    from sparsam.report import ExploreReport

REFUSED = 1
WAYS = ("planned", "interactive", "synthetic")
ALL = "all"

how_option = click.option(
    "--how",
    type=click.Choice(WAYS),
    default="planned",
    show_default=True,
    help="Tables that answer everything, one charge for each query, or made-up rows.",
)
per_query_option = click.option(
    "--per-query",
    metavar="NUMBER",
    help="With --how interactive: what each query costs, in the ledger's unit.",
)
domains_option = click.option(
    "--roles",
    "--domains",
    "domains",
    type=InputFile,
    help="Other domains than the ledger's: a roles .toml or a .json.",
)
generalization_option = click.option(
    "--generalization",
    type=InputFile,
    help="Explore generalized data, which is cheaper: a saved generalization (.json).",
)


@click.group()
def explore() -> None:
    """Look at a table under differential privacy; every answer is charged to a ledger.

    Make the ledger first, with `sparsam ledger create`. Then `plan` says what an exploration would
    cost, and `run` pays and answers.
    """


@explore.command()
@click.argument("file", type=InputFile, required=False)
@click.option("--ledger", type=InputFile, help="The ledger that would pay.")
@how_option
@click.option(
    "--epsilon",
    metavar="NUMBER",
    help="What the exploration may cost.  [default: all that is left in the ledger]",
)
@click.option("--delta", metavar="NUMBER", help="Without a ledger: leave it out for pure epsilon.")
@per_query_option
@domains_option
@generalization_option
@click.option(
    "--rows",
    type=click.IntRange(1),
    metavar="GUESS",
    help="A guess at the number of rows, to say how large the noise will be.",
)
@json_option
def plan(file: Path | None, **options: Any) -> None:
    """Price an exploration before anything is spent, from declared domains alone.

    FILE declares the domains (a roles .toml, or a .json); a table (.csv, .parquet) is not opened,
    and the domains are those of the ledger.

    Exit codes: 0 it fits, 1 it costs more than is left, 2 wrong usage.
    """
    from sparsam.explore import Ledger, quote

    if file is not None and file.suffix.lower() in (".toml", ".json"):
        if options["domains"] is not None:
            raise click.UsageError("Give the domains as FILE or with --domains, not both.")
        options["domains"] = file
    _check_options(options)
    place, epsilon = options["ledger"], _epsilon(options)
    if place is not None and options["delta"] is not None:
        raise click.UsageError("--delta is the ledger's; leave it out with --ledger.")
    if place is None and epsilon is None and options["per_query"] is None:
        raise click.UsageError("Without --ledger, --epsilon must say what may be spent.")
    with nullcontext() if place is None else Ledger.open(place) as ledger:
        price = quote(
            _domains(options, ledger),
            options["how"],
            ledger=ledger,
            epsilon=epsilon,
            delta=options["delta"],
            per_query=options["per_query"],
            rows=options["rows"],
        )
    if options["as_json"]:
        echo_json(price.to_dict())
    else:
        click.echo(str(price))
    sys.exit(0 if price.fits else REFUSED)


@explore.command()
@click.argument("data", type=InputTable)
@click.option("--ledger", type=InputFile, required=True, help="The ledger that pays.")
@how_option
@click.option(
    "--epsilon",
    metavar="NUMBER|all",
    help="What the exploration may cost; 'all' for all that is left.",
)
@per_query_option
@click.option("--purpose", required=True, metavar="TEXT", help="Why, for the statement.")
@report_option
@author_option
@date_option
@click.option(
    "-o", "--output", type=OutputFile(".json"), help="Where to save every answer (.json)."
)
@domains_option
@generalization_option
@file_options
@click.option(
    "--synthetic",
    type=OutputFile(".csv", ".parquet"),
    help="Where to save made-up rows drawn from the noisy tables, which cost nothing more.",
)
@spreadsheet_option
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of made-up rows; the noise that protects has none.",
)
@analyst_option
@at_least_option
@click.option(
    "--witness",
    type=OutputFile(),
    help="A file elsewhere that remembers the last entry: refuse an older copy of the ledger.",
)
@json_option
@quiet_option
def run(data: Path, **options: Any) -> None:
    """Explore DATA: distributions, missing values, outliers and correlations, all through noise.

    The whole price is charged first. The same exploration again costs nothing and gives the same
    answers. The seed is that of made-up rows only: no seed reaches the noise that protects.

    Exit codes: 0 answered, 1 refused as it costs more than is left, 2 wrong usage.
    """
    from sparsam._errors import BudgetError
    from sparsam.data import open_source
    from sparsam.explore import Ledger, explore_table
    from sparsam.report import explore_report

    _check_options(options)
    if options["epsilon"] is None and options["per_query"] is None:
        raise click.UsageError("Missing option '--epsilon' ('all' for all that is left).")
    if options["synthetic"] is not None and options["how"] == "interactive":
        raise click.UsageError("--synthetic needs tables: --how planned or --how synthetic.")
    if options["spreadsheet_safe"]:
        _check_spreadsheet(options["synthetic"])
    opened = Ledger.open(
        options["ledger"],
        analyst=options["analyst"],
        at_least=options["at_least"],
        witness=options["witness"],
    )
    with opened as ledger:
        domains = _domains(options, ledger)
        # nothing that a row holds may decide what is said: the first line is compared with no other
        form = form_from(options).completed_by(domains.file)
        source = open_source(data, form, private=True)
        try:
            exploration = explore_table(
                source,
                ledger,
                options["how"],
                domains=domains,
                epsilon=_epsilon(options),
                per_query=options["per_query"],
                purpose=options["purpose"],
                random_state=options["seed"],
            )
        except BudgetError as error:
            complain(BudgetError(_refusal(error, ledger), error.requested, error.remaining))
            sys.exit(REFUSED)
        _save_answers(exploration, options)  # they are paid
        report = explore_report(
            exploration,
            ledger,
            purpose=options["purpose"],
            source=data.name,
            command=command_line(),
            order=source.names,
            author=options["author"],
            date=options["date"],
        )
    _save(exploration, report, options)
    if options["as_json"]:
        echo_json(dict(report.to_dict()))
    else:
        click.echo(f"{report.verdict}\n".replace("\u202f", " "))
        click.echo(str(exploration))


def _refusal(error: BudgetError, ledger: Ledger) -> str:
    """What was asked and what is left, and what would fit, in the words of the command line."""
    words = str(error).partition("\n\nHint:")[0]
    if ledger.remaining == 0:
        return f"{words}\n\nHint: nothing is left."
    fits = ledger.largest_epsilon()
    return f"{words}\n\nHint: --epsilon {fits} would fit; --epsilon all spends what is left."


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that exclude one another."""
    if options["domains"] is not None and options["generalization"] is not None:
        raise click.UsageError("Give --domains or --generalization, not both.")
    if options["per_query"] is not None and options["how"] != "interactive":
        raise click.UsageError("--per-query goes with --how interactive only.")
    if options["per_query"] is not None and options["epsilon"] is not None:
        raise click.UsageError("Give --epsilon or --per-query, not both.")


def _epsilon(options: Mapping[str, Any]) -> str | None:
    """What may be spent; None for all that is left."""
    return None if options["epsilon"] == ALL else options["epsilon"]


def _domains(options: Mapping[str, Any], ledger: Ledger | None) -> Declared:
    """Take the domains from the options, or those of the ledger."""
    from sparsam._errors import ParameterError
    from sparsam.explore import declared
    from sparsam.generalization import Generalization

    known = None if ledger is None else ledger.declared
    given = options["domains"]
    if options["generalization"] is not None:
        given = Generalization.load(options["generalization"])
    if given is not None:
        wanted = declared(given, missing_values=() if known is None else known.missing_values)
        return wanted if ledger is None else ledger.declare(wanted)
    if known is None:
        raise ParameterError(
            "Domains must be declared, with --domains or when the ledger is created. Got none."
            "\n\nHint: sparsam ledger template data.csv -o roles.toml writes a file to fill in."
        )
    return known


def _check_spreadsheet(synthetic: Path | None) -> None:
    from sparsam.data.source import check_spreadsheet

    if synthetic is None:
        raise click.UsageError("--spreadsheet-safe goes with --synthetic only.")
    check_spreadsheet(synthetic)


def _save_answers(exploration: Exploration, options: Mapping[str, Any]) -> None:
    import json

    if options["output"] is not None:
        text = json.dumps(exploration.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        write_text(options["output"], f"{text}\n")
        messages(options["quiet"]).print(f"Wrote every answer to {options['output']}.")


def _save(exploration: Exploration, report: ExploreReport, options: Mapping[str, Any]) -> None:
    from sparsam.data import write_columns

    console = messages(options["quiet"])
    if options["report"] is not None:
        report.save(options["report"])
        console.print(f"Wrote the report to {options['report']}.")
    if options["synthetic"] is not None:
        rows = exploration.synthetic(random_state=options["seed"])
        safe = options["spreadsheet_safe"]
        write_columns(rows, options["synthetic"], spreadsheet_safe=safe)
        console.print(f"Wrote made-up rows to {options['synthetic']}.")

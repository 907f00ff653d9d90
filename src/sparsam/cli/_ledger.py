"""`sparsam ledger`: the privacy budget of one table, and its statement."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam._writing import write_text
from sparsam.cli._options import (
    InputFile,
    InputTable,
    OutputFile,
    head_options,
    json_option,
    made_by,
    missing_option,
    quiet_option,
)
from sparsam.cli._tables import file_options, form_from
from sparsam.cli._terminal import complain, echo_json, messages

if TYPE_CHECKING:
    from sparsam.explore import Charge, Ledger

BROKEN = 1
LAST = 5
_SQLITE = b"SQLite format 3\0"

analyst_option = click.option(
    "--analyst", metavar="NAME", help="Who asks, for the statement.  [default: the login name]"
)
at_least_option = click.option(
    "--at-least", metavar="HEAD", help="A head noted earlier: refuse an older copy of the ledger."
)
witness_option = click.option(
    "--witness",
    type=InputFile,
    help="A file elsewhere that remembers the last entry: refuse an older copy of the ledger.",
)


@click.group()
def ledger() -> None:
    """Keep the privacy budget of one table, which every answer is charged to.

    Start with `template`, which writes a file to declare the domains in, then `create`.
    """


@ledger.command()
@click.argument("data", type=InputTable)
@click.option("-o", "--output", type=OutputFile(".toml"), help="Where to save it (.toml).")
@file_options
def template(data: Path, output: Path | None, **form: str | None) -> None:
    """Write a file to declare in what each column of DATA may hold.

    Only the names in the header are read: no value and no bound. Fill in what is known without
    looking at the data, such as a codebook; a column that nothing is filled in for is never read.
    A CSV file must have a header, as its first line is taken for names.
    """
    from sparsam.explore import template_of

    text = template_of(data, form_from(form))
    if output is None:
        click.echo(text, nl=False)
        return
    if output.exists():
        raise click.UsageError(f"'{output.name}' exists already, and may have been filled in.")
    write_text(output, text)
    messages().print(
        f"Wrote {output}. Fill it in, then: sparsam ledger create … --domains {output}"
    )


@ledger.command()
@click.argument("place", metavar="LEDGER", type=OutputFile())
@click.argument("data", type=InputTable)
@click.option("--epsilon", required=True, metavar="NUMBER", help="The budget, such as 1.")
@click.option(
    "--delta",
    metavar="NUMBER",
    help="Such as 1e-6, below one by the number of people: several times more answers for the "
    "same epsilon, and training can be charged.  [default: none, pure epsilon]",
)
@click.option(
    "--order",
    type=click.IntRange(2),
    help="Rényi order of the account, with --delta; a low one makes training cheaper.",
)
@click.option(
    "--roles",
    "--domains",
    "domains",
    required=True,
    type=InputFile,
    help="What the columns may hold: a roles .toml, or a generalization .json.",
)
@missing_option
@file_options
@click.option("--note", default="", help="What the budget is for.")
@analyst_option
@click.option(
    "--witness",
    type=OutputFile(),
    help="A file on another disk that remembers the last entry, so that a rollback shows.",
)
@json_option
@quiet_option
def create(place: Path, data: Path, **options: Any) -> None:
    """Make LEDGER, the budget of the table DATA; refused where a file is already.

    One row is one person. The ledger is bound to DATA: it pays for no other table, nor for DATA
    once it has changed. Domains are declared, never read from the data.
    """
    from sparsam.data import open_source
    from sparsam.explore import Ledger, declared

    domains = declared(options["domains"], missing_values=options["missing"])
    domains = replace(domains, file=form_from(options).completed_by(domains.file))
    created = Ledger.create(
        place,
        open_source(data, domains.file, private=True),
        epsilon=options["epsilon"],
        delta=options["delta"],
        order=options["order"],
        domains=domains,
        note=options["note"],
        analyst=options["analyst"],
        witness=options["witness"],
    )
    with created as ledger:
        if options["as_json"]:
            echo_json(_facts(ledger))
        else:
            _show(ledger, ())
        messages(options["quiet"]).print(
            f"Wrote the ledger to {place}. Keep one for these people, and keep it as safe as the "
            "table. The head shows a rollback: note it down elsewhere."
        )


@ledger.command()
@click.argument("place", metavar="LEDGER", type=InputFile)
@click.option(
    "--last",
    type=click.IntRange(0),
    default=LAST,
    show_default=True,
    help="How many of the last charges to list.",
)
@json_option
def show(place: Path, last: int, as_json: bool) -> None:
    """Show the budget in LEDGER, what is spent, what is left, and the last charges."""
    with opened_ledger(place) as opened:
        show_ledger(opened, last, as_json)


@ledger.command()
@click.argument("place", metavar="LEDGER", type=InputFile)
@at_least_option
@witness_option
@json_option
@quiet_option
def verify(
    place: Path, at_least: str | None, witness: Path | None, as_json: bool, quiet: bool
) -> None:
    """Check every entry of LEDGER, and that no older copy was put in its place.

    Without a head or a witness from elsewhere, an older copy cannot be told from the ledger.

    Exit codes: 0 whole, 1 damaged, tampered with, put back or no ledger, 2 wrong usage.
    """
    from sparsam._errors import LedgerError

    try:
        with opened_ledger(place, at_least=at_least, witness=witness) as opened:
            check = opened.verify()
    except LedgerError as error:
        if as_json:
            echo_json({"ok": False, "why": str(error)})
        complain(error)
        sys.exit(BROKEN)
    if as_json:
        plain = {name: getattr(check, name) for name in ("entries", "unanswered", "head")}
        echo_json({"ok": True, "rollback_checked": bool(at_least or witness), **plain})
    elif not quiet:
        click.echo(f"All {check.entries:,} entries are where they belong and as they were written.")
        click.echo(f"Charges without an answer: {check.unanswered:,}")
        if not at_least and not witness:
            click.echo("Not checked: whether this is an older copy. Give --at-least or --witness.")
        click.echo(f"Head: {check.head}")


@ledger.command()
@click.argument("place", metavar="LEDGER", type=InputFile)
@click.option(
    "-o",
    "--output",
    type=OutputFile(".html", ".htm", ".md", ".json"),
    help="Where to save it (.html, .md or .json).  [default: print Markdown]",
)
@click.option(
    "--delta",
    metavar="NUMBER",
    help="For the accounts that need one.  [default: the ledger's, or 1e-6]",
)
@at_least_option
@witness_option
@head_options
@json_option
@quiet_option
def statement(place: Path, output: Path | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """Write the statement of LEDGER for the data-protection officer.

    Who asked what, when and why; spent and left, epsilon under each account; and what a file
    cannot prevent. It holds no answer and no value of a person.
    """
    from sparsam.report import statement_report

    with opened_ledger(place, at_least=options["at_least"], witness=options["witness"]) as opened:
        report = statement_report(opened.statement(options["delta"]), **made_by(options))
    if output is not None:
        report.save(output)
        messages(quiet).print(f"Wrote the statement to {output}.")
    if as_json:
        echo_json(dict(report.to_dict()))
    elif output is None:
        click.echo(report.to_markdown(), nl=False)


def is_ledger(place: Path) -> bool:
    """Whether a file may be a ledger: a database of SQLite."""
    with place.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def opened_ledger(place: Path, **options: Any) -> Ledger:
    """Open the ledger in a file."""
    from sparsam.explore import Ledger

    return Ledger.open(place, **options)


def show_ledger(ledger: Ledger, last: int, as_json: bool) -> None:
    """Print the budget of a ledger, what is left of it, and its last charges."""
    from sparsam.explore import charges_of, question_words, time_words

    charges = charges_of(ledger.entries())[-last:] if last else ()
    if not as_json:
        _show(ledger, charges)
        return
    listed = [
        {
            "sequence": charge.sequence,
            "time": time_words(charge.time),
            "analyst": charge.analyst,
            "purpose": charge.purpose,
            "what": question_words(charge.question),
            "amount": charge.amount,
            "outcome": charge.outcome,
        }
        for charge in charges
    ]
    echo_json({**_facts(ledger), "charges": listed})


def _facts(ledger: Ledger) -> dict[str, Any]:
    from sparsam.explore import nano_text

    return {
        "ledger": ledger.path.name,
        "note": ledger.note,
        "epsilon": ledger.epsilon,
        "delta": ledger.delta,
        "order": ledger.order,
        "unit": ledger.unit,
        "budget": nano_text(ledger.budget),
        "spent": nano_text(ledger.spent),
        "left": nano_text(ledger.remaining),
        "attributes": list((ledger.domains or {}).get("domains", {})),
        "head": ledger.head,
    }


def _show(ledger: Ledger, charges: Sequence[Charge]) -> None:
    facts = _facts(ledger)
    unit, delta = facts["unit"], ""
    if ledger.delta is not None:
        delta = f", delta {ledger.delta:g}".replace("e-0", "e-")
    rows = {
        "budget": f"{facts['budget']} {unit} (epsilon {ledger.epsilon:g}{delta})",
        "spent": f"{facts['spent']} {unit}",
        "left": f"{facts['left']} {unit}",
        "attributes": f"{len(facts['attributes'])} declared",
        "note": facts["note"],
        "head": facts["head"],
    }
    for name, value in rows.items():
        if value:
            click.echo(f"{name:<10}  {value}")
    if charges:
        click.echo("\nThe last charges:")
    for charge in charges:
        click.echo(f"  {charge} {unit}, {charge.outcome}")

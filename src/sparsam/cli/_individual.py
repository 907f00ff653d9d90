"""`sparsam individual`: decide which single values of whom to retain."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._options import (
    InputTable,
    OutputFile,
    command_line,
    head_options,
    json_option,
    made_by,
    quiet_option,
    reading_options,
    report_option,
    roles_from,
    seed_option,
)
from sparsam.cli._tables import show_remarks
from sparsam.cli._terminal import counted, echo_json, messages, progress_bar, tables

if TYPE_CHECKING:
    from sparsam.cli._terminal import SafeConsole
    from sparsam.data import Roles
    from sparsam.individual import LogisticLearner, NetworkLearner, PeopleTable, Retention
    from sparsam.report import IndividualReport

NOT_MET = 1
ALGORITHMS = (
    "stationarity",
    "evolutionary",
    "modelling",
    "first-order",
    "feature-selection",
    "random-rows",
    "individualised-random",
)
# with a network these train no model for each mask that they look at
QUICK = ("stationarity", "feature-selection", "random-rows", "individualised-random")


@click.command()
@click.argument("data", type=InputTable)
@click.option(
    "--target",
    metavar="NAME|EXPRESSION",
    help='What the model predicts: a column of classes, or "income>50000".',
)
@click.option(
    "--keep",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Share of the values that are there to keep, such as 0.2.",
)
@click.option(
    "--max-drop",
    type=click.FloatRange(0, 1, max_open=True),
    help="Instead: accuracy that may be lost. The least share is searched, with half of the drop "
    "in view, and measured on other people.",
)
@click.option("-o", "--output", type=OutputFile(".npz"), help="Where to save the mask (.npz).")
@report_option
@head_options
@click.option(
    "--algorithm",
    type=click.Choice(ALGORITHMS),
    default="stationarity",
    show_default=True,
    help="How the values are chosen.",
)
@click.option(
    "--learner",
    type=click.Choice(("logistic", "network")),
    default="logistic",
    show_default=True,
    help="The model that will be trained on what is left.",
)
@click.option(
    "--imputation",
    type=click.Choice(("gaussian", "mean", "zero")),
    default="gaussian",
    show_default=True,
    help="How what is not kept is filled in to train on.",
)
@click.option(
    "--compare",
    metavar="NAMES",
    help="Algorithms for the curves, with commas; 'all' or 'none'.  [default: all with --report, "
    "and with a network those that are quick]",
)
@click.option(
    "--shares", metavar="NUMBERS", help="Kept shares for the curves, such as 0.05,0.1,0.3."
)
@click.option(
    "--membership",
    type=click.Choice(("all", "chosen", "none")),
    default="all",
    show_default=True,
    help="Which points of the curves the membership attack is run against.",
)
@click.option(
    "--references",
    type=click.IntRange(2),
    default=8,
    show_default=True,
    help="Reference models of the membership attack; an even number.",
)
@click.option(
    "--runs",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Runs with other seeds, to see how far masks agree.",
)
@click.option(
    "--privacy-weight",
    type=click.FloatRange(0),
    default=0.0,
    help="For stationarity: spare values that single people out; log loss that one unit is worth.",
)
@reading_options
@click.option(
    "--leave-out-incomplete",
    is_flag=True,
    help="Leave out rows without a number, too. Otherwise a missing number is not kept, and filled "
    "in as what is not kept.",
)
@seed_option
@json_option
@quiet_option
def individual(data: Path, **options: Any) -> None:
    """Decide which single values of whom in DATA a training set can do without.

    Everything must be seen once: this decides what to retain, not what to ask for. The mask covers
    every row of DATA, in its order; `sparsam apply` carries it out. Accuracy and risk are measured
    on a division of DATA, where some people stay apart.

    Exit codes: 0 done, 1 the permitted drop is exceeded on the test people, 2 wrong usage.
    """
    if (options["keep"] is None) == (options["max_drop"] is None):
        raise click.UsageError("Give --keep or --max-drop, exactly one of the two.")
    if options["references"] % 2:
        raise click.UsageError("--references must be an even number.")
    if options["privacy_weight"] and options["algorithm"] != "stationarity":
        raise click.UsageError("--privacy-weight goes with --algorithm stationarity only.")
    from sparsam.report import individual_report

    roles = roles_from(options)
    if roles.target is None:
        raise click.UsageError("Missing option '--target' (or a TOML file with --roles).")
    console = messages(options["quiet"])
    people = _read(data, roles, options, console)
    retention = _retain(data, people, roles, options, console)
    report = individual_report(
        retention,
        target=roles.target,
        source=data.name,
        command=command_line(),
        **made_by(options),
    )
    _save(report, retention, options, console)
    if options["as_json"]:
        echo_json(dict(report.to_dict()))
    else:
        _show(report, retention, data, options["output"])
    sys.exit(0 if retention.met else NOT_MET)


def _read(
    data: Path, roles: Roles, options: Mapping[str, Any], console: SafeConsole
) -> PeopleTable:
    from sparsam.data import CategoricalDomain, open_as
    from sparsam.individual import read_people

    source = open_as(data, roles)
    listed = [n for n, domain in roles.domains.items() if isinstance(domain, CategoricalDomain)]
    people = read_people(
        source,
        str(roles.target),
        identifiers=roles.unread,
        categorical=[*roles.categorical, *roles.ordered, *listed],
        numeric=[*roles.numeric, *(n for n in roles.domains if n not in listed), *roles.dates],
        missing=roles.missing_values,
        leave_out_incomplete=options["leave_out_incomplete"],
        drop_missing_target=roles.drop_missing_target,
    )
    records, wide = counted(people.n_rows, "record"), counted(len(people.attributes), "attribute")
    console.print(f"Read {records} with {wide}.")
    show_remarks(source, console)
    for note in people.notes:
        console.print(f"Note: {note}.")
    if people.rows is not None:
        console.print(
            f"{people.n_rows - len(people.rows):,} of them are {people.left_out} and left out; the "
            "mask holds the numbers of the others."
        )
    if people.lacking:
        console.print(
            f"Note: numbers are missing in {', '.join(people.lacking)}: what is not there is not "
            "kept, and filled in as what is not kept."
        )
    return people


def _retain(
    data: Path,
    people: PeopleTable,
    roles: Roles,
    options: Mapping[str, Any],
    console: SafeConsole,
) -> Retention:
    from sparsam.individual import retain

    output: Path | None = options["output"]
    if options["max_drop"] is not None:
        console.print("Searching the least share that will do …")
    with progress_bar(console, "Minimise and attack") as progress:
        return retain(
            people,
            keep=options["keep"],
            max_drop=options["max_drop"],
            algorithm=_spaced(options["algorithm"]),
            algorithms=_compared(options),
            shares=_shares(options),
            learner=_learner(options),
            imputation=options["imputation"],
            membership=options["membership"],
            n_references=options["references"],
            n_runs=options["runs"],
            privacy_weight=options["privacy_weight"],
            facts={"target": people.target, "source": data.name, **_told(roles, people)},
            random_state=options["seed"],
            progress=progress,
            on_mask=None if output is None else lambda mask: mask.save(output),
        )


def _told(roles: Roles, people: PeopleTable) -> dict[str, str]:
    """What was said of the table, for whoever applies the mask to read it in the same way."""
    carried = roles.carried(people.attributes).to_dict()
    return {"roles": json.dumps(carried, ensure_ascii=False)}


def _spaced(name: str) -> str:
    return name.replace("-", " ")


def _learner(options: Mapping[str, Any]) -> LogisticLearner | NetworkLearner:
    from sparsam.individual import LogisticLearner, NetworkLearner

    if options["learner"] == "network":
        return NetworkLearner(random_state=options["seed"])
    return LogisticLearner()


def _compared(options: Mapping[str, Any]) -> list[str]:
    """The algorithms for the curves; the chosen one is measured in any case."""
    text = options["compare"]
    if text is None:
        text = "none" if options["report"] is None else "all"
        if text == "all" and options["learner"] == "network":
            text = ",".join(QUICK)
    if text in ("all", "none"):
        return [_spaced(name) for name in ALGORITHMS] if text == "all" else []
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in ALGORITHMS]
    if unknown or not names:
        got = f"Got '{unknown[0]}' instead." if unknown else "Got none."
        raise click.UsageError(f"--compare must name some of {', '.join(ALGORITHMS)}. {got}")
    return [_spaced(name) for name in names]


def _shares(options: Mapping[str, Any]) -> list[float] | None:
    text = options["shares"]
    if text is None:
        return None if options["report"] is not None or options["compare"] is not None else []
    try:
        shares = [float(number) for number in text.split(",")]
    except ValueError:
        shares = []
    if not shares or not all(0 < share < 1 for share in shares):
        raise click.UsageError("--shares must be numbers between 0 and 1, such as 0.05,0.1,0.3.")
    return shares


def _show(report: IndividualReport, retention: Retention, data: Path, output: Path | None) -> None:
    """Print the decision for a person to read."""
    click.echo(report.to_terminal(tables().width))
    click.echo(f"The mask covers {_rows_words(retention, data)}.")
    if output is not None:
        table = data.name if isinstance(data, Path) else data
        use = f"sparsam apply {output.name} {table} -o retained.csv"
        click.echo(f"Carry it out with: {use}   (--fill: ready to train on)")


def _rows_words(retention: Retention, data: Path) -> str:
    mask = retention.mask
    if mask.rows is None:
        return f"all {mask.shape[0]:,} rows of {data.name}, in the order of the file"
    which = "have a target"
    if mask.facts.get("left_out") == "incomplete":
        which = "are complete"
    return (
        f"{mask.shape[0]:,} of the {mask.table_rows:,} rows of {data.name}: those that {which}, "
        "in the order of the file (their numbers are in the mask)"
    )


def _save(
    report: IndividualReport, retention: Retention, options: Mapping[str, Any], console: SafeConsole
) -> None:
    output, place = options["output"], options["report"]
    if output is not None:
        retention.mask.save(output)
        console.print(f"Wrote the mask to {output}.")
    if place is not None:
        report.save(place)
        console.print(f"Wrote the report to {place}.")
    if output is None and place is None:
        console.print("Nothing was saved: -o keeps the mask, --report the evidence.")

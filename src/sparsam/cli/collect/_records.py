"""`sparsam records`: what was collected, counted, trained on, taken back and tightened."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam.cli._options import (
    InputFile,
    OutputFile,
    claim_input,
    json_option,
    quiet_option,
    seed_option,
    spreadsheet_option,
)
from sparsam.cli._tables import STANDARD_OUTPUT, output_name, write_table
from sparsam.cli._terminal import echo_json, messages

if TYPE_CHECKING:
    from sparsam.collect import Store

ENDINGS = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz")
_LONGEST_RECEIPT = 100_000
# Named here too, so that the command line starts without loading what trains.
LEARNERS = ("pairs", "linear")

store_argument = click.argument("place", metavar="STORE")
key_option = click.option(
    "--key",
    type=InputFile,
    help="The file of the key that receipts are signed with.  [default: SPARSAM_RECEIPT_KEY, or "
    "the file beside a SQLite file]",
)


@click.group()
def records() -> None:
    """Count, train on, take back, tighten and export what `sparsam collect` has stored.

    STORE is a SQLite file or postgresql://…; a password is better kept in ~/.pgpass than in the
    address. Whatever command is run first deletes the records whose time is over.
    """


@records.command()
@store_argument
@json_option
def count(place: str, as_json: bool) -> None:
    """Count the records of STORE, and tell what it holds of each person."""
    from sparsam._small_counts import suppress

    with _opened(place) as store:
        total = suppress(store.count())
        facts = {
            "records": total,
            "mode": store.mode,
            "keep_days": store.keep_days,
            "buckets": dict(zip(store.columns, store.sizes, strict=True)),
            "asks": list(store.collected.names),
            "target": None if store.target is None else store.target.name,
            "generalization": store.fingerprint,
        }
    if as_json:
        echo_json(facts)
        return
    rows = {
        "records": f"{total:,}" if isinstance(total, int) else str(total),
        "kept": f"{store.mode}, for {store.keep_days} day{'s' * (store.keep_days != 1)}",
        "of each": _of_each(store),
        "table": f"records_{store.fingerprint}",
    }
    for name, value in rows.items():
        click.echo(f"{name:<8}  {value}")


def _of_each(store: Store) -> str:
    """What a store holds of each person."""
    from sparsam.collect import Questionnaire

    parts = [
        f"{name} ({size} buckets)" for name, size in zip(store.columns, store.sizes, strict=True)
    ]
    if isinstance(store.source, Questionnaire):
        asked = [name for name in store.collected.names if name not in store.columns]
        parts[0] = f"one of {store.sizes[0]:,} interviews about {', '.join(asked)}"
    return ", ".join(parts)


@records.command()
@store_argument
@click.option(
    "-o", "--output", type=OutputFile(".skops"), required=True, help="Where to save it (.skops)."
)
@click.option(
    "--learner",
    type=click.Choice(LEARNERS),
    default="pairs",
    show_default=True,
    help="A logistic regression over buckets and pairs of buckets, or over buckets alone.",
)
@seed_option
@json_option
@quiet_option
def train(place: str, output: Path, learner: Any, seed: int, as_json: bool, quiet: bool) -> None:
    """Train a model on the records of STORE, which must have been collected with their target.

    The model takes labels of buckets: `sparsam collect … --model FILE --model-takes labels`. Of
    interviews it takes the labels of the answers, and "not asked". It is judged on a fifth of the
    records that it has not learned from, then learned from all. The file runs no code when it is
    opened.
    """
    from sparsam.collect import hold_out, save_model, train_model

    with _opened(place) as store:
        training = store.training()
    judged = hold_out(training, learner, random_state=seed)
    save_model(train_model(training, learner), output)
    facts = None if judged is None else judged.to_dict()
    if as_json:
        echo_json({"model": output.name, "learner": learner, "held_out": facts})
    elif not quiet:
        messages().print(f"Wrote {output}. The model takes labels of buckets.")
        click.echo(_verdict(facts))


def _verdict(facts: dict[str, Any] | None) -> str:
    if facts is None:
        return "There are too few records to tell how good it is."
    return (
        f"Accuracy {facts['accuracy']:.1%} on one fifth of the records, held out; guessing the "
        f"commonest class would get {facts['baseline']:.1%}."
    )


@records.command()
@store_argument
@click.argument("receipt")
@key_option
@quiet_option
def forget(place: str, receipt: str, key: Path | None, quiet: bool) -> None:
    """Delete the record of STORE that RECEIPT was given for, and all that is left of it.

    With - the receipt is read from standard input, so that it is in no list of commands.
    """
    if receipt == "-":
        receipt = sys.stdin.read(_LONGEST_RECEIPT)
    with _opened(place, key) as store:
        store.forget(receipt)
    messages(quiet).print("The record is deleted.")


@records.command()
@store_argument
@click.argument("coarser", type=InputFile)
@quiet_option
def tighten(place: str, coarser: Path, quiet: bool) -> None:
    """Move all records of STORE to the generalization COARSER (.json), and forget the finer ones.

    COARSER must be coarser in every attribute. All counts are kept, and receipts stay good. Stop
    the collector first, and start it again with COARSER. A store of interviews has no coarser one:
    collect with the new questionnaire into another store, and let this one expire.
    """
    from sparsam.generalization import Generalization

    generalization = Generalization.load(coarser)
    with _opened(place) as store:
        before = sum(store.sizes)
        store.tighten(generalization)
        messages(quiet).print(f"Tightened, from {before} to {sum(store.sizes)} buckets.")


@records.command()
@store_argument
@click.option(
    "-o",
    "--output",
    type=OutputFile(*ENDINGS, pipe=True),
    required=True,
    help="A .csv or .parquet file, or - for standard output (CSV).",
)
@click.option("--codes", is_flag=True, help="Numbers of buckets instead of labels.")
@spreadsheet_option
@quiet_option
def export(place: str, output: Path, codes: bool, spreadsheet_safe: bool, quiet: bool) -> None:
    """Write the records of STORE as a table: each combination of buckets once, and how many.

    These are the records themselves, small counts too: the file is no more public than the store.
    Days are left out. What an interview did not ask for is "not asked", with --codes nothing.
    """
    from sparsam.data.source import check_spreadsheet, write_columns

    write: Any = partial(write_columns, path=output)
    if output == STANDARD_OUTPUT:
        write = write_table
    elif spreadsheet_safe:
        check_spreadsheet(output)
    with _opened(place) as store:
        training = store.training()
    columns = training.columns(codes=codes)
    write(columns, spreadsheet_safe=spreadsheet_safe)
    messages(quiet).print(f"Wrote {output_name(output)}.")


def _opened(place: str, key: Path | None = None) -> Store:
    from sparsam.collect import Store

    if "://" not in place:
        claim_input(Path(place), "STORE")
    return Store.reopen(place, key=key)

"""`sparsam apply`: generalize records."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from sparsam.cli._console import messages
from sparsam.cli._options import InputFile, OutputFile, missing_option, quiet_option

ENDINGS = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz")


@click.command()
@click.argument("generalization", type=InputFile)
@click.argument("data", type=InputFile)
@click.option(
    "-o", "--output", type=OutputFile(*ENDINGS), required=True, help="A .csv or .parquet file."
)
@click.option("--keep", multiple=True, metavar="NAME", help="Another column to pass through.")
@click.option("--codes", is_flag=True, help="Numbers of buckets instead of labels.")
@missing_option
@quiet_option
def apply(
    generalization: Path,
    data: Path,
    output: Path,
    keep: tuple[str, ...],
    codes: bool,
    missing: tuple[str, ...],
    quiet: bool,
) -> None:
    """Generalize the records of DATA with a saved GENERALIZATION.

    Only the attributes that are collected come out, in buckets; every other column is left out
    unless it is named with --keep.
    """
    from sparsam.data import column_names, columns_of, write_columns
    from sparsam.generalization import CategoricalPartition, Generalization

    artifact = Generalization.load(generalization)
    names = (*artifact.collected, *keep)
    text = [
        part.name
        for part in artifact
        if isinstance(part, CategoricalPartition)
        and any(isinstance(category, str) for category in part.domain.categories)
    ]
    columns = columns_of(data, names, text=text, missing=missing)
    made = artifact.apply(columns, keep=keep, output="codes" if codes else "labels")
    write_columns(made, output)
    console = messages(quiet)
    console.print(f"Wrote {len(next(iter(made.values()))):,} records to {output.name}.")
    left_out = [name for name in column_names(data) if name not in names]
    idle = [name for name in left_out if name in artifact]
    other = [name for name in left_out if name not in artifact]
    if idle:
        console.print(f"Not to be collected, left out: {', '.join(idle)}.")
    if other:
        console.print(f"Left out: {', '.join(other)} (--keep passes a column through).")

"""`sparsam apply`: generalize records, or retain what a mask keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

from sparsam._documents import parse_json
from sparsam._errors import DocumentError
from sparsam.cli._options import (
    InputFile,
    InputTable,
    OutputFile,
    missing_option,
    names_option,
    quiet_option,
    roles_from,
    roles_option,
    spreadsheet_option,
)
from sparsam.cli._tables import (
    STANDARD_OUTPUT,
    file_options,
    output_name,
    show_remarks,
    write_table,
)
from sparsam.cli._terminal import counted, messages

if TYPE_CHECKING:
    from sparsam.data import Roles, Source
    from sparsam.individual import Mask, PeopleTable


ENDINGS = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz")


@click.command()
@click.argument("artifact", type=InputFile)
@click.argument("data", type=InputTable)
@click.option(
    "-o",
    "--output",
    type=OutputFile(*ENDINGS, pipe=True),
    required=True,
    help="A .csv or .parquet file, or - for standard output (CSV).",
)
@names_option("--keep", help="Other columns to pass through.")
@click.option("--codes", is_flag=True, help="Numbers of buckets instead of labels.")
@click.option(
    "--fill",
    is_flag=True,
    help="For a mask: scaled numbers with what goes filled in, ready to train on.",
)
@missing_option
@file_options
@roles_option
@spreadsheet_option
@quiet_option
def apply(
    artifact: Path,
    data: Path,
    output: Path,
    keep: tuple[str, ...],
    codes: bool,
    fill: bool,
    missing: tuple[str, ...],
    roles: Path | None,
    spreadsheet_safe: bool,
    quiet: bool,
    **form: str | None,
) -> None:
    """Apply a saved ARTIFACT to the records of DATA: a generalization (.json) or a mask (.npz).

    With a generalization, only the attributes that are collected come out, in buckets. With a
    mask, the values that it keeps come out, with holes elsewhere, and the target. Every other
    column is left out unless it is named with --keep. What was said of the table when the artifact
    was found need not be said again: texts that mean missing, the format of the file.
    """
    from sparsam.data.source import check_spreadsheet, write_columns

    write: Callable[..., None] = partial(write_columns, path=output)
    if output == STANDARD_OUTPUT:
        write = write_table
    elif spreadsheet_safe:
        check_spreadsheet(output)
    write = partial(write, spreadsheet_safe=spreadsheet_safe)
    told = roles_from({"missing": missing, "roles": roles, **form})
    if artifact.suffix.lower() == ".npz":
        if codes:
            raise click.UsageError("--codes goes with a generalization (.json), not with a mask.")
        apply_mask(artifact, data, output, keep, write, fill=fill, roles=told, quiet=quiet)
        return
    if fill:
        raise click.UsageError("--fill goes with a mask (.npz), not with a generalization.")
    _apply_generalization(
        artifact,
        data,
        output,
        keep,
        write,
        codes=codes,
        roles=told,
        to_file=output != STANDARD_OUTPUT and not spreadsheet_safe,
        quiet=quiet,
    )


def _apply_generalization(
    artifact: Path,
    data: Path,
    output: Path,
    keep: tuple[str, ...],
    write: Callable[[Mapping[str, Any]], None],
    *,
    codes: bool,
    roles: Roles,
    to_file: bool,
    quiet: bool,
) -> None:
    from sparsam.data import carried_roles, open_as
    from sparsam.data.source import write_relation
    from sparsam.generalization import CategoricalPartition, Generalization, apply_in_place

    generalization = Generalization.load(artifact)
    source = open_as(data, roles.completed_by(carried_roles(generalization.about)))
    names = (*generalization.collected, *keep)
    text = [
        part.name
        for part in generalization
        if isinstance(part, CategoricalPartition)
        and any(isinstance(category, str) for category in part.domain.categories)
    ]
    kind: Literal["codes", "labels"] = "codes" if codes else "labels"
    # rows of a file or a database need not be in memory, unless they are written by Python
    applied = apply_in_place(generalization, source, keep, kind, text) if to_file else None
    console = messages(quiet)
    if applied is not None:
        show_remarks(source, console, applied.remarks)
        write_relation(applied.relation, output)
        n_rows = source.n_rows
    else:
        columns = source.columns(names, text)
        show_remarks(source, console)
        release = generalization.apply(columns, keep=keep, output=kind)
        write(release)
        n_rows = len(next(iter(release.values())))
    written = counted(n_rows, "record")
    console.print(f"Wrote {written} to {output_name(output)}.")
    left_out = [name for name in source.names if name not in names]
    idle = [name for name in left_out if name in generalization]
    other = [name for name in left_out if name not in generalization]
    if idle:
        console.print(f"Not to be collected, left out: {', '.join(idle)}.")
    if other:
        console.print(f"Left out: {', '.join(other)} (--keep passes a column through).")


def apply_mask(
    artifact: Path,
    data: Path,
    output: Path,
    keep: tuple[str, ...],
    write: Callable[[Mapping[str, Any]], None],
    *,
    fill: bool,
    roles: Roles,
    quiet: bool,
) -> None:
    """Return the values of a table that a mask keeps, and the target, to `write`."""
    from sparsam.data import open_as
    from sparsam.individual import Mask

    mask = Mask.load(artifact)
    told = roles.completed_by(_told(mask))
    source = open_as(data, told)
    people = _people(mask, source, told)
    columns = people.filled(mask, _imputation(mask)) if fill else people.retained(mask)
    for name, values in source.columns(keep).items():
        columns[name] = values if people.rows is None else values[people.rows]
    write(columns)
    console = messages(quiet)
    # A hash in the mask would tell the same, and let whoever holds the mask guess a person's row.
    console.print(
        "Note: a mask goes by the names of columns and the order of rows: these must be the same "
        "people in the same order as in the table that it was found for."
    )
    people_kept, whole = mask.shape[0], people.n_rows
    console.print(f"Wrote {counted(people_kept, 'record')} to {output_name(output)}.")
    if people_kept < whole:
        why = "without a target" if people.left_out == "without target" else "as incomplete"
        console.print(f"Left out: {whole - people_kept:,} of {counted(whole, 'row')}, {why}.")
    if fill:
        console.print("Scaled to [0, 1]; what was not kept is filled in from statistics.")
    else:
        share = f"{mask.kept_share:.2%}".replace("%", " %")
        there = " that are there" if mask.n_values < mask.kept.size else ""
        console.print(f"{share} of the values{there} are kept, the others are empty.")
    other = [name for name in source.names if name not in columns]
    if other:
        console.print(f"Left out: {', '.join(other)} (--keep passes a column through).")


def _told(mask: Mask) -> Roles:
    """What was said of the table when the mask was found; older masks list texts alone."""
    from sparsam.data import Roles

    if "roles" in mask.facts:
        return Roles.from_dict(parse_json(str(mask.facts["roles"])), "$.facts.roles")
    return Roles(missing_values=_listed(mask, "missing"))


def _people(mask: Mask, data: Source, roles: Roles) -> PeopleTable:
    from sparsam.individual import read_people

    target = mask.facts.get("target")
    if not isinstance(target, str):
        raise click.UsageError(
            "This mask does not say what it was found for. Apply it in Python: Mask.apply."
        )
    return read_people(
        data,
        target,
        attributes=mask.attributes,
        categorical=_listed(mask, "categorical"),
        missing=roles.missing_values,
        # a mask that does not say so was found when only complete rows were used
        leave_out_incomplete=mask.rows is not None
        and mask.facts.get("left_out", "incomplete") == "incomplete",
        drop_missing_target=mask.rows is not None,
    )


def _listed(mask: Mask, name: str) -> list[str]:
    texts: Any = parse_json(str(mask.facts.get(name, "[]")))
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DocumentError(f"'{name}' must be a list of texts.", f"$.facts.{name}")
    return texts


def _imputation(mask: Mask) -> Any:
    return mask.facts.get("imputation", "gaussian")

"""`sparsam roles`: propose what the columns of a table are and are for, in a file to edit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sparsam.cli._options import InputTable, OutputFile, json_option, quiet_option
from sparsam.cli._tables import check_alone, file_options, form_from
from sparsam.cli._terminal import echo_json, messages, tables, write_out

if TYPE_CHECKING:
    from sparsam.data import ColumnProposal, ProposedRoles
    from sparsam.report.page import Block

NOTHING = "–"


@click.command()
@click.argument("data", type=InputTable)
@click.option(
    "-o",
    "--output",
    type=OutputFile(".toml", pipe=True),
    help="Where to save the roles (.toml, or - for standard output).",
)
@click.option(
    "--target",
    metavar="NAME|EXPRESSION",
    help='What the model will predict: a column, or "income>50000". Leaks of it are pointed out.',
)
@file_options
@json_option
@quiet_option
def roles(
    data: Path,
    output: Path | None,
    target: str | None,
    as_json: bool,
    quiet: bool,
    **form: str | None,
) -> None:
    """Propose what every column of DATA is and is for, and why, in a file to edit.

    Names and values are looked at: what is a number, a category or a date, what names people, which
    texts mean missing, what may be a special category under the GDPR. Read the file, change what is
    wrong, and hand it to the other commands with --roles.
    """
    from sparsam.data import open_source, propose_roles
    from sparsam.report.page import print_blocks

    alone = check_alone(output, "as_json")
    proposed = propose_roles(open_source(data, form_from(form)), target)
    if alone:
        write_out(proposed.to_toml())
        return
    if as_json:
        echo_json(proposed.to_dict())
    else:
        print_blocks(_blocks(proposed), tables())
    console = messages(quiet)
    if output is None:
        console.print("Nothing was saved: -o keeps the roles, to be edited.")
        return
    proposed.save(output)
    console.print(f"Wrote the roles to {output}. Read every line, and change what is wrong.")
    console.print(f"Then: sparsam minimise {data.name} --roles {output.name} -o people.json")


def _blocks(proposed: ProposedRoles) -> Iterator[Block]:
    from sparsam.report.page import Table, Text, name

    yield Text("Proposed, not decided:")
    yield Table(
        "What every column is and is for",
        ("column", "kind", "role", "why"),
        tuple(
            (
                name(column.name),
                column.kind or NOTHING,
                column.role,
                name("; ".join(_reasons(column))),
            )
            for column in proposed.columns
        ),
    )


def _reasons(column: ColumnProposal) -> Iterator[str]:
    yield column.why
    if column.unit is not None:
        yield f"in {column.unit}"
    if column.missing:
        yield f"{', '.join(map(repr, column.missing))} looks like missing"
    yield from column.remarks

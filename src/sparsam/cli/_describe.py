"""`sparsam describe`: what a generalization collects, a mask retains, a table or a ledger holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam._printable import one_line
from sparsam.cli._ledger import LAST, is_ledger, opened_ledger, show_ledger
from sparsam.cli._options import InputTable, json_option, role_options, roles_from
from sparsam.cli._tables import is_table
from sparsam.cli._terminal import echo_json

if TYPE_CHECKING:
    from sparsam.data import Roles


@click.command()
@click.argument("file", type=InputTable)
@role_options
@json_option
def describe(file: Path, as_json: bool, **options: Any) -> None:
    """Describe FILE: a generalization (.json), a mask (.npz), a ledger, or a table as it is read.

    For a table: each attribute, its kind and how many values it has; never a value of a person.
    For a ledger: its budget, what is left and the last charges.
    """
    if is_table(file):
        _describe_table(file, as_json, roles_from(options))
        return
    if is_ledger(file):
        with opened_ledger(file) as ledger:
            show_ledger(ledger, LAST, as_json)
        return
    if file.suffix.lower() == ".json":
        _describe_generalization(file, as_json)
        return
    if file.suffix.lower() == ".npz":
        _describe_mask(file, as_json)
        return
    _describe_table(file, as_json, roles_from(options))


def _describe_generalization(file: Path, as_json: bool) -> None:
    from sparsam.generalization import Generalization

    artifact = Generalization.load(file)
    if as_json:
        attributes = [
            {"name": part.name, "collected": part.collected, "buckets": list(part.labels)}
            for part in artifact
        ]
        echo_json({"attributes": attributes, "about": artifact.about})
        return
    click.echo(str(artifact))
    click.echo(f"\nCollects {len(artifact.collected)} of {len(artifact)} attributes.")
    for name, value in artifact.about.items():
        click.echo(one_line(f"{name.replace('_', ' ')}: {_in_words(value)}"))


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        pairs = value.items()
        return ", ".join(f"{name.replace('_', ' ')} {_in_words(inner)}" for name, inner in pairs)
    return ", ".join(map(_in_words, value)) if isinstance(value, list) else str(value)


def _describe_mask(file: Path, as_json: bool) -> None:
    from sparsam.individual import Mask

    mask = Mask.load(file)
    facts = {"attributes": list(mask.attributes), **mask.facts}
    if as_json:
        people, wide = mask.shape
        kept = {"people": people, "values": people * wide, "kept": mask.n_kept}
        origin = {"algorithm": mask.algorithm, "learner": mask.learner, "seed": mask.random_state}
        echo_json({**kept, **origin, "about": facts})
        return
    click.echo(one_line(f"{mask}."))
    for name, value in facts.items():
        click.echo(one_line(f"{name.replace('_', ' ')}: {_in_words(value)}"))


def _describe_table(file: Path, as_json: bool, roles: Roles) -> None:
    from sparsam.data import read

    table = read(file, roles=roles)
    rows = [
        {
            "attribute": attribute.name,
            "kind": attribute.kind,
            "values": attribute.n_values,
            "missing": attribute.missing,
            "binned": attribute.binned,
        }
        for attribute in table.attributes
    ]
    if as_json:
        echo_json({"rows": table.n_rows, "attributes": rows, "notes": list(table.notes)})
        return
    width = max(len(one_line(name)) for name in table.names)
    click.echo(f"{table.n_rows:,} records, {len(rows)} attributes")
    for row in rows:
        missing = ", some missing" if row["missing"] else ""
        values = (
            f"{row['values']:,} {'bin' if row['binned'] else 'value'}{'s' * (row['values'] != 1)}"
        )
        click.echo(f"{one_line(str(row['attribute'])):<{width}}  {row['kind']}, {values}{missing}")
    for note in table.notes:
        click.echo(one_line(f"Note: {note}"))

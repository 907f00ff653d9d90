"""Retain of a table what a mask keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam._documents import parse_json
from sparsam._errors import DocumentError
from sparsam.cli._console import messages

if TYPE_CHECKING:
    from sparsam.data import Source
    from sparsam.individual import Mask, PeopleTable


def apply_mask(
    artifact: Path,
    data: Path,
    output: Path,
    keep: tuple[str, ...],
    write: Callable[[Mapping[str, Any]], None],
    *,
    fill: bool,
    missing: tuple[str, ...],
    quiet: bool,
) -> None:
    """Return the values of DATA that a mask keeps, and the target, to `write`."""
    from sparsam.data import open_source
    from sparsam.individual import Mask

    mask = Mask.load(artifact)
    source = open_source(data)
    people = _people(mask, source, missing)
    made = people.filled(mask, _imputation(mask)) if fill else people.retained(mask)
    for name, values in source.columns(keep, missing=missing).items():
        made[name] = values if people.rows is None else values[people.rows]
    write(made)
    console = messages(quiet)
    # A hash in the mask would tell the same, and let whoever holds the mask guess a person's row.
    console.print(
        "Note: a mask goes by the names of columns and the order of rows: these must be the same "
        "people in the same order as in the table that it was found for."
    )
    people_kept, whole = mask.shape[0], people.n_rows
    console.print(f"Wrote {people_kept:,} records to {output.name}.")
    if people_kept < whole:
        console.print(f"Left out: {whole - people_kept:,} of {whole:,} rows, as incomplete.")
    if fill:
        console.print("Scaled to [0, 1]; what was not kept is filled in from statistics.")
    else:
        share = f"{mask.kept_share:.2%}".replace("%", " %")
        console.print(f"{share} of the values are kept, the others are empty.")
    other = [name for name in source.names if name not in made]
    if other:
        console.print(f"Left out: {', '.join(other)} (--keep passes a column through).")


def _people(mask: Mask, data: Source, missing: tuple[str, ...]) -> PeopleTable:
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
        missing=missing or _listed(mask, "missing"),
        leave_out_incomplete=mask.rows is not None,
    )


def _listed(mask: Mask, name: str) -> list[str]:
    found: Any = parse_json(str(mask.facts.get(name, "[]")))
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise DocumentError(f"'{name}' must be a list of texts.", f"$.facts.{name}")
    return found


def _imputation(mask: Mask) -> Any:
    return mask.facts.get("imputation", "gaussian")

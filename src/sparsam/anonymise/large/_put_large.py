"""Put a release in its place that was never in memory: written, counted by an engine, certified."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparsam._errors import DataError, ParameterError, ReleaseError, hint
from sparsam._writing import new_path
from sparsam.anonymise._publish import refuse_unique
from sparsam.anonymise._release import Release, beside
from sparsam.anonymise.large._divide import Divided
from sparsam.anonymise.large._released_records import ReleasedRecords
from sparsam.anonymise.proof._certificate import Terms
from sparsam.anonymise.proof._verify import certify
from sparsam.data.large import write_rows
from sparsam.data.source import output_ending

_QUOTED = ('"', ",", "\t", "\r", "\n", "#")


def check_output(records: ReleasedRecords, path: str | os.PathLike[str], budget: int) -> None:
    """Refuse, before anything is written, what could not be counted or shuffled.

    Parameters
    ----------
    records : ReleasedRecords
    path : str or path
    budget : int
        Bytes that may be taken.
    """
    if 4 * records.n_rows > budget:
        more = "allow more memory, four bytes a row: "
        raise DataError(
            f"The order of {records.n_rows:,} rows must fit into memory. It does not."
            + hint(f"{more}max_memory", f"{more}--max-memory")
        )
    if output_ending(path) == ".parquet":
        return
    texts = [v for values in records.values.values() for v in values if isinstance(v, str)]
    if len(records.values) < 2 or any(s in t for t in [*texts, *records.values] for s in _QUOTED):
        raise ParameterError(
            "A large release must be a .parquet file where cells have commas, tabs, quotes or '#', "
            f"and where it has one column. Got '{Path(path).name}' instead."
        )


def put_large(
    divided: Divided,
    columns: Sequence[str],
    quasi_identifiers: Sequence[str],
    demands: Sequence[Terms],
    path: str | os.PathLike[str],
    certificate_path: str | os.PathLike[str] | None,
    *,
    parameters: Mapping[str, Any],
    accept_unique: bool,
    random_state: int,
    budget: int,
) -> Release:
    """Write a release, count what was written, certify it, and put it in its place.

    Nothing is written but the release itself, which has no name until it was certified.

    Parameters
    ----------
    divided : Divided
    columns : sequence of str
        The order of the columns.
    quasi_identifiers : sequence of str
    demands : sequence of Terms
    path : str or path
    certificate_path : str or path or None
        By default beside the release.
    parameters : mapping
        What the certificate states about how it was made.
    accept_unique, random_state
        See `Anonymiser`.
    budget : int
        Bytes that may be taken.
    """
    records = divided.records.ordered(columns)
    check_output(records, path, budget)
    ending = output_ending(path)
    paper_path = beside(path) if certificate_path is None else Path(certificate_path)
    checked = records.sha256()
    with new_path(path) as place:
        index, batches = records.places.dtype, records.batches(random_state)
        write_rows(records.values, index, batches, place, ending, max_memory=budget)
        paper = certify(
            place,
            tuple(name for name in columns if name in set(quasi_identifiers)),
            demands,
            suppressed=divided.n_suppressed,
            information_loss={loss.name: loss.overall for loss in divided.losses.values()},
            parameters=parameters,
            max_memory=budget,
            ending=ending,
        )
        if paper.sha256 != checked:
            raise ReleaseError(
                "The file must have the cells that were checked. It has others after it was "
                "written, and nothing was released.\n\nHint: a .parquet file keeps values as they "
                "are."
            )
        if not accept_unique:
            refuse_unique(paper)
        paper.save(paper_path)
    return Release(Path(path), paper_path, paper)

"""Put the published values into the user's own frame: same library, order and types."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, SparsamWarning
from sparsam.data import count_rows
from sparsam.data.model import (
    OwnFrame,
    Replacement,
    gather,
    open_own,
    replace_columns,
    without_unused,
)


def released_frame(
    source: Any,
    made: Mapping[str, Sequence[Any]],
    rows: NDArray[np.int64],
    record: NDArray[np.int64],
    keep: Sequence[str],
) -> Any:
    """Make a frame of the same library from published records and from columns to keep.

    Parameters
    ----------
    source : frame, mapping, ndarray, Table or path
        A Table, a file and a DuckDB relation become pandas frames where pandas is installed, and
        dicts of arrays elsewhere. The row labels of a pandas frame are dropped, with a warning
        unless they only count the rows: a file would hold them, and they may name people.
    made : mapping of str to sequence
        For each column the value of every record.
    rows : ndarray of int
        The rows that are published, ascending.
    record : ndarray of int
        The record of each of them.
    keep : sequence of str
        Columns to pass through as they are; all others are left out.
    """
    frame = open_own(source)
    check_names([*made, *keep], frame.names)
    places = [p for p, name in enumerate(frame.names) if name in made or name in keep]
    new = {name: Replacement(values, record) for name, values in made.items()}
    if isinstance(frame.native, np.ndarray):
        return _matrix(frame, new, rows, places)
    taken = _taken(frame, rows, places)
    if hasattr(taken, "iloc"):
        _warn_of_labels(source)
        made_frame = _pandas(taken, new, [frame.names[p] for p in places])
    else:
        made_frame = replace_columns(taken, new, keep)
    return without_unused(made_frame)


def _warn_of_labels(source: Any) -> None:
    labels = source.index if hasattr(source, "iloc") else None
    if labels is None or (type(labels).__name__ == "RangeIndex" and labels.name is None):
        return
    warnings.warn(
        "The row labels (the index) of the frame are not published: they may name people, and a "
        "file would hold them. The rows of the release are numbered from 0 on.",
        SparsamWarning,
        stacklevel=6,
    )


def check_rows(source: Any, n_rows: int) -> None:
    """Raise unless the frame has as many rows as were divided into classes."""
    found = count_rows(source)
    if found != n_rows:
        raise DataError(
            f"The frame must have the {n_rows:,} rows that were divided into classes. "
            f"Got {found:,} instead."
        )


def _taken(frame: OwnFrame, rows: NDArray[np.int64], places: Sequence[int]) -> Any:
    columns = [gather(frame.column(place), rows) for place in places]
    return frame.builder(places)(columns, len(rows))


def _pandas(taken: Any, new: Mapping[str, Replacement], names: Sequence[str]) -> Any:
    """Replace columns by their names as texts; a column's own label may be a number."""
    labels = taken.columns
    taken.columns = list(names)
    made = replace_columns(taken, new, [name for name in names if name not in new])
    made.columns = labels
    return made


def _matrix(
    frame: OwnFrame,
    new: Mapping[str, Replacement],
    rows: NDArray[np.int64],
    places: Sequence[int],
) -> Any:
    columns = [
        new[name].array() if name in new else frame.column(place)[rows]
        for place, name in ((place, frame.names[place]) for place in places)
    ]
    return frame.builder(places)(columns, len(rows))

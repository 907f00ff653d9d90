"""What comes home when an engine counts its rows: combinations of values, and their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source.lazy._sql import Dialect

Names = tuple[str, ...]
COUNT = "number_of_rows"
_SET = "set_of_columns"
_MOST_NAMES = 60  # in one query: a bit for each says which of them a row is counted by
_MOST_SETS = 200  # in one query: Spark writes code for each


@dataclass(frozen=True, repr=False)
class GroupCounts:
    """How many rows share each combination of values.

    Attributes
    ----------
    columns : tuple of ndarray
        The combinations, one array for each column; masked where a value is missing.
    counts : ndarray of int64
        The rows that have each of them.
    """

    columns: tuple[NDArray[Any], ...]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)


def parts_of(sets: Sequence[Names]) -> Iterator[list[Names]]:
    """Sets of columns that go together into one query."""
    part: list[Names] = []
    for names in sets:
        full = len(part) == _MOST_SETS or len({*names}.union(*part)) > _MOST_NAMES
        if part and full:
            yield part
            part = []
        part.append(names)
    if part:
        yield part


def grouping_sets(sets: Sequence[Names], table: str, dialect: Dialect) -> str:
    """A query with a line for each combination of each set; the engine looks at its rows once."""
    quote, names = dialect.quoted, _all_names(sets)
    listed = ", ".join(map(quote, names))
    grouped = ", ".join(f"({', '.join(map(quote, named))})" for named in dict.fromkeys(sets))
    told = "".join(f", {quote(name)} AS c{place}" for place, name in enumerate(names))
    which = f"grouping_id({listed})" if names else "0"
    return (
        f"SELECT {which} AS {_SET}, count(*) AS {COUNT}{told} "
        f"FROM {table} GROUP BY GROUPING SETS ({grouped})"
    )


def _all_names(sets: Sequence[Names]) -> list[str]:
    return list(dict.fromkeys(name for named in sets for name in named))


def sets_apart(sets: Sequence[Names], answer: Mapping[str, NDArray[Any]]) -> list[GroupCounts]:
    """The lines of each set of such a query: a bit is set for each name that is not counted by."""
    names = _all_names(sets)
    which = np.asarray(answer[_SET]).astype(np.int64)
    counts = np.asarray(answer[COUNT]).astype(np.int64)
    apart = []
    for named in sets:
        bits = "".join("0" if name in named else "1" for name in names)
        lines = np.flatnonzero(which == int(bits or "0", 2))
        own = tuple(answer[f"c{names.index(name)}"][lines] for name in named)
        apart.append(GroupCounts(own, counts[lines]))
    return apart


def arrow_columns(table: Any) -> dict[str, NDArray[Any]]:
    """The columns of an Arrow table as arrays, masked where a value is missing."""
    return {name: _arrow_column(table.column(name)) for name in table.column_names}


def _arrow_column(column: Any) -> NDArray[Any]:
    holes = column.is_null().to_numpy(zero_copy_only=False)
    whole = str(column.type).startswith(("int", "uint"))
    values = (column.fill_null(0) if whole else column).to_numpy(zero_copy_only=False)
    return np.ma.MaskedArray(values, holes) if holes.any() else np.asarray(values)


def series_values(series: Any) -> NDArray[Any]:
    """A series of polars or narwhals as an array, masked where a value is missing."""
    if not series.null_count():
        whole: NDArray[Any] = series.to_numpy()
        return whole
    filled = series.fill_null(0) if series.dtype.is_integer() else series
    return np.ma.MaskedArray(filled.to_numpy(), series.is_null().to_numpy())

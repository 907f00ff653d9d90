"""Count rows on an engine: how many share each combination of values, for several sets of columns.

The engine looks at its rows once, and only the counts come home. Everything that is told of all rows
of a table that does not fit into memory comes from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._lazy import LazyModule
from sparsam.data.source._engine import is_relation, quoted, unreadable_frame, worded

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

_MOST_NAMES = 60  # in one query: a bit for each says which of them a row is counted by
_SET, _COUNT = "set_of_columns", "number_of_rows"


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


def group_counts(frame: Any, sets: Sequence[tuple[str, ...]]) -> list[GroupCounts]:
    """Count the rows of a lazy frame by several sets of columns.

    Parameters
    ----------
    frame : DuckDB relation, Spark frame or other lazy frame
    sets : sequence of tuple of str
        Each names columns. An empty one counts all rows.

    Returns
    -------
    list of GroupCounts
        One for each set; in no order.

    Examples
    --------
    >>> import duckdb
    >>> people = duckdb.sql("select * from (values (1, 'f'), (1, 'm'), (2, 'f')) t(age, sex)")
    >>> by_age, everyone = group_counts(people, [("age",), ()])
    >>> dict(zip(by_age.columns[0].tolist(), by_age.counts.tolist(), strict=True)) == {1: 2, 2: 1}
    True
    >>> everyone.counts.tolist()
    [3]
    """
    counted: list[GroupCounts] = []
    for part in _parts(sets):
        counted += worded(lambda part=part: _counted(frame, part), unreadable_frame)  # type: ignore[misc]
    return counted


def _parts(sets: Sequence[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    """Sets that go together into one query."""
    part: list[tuple[str, ...]] = []
    for names in sets:
        if part and len({*names}.union(*part)) > _MOST_NAMES:
            yield part
            part = []
        part.append(names)
    if part:
        yield part


def _counted(frame: Any, sets: list[tuple[str, ...]]) -> list[GroupCounts]:
    if is_relation(frame):
        return _by_duckdb(frame, sets)
    lazy = nw.from_native(frame)
    if lazy.implementation.is_pyspark() or lazy.implementation.is_pyspark_connect():
        return _by_spark(frame, sets)
    if lazy.implementation.is_polars():
        return _by_polars(frame, sets)
    return [_by_narwhals(lazy, names) for names in sets]


def _query(sets: list[tuple[str, ...]], table: str, quote: Any) -> tuple[list[str], str]:
    """All names, and a query with a line for each combination of each set."""
    names = list(dict.fromkeys(name for named in sets for name in named))
    listed = [quote(name) for name in names]
    grouped = ", ".join(f"({', '.join(map(quote, named))})" for named in dict.fromkeys(sets))
    told = ", ".join(f"{column} AS c{place}" for place, column in enumerate(listed))
    which = f"grouping_id({', '.join(listed)})" if names else "0"
    return names, (
        f"SELECT {which} AS {_SET}, count(*) AS {_COUNT}{', ' if told else ''}{told} "
        f"FROM {table} GROUP BY GROUPING SETS ({grouped})"
    )


def _apart(
    sets: list[tuple[str, ...]], names: list[str], columns: dict[str, NDArray[Any]]
) -> list[GroupCounts]:
    """The lines of each set: a bit is set for each name that a line is not counted by."""
    which = np.asarray(columns[_SET]).astype(np.int64)
    counts = np.asarray(columns[_COUNT]).astype(np.int64)
    apart = []
    for named in sets:
        bits = "".join("0" if name in named else "1" for name in names)
        lines = np.flatnonzero(which == int(bits or "0", 2))
        own = tuple(columns[f"c{names.index(name)}"][lines] for name in named)
        apart.append(GroupCounts(own, counts[lines]))
    return apart


def _by_duckdb(relation: Any, sets: list[tuple[str, ...]]) -> list[GroupCounts]:
    names, query = _query(sets, "people_to_count", quoted)
    answer = relation.query("people_to_count", query)
    return _apart(sets, names, answer.fetchnumpy())


def _by_spark(frame: Any, sets: list[tuple[str, ...]]) -> list[GroupCounts]:
    names, query = _query(sets, "{people}", lambda name: f"`{name.replace('`', '``')}`")
    # braces are how Spark marks the frame
    query = query.replace("{people}", "\0").replace("{", "{{").replace("}", "}}")
    answer = frame.sparkSession.sql(query.replace("\0", "{people}"), people=frame)
    table = answer.toArrow()
    columns = {name: _masked(table.column(name)) for name in table.column_names}
    return _apart(sets, names, columns)


def _masked(column: Any) -> NDArray[Any]:
    """A column of Arrow, masked where a value is missing."""
    values = column.to_pandas().to_numpy()
    holes = column.is_null().to_numpy(zero_copy_only=False)
    if not holes.any():
        return np.asarray(values)
    return np.ma.MaskedArray(values, holes)


def _by_polars(frame: Any, sets: list[tuple[str, ...]]) -> list[GroupCounts]:
    import polars as pl

    queries = [
        frame.group_by([pl.col(name).alias(f"c{i}") for i, name in enumerate(named)]).agg(
            pl.len().alias(_COUNT)
        )
        if named
        else frame.select(pl.len().alias(_COUNT))
        for named in sets
    ]
    answers = pl.collect_all(queries, engine="streaming")
    return [
        GroupCounts(
            tuple(_series(answer[f"c{i}"]) for i in range(len(named))),
            answer[_COUNT].to_numpy().astype(np.int64),
        )
        for named, answer in zip(sets, answers, strict=True)
    ]


def _by_narwhals(frame: nw.LazyFrame[Any], named: tuple[str, ...]) -> GroupCounts:
    counted = frame.group_by(*named).agg(nw.len().alias(_COUNT)) if named else None
    answer = (frame.select(nw.len().alias(_COUNT)) if counted is None else counted).collect()
    own = tuple(_series(answer[name]) for name in named)
    return GroupCounts(own, answer[_COUNT].to_numpy().astype(np.int64))


def _series(series: Any) -> NDArray[Any]:
    """A column of a frame in memory, masked where a value is missing."""
    if not series.null_count():
        whole: NDArray[Any] = series.to_numpy()
        return whole
    filled = series.fill_null(0) if series.dtype.is_integer() else series
    return np.ma.MaskedArray(filled.to_numpy(), series.is_null().to_numpy())

"""The distinct values of columns, counted by the engine in one pass.

A column with millions of values would not fit. Of numbers, those that a hash picks stand for all,
and the ends of the range are exact; of moments the dates come home; of texts nothing but the news
that there are too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source.lazy._counts import GroupCounts
from sparsam.data.source.lazy._frame import LazyFrame

MOST_VALUES = 2_000_000  # of one column, that come home
_FEWEST_ROWS = 20  # fewer tell nothing of their order
_NEARLY_ALL = 0.9  # of the rows with a value of their own: worth a look at their order


@dataclass(frozen=True, repr=False)
class Distinct:
    """The distinct values of one column.

    Attributes
    ----------
    values : ndarray
        Masked where one is missing.
    counts : ndarray of int64
        How many rows have each.
    n_values : int
        How many values there are, about; more than came home where these would be too many.
    in_order : bool
        Whether the rows ascend or descend, where nearly every one has a value of its own.
    """

    values: NDArray[Any]
    counts: NDArray[np.int64]
    n_values: int
    in_order: bool = False

    @property
    def all_here(self) -> bool:
        """Whether every value came home."""
        return self.n_values <= MOST_VALUES


def distinct_values(frame: LazyFrame, names: Sequence[str]) -> tuple[int, list[Distinct]]:
    """Count all rows, and the values of several columns.

    Parameters
    ----------
    frame : LazyFrame
    names : sequence of str

    Returns
    -------
    int, list of Distinct
        How many rows there are, which the counts of a column do not tell where not every value came
        home; and the columns, in the order of the names.

    Examples
    --------
    >>> import duckdb
    >>> from sparsam.data.source import open_frame
    >>> people = open_frame(duckdb.sql("select unnest([30, 41, 30, null]) as age"))
    >>> n_rows, [found] = distinct_values(people, ["age"])
    >>> sorted(zip(found.values.tolist(), found.counts.tolist(), strict=True), key=str)
    [(30, 2), (41, 1), (None, 1)]
    """
    n_rows, sizes = frame.sizes(names)
    few = [name for name, size in zip(names, sizes, strict=True) if size <= MOST_VALUES]
    counted = dict(zip(few, frame.group_counts([(name,) for name in few]), strict=True))
    found = []
    for name, estimate in zip(names, sizes, strict=True):
        groups = counted[name] if name in counted else _some(frame, name, estimate)
        n_values = len(groups) if name in counted else estimate
        lonely = n_rows >= _FEWEST_ROWS and n_values >= _NEARLY_ALL * n_rows
        in_order = lonely and _whole(groups.columns[0]) and frame.only([name]).in_order(name)
        found.append(Distinct(groups.columns[0], groups.counts, n_values, in_order))
    return n_rows, found


def _whole(values: NDArray[Any]) -> bool:
    """Whether all values are whole numbers, by which rows may be numbered."""
    known = np.ma.compressed(values) if isinstance(values, np.ma.MaskedArray) else values
    if known.dtype.kind == "f":
        known = known[~np.isnan(known)]
        return bool((known == np.floor(known)).all())
    return known.dtype.kind in "iu"


def _some(frame: LazyFrame, name: str, size: int) -> GroupCounts:
    """Values that stand for all."""
    if frame.kind(name) == "moment":
        return frame.as_days(name).group_counts([(name,)])[0]
    if frame.kind(name) != "number":
        return GroupCounts((np.empty(0, dtype=object),), np.empty(0, dtype=np.int64))
    every = 2 * size // MOST_VALUES + 1
    inner = frame.some_values(name, every).group_counts([(name,)])[0]
    outer = frame.outermost(name).group_counts([(name,)])[0]
    numbers = [np.ma.filled(g.columns[0].astype(float), np.nan) for g in (outer, inner)]
    counts = np.concatenate([outer.counts, inner.counts * every])
    values, first = np.unique(np.concatenate(numbers), return_index=True)  # exact counts prevail
    return GroupCounts((values,), counts[first])

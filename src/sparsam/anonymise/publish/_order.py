"""The order in which rows leave: one that says nothing about the table they came from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data import column_names, columns_of
from sparsam.data.model import gather, open_own


def shuffled(release: Any, random_state: int = 0) -> Any:
    """Return a release with its rows in a random order.

    Who stands at which place in a table is known to many: tables are kept by name, by number, by
    date. The order of the raw rows cannot be found again, not even by someone who knows the seed.

    Parameters
    ----------
    release : pandas, polars or pyarrow frame, mapping of arrays or ndarray
    random_state : int, default=0

    Returns
    -------
    frame
        Of the same type, without row labels. The certificate of the release is true of it.

    Examples
    --------
    >>> shuffled({"age": np.array([30, 30, 50, 50, 40, 40])})["age"].tolist()
    [40, 40, 50, 50, 30, 30]
    """
    frame = open_own(release)
    order = row_order(release, random_state)
    columns = [gather(frame.column(place), order) for place in range(len(frame.names))]
    return frame.builder(range(len(frame.names)))(columns, len(order))


def row_order(release: Any, random_state: int = 0) -> NDArray[np.int64]:
    """Draw an order of rows that depends on what is published and on the seed, and on nothing else.

    Rows are sorted by their published cells first: shuffled as they came, whoever knows the seed
    could undo it.

    Parameters
    ----------
    release : frame, mapping of arrays, ndarray, Table or path
    random_state : int, default=0

    Returns
    -------
    ndarray of int
        For each place the row that goes there.
    """
    columns = columns_of(release, column_names(release))
    ranks = [_ranks(values) for values in columns.values()]
    order = np.lexsort(ranks[::-1])
    found: NDArray[np.int64] = order[np.random.default_rng(random_state).permutation(len(order))]
    return found


def _ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    """The place of every value among all of them; objects by their types and texts."""
    if values.dtype.kind not in "biufUSMm":
        values = np.array([f"{type(value).__name__} {value}" for value in values.tolist()])
    _, place = np.unique(values, return_inverse=True)
    return place.ravel().astype(np.int64)

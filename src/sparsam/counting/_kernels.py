"""Compiled loops over rows; nothing outside this folder calls them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.counting._compiled import compiled


@compiled()
def count_block(
    rows: NDArray[np.int32],
    codes: NDArray[np.uint16],
    responses: NDArray[np.unsignedinteger],
    column: int,
    first_cell: int,
    counts: NDArray[np.int32],
) -> None:
    """Add the joint counts of one column with every response to `counts`.

    `responses` hold, for each row, the cell of each response inside one line of `counts`.
    """
    n_responses = responses.shape[1]
    for i in range(rows.shape[0]):
        row = rows[i]
        line = first_cell + codes[row, column]
        for q in range(n_responses):
            counts[line, responses[row, q]] += 1


@compiled()
def divide_rows(
    rows: NDArray[np.int32],
    codes: NDArray[np.uint16],
    column: int,
    goes_left: NDArray[np.bool_],
    spare: NDArray[np.int32],
) -> int:
    """Move the rows that go left to the front, keeping their order; return how many."""
    n_left = 0
    n_right = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        if goes_left[codes[row, column]]:
            rows[n_left] = row
            n_left += 1
        else:
            spare[n_right] = row
            n_right += 1
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left

"""Find the best way to part one node of a tree in two, from joint counts alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.counting._compiled import compiled

ABSENT, LEFT, RIGHT = np.int8(0), np.int8(1), np.int8(2)

# Impurity per row below which a gain is none: far above round-off, far below any use.
ROUND_OFF = 1e-12


@dataclass(frozen=True, repr=False)
class Split:
    """One cut of a tree.

    Attributes
    ----------
    attribute : int
    sides : ndarray of int8
        For each code of the attribute: goes left (1), goes right (2), or does not occur here (0)
        and so need not be told apart from either.
    n_rows, n_left : int
    decrease : float
        Impurity that the split removes, as a share of the whole table.
    reuses : bool
        It cuts only between buckets that earlier splits made.
    start : int
        Where the node's rows begin, in the tree's order of rows: its left child begins there too,
        its right child `n_left` further on.
    """

    attribute: int
    sides: NDArray[np.int8]
    n_rows: int
    n_left: int
    decrease: float
    reuses: bool = False
    start: int = 0

    @property
    def goes_left(self) -> NDArray[np.bool_]:
        """Codes that go left."""
        left: NDArray[np.bool_] = self.sides == LEFT
        return left


@compiled(fastmath={"reassoc", "contract"})
def scan_order(
    counts: NDArray[np.int32],
    order: NDArray[np.int64],
    totals: NDArray[np.int64],
    starts: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    min_leaf: int,
) -> tuple[float, int]:
    """Best prefix of `order` to send left: its gain, and its length (0: none gains or is allowed).

    The gain of a prefix is the sum over responses q of
    c_q (S_q(left) / n_left + S_q(right) / n_right - S_q / n), where S_q is the sum of squared
    counts of q. All sums are of whole numbers below 2^53, so the order of addition is immaterial.
    """
    n_responses = coefficients.shape[0]
    left = np.zeros(totals.shape[0])
    whole = np.zeros(n_responses)
    squares = np.zeros(n_responses)
    cross = np.zeros(n_responses)
    for q in range(n_responses):
        for u in range(starts[q], starts[q + 1]):
            whole[q] += float(totals[u]) * float(totals[u])
    n = 0
    for u in range(starts[0], starts[1]):
        n += totals[u]
    n_left = 0
    best_gain, best_length = 0.0, 0
    for position in range(order.shape[0] - 1):
        line = order[position]
        for u in range(starts[0], starts[1]):
            n_left += counts[line, u]
        for q in range(n_responses):
            add_squares = 0.0
            add_cross = 0.0
            for u in range(starts[q], starts[q + 1]):
                here = float(counts[line, u])
                add_squares += here * (2.0 * left[u] + here)
                add_cross += here * float(totals[u])
                left[u] += here
            squares[q] += add_squares
            cross[q] += add_cross
        n_right = n - n_left
        if n_left < min_leaf or n_right < min_leaf:
            continue
        gain = 0.0
        for q in range(n_responses):
            right = whole[q] - 2.0 * cross[q] + squares[q]
            gain += coefficients[q] * (squares[q] / n_left + right / n_right - whole[q] / n)
        if gain > best_gain + ROUND_OFF * n:
            best_gain, best_length = gain, position + 1
    return best_gain, best_length

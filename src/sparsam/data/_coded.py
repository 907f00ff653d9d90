"""Whole numbers that stand for something else: 1 and 2 for a sex, 1 to 9 for a race."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data.roles._column_names import called_code, called_count, unit_of

# More different whole numbers than this are a quantity, unless the column is called a code.
MOST_CODES = 12
_MOST_CALLED_CODES = 1_000
_MOSTLY = 0.75


def are_codes(name: str, values: NDArray[Any], counts: NDArray[np.int64]) -> bool:
    """Tell whether whole numbers look like codes, rather than like a count or a measure.

    Parameters
    ----------
    name : str
        What the column is called.
    values : ndarray
        The different numbers, ascending.
    counts : ndarray of int
        How many rows have each.

    Examples
    --------
    >>> are_codes("race", np.array([1, 2, 9]), np.array([50, 30, 20]))
    True
    >>> are_codes("children", np.array([0, 1, 2, 3]), np.array([50, 30, 15, 5]))
    False
    """
    if called_code(name) and len(values) <= _MOST_CALLED_CODES:
        return True
    if unit_of(name) is not None or called_count(name) or not 1 < len(values) <= MOST_CODES:
        return False
    return len(values) == 2 or bool(values[0] != 0) or not _are_counts(counts)


def _are_counts(counts: NDArray[np.int64]) -> bool:
    """Whether higher numbers are rarer from 0 or 1 on, as of children, loans and visits."""
    peak = int(counts.argmax())
    falls = np.diff(counts[peak:]) <= 0
    return peak <= 1 and len(falls) > 0 and float(falls.mean()) >= _MOSTLY

"""Columns in which nearly every row has a value of its own: they name people, and teach nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.data._attribute import Attribute
from sparsam.data._factor import Factored
from sparsam.data.roles._column_names import called_identifier

# In fewer rows than this, all values may differ by chance.
FEWEST_ROWS = 20
# In fewer rows than this, ages may all differ and lie close together.
_FEWEST_NUMBERED = 50
_HALF = 0.5
_NEARLY_ALL = 0.95
# A numbering uses most numbers of its range; amounts that happen to differ lie far apart.
_DENSE = 0.5
_LONG = 8


def own_values(counts: NDArray[np.int64]) -> float:
    """Return the share of rows whose value no other row has, among the rows that have one.

    Parameters
    ----------
    counts : ndarray of int
        How many rows have each value.

    Examples
    --------
    >>> own_values(np.array([1, 1, 2]))
    0.5
    """
    known = int(counts.sum())
    return float((counts == 1).sum() / known) if known else 0.0


def nearly_unique(counts: NDArray[np.int64]) -> bool:
    """Tell whether more than half of the rows have a value of their own.

    Parameters
    ----------
    counts : ndarray of int
        How many rows have each value.
    """
    return int(counts.sum()) >= FEWEST_ROWS and own_values(counts) > _HALF


def is_near_identifier(attribute: Attribute, codes: NDArray[np.uint16]) -> bool:
    """Tell whether the categories of an attribute name people, one by one.

    Parameters
    ----------
    attribute : Attribute
    codes : ndarray of uint16
        Those of all rows.
    """
    if attribute.numeric:
        return False
    return nearly_unique(np.bincount(codes, minlength=attribute.size)[: attribute.n_values])


def is_numbering(name: str, factored: Factored) -> bool:
    """Tell whether a column of whole numbers numbers the rows, or the people.

    Another number in nearly every row is not enough: incomes differ too. Numbers of people run
    through their range, ascend or descend with the rows, have many digits and all equally many, or
    the column is called so.

    Parameters
    ----------
    name : str
        What the column is called.
    factored : Factored
        The column, taken apart.
    """
    if factored.kind != "number" or factored.values.dtype.kind != "i":
        return False
    counts = factored.counts()
    if int(counts.sum()) < _FEWEST_NUMBERED or own_values(counts) < _NEARLY_ALL:
        return False
    low, high = int(factored.values[0]), int(factored.values[-1])
    dense = len(factored.values) >= _DENSE * (high - low + 1)
    long = low > 0 and len(str(low)) == len(str(high)) >= _LONG
    return dense or long or called_identifier(name) or _in_order(factored)


def _in_order(factored: Factored) -> bool:
    """Tell whether the rows ascend or descend."""
    if factored.weights is not None:
        return factored.in_order
    steps = np.diff(factored.codes[factored.codes >= 0].astype(np.int64))
    return bool((steps >= 0).all() or (steps <= 0).all())

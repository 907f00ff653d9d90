"""Turn a table into the scaled numbers that this folder works on, and divide its people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data import column_names, columns_of
from sparsam.individual._checks import Labels, Matrix, seed

Rows = NDArray[np.intp]


@dataclass(frozen=True, repr=False)
class Encoded:
    """A table as scaled numbers.

    Parameters
    ----------
    X : ndarray of shape (n_people, n_attributes)
        In [0, 1].
    y : ndarray of int
        The class codes.
    attributes : tuple of str
    classes : tuple
        The label of each class code.
    """

    X: Matrix
    y: Labels
    attributes: tuple[str, ...]
    classes: tuple[Any, ...]


def encode(frame: Any, target: str) -> Encoded:
    """Number the categories of a table in sorted order and bring each attribute to [0, 1].

    Parameters
    ----------
    frame : frame, mapping of arrays, or file name
    target : str
        The attribute to predict.

    Returns
    -------
    Encoded

    Examples
    --------
    >>> rows = {"age": [20, 60, 40], "sex": ["m", "f", "m"], "ill": ["no", "yes", "no"]}
    >>> people = encode(rows, "ill")
    >>> people.X.tolist(), people.y.tolist(), people.classes
    ([[0.0, 1.0], [1.0, 0.0], [0.5, 1.0]], [0, 1, 0], ('no', 'yes'))
    """
    names = column_names(frame)
    if target not in names:
        raise DataError(f"The table must have the target '{target}'. It has {sorted(names)}.")
    attributes = tuple(name for name in names if name != target)
    if not attributes:
        raise DataError("The table must have an attribute besides its target.")
    columns = columns_of(frame, [*attributes, target])
    classes, y = _numbered(columns[target], target)
    X = np.column_stack([_numbers(columns[name], name) for name in attributes])
    low, high = X.min(0), X.max(0)
    scaled = (X - low) / np.where(high > low, high - low, 1.0)
    return Encoded(scaled, y, attributes, tuple(classes.tolist()))


def _numbers(column: NDArray[Any], name: str) -> Matrix:
    if column.dtype.kind not in "biuf":
        return _numbered(column, name)[1].astype(np.float64)
    found = column.astype(np.float64)
    if not np.isfinite(found).all():
        raise DataError(f"The numbers of '{name}' must not be missing: leave out or fill the rows.")
    return found


def _numbered(column: NDArray[Any], name: str) -> tuple[NDArray[Any], Labels]:
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise DataError(f"'{name}' must not be missing: leave out or fill the rows.")
    if column.dtype.kind == "O":
        missing = [one is None or one != one for one in column]  # noqa: PLR0124 - NaN
        if any(missing):
            column = np.where(missing, "", column)  # missing is a category of its own
        column = column.astype(str)
    found, codes = np.unique(column, return_inverse=True)
    return found, codes.astype(np.intp)


@dataclass(frozen=True)
class PeopleSplit:
    """Who is public, who is a member of the training set, who is not, and who tests.

    Parameters
    ----------
    public, members, non_members, test : ndarray of int
        Row numbers. `test` equals `public` when no third split was asked for.
    """

    public: Rows
    members: Rows
    non_members: Rows
    test: Rows


def split_people(n_people: int, *, own_test: bool = False, random_state: int = 0) -> PeopleSplit:
    """Divide people as section 4.1 does: half public, a quarter members, a quarter non-members.

    Parameters
    ----------
    n_people : int
    own_test : bool, default=False
        Give half of the public rows to a test set of their own, so that what an attacker knows
        does not also test the model.
    random_state : int, default=0

    Returns
    -------
    PeopleSplit

    Examples
    --------
    >>> found = split_people(8, own_test=True)
    >>> [len(part) for part in (found.public, found.members, found.non_members, found.test)]
    [2, 2, 2, 2]
    """
    if n_people < 8:
        raise ParameterError(f"There must be at least 8 people to divide. Got {n_people} instead.")
    order = np.random.default_rng(seed(random_state)).permutation(n_people)
    half = n_people // 2
    middle = half + (n_people - half) // 2
    public, test = order[:half], order[:half]
    if own_test:
        public, test = order[: half // 2], order[half // 2 : half]
    return PeopleSplit(public, order[half:middle], order[middle:], test)

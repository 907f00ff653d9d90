"""Divide the rows into training, validation and test parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_whole, wrong_parameter
from sparsam._errors import DataError
from sparsam.data._task import Task
from sparsam.data.sample._others import Others


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """Three parts of a table: to learn on, to choose on, and to report on.

    Attributes
    ----------
    train, validation, test : Task
        The parts.
    random_state : int
        The seed that made them.
    fractions : tuple of float
        The shares that were asked for.
    rows : tuple of ndarray
        The rows of each part, as ascending positions in the whole table.
    others : Others or None
        Where the table is a sample: everyone else, who is in no part.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> len(data.train.table), len(data.validation.table), len(data.test.table)
    (1200, 200, 600)
    """

    train: Task
    validation: Task
    test: Task
    random_state: int
    fractions: tuple[float, float, float]
    rows: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    others: Others | None = None

    def __repr__(self) -> str:
        sizes = " / ".join(f"{len(rows):,}" for rows in self.rows)
        return f"Split({sizes} rows, random_state={self.random_state})"


def split(task: Task, fractions: Sequence[float] = (0.6, 0.1, 0.3), random_state: int = 0) -> Split:
    """Divide the rows at random.

    The parts are plain random samples, of at least one row each: nobody is moved, however rare a
    value. A category that few people of the training part have, or none, is no different from the
    other rare ones to whoever learns there.

    Parameters
    ----------
    task : Task
        The table with its roles.
    fractions : three floats, default=(0.6, 0.1, 0.3)
        The shares of training, validation and test.
    random_state : int, default=0
        The seed. The same seed gives the same parts.

    Returns
    -------
    Split

    Examples
    --------
    >>> from sparsam.data import Roles, load_example, resolve
    >>> split(resolve(load_example(), Roles("employed")))
    Split(12,000 / 2,000 / 6,000 rows, random_state=0)
    """
    shares = _check(task, fractions, random_state)
    order = np.random.default_rng(random_state).permutation(task.n_rows)
    n_train, n_validation = _sizes(task.n_rows, shares)
    parts = np.split(order, [n_train, n_train + n_validation])
    rows = (np.sort(parts[0]), np.sort(parts[1]), np.sort(parts[2]))
    train, validation, test = (task.take(part) for part in rows)
    return Split(train, validation, test, random_state, shares, rows, task.others)


def _check(task: Task, fractions: Sequence[float], random_state: int) -> tuple[float, float, float]:
    if task.n_rows < 3:
        raise DataError(f"A split needs at least 3 rows, one for each part. Got {task.n_rows}.")
    shares = tuple(float(share) for share in fractions)
    if len(shares) != 3 or not all(0 < s < 1 for s in shares) or not math.isclose(sum(shares), 1):
        expected = "three numbers above 0 that sum to 1"
        raise wrong_parameter("split", "fractions", expected, shares)
    check_whole("split", "random_state", random_state, 0)
    return shares[0], shares[1], shares[2]


def _sizes(n_rows: int, shares: tuple[float, float, float]) -> tuple[int, int]:
    n_train = min(max(round(n_rows * shares[0]), 1), n_rows - 2)
    return n_train, min(max(round(n_rows * shares[1]), 1), n_rows - n_train - 1)


def rotations(task: Task, folds: int, random_state: int = 0) -> list[Split]:
    """Deal the rows into folds; each is once the test part, the next one the validation part.

    Parameters
    ----------
    task : Task
    folds : int
        At least 3.
    random_state : int, default=0

    Returns
    -------
    list of Split
        As many as there are folds.

    Examples
    --------
    >>> from sparsam.data import Roles, load_example, resolve
    >>> rotations(resolve(load_example(), Roles("employed")), 5)[0]
    Split(12,000 / 4,000 / 4,000 rows, random_state=0)
    """
    if not 3 <= folds <= task.n_rows:
        raise DataError(
            f"The number of folds must be from 3 to the number of rows, {task.n_rows}. Got {folds}."
        )
    order = np.random.default_rng(random_state).permutation(task.n_rows)
    parts = [np.sort(part) for part in np.array_split(order, folds)]
    share = 1 / folds
    splits = []
    for turn in range(folds):
        test, validation = parts[turn], parts[(turn + 1) % folds]
        used = {turn, (turn + 1) % folds}
        train = np.sort(np.concatenate([p for i, p in enumerate(parts) if i not in used]))
        rows = (train, validation, test)
        splits.append(
            Split(
                train=task.take(train),
                validation=task.take(validation),
                test=task.take(test),
                random_state=random_state,
                fractions=(1 - 2 * share, share, share),
                rows=rows,
            )
        )
    return splits

"""Which people are published as one, and what a privacy model demands of such a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError

SUPPRESSED = -1


class Demand(Protocol):
    """A privacy model: it says of any set of people whether they may be published as one.

    Algorithms also read two attributes where a demand has them: `plain_k`, the k where the number
    of rows decides alone (None otherwise), and `least_rows`, below which the demand never holds.
    """

    def holds(self, rows: NDArray[np.int64]) -> bool:
        """Whether these rows may be one class."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Classes:
    """Which rows are published as one.

    Parameters
    ----------
    of_row : ndarray of int64 of shape (n_rows,)
        The number of the class of each row; -1 where a row is suppressed.
    n_classes : int
        Classes are numbered from 0; a class that no row belongs to is allowed.

    Examples
    --------
    >>> classes = Classes(np.array([0, 1, 0, -1]), 2)
    >>> classes, classes.sizes().tolist()
    (Classes(4 rows, 2 classes, 1 suppressed), [2, 1])
    """

    of_row: NDArray[np.int64]
    n_classes: int

    def __post_init__(self) -> None:
        of_row = np.array(self.of_row, dtype=np.int64)
        of_row.setflags(write=False)
        object.__setattr__(self, "of_row", of_row)
        if of_row.ndim != 1:
            raise DataError(f"Classes need one number per row. Got the shape {of_row.shape}.")
        if len(of_row) and not SUPPRESSED <= of_row.min() <= of_row.max() < self.n_classes:
            raise DataError(
                f"The class of a row must be -1 (suppressed) or from 0 to {self.n_classes - 1}. "
                f"Got numbers from {of_row.min()} to {of_row.max()} instead."
            )

    def __len__(self) -> int:
        return len(self.of_row)

    @property
    def n_suppressed(self) -> int:
        """How many rows are not published at all."""
        return int((self.of_row == SUPPRESSED).sum())

    def sizes(self) -> NDArray[np.int64]:
        """Count the rows of each class; suppressed rows belong to none."""
        counts = np.bincount(self.of_row[self.of_row >= 0], minlength=self.n_classes)
        return counts.astype(np.int64)

    def rows(self) -> list[NDArray[np.int64]]:
        """List the rows of each class, in the order of the table."""
        order = np.argsort(self.of_row, kind="stable")
        ends = self.n_suppressed + np.cumsum(self.sizes())
        return np.split(order, np.concatenate([[self.n_suppressed], ends]))[1:-1]

    def __repr__(self) -> str:
        counted = f"{len(self):,} rows, {self.n_classes:,} classes"
        return f"Classes({counted}, {self.n_suppressed:,} suppressed)"

"""How often each value occurs in each class: all that publishing needs to know of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes
from sparsam.data import Attribute

Places = NDArray[np.int64]
_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """The rows that are published, and which of the published records each one has.

    Attributes
    ----------
    rows : ndarray of int
        In the order of the table; suppressed rows are not among them.
    record : ndarray of int
        For each of them the number of its record, from 0.
    n_records : int
        Classes that have rows, in the order of their numbers.

    Examples
    --------
    >>> found = ReleasedRows.of(Classes(np.array([2, -1, 0, 2]), 3))
    >>> found.rows.tolist(), found.record.tolist(), found.n_records
    ([0, 2, 3], [1, 0, 1], 2)
    """

    rows: Places
    record: Places
    n_records: int

    @classmethod
    def of(cls, classes: Classes) -> ReleasedRows:
        """Leave out the suppressed rows and the empty classes."""
        rows = np.flatnonzero(classes.of_row >= 0)
        if not len(rows):
            raise DataError(
                f"A release must have rows. All {len(classes.of_row):,} are suppressed."
                "\n\nHint: ask for a smaller k, or name fewer quasi-identifiers."
            )
        number = np.cumsum(classes.sizes() > 0) - 1
        return cls(rows, number[classes.of_row[rows]].astype(np.int64), int(number[-1]) + 1)

    def tally(self, codes: NDArray[np.uint16], attribute: Attribute) -> Tally:
        """Count the values of one attribute in each class.

        Parameters
        ----------
        codes : ndarray of uint16
            The codes of all rows of the table.
        attribute : Attribute
        """
        size = attribute.n_values + 1  # missing is the last code, whether it may occur or not
        keys = self.record * size + codes[self.rows]
        cells, counts = np.unique(keys, return_counts=True)
        starts = np.searchsorted(cells, np.arange(self.n_records) * size)
        return Tally(cells // size, cells % size, counts.astype(np.int64), starts, size - 1)


@dataclass(frozen=True, eq=False)
class Tally:
    """The values of one attribute in each class, ascending, missing last.

    Attributes
    ----------
    record, code, count : ndarray of int, shape (n_cells,)
        A record, a code, and how many rows with this record have this code.
    starts : ndarray of int, shape (n_records,)
        Where the cells of each record begin.
    missing : int
        The code of missing values.
    """

    record: Places
    code: Places
    count: Places
    starts: Places
    missing: int

    @property
    def n_missing(self) -> Places:
        """Rows of each class without a value."""
        return self._sums(np.where(self.code == self.missing, self.count, 0))

    @property
    def n_known(self) -> Places:
        """Rows of each class with a value."""
        return self._sums(np.where(self.code == self.missing, 0, self.count))

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of the known values of each class, NaN where it has none.

        Parameters
        ----------
        values : ndarray of float
            The number that each code stands for, missing not among them.
        """
        weights = np.where(self.code == self.missing, 0, self.count)
        sums = self._sums(np.append(values, 0.0)[self.code] * weights)
        known = self._sums(weights)
        low, high = (np.append(values, np.nan)[codes] for codes in self.ends())
        # round-off must not push the mean of equal numbers out of them
        found: NDArray[np.float64] = np.clip(sums / np.maximum(known, 1), low, high)
        return found

    def at(self, places: Places) -> Places:
        """Code at a place among the rows of each class, when they are sorted by code.

        Parameters
        ----------
        places : ndarray of int, shape (n_records,)
            Counted from 0 in each class.
        """
        ends = np.cumsum(self.count)
        before = (ends - self.count)[self.starts]
        found: Places = self.code[np.searchsorted(ends, before + places, side="right")]
        return found

    def mode(self, *, known: bool) -> Places:
        """Most common code of each class; the smallest of several.

        Parameters
        ----------
        known : bool
            Whether missing counts only where there is nothing else.
        """
        weights = self.count
        if known:
            weights = np.where(self.code == self.missing, 0, weights)
        order = np.lexsort((self.code, -weights, self.record))
        found: Places = self.code[order[self.starts]]
        return found

    def ends(self) -> tuple[Places, Places]:
        """Smallest and largest known code of each class; missing where it has none."""
        low = self.code[self.starts]
        return low, self.at(np.maximum(self.n_known - 1, 0))

    def members(self) -> list[Places]:
        """Codes of each class, ascending."""
        return np.split(self.code, self.starts[1:])

    def _sums(self, values: NDArray[_Number]) -> NDArray[_Number]:
        found: NDArray[_Number] = np.add.reduceat(values, self.starts)
        return found

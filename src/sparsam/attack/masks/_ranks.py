"""Which minimised records agree with which people, and what a rank among ties is worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError

Matrix = NDArray[np.float64]
Counts = NDArray[np.int64]

_CELLS = 2**23  # pairs of people and records held at once
_COLUMNS = 512  # attributes multiplied at once


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """Tells whether all kept values of a minimised record are those of a person.

    The values are replaced by their places among the distinct values of the attribute. The squared
    distance of such whole numbers over the kept values is a matrix product without rounding, and it
    is 0 if and only if the record agrees. An emptied record agrees with nobody.

    Attributes
    ----------
    codes : ndarray of int, shape (n_people, n_attributes)
    kept : ndarray of bool, same shape
        In the last column: whether the record has any value.
    """

    codes: NDArray[np.int32]
    kept: NDArray[np.bool_]

    @classmethod
    def of(cls, records: Matrix, kept: NDArray[np.bool_]) -> Agreement:
        """Encode the records.

        Parameters
        ----------
        records : ndarray of float, shape (n_people, n_attributes)
        kept : ndarray of bool, same shape
        """
        codes = np.empty(records.shape, dtype=np.int32)
        for number, column in enumerate(records.T):
            codes[:, number] = np.unique(column, return_inverse=True)[1]
        # An attribute of one value, or of no kept one, tells nobody apart. One column of zeros
        # stands for them all: a record that has only such values agrees with everyone.
        telling = kept.any(axis=0) & (codes.max(axis=0) > 0)
        rest = np.zeros((len(codes), 1), np.int32)
        filled = kept.any(axis=1, keepdims=True)
        return cls(np.hstack([codes[:, telling], rest]), np.hstack([kept[:, telling], filled]))

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Whether a record has a kept value."""
        return self.kept[:, -1]

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.bool_]]]:
        """Return the people of each block, and the truth value of each of them and each record."""
        n_people = len(self.codes)
        size = max(1, _CELLS // n_people)
        precision = self._precision()
        empty = ~self.filled
        for start in range(0, n_people, size):
            people = slice(start, min(start + size, n_people))
            agrees = self._distance(people, precision) == 0
            agrees[:, empty] = False
            yield people, agrees

    def _distance(self, people: slice, precision: type[np.floating]) -> NDArray[np.floating]:
        """Squared distance of the codes over the kept values of each record."""
        total: NDArray[np.floating] | None = None
        for start in range(0, self.codes.shape[1], _COLUMNS):
            columns = slice(start, start + _COLUMNS)
            codes = self.codes[:, columns].astype(precision)
            kept = self.kept[:, columns].astype(precision)
            known = codes[people]
            said = kept * codes
            left = np.hstack([known**2, known, np.ones((len(known), 1), precision)])
            right = np.hstack([kept, -2 * said, (said * codes).sum(axis=1, keepdims=True)])
            part = left @ right.T
            total = part if total is None else np.add(total, part, out=total)
        assert total is not None
        return total

    def _precision(self) -> type[np.floating]:
        largest = 4.0 * float((self.codes.max(axis=0).astype(np.float64) ** 2).sum())
        if largest < 2**24:
            return np.float32
        if largest < 2**53:
            return np.float64
        raise DataError("The records have too many distinct values to be compared exactly.")


def expected_reciprocal_rank(ahead: Counts, tied: Counts) -> Matrix:
    """Mean of 1 / rank when ties are put in a random order.

    With `ahead` records before the ties and `tied` of them, the ranks ahead + 1 … ahead + tied are
    equally likely: (H(ahead + tied) − H(ahead)) / tied, with the harmonic numbers H.

    Parameters
    ----------
    ahead : ndarray of int
    tied : ndarray of int
        At least 1: the record itself is among them.

    Examples
    --------
    >>> expected_reciprocal_rank(np.array([0, 0, 2]), np.array([1, 2, 1])).round(3).tolist()
    [1.0, 0.75, 0.333]
    """
    before, among = np.asarray(ahead, dtype=np.int64), np.asarray(tied, dtype=np.int64)
    if not before.size:
        return np.zeros(0)
    sums = harmonic_numbers(int((before + among).max()))
    found: Matrix = (sums[before + among] - sums[before]) / among
    return found


def harmonic_numbers(n: int) -> Matrix:
    """Return H(0) … H(n), where H(n) = 1 + 1/2 + … + 1/n.

    Parameters
    ----------
    n : int

    Examples
    --------
    >>> harmonic_numbers(2).tolist()
    [0.0, 1.0, 1.5]
    """
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])


def grades(weights: Matrix, tolerance: float = 1e-9) -> Counts:
    """Number weights from the least one up; such as differ by round-off only are equal.

    Parameters
    ----------
    weights : ndarray of float
    tolerance : float, default=1e-9
        Of the size of the largest weight, or of 1 if that is less.

    Examples
    --------
    >>> grades(np.array([0.5, 2.0, 0.5 + 1e-15])).tolist()
    [0, 1, 0]
    """
    order = np.argsort(weights, kind="stable")
    size = max(1.0, float(np.abs(weights).max(initial=0.0)))
    found = np.zeros(len(weights), dtype=np.int64)
    found[order[1:]] = np.cumsum(np.diff(weights[order]) > tolerance * size)
    return found


def tie_counts(agreement: Agreement, grade: Counts) -> tuple[Counts, Counts]:
    """Count for each person the agreeing records of a higher grade than theirs, and of the same.

    0 and 0 for a person whose record was emptied.

    Parameters
    ----------
    agreement : Agreement
    grade : ndarray of int, shape (n_people,)
        Of the records; the higher, the earlier guessed.
    """
    ahead, tied = np.zeros_like(grade), np.zeros_like(grade)
    for people, agrees in agreement.blocks():
        own = grade[people, None]
        ahead[people] = np.count_nonzero(agrees & (grade > own), axis=1)
        tied[people] = np.count_nonzero(agrees & (grade == own), axis=1)
    empty = ~agreement.filled
    ahead[empty], tied[empty] = 0, 0
    return ahead, tied

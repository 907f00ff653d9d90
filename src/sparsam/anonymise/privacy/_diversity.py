"""ℓ-diversity: those who are published as one do not share one sensitive value."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.privacy._base import (
    ROUNDING,
    Others,
    Rows,
    SimpleModel,
    Values,
    check_whole,
    given,
    is_number,
    sensitive_values,
    wrong_parameter,
)
from sparsam.anonymise.proof._certificate import (
    DistinctDiversityTerms,
    EntropyDiversityTerms,
    RecursiveDiversityTerms,
)
from sparsam.data import Table

_Own = TypeVar("_Own", bound="Diversity")


class Diversity(SimpleModel):
    """A demand on how mixed the values of a sensitive column are in a class."""

    sensitive: str
    _values: Values | None

    def bound(self: _Own, table: Table, others: Others | None = None) -> _Own:
        """Return the same model, with its sensitive column."""
        return replace(self, _values=sensitive_values(self.sensitive, table))  # type: ignore[type-var]

    def holds(self, rows: Rows) -> bool:
        """Whether the sensitive values of these rows are mixed enough."""
        counts = given(self._values, self).counts(rows)
        return bool(len(rows)) and self._mixed(counts[counts > 0])

    @abstractmethod
    def _mixed(self, counts: NDArray[np.int64]) -> bool:
        """Whether values that occur so often are mixed enough."""


@dataclass(frozen=True)
class DistinctDiversity(Diversity):
    """A class tells nobody's sensitive value: at least l different ones occur in it.

    A missing value counts as a value of its own (Machanavajjhala et al. 2007).

    Parameters
    ----------
    l : int
        At least 2.
    sensitive : str
        The column.

    Examples
    --------
    >>> from sparsam.data import read
    >>> model = DistinctDiversity(2, "illness").bound(read({"illness": ["flu", "flu", "none"]}))
    >>> model.holds(np.array([0, 1])), model.holds(np.array([1, 2]))
    (False, True)
    """

    l: int  # noqa: E741 - the name that the papers give it
    sensitive: str
    _values: Values | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_whole(self, "l", self.l)

    @property
    def terms(self) -> DistinctDiversityTerms:
        """The demand, as a certificate states it."""
        return DistinctDiversityTerms(l=int(self.l), sensitive=self.sensitive)

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return self.l

    def _mixed(self, counts: NDArray[np.int64]) -> bool:
        return len(counts) >= self.l


@dataclass(frozen=True)
class EntropyDiversity(Diversity):
    """The sensitive values of a class are at least as mixed as l equally common ones.

    The entropy of the values in a class must be at least log(l).

    Parameters
    ----------
    l : float
        More than 1.
    sensitive : str
        The column.

    Examples
    --------
    >>> from sparsam.data import read
    >>> table = read({"illness": ["flu", "none", "none", "none"]})
    >>> [EntropyDiversity(l, "illness").bound(table).holds(np.arange(4)) for l in (1.7, 1.8)]
    [True, False]
    """

    l: float  # noqa: E741 - the name that the papers give it
    sensitive: str
    _values: Values | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not is_number(self.l) or not self.l > 1:
            raise wrong_parameter(self, "l", "a number > 1", self.l)

    @property
    def terms(self) -> EntropyDiversityTerms:
        """The demand, as a certificate states it."""
        return EntropyDiversityTerms(l=float(self.l), sensitive=self.sensitive)

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return math.ceil(self.l - ROUNDING)

    def _mixed(self, counts: NDArray[np.int64]) -> bool:
        shares = counts / counts.sum()
        return bool(-(shares * np.log(shares)).sum() >= math.log(self.l) - ROUNDING)


@dataclass(frozen=True)
class RecursiveDiversity(Diversity):
    """The most common sensitive value of a class is not too common beside the rarer ones.

    With the values ordered from the most to the least common, r1 < c (r_l + ... + r_m).

    Parameters
    ----------
    c : float
        More than 0.
    l : int
        At least 2.
    sensitive : str
        The column.

    Examples
    --------
    >>> from sparsam.data import read
    >>> table = read({"illness": ["flu", "cold", "none", "none"]})
    >>> [RecursiveDiversity(c, 2, "illness").bound(table).holds(np.arange(4)) for c in (1, 1.1)]
    [False, True]
    """

    c: float
    l: int  # noqa: E741 - the name that the papers give it
    sensitive: str
    _values: Values | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_whole(self, "l", self.l)
        if not is_number(self.c) or not self.c > 0:
            raise wrong_parameter(self, "c", "a number > 0", self.c)

    @property
    def terms(self) -> RecursiveDiversityTerms:
        """The demand, as a certificate states it."""
        return RecursiveDiversityTerms(c=float(self.c), l=int(self.l), sensitive=self.sensitive)

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return self.l

    def _mixed(self, counts: NDArray[np.int64]) -> bool:
        falling = np.sort(counts)[::-1]
        return bool(falling[0] < self.c * falling[self.l - 1 :].sum())

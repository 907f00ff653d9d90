"""Which people are published as one, what is demanded of them, and how they are divided."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from sparsam._errors import DataError
from sparsam.data import Attribute, Table
from sparsam.generalization import Levels

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


@dataclass(frozen=True, eq=False, repr=False)
class Division:
    """Rows that are to be divided into classes, and what is demanded of every class.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    attributes : sequence of Attribute
        The quasi-identifiers.
    demand : Demand
        One with a `plain_k` is met by counting rows; any other is asked about every part. One with
        `least_rows` is not asked about fewer.
    answers : ndarray of shape (n_rows,), optional
        What a model says of each row, or the true labels. Floats are numbers, all else labels.
    hierarchies : mapping of str to hierarchy, optional
        Labels of the values of a quasi-identifier, from fine to coarse.
    max_suppressed : float, default=0.0
        The largest share of rows that may be left out.
    """

    codes: NDArray[np.uint16]
    attributes: Sequence[Attribute]
    demand: Demand
    answers: NDArray[Any] | None = None
    hierarchies: Mapping[str, Any] | None = None
    max_suppressed: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", checked_codes(self.codes, self.sizes))
        if not self.n_rows:
            raise DataError("Classes are made of rows. The table has none.")
        if not self.demand.holds(np.arange(self.n_rows)):
            raise DataError(
                f"All {self.n_rows:,} rows together must satisfy what is demanded of a class. They "
                "do not, so no way of dividing them does.\n\nHint: demand less, or bring more rows."
            )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def plain_k(self) -> int | None:
        """The k where the number of rows decides alone, None where values matter as well."""
        return getattr(self.demand, "plain_k", None)

    @property
    def fewest(self) -> int:
        """No class can have fewer rows."""
        least = getattr(self.demand, "least_rows", 1) if self.plain_k is None else self.plain_k
        return max(1, int(least))


class Partition(Protocol):
    """Which rows are published as one, and which class a new row would fall into."""

    @property
    def classes(self) -> Classes:
        """The classes of the rows that were divided."""
        ...

    def route(self, codes: NDArray[Any]) -> NDArray[np.int64]:
        """Find the class of each row; -1 where there is none."""
        ...


class Method(BaseEstimator):  # type: ignore[misc]
    """A way to divide people into classes: what an `Anonymiser` is made with.

    A subclass says in `part` how people are divided, and keeps nothing of them.
    """

    @abstractmethod
    def part(self, division: Division) -> Partition:
        """Divide people into classes that satisfy a demand.

        Parameters
        ----------
        division : Division

        Returns
        -------
        Partition
            Its classes may suppress rows (-1), within the budget.
        """

    def answers(self, X: Any, y: ArrayLike | None) -> NDArray[Any] | None:
        """Return what guides the method: the true labels, where there are some.

        Parameters
        ----------
        X : frame, mapping, ndarray, Table or path
        y : array-like or None
        """
        return None if y is None else np.asarray(y)

    def labels(self, partition: Any, table: Table) -> Mapping[str, Levels] | None:
        """Return labels of its own for the codes of a table; None where it has none.

        Parameters
        ----------
        partition : Partition
        table : Table
        """
        return None

    def facts(self, partition: Any) -> dict[str, Any]:
        """Return what a certificate states about the classes that were made.

        Parameters
        ----------
        partition : Partition
        """
        return {}


def checked_codes(codes: NDArray[Any], sizes: tuple[int, ...]) -> NDArray[np.uint16]:
    """Raise unless these are codes of attributes of these sizes."""
    codes = np.asarray(codes)
    if codes.ndim != 2 or codes.shape[1] != len(sizes) or not sizes:
        raise DataError(
            f"The codes must have one column per quasi-identifier, and at least one. "
            f"Got {len(sizes)} quasi-identifiers and the shape {codes.shape}."
        )
    if codes.dtype.kind not in "ui":
        raise DataError(f"Codes must be whole numbers. Got {codes.dtype} instead.")
    beyond = sum(
        int(((column < 0) | (column >= size)).sum())
        for column, size in zip(codes.T, sizes, strict=True)
    )
    if beyond:
        raise DataError(
            f"Codes must lie within the domain of their attribute. Got {beyond:,} that do not."
            "\n\nHint: encode new rows with the attributes of the table that was anonymised."
        )
    return codes.astype(np.uint16, copy=False)

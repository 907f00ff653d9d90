"""Noisy tables that tell of the same people, made to agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.explore._bins import Bins

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Measured:
    """A noisy table as it was released.

    Parameters
    ----------
    bins : tuple of Bins
        One for each attribute of the table.
    counts : array of float
    variance : float
        Of the noise in each cell.
    """

    bins: tuple[Bins, ...]
    counts: FloatArray
    variance: float

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(bins.name for bins in self.bins)

    @property
    def declared_counts(self) -> FloatArray:
        """The counts of declared values alone: neither other nor missing."""
        return self.counts[tuple(slice(bins.n_cells) for bins in self.bins)]

    @property
    def undeclared(self) -> tuple[int, ...]:
        """How many cells of each attribute are for other and missing values."""
        return tuple(bins.size - bins.n_cells for bins in self.bins)

    def along(self, axis: int) -> Measured:
        """Return the sums of one attribute's cells: a one-way table."""
        rest = tuple(other for other in range(len(self.bins)) if other != axis)
        variance = self.variance * self.counts.size / self.bins[axis].size
        return Measured((self.bins[axis],), self.counts.sum(axis=rest), variance)


@dataclass(frozen=True)
class Margin:
    """The counts of one attribute, as well as the noisy tables tell them.

    Parameters
    ----------
    bins : Bins
        The cells, missing last.
    counts : array of float
        One estimate for each cell. It may be negative: what is added up stays unbiased.
    covariance : array of float
        Of the noise in `counts`. The people are not a sample here: only noise is uncertain.
    """

    bins: Bins
    counts: FloatArray
    covariance: FloatArray

    @property
    def real(self) -> FloatArray:
        """The counts of the real cells: neither other nor missing."""
        return self.counts[: self.bins.n_cells]

    @property
    def deviations(self) -> FloatArray:
        """The standard deviation of the noise in each cell."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def deviation(self, weights: FloatArray) -> float:
        """Return the standard deviation of a weighted sum of the first cells."""
        part = self.covariance[: len(weights), : len(weights)]
        return float(np.sqrt(max(float(weights @ part @ weights), 0.0)))

    def joined(self, bins: Bins) -> Margin:
        """Return the counts in coarser cells."""
        where = cell_map(self.bins, bins)
        matrix = np.zeros((bins.size, self.bins.size))
        matrix[where, np.arange(self.bins.size)] = 1.0
        return Margin(bins, matrix @ self.counts, matrix @ self.covariance @ matrix.T)


def cell_map(fine: Bins, coarse: Bins) -> IntArray:
    """Return for each cell the cell of coarser bins that it lies in.

    Examples
    --------
    >>> fine = Bins("age", "numeric", edges=(0, 10, 20, 30))
    >>> cell_map(fine, Bins("age", "numeric", edges=(0, 20, 30))).tolist()
    [0, 0, 1, 2]
    """
    if fine == coarse:
        return np.arange(fine.size)
    if not fine.numeric or not set(coarse.edges) <= set(fine.edges):
        raise ParameterError(f"The cells of '{coarse.name}' must be joined finer cells.")
    inner = np.searchsorted(np.array(coarse.edges[1:-1]), fine.lows, side="right")
    return np.append(inner, coarse.size - 1).astype(np.int64)


def combine(bins: Bins, tables: Sequence[Measured]) -> Margin:
    """Join several noisy one-way tables of one attribute by least squares.

    Each table counts by the inverse of its noise's variance. One of them must have the finest
    cells, or they cannot be told apart.

    Examples
    --------
    >>> bins = Bins("sex", "categorical", categories=("f", "m"))
    >>> first = Measured((bins,), np.array([10.0, 20, 0, 0]), 1.0)
    >>> second = Measured((bins,), np.array([14.0, 20, 0, 0]), 3.0)
    >>> combine(bins, [first, second]).counts.tolist()
    [11.0, 20.0, 0.0, 0.0]
    """
    weights = np.zeros((bins.size, bins.size))
    pull = np.zeros(bins.size)
    for table in tables:
        where = cell_map(bins, table.bins[0])
        weights += (where[:, None] == where[None, :]) / table.variance
        pull += table.counts[where] / table.variance
    covariance = np.linalg.inv(weights)
    return Margin(bins, covariance @ pull, (covariance + covariance.T) / 2)


def common_total(totals: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Join (total, variance) of independent tables into one number of rows and its variance.

    Examples
    --------
    >>> common_total([(100.0, 1.0), (104.0, 3.0)])
    (101.0, 0.75)
    """
    listed = list(totals)
    precision = sum(1.0 / variance for _, variance in listed)
    return sum(total / variance for total, variance in listed) / precision, 1.0 / precision


def with_total(margin: Margin, total: float, variance: float) -> Margin:
    """Move counts, the noisy ones most, so that they add up to a better known total."""
    share = margin.covariance.sum(axis=1)
    spread = share.sum()
    pull = share / spread
    counts = margin.counts + pull * (total - margin.counts.sum())
    covariance = margin.covariance + np.outer(pull, pull) * (variance - spread)
    return Margin(margin.bins, counts, covariance)


def fit_margins(table: FloatArray, rows: FloatArray, columns: FloatArray) -> FloatArray:
    """Shift a noisy two-way table evenly so that it has these margins.

    The nearest table (least squares) with these sums.

    Parameters
    ----------
    table : array of float
    rows, columns : array of float
        The sums that are wanted; both must add up to the same total.

    Examples
    --------
    >>> fit_margins(np.zeros((2, 2)), np.array([2.0, 4.0]), np.array([3.0, 3.0])).tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """
    n_rows, n_columns = table.shape
    down = (rows - table.sum(axis=1)) / n_columns
    across = (columns - table.sum(axis=0)) / n_rows
    both = (rows.sum() - table.sum()) / table.size
    return np.asarray(table + down[:, None] + across[None, :] - both)


def margins_of(
    finest: Mapping[str, Bins], tables: Sequence[Measured]
) -> tuple[dict[str, Margin], tuple[float, float]]:
    """Return the best counts of each attribute, and of the rows, from all tables together.

    One-way tables and the sums of two-way tables of an attribute are joined by the inverse of
    their variance; then all attributes get the same total.

    Parameters
    ----------
    finest : mapping of str to Bins
        The finest cells of each attribute; some one-way table must have them.
    tables : sequence of Measured

    Returns
    -------
    margins : dict of str to Margin
    total : tuple of float
        The number of rows and its variance.
    """
    own: dict[str, list[Measured]] = {name: [] for name in finest}
    for table in tables:
        for axis, bins in enumerate(table.bins):
            own[bins.name].append(table.along(axis))
    total = common_total((float(t.counts.sum()), t.variance * t.counts.size) for t in tables)
    margins = {name: with_total(combine(bins, own[name]), *total) for name, bins in finest.items()}
    return margins, total

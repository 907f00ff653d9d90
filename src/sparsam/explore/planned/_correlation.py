"""The dependence of two attributes read off their noisy table, with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam.explore._estimate import Estimate
from sparsam.explore.planned._consistency import FloatArray, Margin
from sparsam.explore.planned._distribution import unit_cells

# What coarse cells hide of a rank correlation beyond the correction, by how much they take from a
# linear one: this where it is weak, and this times itself. From the bank and wine
# tables with magic04 and Adult in view.
_HIDDEN = (0.23, 0.35)


def tied(margin: Margin) -> float:
    """Return the sum of cubed shares of numbers with a cell of their own: Spearman's ties."""
    single = unit_cells(margin)
    shares = np.maximum(margin.real, 0.0) / max(np.maximum(margin.real, 0.0).sum(), 1.0)
    return float((shares[single] ** 3).sum())


def spearman(
    table: FloatArray, noise_sd: float, margins: tuple[Margin, Margin], ties: FloatArray, z: float
) -> Estimate:
    """Return Spearman's rank correlation of two numeric attributes from their noisy table.

    With the ranks fixed (the middle rank of each cell, from the margins), it is a sum of the cells
    with known weights: unbiased under noise, without clipping. What coarse cells take away from it
    is given back: exactly so where the dependence is linear in the ranks, not at all for a
    correlation of one. Rows with a missing value do not count.

    Parameters
    ----------
    table : array of float
        A cell for each pair of cells, missing last, shifted to its margins.
    noise_sd : float
        Of the noise in each cell before it was shifted.
    margins : pair of Margin
        In the table's cells.
    ties : array of two floats
        What `tied` gives for the finest cells of either attribute.
    z : float
    """
    value, weights, lift = _ranked(table, ties)
    if value is None:
        return Estimate(0.0, -1.0, 1.0)
    centred = weights - weights.mean(axis=0) - weights.mean(axis=1, keepdims=True) + weights.mean()
    variance = noise_sd**2 * float((centred**2).sum())
    for axis, margin in enumerate(margins):
        for cell, deviation in enumerate(margin.deviations):
            moved = np.moveaxis(table.copy(), axis, 0)
            moved[cell] += deviation / moved.shape[1]
            other = _ranked(np.moveaxis(moved, 0, axis), ties)[0]
            variance += 0.0 if other is None else (other - value) ** 2
    variance += (lift - 1.0) ** 2 * (_HIDDEN[0] ** 2 + (_HIDDEN[1] * value) ** 2)
    reach = z * float(np.sqrt(variance))
    return Estimate(*map(float, np.clip([value, value - reach, value + reach], -1.0, 1.0)))


def hidden_correlation(table: FloatArray, value: float) -> float:
    """Return the standard deviation of what cells hide of a correlation not corrected for them.

    A little where people are spread over the cells, anything where most are in one cell.
    """
    lost = _ranked(table, np.zeros(2))[2] - 1.0
    return min(lost * float(np.hypot(_HIDDEN[0] + lost, value)), 1.0)


def _ranked(table: FloatArray, ties: FloatArray) -> tuple[float | None, FloatArray, float]:
    """Return the correlation, its weights in the whole table and how much coarse cells took."""
    block = table[:-1, :-1]
    total = block.sum()
    shares = [np.maximum(block.sum(axis=axis), 0.0) for axis in (1, 0)]
    weights = np.zeros_like(table)
    if total <= 0 or any((share > 0).sum() < 2 for share in shares):
        return None, weights, 1.0
    shares = [share / share.sum() for share in shares]
    scores = [np.cumsum(share) - share / 2 - 0.5 for share in shares]
    coarse = np.array([1.0 - (share**3).sum() for share in shares]) / 12
    lift = float(np.sqrt(np.prod(np.maximum((1.0 - ties) / 12 / coarse, 1.0))))
    weights[:-1, :-1] = np.outer(*scores) / (total * np.sqrt(coarse.prod()))
    raw = float((weights * table).sum())
    given = 1.0 + (lift - 1.0) * max(1.0 - raw**2, 0.0)
    return float(np.clip(raw * given, -1.0, 1.0)), weights * given, lift


# Settings of Cramér's V, chosen on tables that no figure is reported of; those of its interval, the
# last two, with Adult in view.
_CERTAIN = 8.0
_BEYOND = 2.0
_UNSEEN = 1.6
_DOUBTED = 0.5
# What a cell of nothing but noise adds on average: E[(z² - 1) 1(z > 2)], one side.
_FALSE = 0.108


def cramers_v(
    table: FloatArray, noise_sd: float, z: float, unused: Sequence[int] = (0, 0)
) -> Estimate:
    """Return Cramér's V of two categorical attributes from their noisy table.

    Noise makes every cell depart from independence, so that the plain formula is far too large
    where cells are small. Here the departures are taken from the fitted margins and kept to what
    the margins allow; the variance of the noise is taken off each square; and cells that expect few
    people count only where noise hardly explains what they show. The others count by what chance
    and the dependence seen in large cells make usual. Undeclared and missing values do
    not count.

    Parameters
    ----------
    table : array of float
        The declared categories only, shifted to its margins.
    noise_sd : float
        Of the noise in each cell before it was shifted.
    z : float
    unused : sequence of two ints
        How many rows and columns (undeclared, missing) were left out of `table` after the shift.
    """
    least = min(table.shape) - 1
    if least < 1:
        return Estimate(0.0, 0.0, 0.0)
    rows, columns = np.maximum(table.sum(axis=1), 1.0), np.maximum(table.sum(axis=0), 1.0)
    total = max(float(table.sum()), 1.0)
    expected = np.outer(rows, columns) / total
    ways = _centred(rows / rows.sum(), unused[0]), _centred(columns / columns.sum(), unused[1])
    variance = noise_sd**2 * np.outer(np.diag(ways[0]), np.diag(ways[1]))
    apart = table - expected
    within = np.clip(apart, -expected, np.minimum.outer(rows, columns) - expected)
    certain = expected > _CERTAIN * noise_sd
    departure = np.where(certain, apart, within)
    counted = certain | (np.abs(departure) > _BEYOND * np.sqrt(variance))
    usual = _usual_squares(expected, apart, variance, certain)
    shrunk = usual / (usual + variance)
    guessed = (shrunk * apart) ** 2 + (1 - shrunk) * usual
    squares = np.where(counted, departure**2 - variance, guessed) / expected
    whole = max(float(squares.sum()), 0.0)
    weights = counted / expected
    pulled = weights * departure
    # Of a sum of squares of normal numbers whose covariance is the product of both ways'.
    linear = 4 * noise_sd**2 * (pulled * (ways[0] @ pulled @ ways[1])).sum()
    squared = 2 * noise_sd**4 * (weights * (ways[0] ** 2 @ weights @ ways[1] ** 2)).sum()
    reach = z * float(np.sqrt(max(linear - squared, squared)))
    # What was not counted was guessed; what was counted in small cells may be noise alone.
    most = np.minimum(variance, noise_sd**0.5 * expected**1.5) / expected
    unseen = _UNSEEN * float(np.where(counted, 0.0, most).sum())
    small = float(np.where(counted & ~certain, squares, 0.0).sum())
    false = min(_FALSE * float(np.where(certain, 0.0, variance / expected).sum()), small)
    guess = float(np.where(counted, 0.0, squares).sum())
    low, high = np.hypot(reach, _DOUBTED * (false + guess)), np.hypot(reach, unseen)
    ends = np.array([whole, whole - low, whole + high])
    v = Estimate(*map(float, np.sqrt(np.clip(ends / (total * least), 0.0, 1.0))))
    if table.shape != (2, 2):
        return v
    return _with_departure(v, float(apart[0, 0]), z * float(variance[0, 0]) ** 0.5, expected)


def _with_departure(v: Estimate, apart: float, reach: float, expected: FloatArray) -> Estimate:
    """Widen the interval of two categories each by that of the one departure all four cells have.

    What a cell of few people hides shows in the three others.
    """
    room = -float(np.diag(expected).min()), float(np.diag(expected[::-1]).min())
    ends = np.clip([apart - reach, apart + reach], *room)
    # V is the size of the departure by the geometric mean of the four expected counts
    sizes = np.sort(np.abs(ends)) / np.maximum(float(np.prod(np.sqrt(np.sqrt(expected)))), 1e-300)
    low = 0.0 if ends[0] <= 0.0 <= ends[1] else float(sizes[0])
    return Estimate(v.value, min(v.low, low), min(max(v.high, float(sizes[1])), 1.0))


def _usual_squares(
    expected: FloatArray, apart: FloatArray, variance: FloatArray, certain: NDArray[np.bool_]
) -> FloatArray:
    """Guess the squared departures: chance, and the dependence that the large cells show."""
    shares = expected.sum(axis=1) / expected.sum(), expected.sum(axis=0) / expected.sum()
    chance = expected * np.outer(1 - shares[0], 1 - shares[1])
    beyond = np.where(certain, apart**2 - variance - chance, 0.0).sum()
    large = np.where(certain, expected**2, 0.0).sum()
    dependence = max(float(beyond / large), 0.0) if large > 0 else 0.0
    return np.asarray(chance + dependence * expected**2)


def _centred(shares: FloatArray, unused: int) -> FloatArray:
    """Return the covariance, along one way of a table, of departures from fitted margins."""
    moves = np.eye(len(shares)) - shares[:, None]
    sums = moves.sum(axis=1)
    return np.asarray(moves @ moves.T - np.outer(sums, sums) / (len(shares) + unused))

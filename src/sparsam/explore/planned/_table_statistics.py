"""Statistics read off noisy tables, each with an interval that the known noise gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.explore._count_intervals import count_interval
from sparsam.explore._ranks import fences
from sparsam.explore.planned._consistency import FloatArray, Margin
from sparsam.explore.planned._reading import Reading, unit_cells

# How far off a quantile is inside a cell, by its distance from the cell's nearer edge.
_INSIDE = 0.25
# Counts that differ by less are equal: floats add up to whole numbers only nearly.
_SAME = 1e-6
# How much of a quartile's sure interval, beside what noise moves, counts for the fences of
# outliers: where numbers are rounded, the quartile is off inside its cell. Fitted on bank and wine.
_FENCES = 0.25
# What coarse cells hide of a rank correlation beyond the correction, by how much they take from a
# linear one: this where it is weak, and this times itself. From the bank and wine
# tables with magic04 and Adult in view.
_HIDDEN = (0.23, 0.35)


class Statistic(NamedTuple):
    """An estimate and its interval."""

    value: float
    low: float
    high: float


def quantile(margin: Margin, level: float, z: float) -> Statistic:
    """Return a quantile of a numeric attribute.

    A number that has a cell of its own is given as it is. Elsewhere the quantile is interpolated
    in its cell; in the two end cells, which may be far wider than where anybody is, with a
    tail that continues the density beside it.

    The interval trusts no interpolation: it reaches from an edge that surely lies below the
    quantile to one that surely lies above. Edges are tried from either end of the range, one by
    one, up to the first where noise leaves it open on which side of the quantile it lies. So each
    side is wrong only where the noise at one edge, the nearest beyond the quantile, is beyond `z`.

    Parameters
    ----------
    margin : Margin
    level : float
        From 0 to 1.
    z : float
        How many standard deviations the noise may reach to each side.

    Examples
    --------
    >>> from sparsam.explore._bins import Bins
    >>> age = Bins("age", "numeric", edges=(0, 1, 2, 3), integer=True)
    >>> quantile(Margin(age, np.array([5.0, 5, 5, 0]), np.zeros((4, 4))), 0.5, 1.96).value
    1.0
    """
    found = Reading(margin).at(level)
    n_cells, edges = margin.bins.n_cells, margin.bins.edges
    # the people below each edge, less those that there would be below the quantile
    weights = np.tri(n_cells + 1, n_cells, -1) - level
    apart = weights @ margin.real
    noise = ((weights @ margin.covariance[:n_cells, :n_cells]) * weights).sum(axis=1)
    reach = z * np.sqrt(np.maximum(noise, 0.0))
    below, above = apart + reach < -_SAME, apart - reach > -_SAME
    first = n_cells if below.all() else int(np.argmin(below))
    last = n_cells if above.all() else int(np.argmin(above[::-1]))
    low = edges[max(first - 1, 0)]
    high = edges[min(n_cells - last + 1, n_cells)] - margin.bins.integer
    return Statistic(found, min(low, found), max(high, found))


def bucket_of_quantile(margin: Margin, level: float, z: float) -> Statistic:
    """Return a quantile as the middle of its cell: nothing inside a bucket is known.

    The interval is that of `quantile`: the ends of the buckets that the quantile may lie in.
    """
    found = quantile(margin, level, z)
    cell = int(np.searchsorted(margin.bins.edges, found.value, side="right")) - 1
    cell = min(max(cell, 0), margin.bins.n_cells - 1)
    low, high = float(margin.bins.lows[cell]), float(margin.bins.highs[cell])
    return Statistic((low + high) / 2, min(low, found.low), max(high, found.high))


def _smooth(margin: Margin, reading: Reading, level: float, z: float) -> Statistic:
    """Return a quantile with what the noise in its rank moves it, if the reading were right.

    A part of its distance from the nearer edge of its cell is added for what the cell hides.
    """
    found = reading.at(level)
    weights = reading.weights_below(found, closed=True) - level
    around = z * margin.deviation(weights) / max(reading.total, 1.0)
    low, high = reading.at(max(level - around, 0.0)), reading.at(min(level + around, 1.0))
    hidden = z * _INSIDE * reading.to_edge(found)
    below, above = (float(np.hypot(found - low, hidden)), float(np.hypot(high - found, hidden)))
    ends = np.clip([found - below, found + above], margin.bins.edges[0], margin.bins.edges[-1])
    return Statistic(found, float(ends[0]), float(ends[1]))


def outliers(margin: Margin, z: float) -> Statistic:
    """Count the numbers beyond 1.5 interquartile ranges from the quartiles.

    The interval holds the noise in the cells beyond, and the people whom a fence passes when it
    moves as far as the quartiles may: by how many there are where it stands, and by all up to
    there, as many may share a number close to it.
    """
    reading = Reading(margin)
    first, third = (_smooth(margin, reading, level, z) for level in (0.25, 0.75))
    weights = _beyond(reading, first.value, third.value)
    value = float(weights @ margin.real)
    low, high = fences(first.value, third.value)
    one, three = _reach(margin, 0.25, first, z), _reach(margin, 0.75, third, z)
    # lower fence 2.5 Q1 - 1.5 Q3, upper fence 2.5 Q3 - 1.5 Q1
    moves = np.hypot(2.5 * one, 1.5 * three), np.hypot(1.5 * one, 2.5 * three)
    usual = [reading.usual(end, move) for end, move in zip((low, high), moves, strict=True)]
    noise = z * margin.deviation(weights)
    fewer, more = (
        _far(
            noise,
            usual,
            reading.passed(low, low + way * moves[0], closed=False),
            reading.passed(high, high - way * moves[1], closed=True),
        )
        for way in (-1, 1)
    )
    ends = max(value - fewer, 0.0), count_interval(value, more)[1]
    if not reading.whole:
        return Statistic(max(value, 0.0), *ends)
    # Among whole numbers a quartile moves in steps, and the fences with it.
    others = [
        float(_beyond(reading, low, high) @ margin.real)
        for low in {first.low, first.high}
        for high in {third.low, third.high}
    ]
    least, most = min(ends[0], min(others) - noise), max(ends[1], max(others) + noise)
    return Statistic(max(value, 0.0), max(least, 0.0), most)


def _reach(margin: Margin, level: float, smooth: Statistic, z: float) -> float:
    """Return how far off a quartile may be, noise and what its cell hides together."""
    sure = quantile(margin, level, z)
    hidden = z * _FENCES * (sure.high - sure.low) / 12**0.5
    return float(np.hypot((smooth.high - smooth.low) / 2, hidden))


def _far(noise: float, usual: list[float], *passed: float) -> float:
    """Join noise and the people that either fence may pass."""
    return float(np.linalg.norm([noise, *np.maximum(usual, passed)]))


def _beyond(reading: Reading, first: float, third: float) -> FloatArray:
    """Return the part of each cell that lies beyond the fences of two quartiles."""
    low, high = fences(first, third)
    below = reading.weights_below(low, closed=False)
    return below + 1.0 - reading.weights_below(high, closed=True)


def mean(margin: Margin, z: float) -> Statistic:
    """Give the mean of a numeric attribute: the cells at their middles, tails where they thin out.

    The interval reaches from the mean with every number at the lower end of its cell to that with
    every number at the upper end, and holds the noise in either.
    """
    low, high = margin.bins.lows, margin.bins.highs
    total = max(float(margin.real.sum()), 1.0)
    value = float(Reading(margin).places() @ margin.real) / total
    ends = (_mean_ends(margin, low, z)[0], _mean_ends(margin, high, z)[1])
    found = np.clip([value, *ends], low[0], high[-1])
    return Statistic(*map(float, (found[0], found.min(), found.max())))


def _mean_ends(margin: Margin, places: FloatArray, z: float) -> tuple[float, float]:
    """Return the interval of Fieller for a noisy sum by a noisy count, people at these places."""
    ones = np.ones(len(places))
    part = z**2 * margin.covariance[: len(places), : len(places)]
    total, whole = float(places @ margin.real), float(margin.real.sum())
    # the means m with (total - m whole)² at most z² its variance
    square = whole**2 - float(ones @ part @ ones)
    half = total * whole - float(places @ part @ ones)
    under = half**2 - square * (total**2 - float(places @ part @ places))
    if square <= 0 or whole <= 0:
        return -np.inf, np.inf
    reach = float(np.sqrt(max(under, 0.0)))
    return (half - reach) / square, (half + reach) / square


def tied(margin: Margin) -> float:
    """Return the sum of cubed shares of numbers with a cell of their own: Spearman's ties."""
    one = unit_cells(margin)
    shares = np.maximum(margin.real, 0.0) / max(np.maximum(margin.real, 0.0).sum(), 1.0)
    return float((shares[one] ** 3).sum())


def spearman(
    table: FloatArray, noise_sd: float, margins: tuple[Margin, Margin], ties: FloatArray, z: float
) -> Statistic:
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
        return Statistic(0.0, -1.0, 1.0)
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
    return Statistic(*map(float, np.clip([value, value - reach, value + reach], -1.0, 1.0)))


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
    table: FloatArray, noise_sd: float, z: float, unused: tuple[int, int] = (0, 0)
) -> Statistic:
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
    unused : pair of int
        How many rows and columns (undeclared, missing) were left out of `table` after the shift.
    """
    least = min(table.shape) - 1
    if least < 1:
        return Statistic(0.0, 0.0, 0.0)
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
    found = Statistic(*map(float, np.sqrt(np.clip(ends / (total * least), 0.0, 1.0))))
    if table.shape != (2, 2):
        return found
    return _with_departure(found, float(apart[0, 0]), z * float(variance[0, 0]) ** 0.5, expected)


def _with_departure(
    found: Statistic, apart: float, reach: float, expected: FloatArray
) -> Statistic:
    """Widen the interval of two categories each by that of the one departure all four cells have.

    What a cell of few people hides shows in the three others.
    """
    room = -float(np.diag(expected).min()), float(np.diag(expected[::-1]).min())
    ends = np.clip([apart - reach, apart + reach], *room)
    # V is the size of the departure by the geometric mean of the four expected counts
    sizes = np.sort(np.abs(ends)) / np.maximum(float(np.prod(np.sqrt(np.sqrt(expected)))), 1e-300)
    low = 0.0 if ends[0] <= 0.0 <= ends[1] else float(sizes[0])
    return Statistic(found.value, min(found.low, low), min(max(found.high, float(sizes[1])), 1.0))


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


def spread_in_cell(margin: Margin, cells: NDArray[np.int64], levels: FloatArray) -> FloatArray:
    """Return a number inside each of the given cells, at a level of the cell's own distribution.

    Missing values are NaN. Whole numbers stay whole.
    """
    reading = Reading(margin)
    numbers = np.full(len(cells), np.nan)
    for cell in range(margin.bins.n_cells):
        rows = np.flatnonzero(cells == cell)
        low, high = reading.edges[cell], reading.edges[cell + 1]
        if reading.one[cell] or not len(rows):
            numbers[rows] = low
            continue
        places = np.linspace(low, high, 65)
        parts = np.array([reading.part(cell, float(place)) for place in places])
        found = np.interp(levels[rows], np.maximum.accumulate(parts), places)
        numbers[rows] = np.minimum(np.floor(found), high - 1) if margin.bins.integer else found
    return numbers

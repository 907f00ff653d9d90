"""Statistics read off noisy tables, each with an interval that the known noise gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.explore._consistency import FloatArray, Margin

# How far off a quantile is inside a cell, by its distance from the cell's nearer edge.
_INSIDE = 0.25


class Statistic(NamedTuple):
    """An estimate and its interval."""

    value: float
    low: float
    high: float


def quantile(margin: Margin, level: float, z: float) -> Statistic:
    """Give a quantile of a numeric attribute.

    A number that has a cell of its own is given as it is. Elsewhere the quantile is interpolated
    in its cell; in the two end cells, which may be far wider than where anybody is, with a
    tail that continues the density beside it. The interval is the quantiles at the levels that
    the noise in the rank allows.

    Parameters
    ----------
    margin : Margin
    level : float
        From 0 to 1.
    z : float
        How many standard deviations the interval spans to each side.

    Examples
    --------
    >>> from sparsam.explore._bins import Bins
    >>> age = Bins("age", "numeric", edges=(0, 1, 2, 3), integer=True)
    >>> quantile(Margin(age, np.array([5.0, 5, 5, 0]), np.zeros((4, 4))), 0.5, 1.96).value
    1.0
    """
    reading = _Reading(margin)
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

    The interval holds the noise in the cells beyond and that in the two fences.
    """
    reading = _Reading(margin)
    first, third = quantile(margin, 0.25, z), quantile(margin, 0.75, z)
    weights = _beyond(reading, first.value, third.value)
    value = float(weights @ margin.real)
    spread = [(one.high - one.low) / (2 * z) for one in (first, third)]
    fences = _fences(first.value, third.value)
    # lower fence 2.5 Q1 - 1.5 Q3, upper fence 2.5 Q3 - 1.5 Q1
    low_sd = np.hypot(2.5 * spread[0], 1.5 * spread[1]) * reading.density(fences[0])
    high_sd = np.hypot(1.5 * spread[0], 2.5 * spread[1]) * reading.density(fences[1])
    sd = float(np.hypot(margin.deviation(weights), np.hypot(low_sd, high_sd)))
    found = _around(value, sd, z, least=0.0)
    if not reading.whole:
        return found
    # Among whole numbers a quartile moves in steps, and the fences with it.
    others = [
        float(_beyond(reading, low, high) @ margin.real)
        for low in {first.low, first.high}
        for high in {third.low, third.high}
    ]
    noise = z * margin.deviation(weights)
    low, high = min(found.low, min(others) - noise), max(found.high, max(others) + noise)
    return Statistic(found.value, max(low, 0.0), high)


def _beyond(reading: _Reading, first: float, third: float) -> FloatArray:
    """Give the part of each cell that lies beyond the fences of two quartiles."""
    low, high = _fences(first, third)
    below = reading.weights_below(low, closed=False)
    return below + 1.0 - reading.weights_below(high, closed=True)


def mean(margin: Margin, z: float) -> Statistic:
    """Give the mean of a numeric attribute: the cells at their middles, tails where they thin out.

    The interval holds the noise, not what a wide cell hides.
    """
    reading = _Reading(margin)
    places = reading.places()
    total = max(reading.total, 1.0)
    value = float(places @ np.maximum(margin.real, 0.0) / max(np.maximum(margin.real, 0).sum(), 1))
    return _around(value, margin.deviation((places - value) / total), z)


def tied(margin: Margin) -> float:
    """Give the sum of cubed shares of numbers with a cell of their own: Spearman's ties."""
    one = _unit_cells(margin)
    shares = np.maximum(margin.real, 0.0) / max(np.maximum(margin.real, 0.0).sum(), 1.0)
    return float((shares[one] ** 3).sum())


def spearman(
    table: FloatArray, noise_sd: float, margins: tuple[Margin, Margin], ties: FloatArray, z: float
) -> Statistic:
    """Give Spearman's rank correlation of two numeric attributes from their noisy table.

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
    # What the coarse cells hide beyond the correction; fitted on tables that no figure is from.
    variance += ((lift - 1.0) * value) ** 2
    return _around(value, float(np.sqrt(variance)), z, -1.0, 1.0)


def _ranked(table: FloatArray, ties: FloatArray) -> tuple[float | None, FloatArray, float]:
    """Give the correlation, its weights in the whole table and how much coarse cells took."""
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


# Settings of Cramér's V, chosen on tables that no figure is reported of.
_CERTAIN = 8.0
_BEYOND = 2.0
_UNSEEN = 1.5
# What a cell of nothing but noise adds on average: E[(z² - 1) 1(z > 2)], one side.
_FALSE = 0.108


def cramers_v(
    table: FloatArray, noise_sd: float, z: float, unused: tuple[int, int] = (0, 0)
) -> Statistic:
    """Give Cramér's V of two categorical attributes from their noisy table.

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
    # What was not counted can only add; what was counted in small cells may be noise alone.
    most = np.minimum(variance, noise_sd**0.5 * expected**1.5) / expected
    unseen = _UNSEEN * float(np.where(counted, 0.0, most).sum())
    small = float(np.where(counted & ~certain, squares, 0.0).sum())
    false = min(_FALSE * float(np.where(certain, 0.0, variance / expected).sum()), small)
    ends = np.array([whole, whole - reach - false, whole + reach + unseen])
    return Statistic(*map(float, np.sqrt(np.clip(ends / (total * least), 0.0, 1.0))))


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
    """Give the covariance, along one way of a table, of departures from fitted margins."""
    moves = np.eye(len(shares)) - shares[:, None]
    sums = moves.sum(axis=1)
    return np.asarray(moves @ moves.T - np.outer(sums, sums) / (len(shares) + unused))


class _Reading:
    """A numeric margin read as a distribution function.

    Inside a cell the counts below a number follow a monotone cubic curve through the counts at the
    edges. The last two cells of either side follow one exponential tail with both their counts
    where that fits, because the end cell may be far wider than where anybody is.
    """

    def __init__(self, margin: Margin) -> None:
        self.bins = margin.bins
        self.edges = np.array(self.bins.edges)
        running = np.concatenate([[0.0], np.cumsum(margin.real)])
        up, down = np.maximum.accumulate(running), np.minimum.accumulate(running[::-1])[::-1]
        self.running = np.maximum((up + down) / 2, 0.0)
        self.total = float(self.running[-1])
        self.one = _unit_cells(margin)
        self.whole = bool(self.one.all())
        self.last = len(self.edges) - 2
        self.slopes = _slopes(self.edges, self.running)
        self.rates = {cell: rate for side in (False, True) for cell, rate in self._tail(side)}

    def at(self, level: float) -> float:
        """Find the number below which this share of the counts lies."""
        wanted = level * self.total
        cell = int(np.clip(np.searchsorted(self.running, wanted, side="left") - 1, 0, self.last))
        low, high = float(self.edges[cell]), float(self.edges[cell + 1])
        mass = self._mass(cell)
        if self.one[cell] or mass <= 0:
            return low
        share = (wanted - float(self.running[cell])) / mass
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.part(cell, middle) < share else (low, middle)
        return float(np.floor(high)) if self.bins.integer else high

    def weights_below(self, number: float, *, closed: bool) -> FloatArray:
        """Give the part of each cell that lies below a number (up to it, where closed)."""
        if closed:
            weights = np.where(self.one, self.edges[:-1] <= number, self.edges[1:] <= number)
        else:
            weights = np.where(self.one, self.edges[:-1] < number, self.edges[1:] <= number)
        parts = weights.astype(float)
        cell = int(np.searchsorted(self.edges, number, side="right")) - 1
        if 0 <= cell <= self.last and not self.one[cell]:
            parts[cell] = self.part(cell, number)
        return parts

    def to_edge(self, number: float) -> float:
        """Give how far inside its cell a number lies; nothing where the cell is one number."""
        cell = int(np.clip(np.searchsorted(self.edges, number, side="right") - 1, 0, self.last))
        if self.one[cell]:
            return 0.0
        return float(np.abs(self.edges[cell : cell + 2] - number).min())

    def density(self, number: float) -> float:
        """Give the counts per unit around a number; none outside the declared range."""
        if not self.edges[0] < number < self.edges[-1]:
            return 0.0
        cell = int(np.searchsorted(self.edges, number, side="right")) - 1
        low, high = float(self.edges[cell]), float(self.edges[cell + 1])
        if self.one[cell]:
            near = slice(max(cell - 1, 0), cell + 2)
            return float(np.diff(self.running)[near].mean())
        step = (high - low) * 1e-3
        ends = np.clip([number - step, number + step], low, high)
        rise = self.part(cell, float(ends[1])) - self.part(cell, float(ends[0]))
        return max(rise * self._mass(cell) / float(ends[1] - ends[0]), 0.0)

    def places(self) -> FloatArray:
        """Give the number that stands for each cell."""
        places = self.bins.middles.copy()
        for cell, rate in self.rates.items():
            width = float(self.edges[cell + 1] - self.edges[cell])
            ahead = 1 / abs(rate) - width / float(np.expm1(min(abs(rate) * width, 500.0)))
            places[cell] = self.edges[cell] + (ahead if rate > 0 else width - ahead)
        return places

    def _mass(self, cell: int) -> float:
        return float(self.running[cell + 1] - self.running[cell])

    def _tail(self, upper: bool) -> list[tuple[int, float]]:
        """Give the last two cells of a side with the rate at which people thin out, if they do."""
        end, beside = (self.last, self.last - 1) if upper else (0, 1)
        if self.last < 2 or self.one[end] or self.one[beside]:
            return []
        tail, both = self._mass(end), self._mass(end) + self._mass(beside)
        if not 0.02 * both < tail < 0.8 * both or both > 0.2 * self.total:
            return []
        rate = -float(np.log(tail / both)) / float(self.edges[beside + 1] - self.edges[beside])
        return [(cell, rate if upper else -rate) for cell in (end, beside)]

    def part(self, cell: int, number: float) -> float:
        """Give the share of a cell's counts that lies below a number in it."""
        width = float(self.edges[cell + 1] - self.edges[cell])
        ahead = float(np.clip(number - self.edges[cell], 0.0, width))
        if cell in self.rates:
            rate = self.rates[cell]
            if rate > 0:
                return float(np.expm1(-rate * ahead) / np.expm1(-rate * width))
            return 1.0 - float(np.expm1(rate * (width - ahead)) / np.expm1(rate * width))
        mass, t = self._mass(cell), ahead / width
        if mass <= 0:
            return t
        start, stop = self.slopes[cell] * width / mass, self.slopes[cell + 1] * width / mass
        curve = t * t * (3 - 2 * t) + start * t * (1 - t) ** 2 - stop * t * t * (1 - t)
        return float(np.clip(curve, 0.0, 1.0))


def _slopes(edges: FloatArray, running: FloatArray) -> FloatArray:
    """Give the density at each edge so that the cubic curve never falls (Fritsch and Butland)."""
    widths = np.maximum(np.diff(edges), 1e-300)
    rises = np.diff(running) / widths
    slopes = np.zeros(len(edges))
    slopes[0], slopes[-1] = rises[0], rises[-1]
    if len(rises) > 1:
        first = 2 * widths[1:] + widths[:-1]
        second = widths[1:] + 2 * widths[:-1]
        both = np.minimum(rises[:-1], rises[1:]) > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (first + second) / (first / rises[:-1] + second / rises[1:])
        slopes[1:-1] = np.where(both, mean, 0.0)
    return slopes


def _unit_cells(margin: Margin) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    widths = np.diff(np.array(margin.bins.edges))
    return (widths <= 1.0) if margin.bins.integer else (widths == 0.0)


def _fences(first: float, third: float) -> tuple[float, float]:
    reach = 1.5 * (third - first)
    return first - reach, third + reach


def _around(
    value: float, sd: float, z: float, least: float = -np.inf, most: float = np.inf
) -> Statistic:
    ends = np.clip([value - z * sd, value + z * sd], least, most)
    return Statistic(float(np.clip(value, least, most)), float(ends[0]), float(ends[1]))


def spread_in_cell(margin: Margin, cells: NDArray[np.int64], levels: FloatArray) -> FloatArray:
    """Give a number inside each of the given cells, at a level of the cell's own distribution.

    Missing values are NaN. Whole numbers stay whole.
    """
    reading = _Reading(margin)
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

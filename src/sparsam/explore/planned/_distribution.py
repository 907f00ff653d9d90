"""One numeric attribute read off its noisy counts: quantiles, outliers and the mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.explore._estimate import Estimate, count_interval
from sparsam.explore._ranks import fences
from sparsam.explore.planned._consistency import FloatArray, Margin

# How far off a quantile is inside a cell, by its distance from the cell's nearer edge.
_INSIDE = 0.25
# Counts that differ by less are equal: floats add up to whole numbers only nearly.
_SAME = 1e-6
# How much of a quartile's sure interval, beside what noise moves, counts for the fences of
# outliers: where numbers are rounded, the quartile is off inside its cell. Fitted on bank and wine.
_FENCES = 0.25


class Reading:
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
        self.one = unit_cells(margin)
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
        """Return the part of each cell that lies below a number (up to it, where closed)."""
        # a whole number k fills [k, k + 1) of a wide cell
        ahead = (
            (np.floor(number) + 1.0 if closed else np.ceil(number)) if self.bins.integer else number
        )
        reached = self.edges[:-1] <= number if closed else self.edges[:-1] < number
        parts = np.where(self.one, reached, self.edges[1:] <= ahead).astype(float)
        cell = int(np.searchsorted(self.edges, ahead, side="right")) - 1
        if 0 <= cell <= self.last and not self.one[cell]:
            parts[cell] = self.part(cell, float(ahead))
        return parts

    def usual(self, number: float, width: float) -> float:
        """Count the people in so much room around a number, at most those in its cell."""
        cell = int(np.clip(np.searchsorted(self.edges, number, side="right") - 1, 0, self.last))
        return min(self.density(number) * width, self._mass(cell))

    def passed(self, start: float, stop: float, *, closed: bool) -> float:
        """Count the people whom an end passes that moves; `closed` as in `weights_below`."""
        parts = self.weights_below(stop, closed=closed) - self.weights_below(start, closed=closed)
        return abs(float(parts @ np.diff(self.running)))

    def to_edge(self, number: float) -> float:
        """Return how far inside its cell a number lies; nothing where the cell is one number."""
        cell = int(np.clip(np.searchsorted(self.edges, number, side="right") - 1, 0, self.last))
        if self.one[cell]:
            return 0.0
        return float(np.abs(self.edges[cell : cell + 2] - number).min())

    def density(self, number: float) -> float:
        """Return the counts per unit around a number; none outside the declared range."""
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
        """Return the number that stands for each cell."""
        places = self.bins.middles.copy()
        for cell, rate in self.rates.items():
            width = float(self.edges[cell + 1] - self.edges[cell])
            ahead = 1 / abs(rate) - width / float(np.expm1(min(abs(rate) * width, 500.0)))
            places[cell] = self.edges[cell] + (ahead if rate > 0 else width - ahead)
        return places

    def _mass(self, cell: int) -> float:
        return float(self.running[cell + 1] - self.running[cell])

    def _tail(self, upper: bool) -> list[tuple[int, float]]:
        """Return the last two cells of a side and the rate at which people thin out, if they do."""
        end, beside = (self.last, self.last - 1) if upper else (0, 1)
        if self.last < 2 or self.one[end] or self.one[beside]:
            return []
        tail, both = self._mass(end), self._mass(end) + self._mass(beside)
        if not 0.02 * both < tail < 0.8 * both or both > 0.2 * self.total:
            return []
        rate = -float(np.log(tail / both)) / float(self.edges[beside + 1] - self.edges[beside])
        return [(cell, rate if upper else -rate) for cell in (end, beside)]

    def part(self, cell: int, number: float) -> float:
        """Return the share of a cell's counts that lies below a number in it."""
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
    """Return the density at each edge so that the cubic curve never falls (Fritsch and Butland)."""
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


def unit_cells(margin: Margin) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    widths = np.diff(np.array(margin.bins.edges))
    return (widths <= 1.0) if margin.bins.integer else (widths == 0.0)


def quantile(margin: Margin, level: float, z: float) -> Estimate:
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
    number = Reading(margin).at(level)
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
    return Estimate(number, min(low, number), max(high, number))


def bucket_of_quantile(margin: Margin, level: float, z: float) -> Estimate:
    """Return a quantile as the middle of its cell: nothing inside a bucket is known.

    The interval is that of `quantile`: the ends of the buckets that the quantile may lie in.
    """
    number = quantile(margin, level, z)
    cell = int(np.searchsorted(margin.bins.edges, number.value, side="right")) - 1
    cell = min(max(cell, 0), margin.bins.n_cells - 1)
    low, high = float(margin.bins.lows[cell]), float(margin.bins.highs[cell])
    return Estimate((low + high) / 2, min(low, number.low), max(high, number.high))


def _smooth(margin: Margin, reading: Reading, level: float, z: float) -> Estimate:
    """Return a quantile with what the noise in its rank moves it, if the reading were right.

    A part of its distance from the nearer edge of its cell is added for what the cell hides.
    """
    number = reading.at(level)
    weights = reading.weights_below(number, closed=True) - level
    around = z * margin.deviation(weights) / max(reading.total, 1.0)
    low, high = reading.at(max(level - around, 0.0)), reading.at(min(level + around, 1.0))
    hidden = z * _INSIDE * reading.to_edge(number)
    below, above = (float(np.hypot(number - low, hidden)), float(np.hypot(high - number, hidden)))
    ends = np.clip([number - below, number + above], margin.bins.edges[0], margin.bins.edges[-1])
    return Estimate(number, float(ends[0]), float(ends[1]))


def outliers(margin: Margin, z: float) -> Estimate:
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
    below, above = _reach(margin, 0.25, first, z), _reach(margin, 0.75, third, z)
    # lower fence 2.5 Q1 - 1.5 Q3, upper fence 2.5 Q3 - 1.5 Q1
    moves = np.hypot(2.5 * below, 1.5 * above), np.hypot(1.5 * below, 2.5 * above)
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
        return Estimate(max(value, 0.0), *ends)
    # Among whole numbers a quartile moves in steps, and the fences with it.
    others = [
        float(_beyond(reading, low, high) @ margin.real)
        for low in {first.low, first.high}
        for high in {third.low, third.high}
    ]
    least, most = min(ends[0], min(others) - noise), max(ends[1], max(others) + noise)
    return Estimate(max(value, 0.0), max(least, 0.0), most)


def _reach(margin: Margin, level: float, smooth: Estimate, z: float) -> float:
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


def mean(margin: Margin, z: float) -> Estimate:
    """Return the mean of a numeric attribute: cells at their middles, tails where they thin out.

    The interval reaches from the mean with every number at the lower end of its cell to that with
    every number at the upper end, and holds the noise in either.
    """
    low, high = margin.bins.lows, margin.bins.highs
    total = max(float(margin.real.sum()), 1.0)
    value = float(Reading(margin).places() @ margin.real) / total
    ends = (_mean_ends(margin, low, z)[0], _mean_ends(margin, high, z)[1])
    means = np.clip([value, *ends], low[0], high[-1])
    return Estimate(*map(float, (means[0], means.min(), means.max())))


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
        inside = np.interp(levels[rows], np.maximum.accumulate(parts), places)
        numbers[rows] = np.minimum(np.floor(inside), high - 1) if margin.bins.integer else inside
    return numbers

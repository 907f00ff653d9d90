"""A numeric margin read as a distribution function."""

from __future__ import annotations

import numpy as np

from sparsam.explore.planned._consistency import FloatArray, Margin


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

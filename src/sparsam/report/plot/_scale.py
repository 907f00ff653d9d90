"""From values to places on paper, with round numbers along the axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """A map from values to coordinates.

    Parameters
    ----------
    low, high : float
        The values at the two ends, after the bend.
    start, stop : float
        The coordinates of the two ends.
    bend : callable, optional
        What is done to a value before it is placed, such as a logarithm; nothing by default.
    """

    low: float
    high: float
    start: float
    stop: float
    bend: Callable[[float], float] | None = None

    def __call__(self, value: float) -> float:
        """Place a value; what lies outside stays at the edge.

        Examples
        --------
        >>> Scale(0, 10, 100, 200)(5), Scale(0, 10, 100, 200)(12)
        (150.0, 200.0)
        """
        bent = value if self.bend is None else self.bend(value)
        inside = min(max(bent, min(self.low, self.high)), max(self.low, self.high))
        share = (inside - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, most: int) -> list[float]:
        """Return round values inside the scale, at most one more than asked for.

        Examples
        --------
        >>> Scale(0.17, 0.29, 0, 1).ticks(7)
        [0.18, 0.2, 0.22, 0.24, 0.26, 0.28]
        """
        step = round_step((self.high - self.low) / most)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [_plain(index * step) for index in range(first, last + 1)]


def round_step(least: float) -> float:
    """Return the smallest step of 1, 2 or 5 times a power of ten that is large enough.

    Examples
    --------
    >>> round_step(0.017), round_step(0.3), round_step(3e-13)
    (0.02, 0.5, 5e-13)
    """
    power = 10.0 ** math.floor(math.log10(least))
    factor = next(factor for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
    return _plain(factor * power)


def _plain(value: float) -> float:
    """Drop what adding floats left behind the digits that matter."""
    return float(f"{value:.12g}")


def span(values: Iterable[float | None], least: float = 0.02) -> tuple[float, float]:
    """Return the smallest and largest value, widened where they lie too close together.

    Examples
    --------
    >>> span([0.25, None]), span([])
    ((0.24, 0.26), (0.0, 1.0))
    """
    known = [value for value in values if value is not None]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    short = max(0.0, least - (high - low)) / 2
    return low - short, high + short


def padded(
    low: float, high: float, below: float, above: float | None = None
) -> tuple[float, float]:
    """Return a range with room around it, as shares of its length.

    Examples
    --------
    >>> padded(0.0, 10.0, 0.1), padded(0.0, 10.0, 0.0, 0.5)
    ((-1.0, 11.0), (0.0, 15.0))
    """
    length = high - low
    return low - below * length, high + (below if above is None else above) * length

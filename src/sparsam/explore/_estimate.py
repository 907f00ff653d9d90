"""An estimate from noisy counts and its interval; that of a count is never below zero."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

# The chance with which an interval holds the table's own figure.
LEVEL = 0.95
# Standard deviations of normal noise to each side.
_Z = 1.959963984540054
_STEPS = 2_000


class Estimate(NamedTuple):
    """A figure, and where the table's own one lies."""

    value: float
    low: float
    high: float


def count_interval(noisy: float, reach: float) -> tuple[float, float]:
    """Return the 95 % interval of a count whose noise stays within `reach` with that chance.

    A count is at least zero. To cut ``noisy ± reach`` off there would hold a true zero in 97.5 % of
    cases and, where noise made the count very negative, would leave zero alone, as if that were
    sure. So the interval is the one of Feldman and Cousins (1998): it holds the counts under
    which what was seen ranks, by its likelihood beside that of the best count, among the likeliest
    95 %. Far from zero it is ``noisy ± reach``.

    Examples
    --------
    >>> count_interval(1_000, 98)
    (902.0, 1098.0)
    >>> [tuple(round(end) for end in count_interval(noisy, 98)) for noisy in (-200, 0, 90, 120)]
    [(0, 16), (0, 98), (8, 188), (34, 218)]
    """
    if reach <= 0:
        return max(float(noisy), 0.0), max(float(noisy), 0.0)
    counts, lows, highs = _accepted()
    seen = noisy / reach * _Z
    low = seen - _Z if seen > 2 * _Z else float(np.interp(seen, highs, counts, left=0.0))
    high = seen + _Z if seen >= 0 else float(np.interp(seen, lows, counts))
    return low / _Z * reach, high / _Z * reach


@lru_cache(maxsize=1)
def _accepted() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return counts from zero up to `_Z` and, of each, the ends of what is then seen in 95 %.

    A number seen at x < 0 is likeliest under a count of zero. Ranked so, it is as likely as one
    at y > 0 where x = (c² - (y - c)²) / 2c, for a count c; of all such pairs one has a chance of
    95 % between them. From `_Z` on they lie evenly about the count.
    """
    counts = np.linspace(0.0, _Z, _STEPS + 1)[1:]
    near, far = np.zeros_like(counts), np.full_like(counts, 2 * _Z)
    for _ in range(60):
        above = (near + far) / 2
        below = (counts**2 - above**2) / (2 * counts)
        enough = ndtr(above) - ndtr(below - counts) >= LEVEL
        near, far = np.where(enough, near, above), np.where(enough, above, far)
    lows = (counts**2 - far**2) / (2 * counts)
    return counts, lows, counts + far

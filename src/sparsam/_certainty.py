"""How sure a figure is: tests and bounds that hold for any number of people.

Each test asks whether a mean is at least a limit, such as "more than one point is lost". A small
p-value shows that it is not: were it so, people like these would be seen that rarely. The bound is
the smallest limit that is shown in this way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, gammaln, ndtri, stdtr, stdtrit, xlog1py, xlogy

# Spent on how often two models differ, so that the test need not fear every such rate.
_SPENT = 1e-3
_RATES = 17
_STEPS = 60
_CLOSE = 1e-6
_FARTHEST = 8.0
# So many standard deviations hold all but a few of 10^11 draws; the rest counts against the limit.
_WIDE = 7
# The largest share of its wealth that a bet may lose.
_LARGEST_BET = 0.9


def share_p_value(n_hits: int, n: int, limit: float) -> float:
    """Whether a share is below a limit, from the people counted: exact (binomial).

    Parameters
    ----------
    n_hits, n : int
        How many people, of how many.
    limit : float

    Returns
    -------
    float

    Examples
    --------
    >>> round(share_p_value(0, 100, 0.03), 3)
    0.048
    """
    if n == 0:
        return 1.0
    return float(bdtr(n_hits, n, min(1.0, limit)))


def share_upper(n_hits: int, n: int, confidence: float = 0.95) -> float:
    """The smallest share that is shown not to be exceeded (Clopper and Pearson).

    Examples
    --------
    >>> round(share_upper(0, 100), 3)
    0.03
    """
    return 1.0 if n_hits >= n else float(betaincinv(n_hits + 1, n - n_hits, confidence))


def paired_p_value(differences: NDArray[Any], limit: float, spent: float = _SPENT) -> float:
    """Whether the mean of differences of -1, 0 and 1 is below a limit: exact.

    Two models are right or wrong on the same people. What counts is by how many more people the
    one errs; how often they differ at all is not known, so the worst of all rates is taken that
    the people leave possible (Berger and Boos, 1994).

    Parameters
    ----------
    differences : ndarray
        For each person 1 where only the first model errs, -1 where only the second does.
    limit : float
    spent : float, default=0.001
        On how often the two differ. No p-value is smaller, so that a test at a level of a
        thousandth or less must spend less.

    Returns
    -------
    float

    Examples
    --------
    >>> paired_p_value(np.repeat([1, -1, 0], [40, 30, 5930]), 0.01) < 0.01
    True
    """
    n, more, fewer = len(differences), int((differences > 0).sum()), int((differences < 0).sum())
    return _paired(n, more, fewer, limit, spent)


def _paired(n: int, more: int, fewer: int, limit: float, spent: float) -> float:
    if n == 0 or limit <= -1:
        return 1.0
    if limit >= 1:
        return 0.0
    differ = more + fewer
    low = float(betaincinv(differ, n - differ + 1, spent / 2)) if differ else 0.0
    high = share_upper(differ, n, 1 - spent / 2)
    # the rates of differing that the limit allows
    low, high = max(low, abs(limit)), max(high, abs(limit))
    rates = np.linspace(low, high, _RATES)
    return min(1.0, max(_tail(n, more - fewer, rate, limit) for rate in rates) + spent)


def _tail(n: int, surplus: int, rate: float, limit: float) -> float:
    """How likely no larger surplus is, where two models differ at a rate and on average by a limit.

    The number of people on whom they differ is binomial, and so is the part of them on whom the
    first one errs.
    """
    if rate <= 0:
        return 1.0 if surplus >= 0 else 0.0
    centre, spread = n * rate, math.sqrt(n * rate * (1 - rate))
    first, last = max(0, int(centre - _WIDE * spread - 9)), min(n, int(centre + _WIDE * spread + 9))
    differ = np.arange(first, last + 1)
    chances = np.exp(
        gammaln(n + 1)
        - gammaln(differ + 1)
        - gammaln(n - differ + 1)
        + xlogy(differ, rate)
        + xlog1py(n - differ, -rate)
    )
    most = (differ + surplus) // 2
    share = min(1.0, max(0.0, (1 + limit / rate) / 2))
    below = np.where(most >= differ, 1.0, 0.0)
    inside = (most >= 0) & (most < differ)
    below[inside] = bdtr(most[inside].astype(float), differ[inside], share)
    return float(chances @ below + max(0.0, 1 - chances.sum()))


def paired_upper(differences: NDArray[Any], confidence: float = 0.95) -> float:
    """The smallest mean of differences of -1, 0 and 1 that is shown not to be exceeded."""
    spent = min(_SPENT, (1 - confidence) / 50)
    n, more, fewer = len(differences), int((differences > 0).sum()), int((differences < 0).sum())
    if n == 0:
        return 1.0
    mean = (more - fewer) / n
    error = math.sqrt(max(more + fewer, 1) / n - mean**2 + 1 / n) / math.sqrt(n)
    return smallest_limit(
        lambda limit: _paired(n, more, fewer, limit, spent),
        confidence,
        -1.0,
        1.0,
        (mean + error, mean + (1 + float(ndtri(confidence))) * error),
    )


def mean_p_value(values: NDArray[Any], limit: float, low: float, high: float) -> float:
    """Whether the mean of bounded values is below a limit, for any number of people.

    Someone bets against the limit, person by person, as much as the people before suggest, and
    cannot become rich if it is exceeded (Waudby-Smith and Ramdas, 2024).

    Parameters
    ----------
    values : ndarray
        One for each person, drawn independently of each other.
    limit : float
    low, high : float
        What no value can be beyond.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_p_value(np.zeros(50), 0.1, 0.0, 1.0) < 0.05
    True
    """
    n, span = len(values), high - low
    if n == 0 or limit <= low:
        return 1.0
    if limit > high:
        return 0.0
    # in an order that tells nothing: a table may be sorted
    drawn = np.random.default_rng(0).permutation(np.asarray(values, dtype=float))
    shares, line = (drawn - low) / span, (limit - low) / span
    before = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(shares)) / (before + 1)
    squares = 0.25 + np.cumsum((shares - means) ** 2)
    spread = np.concatenate([[0.25], squares[:-1] / before[1:]])
    bets = np.minimum(np.sqrt(2 * math.log(20) / (n * spread)), _LARGEST_BET / max(1 - line, 1e-9))
    wealth = float(np.cumsum(np.log1p(bets * (line - shares))).max())
    return 1.0 if wealth <= 0 else math.exp(-wealth)


def mean_upper(values: NDArray[Any], low: float, high: float, confidence: float = 0.95) -> float:
    """The smallest mean of bounded values that is shown not to be exceeded."""
    return smallest_limit(
        lambda limit: mean_p_value(values, limit, low, high), confidence, low, high
    )


def normal_p_value(values: NDArray[Any], limit: float) -> float:
    """Whether a mean is below a limit, for many people: the mean is taken to be normal.

    For scores that are no plain means, such as AUC and R², with one value of influence for each
    person.

    Examples
    --------
    >>> round(normal_p_value(np.tile([-1.0, 1.0], 50), 0.2), 3)
    0.025
    """
    n = len(values)
    if n < 2:
        return 1.0
    mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
    if spread == 0:
        return 0.0 if mean < limit else 1.0
    return float(stdtr(n - 1, (mean - limit) * math.sqrt(n) / spread))


def normal_upper(values: NDArray[Any], confidence: float = 0.95) -> float:
    """The smallest mean that is shown not to be exceeded, for many people."""
    n = len(values)
    if n < 2:
        return math.inf
    half = float(stdtrit(n - 1, confidence)) * float(np.std(values, ddof=1)) / math.sqrt(n)
    return float(np.mean(values)) + half


def smallest_limit(
    p_value: Callable[[float], float],
    confidence: float,
    low: float,
    high: float,
    near: tuple[float, float] | None = None,
) -> float:
    """The smallest limit of a range whose p-value is small enough, to a millionth.

    Parameters
    ----------
    p_value : callable
        Of a limit; the larger the limit, the smaller.
    confidence, low, high : float
    near : tuple of float, optional
        Where the limit is likely to be: fewer p-values are needed if it is.
    """

    @cache
    def beyond(limit: float) -> float:
        """Standard errors by which a limit is shown; nearly a straight line."""
        return float(np.clip(-ndtri(p_value(limit)), -_FARTHEST, _FARTHEST)) - needed

    needed = float(ndtri(confidence))
    if near is not None:
        low, high = _around(beyond, low, high, *near)
    lower, upper = beyond(low), beyond(high)
    if upper < 0:
        return high
    if lower >= 0:
        return low
    kept = 0
    for _ in range(_STEPS):
        if high - low < _CLOSE:
            break
        saturated = lower <= -_FARTHEST - needed or upper >= _FARTHEST - needed
        straight = high - (high - low) * upper / (upper - lower)
        middle = (low + high) / 2 if saturated else min(max(straight, low), high)
        middle = min(max(middle, low + _CLOSE / 4), high - _CLOSE / 4)
        value = beyond(middle)
        # An end that was kept twice counts half, or the other one would never move (Illinois).
        if value >= 0:
            high, upper = middle, value
            lower, kept = (lower / 2, 1) if kept == 1 else (lower, 1)
        else:
            low, lower = middle, value
            upper, kept = (upper / 2, -1) if kept == -1 else (upper, -1)
    return high


def _around(
    beyond: Callable[[float], float], low: float, high: float, first: float, second: float
) -> tuple[float, float]:
    """A part of a range that holds the limit sought, from a guess where it is."""
    width = second - first
    while first > low and beyond(first) >= 0:
        first, width = first - width, 2 * width
    while second < high and beyond(second) < 0:
        second, width = second + width, 2 * width
    return max(first, low), min(second, high)

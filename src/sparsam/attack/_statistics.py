"""Intervals for shares and means."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Interval = tuple[float, float]


@cache
def _quantile(confidence: float) -> float:
    """How many standard errors to either side an interval takes."""
    return float(ndtri(0.5 + confidence / 2))


def wilson_interval(n_hits: float, n_records: int, confidence: float = 0.95) -> Interval:
    """Wilson's interval for a share.

    Examples
    --------
    >>> low, high = wilson_interval(5, 10)
    >>> round(low, 3), round(high, 3)
    (0.237, 0.763)
    """
    if n_records == 0:
        return (0.0, 1.0)
    z = _quantile(confidence)
    share = n_hits / n_records
    centre = share + z * z / (2 * n_records)
    half = z * math.sqrt(share * (1 - share) / n_records + z * z / (4 * n_records**2))
    scale = 1 + z * z / n_records
    return (max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale))


def mean_interval(values: NDArray[np.float64], confidence: float = 0.95) -> Interval:
    """Normal interval for the mean of one value per person, kept inside [0, 1].

    One value per person, because the errors that an adversary makes on several attributes of the
    same person are not independent.
    """
    n_records = len(values)
    if n_records < 2:
        return (0.0, 1.0)
    z = _quantile(confidence)
    half = z * float(values.std(ddof=1)) / math.sqrt(n_records)
    mean = float(values.mean())
    return (max(0.0, mean - half), min(1.0, mean + half))


def unpaired_difference(
    first: NDArray[Any], second: NDArray[Any], confidence: float = 0.95
) -> tuple[float, Interval]:
    """Mean of first less mean of second, over different people, and its normal interval."""
    mean = float(np.mean(first) - np.mean(second))
    if min(len(first), len(second)) < 2:
        return mean, (-1.0, 1.0)
    z = _quantile(confidence)
    half = z * math.sqrt(sum(float(np.var(v, ddof=1)) / len(v) for v in (first, second)))
    return mean, (mean - half, mean + half)


def paired_difference(
    first: NDArray[Any], second: NDArray[Any], confidence: float = 0.95
) -> tuple[float, Interval]:
    """Mean of first - second over the same people, and its normal interval."""
    difference = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    n_records = len(difference)
    mean = float(difference.mean()) if n_records else 0.0
    if n_records < 2:
        return mean, (-1.0, 1.0)
    z = _quantile(confidence)
    half = z * float(difference.std(ddof=1)) / math.sqrt(n_records)
    return mean, (mean - half, mean + half)

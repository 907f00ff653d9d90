"""How well scores tell members from others: the area under the curve and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata

from sparsam._errors import DataError
from sparsam.attack._statistics import Interval, wilson_interval

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class _Placements:
    """For each record the share of the other group that it beats, ties as half."""

    members: Scores
    others: Scores

    @property
    def auc(self) -> float:
        return float(self.members.mean())


def auc_interval(
    members: ArrayLike, others: ArrayLike, confidence: float = 0.95
) -> tuple[float, Interval]:
    """Measure how often a member scores above another person, with DeLong's interval.

    Ties count half. Where the scores part both groups without a mistake the variance is 0, which
    would promise too much: the interval is then Wilson's for the smaller group.

    Parameters
    ----------
    members, others : array of float
        The scores; higher means more like a member.
    confidence : float, default=0.95

    Returns
    -------
    auc : float
    interval : tuple of float

    Examples
    --------
    >>> auc_interval([3, 2, 2], [1, 2, 0])[0]
    0.888...
    """
    placed = _placements(members, others)
    return placed.auc, _interval(placed.auc, _variance(placed), placed, confidence)


def auc_difference(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    confidence: float = 0.95,
) -> tuple[float, Interval]:
    """Subtract the areas of two attacks on the same people, with DeLong's paired interval.

    Parameters
    ----------
    first, second : pair of arrays
        The scores of the members and of the others, in the same order of people in both.
    confidence : float, default=0.95

    Examples
    --------
    >>> difference, interval = auc_difference(([3, 2], [1, 0]), ([3, 0], [1, 2]))
    >>> difference
    0.5
    """
    one, two = _placements(*first), _placements(*second)
    if len(one.members) != len(two.members) or len(one.others) != len(two.others):
        raise DataError("Two attacks are compared on the same people. Their numbers differ.")
    change = _Placements(one.members - two.members, one.others - two.others)
    difference = one.auc - two.auc
    if min(len(change.members), len(change.others)) < 2:
        return difference, (-1.0, 1.0)
    half = float(norm.ppf(0.5 + confidence / 2)) * math.sqrt(_variance(change))
    return difference, (max(-1.0, difference - half), min(1.0, difference + half))


def true_positive_rate(members: ArrayLike, others: ArrayLike, at: float) -> float:
    """Share of members found by the best threshold that accuses at most a share of the others.

    People with the same score are accused together or not at all.

    Examples
    --------
    >>> true_positive_rate([3, 2, 1], [2, 2, 0, 0], at=0.25)
    0.333...
    """
    inside, outside = _checked(members, others)
    allowed = math.floor(at * len(outside) + 1e-9)
    if allowed >= len(outside):
        return 1.0
    # One more accusation than allowed would be the person at this place.
    threshold = np.partition(outside, len(outside) - 1 - allowed)[len(outside) - 1 - allowed]
    return float((inside > threshold).mean())


def best_threshold(members: ArrayLike, others: ArrayLike) -> float:
    """Find the lowest score to accuse at, so that the balanced accuracy is greatest.

    Examples
    --------
    >>> best_threshold([3, 2, 1], [0, 1, 0])
    2.0
    """
    inside, outside = (np.sort(scores) for scores in _checked(members, others))
    cuts = np.append(np.unique(np.concatenate([inside, outside])), np.inf)
    found = 1 - np.searchsorted(inside, cuts) / len(inside)
    accused = 1 - np.searchsorted(outside, cuts) / len(outside)
    gain = np.round(found - accused, 12)
    # Among equally good thresholds the middle one fits best to people not seen yet.
    best = np.flatnonzero(gain == gain.max())
    return float(cuts[best[len(best) // 2]])


def _placements(members: ArrayLike, others: ArrayLike) -> _Placements:
    inside, outside = _checked(members, others)
    joint = rankdata(np.concatenate([inside, outside]))
    above = (joint[: len(inside)] - rankdata(inside)) / len(outside)
    below = (joint[len(inside) :] - rankdata(outside)) / len(inside)
    return _Placements(above, 1 - below)


def _variance(placed: _Placements) -> float:
    if min(len(placed.members), len(placed.others)) < 2:
        return math.inf
    groups = (placed.members, placed.others)
    return sum(float(np.var(one, ddof=1)) / len(one) for one in groups)


def _interval(auc: float, variance: float, placed: _Placements, confidence: float) -> Interval:
    if not math.isfinite(variance):
        return (0.0, 1.0)
    fewer = min(len(placed.members), len(placed.others))
    if auc in (0.0, 1.0):
        return wilson_interval(auc * fewer, fewer, confidence)
    half = float(norm.ppf(0.5 + confidence / 2)) * math.sqrt(variance)
    return (max(0.0, auc - half), min(1.0, auc + half))


def _checked(members: ArrayLike, others: ArrayLike) -> tuple[Scores, Scores]:
    found: list[NDArray[Any]] = []
    for name, given in (("members", members), ("others", others)):
        scores = np.asarray(given, dtype=np.float64)
        if scores.ndim != 1 or not len(scores):
            raise DataError(
                f"The scores of the {name} must be one number a person, of one person at least. "
                f"Got the shape {scores.shape} instead."
            )
        if np.isnan(scores).any():
            raise DataError(f"The scores of the {name} must be numbers. Some are not.")
        found.append(scores)
    return found[0], found[1]

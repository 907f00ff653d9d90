"""How well scores tell who was in a model's training data: areas, thresholds, the risk."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata

from sparsam._errors import DataError
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import Interval, wilson_interval

FALSE_POSITIVES = (0.001, 0.01, 0.1)
SPLIT = "members and others"
Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class MembershipScores:
    """What an attack says of each person: the higher, the more like a member.

    Attributes
    ----------
    members, others : ndarray of float
    """

    members: NDArray[np.float64]
    others: NDArray[np.float64]

    def risk(self, id: str, random_state: int = 0, variant: str = "", **details: Any) -> Risk:
        """Measure the attack.

        For the accuracy both groups are parted into halves at random: the threshold of each half
        is the one that was best on the other.

        Parameters
        ----------
        id : str
            The name of the attack.
        random_state : int, default=0
        variant : str, default=""
            Which variant of it, such as "offline".
        **details
            More plain facts for the result.

        Returns
        -------
        Risk
            `value` is the area under the curve, with DeLong's interval. `details` hold the
            balanced `accuracy`, `precision` and `recall` of that threshold, and in `tpr_at` the
            share of the members found when so many of the others are accused wrongly.
        """
        fewer = min(len(self.members), len(self.others))
        if fewer < 2:
            raise DataError(f"An attack is measured on at least two of each group. Got {fewer}.")
        auc, interval = auc_interval(self.members, self.others)
        hits, accused = self._told(np.random.default_rng(random_state))
        precision = hits.sum() / max(1.0, hits.sum() + accused.sum())
        return Risk(
            adversary=f"{id}, {variant}" if variant else id,
            id=id,
            measure="AUC",
            value=auc,
            interval=interval,
            baseline=0.5,
            n=len(self.members) + len(self.others),
            split=SPLIT,
            random_state=random_state,
            details={
                "accuracy": float(hits.mean() + 1 - accused.mean()) / 2,
                "precision": float(precision),
                "recall": float(hits.mean()),
                "tpr_at": {
                    f"{rate:g}": true_positive_rate(self.members, self.others, rate)
                    for rate in FALSE_POSITIVES
                },
                "n_members": len(self.members),
                "n_others": len(self.others),
                **details,
            },
        )

    def _told(self, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Whom the thresholds call members, among the members and among the others."""
        halves = [_halves(len(scores), rng) for scores in (self.members, self.others)]
        called = [np.zeros(len(scores)) for scores in (self.members, self.others)]
        for learn in (0, 1):
            threshold = best_threshold(
                self.members[halves[0] == learn], self.others[halves[1] == learn]
            )
            for told, scores, half in zip(called, (self.members, self.others), halves, strict=True):
                told[half != learn] = scores[half != learn] >= threshold
        return called[0], called[1]


def _halves(n_people: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.permutation(n_people) % 2


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
    hits = 1 - np.searchsorted(inside, cuts) / len(inside)
    accused = 1 - np.searchsorted(outside, cuts) / len(outside)
    gain = np.round(hits - accused, 12)
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
    return sum(float(np.var(group, ddof=1)) / len(group) for group in groups)


def _interval(auc: float, variance: float, placed: _Placements, confidence: float) -> Interval:
    if not math.isfinite(variance):
        return (0.0, 1.0)
    fewer = min(len(placed.members), len(placed.others))
    if auc in (0.0, 1.0):
        return wilson_interval(auc * fewer, fewer, confidence)
    half = float(norm.ppf(0.5 + confidence / 2)) * math.sqrt(variance)
    return (max(0.0, auc - half), min(1.0, auc + half))


def _checked(members: ArrayLike, others: ArrayLike) -> tuple[Scores, Scores]:
    groups: list[NDArray[Any]] = []
    for name, values in (("members", members), ("others", others)):
        scores = np.asarray(values, dtype=np.float64)
        if scores.ndim != 1 or not len(scores):
            raise DataError(
                f"The scores of the {name} must be one number per person, at least one. "
                f"Got the shape {scores.shape} instead."
            )
        if np.isnan(scores).any():
            raise DataError(f"The scores of the {name} must be numbers. Some are not.")
        groups.append(scores)
    return groups[0], groups[1]

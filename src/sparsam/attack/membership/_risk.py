"""How well an adversary tells who was in a model's training data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._small_counts import publish_share, published_repr, suppress
from sparsam.attack._statistics import Interval
from sparsam.attack.membership._statistics import (
    auc_interval,
    best_threshold,
    true_positive_rate,
)

FALSE_POSITIVES = (0.001, 0.01, 0.1)


@dataclass(frozen=True, kw_only=True, repr=False)
class MembershipRisk:
    """How well an adversary tells the people a model was trained on from others.

    Attributes
    ----------
    adversary : str
    auc : float
        How often a member looks more like a member than another person does. 0.5 is a coin.
    interval : tuple of float
        DeLong's 95 % interval of `auc`.
    accuracy : float
        Mean of the shares of members and of others that are told rightly, by a threshold that was
        chosen on other people. 0.5 is a coin.
    tpr_at : mapping of float to float
        Share of the members found when this share of the others is accused wrongly.
    n_members, n_others : int
        People that these figures were measured on.
    random_state : int
    details : mapping
        More plain facts that only this adversary has.
    """

    adversary: str
    auc: float
    interval: Interval
    accuracy: float
    tpr_at: Mapping[float, float]
    n_members: int
    n_others: int
    random_state: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)

    baseline = 0.5

    @property
    def advantage(self) -> float:
        """Balanced accuracy beyond that of a coin."""
        return self.accuracy - self.baseline

    def __str__(self) -> str:
        low, high = self.interval
        said = self.to_dict()
        if said["accuracy"] is None:
            return f"{self.adversary}: not told, on so few people"
        return (
            f"{self.adversary}: AUC {self.auc:.3f} [{low:.3f}, {high:.3f}], accuracy "
            f"{said['accuracy']:.3f}, finds {said['tpr_at']['0.01']:.1%} at 1 % false accusations "
            f"({self.n_members:,} members, {self.n_others:,} others)"
        )

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: shares in steps of five people or more."""
        people = min(self.n_members, self.n_others)
        accuracy = publish_share(self.accuracy, people)
        return {
            "adversary": self.adversary,
            "auc": self.auc,
            "interval": list(self.interval),
            "accuracy": accuracy,
            "baseline": self.baseline,
            "advantage": None if accuracy is None else accuracy - self.baseline,
            "tpr_at": {
                f"{rate:g}": publish_share(share, self.n_members)
                for rate, share in self.tpr_at.items()
            },
            "n_members": suppress(self.n_members),
            "n_others": suppress(self.n_others),
            "random_state": self.random_state,
            "details": {
                name: publish_share(fact, people) if name in ("precision", "recall") else fact
                for name, fact in self.details.items()
            },
        }


@dataclass(frozen=True, eq=False, repr=False)
class MembershipScores:
    """What an attack says of each person: the higher, the more like a member.

    Attributes
    ----------
    members, others : ndarray of float
    """

    members: NDArray[np.float64]
    others: NDArray[np.float64]

    def risk(self, adversary: str, random_state: int = 0, **details: Any) -> MembershipRisk:
        """Measure the attack.

        For the accuracy both groups are parted into halves at random: the threshold of each half
        is the one that was best on the other.

        Parameters
        ----------
        adversary : str
            The name of the attack.
        random_state : int, default=0
        **details
            More plain facts for the result.
        """
        fewer = min(len(self.members), len(self.others))
        if fewer < 2:
            raise DataError(f"An attack is measured on at least two of each group. Got {fewer}.")
        auc, interval = auc_interval(self.members, self.others)
        found, accused = self._told(np.random.default_rng(random_state))
        precision = found.sum() / max(1.0, found.sum() + accused.sum())
        return MembershipRisk(
            adversary=adversary,
            auc=auc,
            interval=interval,
            accuracy=float(found.mean() + 1 - accused.mean()) / 2,
            tpr_at={
                rate: true_positive_rate(self.members, self.others, rate)
                for rate in FALSE_POSITIVES
            },
            n_members=len(self.members),
            n_others=len(self.others),
            random_state=random_state,
            details={"precision": float(precision), "recall": float(found.mean()), **details},
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

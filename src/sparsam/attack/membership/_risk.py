"""How well an adversary tells who was in a model's training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.attack._risk import Risk
from sparsam.attack.membership._statistics import (
    auc_interval,
    best_threshold,
    true_positive_rate,
)

FALSE_POSITIVES = (0.001, 0.01, 0.1)
SPLIT = "members and others"


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

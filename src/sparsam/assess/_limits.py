"""The two ends of every trade-off: nothing collected, everything collected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsam._small_counts import publish_share
from sparsam.assess._assessment import Assessment, assess_generalization
from sparsam.assess._utility import Classifier, Utility, best_classifier
from sparsam.attack import GeneralizedRecords, Interval, paired_difference
from sparsam.data import Split
from sparsam.generalization import Generalization


@dataclass(frozen=True)
class Limits:
    """What is possible at best and at worst.

    Attributes
    ----------
    everything : Utility
        With every attribute at full resolution (test data).
    nothing : Utility
        With no attribute at all (test data).
    naive_error : float
        Mean error of the naive adversary over the personal attributes (test data).
    classifier : Classifier
        The model with everything collected, to compare others with on the same people.
    """

    everything: Utility
    nothing: Utility
    naive_error: float
    classifier: Classifier

    def loss(self, assessment: Assessment, part: str) -> tuple[float, Interval]:
        """Accuracy lost against everything collected, and its 95 % interval on the same people."""
        wrong = assessment.person_errors[part].utility
        return paired_difference(wrong, self.classifier.wrong[part])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "everything": self.everything.to_dict(),
            "nothing": self.nothing.to_dict(),
            "naive": {"error": publish_share(self.naive_error, self.nothing.n_records)},
        }


def measure_limits(data: Split, random_state: int = 0) -> Limits:
    """Measure the limits of generalization (Staab et al., section 8.1)."""
    lookups = tuple(np.arange(size, dtype=np.uint16) for size in data.train.sizes)
    full = best_classifier(GeneralizedRecords.from_lookups(lookups, data), data, random_state)
    nothing: Assessment = assess_generalization(
        Generalization.nothing(data.train.table), data, random_state=random_state
    )
    return Limits(full.utility("test"), nothing.utility, nothing.risk.baseline, full)

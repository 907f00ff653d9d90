"""How well a model can still do its task on generalized records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparsam._small_counts import publish_interval, publish_share, published_repr, suppress
from sparsam.assess._classifiers import CLASSIFIERS
from sparsam.attack import GeneralizedRecords, Interval, target_question, wilson_interval
from sparsam.data import Split

MODELS = ("look-up", "logistic regression", "gradient boosting")


@dataclass(frozen=True, repr=False)
class Utility:
    """The error of the best classifier that sees only generalized records.

    Attributes
    ----------
    error : float
        Share of people whose class it predicts wrongly (Staab et al., eq. 1).
    interval : tuple of float
        95 % interval, from the number of records it was measured on.
    split : str
        The part of the data it was measured on.
    n_records : int
    model : str
        The classifier that did best on validation data.
    """

    error: float
    interval: Interval
    split: str
    n_records: int
    model: str

    @property
    def accuracy(self) -> float:
        """Share of people whose class is predicted rightly."""
        return 1.0 - self.error

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: the error in steps of five people or more."""
        return {
            "error": publish_share(self.error, self.n_records),
            "interval": publish_interval(self.interval, self.n_records),
            "split": self.split,
            "n_records": suppress(self.n_records),
            "model": self.model,
        }


@dataclass(frozen=True, repr=False)
class Classifier:
    """The classifier that was chosen, and whom it got wrong."""

    model: str
    wrong: dict[str, NDArray[np.bool_]]

    def utility(self, part: str) -> Utility:
        """Its utility on one part of the data."""
        wrong = self.wrong[part]
        interval = wilson_interval(int(wrong.sum()), len(wrong))
        return Utility(float(wrong.mean()), interval, part, len(wrong), self.model)


def best_classifier(
    records: GeneralizedRecords, data: Split, random_state: int, models: Sequence[str] = MODELS
) -> Classifier:
    """Train several classifiers on generalized training records, keep the best on validation."""
    question = target_question(data)
    if not records.columns:
        models = ("majority",)
    # One thread, so that sums are added in one order on any number of cores.
    with threadpool_limits(limits=1):
        posteriors = {m: CLASSIFIERS[m](records, data, random_state) for m in models}
    errors = {m: question.error(p, records, "validation") for m, p in posteriors.items()}
    model = min(errors, key=lambda m: errors[m])
    guess, _ = question.guess(posteriors[model])
    parts = ("validation", "test")
    wrong = {part: question.wrong(guess[records.index[part]], part) for part in parts}
    return Classifier(model, wrong)

"""How well a model can still do its task on generalized records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from sparsam._small_counts import publish_interval, publish_share, published_repr, suppress
from sparsam._threads import one_thread
from sparsam.attack import (
    GeneralizedRecords,
    Interval,
    Posterior,
    look_up,
    target_question,
    wilson_interval,
)
from sparsam.counting import Boosting
from sparsam.data import Split

Inputs = NDArray[np.float64]
MODELS = ("look-up", "logistic regression", "gradient boosting")


def counting(records: GeneralizedRecords, data: Split, random_state: int) -> Posterior:
    """Posterior of each record from counts, backing off to coarser records."""
    return look_up(records, target_question(data))


def majority(records: GeneralizedRecords, data: Split, random_state: int) -> Posterior:
    """The class frequencies of the training part, for every record."""
    return np.repeat(target_question(data).prior(), len(records), axis=0)


def gradient_boosting(records: GeneralizedRecords, data: Split, random_state: int) -> Posterior:
    """Posterior of each record from boosted trees: good at interactions."""
    question = target_question(data)
    counts = records.tabulate("train", question.codes["train"], question.size)
    held_out = records.tabulate("validation", question.codes["validation"], question.size)
    ranks = [np.unique(column, return_inverse=True)[1] for column in _columns(records, data).T]
    codes = np.stack(ranks, axis=1).astype(np.uint16)
    sizes = [int(column.max()) + 1 for column in ranks]
    return Boosting().shares(codes, sizes, counts, held_out).astype(np.float32)


def logistic_regression(records: GeneralizedRecords, data: Split, random_state: int) -> Posterior:
    """Posterior of each record from a linear model: good at many attributes and few people.

    Learned on distinct records and classes, each weighted by the people behind it.
    """
    question = target_question(data)
    inputs = _columns(records, data)
    counts = records.tabulate("train", question.codes["train"], question.size)
    lines, classes = np.nonzero(counts)
    if (classes == classes[0]).all():
        return np.repeat(question.prior(), len(records), axis=0)
    people = counts.sum(axis=1) / counts.sum()
    centred = inputs - people @ inputs
    spread = np.sqrt(people @ centred**2)
    scaled = centred / np.where(spread > 0, spread, 1.0)
    model = LogisticRegression(C=0.1, max_iter=1000)
    with warnings.catch_warnings():
        # scikit-learn takes many classes among few people for a slip; here they are the task.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        model.fit(scaled[lines], classes, sample_weight=counts[lines, classes])
    posterior = np.zeros((len(records), question.size), dtype=np.float32)
    posterior[:, model.classes_] = model.predict_proba(scaled)
    return posterior


def _columns(records: GeneralizedRecords, data: Split) -> Inputs:
    """One number for each attribute of each record.

    Buckets of ordered attributes in their order, others by the share of the second class among
    their people: trees then cut a column where they would have grouped its categories.
    """
    question = target_question(data)
    seen = records.tabulate("train", question.codes["train"], question.size)
    columns = np.empty(records.records.shape)
    for column, attribute in enumerate(records.columns):
        buckets = records.records[:, column]
        if data.train.table.attributes[attribute].ordered:
            columns[:, column] = buckets
        else:
            columns[:, column] = _shares(buckets, seen, records.sizes[column])[buckets]
    return columns


def _shares(buckets: NDArray[np.uint16], seen: NDArray[np.int64], size: int) -> Inputs:
    """Share of the second class in each bucket, as if one average person more had been seen."""
    people = np.bincount(buckets, weights=seen.sum(axis=1), minlength=size)
    second = np.bincount(buckets, weights=seen[:, 1 % seen.shape[1]], minlength=size)
    average = second.sum() / max(1.0, people.sum())
    return np.asarray((second + average) / (people + 1.0))


CLASSIFIERS: Mapping[str, Callable[[GeneralizedRecords, Split, int], Posterior]] = {
    "look-up": counting,
    "logistic regression": logistic_regression,
    "gradient boosting": gradient_boosting,
    "majority": majority,
}


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
    with one_thread():
        posteriors = {m: CLASSIFIERS[m](records, data, random_state) for m in models}
    errors = {m: question.error(p, records, "validation") for m, p in posteriors.items()}
    model = min(errors, key=lambda m: errors[m])
    guess, _ = question.guess(posteriors[model])
    parts = ("validation", "test")
    wrong = {part: question.wrong(guess[records.index[part]], part) for part in parts}
    return Classifier(model, wrong)

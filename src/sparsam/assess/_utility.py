"""How well a model can still do its task on generalized records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from sparsam._errors import ParameterError
from sparsam._small_counts import SMALLEST_COUNT, published_repr, suppress
from sparsam._threads import one_thread
from sparsam.assess._regressors import REGRESSORS
from sparsam.assess._score import ACCURACY, AUTO, Belief, Losses, Score, score_for
from sparsam.attack import (
    GeneralizedRecords,
    Interval,
    Posterior,
    look_up,
    target_question,
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
    """How well the best model tells the target that sees only generalized records.

    Attributes
    ----------
    error : float
        The mean loss per person. For accuracy the share of people whose class is predicted wrongly
        (Staab et al., eq. 1); for other scores that rise one less the score; else the score.
    interval : tuple of float
        95 % interval, from the number of records it was measured on.
    split : str
        The part of the data it was measured on.
    n_records : int
    model : str
        The model that did best on validation data.
    score : Score
        What it is judged by.
    """

    error: float
    interval: Interval
    split: str
    n_records: int
    model: str
    score: Score = ACCURACY

    @property
    def value(self) -> float:
        """The score itself, such as the accuracy or R²."""
        return self.score.value(self.error)

    @property
    def accuracy(self) -> float:
        """Share of people whose class is predicted rightly, where that was measured."""
        if self.score.name != "accuracy":
            raise ParameterError(
                f"Accuracy was not measured, but the {self.score.kind.words}."
                "\n\nHint: `value` holds it; score='accuracy' measures accuracy."
            )
        return self.value

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: the error in steps of five people or more."""
        error = self.score.publish(self.error, self.n_records)
        return {
            "score": self.score.name,
            "value": None if error is None else round(self.score.value(error), 12),
            "error": error,
            "interval": self.score.publish_interval(self.interval, self.n_records),
            "split": self.split,
            "n_records": suppress(self.n_records),
            "model": self.model,
        }


def with_rare_together(records: GeneralizedRecords, data: Split) -> GeneralizedRecords:
    """The records as a classifier sees them: categories that few people have are one.

    Fewer than five people of the training part teach nothing of a bucket of categories, but their
    own classes can be learned by heart. Such buckets of an attribute count as one, "other", where
    the people of the other parts are too whose categories training does not know.
    """
    lookups = list(records.lookups)
    for column, attribute in enumerate(records.columns):
        if data.train.table.attributes[attribute].ordered:
            continue
        buckets = records.records[records.index["train"], column]
        rare = np.bincount(buckets, minlength=records.sizes[column]) < SMALLEST_COUNT
        if rare.sum() > 1:
            same = np.where(rare, len(rare), np.arange(len(rare)))
            dense = np.unique(same, return_inverse=True)[1].astype(np.uint16)
            lookups[attribute] = dense[lookups[attribute]]
    if all(new is old for new, old in zip(lookups, records.lookups, strict=True)):
        return records
    return GeneralizedRecords.from_lookups(tuple(lookups), data)


@dataclass(frozen=True, repr=False)
class Classifier:
    """The model that was chosen, and what it loses on each person of a part."""

    model: str
    losses: dict[str, Losses]
    score: Score = ACCURACY

    def utility(self, part: str) -> Utility:
        """Its utility on one part of the data."""
        losses, score = self.losses[part], self.score
        error, n_records = float(losses.mean()), len(losses)
        return Utility(error, score.interval(losses), part, n_records, self.model, score)


def best_classifier(
    records: GeneralizedRecords,
    data: Split,
    random_state: int,
    models: Sequence[str] | None = None,
    score: str | Score = AUTO,
) -> Classifier:
    """Train several models on generalized training records, keep the best on validation data."""
    score, records = score_for(data, score), with_rare_together(records, data)
    learners = REGRESSORS[score.name] if score.kind.numbers else CLASSIFIERS
    *able, guess = learners
    models = models or able
    if not records.columns:
        models = (guess,)
    # One thread, so that sums are added in one order on any number of cores.
    with one_thread():
        beliefs: dict[str, Belief] = {m: learners[m](records, data, random_state) for m in models}

    def losses(model: str, part: str) -> Losses:
        return score.losses(beliefs[model], records.index[part], data, part)

    errors = {model: float(losses(model, "validation").mean()) for model in models}
    best = min(errors, key=lambda model: errors[model])
    return Classifier(best, {part: losses(best, part) for part in ("validation", "test")}, score)

"""How well a model can still do its task on generalized records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from sparsam._errors import ParameterError
from sparsam._small_counts import SMALLEST_COUNT, published_repr, suppress
from sparsam._threads import one_thread
from sparsam.assess._score import ACCURACY, AUTO, Answers, Losses, Score, score_for
from sparsam.assess.learners._linear import logistic_regression, ridge_regression
from sparsam.assess.learners._look_up import look_up
from sparsam.assess.learners._sample import Beliefs, Floats, Rows, Sample, samples
from sparsam.assess.learners._trees import boosted_means, boosted_medians, boosted_shares
from sparsam.attack import GeneralizedRecords, Interval
from sparsam.data import Split

Learner = Callable[[Sample, int], Beliefs]
_AND = " and "


def guess(sample: Sample, random_state: int) -> Beliefs:
    """The class frequencies, or the mean, of those seen: the same for every record."""
    return np.tile(sample.mean, (3, len(sample.codes), 1))


def guess_median(sample: Sample, random_state: int) -> Beliefs:
    """The median of those seen, for every record."""
    return np.full((3, len(sample.codes), 1), np.median(sample.numbers))


_OF_CLASSES: Mapping[str, Learner] = {
    "look-up": look_up,
    "logistic regression": logistic_regression,
    "gradient boosting": boosted_shares,
    "majority": guess,
}
# For each score, the models to try; the last is for nothing collected.
LEARNERS: Mapping[str, Mapping[str, Learner]] = {
    "accuracy": _OF_CLASSES,
    "balanced accuracy": _OF_CLASSES,
    "log loss": _OF_CLASSES,
    "auc": _OF_CLASSES,
    "r2": {
        "look-up": look_up,
        "ridge regression": ridge_regression,
        "gradient boosting": boosted_means,
        "mean": guess,
    },
    "mae": {
        "look-up": look_up,
        "ridge regression": ridge_regression,
        "gradient boosting": boosted_medians,
        "median": guess_median,
    },
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
        The model that did best on people whom it had not seen.
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
    """The model that was chosen, and what it loses on each person of a part.

    Where a loss depends on the others who are judged, `answers` holds what the model says of each
    person, to judge it among fewer people.
    """

    model: str
    losses: dict[str, Losses]
    score: Score = ACCURACY
    answers: dict[str, Answers] = field(default_factory=dict)

    def utility(self, part: str) -> Utility:
        """Its utility on one part of the data."""
        losses, score = self.losses[part], self.score
        error, n_records = float(losses.mean()), len(losses)
        return Utility(error, score.interval(losses), part, n_records, self.model, score)


def model_names(score: Score) -> list[str]:
    """Each model that is tried for a score, and each mean of some of them."""
    *able, _ = LEARNERS[score.name]
    return [_AND.join(some) for n in range(1, len(able) + 1) for some in combinations(able, n)]


def best_classifier(
    records: GeneralizedRecords,
    data: Split,
    random_state: int,
    models: Sequence[str] | None = None,
    score: str | Score = AUTO,
) -> Classifier:
    """Train several models on generalized records; keep the best on people they have not seen.

    Parameters
    ----------
    records : GeneralizedRecords
    data : Split
    random_state : int
    models : sequence of str, optional
        What to choose from. Several names joined by "and" are the mean of what these models tell.
        By default each model, and each mean of some of them.
    score : str or Score, default="auto"

    Returns
    -------
    Classifier
        The validation part is judged by models that have not learned from the person in question,
        the test part by the mean of all turns (see `sparsam.assess.learners._sample.turns`).
    """
    score, records = score_for(data, score), with_rare_together(records, data)
    learners = LEARNERS[score.name]
    models = models or model_names(score)
    if not records.columns:
        models = (list(learners)[-1],)
    members = {name: learners[name] for model in models for name in model.split(_AND)}
    # One thread, so that sums are added in one order on any number of cores.
    with one_thread():
        told = _tell(members, records, data, random_state)

    def answers(belief: Floats, part: Split) -> Answers:
        return score.answers(belief, np.arange(len(belief)), part, "validation")

    def losses(belief: Floats, part: Split) -> Losses:
        return score.judge(answers(belief, part), part.validation)

    def unseen(model: str) -> Floats:
        return _mean([told.unseen[name] for name in model.split(_AND)], score)

    best = models[0]
    if len(models) > 1:
        everyone = replace(data, validation=data.train.join(data.validation).take(told.people))
        best = min(models, key=lambda model: float(losses(unseen(model), everyone).mean()))
    later = _mean([told.records[name] for name in best.split(_AND)], score)
    said = {
        "validation": answers(unseen(best)[-data.validation.n_rows :], data),
        "test": score.answers(later, records.index["test"], data, "test"),
    }
    judged = {part: score.judge(told, getattr(data, part)) for part, told in said.items()}
    return Classifier(best, judged, score, said if score.kind.judge is not None else {})


class _Told(NamedTuple):
    """What some models tell.

    Attributes
    ----------
    people : ndarray of int64
        Who was held out in some turn, of the training part and, at last, of the validation part.
    unseen : mapping of str to ndarray
        What each model tells of these people when it has not seen them.
    records : mapping of str to ndarray
        What each model tells of each record, in the mean over the turns.
    """

    people: Rows
    unseen: dict[str, Floats]
    records: dict[str, Floats]


def _tell(
    learners: Mapping[str, Learner], records: GeneralizedRecords, data: Split, random_state: int
) -> _Told:
    """Let models learn in every turn."""
    lines = np.concatenate([records.index["train"], records.index["validation"]])
    people: list[Rows] = []
    unseen: dict[str, list[Floats]] = {name: [] for name in learners}
    beliefs: dict[str, list[Floats]] = {name: [] for name in learners}
    for turn, sample in samples(records, data):
        first, second = turn.halves
        people += [first, second]
        for name, learner in learners.items():
            told = learner(sample, random_state)
            unseen[name] += [told[1][lines[first]], told[0][lines[second]]]
            beliefs[name].append(told[2].copy())
            del told  # of millions of records: only one model's at a time
    judged = np.concatenate(people)
    order = np.argsort(judged)
    return _Told(
        judged[order],
        {name: np.concatenate(told)[order] for name, told in unseen.items()},
        {name: np.mean(told, axis=0) for name, told in beliefs.items()},
    )


def _mean(beliefs: Sequence[Floats], score: Score) -> Floats:
    """The mean of what several models tell; of numbers as a plain list."""
    mean = np.asarray(sum(beliefs[1:], start=beliefs[0]) / len(beliefs))
    return mean[:, 0] if score.kind.numbers else mean

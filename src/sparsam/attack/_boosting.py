"""Guess with gradient-boosted trees: slow, and a check on the other attack models."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from sparsam.attack._question import Posterior, Question
from sparsam.attack._records import GeneralizedRecords

MOST_VALUES = 50  # one tree for each value and round: more would take hours
_MOST_CATEGORIES = 255


def boosting(
    records: GeneralizedRecords, question: Question, random_state: int
) -> Posterior | None:
    """Posterior of each record; None where there are too many values to tell apart.

    Learned on distinct records and values, each weighted by the people behind it.
    """
    if not records.columns or question.size > MOST_VALUES:
        return None
    people = records.tabulate("train", question.codes["train"], question.size)
    lines, values = np.nonzero(people)
    if len(np.unique(values)) < 2:
        return None
    categories = np.array(records.sizes) <= _MOST_CATEGORIES
    model = HistGradientBoostingClassifier(
        max_iter=50,
        min_samples_leaf=5,
        early_stopping=False,
        categorical_features=categories,
        random_state=random_state,
    )
    model.fit(records.records[lines], values, sample_weight=people[lines, values])
    posterior = np.full((len(records), question.size), np.finfo(np.float32).tiny, np.float32)
    posterior[:, model.classes_] = model.predict_proba(records.records)
    possible = question.possible(records)
    if possible is not None:
        posterior[~possible] = 0.0
    return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))

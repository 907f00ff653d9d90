"""Boosted trees: good at what attributes tell together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.assess.learners._sample import Beliefs, Sample, ranges_of
from sparsam.counting import Boosting

_FEWEST_IN_LEAF = 20
_MOST_CODES = 64
_CLASSES = Boosting(rate=0.2, patience=5)
_NUMBERS = Boosting(rate=0.2, patience=5, fewest=_FEWEST_IN_LEAF)
_MOST_CATEGORIES = 255  # that scikit-learn cuts as categories


def boosted_shares(sample: Sample, random_state: int = 0) -> Beliefs:
    """Shares of the classes."""
    codes, sizes = _coarse(sample)
    people = sample.held_out[:, :, :-1]
    return _CLASSES.stopped_shares(codes, sizes, sample.sums, people, sample.unordered)


def boosted_means(sample: Sample, random_state: int = 0) -> Beliefs:
    """The mean of the number."""
    codes, sizes = _coarse(sample)
    return _NUMBERS.stopped_means(
        codes, sizes, sample.sums, sample.people, sample.held_out, sample.unordered
    )


def _coarse(sample: Sample) -> tuple[NDArray[np.uint16], list[int]]:
    """The records with no more codes of a number than trees need, of about as many people each."""
    codes, sizes = sample.codes, list(sample.sizes)
    for column, values in enumerate(sample.values):
        if values is not None and sizes[column] > _MOST_CODES:
            people = np.bincount(sample.codes[:, column], sample.people, sizes[column])
            ranges = ranges_of(people, _MOST_CODES)
            codes = codes.copy() if codes is sample.codes else codes
            codes[:, column], sizes[column] = ranges[sample.codes[:, column]], int(ranges.max()) + 1
    return codes, sizes


def boosted_medians(sample: Sample, random_state: int = 0) -> Beliefs:
    """The median of the number."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    few = [column for column in sample.unordered if sample.sizes[column] <= _MOST_CATEGORIES]
    model = HistGradientBoostingRegressor(
        loss="absolute_error",
        max_iter=100,
        learning_rate=0.1,
        min_samples_leaf=_FEWEST_IN_LEAF,
        early_stopping=False,
        categorical_features=few,
        random_state=random_state,
    )
    columns: NDArray[np.float64] = sample.codes.astype(float)
    model.fit(columns[sample.lines], sample.numbers)
    return np.tile(model.predict(columns)[:, None], (3, 1, 1))

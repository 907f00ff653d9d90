"""Models that tell a number from generalized records."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge

from sparsam.attack import GeneralizedRecords
from sparsam.counting import Boosting, record_keys
from sparsam.data import Split, Task

Numbers = NDArray[np.float64]
Regressor = Callable[[GeneralizedRecords, Split, int], Numbers]
STRENGTHS = (0.5, 2.0, 8.0, 32.0)
_FEWEST_IN_LEAF = 20
_SHRINK = 10.0  # as if so many average people more had been seen in each bucket


def look_up_means(records: GeneralizedRecords, data: Split, random_state: int) -> Numbers:
    """Mean of the people with the same record, backing off to coarser records.

    As in `sparsam.attack.look_up`: each mean is shrunk towards that of the people who share one
    column less, as if m people more had been seen there; m is chosen on validation data.
    """
    truth, index = numbers_of(data.train), records.index["train"]
    means = [np.full(1, truth.mean())] * len(STRENGTHS)
    parent = np.zeros(len(records), dtype=np.int64)
    order = _most_telling_first(records, data)
    for length in range(1, len(order) + 1):
        columns = order[:length]
        keys = record_keys(records.records[:, columns], [records.sizes[c] for c in columns])
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        people = np.bincount(group[index], minlength=len(first))
        sums = np.bincount(group[index], truth, minlength=len(first))
        means = [
            (sums + strength * mean[parent[first]]) / (people + strength)
            for mean, strength in zip(means, STRENGTHS, strict=True)
        ]
        parent = group
    asked, judge = numbers_of(data.validation), parent[records.index["validation"]]
    best = min(means, key=lambda mean: float(((mean[judge] - asked) ** 2).sum()))
    return np.asarray(best[parent])


def ridge(records: GeneralizedRecords, data: Split, random_state: int) -> Numbers:
    """A linear model of buckets in their order and of the means of their people."""
    means = [_bucket_means(records, data, column) for column in range(len(records.columns))]
    ordered = [
        records.records[:, column].astype(float)
        for column, attribute in enumerate(records.columns)
        if data.train.table.attributes[attribute].ordered
    ]
    inputs = np.column_stack([*means, *ordered])
    seen = inputs[records.index["train"]]
    spread = seen.std(axis=0)
    scaled = (inputs - seen.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    model = Ridge(alpha=1.0).fit(scaled[records.index["train"]], numbers_of(data.train))
    return np.asarray(model.predict(scaled))


def boosting(records: GeneralizedRecords, data: Split, random_state: int) -> Numbers:
    """Boosted trees for the mean, learned on distinct records."""
    columns = _columns(records, data)
    ranks = [np.unique(column, return_inverse=True)[1] for column in columns.T]
    codes = np.stack(ranks, axis=1).astype(np.uint16)
    sizes = [int(column.max()) + 1 for column in ranks]
    index, truth = records.index["train"], numbers_of(data.train)
    sums = np.bincount(index, truth, minlength=len(records)).astype(float)
    people = records.counts("train").astype(float)
    means = Boosting(fewest=_FEWEST_IN_LEAF).means(codes, sizes, sums[:, None], people)
    return np.asarray(means[:, 0])


def boosted_medians(records: GeneralizedRecords, data: Split, random_state: int) -> Numbers:
    """Boosted trees for the median."""
    columns = _columns(records, data)
    model = HistGradientBoostingRegressor(
        loss="absolute_error",
        max_iter=100,
        learning_rate=0.1,
        min_samples_leaf=_FEWEST_IN_LEAF,
        early_stopping=False,
        random_state=random_state,
    )
    model.fit(columns[records.index["train"]], numbers_of(data.train))
    return np.asarray(model.predict(columns))


def _columns(records: GeneralizedRecords, data: Split) -> Numbers:
    """Buckets in their order, or categories by the mean of their people."""
    columns = np.empty(records.records.shape)
    for column, attribute in enumerate(records.columns):
        ordered = data.train.table.attributes[attribute].ordered
        buckets = records.records[:, column]
        columns[:, column] = buckets if ordered else _bucket_means(records, data, column)
    return columns


def mean(records: GeneralizedRecords, data: Split, random_state: int) -> Numbers:
    """The mean of the training part, for every record."""
    return np.full(len(records), numbers_of(data.train).mean())


def median(records: GeneralizedRecords, data: Split, random_state: int) -> Numbers:
    """The median of the training part, for every record."""
    return np.full(len(records), np.median(numbers_of(data.train)))


def numbers_of(task: Task) -> Numbers:
    """The true number of each person."""
    assert task.numbers is not None  # nobody asks for a number where the target has classes
    return task.numbers


def _bucket_means(records: GeneralizedRecords, data: Split, column: int) -> Numbers:
    """For each record, the mean of the people in its bucket of one column, shrunk a little."""
    buckets, truth = records.records[:, column], numbers_of(data.train)
    seen = buckets[records.index["train"]]
    people = np.bincount(seen, minlength=records.sizes[column])
    sums = np.bincount(seen, truth, minlength=records.sizes[column])
    means = (sums + _SHRINK * truth.mean()) / (people + _SHRINK)
    return np.asarray(means[buckets])


def _most_telling_first(records: GeneralizedRecords, data: Split) -> list[int]:
    """The columns by how far the means of their buckets lie apart."""
    index = records.index["train"]
    spread = [
        float(_bucket_means(records, data, column)[index].var())
        for column in range(len(records.columns))
    ]
    return [int(column) for column in np.argsort(-np.array(spread), kind="stable")]


# For each score, the models to try; the last is for nothing collected.
REGRESSORS: Mapping[str, Mapping[str, Regressor]] = {
    "r2": {
        "look-up": look_up_means,
        "ridge regression": ridge,
        "gradient boosting": boosting,
        "mean": mean,
    },
    "mae": {
        "look-up": look_up_means,
        "ridge regression": ridge,
        "gradient boosting": boosted_medians,
        "median": median,
    },
}

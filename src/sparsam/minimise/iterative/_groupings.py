"""The groupings of each attribute's values that the iterative minimiser chooses from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._logistic_scores import logistic_scores
from sparsam.minimise._partitions import code_counts, full_resolution
from sparsam.minimise.iterative._optimal_groups import optimal_groups
from sparsam.minimise.tree._buckets import numbered_by_first_code
from sparsam.minimise.tree._hierarchy import Hierarchy

Buckets = NDArray[np.int64]


class Groupings:
    """For each attribute and each number of buckets, one way to group its values.

    Parameters
    ----------
    task : Task
    constraints : Constraints
    buckets : int
        Into how many quantiles numbers are cut for the regression that scores the values.
    """

    def __init__(self, task: Task, constraints: Constraints, buckets: int) -> None:
        self._attributes = task.table.attributes
        self._counts = code_counts(task.codes, task.sizes)
        self._hierarchies = {
            name: Hierarchy(task.table.attribute(name), ancestors)
            for name, ancestors in constraints.hierarchies.items()
        }
        self._constraints = constraints
        values = [
            _quantiles(attribute, counts, buckets) if attribute.ordered else np.arange(len(counts))
            for attribute, counts in zip(self._attributes, self._counts, strict=True)
        ]
        self._scores = logistic_scores(task, values)

    def everything(self, attribute: int) -> Buckets:
        """The most that may be collected of an attribute, but for limits on its buckets."""
        encoded = self._attributes[attribute]
        if encoded.name in self._constraints.must_drop:
            return np.zeros(encoded.size, dtype=np.int64)
        return full_resolution(encoded)

    def at_most(self, attribute: int, most: int) -> Buckets:
        """Group the values of an attribute into at most so many buckets.

        Numbers and ordered categories are cut at quantiles, categories are grouped by score; a
        hierarchy is opened from the top, the largest group first. A missing value has a bucket of
        its own, but not one of only two.
        """
        encoded, counts = self._attributes[attribute], self._counts[attribute]
        demands = self._constraints
        if encoded.name in demands.must_drop or encoded.name in demands.must_keep:
            return self.everything(attribute)
        most = min(most, demands.max_buckets.get(encoded.name, most))
        if encoded.name in self._hierarchies:
            return self._hierarchies[encoded.name].at_most(most, encoded.size)
        if not encoded.ordered:
            return numbered_by_first_code(optimal_groups(self._scores[attribute], most))
        runs = _cut(counts[: encoded.n_values], most)
        if encoded.missing and most == 2 and runs.max() > 0:
            return _beside_the_nearest(runs, counts, self._scores[attribute])
        return _quantiles(encoded, counts, most)


def _quantiles(attribute: Attribute, counts: NDArray[np.int64], most: int) -> Buckets:
    """Cut an ordered attribute at quantiles; missing has a bucket of its own if there are two."""
    if not attribute.missing:
        return _cut(counts, most)
    runs = _cut(counts[: attribute.n_values], max(1, most - 1))
    return np.append(runs, runs.max() + 1 if most > 1 else 0)


def _cut(counts: NDArray[np.int64], most: int) -> Buckets:
    """Runs of about equally many people: each value falls where the middle of its people does."""
    middle = np.cumsum(counts) - counts / 2
    quantile = (middle * most / max(1, int(counts.sum()))).astype(np.int64)
    return numbered_by_first_code(np.minimum(quantile, most - 1))


def _beside_the_nearest(
    runs: Buckets, counts: NDArray[np.int64], scores: NDArray[np.float64]
) -> Buckets:
    """Put the missing value into the run whose people's mean score is nearest to its own."""
    people = np.bincount(runs, weights=counts[:-1])
    sums = np.bincount(runs, weights=counts[:-1] * scores[:-1])
    distance = np.abs(sums / np.maximum(people, 1) - scores[-1])
    return np.append(runs, distance.argmin())

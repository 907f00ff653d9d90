"""The groupings of each attribute's values that the iterative minimiser chooses from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from sparsam.counting import distinct_records
from sparsam.data import Attribute, Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._partitions import code_counts, full_resolution
from sparsam.minimise._splits import numbered_by_first_code

Buckets = NDArray[np.int64]
# Variance, as a share of the whole, below which a group is of one kind: far above round-off.
_ROUND_OFF = 1e-12
Scores = NDArray[np.float64]


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
        self._trees = constraints.trees(task)
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
        if attribute in self._trees:
            return self._trees[attribute].at_most(most, encoded.size)
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


def optimal_groups(scores: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Put values with similar scores into the same group.

    The groups are runs of the sorted scores, and among all such groupings the average of the
    variances inside the groups is the smallest (Staab et al., appendix C; exact, by dynamic
    programming). More groups are always better unless fewer leave no variance at all: then there
    are no more than are needed for that.

    Parameters
    ----------
    scores : ndarray of float of shape (n_values,)
    most : int
        The most groups, at least 1.

    Returns
    -------
    ndarray of int of shape (n_values,)
        The group of each value, numbered from the lowest scores to the highest.

    Examples
    --------
    >>> import numpy as np
    >>> optimal_groups(np.array([0.1, 7.0, 0.2, 3.0, 3.1]), 3)
    array([0, 2, 0, 1, 1])
    """
    order = np.argsort(scores, kind="stable")
    ascending = scores[order] - scores.mean()
    # Squares of the largest and smallest numbers are not numbers.
    ascending = ascending / max(float(np.abs(ascending).max()), float(np.finfo(float).tiny))
    best, start = _solve(ascending, min(most, len(scores)))
    groups = np.empty(len(scores), dtype=np.int64)
    groups[order] = _runs(start, _fewest(best[:, -1]))
    return groups


def _solve(
    ascending: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For k groups of the first a + 1 values: the sum of variances, and where the last begins."""
    n_values = len(ascending)
    sums, squares = (np.cumsum(np.append(0.0, ascending**power)) for power in (1, 2))
    best = np.full((most, n_values), np.inf)
    start = np.zeros((most, n_values), dtype=np.int64)
    for a in range(n_values):
        sizes = np.arange(a + 1, 0, -1)
        means = (sums[a + 1] - sums[: a + 1]) / sizes
        variances = np.maximum((squares[a + 1] - squares[: a + 1]) / sizes - means**2, 0.0)
        best[0, a] = variances[0]
        for k in range(1, min(most, a + 1)):
            together = best[k - 1, :a] + variances[1:]
            start[k, a] = together.argmin() + 1
            best[k, a] = together[start[k, a] - 1]
    return best, start


def _fewest(sums: NDArray[np.float64]) -> int:
    """The number of groups with the smallest average variance, the fewest if several have it."""
    averages = sums / np.arange(1, len(sums) + 1)
    return int((averages <= averages.min() + _ROUND_OFF).argmax()) + 1


def _runs(start: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    """The group of each sorted value, read off from the last group to the first."""
    groups = np.zeros(start.shape[1], dtype=np.int64)
    end = start.shape[1]
    for k in range(n_groups - 1, 0, -1):
        begin = int(start[k, end - 1])
        groups[begin:end] = k
        end = begin
    return groups


def logistic_scores(task: Task, values: Sequence[NDArray[np.integer]]) -> list[Scores]:
    """Score of each value: its weight in a logistic regression on one-hot encoded values.

    With more than two classes a value has a weight for each; its score is then the place of these
    weights on the line along which the attribute's values differ most (first principal direction).

    Parameters
    ----------
    task : Task
    values : sequence of ndarray of int
        For each attribute, the value that each of its codes stands for: the codes themselves, or
        buckets of them.

    Returns
    -------
    list of ndarray of float
        For each attribute, the score of each of its codes.
    """
    sizes = [int(value.max()) + 1 for value in values]
    weights = _weights(task, values, sizes)
    blocks = np.split(weights, np.cumsum(sizes)[:-1])
    return [_scores(block)[value] for block, value in zip(blocks, values, strict=True)]


def _weights(
    task: Task, values: Sequence[NDArray[np.integer]], sizes: Sequence[int]
) -> NDArray[np.float64]:
    """Weights of shape (all values of all attributes, classes), learned from counts."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    n_classes = len(task.classes)
    coded = [value[task.codes[:, a]] for a, value in enumerate(values)]
    codes = np.column_stack([*coded, task.target]).astype(np.uint16)
    distinct = distinct_records(codes, [*sizes, n_classes])
    target = distinct.records[:, -1]
    if (target == target[0]).all():
        return np.zeros((sum(sizes), 1))
    model = LogisticRegression(max_iter=300)
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # Weights that could still move a little order the values well enough; and many classes
        # among few people are the task, not a slip.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        model.fit(_one_hot(distinct.records[:, :-1], sizes), target, sample_weight=distinct.counts)
    return np.asarray(model.coef_.T)


def _one_hot(records: NDArray[np.uint16], sizes: Sequence[int]) -> csr_array:
    n_records, n_attributes = records.shape
    # scikit-learn's solver takes no wider indices than these.
    columns = (records + np.append(0, np.cumsum(sizes)[:-1])).astype(np.int32).ravel()
    rows = np.arange(0, n_records * n_attributes + 1, n_attributes, dtype=np.int32)
    return csr_array((np.ones(columns.size), columns, rows), shape=(n_records, sum(sizes)))


def _scores(weights: NDArray[np.float64]) -> Scores:
    """Each value's place on the line along which the weights of the values differ most."""
    if weights.shape[1] == 1:
        return weights[:, 0]
    centred = weights - weights.mean(axis=0)
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    # A direction has no sign of its own.
    sign = np.sign(direction[np.abs(direction).argmax()])
    return np.asarray(centred @ direction * sign)

"""How far each value of an attribute moves a prediction, by a logistic regression."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from sparsam.counting import distinct_records
from sparsam.data import Task

Scores = NDArray[np.float64]


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
    n_classes = len(task.classes)
    coded = [value[task.codes[:, a]] for a, value in enumerate(values)]
    codes = np.column_stack([*coded, task.target]).astype(np.uint16)
    found = distinct_records(codes, [*sizes, n_classes])
    target = found.records[:, -1]
    if (target == target[0]).all():
        return np.zeros((sum(sizes), 1))
    model = LogisticRegression(max_iter=300)
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # Weights that could still move a little order the values well enough; and many classes
        # among few people are the task, not a slip.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        model.fit(_one_hot(found.records[:, :-1], sizes), target, sample_weight=found.counts)
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

"""What each person's class is likely to be, from everything that is known."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from sparsam.data import Task

_FOLDS = 3
_FEWEST_IN_LEAF = 20
_COMMON = 100  # people in a category, in the mean: their own class hardly shows in its share
_SHRINK = 5.0  # as if so many average people more had been seen in each category
_MOST_PEOPLE = 60_000  # to learn from in each fold: more teach no more that a bucket could keep


def likely_classes(task: Task, random_state: int = 0) -> NDArray[np.float64]:
    """Probability of each class for each person, from boosted trees that have not seen the person.

    Counts of classes in a rare record are noise; means of these probabilities are much less so.

    Parameters
    ----------
    task : Task
    random_state : int

    Returns
    -------
    ndarray of float of shape (n_rows, n_classes)
    """
    rng = np.random.default_rng(random_state)
    fold = rng.permutation(task.n_rows) % _FOLDS
    found = np.zeros((task.n_rows, len(task.classes)))
    # One thread, so that sums are added in one order on any number of cores.
    with threadpool_limits(limits=1):
        for held_out in np.unique(fold):
            seen = np.flatnonzero(fold != held_out)
            seen = seen if len(seen) <= _MOST_PEOPLE else rng.choice(seen, _MOST_PEOPLE, False)
            found[fold == held_out] = _predicted(task, seen, fold == held_out, random_state)
    return found


def _predicted(
    task: Task, seen: NDArray[np.int64], asked: NDArray[np.bool_], random_state: int
) -> NDArray[np.float64]:
    n_classes = len(task.classes)
    truth = task.target[seen]
    counts = np.bincount(truth, minlength=n_classes)
    if (counts > 0).sum() < 2 or len(seen) < 2 * _FEWEST_IN_LEAF:
        return np.tile((counts + 1.0) / (counts + 1.0).sum(), (int(asked.sum()), 1))
    inputs = _inputs(task, seen, random_state)
    model = HistGradientBoostingClassifier(
        max_iter=100,
        min_samples_leaf=_FEWEST_IN_LEAF,
        early_stopping=False,
        random_state=random_state,
    )
    with warnings.catch_warnings():
        # scikit-learn takes many classes among few people for a slip; here they are the task.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        model.fit(inputs[seen], truth)
    found = np.zeros((int(asked.sum()), n_classes))
    found[:, model.classes_] = model.predict_proba(inputs[asked])
    return found


def _inputs(task: Task, seen: NDArray[np.int64], random_state: int) -> NDArray[np.float64]:
    """Codes in their order, or categories by the share of the last class among those seen.

    Where categories are rare, those seen are dealt into parts, and the share for each part comes
    from the others: a share that is mostly the person's own class would teach the model nonsense.
    """
    columns = task.codes.astype(float)
    part = np.full(task.n_rows, _FOLDS)  # nobody else is left out of the shares
    part[seen] = np.random.default_rng(random_state).permutation(len(seen)) % _FOLDS
    last = task.target == len(task.classes) - 1
    for a, attribute in enumerate(task.table.attributes):
        if attribute.ordered:
            continue
        codes, size = task.codes[:, a], attribute.size
        common = len(seen) >= _COMMON * size
        for left_out in range(_FOLDS + 1):
            counted = seen if common else seen[part[seen] != left_out]
            people = np.bincount(codes[counted], minlength=size)
            of_last = np.bincount(codes[counted], last[counted], minlength=size)
            average = last[counted].mean() if len(counted) else 0.0
            share = (of_last + _SHRINK * average) / (people + _SHRINK)
            columns[part == left_out, a] = share[codes[part == left_out]]
    return columns

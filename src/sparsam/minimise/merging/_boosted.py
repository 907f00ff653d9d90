"""Boosted trees: the likely class of each person, and the loss where few people share a record."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from sparsam.data import Task
from sparsam.minimise.merging._people import Floats, Lookup, People

_MOST_CLASSES = 5  # one model for each of them
_FEWEST_PEOPLE = 100
_FOLDS = 2
_TEACHER_FOLDS = 3
_FEWEST_IN_LEAF = 20
_COMMON = 100  # people in a category, in the mean: their own class hardly shows in its share
_SHRINK = 5.0  # as if so many average people more had been seen in each category
_MOST_PEOPLE = 60_000  # to learn from in each fold: more teach no more that a bucket could keep


def boosted_loss(people: People, lookups: list[Lookup], random_state: int) -> float:
    """Loss when boosted trees tell the likely classes from the buckets of people not seen.

    Where records are rare, counts in them say too little, and the loss by counts is too high.

    Parameters
    ----------
    people : People
    lookups : list of ndarray of int
        For each attribute the bucket of each atom.
    random_state : int

    Returns
    -------
    float
        As in `Position`; infinite where there are too many classes or too few people.
    """
    n_classes = people.likely.shape[1]
    if n_classes > _MOST_CLASSES or people.n_rows < _FEWEST_PEOPLE:
        return float(np.inf)
    fold = np.random.default_rng(random_state).permutation(people.n_rows) % _FOLDS
    forecast = np.zeros_like(people.likely)
    for held_out in range(_FOLDS):
        asked = fold == held_out
        inputs = _inputs(people, lookups, ~asked)
        # The shares of two classes sum to one: the second follows.
        for k in range(1 if n_classes == 2 else n_classes):
            model = HistGradientBoostingRegressor(
                max_iter=60, learning_rate=0.2, early_stopping=False, random_state=random_state
            )
            model.fit(inputs[~asked], people.likely[~asked, k])
            forecast[asked, k] = model.predict(inputs[asked])
    if n_classes == 2:
        forecast[:, 1] = 1 - forecast[:, 0]
    return loss_of(forecast, people.likely)


def loss_of(forecast: Floats, likely: Floats) -> float:
    """Mean of the error of the best guess and the squared distance from the likely classes."""
    wrong = 1 - likely[np.arange(len(likely)), forecast.argmax(axis=1)].mean()
    distance = ((likely - forecast) ** 2).sum(axis=1).mean()
    return float((wrong + distance) / 2)


def _inputs(people: People, lookups: list[Lookup], seen: NDArray[np.bool_]) -> Floats:
    """Buckets in their order, or by how likely the last class is among those seen."""
    columns = []
    for a, lookup in enumerate(lookups):
        if not lookup.any():
            continue
        buckets = lookup[people.columns[a]]
        if people.attributes[a].ordered:
            columns.append(buckets.astype(float))
        else:
            n_seen = np.bincount(buckets[seen], minlength=int(lookup.max()) + 1)
            likely = np.bincount(buckets[seen], people.likely[seen, -1], minlength=len(n_seen))
            columns.append((likely / np.maximum(n_seen, 1))[buckets])
    return np.stack(columns or [np.zeros(people.n_rows)], axis=1)


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
    fold = rng.permutation(task.n_rows) % _TEACHER_FOLDS
    likely = np.zeros((task.n_rows, len(task.classes)))
    # One thread, so that sums are added in one order on any number of cores.
    with threadpool_limits(limits=1):
        for held_out in np.unique(fold):
            seen = np.flatnonzero(fold != held_out)
            seen = seen if len(seen) <= _MOST_PEOPLE else rng.choice(seen, _MOST_PEOPLE, False)
            likely[fold == held_out] = _predicted(task, seen, fold == held_out, random_state)
    return likely


def _predicted(
    task: Task, seen: NDArray[np.int64], asked: NDArray[np.bool_], random_state: int
) -> NDArray[np.float64]:
    n_classes = len(task.classes)
    truth = task.target[seen]
    counts = np.bincount(truth, minlength=n_classes)
    if (counts > 0).sum() < 2 or len(seen) < 2 * _FEWEST_IN_LEAF:
        return np.tile((counts + 1.0) / (counts + 1.0).sum(), (int(asked.sum()), 1))
    inputs = _code_inputs(task, seen, random_state)
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
    likely = np.zeros((int(asked.sum()), n_classes))
    likely[:, model.classes_] = model.predict_proba(inputs[asked])
    return likely


def _code_inputs(task: Task, seen: NDArray[np.int64], random_state: int) -> NDArray[np.float64]:
    """Codes in their order, or categories by the share of the last class among those seen.

    Where categories are rare, those seen are dealt into parts, and the share for each part comes
    from the others: a share that is mostly the person's own class would teach the model nonsense.
    """
    columns = task.codes.astype(float)
    part = np.full(task.n_rows, _TEACHER_FOLDS)  # nobody else is left out of the shares
    part[seen] = np.random.default_rng(random_state).permutation(len(seen)) % _TEACHER_FOLDS
    last = task.target == len(task.classes) - 1
    for a, attribute in enumerate(task.table.attributes):
        if attribute.ordered:
            continue
        codes, size = task.codes[:, a], attribute.size
        common = len(seen) >= _COMMON * size
        for left_out in range(_TEACHER_FOLDS + 1):
            counted = seen if common else seen[part[seen] != left_out]
            people = np.bincount(codes[counted], minlength=size)
            of_last = np.bincount(codes[counted], last[counted], minlength=size)
            average = last[counted].mean() if len(counted) else 0.0
            share = (of_last + _SHRINK * average) / (people + _SHRINK)
            columns[part == left_out, a] = share[codes[part == left_out]]
    return columns

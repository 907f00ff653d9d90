"""The loss of detailed generalizations, by a model that needs no two people to share a record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor

from sparsam.minimise.merging._people import Floats, Lookup, People

_MOST_CLASSES = 5  # one model for each of them
_FEWEST_PEOPLE = 100
_FOLDS = 2


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

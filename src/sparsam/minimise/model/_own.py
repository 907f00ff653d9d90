"""A classifier of our own, where there is no model yet: boosted trees on codes."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from sparsam.data import Task

_FEWEST_IN_LEAF = 20


class CodesClassifier:
    """Predicts the target of a task from codes.

    Parameters
    ----------
    task : Task
    random_state : int
    """

    def __init__(self, task: Task, random_state: int) -> None:
        last = task.target == len(task.classes) - 1
        self._places = []
        for a, attribute in enumerate(task.table.attributes):
            place = np.arange(attribute.size, dtype=float)
            if not attribute.ordered:  # categories by the share of the last class among them
                people = np.bincount(task.codes[:, a], minlength=attribute.size)
                of_last = np.bincount(task.codes[:, a], last, minlength=attribute.size)
                place = (of_last + last.mean()) / (people + 1.0)
            self._places.append(place)
        self._model = HistGradientBoostingClassifier(
            max_iter=100,
            min_samples_leaf=_FEWEST_IN_LEAF,
            early_stopping=False,
            random_state=random_state,
        )
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            # scikit-learn takes many classes among few people for a slip; here they are the task.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            self._model.fit(self._inputs(task.codes), task.target)

    def _inputs(self, codes: NDArray[np.uint16]) -> NDArray[np.float64]:
        return np.column_stack([place[codes[:, a]] for a, place in enumerate(self._places)])

    def predict(self, codes: NDArray[np.uint16]) -> NDArray[np.int64]:
        """The class of each record."""
        found: NDArray[np.int64] = self._model.predict(self._inputs(codes)).astype(np.int64)
        return found

"""Measure what is lost on all people who are not in the test part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._threads import one_thread
from sparsam.assess._learning import some_people
from sparsam.assess._score import ACCURACY, Losses, Score
from sparsam.assess._utility import best_classifier
from sparsam.attack import GeneralizedRecords, Interval, paired_difference
from sparsam.data import Split, rotations
from sparsam.generalization import Generalization

FOLDS = 10
PARTS = ("train", "validation", "test")
FEWEST_PEOPLE = 3


class CrossFit:
    """Compare generalizations with everything collected, by models that see no one they judge.

    The validation part alone is small, and choosing the best of many points on it rewards luck.
    Here the people of the training and validation parts are dealt into folds; a model is trained
    on some, chosen on another and judged on the last, in rotation. The cut points were learned
    from some of these people too, so the loss is slightly flattered; the test part is untouched.
    Of more than 100,000 people so many are drawn at random.

    Parameters
    ----------
    data : Split
    model : str
        The model that did best with everything collected.
    n_jobs : int, default=1
        Threads to use. The result does not depend on it.
    score : Score
        What is lost.
    """

    def __init__(self, data: Split, model: str, n_jobs: int = 1, score: Score = ACCURACY) -> None:
        self._data = data
        self._score = score
        self._model = model
        self._n_jobs = n_jobs
        self._losses: dict[Any, tuple[float, Interval]] = {}

    def loss(self, generalization: Generalization, model: str) -> tuple[float, Interval]:
        """What is lost against everything collected, and its 95 % interval.

        Parameters
        ----------
        generalization : Generalization
        model : str
            The model to use, as `Utility.model` names it.
        """
        key = (generalization.partitions, model)
        if key not in self._losses:
            attributes = self._data.train.table.attributes
            lookups = tuple(generalization[a.name].lookup(a) for a in attributes)
            losses = self._judged(lookups, model)
            self._losses[key] = paired_difference(losses, self._everything)
        return self._losses[key]

    @cached_property
    def _everything(self) -> Losses:
        sizes = self._data.train.sizes
        lookups = tuple(np.arange(size, dtype=np.uint16) for size in sizes)
        return self._judged(lookups, self._model)

    def _judged(self, lookups: tuple[NDArray[np.uint16], ...], model: str) -> Losses:
        jobs = (
            delayed(_losses_of)(records, model, rotation, self._data.random_state, self._score)
            for records, rotation in zip(self._records(lookups), self._rotations, strict=True)
        )
        n_jobs = min(self._n_jobs, len(self._rotations))
        with one_thread():
            return np.concatenate(Parallel(n_jobs=n_jobs, backend="threading")(jobs))

    def _records(self, lookups: tuple[NDArray[np.uint16], ...]) -> Iterator[GeneralizedRecords]:
        """The records of each rotation: the same people, dealt into other parts."""
        first = self._rotations[0]
        records = GeneralizedRecords.from_lookups(lookups, first)
        lines = np.empty(sum(map(len, first.rows)), dtype=np.int64)
        for part, rows in zip(PARTS, first.rows, strict=True):
            lines[rows] = records.index[part]
        for rotation in self._rotations:
            index = {part: lines[rows] for part, rows in zip(PARTS, rotation.rows, strict=True)}
            yield replace(records, index=index)

    @cached_property
    def _rotations(self) -> list[Split]:
        people = self._data.train.join(self._data.validation)
        people = some_people(people, self._data.random_state)
        if people.n_rows < FEWEST_PEOPLE:
            raise DataError(
                f"A loss needs at least {FEWEST_PEOPLE} records beside the test part "
                f"to be measured on. Got {people.n_rows}.\n\nHint: give more records."
            )
        return rotations(people, min(FOLDS, people.n_rows), self._data.random_state)


def _losses_of(
    records: GeneralizedRecords, model: str, rotation: Split, random_state: int, score: Score
) -> Losses:
    """What a model of one rotation loses on each person."""
    return best_classifier(records, rotation, random_state, (model,), score).losses["test"]

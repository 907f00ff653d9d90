"""What a generalization costs and protects, quickly, on people it was not learned from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam.attack import GeneralizedRecords, Reconstruction, look_up, target_question
from sparsam.data import Task, split

Buckets = Sequence[NDArray[np.integer]]


class HeldOut:
    """Errors of a classifier and an adversary that count, on a part of the sample held out.

    Parameters
    ----------
    task : Task
        The sample. It is split 60/10/30: to count on, to settle how far to trust small counts,
        and to measure on.
    random_state : int
        The seed of the split.
    """

    def __init__(self, task: Task, random_state: int) -> None:
        self._split = split(task, random_state=random_state)

    @property
    def seen(self) -> Task:
        """The part that is not held out: whatever is learned must be learned here."""
        return self._split.train

    def classification_error(self, buckets: Buckets) -> float:
        """Share of the people held out whose class is guessed wrongly from their buckets."""
        records, question = self._records(buckets), target_question(self._split)
        return question.error(look_up(records, question), records, "test")

    def adversary_error(self, buckets: Buckets) -> float:
        """Share of personal values that are guessed wrongly, by the weights of the attributes.

        An attribute in full resolution is known: no error, and nothing to count.
        """
        task, total = self.seen, sum(self.seen.weights)
        hidden = [
            (personal, weight)
            for personal, weight in zip(task.personal, task.weights, strict=True)
            if weight > 0 and int(buckets[personal].max()) + 1 < task.sizes[personal]
        ]
        if not hidden:
            return 0.0
        records = self._records(buckets)
        asked = Reconstruction().questions(records, self._split, [p for p, _ in hidden])
        errors = [q.error(look_up(records, q), records, "test") for q in asked]
        return sum(w * e for (_, w), e in zip(hidden, errors, strict=True)) / total

    def _records(self, buckets: Buckets) -> GeneralizedRecords:
        lookups = tuple(lookup.astype(np.uint16) for lookup in buckets)
        return GeneralizedRecords.from_lookups(lookups, self._split)

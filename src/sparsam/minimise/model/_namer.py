"""Rare categories may not be named, so a model is fed others for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._small_counts import SMALLEST_COUNT
from sparsam.data import Task
from sparsam.minimise._partitions import code_counts
from sparsam.minimise.model._ladder import Ranges, without_rare


class Namer:
    """Puts every rare category of an attribute with the commonest one, which may be named.

    Where no category may be named, they go with the missing values.

    Parameters
    ----------
    task : Task
        All people.
    rare : sequence of ndarray of bool
        For each attribute, the codes of categories that fewer than five people have.
    """

    def __init__(self, task: Task, rare: Sequence[NDArray[np.bool_]]) -> None:
        self._attributes, self._rare = task.table.attributes, rare
        self._counts = code_counts(task.codes, task.sizes)
        self._same = [self._goes_with(a) for a in range(len(rare))]

    def _goes_with(self, a: int) -> NDArray[np.uint16]:
        attribute, rare = self._attributes[a], self._rare[a]
        same = np.arange(attribute.size, dtype=np.uint16)
        if not rare.any():
            return same
        if rare[: attribute.n_values].all() and not attribute.missing:
            raise DataError(
                f"None of the categories of '{attribute.name}' is shared by {SMALLEST_COUNT} "
                "people, so that none may be named, and the model must be fed one."
                "\n\nHint: list it under identifiers if the model does without it, or declare its "
                "categories under `domains` in the roles."
            )
        common = np.where(rare, -1, self._counts[a])
        if not rare[: attribute.n_values].all():
            common[attribute.n_values :] = -1
        same[rare] = common.argmax()
        return same

    def codes(self, codes: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """The codes of people, rare ones replaced."""
        if not any(rare.any() for rare in self._rare):
            return codes
        return np.column_stack([same[codes[:, a]] for a, same in enumerate(self._same)])

    def ranges(self, a: int, ranges: Ranges) -> Ranges:
        """Ranges of an attribute in which rare categories share a bucket with a common one."""
        return without_rare(
            ranges, self._attributes[a], self._counts[a], self._rare[a], self._same[a]
        )

    def buckets(self, a: int, buckets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Buckets of an attribute in which rare categories share one with a common one."""
        if not self._rare[a].any():
            return buckets
        return np.unique(buckets[self._same[a]], return_inverse=True)[1].astype(np.int64)

"""Take buckets away, attribute by attribute, while a classifier still does well enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._held_out import HeldOut
from sparsam.minimise.iterative._groupings import Groupings

Buckets = list[NDArray[np.int64]]

_ROUND_OFF = 1e-9  # a sum of errors and permitted losses, far below one person's share


@dataclass(frozen=True)
class Reduced:
    """Where a reduction ended.

    Attributes
    ----------
    buckets : list of ndarray of int
        For each attribute, the bucket of each of its codes.
    loss : float
        How much larger the error held out is than with everything collected.
    """

    buckets: Buckets
    loss: float


class Reduction:
    """A start with a few buckets per attribute, and the order in which to take them away.

    Parameters
    ----------
    task : Task
    constraints : Constraints
    buckets : int
        The most buckets of an attribute at the start.
    random_state : int
        The seed of the people who are held out.

    Attributes
    ----------
    order : tuple of int
        The attributes that may be coarsened, those first whose absence costs the classifier least
        and the adversary most.
    """

    def __init__(
        self, task: Task, constraints: Constraints, buckets: int, random_state: int
    ) -> None:
        self._held_out = HeldOut(task, random_state)
        self._groupings = Groupings(self._held_out.seen, constraints, buckets)
        self._errors: dict[tuple[int, ...], float] = {}
        everywhere = range(len(task.names))
        self._start = [self._groupings.at_most(a, buckets) for a in everywhere]
        everything = [self._groupings.everything(a) for a in everywhere]
        full = self._held_out.classification_error(everything)
        # A model that sees everything could coarsen it to the start by itself.
        self._least = min(full, self._error(self._start))
        free = [
            a
            for a in everywhere
            if self._start[a].max() > 0 and task.names[a] not in constraints.must_keep
        ]
        worth = {a: self._worth(everything, a) - full for a in free}
        self.order = tuple(sorted(free, key=lambda a: worth[a]))

    def loss_of_nothing(self) -> float:
        """The loss when nothing is collected but what must be."""
        buckets = list(self._start)
        for a in self.order:
            buckets[a] = self._groupings.at_most(a, 1)
        return self._error(buckets) - self._least

    def run(self, max_loss: float) -> Reduced:
        """Take away what the permitted loss allows."""
        buckets = list(self._start)
        limit = max(self._least + max_loss, self._error(buckets)) + _ROUND_OFF
        for a in self.order:
            buckets = self._coarsened(buckets, a, limit)
        return Reduced(buckets, self._error(buckets) - self._least)

    def _coarsened(self, buckets: Buckets, attribute: int, limit: float) -> Buckets:
        """Fewer and fewer buckets of one attribute, until the next step would cost too much."""
        while (last := int(buckets[attribute].max())) > 0:
            fewer = list(buckets)
            fewer[attribute] = self._groupings.at_most(attribute, last)
            if self._error(fewer) > limit:
                break
            buckets = fewer
        return buckets

    def _worth(self, everything: Buckets, attribute: int) -> float:
        """Classifier's error less adversary's when one attribute is left out of everything."""
        without = list(everything)
        without[attribute] = np.zeros_like(everything[attribute])
        held_out = self._held_out
        return held_out.classification_error(without) - held_out.adversary_error(without)

    def _error(self, buckets: Buckets) -> float:
        # Groupings are settled by their numbers of buckets, so these tell states apart.
        state = tuple(int(bucket.max()) for bucket in buckets)
        if state not in self._errors:
            self._errors[state] = self._held_out.classification_error(buckets)
        return self._errors[state]

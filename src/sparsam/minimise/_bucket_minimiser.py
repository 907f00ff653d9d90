"""What minimisers have in common that say which codes of an attribute share a bucket."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Task
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import Minimiser
from sparsam.minimise._partitions import Partitions, rare_together


class BucketMinimiser(Minimiser):
    """A minimiser that says for each attribute which of its codes share a bucket.

    Categories that fewer than five people have are put together before it looks: they are not
    named in an artifact, unless they were declared.

    The base to write a minimiser of one's own on: a subclass stores its parameters, `roles`,
    `constraints` and `unseen` among them, and answers in `_buckets`. Attributes that must be kept
    stay at full resolution, whatever it answers.

    See Also
    --------
    Minimiser : The base of all, which makes them transformers of scikit-learn.
    """

    @abstractmethod
    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        """For each attribute, the bucket of each of its codes."""

    def _learn(self, task: Task) -> None:
        self._check_parameters(task)
        constraints = self.constraints or Constraints()
        constraints.check(task)
        task = rare_together(task, constraints)
        self.generalization_ = self._generalization(task, self._buckets(task, constraints))

    def _generalization(
        self, task: Task, buckets: Sequence[NDArray[np.integer]], **about: Any
    ) -> Generalization:
        partition = Partitions(task, self.constraints or Constraints(), self.unseen)
        return Generalization(
            [partition(a, one) for a, one in enumerate(buckets)],
            about={**self._about(task), **about},
        )

"""The uniform minimiser, a baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_whole
from sparsam.data import Attribute, Roles, Task
from sparsam.minimise._constraints import Constraints, tree_above
from sparsam.minimise._minimiser import BucketMinimiser
from sparsam.minimise._splits import numbered_by_first_code


class Uniform(BucketMinimiser):
    """Cut every attribute into the same number of buckets, without looking at the task.

    A baseline (Staab et al., section 6): numbers are cut into intervals of equal width, categories
    are grouped at random, ordered categories into runs of equal length; a hierarchy is opened from
    the top, the largest group first.

    Parameters
    ----------
    roles : Roles, optional
    buckets : int, default=3
        The most buckets of an attribute (k).
    constraints : Constraints, optional
    unseen : {"error", "common"}, default="error"
    random_state : int, default=0

    Attributes
    ----------
    generalization_ : Generalization

    Examples
    --------
    >>> import sparsam as sp
    >>> uniform = Uniform(sp.Roles("employed"), buckets=2).fit(sp.load_example())
    >>> uniform.generalization_["age"].n_buckets
    2
    """

    swept, steps = "buckets", (1, 2, 3, 4, 5)

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        buckets: int = 3,
        constraints: Constraints | None = None,
        unseen: str = "error",
        random_state: int = 0,
    ) -> None:
        self.roles = roles
        self.buckets = buckets
        self.constraints = constraints
        self.unseen = unseen
        self.random_state = random_state

    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        rng = np.random.default_rng(self.random_state)
        return [self._spread(attribute, constraints, rng) for attribute in task.table.attributes]

    def _spread(
        self, attribute: Attribute, constraints: Constraints, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        draws = rng.permutation(attribute.size)
        if attribute.name in constraints.must_drop:
            return np.zeros(attribute.size, dtype=np.int64)
        most = min(self.buckets, constraints.max_buckets.get(attribute.name, self.buckets))
        if attribute.name in constraints.hierarchies:
            tree = tree_above(attribute, constraints.hierarchies[attribute.name])
            return tree.at_most(most, attribute.size)
        if not attribute.ordered:
            return numbered_by_first_code(draws % most)
        values = _equal_width(attribute) if attribute.numeric else _equal_length(attribute)
        runs = numbered_by_first_code(np.minimum((values * most).astype(np.int64), most - 1))
        if not attribute.missing:
            return runs
        own = int(runs.max()) + 1
        return np.append(runs, own if own < most else draws[-1] % most)

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        check_whole(type(self).__name__, "buckets", self.buckets, 1)
        check_whole(type(self).__name__, "random_state", self.random_state, 0)


def _equal_width(attribute: Attribute) -> NDArray[np.float64]:
    # Halves, because the range of the largest numbers is not a number itself.
    low, high = attribute.lows[0] / 2, attribute.highs[-1] / 2
    middle = attribute.lows / 4 + attribute.highs / 4
    width = max(float(high - low), float(np.finfo(float).tiny))
    return np.asarray((middle - low) / width)


def _equal_length(attribute: Attribute) -> NDArray[np.float64]:
    return np.arange(attribute.n_values) / max(1, attribute.n_values)

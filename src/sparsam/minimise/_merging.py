"""Search over partitions, judged by what an adversary would really recover."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Roles, Task
from sparsam.generalization import Generalization
from sparsam.minimise._buckets import numbered_by_first_code
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._merge_moves import Lookups, Moves
from sparsam.minimise._merge_search import Step, forward_backward, merge_path, split_path, unbeaten
from sparsam.minimise._merge_tables import MergeTables
from sparsam.minimise._minimiser import Minimiser
from sparsam.minimise._parameters import check_share, check_whole
from sparsam.minimise._partitions import full_resolution
from sparsam.minimise._privacy_tree import PrivacyTree
from sparsam.minimise._teacher import likely_classes

START_PRIVACY = (0.0, 0.3, 0.7)
_MOST_SPLITS = 6  # beyond what pays at a price, to find points between the prices
_MOST_CELLS = 3_000_000  # of the table of distinct records and personal values


class Merging(Minimiser):
    """Find the least data a task needs by splitting and merging buckets.

    Privacy trees propose where attributes may be cut. Which of these cuts are worth it is judged
    together, by how well the target can be told from a generalized record and by how many
    personal values an adversary who counts would guess from it. Merging undoes cuts that no
    decision needs, which a tree cannot.

    Parameters
    ----------
    roles : Roles, optional
    privacy : float, default=0.1
        How much guessed personal values count against the loss on the target, in [0, 1].
    start_leaves : int, default=30
        The most leaves of the privacy trees that propose the cuts.
    min_leaf : int, default=100
        The fewest people in a leaf of them.
    max_path : int, default=50
        The most generalizations that the path may have.
    max_rows : int, default=50_000
        The most people to learn from; of more, so many are drawn at random.
    constraints : Constraints, optional
    unseen : {"error", "common"}, default="error"
    random_state : int, default=0

    Attributes
    ----------
    generalization_ : Generalization
        The point of the path with the least (1 - privacy) loss + privacy risk.
    path_ : tuple of Generalization
        From the most detailed to the safest; none beats another by the search's own estimate.
    scores_ : ndarray of float of shape (n_path, 2)
        That estimate: loss and risk of each.

    Notes
    -----
    The search begins with nothing collected. While the price of risk falls, the split or merge
    that lowers loss + price * risk most is made until none does. From where each price ends,
    buckets are then merged one after the other, at the least price first, down to nothing again,
    and a few are split, the most worth first: these ways find the points between.
    Personal numbers count as guessed only when guessed exactly. A group of a hierarchy is opened
    all at once, as far as the trees need it.

    Experimental: on tables whose attributes have hundreds of categories the path has no detailed
    points, so use it beside the privacy tree, not instead of it.

    Examples
    --------
    >>> import sparsam as sp
    >>> from sparsam.minimise import Merging
    >>> people = sp.resolve(sp.load_example(), sp.Roles("employed"))
    >>> merging = Merging(start_leaves=4).fit_task(people.take(range(5_000)))
    >>> merging.generalization_.collected
    ('age', 'education', 'relationship', 'disability')
    """

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        privacy: float = 0.1,
        start_leaves: int = 30,
        min_leaf: int = 100,
        max_path: int = 50,
        max_rows: int = 50_000,
        constraints: Constraints | None = None,
        unseen: str = "error",
        random_state: int = 0,
    ) -> None:
        self.roles = roles
        self.privacy = privacy
        self.start_leaves = start_leaves
        self.min_leaf = min_leaf
        self.max_path = max_path
        self.max_rows = max_rows
        self.constraints = constraints
        self.unseen = unseen
        self.random_state = random_state

    def path(self, task: Task) -> list[Generalization]:
        """The generalizations of all prices of risk, from one search, the most detailed first.

        Parameters
        ----------
        task : Task

        Returns
        -------
        list of Generalization
        """
        fresh = type(self)(**self.get_params(deep=False))
        return list(fresh.fit_task(task).path_)

    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        steps = self._searched(self._sample(task), constraints)
        self.scores_ = np.array([[step.score.loss, step.score.risk] for step in steps])
        self.path_ = tuple(self._generalization(task, step.lookups) for step in steps)
        chosen = (self.scores_ @ [1 - self.privacy, self.privacy]).argmin()
        return steps[int(chosen)].lookups

    def _searched(self, task: Task, constraints: Constraints) -> list[Step]:
        moves = Moves(task, constraints)
        finest = self._finest(task, constraints)
        found = forward_backward(finest, moves)
        steps = [step for at_one_price in found for step in at_one_price]
        for at_one_price in found:
            if len(at_one_price) == 1:  # it ended where it began, and where the one before ended
                continue
            tables = finest.coarsened(at_one_price[-1].lookups)
            steps += merge_path(tables, moves)
            steps += split_path(finest, tables, moves, _MOST_SPLITS)
        return unbeaten(steps, self.max_path)

    def _sample(self, task: Task) -> Task:
        if task.n_rows <= self.max_rows:
            return task
        drawn = np.random.default_rng(self.random_state).permutation(task.n_rows)
        return task.take(np.sort(drawn[: self.max_rows]))

    def _finest(self, task: Task, constraints: Constraints) -> MergeTables:
        """Everything that the trees tell apart; smaller trees where that is too much."""
        likely = likely_classes(task, self.random_state)
        leaves = self.start_leaves
        while True:
            tables = MergeTables(task, self._proposed(task, constraints, leaves), likely)
            if tables.n_cells <= _MOST_CELLS or leaves == 1:
                return tables
            leaves = max(1, leaves * 2 // 3)

    def _proposed(self, task: Task, constraints: Constraints, leaves: int) -> Lookups:
        """The cuts of all trees together, where the constraints allow that many buckets."""
        lookups: Lookups = []
        for privacy in START_PRIVACY:
            tree = PrivacyTree(
                privacy=privacy, max_leaves=leaves, min_leaf=self.min_leaf, constraints=constraints
            ).fit_task(task)
            found = [
                p.lookup(a)
                for p, a in zip(tree.generalization_.partitions, task.table.attributes, strict=True)
            ]
            lookups = _refined(lookups or found, found, task, constraints)
        for name in constraints.must_keep:
            lookups[task.names.index(name)] = full_resolution(task.table.attribute(name))
        return lookups

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        owner = type(self).__name__
        check_share(owner, "privacy", self.privacy)
        for name in ("start_leaves", "min_leaf", "max_path", "max_rows"):
            check_whole(owner, name, getattr(self, name), 1)
        check_whole(owner, "random_state", self.random_state, 0)


def _refined(
    first: Sequence[NDArray[np.integer]],
    second: Sequence[NDArray[np.integer]],
    task: Task,
    constraints: Constraints,
) -> Lookups:
    """The common refinement, or the first alone where an attribute would have too many buckets."""
    refined = []
    for name, one, other in zip(task.names, first, second, strict=True):
        pairs = one.astype(np.int64) * (int(other.max()) + 1) + other
        both = numbered_by_first_code(pairs)
        most = constraints.max_buckets.get(name, len(both))
        refined.append(both if both.max() < most else one.astype(np.int64))
    return refined

"""Search over partitions, judged by what an adversary would really recover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from sparsam._checks import check_share, check_whole
from sparsam._threads import one_thread
from sparsam.data import Roles, Task
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import BucketMinimiser, places_of
from sparsam.minimise._partitions import full_resolution
from sparsam.minimise._privacy_tree import PrivacyTree
from sparsam.minimise.merging._forward_backward import Proposals, forward_backward
from sparsam.minimise.merging._merge_path import (
    Lookups,
    MergeTables,
    Moves,
    Score,
    Step,
    merge_path,
    unbeaten,
)
from sparsam.minimise.merging._people import People, boosted_loss, likely_classes
from sparsam.minimise.merging._position import Position

START_PRIVACY = (0.1, 0.5, 0.8)
START_LEAVES = (2, 4, 6, 8, 10, 20, 50, 100, 200)
_MOST_ENDS = 4  # of the prices, from which buckets are merged
# People who share a record, in the mean: counting fewer tells little of the loss.
_FEW_ALIKE = 50
_MOST_CELLS = 3_000_000  # of the table of distinct records and personal values


class Merging(BucketMinimiser):
    """Find the least data a task needs by splitting and merging buckets.

    A partition of each attribute is searched for directly, by how well the target can be told
    from a generalized record and by how many personal values an adversary who counts would guess
    from it. What a cut costs is judged with all other cuts in view, and a cut that no decision
    needs any more is undone; a privacy tree can do neither.

    Parameters
    ----------
    roles : Roles, optional
    privacy : float, default=0.1
        How much guessed personal values count against the loss on the target, in [0, 1].
    start_leaves : int, default=200
        The most leaves of the privacy trees that the path may take points from.
    min_leaf : int, default=100
        The fewest people in a leaf of them.
    max_path : int, default=24
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
        From the riskiest to the safest. None is beaten by another, on the search's own estimate,
        by more than its noise.
    scores_ : ndarray of float of shape (n_path, 2)
        That estimate: loss and risk of each.

    Notes
    -----
    *Forward and backward.* The search begins with nothing collected. While the price of risk
    falls, the split or merge that lowers loss + price * risk most is made until none does. Splits
    are proposed by a score test on what the present buckets leave wrong, categories ordered by it;
    merges by a Wald test on the effects of the buckets. The best proposals are then measured, and
    taken only if they gain more than the longer description of the partition costs.

    *Loss.* Boosted trees that have not seen the person say how likely each class is. The loss is
    the mean of the error of the best guess and of the squared distance from these shares, when
    only the buckets are known: an additive logistic model, corrected in the cells of each two
    attributes and of whole records, nobody's own class used for the person. At the end, where few
    people share a record, boosted trees judge once more what the buckets tell.

    *Risk.* The best guess of each personal value among the others with the same record, backed by
    those who share the own bucket and the bucket of the most telling other attribute.

    *Points between.* From where some of the prices ended, buckets are merged one after the other,
    at the least price first, down to nothing. Privacy trees of many settings are judged by the
    same estimate and kept where they are not beaten.

    Personal numbers count as guessed only when guessed exactly. Attributes with more than 600
    values are grouped finely first.

    Examples
    --------
    >>> import sparsam as sp
    >>> from sparsam.minimise import Merging
    >>> people = {"age": [20, 30, 40, 50] * 50, "sex": ["f", "m"] * 100}
    >>> task = sp.resolve(people, sp.Roles(), y=[0, 1, 1, 1] * 50)
    >>> found = Merging(privacy=0.3, min_leaf=10).fit_task(task).generalization_
    >>> found.collected, found["age"].cuts
    (('age',), (30.0,))
    """

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        privacy: float = 0.1,
        start_leaves: int = 200,
        min_leaf: int = 100,
        max_path: int = 24,
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

    def path(self, task: Task, steps: Sequence[float] | None = None) -> list[Generalization]:
        """The generalizations of all prices of risk, from one search, the most detailed first.

        Parameters
        ----------
        task : Task
        steps : sequence of int, optional
            The places along the path that are wanted, by default all.

        Returns
        -------
        list of Generalization
        """
        return places_of(self._copy().fit_task(task).path_, steps)

    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        # One thread, so that sums are added in one order on any number of cores.
        with one_thread():
            steps = self._searched(self._sample(task), constraints)
        self.scores_ = np.array([[step.score.loss, step.score.risk] for step in steps])
        partition = self._partitions(task)
        self.path_ = tuple(self._generalization(task, step.lookups, partition) for step in steps)
        chosen = (self.scores_ @ [1 - self.privacy, self.privacy]).argmin()
        return steps[int(chosen)].lookups

    def _searched(self, task: Task, constraints: Constraints) -> list[Step]:
        likely = likely_classes(task, self.random_state)
        people = People(task, likely, constraints.trees(task))
        moves = Moves(task, constraints)
        finest = people.lookups([full_resolution(a) for a in task.table.attributes])
        start = Position(people, moves.nothing(finest))
        by_price = forward_backward(start, Proposals(people, constraints))
        steps = [step for reached in by_price for step in reached]
        ends = [reached[-1] for reached in by_price if len(reached) > 1]
        others = self._merged(task, likely, moves, ends) + self._trees(task, constraints)
        for lookups in _distinct(others, steps):
            found = Position(people, people.lookups(lookups)).step
            steps.append(replace(found, lookups=lookups))
        steps = self._reconsidered(people, _once(steps))
        return unbeaten(steps, self.max_path, task.n_rows)

    def _reconsidered(self, people: People, steps: Sequence[Step]) -> list[Step]:
        """The steps with a better estimate of their loss, where few people share a record.

        In as many threads as `joblib.parallel_config` says, one by default.
        """
        few = [p for p, step in enumerate(steps) if step.n_records * _FEW_ALIKE >= people.n_rows]
        losses = Parallel(prefer="threads")(
            delayed(_boosted)(people, steps[place], self.random_state) for place in few
        )
        better = list(steps)
        for place, loss in zip(few, losses, strict=True):
            score = steps[place].score
            better[place] = replace(steps[place], score=Score(min(loss, score.loss), score.risk))
        return better

    def _merged(
        self, task: Task, likely: NDArray[np.float64], moves: Moves, ends: Sequence[Step]
    ) -> list[Lookups]:
        """What merging finds on the way down from where some of the prices ended."""
        places = np.linspace(0, len(ends) - 1, min(_MOST_ENDS, len(ends))).round().astype(int)
        steps: list[Step] = []
        for place in np.unique(places):
            tables = MergeTables(task, ends[place].lookups, likely)
            if tables.n_cells <= _MOST_CELLS:
                steps += merge_path(tables, moves)
        return [step.lookups for step in unbeaten(steps, self.max_path)]

    def _trees(self, task: Task, constraints: Constraints) -> list[Lookups]:
        """Privacy trees of many settings."""
        sizes = [size for size in START_LEAVES if size <= self.start_leaves] or [1]
        lookups = []
        for privacy in START_PRIVACY:
            tree = PrivacyTree(privacy=privacy, min_leaf=self.min_leaf, constraints=constraints)
            lookups += [self._lookups(task, g) for g in tree.path(task, sizes)]
        return lookups

    def _lookups(self, task: Task, generalization: Generalization) -> Lookups:
        attributes = task.table.attributes
        return [generalization[a.name].lookup(a).astype(np.int64) for a in attributes]

    def _sample(self, task: Task) -> Task:
        if task.n_rows <= self.max_rows:
            return task
        drawn = np.random.default_rng(self.random_state).permutation(task.n_rows)
        return task.take(np.sort(drawn[: self.max_rows]))

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        owner = type(self).__name__
        check_share(owner, "privacy", self.privacy)
        for name in ("start_leaves", "min_leaf", "max_path", "max_rows"):
            check_whole(owner, name, getattr(self, name), 1)
        check_whole(owner, "random_state", self.random_state, 0)


def _once(steps: Sequence[Step]) -> list[Step]:
    """Each generalization once."""
    return list({_key(step.lookups): step for step in steps}.values())


def _distinct(lookups: Sequence[Lookups], steps: Sequence[Step]) -> list[Lookups]:
    """Those that no step has, each once."""
    seen = {_key(step.lookups) for step in steps}
    fresh = {_key(x): x for x in lookups if _key(x) not in seen}
    return list(fresh.values())


def _key(lookups: Lookups) -> tuple[bytes, ...]:
    return tuple(lookup.tobytes() for lookup in lookups)


def _boosted(people: People, step: Step, random_state: int) -> float:
    with one_thread():
        return boosted_loss(people, people.lookups(step.lookups), random_state)

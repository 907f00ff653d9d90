"""The privacy-aware tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_share, check_whole
from sparsam.data import Roles, Task
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import BucketMinimiser
from sparsam.minimise._partitions import rare_together
from sparsam.minimise.tree._growth import Growth, buckets_of
from sparsam.minimise.tree._splits import Split

CATEGORY_ORDERS = ("target", "personal")


class PrivacyTree(BucketMinimiser):
    """Find the least data a task needs with a tree that avoids telling people apart.

    A decision tree is grown to predict the target; each split is judged by how much it helps the
    prediction and by how little it reveals of the personal attributes (PAT, Staab et al. 2024,
    section 7). The generalization keeps, for each attribute, the cuts that the tree makes anywhere.

    Parameters
    ----------
    roles : Roles, optional
        What each attribute is for. Without it, `fit` takes the target as `y`.
    max_leaves : int, default=20
        The most leaves that the tree may have (k*): more leaves, more detail.
    privacy : float, default=0.7
        How much revealing personal attributes counts against predicting the target, in [0, 1]
        (alpha in eq. 2).
    min_leaf : int, default=100
        The fewest people in a leaf.
    category_orders : {"target", "personal"}, default="target"
        Categories are sorted by the share of a class among them before they are split; with
        "personal" the shares of personal values are tried too (fairness-aware orders).
    constraints : Constraints, optional
    unseen : {"error", "common"}, default="error"
        What the generalization does with a category it has never seen.

    Attributes
    ----------
    generalization_ : Generalization
    splits_ : tuple of Split
        The splits in the order in which they were made. The first k - 1 of them are the tree with
        k leaves.

    Notes
    -----
    The impurity of a node S is

        (1 - alpha) s_y Gini_y(S) + alpha (1 - sum_p w_p s_p Gini_p(S)),

    where s = V / (V - 1) brings each Gini value to [0, 1] and the w_p sum to one. A category that
    does not occur in a node is sent to neither side, so the union of all splits separates only
    what some decision needs apart.

    Examples
    --------
    >>> import sparsam as sp
    >>> tree = sp.PrivacyTree(sp.Roles("employed"), max_leaves=4).fit(sp.load_example())
    >>> tree.generalization_.collected
    ('age', 'education', 'relationship')
    """

    swept, steps = "max_leaves", (2, 4, 6, 8, 10, 20, 50, 100, 200)

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        max_leaves: int = 20,
        privacy: float = 0.7,
        min_leaf: int = 100,
        category_orders: str = "target",
        constraints: Constraints | None = None,
        unseen: str = "error",
    ) -> None:
        self.roles = roles
        self.max_leaves = max_leaves
        self.privacy = privacy
        self.min_leaf = min_leaf
        self.category_orders = category_orders
        self.constraints = constraints
        self.unseen = unseen

    def path(self, task: Task, steps: Sequence[float] | None = None) -> list[Generalization]:
        """The generalizations of several sizes of tree, from one growth.

        Parameters
        ----------
        task : Task
        steps : sequence of int, optional
            The numbers of leaves (`max_leaves`). A size that the growth does not reach gets the
            largest tree there is.

        Returns
        -------
        list of Generalization
            One for each step, in their order.
        """
        trees = [self._copy(max_leaves=size) for size in (self.steps if steps is None else steps)]
        for tree in trees:
            tree._check_parameters(task)
        if not trees:
            return []
        task = rare_together(task, self.constraints or Constraints())
        splits = max(trees, key=lambda tree: tree.max_leaves).fit_task(task).splits_
        return [
            tree._generalization(task, tree._buckets_after(task, splits[: tree.max_leaves - 1]))
            for tree in trees
        ]

    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        growth = Growth(
            task,
            privacy=self.privacy,
            min_leaf=self.min_leaf,
            category_orders=self.category_orders,
            constraints=constraints,
        )
        self.splits_ = growth.grow(self.max_leaves)
        return self._buckets_after(task, self.splits_)

    def _buckets_after(self, task: Task, splits: Sequence[Split]) -> Sequence[NDArray[np.integer]]:
        trees = (self.constraints or Constraints()).trees(task)
        return [
            buckets_of(a, attribute, splits, trees.get(a))
            for a, attribute in enumerate(task.table.attributes)
        ]

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        owner = type(self).__name__
        check_whole(owner, "max_leaves", self.max_leaves, 1)
        check_whole(owner, "min_leaf", self.min_leaf, 1)
        check_share(owner, "privacy", self.privacy)
        check_choice(owner, "category_orders", self.category_orders, CATEGORY_ORDERS)

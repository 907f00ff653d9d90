"""The privacy-aware tree, grown best split first: every smaller tree is a prefix of the growth."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_share, check_whole
from sparsam._errors import DataError, hint
from sparsam.counting import Node, Rows, compiled
from sparsam.data import Attribute, Roles, Task
from sparsam.generalization import CodeTree, Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import BucketMinimiser
from sparsam.minimise._partitions import rare_together
from sparsam.minimise._splits import LEFT, RIGHT, Split, code_buckets

CATEGORY_ORDERS = ("target", "personal")
_MOST_CELLS = 2**28
# Impurity per row below which a gain is none: far above round-off, far below any use.
ROUND_OFF = 1e-12


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
        partition = self._partitions(task)
        return [
            tree._generalization(
                task, tree._buckets_after(task, splits[: tree.max_leaves - 1]), partition
            )
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


def impurity_coefficients(task: Task, privacy: float) -> NDArray[np.float64]:
    """Weight of each response in PGini (Staab et al., eq. 2), the target first.

    Each Gini value is normalised to [0, 1] by V / (V - 1); the personal attributes enter with a
    negative sign, weighted by their sensitivity.
    """
    sizes = [len(task.classes), *(task.sizes[p] for p in task.personal)]
    normaliser = np.array([size / (size - 1) if size > 1 else 1.0 for size in sizes])
    weights = np.array(task.weights, dtype=float)
    share = weights / weights.sum() if weights.sum() > 0 else weights
    signed = np.concatenate([[1.0 - privacy], -privacy * share])
    coefficients: NDArray[np.float64] = normaliser * signed
    return coefficients


class Growth:
    """One growth of the tree.

    Parameters
    ----------
    task : Task
    privacy : float
        The weight alpha of the personal attributes.
    min_leaf : int
    category_orders : {"target", "personal"}
    constraints : Constraints
    """

    def __init__(
        self,
        task: Task,
        *,
        privacy: float,
        min_leaf: int,
        category_orders: str,
        constraints: Constraints,
    ) -> None:
        self._check_size(task)
        self._task = task
        target = (task.target, len(task.classes))
        self._rows = Rows(task.codes, task.sizes, [target], also=task.personal)
        self._starts = np.array([*self._rows.response_starts, sum(self._rows.response_sizes)])
        self._coefficients = impurity_coefficients(task, privacy)
        self._min_leaf = max(1, min_leaf)
        self._limits = {task.names.index(n): m for n, m in constraints.max_buckets.items()}
        self._hierarchies = constraints.trees(task)
        self._rules = [
            OrderRule(attribute, self._hierarchies.get(a), category_orders)
            for a, attribute in enumerate(task.table.attributes)
        ]
        self._usable = [
            a for a, name in enumerate(task.names) if name not in set(constraints.must_drop)
        ]
        self._splits: list[Split] = []
        self._frozen: dict[int, NDArray[np.int64]] = {}

    @staticmethod
    def _check_size(task: Task) -> None:
        cells = sum(task.sizes) * (len(task.classes) + sum(task.sizes[p] for p in task.personal))
        if cells > _MOST_CELLS:
            widest = max(range(len(task.sizes)), key=lambda a: task.sizes[a])
            raise DataError(
                f"The joint counts of these attributes need {cells:,} cells, more than "
                f"{_MOST_CELLS:,}. '{task.names[widest]}' alone has {task.sizes[widest]:,} values."
                + hint("list it under ignore, or group its values first", "--ignore leaves it out")
            )

    def grow(self, max_leaves: int) -> tuple[Split, ...]:
        """Split the leaf that gains most, again and again, until `max_leaves` or no gain."""
        heap: list[tuple[float, int, Node, Split]] = []
        self._push(heap, self._rows.root())
        while heap and len(self._splits) < max_leaves - 1:
            _, _, node, split = heapq.heappop(heap)
            if self._breaks_limit(split):
                self._freeze(split.attribute)
            if split.attribute in self._frozen and not split.reuses:
                self._push(heap, node)
                continue
            self._splits.append(split)
            for child in self._rows.divide(node, split.attribute, split.goes_left):
                self._push(heap, child)
        return tuple(self._splits)

    def _push(self, heap: list[tuple[float, int, Node, Split]], node: Node) -> None:
        if node.counts is None:
            self._rows.recount(node)
        split = self._best_split(node)
        self._rows.release(node)
        if split is not None:
            heapq.heappush(heap, (-split.decrease, node.start, node, split))

    def _best_split(self, node: Node) -> Split | None:
        best: Split | None = None
        if node.n_rows < 2 * self._min_leaf:
            return best
        for attribute in self._usable:
            split = self._best_split_on(node, attribute)
            # Of splits that are equal but for round-off the first one wins, on every machine.
            if split and (best is None or split.decrease > best.decrease + ROUND_OFF):
                best = split
        return best

    def _best_split_on(self, node: Node, attribute: int) -> Split | None:
        assert node.counts is not None
        start = self._rows.starts[attribute]
        lines = node.counts[start : start + self._rows.sizes[attribute]]
        present = np.flatnonzero(lines[:, : self._starts[1]].any(axis=1))
        if present.size < 2:
            return None
        groups = self._frozen.get(attribute)
        if groups is not None:
            lines = _add_lines(lines, groups)
            present = np.unique(groups[present])
        best_gain, left = self._best_prefix(attribute, lines, present)
        if best_gain <= 0.0:
            return None
        n_left = int(lines[left, : self._starts[1]].sum())
        sides = _sides(len(lines), present, left)
        sides = sides if groups is None else sides[groups]
        decrease = best_gain / self._rows.n_rows
        reuses = groups is not None
        return Split(attribute, sides, node.n_rows, n_left, decrease, reuses, node.start)

    def _best_prefix(
        self, attribute: int, lines: NDArray[np.int32], present: NDArray[np.int64]
    ) -> tuple[float, NDArray[np.int64]]:
        totals = lines.sum(axis=0, dtype=np.int64)
        node_rows = int(totals[: self._starts[1]].sum())
        best_gain, best_left = 0.0, present[:0]
        grouped = attribute in self._frozen
        for order in self._rules[attribute].orders(lines, present, self._starts, grouped):
            gain, length = scan_order(
                lines, order, totals, self._starts, self._coefficients, self._min_leaf
            )
            if gain > best_gain + ROUND_OFF * node_rows:
                best_gain, best_left = gain, order[:length]
        return best_gain, best_left

    def _breaks_limit(self, split: Split) -> bool:
        if split.attribute not in self._limits or split.attribute in self._frozen:
            return False
        buckets = self._buckets_of(split.attribute, [*self._splits, split])
        return int(buckets.max()) + 1 > self._limits[split.attribute]

    def _freeze(self, attribute: int) -> None:
        """From now on the attribute makes do with the buckets that it has."""
        self._frozen[attribute] = self._buckets_of(attribute, self._splits)

    def _buckets_of(self, attribute: int, splits: Sequence[Split]) -> NDArray[np.int64]:
        domain = self._task.table.attributes[attribute]
        return buckets_of(attribute, domain, splits, self._hierarchies.get(attribute))


def buckets_of(
    number: int, attribute: Attribute, splits: Sequence[Split], hierarchy: CodeTree | None = None
) -> NDArray[np.int64]:
    """Bucket of each code of one attribute after the given splits of a tree."""
    sides = [split.sides for split in splits if split.attribute == number and not split.reuses]
    return code_buckets(attribute, sides, hierarchy)


def _add_lines(lines: NDArray[np.int32], groups: NDArray[np.int64]) -> NDArray[np.int32]:
    added = np.zeros((int(groups.max()) + 1, lines.shape[1]), dtype=lines.dtype)
    np.add.at(added, groups, lines)
    return added


def _sides(size: int, present: NDArray[np.int64], left: NDArray[np.int64]) -> NDArray[np.int8]:
    sides = np.zeros(size, dtype=np.int8)
    sides[present] = RIGHT
    sides[left] = LEFT
    return sides


class OrderRule:
    """The orders that a tree tries for one attribute.

    Numbers and ordered categories are cut in their own order, a missing value being tried at
    either end. Other categories are sorted by the share of a class among them, and on demand by
    the shares of personal values too (the fairness-aware orders of Staab et al., section 7).

    Parameters
    ----------
    attribute : Attribute
    hierarchy : CodeTree or None
    by : {"target", "personal"}
    """

    def __init__(self, attribute: Attribute, hierarchy: CodeTree | None, by: str) -> None:
        self._ordered = attribute.ordered and hierarchy is None
        self._missing = attribute.n_values if attribute.missing else None
        self._hierarchy = hierarchy
        self._by = by

    def orders(
        self,
        lines: NDArray[np.int32],
        present: NDArray[np.int64],
        starts: NDArray[np.int64],
        grouped: bool,
    ) -> Iterator[NDArray[np.int64]]:
        """Yield orders of the present codes (of the present buckets when `grouped`)."""
        if self._ordered:
            yield present
            if not grouped and self._missing is not None and present[-1] == self._missing:
                yield np.roll(present, 1)
            return
        blocks = len(starts) - 1 if self._by == "personal" else 1
        for q in range(blocks):
            yield from self._by_shares(lines[present, starts[q] : starts[q + 1]], present, grouped)

    def _by_shares(
        self, cells: NDArray[np.int32], present: NDArray[np.int64], grouped: bool
    ) -> Iterator[NDArray[np.int64]]:
        shares = cells / cells.sum(axis=1, keepdims=True)
        columns = [1] if shares.shape[1] == 2 else range(shares.shape[1])
        for column in columns:
            if not cells[:, column].any():
                continue
            if self._hierarchy is None or grouped:
                yield present[np.argsort(shares[:, column], kind="stable")]
            else:
                yield self._by_level(cells, present, column)

    def _by_level(
        self, cells: NDArray[np.int32], present: NDArray[np.int64], column: int
    ) -> NDArray[np.int64]:
        assert self._hierarchy is not None
        line_of = {int(code): line for line, code in enumerate(present)}

        def share(codes: list[int]) -> float:
            lines = [line_of[code] for code in codes if code in line_of]
            total = cells[lines].sum()
            return float(cells[lines, column].sum() / total) if total else 0.0

        order = self._hierarchy.order(share)
        return np.array([code for code in order if code in line_of], dtype=np.int64)


@compiled(fastmath={"reassoc", "contract"})
def scan_order(
    counts: NDArray[np.int32],
    order: NDArray[np.int64],
    totals: NDArray[np.int64],
    starts: NDArray[np.int64],
    coefficients: NDArray[np.float64],
    min_leaf: int,
) -> tuple[float, int]:
    """Best prefix of `order` to send left: its gain, and its length (0: none gains or is allowed).

    The gain of a prefix is the sum over responses q of
    c_q (S_q(left) / n_left + S_q(right) / n_right - S_q / n), where S_q is the sum of squared
    counts of q. All sums are of whole numbers below 2^53, so the order of addition is immaterial.
    """
    n_responses = coefficients.shape[0]
    left = np.zeros(totals.shape[0])
    whole = np.zeros(n_responses)
    squares = np.zeros(n_responses)
    cross = np.zeros(n_responses)
    for q in range(n_responses):
        for u in range(starts[q], starts[q + 1]):
            whole[q] += float(totals[u]) * float(totals[u])
    n = 0
    for u in range(starts[0], starts[1]):
        n += totals[u]
    n_left = 0
    best_gain, best_length = 0.0, 0
    for position in range(order.shape[0] - 1):
        line = order[position]
        for u in range(starts[0], starts[1]):
            n_left += counts[line, u]
        for q in range(n_responses):
            add_squares = 0.0
            add_cross = 0.0
            for u in range(starts[q], starts[q + 1]):
                here = float(counts[line, u])
                add_squares += here * (2.0 * left[u] + here)
                add_cross += here * float(totals[u])
                left[u] += here
            squares[q] += add_squares
            cross[q] += add_cross
        n_right = n - n_left
        if n_left < min_leaf or n_right < min_leaf:
            continue
        gain = 0.0
        for q in range(n_responses):
            right = whole[q] - 2.0 * cross[q] + squares[q]
            gain += coefficients[q] * (squares[q] / n_left + right / n_right - whole[q] / n)
        if gain > best_gain + ROUND_OFF * n:
            best_gain, best_length = gain, position + 1
    return best_gain, best_length

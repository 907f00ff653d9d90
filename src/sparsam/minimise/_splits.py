"""What follows from the splits of a tree: the fewest buckets that keep them all, and its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsam.counting import compiled
from sparsam.data import Attribute
from sparsam.generalization import CodeTree

Sides = Sequence[NDArray[np.int8]]
ABSENT, LEFT, RIGHT = np.int8(0), np.int8(1), np.int8(2)


def code_buckets(
    attribute: Attribute, sides: Sides, hierarchy: CodeTree | None = None
) -> NDArray[np.int64]:
    """Bucket of each code such that no bucket holds codes that some cut tells apart.

    A code that does not occur in a node may stand on either side of the node's cut: it joins
    whichever bucket it fits, and never makes a bucket of its own (Staab et al. send it left or
    right by chance, which separates categories that no decision needs apart).

    Parameters
    ----------
    attribute : Attribute
    sides : sequence of ndarray of int8
        For each cut and code: left (1), right (2), absent (0).
    hierarchy : CodeTree, optional
        Buckets must be nodes of this hierarchy.
    """
    if not sides:
        return np.zeros(attribute.size, dtype=np.int64)
    matrix = np.stack(sides)
    if hierarchy is not None:
        return hierarchy.coarsest(lambda codes: _compatible(matrix[:, codes]), attribute.size)
    if attribute.ordered:
        return _runs(matrix, attribute)
    return _groups(matrix)


def _compatible(matrix: NDArray[np.int8]) -> bool:
    """No cut sends two of these codes to different sides."""
    apart = (matrix == LEFT).any(axis=1) & (matrix == RIGHT).any(axis=1)
    return not apart.any()


def _groups(matrix: NDArray[np.int8]) -> NDArray[np.int64]:
    """Group codes greedily, those that most cuts speak of first."""
    spoken = (matrix != ABSENT).sum(axis=0)
    signatures = np.ascontiguousarray(matrix.T)
    merged = np.zeros_like(signatures)
    bucket = np.empty(len(signatures), dtype=np.int64)
    n_buckets = 0
    for code in np.argsort(-spoken, kind="stable"):
        apart = ((merged[:n_buckets] | signatures[code]) == (LEFT | RIGHT)).any(axis=1)
        number = n_buckets if apart.all() else int(apart.argmin())
        merged[number] |= signatures[code]
        bucket[code] = number
        n_buckets = max(n_buckets, number + 1)
    return numbered_by_first_code(bucket)


@compiled()
def numbered_by_first_code(bucket: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number buckets without gaps in the order of their first codes (so a missing value's last)."""
    highest = -1
    for code in range(bucket.shape[0]):
        highest = max(highest, bucket[code])
    numbered = np.empty(bucket.shape[0], dtype=np.int64)
    numbers = np.zeros(highest + 1, dtype=np.int64)  # from 1 on; 0 for those not seen yet
    following = 0
    for code in range(bucket.shape[0]):
        if numbers[bucket[code]] == 0:
            following += 1
            numbers[bucket[code]] = following
        numbered[code] = numbers[bucket[code]] - 1
    return numbered


def _runs(matrix: NDArray[np.int8], attribute: Attribute) -> NDArray[np.int64]:
    """Cut an ordered attribute at the fewest places that keep every cut's two sides apart."""
    values = matrix[:, : attribute.n_values]
    gaps = [_gap(line) for line in values]
    places = _stab([gap for gap in gaps if gap is not None])
    bucket = np.searchsorted(places, np.arange(attribute.n_values), side="right")
    if not attribute.missing:
        return bucket.astype(np.int64)
    whole = [_sides_of_run(values[:, bucket == b]) for b in range(len(places) + 1)]
    own = matrix[:, attribute.n_values]
    fits = [b for b, side in enumerate(whole) if not ((side | own) == (LEFT | RIGHT)).any()]
    return np.append(bucket, fits[0] if fits else len(whole)).astype(np.int64)


def _gap(sides: NDArray[np.int8]) -> tuple[int, int] | None:
    """The cut may stand before any code in (last left code, first right code]."""
    left, right = np.flatnonzero(sides == LEFT), np.flatnonzero(sides == RIGHT)
    return (int(left[-1]), int(right[0])) if left.size and right.size else None


def _stab(gaps: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Fewest places with one inside each gap: take the right end of the earliest gap unmet."""
    places: list[int] = []
    for low, high in sorted(gaps, key=lambda gap: gap[1]):
        if not places or places[-1] <= low:
            places.append(high)
    return np.array(places, dtype=np.int64)


def _sides_of_run(matrix: NDArray[np.int8]) -> NDArray[np.int8]:
    return np.bitwise_or.reduce(matrix, axis=1) if matrix.shape[1] else matrix[:, 0] * 0


@dataclass(frozen=True, repr=False)
class Split:
    """One cut of a tree.

    Attributes
    ----------
    attribute : int
    sides : ndarray of int8
        For each code of the attribute: goes left (1), goes right (2), or does not occur here (0)
        and so need not be told apart from either.
    n_rows, n_left : int
    decrease : float
        Impurity that the split removes, as a share of the whole table.
    reuses : bool
        It cuts only between buckets that earlier splits made.
    start : int
        Where the node's rows begin, in the tree's order of rows: its left child begins there too,
        its right child `n_left` further on.
    """

    attribute: int
    sides: NDArray[np.int8]
    n_rows: int
    n_left: int
    decrease: float
    reuses: bool = False
    start: int = 0

    @property
    def goes_left(self) -> NDArray[np.bool_]:
        """Codes that go left."""
        left: NDArray[np.bool_] = self.sides == LEFT
        return left


@dataclass(frozen=True)
class TreeNode:
    """A node: a split and its two children, or a leaf.

    Attributes
    ----------
    split : Split or None
    left, right : int
        Numbers of the children, larger than the node's own; 0 for a leaf.
    depth : int
    """

    split: Split | None
    left: int = 0
    right: int = 0
    depth: int = 0


def tree_shape(
    splits: Sequence[Split], n_rows: int, most_levels: int | None = None
) -> list[TreeNode]:
    """The nodes of a tree, the root first, children after their parents.

    Parameters
    ----------
    splits : sequence of Split
        As a growth made them, parents before children.
    n_rows : int
        The rows of the whole tree.
    most_levels : int, optional
        Cut the tree off below this depth.
    """
    by_rows = {(split.start, split.n_rows): split for split in splits}
    nodes: list[TreeNode] = []
    waiting = [(0, n_rows, 0)]
    place = 0
    while place < len(waiting):
        start, size, depth = waiting[place]
        split = by_rows.get((start, size))
        if split is None or (most_levels is not None and depth >= most_levels):
            nodes.append(TreeNode(None, depth=depth))
        else:
            left = len(waiting)
            waiting += [
                (start, split.n_left, depth + 1),
                (start + split.n_left, size - split.n_left, depth + 1),
            ]
            nodes.append(TreeNode(split, left, left + 1, depth))
        place += 1
    return nodes


def with_neighbours(nodes: Sequence[TreeNode], ordered: Sequence[bool]) -> list[TreeNode]:
    """Send the codes of ordered attributes that a node never met where their neighbours go."""

    def filled(node: TreeNode) -> TreeNode:
        split = node.split
        if split is None or not ordered[split.attribute]:
            return node
        met = np.flatnonzero(split.sides != ABSENT)
        codes = np.arange(len(split.sides))
        nearest = met[np.abs(codes[:, None] - met).argmin(axis=1)]
        return replace(node, split=replace(split, sides=split.sides[nearest]))

    return [filled(node) for node in nodes]


def leaves_of(nodes: Sequence[TreeNode], codes: NDArray[np.uint16]) -> NDArray[np.int64]:
    """The number of the leaf that each row ends in; codes that a node never met go right."""
    leaf = np.zeros(len(codes), dtype=np.int64)
    rows = {0: np.arange(len(codes))}
    for number, node in enumerate(nodes):
        here = rows.pop(number)
        if node.split is None:
            leaf[here] = number
            continue
        left = node.split.goes_left[codes[here, node.split.attribute]]
        rows[node.left], rows[node.right] = here[left], here[~left]
    return leaf

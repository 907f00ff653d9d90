"""The shape of a grown tree, from the list of its splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise.tree._buckets import ABSENT, Split


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

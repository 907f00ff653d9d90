"""Where each attribute's codes and buckets lie in the tables that the networks work on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._partitions import code_counts
from sparsam.minimise.tree._buckets import numbered_by_first_code
from sparsam.minimise.tree._hierarchy import Hierarchy

CLEARLY = 2.0  # times as likely


@dataclass(frozen=True, eq=False, repr=False)
class Layout:
    """All codes of all attributes in one line, and how many buckets each attribute may have.

    Attributes
    ----------
    attributes : tuple of Attribute
    starts : ndarray of int
        Where the codes of each attribute begin in the line.
    owner : ndarray of int
        The attribute of each code in the line.
    shares : ndarray of float
        For each code in the line, the share of people who have it.
    widths : ndarray of int
        The most buckets of each attribute; none (0) for one that is kept at full resolution.
    ordered : ndarray of bool
        Whether each code in the line stands in an order that buckets must respect.
    """

    attributes: tuple[Attribute, ...]
    starts: NDArray[np.int64]
    owner: NDArray[np.int64]
    shares: NDArray[np.float64]
    widths: NDArray[np.int64]
    ordered: NDArray[np.bool_]

    @property
    def most(self) -> int:
        """The most buckets of any attribute."""
        return max(1, int(self.widths.max(initial=0)))

    @property
    def learned(self) -> NDArray[np.int64]:
        """The attributes that are generalized."""
        return np.flatnonzero(self.widths > 0)

    @property
    def kept(self) -> NDArray[np.int64]:
        """The attributes that are kept at full resolution."""
        return np.flatnonzero(self.widths == 0)

    def codes_of(self, attribute: int) -> slice:
        """Where the codes of an attribute lie in the line."""
        start = int(self.starts[attribute])
        return slice(start, start + self.attributes[attribute].size)

    def ranks(self) -> NDArray[np.float64]:
        """For each code in the line, the share of people below it and half of those with it."""
        ranks = np.zeros(len(self.owner))
        for a in range(len(self.attributes)):
            own = self.shares[self.codes_of(a)]
            ranks[self.codes_of(a)] = np.cumsum(own) - own / 2
        return ranks


def layout_of(task: Task, constraints: Constraints, buckets: int) -> Layout:
    """Lay out the codes of a task under a limit on the buckets of each attribute.

    Parameters
    ----------
    task : Task
    constraints : Constraints
    buckets : int
        The most buckets of an attribute for which the constraints name no lower limit.
    """
    attributes = task.table.attributes
    sizes = np.array(task.sizes, dtype=np.int64)
    counts = np.concatenate(code_counts(task.codes, task.sizes))
    ordered = [
        np.arange(a.size) < (a.n_values if _has_order(a, constraints) else 0) for a in attributes
    ]
    return Layout(
        attributes=attributes,
        starts=np.cumsum(sizes) - sizes,
        owner=np.repeat(np.arange(len(sizes)), sizes),
        shares=counts / max(1, task.n_rows),
        widths=np.array([_width(a, constraints, buckets) for a in attributes], dtype=np.int64),
        ordered=np.concatenate(ordered),
    )


def _has_order(attribute: Attribute, constraints: Constraints) -> bool:
    return attribute.ordered and attribute.name not in constraints.hierarchies


def _width(attribute: Attribute, constraints: Constraints, buckets: int) -> int:
    if attribute.name in constraints.must_keep:
        return 0
    if attribute.name in constraints.must_drop:
        return 1
    return min(buckets, constraints.max_buckets.get(attribute.name, buckets))


def likeliest_buckets(layout: Layout, table: NDArray[np.float64]) -> NDArray[np.int64]:
    """The likeliest bucket of each code in the line.

    A code that has no order leaves the attribute's likeliest bucket only for one that is clearly
    likelier: where networks found no reason to tell values apart, chance must not.

    Parameters
    ----------
    layout : Layout
    table : ndarray of float
        Probability of each bucket (columns) for each code (rows).
    """
    likeliest = table.argmax(axis=1)
    everyone = np.zeros((len(layout.attributes), table.shape[1]))
    np.add.at(everyone, layout.owner, layout.shares[:, None] * table)
    common = everyone.argmax(axis=1)[layout.owner]
    lines = np.arange(len(table))
    clearly = table[lines, likeliest] >= CLEARLY * table[lines, common]
    return np.asarray(np.where(layout.ordered | clearly, likeliest, common), dtype=np.int64)


def settled(
    layout: Layout, constraints: Constraints, likeliest: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Buckets that the constraints allow, from the likeliest bucket of each code in the line.

    The buckets of an ordered attribute are runs. A code that nobody has joins the most common
    bucket, unless an order places it. A hierarchy is opened from the top, wherever more than a
    certain share of a node's people would belong to another bucket than most of them; the share is
    the least that keeps the attribute within its limit.
    """
    found = []
    for a, attribute in enumerate(layout.attributes):
        codes = layout.codes_of(a)
        bucket, shares, ordered = likeliest[codes], layout.shares[codes], layout.ordered[codes]
        # The networks are monotone but for rounding.
        bucket = np.where(ordered, np.maximum.accumulate(bucket), bucket)
        common = np.bincount(bucket, weights=shares).argmax()
        bucket = np.where(ordered | (shares > 0), bucket, common)
        if attribute.name in constraints.hierarchies and layout.widths[a] > 0:
            tree = Hierarchy(attribute, constraints.hierarchies[attribute.name])
            bucket = _nodes(tree, bucket, shares, int(layout.widths[a]))
        found.append(numbered_by_first_code(bucket))
    return found


def _nodes(
    tree: Hierarchy, bucket: NDArray[np.int64], shares: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """The finest nodes within the limit that are opened where they hold the most strangers."""

    def strangers(codes: list[int]) -> float:
        people = np.bincount(bucket[codes], weights=shares[codes])
        return float(people.sum() - people.max())

    seen = {0.0}

    def note(codes: list[int]) -> bool:
        seen.add(strangers(codes))
        return False  # so that every node is opened

    tree.coarsest(note, len(bucket))
    for allowed in sorted(seen):
        found = tree.coarsest(lambda codes: strangers(codes) <= allowed, len(bucket))  # noqa: B023
        if found.max() < most:
            break
    return found

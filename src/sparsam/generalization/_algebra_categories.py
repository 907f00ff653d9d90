"""How two partitions of categories compare and combine.

Each value that a partition may meet is an *element*: the categories in the order of the domain,
then a missing value, then a category never seen.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sparsam.data import Category
from sparsam.generalization._categorical_partition import (
    CategoricalPartition,
    categorical_partition,
)


def refines(first: CategoricalPartition, second: CategoricalPartition) -> bool:
    """Say whether every bucket of the first partition lies inside one of the second."""
    inside: dict[int, int] = {}
    for fine, coarse in zip(_elements(first), _elements(second), strict=True):
        if fine is None:
            continue
        if coarse is None or inside.setdefault(fine, coarse) != coarse:
            return False
    return True


def merge(first: CategoricalPartition, second: CategoricalPartition) -> CategoricalPartition:
    """Join what either partition joins: the connected components of both."""
    parents = list(range(first.n_buckets + second.n_buckets))
    marks: list[int | None] = []
    shifted = [None if b is None else first.n_buckets + b for b in _elements(second)]
    for a, b in zip(_elements(first), shifted, strict=True):
        if a is not None and b is not None:
            parents[_root(parents, a)] = _root(parents, b)
        marks.append(b if a is None else a)
    return _make(first, [None if mark is None else _root(parents, mark) for mark in marks])


def intersect(first: CategoricalPartition, second: CategoricalPartition) -> CategoricalPartition:
    """Tell apart what either partition tells apart."""
    both = zip(_elements(first), _elements(second), strict=True)
    return _make(first, [None if a is None or b is None else (a, b) for a, b in both])


def _elements(partition: CategoricalPartition) -> list[int | None]:
    """Give the bucket of every element, None where the partition refuses it."""
    buckets: list[int | None] = [
        partition.slot(category) for category in partition.domain.categories
    ]
    return [*buckets, partition.missing, partition.unseen]


def _root(parents: list[int], node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


def _make(like: CategoricalPartition, marks: Sequence[Hashable]) -> CategoricalPartition:
    """Build the partition whose elements share a bucket where they share a mark."""
    groups: dict[Hashable, list[Category]] = {}
    for category, mark in zip(like.domain.categories, marks, strict=False):
        groups.setdefault(mark, []).append(category)
    buckets = {mark: bucket for bucket, mark in enumerate(groups)}
    for mark in marks[-2:]:
        if mark is not None:
            buckets.setdefault(mark, len(buckets))
    missing, unseen = (None if mark is None else buckets[mark] for mark in marks[-2:])
    return categorical_partition(like.name, like.domain, list(groups.values()), missing, unseen)

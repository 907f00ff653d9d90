"""How two partitions of categories compare and combine.

Each value that a partition may meet is an *element*: the categories that either partition lists,
then a missing value, then a category that neither lists. What one of them does not list is in its
bucket for categories never seen: rare categories are not listed, and none of an attribute that is
not collected.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sparsam.data import CategoricalDomain, Category
from sparsam.generalization._categorical_partition import (
    CategoricalPartition,
    categorical_partition,
)
from sparsam.generalization._values import category_key


def refines(first: CategoricalPartition, second: CategoricalPartition) -> bool:
    """Return whether every bucket of the first partition lies inside one of the second."""
    inside: dict[int, int] = {}
    both = _both(first, second)
    for fine, coarse in zip(_elements(first, both), _elements(second, both), strict=True):
        if fine is None:
            continue
        if coarse is None or inside.setdefault(fine, coarse) != coarse:
            return False
    return True


def merge(first: CategoricalPartition, second: CategoricalPartition) -> CategoricalPartition:
    """Join what either partition joins: the connected components of both."""
    parents = list(range(first.n_buckets + second.n_buckets))
    marks: list[int | None] = []
    both = _both(first, second)
    shifted = [None if b is None else first.n_buckets + b for b in _elements(second, both)]
    for a, b in zip(_elements(first, both), shifted, strict=True):
        if a is not None and b is not None:
            parents[_root(parents, a)] = _root(parents, b)
        marks.append(b if a is None else a)
    joined = [None if mark is None else _root(parents, mark) for mark in marks]
    return _make(first.name, both, joined)


def intersect(first: CategoricalPartition, second: CategoricalPartition) -> CategoricalPartition:
    """Tell apart what either partition tells apart."""
    both = _both(first, second)
    pairs = zip(_elements(first, both), _elements(second, both), strict=True)
    marks = [None if a is None or b is None else (a, b) for a, b in pairs]
    return _make(first.name, both, marks)


def _both(first: CategoricalPartition, second: CategoricalPartition) -> CategoricalDomain:
    """List the categories of both, in the order of the longer list."""
    longer, shorter = sorted(
        (first.domain, second.domain), key=lambda domain: -len(domain.categories)
    )
    known = {category_key(category) for category in longer.categories}
    others = [c for c in shorter.categories if category_key(c) not in known]
    # where each list has a category that the other lacks, nobody knows how they interleave
    return CategoricalDomain((*longer.categories, *others), longer.ordered and not others)


def _elements(partition: CategoricalPartition, domain: CategoricalDomain) -> list[int | None]:
    """Return the bucket of every element, None where the partition refuses it."""
    n_buckets = partition.n_buckets
    slots = [partition.slot(category) for category in domain.categories]
    buckets = [slot if slot < n_buckets else None for slot in slots]
    return [*buckets, partition.missing, partition.unseen]


def _root(parents: list[int], node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


def _make(name: str, domain: CategoricalDomain, marks: Sequence[Hashable]) -> CategoricalPartition:
    """Build the partition whose elements share a bucket where they share a mark."""
    groups: dict[Hashable, list[Category]] = {}
    for category, mark in zip(domain.categories, marks, strict=False):
        if mark is not None:
            groups.setdefault(mark, []).append(category)
    if len(groups) <= 1 and (marks[-1] is None or marks[-1] in groups or not groups):
        groups = {next(iter(groups), marks[-1]): []}  # nothing is told apart, so nothing is listed
    accepted = [category for group in groups.values() for category in group]
    places = {category_key(category): i for i, category in enumerate(domain.categories)}
    accepted.sort(key=lambda category: places[category_key(category)])
    buckets = {mark: bucket for bucket, mark in enumerate(groups)}
    for mark in marks[-2:]:
        if mark is not None:
            buckets.setdefault(mark, len(buckets))
    missing, unseen = (None if mark is None else buckets[mark] for mark in marks[-2:])
    listed = CategoricalDomain(tuple(accepted), domain.ordered)
    return categorical_partition(
        name, listed, [group for group in groups.values() if group], missing, unseen
    )

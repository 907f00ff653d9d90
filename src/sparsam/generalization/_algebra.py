"""How two generalizations compare and combine, attribute by attribute.

A partition is read as a partition of the values that it *accepts*: those of the domain, and by its
policies a missing value, a category never seen and a number beyond the range. One partition refines
another when each of its buckets lies inside one of the other's. Hence the rule for policies:
"error" is finer than a bucket of its own, which is finer than a shared bucket. A merge accepts what
either accepts, an intersection only what both accept. Where a merge leaves nothing to tell apart,
it collects nothing, rather than ask only for values that both refuse.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, Category, Domain, NumericDomain
from sparsam.generalization._partition import (
    CategoricalPartition,
    NumericPartition,
    Partition,
    categorical_partition,
    numeric_partition,
)
from sparsam.generalization._partition_base import category_key

if TYPE_CHECKING:
    from sparsam.generalization._generalization import Generalization


def pairs(first: Generalization, second: Generalization) -> Iterator[tuple[Partition, Partition]]:
    """Match the attributes of two generalizations, in the order of the first.

    Raises
    ------
    ParameterError
        An attribute is in one only, or is of another kind, or its range differs.
    """
    for name in sorted(set(first.names) ^ set(second.names)):
        msg = f"Both generalizations must have the same attributes. '{name}' is in one only."
        raise ParameterError(msg)
    for partition in first.partitions:
        other = second[partition.name]
        if not _same_domain(partition.domain, other.domain):
            msg = f"Both generalizations must have the same domain for '{partition.name}'."
            raise ParameterError(msg)
        yield partition, other


def aligned(first: Partition, second: Partition) -> tuple[Partition, Partition] | None:
    """Return two partitions over a domain that has the values of both, or None if there is none.

    Two versions of a generalization were often learned from other people: the range of their
    numbers differs, or the list of their categories. Cuts, groups, labels and policies stay.

    Parameters
    ----------
    first, second : Partition

    Returns
    -------
    tuple of Partition, or None
        None where they do not speak of the same values: numbers and categories, days and plain
        numbers, ages on two days, truth values and texts.
    """
    if isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        wide = _joint_range(first.domain, second.domain)
        if wide is None:
            return None
        low, high = (structs.replace(part, domain=wide) for part in (first, second))
        return low, high
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        if _same_domain(first.domain, second.domain):
            return first, second
        loose = [structs.replace(p, domain=_unordered(p.domain)) for p in (first, second)]
        if _same_domain(loose[0].domain, loose[1].domain):
            return loose[0], loose[1]
    return None


def refines(first: Partition, second: Partition) -> bool:
    """Return whether every bucket of the first partition lies inside one of the second."""
    if isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        return _numbers_refine(first, second)
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        return _categories_refine(first, second)
    raise _kinds(first)


def merge(first: Partition, second: Partition) -> Partition:
    """Find the finest partition that both refine."""
    if isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        return _keep_labels(_merge_numbers(first, second), (first, second))
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        return _keep_labels(_merge_categories(first, second), (first, second))
    raise _kinds(first)


def intersect(first: Partition, second: Partition) -> Partition:
    """Find the coarsest partition that refines both."""
    if isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        return _keep_labels(_intersect_numbers(first, second), (first, second))
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        return _keep_labels(_intersect_categories(first, second), (first, second))
    raise _kinds(first)


def linked(first: Partition, second: Partition) -> list[tuple[list[int], list[int]]]:
    """Return which buckets of two partitions hold the same values between them.

    Parameters
    ----------
    first, second : Partition
        Of the same kind; their ranges and lists of categories may differ.

    Returns
    -------
    list of pairs of lists of int
        Buckets of the first and of the second, linked by common values, in the order of the first:
        one and one where nothing is told apart otherwise, one and several where one was split. A
        bucket all of whose values the other partition refuses is in none.
    """
    shift = first.n_buckets
    parents = list(range(shift + second.n_buckets))
    met = set[int]()
    for bucket, other in _places(first, second):
        if bucket is not None and other is not None:
            parents[_root(parents, bucket)] = _root(parents, shift + other)
            met |= {bucket, shift + other}
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for bucket in sorted(met):
        sides = groups.setdefault(_root(parents, bucket), ([], []))
        sides[bucket >= shift].append(bucket - shift * (bucket >= shift))
    return list(groups.values())


def _places(first: Partition, second: Partition) -> Iterator[tuple[int | None, int | None]]:
    """Yield the bucket that each kind of value has in both; None where it is refused."""
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        both = _both(first, second)
        yield from zip(_elements(first, both), _elements(second, both), strict=True)
    elif isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        cuts = sorted({*first.cuts, *second.cuts})
        for low, high in pairwise((-math.inf, *cuts, math.inf)):
            yield _interval(first, low, high), _interval(second, low, high)
        yield first.missing, second.missing
    else:
        raise _kinds(first)


def _interval(partition: NumericPartition, low: float, high: float) -> int | None:
    """Return the bucket of the numbers between two cuts, None where all of them are refused."""
    domain = partition.domain
    if partition.beyond == "error" and (high <= domain.low or low > domain.high):
        return None
    return bisect_right(partition.cuts, low)


def difference(first: Partition, second: Partition) -> dict[str, Any] | None:
    """Return how the second partition differs from the first, as plain data, if it does."""
    if first == second:
        return None
    return {
        "attribute": first.name,
        "relation": _relation(first, second),
        "before": _facts(first),
        "after": _facts(second),
    }


def _relation(first: Partition, second: Partition) -> str:
    finer, coarser = refines(second, first), refines(first, second)
    if finer and coarser:
        return "renamed"
    if _told_apart(first) == _told_apart(second):
        return "other policy"
    if finer:
        return "finer"
    return "coarser" if coarser else "different"


def _told_apart(partition: Partition) -> Any:
    """Return what the partition tells apart among the values of the domain, policies aside."""
    if isinstance(partition, NumericPartition):
        return partition.cuts
    if len(partition.groups) <= 1:
        return set()
    return {frozenset(map(category_key, group)) for group in partition.groups}


def _facts(partition: Partition) -> dict[str, Any]:
    facts: dict[str, Any] = {"buckets": partition.n_buckets, "labels": list(partition.labels)}
    facts["missing"] = partition.missing
    if isinstance(partition, NumericPartition):
        return {**facts, "beyond": partition.beyond}
    return {**facts, "unseen": partition.unseen}


def _keep_labels(result: Partition, sources: Iterable[Partition]) -> Partition:
    """Prefer a source that tells the same values apart: its labels may be the user's own."""
    for source in sources:
        if refines(source, result) and refines(result, source):
            return source
    return result


def _same_domain(first: Domain, second: Domain) -> bool:
    """Whether two partitions speak of the same values; lists of categories may differ."""
    if isinstance(first, CategoricalDomain) and isinstance(second, CategoricalDomain):
        if not first.categories or not second.categories:
            return True
        truths = [{isinstance(c, bool) for c in domain.categories} for domain in (first, second)]
        return first.ordered == second.ordered and truths[0] == truths[1]
    return first == second


def _joint_range(first: NumericDomain, second: NumericDomain) -> NumericDomain | None:
    """The numbers of both domains, if they count the same thing."""
    if (first.unit, first.age_on) != (second.unit, second.age_on):
        return None
    return NumericDomain(
        min(first.low, second.low),
        max(first.high, second.high),
        first.integer and second.integer,
        first.unit,
        first.order or second.order,
        first.age_on,
    )


def _unordered(domain: CategoricalDomain) -> CategoricalDomain:
    return CategoricalDomain(domain.categories)


def _kinds(partition: Partition) -> ParameterError:
    return ParameterError(f"Both partitions of '{partition.name}' must be of the same kind.")


def _numbers_refine(first: NumericPartition, second: NumericPartition) -> bool:
    """Return whether every bucket of the first partition lies inside one of the second."""
    if not set(second.cuts) <= set(first.cuts):
        return False
    if first.beyond == "clamp" and second.beyond == "error":
        return False
    if first.missing is None:
        return True
    if second.missing is None:
        return False
    return _own(first) or _place(first, second.cuts) == second.missing


def _merge_numbers(first: NumericPartition, second: NumericPartition) -> NumericPartition:
    """Keep the cuts that both have; buckets that share the missing values become one."""
    cuts = sorted(set(first.cuts) & set(second.cuts))
    both = (first, second)
    shared = [_place(part, cuts) for part in both if part.missing is not None and not _own(part)]
    missing: int | None = None
    if shared:
        missing = min(shared)
        cuts = cuts[:missing] + cuts[max(shared) :]
    elif any(_own(part) for part in both):
        missing = len(cuts) + 1
    clamped = any(part.beyond == "clamp" for part in both)
    return _numeric_like(first, cuts, missing, "clamp" if clamped else "error")


def _intersect_numbers(first: NumericPartition, second: NumericPartition) -> NumericPartition:
    """Take the cuts of both; missing values stay where both agree, else get their own bucket."""
    cuts = sorted(set(first.cuts) | set(second.cuts))
    both = (first, second)
    refused = any(part.beyond == "error" for part in both)
    return _numeric_like(first, cuts, _common(first, second, cuts), "error" if refused else "clamp")


def _common(first: NumericPartition, second: NumericPartition, cuts: list[float]) -> int | None:
    if first.missing is None or second.missing is None:
        return None
    own = len(cuts) + 1
    if _own(first) or _own(second):
        return own
    low = max(_left(first, first.missing), _left(second, second.missing))
    high = min(_right(first, first.missing), _right(second, second.missing))
    return bisect_right(cuts, low) if low < high else own


def _numeric_like(
    like: NumericPartition,
    cuts: list[float],
    missing: int | None,
    beyond: Literal["clamp", "error"],
) -> NumericPartition:
    return numeric_partition(like.name, like.domain, cuts, missing, beyond)


def _own(partition: NumericPartition) -> bool:
    return partition.missing == partition.n_intervals


def _place(partition: NumericPartition, cuts: list[float] | tuple[float, ...]) -> int:
    """Find the interval between other, fewer cuts that holds the bucket of missing values."""
    return bisect_right(cuts, _left(partition, partition.missing or 0))


def _left(partition: NumericPartition, bucket: int) -> float:
    return partition.cuts[bucket - 1] if bucket else -math.inf


def _right(partition: NumericPartition, bucket: int) -> float:
    return partition.cuts[bucket] if bucket < len(partition.cuts) else math.inf


def _categories_refine(first: CategoricalPartition, second: CategoricalPartition) -> bool:
    """Return whether every bucket of the first partition lies inside one of the second."""
    inside: dict[int, int] = {}
    both = _both(first, second)
    for fine, coarse in zip(_elements(first, both), _elements(second, both), strict=True):
        if fine is None:
            continue
        if coarse is None or inside.setdefault(fine, coarse) != coarse:
            return False
    return True


def _merge_categories(
    first: CategoricalPartition, second: CategoricalPartition
) -> CategoricalPartition:
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
    return _from_marks(first.name, both, joined)


def _intersect_categories(
    first: CategoricalPartition, second: CategoricalPartition
) -> CategoricalPartition:
    """Tell apart what either partition tells apart."""
    both = _both(first, second)
    together = zip(_elements(first, both), _elements(second, both), strict=True)
    marks = [None if a is None or b is None else (a, b) for a, b in together]
    return _from_marks(first.name, both, marks)


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


def _from_marks(
    name: str, domain: CategoricalDomain, marks: Sequence[Hashable]
) -> CategoricalPartition:
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

"""How two generalizations compare and combine, attribute by attribute.

A partition is read as a partition of the values that it *accepts*: those of the domain, and by its
policies a missing value, a category never seen and a number beyond the range. One partition refines
another when each of its buckets lies inside one of the other's. Hence the rule for policies:
"error" is finer than a bucket of its own, which is finer than a shared bucket. A merge accepts what
either accepts, an intersection only what both accept. Where a merge leaves nothing to tell apart,
it collects nothing, rather than ask only for values that both refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, Domain
from sparsam.generalization._categorical_partition import CategoricalPartition
from sparsam.generalization._document import Partition
from sparsam.generalization._numeric_partition import NumericPartition
from sparsam.generalization._values import category_key
from sparsam.generalization.algebra import _categories as categories
from sparsam.generalization.algebra import _numbers as numbers

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


def refines(first: Partition, second: Partition) -> bool:
    """Return whether every bucket of the first partition lies inside one of the second."""
    if isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        return numbers.refines(first, second)
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        return categories.refines(first, second)
    raise _kinds(first)


def merge(first: Partition, second: Partition) -> Partition:
    """Find the finest partition that both refine."""
    if isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        return _keep_labels(numbers.merge(first, second), (first, second))
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        return _keep_labels(categories.merge(first, second), (first, second))
    raise _kinds(first)


def intersect(first: Partition, second: Partition) -> Partition:
    """Find the coarsest partition that refines both."""
    if isinstance(first, NumericPartition) and isinstance(second, NumericPartition):
        return _keep_labels(numbers.intersect(first, second), (first, second))
    if isinstance(first, CategoricalPartition) and isinstance(second, CategoricalPartition):
        return _keep_labels(categories.intersect(first, second), (first, second))
    raise _kinds(first)


def difference(first: Partition, second: Partition) -> dict[str, Any] | None:
    """Say in plain data how the second partition differs from the first, if it does."""
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


def _kinds(partition: Partition) -> ParameterError:
    return ParameterError(f"Both partitions of '{partition.name}' must be of the same kind.")

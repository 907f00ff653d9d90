"""How two partitions of numbers compare and combine."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Literal

from sparsam.generalization._numeric_partition import NumericPartition, numeric_partition


def refines(first: NumericPartition, second: NumericPartition) -> bool:
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


def merge(first: NumericPartition, second: NumericPartition) -> NumericPartition:
    """Keep the cuts that both have; buckets that share the missing values become one."""
    cuts = sorted(set(first.cuts) & set(second.cuts))
    both = (first, second)
    shared = [_place(one, cuts) for one in both if one.missing is not None and not _own(one)]
    missing: int | None = None
    if shared:
        missing = min(shared)
        cuts = cuts[:missing] + cuts[max(shared) :]
    elif any(_own(one) for one in both):
        missing = len(cuts) + 1
    clamped = any(one.beyond == "clamp" for one in both)
    return _make(first, cuts, missing, "clamp" if clamped else "error")


def intersect(first: NumericPartition, second: NumericPartition) -> NumericPartition:
    """Take the cuts of both; missing values stay where both agree, else get their own bucket."""
    cuts = sorted(set(first.cuts) | set(second.cuts))
    both = (first, second)
    refused = any(one.beyond == "error" for one in both)
    return _make(first, cuts, _common(first, second, cuts), "error" if refused else "clamp")


def _common(first: NumericPartition, second: NumericPartition, cuts: list[float]) -> int | None:
    if first.missing is None or second.missing is None:
        return None
    own = len(cuts) + 1
    if _own(first) or _own(second):
        return own
    low = max(_left(first, first.missing), _left(second, second.missing))
    high = min(_right(first, first.missing), _right(second, second.missing))
    return bisect_right(cuts, low) if low < high else own


def _make(
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

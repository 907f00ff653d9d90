"""From buckets of codes to partitions in the user's own units."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, CategoricalDomain, NumericDomain
from sparsam.generalization import Partition, categorical_partition, numeric_partition

_DIGITS = 18  # more than a float has


def round_cut(low: float, high: float) -> float:
    """The roundest number in (low, high]: a cut that people remember and nobody is known by.

    Examples
    --------
    >>> round_cut(17, 23), round_cut(61, 62), round_cut(0.123, 0.149), round_cut(51_230, 54_999)
    (20.0, 62.0, 0.14, 54000.0)
    """
    if low < 0 <= high:
        return 0.0
    # The shortest decimal of a float, so that a tenth is a tenth.
    exact, below = Decimal(repr(float(high))), Decimal(repr(float(low)))
    longest = max(exact.adjusted(), below.adjusted()) + 1
    for exponent in range(longest, exact.adjusted() - _DIGITS, -1):
        for step in (10, 5):
            unit = Decimal(step).scaleb(exponent - 1)
            candidate = float((exact / unit).to_integral_value(ROUND_FLOOR) * unit)
            if low < candidate <= high:
                return candidate
    return high


def partition_of(
    attribute: Attribute,
    buckets: NDArray[np.integer],
    counts: NDArray[np.integer],
    unseen: str = "error",
) -> Partition:
    """The partition that puts each code into the given bucket.

    Parameters
    ----------
    attribute : Attribute
    buckets : ndarray of int of shape (attribute.size,)
        For a numeric attribute ascending in runs; a missing value last, anywhere.
    counts : ndarray of int of shape (attribute.size,)
        How often each code occurs, to find the most common bucket.
    unseen : {"error", "common"}
        What happens to a category that was never seen: an error, or the most common bucket.
    """
    missing = int(buckets[attribute.n_values]) if attribute.missing else None
    if attribute.numeric:
        return _numeric(attribute, buckets[: attribute.n_values], missing)
    domain = attribute.domain
    assert isinstance(domain, CategoricalDomain)
    n_groups = int(buckets[: attribute.n_values].max()) + 1
    groups = [
        [domain.categories[code] for code in np.flatnonzero(buckets[: attribute.n_values] == b)]
        for b in range(n_groups)
    ]
    common = int(np.bincount(buckets, weights=counts).argmax()) if unseen == "common" else None
    return categorical_partition(attribute.name, domain, groups, missing=missing, unseen=common)


def _numeric(attribute: Attribute, buckets: NDArray[np.integer], missing: int | None) -> Partition:
    domain = attribute.domain
    assert isinstance(domain, NumericDomain)
    borders = np.flatnonzero(np.diff(buckets)) + 1
    cuts = [
        round_cut(float(attribute.highs[code - 1]), float(attribute.lows[code])) for code in borders
    ]
    return numeric_partition(attribute.name, domain, cuts, missing=missing)


def full_resolution(attribute: Attribute) -> NDArray[np.int64]:
    """Every code in a bucket of its own."""
    return np.arange(attribute.size, dtype=np.int64)


def code_counts(codes: NDArray[np.uint16], sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    """How often each code of each attribute occurs."""
    return [np.bincount(codes[:, a], minlength=size) for a, size in enumerate(sizes)]

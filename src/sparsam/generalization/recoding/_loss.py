"""How much detail a recoding takes away: NCP, leaf by leaf."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data import Table
from sparsam.generalization._document import Partition
from sparsam.generalization._information_loss import InformationLoss, _shares
from sparsam.generalization._numeric_partition import NumericPartition
from sparsam.generalization.recoding._paths import buckets_of

if TYPE_CHECKING:
    from sparsam.generalization.recoding._recoding import Recoding


def local_information_loss(
    recoding: Recoding, table: Table, weights: Mapping[str, float] | None = None
) -> InformationLoss:
    """Measure how much detail a recoding takes away from the records of a table.

    An attribute that a leaf asks for loses what its own bucket loses; any other one loses what the
    union of the buckets that the path to the leaf leaves possible would (Goldsteen et al. 2021,
    eq. 1-2): the width from the lowest to the highest number, or the share of the categories. What
    is left wholly open is lost whole.

    Parameters
    ----------
    recoding : Recoding
    table : Table
        Must have every collected attribute.
    weights : mapping of str to float or None, default=None
        How much each attribute counts; those not named count 1.

    Returns
    -------
    InformationLoss
    """
    if not table.n_rows:
        raise DataError("Information loss is a mean over records. The table has none.")
    generalization = recoding.generalization
    codes = generalization.apply_codes(table)
    leaves = recoding.leaf_of(codes)
    losses = {}
    for column, part in enumerate(generalization):
        if not part.collected:
            losses[part.name] = 1.0
            continue
        own, at_leaf = _penalties(recoding, part, table)
        constant = at_leaf[leaves]
        each = np.where(np.isnan(constant), own[codes[:, column]], constant)
        losses[part.name] = min(1.0, float(each.mean()))
    shares = _shares(weights or {}, generalization.names)
    overall = float(np.dot(shares, list(losses.values())))
    return InformationLoss(min(1.0, overall), losses, "goldsteen")


def _penalties(
    recoding: Recoding, part: Partition, table: Table
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the penalty of each bucket, and of each leaf (NaN where the own bucket counts)."""
    lookup = part.lookup(table.attribute(part.name))
    values = np.bincount(lookup, minlength=part.n_buckets)

    def penalty(buckets: Collection[int]) -> float:
        if len(buckets) == part.n_buckets:  # nothing is known: lost whole, as if not collected
            return 1.0
        if isinstance(part, NumericPartition):
            return _hull(part, buckets)
        together = int(values[list(buckets)].sum())
        return together / lookup.size if together > 1 else 0.0

    own = np.asarray([penalty([bucket]) for bucket in range(part.n_buckets)])
    at_leaf = np.full(len(recoding.nodes), np.nan)
    masks, known = recoding.paths.masks(part.name), dict[int, float]()
    for number, leaf in recoding.leaves.items():
        if part.name in leaf.record:  # else it is asked, and the own bucket counts
            mask = masks[number]
            if mask not in known:
                known[mask] = penalty(buckets_of(mask))
            at_leaf[number] = known[mask]
    return own, at_leaf


def _hull(part: NumericPartition, buckets: Iterable[int]) -> float:
    """Return the width from the lowest to the highest number over that of the domain (eq. 1)."""
    intervals = [bucket for bucket in buckets if bucket < part.n_intervals]
    low, high = part.domain.low, part.domain.high
    if not intervals or high <= low:
        return 0.0
    first, last = min(intervals), max(intervals)
    start = part.cuts[first - 1] if first else low
    end = part.cuts[last] - part.domain.integer if last < len(part.cuts) else high
    # halves keep the difference of two huge numbers finite
    return min(1.0, max(0.0, (end / 2 - start / 2) / (high / 2 - low / 2)))

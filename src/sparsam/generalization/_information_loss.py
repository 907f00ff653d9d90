"""How much detail a generalization takes away: NCP and GCP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice
from sparsam._errors import DataError, ParameterError
from sparsam.data import Table
from sparsam.generalization._partition import NumericPartition, Partition

if TYPE_CHECKING:
    from sparsam.generalization._generalization import Generalization

Variant = Literal["goldsteen", "staab"]
_VARIANTS = {
    "goldsteen": "NCP, Goldsteen et al. 2021 eq. 1-2: width / range, categories / categories; "
    "weighted mean over attributes, mean over records",
    "staab": "GCP, Staab et al. 2024 §2.2: values in the bucket / values of the attribute, for "
    "numbers too; weighted mean over attributes, mean over records",
}


@dataclass(frozen=True)
class InformationLoss:
    """How much detail is lost, from 0 (nothing) to 1 (everything).

    Parameters
    ----------
    overall : float
        The weighted mean over the attributes.
    per_attribute : dict of str to float
        The mean over the records, for each attribute.
    variant : {"goldsteen", "staab"}
        The definition that was used.
    """

    overall: float
    per_attribute: dict[str, float]
    variant: Variant

    @property
    def definition(self) -> str:
        """The definition in words."""
        return _VARIANTS[self.variant]


def information_loss(
    generalization: Generalization,
    table: Table,
    weights: Mapping[str, float] | None = None,
    variant: Variant = "goldsteen",
) -> InformationLoss:
    """Measure how much detail a generalization takes away from the records of a table.

    A category alone in its bucket loses nothing, others lose the share of the domain that their
    bucket holds; a missing value counts as one more value where the table has any. A number loses
    the width of its bucket over that of the domain. What is not collected is lost whole, even where
    it has one value only.

    Parameters
    ----------
    generalization : Generalization
    table : Table
        Must have every collected attribute.
    weights : mapping of str to float or None, default=None
        How much each attribute counts; those not named count 1.
    variant : {"goldsteen", "staab"}, default="goldsteen"
        NCP by eq. 1-2 of Goldsteen et al. 2021, or the GCP of Staab et al. 2024, §2.2.

    Returns
    -------
    InformationLoss

    Examples
    --------
    >>> from sparsam.data import read
    >>> from sparsam.generalization import Generalization
    >>> table = read({"sex": ["f", "m", "m"], "age": [0, 10, 20]})
    >>> information_loss(Generalization.nothing(table), table).overall
    1.0
    """
    check_choice("information_loss", "variant", variant, _VARIANTS)
    if not table.n_rows:
        raise DataError("Information loss is a mean over records. The table has none.")
    losses = {part.name: _mean_loss(part, table, variant) for part in generalization.partitions}
    shares = weight_shares(weights or {}, generalization.names)
    overall = float(np.dot(shares, list(losses.values())))
    return InformationLoss(min(1.0, overall), losses, variant)


def weight_shares(weights: Mapping[str, float], names: tuple[str, ...]) -> NDArray[np.float64]:
    for name in weights:
        if name not in names:
            raise ParameterError(f"The weights must name attributes. '{name}' is none.")
    given = np.asarray([weights.get(name, 1.0) for name in names], np.float64)
    if not (np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0):
        raise ParameterError("The weights must be numbers of at least 0, one of them above 0.")
    shares: NDArray[np.float64] = given / given.sum()
    return shares


def _mean_loss(partition: Partition, table: Table, variant: Variant) -> float:
    if not partition.collected:
        return 1.0
    lookup = partition.lookup(table.attribute(partition.name))
    if variant == "goldsteen" and isinstance(partition, NumericPartition):
        penalties = _widths(partition)
    else:
        values = np.bincount(lookup, minlength=partition.n_buckets)
        penalties = np.where(values <= 1, 0.0, values / lookup.size)
    codes = np.bincount(table.column(partition.name), minlength=lookup.size)
    return float(np.dot(penalties[lookup], codes) / table.n_rows)


def _widths(partition: NumericPartition) -> NDArray[np.float64]:
    """Return the width of each bucket over that of the domain (eq. 1); 0 for missing values."""
    low, high = partition.domain.low, partition.domain.high
    cuts = np.asarray(partition.cuts, np.float64)
    ends = cuts - 1 if partition.domain.integer else cuts
    widths = np.zeros(partition.n_buckets)
    if high > low:
        # halves keep the difference of two huge numbers finite
        extent = np.append(ends, high) / 2 - np.insert(cuts, 0, low) / 2
        widths[: partition.n_intervals] = extent / (high / 2 - low / 2)
    return np.clip(widths, 0.0, 1.0)

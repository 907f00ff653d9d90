"""The two ends of generalization: everything collected, and nothing."""

from __future__ import annotations

from sparsam.data import Attribute, CategoricalDomain, NumericDomain, round_cut
from sparsam.generalization._categorical_partition import categorical_partition
from sparsam.generalization._document import Partition
from sparsam.generalization._numeric_partition import numeric_partition


def finest(attribute: Attribute) -> Partition:
    """Give every code of an attribute a bucket of its own, missing included.

    Parameters
    ----------
    attribute : Attribute

    Returns
    -------
    Partition
    """
    missing = attribute.n_values if attribute.missing else None
    if isinstance(attribute.domain, NumericDomain):
        ends = zip(attribute.highs[:-1].tolist(), attribute.lows[1:].tolist(), strict=True)
        cuts = [round_cut(below, above) for below, above in ends]
        return numeric_partition(attribute.name, attribute.domain, cuts, missing)
    groups = [[category] for category in attribute.domain.categories]
    return categorical_partition(attribute.name, attribute.domain, groups, missing)


def nothing(attribute: Attribute) -> Partition:
    """Return all values of an attribute the same bucket; its categories are not listed.

    Parameters
    ----------
    attribute : Attribute

    Returns
    -------
    Partition
    """
    if isinstance(attribute.domain, NumericDomain):
        return numeric_partition(attribute.name, attribute.domain, [])
    return categorical_partition(attribute.name, CategoricalDomain(()), [])

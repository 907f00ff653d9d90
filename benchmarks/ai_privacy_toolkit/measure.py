"""What both sides are measured by: one definition of each figure, computed by sparsam."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsam.data import Table, read
from sparsam.generalization import (
    Generalization,
    NumericPartition,
    categorical_partition,
    numeric_partition,
)

MAX_CODES = 4096


@dataclass(frozen=True)
class Rows:
    """Held-out rows beside those that the generalizer learned from, whose domains count.

    Parameters
    ----------
    fit : DataFrame
    held_out : DataFrame
        With no category that the first do not have.
    """

    fit: pd.DataFrame
    held_out: pd.DataFrame

    def fit_table(self) -> Table:
        """Encode the rows that were learned from."""
        return read(self.fit, max_codes=MAX_CODES)

    def held_out_table(self) -> Table:
        """Encode the held-out rows over the domains of all."""
        both = pd.concat([self.fit, self.held_out], ignore_index=True)
        return read(both, max_codes=MAX_CODES).take(np.arange(len(self.fit), len(both)))


@dataclass(frozen=True)
class Loss:
    """Information loss (Goldsteen et al. 2021, eq. 1-2): 0 nothing lost, 1 everything.

    Parameters
    ----------
    announced : float
        The width of a number's bucket is that of the range that is announced.
    seen : float
        It is that of the values seen in it, so that a bucket of one seen value loses nothing.
    """

    announced: float
    seen: float


def losses(generalization: Generalization | None, n_attributes: int, rows: Rows) -> Loss:
    """Measure a generalization; attributes that it does not have are raw and lose nothing."""
    if generalization is None:
        return Loss(0.0, 0.0)
    table, fit = rows.held_out_table(), rows.fit_table()
    check_domains(generalization, fit)
    announced = generalization.information_loss(table).per_attribute
    seen = dict(announced)
    for partition in generalization.partitions:
        if isinstance(partition, NumericPartition) and partition.collected:
            seen[partition.name] = seen_extent(partition, fit, table)
    totals = (sum(found.values()) / n_attributes for found in (announced, seen))
    return Loss(*totals)


def check_domains(generalization: Generalization, fit: Table) -> None:
    """Make sure that widths are divided by the same ranges on both sides."""
    for partition in generalization.partitions:
        if isinstance(partition, NumericPartition):
            ours, theirs = partition.domain, fit.attribute(partition.name).domain
            if (ours.low, ours.high) != (theirs.low, theirs.high):
                raise ValueError(f"The range of '{partition.name}' is not that of the rows.")


def seen_extent(partition: NumericPartition, fit: Table, table: Table) -> float:
    attribute = fit.attribute(partition.name)
    values, buckets = attribute.lows, partition.lookup(attribute)[: len(attribute.lows)]
    low = np.full(partition.n_buckets, np.inf)
    high = np.full(partition.n_buckets, -np.inf)
    np.minimum.at(low, buckets, values)
    np.maximum.at(high, buckets, values)
    extents = np.maximum(high - low, 0.0) / max(values.max() - values.min(), 1)
    lookup = partition.lookup(table.attribute(partition.name))
    return float(extents[lookup[table.column(partition.name)]].mean())


def read_toolkit(found: dict[str, Any], rows: Rows) -> Generalization | None:
    """Read global ranges and groups as the toolkit writes them; the untouched are left out.

    Its ranges are (a, b], ours [a, b); all numbers of the comparison are whole.
    """
    fit, partitions = rows.fit_table(), []
    for name, thresholds in found["ranges"].items():
        domain = fit.attribute(name).domain
        cuts = sorted({math.floor(threshold) + 1 for threshold in thresholds})
        kept = [cut for cut in cuts if domain.low < cut <= domain.high]
        partitions.append(numeric_partition(name, domain, kept))
    for name, groups in found["categories"].items():
        partitions.append(categorical_partition(name, fit.attribute(name).domain, groups))
    return Generalization(partitions) if partitions else None


def needed_by_toolkit(outcome: dict[str, Any], rows: Rows) -> dict[str, Any]:
    """Return the ranges and groups that the toolkit's cells tell apart, as it would announce them.

    After pruning it announces cuts that no cell uses any more.
    """
    known = [leaf["known"] for leaf in outcome["leaves"]]
    ranges, categories = {}, {}
    for name in rows.fit.columns:
        if name in outcome["removed"]:
            continue
        values = rows.fit[name]
        if pd.api.types.is_numeric_dtype(values):
            bounds = {bound for leaf in known for bound in leaf.get(name, [])}
            ranges[name] = sorted(bounds - {None})
        else:
            groups: dict[tuple[bool, ...], list[Any]] = {}
            for value in values.unique():
                held = tuple(value in leaf.get(name, [value]) for leaf in known)
                groups.setdefault(held, []).append(value)
            categories[name] = list(groups.values())
    return {"ranges": ranges, "categories": categories}


def local_loss(outcome: dict[str, Any], rows: Rows) -> float:
    """Measure what the toolkit's cells hide, each by its own ranges: local recoding, eq. 1-2."""
    fit, untouched = rows.fit, set(outcome["removed"])
    by_leaf = {}
    for leaf in outcome["leaves"]:
        shares = [
            0.0 if name in untouched else _share(fit[name], leaf["known"].get(name))
            for name in fit.columns
        ]
        by_leaf[leaf["id"]] = float(np.mean(shares))
    return float(np.mean([by_leaf[leaf] for leaf in outcome["leaf_of_held_out"]]))


def _share(values: pd.Series, known: list[Any] | None) -> float:
    """Return the share of a domain that is left when this much is known of a value."""
    if not pd.api.types.is_numeric_dtype(values):
        n_values = values.nunique()
        n_left = n_values if known is None else len(known)
        return 0.0 if n_left <= 1 else n_left / n_values
    low, high = values.min(), values.max()
    first, last = known or (None, None)
    start = low if first is None else max(low, math.floor(first) + 1)
    end = high if last is None else min(high, math.floor(last))
    return max(0.0, end - start) / max(high - low, 1)


def ambiguous(generalization: Generalization | None, rows: Rows, fed: pd.DataFrame) -> float:
    """Return the share of held-out rows whose fed record is not settled by what is announced.

    0 means that the announced ranges are enough to feed the model, so that nothing finer need be
    collected.
    """
    collected = pd.DataFrame(index=rows.held_out.index)
    names = generalization.names if generalization else ()
    for name in rows.held_out.columns:
        if name not in names:
            collected[name] = rows.held_out[name]
    codes: NDArray[Any] = np.zeros((len(collected), 0))
    if generalization is not None:
        codes = generalization.apply_codes(rows.held_out_table())
    known = pd.concat([collected, pd.DataFrame(codes).add_prefix("bucket ")], axis=1)
    group = known.groupby(list(known.columns), sort=False).ngroup().to_numpy()
    record = fed.astype(str).groupby(list(fed.columns), sort=False).ngroup().to_numpy()
    kinds = pd.DataFrame({"group": group, "record": record}).drop_duplicates()["group"]
    several = kinds.value_counts()
    return float(np.isin(group, several.index[several > 1]).mean())

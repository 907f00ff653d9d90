"""Plan what an engine is to do with every column, and judge what it found."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

from sparsam._errors import DataError
from sparsam.data import NumericDomain, date_of, time_of
from sparsam.data.source import ColumnPlan, LazyFrame
from sparsam.generalization._partition import CategoricalPartition, NumericPartition, Partition
from sparsam.generalization._partition_base import MISSING, OUTSIDE, WRONG_TYPE, refusal


def column_plans(
    partitions: Sequence[Partition], frame: LazyFrame, output: str = "codes"
) -> list[ColumnPlan]:
    """Plan what becomes of the columns of a frame that lives in an engine.

    Parameters
    ----------
    partitions : sequence of Partition
    frame : LazyFrame
        It has a column for each of them.
    output : {"labels", "codes"}, default="codes"

    Raises
    ------
    DataError
        A column holds values of another type.
    """
    return [_column_plan(part, frame, labels_of(part, output)) for part in partitions]


def labels_of(partition: Partition, output: str) -> tuple[str, ...] | None:
    """Return what is given out for each bucket, or None where that is its number."""
    return partition.labels if output == "labels" else None


def check_refused(plans: Sequence[ColumnPlan], refused: Sequence[tuple[int, int]]) -> None:
    """Raise for the values that have no bucket, given how many there are in every column.

    Parameters
    ----------
    plans : sequence of ColumnPlan
    refused : sequence of (int, int)
        Missing and outside.
    """
    for plan, counts in zip(plans, refused, strict=True):
        for reason in (OUTSIDE, MISSING):
            if counts[reason]:
                raise refusal(plan.name, reason, counts[reason])


def _column_plan(
    partition: Partition, frame: LazyFrame, labels: tuple[str, ...] | None
) -> ColumnPlan:
    kind = frame.kind(partition.name)
    if kind not in kinds_of(partition):
        if kind == "text" and "date" in kinds_of(partition):
            raise DataError(
                f"'{partition.name}' must hold dates, and a lazy frame's engine is not asked to "
                "read them from text.\n\nHint: Cast the column to a date there, or collect the "
                "frame first."
            )
        raise refusal(partition.name, WRONG_TYPE)
    common: dict[str, Any] = {
        "name": partition.name,
        "kind": kind,
        "missing": partition.missing,
        "labels": labels,
    }
    if isinstance(partition, NumericPartition):
        domain = partition.domain
        low, high, *cuts = map(_edge_of(domain), (domain.low, domain.high, *partition.cuts))
        bounds = (low, high) if partition.beyond == "error" else None
        on = None if domain.age_on is None else datetime.date.fromisoformat(domain.age_on)
        return ColumnPlan(**common, cuts=cuts, bounds=bounds, age_on=on)
    return ColumnPlan(**common, groups=_members(partition, kind), outside=partition.unseen)


def kinds_of(partition: Partition) -> tuple[str, ...]:
    """The kinds of columns that a partition takes in an engine."""
    if isinstance(partition, CategoricalPartition):
        return ("number", "text", "truth")
    if partition.domain.age_on is not None:
        return ("date", "moment")
    kinds = {None: ("number",), "date": ("date", "moment"), "time": ("time",)}
    return kinds[partition.domain.unit]


def _edge_of(domain: NumericDomain) -> Callable[[float], Any]:
    """How a number of a domain is written in an engine."""
    written: dict[str | None, Callable[[float], Any]] = {"date": date_of, "time": time_of}
    return written.get(domain.unit, float)


def _members(partition: CategoricalPartition, kind: str) -> list[tuple[int, list[Any]]]:
    """Return the members of each group that a column of this kind can meet."""
    groups: list[tuple[int, list[Any]]] = []
    for bucket, group in enumerate(partition.groups):
        if kind == "text":
            members: list[Any] = [member for member in group if isinstance(member, str)]
        else:
            of_kind = [m for m in group if isinstance(m, bool) == (kind == "truth")]
            members = [float(member) for member in of_kind if not isinstance(member, str)]
        groups.append((bucket, members))
    return groups

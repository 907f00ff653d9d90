"""Read later people: at full resolution, or as the generalized records that were collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from sparsam._errors import DataError, hint
from sparsam._small_counts import SMALLEST_COUNT
from sparsam.assess.over_time._baseline import Buckets, Known
from sparsam.attack import task_for
from sparsam.data import (
    CategoricalDomain,
    Roles,
    Source,
    Target,
    Task,
    carried_roles,
    open_as,
    resolve,
)
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    NumericPartition,
    Partition,
    category_label,
    plain,
)

# Why a value has no bucket, as `Partition.slot` says it.
_OUTSIDE, _WRONG_TYPE = 1, 2


@dataclass(frozen=True, repr=False)
class Column:
    """One collected attribute of a table.

    Attributes
    ----------
    buckets : ndarray of int
        Of every person; -1 where the value has none.
    refused, unseen : int
        People whose value has no bucket, and those whose value lies outside the domain and was put
        into a bucket all the same. Generalized records do not tell: both are 0.
    """

    buckets: NDArray[np.int64]
    refused: int = 0
    unseen: int = 0


@dataclass(frozen=True, repr=False)
class People:
    """The people of a table as a generalization sees them.

    Attributes
    ----------
    columns : dict of str to Column
        Of the collected attributes.
    generalized : bool
        Whether the table holds labels of buckets, and nothing finer.
    known : Known or None
        The people whose target is known too, where the table has it.
    why_unknown : str
        Why the target is not known, in words.
    source : Source
    roles : Roles
        How it was read.
    """

    columns: dict[str, Column]
    generalized: bool
    known: Known | None
    why_unknown: str
    source: Source
    roles: Roles

    @property
    def n_people(self) -> int:
        """How many there are."""
        return len(next(iter(self.columns.values())).buckets)

    @property
    def buckets(self) -> Buckets:
        """The bucket of everyone."""
        return {name: column.buckets for name, column in self.columns.items()}

    @property
    def served(self) -> NDArray[np.bool_]:
        """Whose every value has a bucket."""
        fine = np.ones(self.n_people, dtype=bool)
        for column in self.columns.values():
            fine &= column.buckets >= 0
        return fine


def read_people(generalization: Generalization, data: Any, roles: Roles | None = None) -> People:
    """Read a table of later people, whichever way it was collected.

    Parameters
    ----------
    generalization : Generalization
    data : frame, path or mapping
        At full resolution, or generalized records as `Generalization.apply` returns them (labels).
        The target may be among its columns.
    roles : Roles, optional
        What is said of the table, beside what the generalization carries.

    Returns
    -------
    People
    """
    told = (roles or Roles()).completed_by(carried_roles(generalization.about))
    source = open_as(data, told)
    _check_table(generalization, source)
    cells = source.columns(generalization.collected, _texts(generalization))
    readings = {name: _Readings.of(generalization[name], values) for name, values in cells.items()}
    generalized = sum(r.n_labels for r in readings.values()) > sum(
        r.n_values for r in readings.values()
    )
    _check_readings(readings, generalized)
    columns = {
        name: reading.as_labels if generalized else reading.as_values
        for name, reading in readings.items()
    }
    people = People(columns, generalized, None, "", source, told)
    name = told.target or generalization.about.get("target")
    if name is None:
        return replace(people, why_unknown="the artifact does not say what it was learned for")
    column = name if name in source.names else Target.parse(name).column
    if column not in source.names:
        return replace(people, why_unknown=f"the table has no column '{column}'")
    try:
        task = _records(generalization, people, name, column)
    except DataError as error:
        return replace(people, why_unknown=str(error).split("\n", maxsplit=1)[0].rstrip("."))
    buckets = {attribute: task.table.column(attribute) for attribute in generalization.collected}
    return replace(people, known=Known(buckets, task))


def full_tasks(generalization: Generalization, groups: Sequence[People]) -> list[Task] | None:
    """The tasks of one or several groups at full resolution, encoded alike.

    Parameters
    ----------
    generalization : Generalization
    groups : sequence of People

    Returns
    -------
    list of Task, or None
        None where a table does not hold every attribute that could have been collected.
    """
    target = groups[0].roles.target or generalization.about.get("target")
    if target is None or any(people.generalized for people in groups):
        return None
    names = groups[0].source.names
    column = target if target in names else Target.parse(target).column
    wanted = [*generalization.names, column]
    if any(name not in people.source.names for people in groups for name in wanted):
        return None
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in wanted}
    sizes = []
    for people in groups:
        cells = people.source.columns(wanted, _texts(generalization))
        keep = people.served & np.array([plain(value) is not None for value in cells[column]])
        sizes.append(int(keep.sum()))
        for name, values in cells.items():
            columns[name].append(np.asarray(values, dtype=object)[keep])
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    task = task_for(generalization, joined, groups[0].roles)
    ends = np.cumsum([0, *sizes])
    return [task.take(np.arange(ends[i], ends[i + 1])) for i in range(len(sizes))]


def _texts(generalization: Generalization) -> list[str]:
    """The attributes whose categories are texts, so that 01 is not read as 1."""
    return [
        part.name
        for part in generalization
        if isinstance(part, CategoricalPartition)
        and any(isinstance(category, str) for category in part.domain.categories)
    ]


@dataclass(frozen=True, repr=False)
class _Readings:
    """A column, read as values at full resolution and as labels of buckets."""

    n_people: int
    as_values: Column
    n_values: int
    n_wrong_type: int
    as_labels: Column
    n_labels: int

    @classmethod
    def of(cls, partition: Partition, values: NDArray[Any]) -> _Readings:
        cells = list(values.tolist())
        counts = Counter(cells)
        n_buckets = partition.n_buckets
        place = {label: bucket for bucket, label in enumerate(partition.labels)}
        slots = {value: partition.slot(value) for value in counts}
        strict = _strict(partition)
        strange = {value: strict.slot(value) == strict.n_buckets + _OUTSIDE for value in counts}
        labels = {value: _label_bucket(partition, place, value) for value in counts}
        taken = {value: slot if slot < n_buckets else -1 for value, slot in slots.items()}
        refused = sum(n for value, n in counts.items() if taken[value] < 0)
        unseen = sum(n for value, n in counts.items() if taken[value] >= 0 and strange[value])
        return cls(
            n_people=len(cells),
            as_values=Column(np.array([taken[v] for v in cells], np.int64), refused, unseen),
            n_values=len(cells) - refused - unseen,
            n_wrong_type=sum(n for v, n in counts.items() if slots[v] == n_buckets + _WRONG_TYPE),
            as_labels=Column(np.array([labels[value] for value in cells], np.int64)),
            n_labels=sum(n for value, n in counts.items() if labels[value] >= 0),
        )


def _strict(partition: Partition) -> Partition:
    """The same partition, which refuses what lies outside its domain."""
    if isinstance(partition, NumericPartition):
        return structs.replace(partition, beyond="error") if partition.cuts else partition
    if partition.n_groups <= 1:
        return partition
    unseen, missing, labels = partition.unseen, partition.missing, list(partition.labels)
    if unseen is not None and unseen >= partition.n_groups and unseen != missing:
        del labels[unseen]  # a bucket of its own, which then nobody is in
        missing = missing - 1 if missing is not None and missing > unseen else missing
    return structs.replace(partition, unseen=None, missing=missing, labels=tuple(labels))


def _label_bucket(partition: Partition, place: dict[str, int], value: Any) -> int:
    try:
        known = plain(value)
    except TypeError:
        return -1
    if known is None:
        slot = partition.slot(None)
        return slot if slot < partition.n_buckets else -1
    return place.get(category_label(known), -1)


def _check_table(generalization: Generalization, source: Source) -> None:
    if not generalization.collected:
        raise DataError(
            "The artifact collects nothing, so that there is nothing to watch in later people."
        )
    absent = [name for name in generalization.collected if name not in source.names]
    if absent:
        raise DataError(
            "The table must have every attribute that the artifact collects, at full resolution or "
            f"as labels of its buckets. {absent} are absent."
        )
    if source.n_rows == 0:
        raise DataError("A table of later people must have at least one row. Got none.")


def _check_readings(readings: dict[str, _Readings], generalized: bool) -> None:
    if generalized:
        strange = [name for name, r in readings.items() if r.n_labels < r.n_people]
        if strange:
            raise DataError(
                "The table looks like generalized records, but not of this artifact: it does not "
                f"know all labels of {strange}."
                + hint(
                    "give the artifact that the records were generalized with, or apply this one "
                    "to the table at full resolution",
                    "give the artifact that the records were generalized with, or the table at "
                    "full resolution",
                )
            )
        return
    strange = [
        name
        for name, r in readings.items()
        if 2 * r.n_wrong_type >= r.n_people or (r.n_values == 0 and r.n_people >= SMALLEST_COUNT)
    ]
    if strange:
        raise DataError(
            f"The values of {strange} are neither of the kind that the artifact was learned from "
            "nor labels of its buckets."
            + hint(
                "is it a table of another artifact, or are texts missing in `missing_values`?",
                "is it a table of another artifact? --missing names texts that mean missing",
            )
        )


def _records(generalization: Generalization, people: People, target: str, column: str) -> Task:
    """The generalized records of the people whose target is known, as a table of labels."""
    served, roles = people.served, people.roles
    cells = np.asarray(people.source.columns([column])[column], dtype=object)[served]
    records: dict[str, Any] = {}
    for name, read in people.columns.items():
        labels = np.array(generalization[name].labels, dtype=object)
        records[name] = labels[read.buckets[served]]
    domains = {
        name: CategoricalDomain(
            generalization[name].labels,
            ordered=isinstance(generalization[name], NumericPartition),
        )
        for name in people.columns
    }
    settled = Roles(
        target,
        personal="all",
        numeric=[name for name in roles.numeric if name == column],
        categorical=[name for name in roles.categorical if name == column],
        missing_in={column: roles.missing_texts(column)},
        drop_missing_target=True,
        domains=domains,
    )
    return resolve({**records, column: cells}, settled)

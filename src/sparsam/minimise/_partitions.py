"""From buckets of codes to partitions in the user's own units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError, hint
from sparsam._small_counts import SMALLEST_COUNT
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Task, cut_between
from sparsam.generalization import Partition, categorical_partition, numeric_partition
from sparsam.minimise._constraints import Constraints


class Partitions:
    """Makes the partitions of a task's attributes from the buckets of their codes.

    Parameters
    ----------
    task : Task
        The people who are counted.
    constraints : Constraints
        An attribute that must be kept stays at full resolution.
    unseen : {"error", "common"}
        What happens to a category that was never seen, where none is rare: an error, or the most
        common bucket.
    named : bool, default=False
        Whether rare categories must share a bucket with one that can be named.

    Attributes
    ----------
    rare : tuple of ndarray of bool
        For each attribute, which codes stand for categories that are not listed by name.
    """

    def __init__(
        self, task: Task, constraints: Constraints, unseen: str, named: bool = False
    ) -> None:
        self._attributes, self._unseen, self._named = task.table.attributes, unseen, named
        self._must_keep = frozenset(constraints.must_keep)
        self._counts = code_counts(task.codes, task.sizes)
        self.rare = task.rare or rare_codes(task, constraints)
        self._known: dict[tuple[int, bytes], Partition] = {}  # a search passes most of them often

    def __call__(self, a: int, buckets: NDArray[np.integer]) -> Partition:
        """The partition of one attribute.

        Parameters
        ----------
        a : int
            Which attribute.
        buckets : ndarray of int
            The bucket of each of its codes; see `partition_of`.
        """
        attribute, rare = self._attributes[a], self.rare[a]
        if attribute.name in self._must_keep:
            buckets = full_resolution(attribute)
            if rare[: attribute.n_values].all():
                raise ParameterError(
                    f"'{attribute.name}' must be kept, but none of its categories is shared by "
                    f"{SMALLEST_COUNT} people, so that none may be named."
                    + hint(
                        "declare its categories under `domains` in the roles",
                        "declare its categories in a roles file",
                    )
                )
        key = (a, buckets.tobytes())
        if key not in self._known:
            counts = self._counts[a]
            apart = together(buckets, counts, rare, attribute.n_values, self._named)
            self._known[key] = partition_of(attribute, apart, counts, self._unseen, rare)
        return self._known[key]


def rare_together(task: Task, constraints: Constraints) -> Task:
    """The task as a minimiser may see it: people of rare categories all have the same one.

    A category that fewer than five people have would tell who they are, so it is not listed by
    name in an artifact: all of these share one bucket, which is also that of a category never seen.
    What is learned must be learned from that.
    """
    if task.rare:
        return task
    rare = rare_codes(task, constraints)
    if not any(codes.any() for codes in rare):
        return replace(task, rare=rare)
    codes = np.array(task.codes, order="F")
    for a, hidden in enumerate(rare):
        if hidden.any():
            counts = np.bincount(codes[:, a], minlength=len(hidden))
            same = np.arange(len(hidden), dtype=codes.dtype)
            same[hidden] = np.where(hidden, counts, -1).argmax()
            codes[:, a] = same[codes[:, a]]
    return replace(task, table=replace(task.table, codes=codes), rare=rare)


def rare_codes(task: Task, constraints: Constraints) -> tuple[NDArray[np.bool_], ...]:
    """For each attribute, which codes stand for a category that fewer than five people have.

    Numbers, truth values and missing values are never rare; nor is what the user declared, be it
    as a list of categories, as an order or as a hierarchy.
    """
    declared = {*task.declared, *constraints.hierarchies}
    hidden = []
    for attribute, counts in zip(
        task.table.attributes, code_counts(task.codes, task.sizes), strict=True
    ):
        domain = attribute.domain
        rare = np.zeros(attribute.size, dtype=bool)
        if isinstance(domain, CategoricalDomain) and not domain.ordered:
            named = [attribute.name in declared or isinstance(c, bool) for c in domain.categories]
            rare[: attribute.n_values] = (
                counts[: attribute.n_values] < SMALLEST_COUNT
            ) & ~np.array(named)
        hidden.append(rare)
    return tuple(hidden)


def together(
    buckets: NDArray[np.integer],
    counts: NDArray[np.integer],
    rare: NDArray[np.bool_],
    n_values: int,
    named: bool = False,
) -> NDArray[np.integer]:
    """Put all rare categories into one bucket, the one that most of their people are in.

    Parameters
    ----------
    buckets, counts : ndarray of int
        The bucket of each code, and how often it occurs.
    rare : ndarray of bool
        Of each code.
    n_values : int
        The number of codes but for that of missing values.
    named : bool, default=False
        Whether the bucket must hold another category that can be named.

    Returns
    -------
    ndarray of int
        Numbered without gaps: buckets with a category that is not rare first, then one of missing
        values, then one of rare categories only.
    """
    if not rare.any():
        return buckets
    listed = np.zeros(int(buckets.max()) + 1, dtype=bool)
    listed[buckets[:n_values][~rare[:n_values]]] = True
    people = np.bincount(buckets[rare], counts[rare] + 1.0, minlength=len(listed))
    if named and listed.any():
        people = np.where(listed, people, -1.0)
        if people.max() <= 0:
            people = np.bincount(buckets[~rare], counts[~rare], minlength=len(listed)) * listed
    moved = buckets.copy()
    moved[rare] = people.argmax()
    order = [*np.flatnonzero(listed)]
    order += [b for b in dict.fromkeys(moved[n_values:].tolist()) if not listed[b]]
    order += [b for b in dict.fromkeys(moved[rare].tolist()) if b not in order]
    if not listed.any():  # no category can be named: they are bucket 0
        order = list(dict.fromkeys(moved.tolist()))
    place = np.zeros(len(listed), dtype=buckets.dtype)
    place[order] = np.arange(len(order))
    apart: NDArray[np.integer] = place[moved]
    return apart


def partition_of(
    attribute: Attribute,
    buckets: NDArray[np.integer],
    counts: NDArray[np.integer],
    unseen: str = "error",
    rare: NDArray[np.bool_] | None = None,
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
    rare : ndarray of bool, optional
        Codes of categories that must not be listed; they share a bucket with those never seen.
    """
    if attribute.numeric:
        missing = int(buckets[attribute.n_values]) if attribute.missing else None
        return _numeric(attribute, buckets[: attribute.n_values], missing)
    domain = attribute.domain
    assert isinstance(domain, CategoricalDomain)
    n_values = attribute.n_values
    hidden = np.zeros(attribute.size, dtype=bool) if rare is None else rare
    missing = int(buckets[n_values]) if attribute.missing else None
    listed = np.flatnonzero(~hidden[:n_values])
    values = buckets[:n_values]
    if not listed.size or (values == values[0]).all():  # nothing to tell apart, nothing to list
        return categorical_partition(attribute.name, CategoricalDomain(()), [], missing=missing)
    groups = [
        [domain.categories[code] for code in listed[values[listed] == b]]
        for b in range(int(values[listed].max()) + 1)
    ]
    other = int(np.bincount(buckets, weights=counts).argmax()) if unseen == "common" else None
    if hidden.any():
        other = int(values[hidden[:n_values]][0])
    known = CategoricalDomain(tuple(domain.categories[code] for code in listed), domain.ordered)
    return categorical_partition(attribute.name, known, groups, missing=missing, unseen=other)


def _numeric(attribute: Attribute, buckets: NDArray[np.integer], missing: int | None) -> Partition:
    domain = attribute.domain
    assert isinstance(domain, NumericDomain)
    borders = np.flatnonzero(np.diff(buckets)) + 1
    cuts = [
        cut_between(domain, float(attribute.highs[code - 1]), float(attribute.lows[code]))
        for code in borders
    ]
    return numeric_partition(attribute.name, domain, cuts, missing=missing)


def full_resolution(attribute: Attribute) -> NDArray[np.int64]:
    """Every code in a bucket of its own."""
    return np.arange(attribute.size, dtype=np.int64)


def code_counts(codes: NDArray[np.uint16], sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    """How often each code of each attribute occurs."""
    return [np.bincount(codes[:, a], minlength=size) for a, size in enumerate(sizes)]

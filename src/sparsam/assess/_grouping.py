"""Who belongs to which group: people who share a value, or a range of values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, ParameterError, RoleError, hint
from sparsam.data import (
    Attribute,
    CategoricalDomain,
    NumericDomain,
    Task,
    called_group,
    cut_between,
)
from sparsam.generalization import Partition, categorical_partition, numeric_partition

MOST_BY_DEFAULT = 10  # values of an attribute that is looked at unasked
_MOST_VALUES = 20  # of categories that are looked at one by one
_MOST_NUMBERS = 8  # more of them are looked at in quarters
_MOST_GROUPS = 60  # of one grouping
_QUARTERS = (0.25, 0.5, 0.75)
_LEEWAY = 0.05  # of the people, by which a quarter may be larger or smaller for a round cut


@dataclass(frozen=True, repr=False)
class Grouping:
    """One way to put all people into groups.

    Attributes
    ----------
    name : str
        The attribute, or several of them crossed.
    labels : tuple of str
        The groups in words.
    columns : tuple of int
        Positions of the attributes in the table.
    lookups : tuple of ndarray
        For each of these, the bucket of every code.
    sizes : tuple of int
        For each of these, the number of buckets.
    """

    name: str
    labels: tuple[str, ...]
    columns: tuple[int, ...]
    lookups: tuple[NDArray[np.uint16], ...]
    sizes: tuple[int, ...]

    def groups(self, people: Task) -> NDArray[np.int64]:
        """The group of each person, as a position in `labels`."""
        group = np.zeros(people.n_rows, dtype=np.int64)
        for column, lookup, size in zip(self.columns, self.lookups, self.sizes, strict=True):
            group = group * size + lookup[people.codes[:, column]]
        return group


def groupings(task: Task, groups: Sequence[str] | None = None) -> tuple[Grouping, ...]:
    """The groupings that a user names, or those that people would expect.

    Parameters
    ----------
    task : Task
        Its people decide where the quarters of a number lie.
    groups : sequence of str, optional
        Attributes: "sex" groups by value, a number by its quarters; "age=18/65" cuts a number where
        it says; "sex*age=65" crosses two. Where nothing is said, the personal attributes with two
        to ten values that are called as what people are told apart by, such as sex, race or
        disability; without any of them, all personal attributes with so few values.

    Returns
    -------
    tuple of Grouping
    """
    if groups is None:
        return tuple(_grouping(task, name) for name in _expected(task))
    if isinstance(groups, str):
        groups = (groups,)
    return tuple(_grouping(task, text) for text in dict.fromkeys(groups))


def _expected(task: Task) -> list[str]:
    few = [
        attribute.name
        for attribute in (task.table.attributes[place] for place in task.personal)
        if 2 <= attribute.size <= MOST_BY_DEFAULT
    ]
    return [name for name in few if called_group(name)] or few


def _grouping(task: Task, text: str) -> Grouping:
    parts = [text] if text in task.names else [part.strip() for part in text.split("*")]
    named = [_name_and_cuts(task, part) for part in parts]
    names = [name for name, _ in named]
    if len(set(names)) < len(names):
        raise ParameterError(f"An attribute cannot be crossed with itself. Got '{text}'.")
    _check_known(task, names)
    places = tuple(task.names.index(name) for name in names)
    partitions = [
        _partition(task, place, cuts) for place, (_, cuts) in zip(places, named, strict=True)
    ]
    sizes = tuple(partition.n_buckets for partition in partitions)
    n_groups = prod(sizes)
    if n_groups > _MOST_GROUPS:
        raise ParameterError(
            f"At most {_MOST_GROUPS} groups can be looked at together. '{text}' has {n_groups}."
            "\n\nHint: cross attributes with fewer values, or name them one by one."
        )
    lookups = tuple(
        partition.lookup(task.table.attributes[place])
        for place, partition in zip(places, partitions, strict=True)
    )
    labels = tuple(map(", ".join, product(*(partition.labels for partition in partitions))))
    return Grouping(" × ".join(names), labels, places, lookups, sizes)


def _name_and_cuts(task: Task, part: str) -> tuple[str, tuple[str, ...] | None]:
    name, sign, cuts = part.rpartition("=")
    if part in task.names or not sign:
        return part, None
    return name.strip(), tuple(cut.strip() for cut in cuts.split("/"))


def _check_known(task: Task, names: Sequence[str]) -> None:
    for name in names:
        if name == task.target_name:
            raise RoleError(
                f"Groups are made of attributes. '{name}' is the target, which nobody collects."
            )
        if name not in task.names and name in {*task.roles.unread, *task.table.left_out}:
            raise RoleError(
                f"'{name}' is not read, so nobody can be grouped by it."
                + hint(
                    "take it out of identifiers and ignore; Constraints(must_drop=…) keeps it from "
                    "being collected",
                    "take it out of --identifier and --ignore; --must-drop keeps it from being "
                    "collected",
                )
            )
    check_names(names, task.names, "groups")


def _partition(task: Task, place: int, cuts: tuple[str, ...] | None) -> Partition:
    attribute, codes = task.table.attributes[place], task.codes[:, place]
    if attribute.size < 2:
        raise ParameterError(f"'{attribute.name}' has one value only, and so one group: everyone.")
    counts = np.bincount(codes, minlength=attribute.size)[: attribute.n_values]
    if isinstance(attribute.domain, NumericDomain):
        edges = _declared(attribute, attribute.domain, cuts) if cuts else None
        if edges is None:
            edges = _numbers(attribute, attribute.domain, counts)
        own = len(edges) + 1 if attribute.missing else None
        return numeric_partition(attribute.name, attribute.domain, edges, own)
    if cuts:
        raise ParameterError(f"Only numbers can be cut. '{attribute.name}' has categories.")
    return _categories(attribute, attribute.domain, counts)


def _categories(
    attribute: Attribute, domain: CategoricalDomain, counts: NDArray[np.int64]
) -> Partition:
    named: list[list[object]] = [[category] for category in domain.categories]
    if len(named) > _MOST_VALUES:
        if not attribute.ordered:
            raise ParameterError(
                f"Groups need an attribute with at most {_MOST_VALUES} categories. "
                f"'{attribute.name}' has {len(named):,}."
                "\n\nHint: group by an attribute that is coarser."
            )
        borders = [0, *(code + 1 for code in _quarters(counts)), len(named)]
        named = [list(domain.categories[a:b]) for a, b in pairwise(borders)]
    own = len(named) if attribute.missing else None
    return categorical_partition(attribute.name, domain, named, own)  # type: ignore[arg-type]


def _numbers(attribute: Attribute, domain: NumericDomain, counts: NDArray[np.int64]) -> list[float]:
    """Cuts between all of few numbers, and at the quarters of many: round, where that is near."""
    if attribute.n_values <= _MOST_NUMBERS:
        if domain.unit is not None:  # days and times are cut where people would
            return [_border(attribute, domain, code) for code in range(attribute.n_values - 1)]
        return [float(low) for low in attribute.lows[1:]]
    shares, cuts = np.cumsum(counts) / max(1, counts.sum()), []
    for share, code in zip(_QUARTERS, _quarters(counts, keep_all=True), strict=True):
        first, last = np.searchsorted(shares, (share - _LEEWAY, share + _LEEWAY))
        last = min(int(last), attribute.n_values - 2)
        wide = cut_between(domain, attribute.highs[min(int(first), last)], attribute.lows[last + 1])
        cuts.append(wide if _is_border(attribute, wide) else _border(attribute, domain, code))
    return sorted(set(cuts))


def _quarters(counts: NDArray[np.int64], *, keep_all: bool = False) -> list[int]:
    """The last code of each quarter of the people but the fourth."""
    shares = np.cumsum(counts) / max(1, counts.sum())
    codes = [min(int(np.searchsorted(shares, share)), len(counts) - 2) for share in _QUARTERS]
    return codes if keep_all else sorted(set(codes))


def _is_border(attribute: Attribute, cut: float) -> bool:
    """Whether no code stands for numbers on both sides of a cut."""
    return not bool(((attribute.lows < cut) & (attribute.highs >= cut)).any())


def _border(attribute: Attribute, domain: NumericDomain, code: int) -> float:
    """The roundest cut after a code."""
    return cut_between(domain, attribute.highs[code], attribute.lows[code + 1])


def _declared(attribute: Attribute, domain: NumericDomain, cuts: tuple[str, ...]) -> list[float]:
    """The cuts that a user names; of numbers that were read in bins the nearest there are."""
    return sorted({_nearest(attribute, domain, cut) for cut in _parsed(domain, attribute, cuts)})


def _nearest(attribute: Attribute, domain: NumericDomain, cut: float) -> float:
    if _is_border(attribute, cut):
        return cut
    borders = [_border(attribute, domain, code) for code in range(attribute.n_values - 1)]
    return min(borders, key=lambda border: abs(border - cut))


def _parsed(domain: NumericDomain, attribute: Attribute, cuts: tuple[str, ...]) -> Iterator[float]:
    for cut in cuts:
        try:
            yield domain.number(cut if domain.unit else float(cut))
        except (ValueError, DataError):
            example = {"date": "1980-01-01/2000-01-01", "time": "08:00/18:00"}
            raise ParameterError(
                f"The cuts of '{attribute.name}' must look like "
                f"'{attribute.name}={example.get(domain.unit or '', '18/65')}'."
            ) from None

"""The partition of an attribute: numbers cut into intervals, or categories put into groups."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._documents import SAFE_INTEGER
from sparsam._errors import DataError, hint
from sparsam.data import (
    Attribute,
    CategoricalDomain,
    Category,
    Number,
    NumericDomain,
    cut_between,
    reader_of,
)
from sparsam.data import plain as plain_category
from sparsam.generalization import _labels as words
from sparsam.generalization._partition_base import (
    MISSING,
    OUTSIDE,
    WRONG_TYPE,
    FieldError,
    PartitionBase,
    as_double,
    category_key,
    check_index,
    check_labels,
    check_name,
    check_slots,
    plain,
    slot_type,
)

_FEW_CUTS = 24


class NumericPartition(PartitionBase, frozen=True, tag="numeric"):
    """The intervals that the numbers of one attribute are told apart by.

    Numbers are compared as 64-bit floats, as SQL and JavaScript do. Without cuts no number is
    refused: what has no bucket of its own is in bucket 0. With one bucket the attribute is not
    collected.

    Parameters
    ----------
    name : str
        The attribute.
    domain : NumericDomain
    cuts : tuple of float
        Ascending, above ``domain.low`` and at most ``domain.high``; whole numbers where the domain
        is. Bucket i is ``[cuts[i - 1], cuts[i])``. Dates and times of day may be given as texts.
    labels : tuple of str
        One for each bucket.
    missing : int or None, default=None
        The bucket of a missing value; ``len(cuts) + 1`` is a bucket of its own, None an error.
    beyond : {"clamp", "error"}, default="clamp"
        What happens to numbers outside the domain: the first or last bucket, or an error.

    See Also
    --------
    numeric_partition : Makes one and finds the labels.

    Examples
    --------
    >>> age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])
    >>> age.bucket(16), age.bucket(17), age.bucket(120)
    (0, 1, 2)
    >>> print(age.words())
    age: whole numbers 0 to 99 → under 17 | 17–61 | 62 and over
    """

    domain: NumericDomain
    cuts: Annotated[
        tuple[Number, ...],
        Meta(
            description="Ascending. Bucket i holds the numbers from cuts[i-1] to below cuts[i]. "
            "Dates and times of day are written as in the domain.",
            extra_json_schema={"uniqueItems": True},
        ),
    ]
    labels: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="One for each bucket, in order.",
            extra_json_schema={"uniqueItems": True},
        ),
    ]
    missing: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="Bucket of a missing value; null: an error."),
    ] = None
    beyond: Annotated[
        Literal["clamp", "error"],
        Meta(description="Numbers outside the domain: first or last bucket, or an error."),
    ] = "clamp"

    def __post_init__(self) -> None:
        check_name(self.name)
        msgspec.structs.force_setattr(self, "cuts", _numbers(self.domain, self.cuts))
        _check_cuts(self.name, self.domain, self.cuts)
        n_intervals = len(self.cuts) + 1
        check_index(self.name, "missing", self.missing, n_intervals + 1)
        check_labels(self.name, self.labels, max(n_intervals, (self.missing or 0) + 1))
        if not self.cuts:  # what tells no numbers apart has no reason to refuse any
            msgspec.structs.force_setattr(self, "missing", self.missing or 0)
            msgspec.structs.force_setattr(self, "beyond", "clamp")

    def _labels(self) -> tuple[str, ...]:
        return self.labels

    @cached_property
    def written(self) -> list[str]:
        """What our own words for the numbers of each interval are, whatever the labels say."""
        return words.numeric_labels(self.domain, self.cuts)

    @property
    def n_intervals(self) -> int:
        """How many buckets are intervals of numbers."""
        return len(self.cuts) + 1

    def before(self) -> str:
        """Return what the attribute holds when nothing is generalised, in words."""
        domain = self.domain
        if domain.unit is not None:
            return f"{domain.unit}s {words.moment_range(domain.unit, domain.low, domain.high)}"
        # not how many: few values of a range may ever occur
        low, high = words.number_label(domain.low), words.number_label(domain.high)
        if domain.age_on is not None:
            return f"ages {low} to {high} on {domain.age_on}"
        return f"{'whole ' * domain.integer}numbers {low} to {high}"

    def slot(self, value: Any) -> int:
        """Return the bucket of a value, or the number of buckets plus a reason to refuse it."""
        n_buckets = len(self.labels)
        if n_buckets == 1:
            return 0
        if self._calendar is not None:
            try:
                value = self._calendar(value)
            except TypeError:
                return n_buckets + WRONG_TYPE
        elif type(value) is not float and type(value) is not int:
            try:
                value = plain(value)
            except TypeError:
                return n_buckets + WRONG_TYPE
            if isinstance(value, str | bool):
                return n_buckets + WRONG_TYPE
        if value is None or value != value:  # noqa: PLR0124 - the fastest test for NaN
            return n_buckets + MISSING if self.missing is None else self.missing
        number = as_double(value)
        if self.beyond == "error" and not self.domain.low <= number <= self.domain.high:
            return n_buckets + OUTSIDE
        return bisect_right(self.cuts, number)

    @cached_property
    def _calendar(self) -> Callable[[Any], float | None] | None:
        """How a date, a time of day or a date of birth becomes a number, if one is expected."""
        return reader_of(self.domain)

    def number_slots(self, values: NDArray[np.float64]) -> NDArray[np.unsignedinteger]:
        """Return the slot of every number of an array; NaN is missing.

        Parameters
        ----------
        values : ndarray of float64
            Of dates the days, of times the minutes, as the domain counts them.

        Returns
        -------
        ndarray of uint8 or uint16
        """
        dtype = slot_type(self.n_buckets)
        if len(self.cuts) <= _FEW_CUTS:  # counting the cuts below beats a search, up to here
            slots = np.zeros(values.shape, dtype)
            for cut in self.cuts:
                slots += values >= cut
        else:
            slots = np.searchsorted(np.asarray(self.cuts), values, side="right").astype(dtype)
        if self.beyond == "error":
            outside = (values < self.domain.low) | (values > self.domain.high)
            slots[outside] = self.n_buckets + OUTSIDE
        missing = np.isnan(values)
        if missing.any():
            slots[missing] = self.slot(None)
        return slots

    def code_slots(self, attribute: Attribute) -> NDArray[np.unsignedinteger]:
        """Return the slot of every code of an encoded attribute, missing aside."""
        if isinstance(attribute.domain, CategoricalDomain):
            return self.category_slots(attribute.domain)
        slots = self.number_slots(attribute.lows)
        check_slots(self.name, slots, self.n_buckets)
        if attribute.binned:
            _check_bins(self, slots, self.number_slots(attribute.highs))
        return slots


def numeric_partition(
    name: str,
    domain: NumericDomain,
    cuts: Sequence[float],
    missing: int | None = None,
    beyond: Literal["clamp", "error"] = "clamp",
    *,
    labels: Sequence[str] | None = None,
) -> NumericPartition:
    """Cut the numbers of an attribute into buckets, and name the buckets in words.

    Parameters
    ----------
    name : str
    domain : NumericDomain
    cuts : sequence of float
        Ascending. Where the domain has whole numbers only, a cut moves up to the next whole number.
        Dates and times of day may be given as texts: "1960-01-01", "08:30".
    missing : int or None, default=None
        The bucket of a missing value; ``len(cuts) + 1`` is a bucket of its own, None an error.
    beyond : {"clamp", "error"}, default="clamp"
    labels : sequence of str or None, default=None
        None writes them in words.

    Returns
    -------
    NumericPartition

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> numeric_partition("age", NumericDomain(0, 99, integer=True), [16.5], missing=2).labels
    ('under 17', '17 and over', 'missing')
    """
    kept = _numbers(domain, cuts)
    if (
        domain.integer
        and domain.unit is None
        and all(map(math.isfinite, kept))
        and list(kept) == sorted(kept)
    ):
        kept = tuple(dict.fromkeys(float(math.ceil(cut)) for cut in kept))
    if labels is None:
        labels = _interval_labels(domain, kept, missing)
    return NumericPartition(name, domain, kept, tuple(labels), missing, beyond)


def _interval_labels(
    domain: NumericDomain, cuts: tuple[float, ...], missing: int | None
) -> tuple[str, ...]:
    own = missing == len(cuts) + 1
    if not cuts and not own:
        return (words.NOT_COLLECTED,)
    named = words.with_missing(words.numeric_labels(domain, cuts), missing)
    return words.unique_labels([*named, *([words.MISSING] * own)])


def _numbers(domain: NumericDomain, cuts: Sequence[Any]) -> tuple[float, ...]:
    try:
        return tuple(map(domain.number, cuts))
    except DataError as error:
        raise FieldError(str(error), "cuts") from None


def _check_cuts(name: str, domain: NumericDomain, cuts: tuple[float, ...]) -> None:
    if not all(map(math.isfinite, cuts)):
        raise FieldError(f"The cuts of '{name}' must be finite numbers.", "cuts")
    if any(a >= b for a, b in pairwise(cuts)):
        raise FieldError(f"The cuts of '{name}' must ascend, none of them twice.", "cuts")
    if cuts and not (domain.low < cuts[0] and cuts[-1] <= domain.high):
        msg = f"The cuts of '{name}' must lie above the domain's low and at most at its high."
        raise FieldError(msg, "cuts")
    if domain.integer and not all(float(cut).is_integer() for cut in cuts):
        raise FieldError(f"The cuts of '{name}' must be whole numbers as its domain is.", "cuts")


def _check_bins(
    partition: NumericPartition,
    lows: NDArray[np.unsignedinteger],
    highs: NDArray[np.unsignedinteger],
) -> None:
    split = int(np.count_nonzero(lows != highs))
    if split:
        msg = (
            f"'{partition.name}' was read in bins of several values, and {split} of these bins lie "
            "across a cut of its generalization.\n\nHint: Read the table with a larger `max_codes`."
        )
        raise DataError(msg)


_Index = Annotated[int, Meta(ge=0)] | None


class CategoricalPartition(PartitionBase, frozen=True, tag="categorical"):
    """The groups that the categories of one attribute are told apart by.

    The category 1 is met by 1, 1.0 and a numpy integer, never by the text "1" nor by True. With one
    group nothing is refused: what has no bucket of its own is in bucket 0. With one bucket the
    attribute is not collected.

    Parameters
    ----------
    name : str
        The attribute.
    domain : CategoricalDomain
    groups : tuple of tuple of category
        Every category of the domain in exactly one group. Group i is bucket i. None where the
        domain lists no categories: all of them are bucket 0 then.
    labels : tuple of str
        One for each bucket.
    missing : int or None, default=None
        The bucket of a missing value; ``len(groups)`` is a bucket of its own, None an error.
    unseen : int or None, default=None
        The bucket of a category that the domain does not have; the first index after the groups
        (and after a missing bucket of its own) is a bucket of its own, None an error.

    See Also
    --------
    categorical_partition : Makes one and finds the labels.

    Examples
    --------
    >>> domain = CategoricalDomain(("car", "bus", "train"))
    >>> way = categorical_partition("way", domain, [["car"], ["bus", "train"]], unseen=1)
    >>> way.bucket("train"), way.bucket("tram")
    (1, 1)
    """

    domain: CategoricalDomain
    groups: Annotated[
        tuple[
            Annotated[
                tuple[Category, ...], Meta(min_length=1, extra_json_schema={"uniqueItems": True})
            ],
            ...,
        ],
        Meta(
            description="Every category of the domain, in exactly one group. None where the domain "
            "lists no categories: bucket 0 holds all of them."
        ),
    ]
    labels: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="One for each bucket, in order.",
            extra_json_schema={"uniqueItems": True},
        ),
    ]
    missing: Annotated[_Index, Meta(description="Bucket of a missing value; null: an error.")] = (
        None
    )
    unseen: Annotated[
        _Index, Meta(description="Bucket of a category outside the domain; null: an error.")
    ] = None

    def __post_init__(self) -> None:
        check_name(self.name)
        _check_categories(self.name, self.domain.categories)
        _check_groups(self.name, self.domain, self.groups)
        n_groups = self.n_groups
        check_index(self.name, "missing", self.missing, n_groups + 1)
        n_unseen = n_groups + 1 + (self.missing == n_groups) if self.groups else 1
        check_index(self.name, "unseen", self.unseen, n_unseen)
        extra = max(self.missing or 0, self.unseen or 0) + 1
        check_labels(self.name, self.labels, max(n_groups, extra))
        if n_groups == 1:  # what tells no categories apart has no reason to refuse any
            msgspec.structs.force_setattr(self, "missing", self.missing or 0)
            msgspec.structs.force_setattr(self, "unseen", self.unseen or 0)

    def _labels(self) -> tuple[str, ...]:
        return self.labels

    @property
    def n_groups(self) -> int:
        """How many buckets are groups of categories; categories that are not listed are one."""
        return len(self.groups) or 1

    def before(self) -> str:
        """Return what the attribute holds when nothing is generalised, in words."""
        count = len(self.domain.categories)
        if not count:
            return "categories"
        return f"{count:,} categor{'y' if count == 1 else 'ies'}"

    @cached_property
    def _buckets(self) -> dict[Category, int]:
        """Bucket of every text and number."""
        return {
            category: bucket
            for bucket, group in enumerate(self.groups)
            for category in group
            if not isinstance(category, bool)
        }

    @cached_property
    def _truths(self) -> dict[bool, int]:
        """Bucket of every truth value, apart because Python takes True for 1."""
        return {
            category: bucket
            for bucket, group in enumerate(self.groups)
            for category in group
            if isinstance(category, bool)
        }

    def slot(self, value: Any) -> int:
        """Return the bucket of a value, or the number of buckets plus a reason to refuse it."""
        n_buckets = len(self.labels)
        if n_buckets == 1:
            return 0
        if type(value) is not str and type(value) is not int:
            try:
                value = plain(value)
            except TypeError:
                return n_buckets + WRONG_TYPE
            if value is None:
                return n_buckets + MISSING if self.missing is None else self.missing
        bucket = self._truths.get(value) if value is True or value is False else None
        if bucket is None and value is not True and value is not False:
            bucket = self._buckets.get(value)
        if bucket is not None:
            return bucket
        return n_buckets + OUTSIDE if self.unseen is None else self.unseen

    def text_slots(self) -> tuple[list[str], NDArray[np.unsignedinteger]]:
        """Return the categories that are text, and the slots of these, of unseen and of missing.

        Returns
        -------
        texts : list of str
        slots : ndarray of uint8 or uint16, shape (len(texts) + 2,)
        """
        texts = [category for category in self._buckets if isinstance(category, str)]
        slots = [*(self._buckets[text] for text in texts), self._unseen_slot, self.slot(None)]
        return texts, np.asarray(slots, slot_type(self.n_buckets))

    def number_slots(self, values: NDArray[np.float64]) -> NDArray[np.unsignedinteger]:
        """Return the slot of every number of an array; NaN is missing.

        Parameters
        ----------
        values : ndarray of float64

        Returns
        -------
        ndarray of uint8 or uint16
        """
        dtype = slot_type(self.n_buckets)
        known = sorted(category for category in self._buckets if not isinstance(category, str))
        slots = np.full(values.shape, self._unseen_slot, dtype)
        if known:
            numbers = np.asarray(known, np.float64)
            places = np.searchsorted(numbers, values).clip(max=len(known) - 1)
            met = numbers[places] == values
            buckets = np.asarray([self._buckets[category] for category in known], dtype)
            slots[met] = buckets[places[met]]
        slots[np.isnan(values)] = self.slot(None)
        return slots

    @property
    def _unseen_slot(self) -> int:
        return self.n_buckets + OUTSIDE if self.unseen is None else self.unseen

    def code_slots(self, attribute: Attribute) -> NDArray[np.unsignedinteger]:
        """Return the slot of every code of an encoded attribute, missing aside."""
        if isinstance(attribute.domain, CategoricalDomain):
            return self.category_slots(attribute.domain)
        if attribute.binned:
            msg = (
                f"'{self.name}' was read as numbers in bins, and its generalization has "
                "categories." + hint("declare it under `categorical` in the roles", "--categorical")
            )
            raise DataError(msg)
        return self.number_slots(attribute.lows)


def categorical_partition(
    name: str,
    domain: CategoricalDomain,
    groups: Sequence[Sequence[Category]],
    missing: int | None = None,
    unseen: int | None = None,
    *,
    labels: Sequence[str] | None = None,
) -> CategoricalPartition:
    """Put the categories of an attribute into groups, and name the groups in words.

    Parameters
    ----------
    name : str
    domain : CategoricalDomain
    groups : sequence of sequence of category
        Every category of the domain in exactly one group; none where the domain lists none. The
        order of the groups is kept, inside a group the order of the domain is taken.
    missing, unseen : int or None, default=None
        The bucket of a missing value and of a category never seen; None is an error. An index
        after the last group is a bucket of its own.
    labels : sequence of str or None, default=None
        None writes them in words.

    Returns
    -------
    CategoricalPartition

    Examples
    --------
    >>> from sparsam.data import CategoricalDomain
    >>> grades = CategoricalDomain(("first", "second", "third"), ordered=True)
    >>> made = categorical_partition("grade", grades, [["first"], ["third", "second"]], missing=2)
    >>> made.labels
    ('first', 'second – third', 'missing')
    """
    place = {category_key(category): i for i, category in enumerate(domain.categories)}
    last = len(place)
    kept = tuple(
        tuple(
            sorted(
                (plain_category(category) for category in group),
                key=lambda category: place.get(category_key(category), last),
            )
        )
        for group in groups
    )
    _check_groups(name, domain, kept)
    if labels is None:
        labels = _group_labels(domain, kept, missing, unseen)
    return CategoricalPartition(name, domain, kept, tuple(labels), missing, unseen)


def _group_labels(
    domain: CategoricalDomain,
    groups: tuple[tuple[Category, ...], ...],
    missing: int | None,
    unseen: int | None,
) -> tuple[str, ...]:
    n_groups = len(groups) or 1
    own_missing = missing is not None and missing >= n_groups
    own_unseen = unseen is not None and unseen >= n_groups
    if n_groups == 1 and not own_missing and not own_unseen:
        return (words.NOT_COLLECTED,)
    if own_missing and own_unseen and missing == unseen:
        extra = [f"{words.MISSING} or {words.OTHER}"]
    else:
        extra = [words.MISSING] * own_missing + [words.OTHER] * own_unseen
    named = words.group_labels(domain, groups) if n_groups > 1 or own_unseen else [words.ALL]
    if unseen is not None and unseen < n_groups and n_groups > 1:
        named[unseen] += words.OR_OTHER
    return words.unique_labels([*words.with_missing(named, missing), *extra])


def _check_categories(name: str, categories: tuple[Category, ...]) -> None:
    """Raise for numbers that JavaScript would round to another category."""
    if any(isinstance(category, int) and abs(category) > SAFE_INTEGER for category in categories):
        msg = f"Whole numbers as categories of '{name}' must be below 2^53; use text instead."
        raise FieldError(msg, "domain.categories")


def _check_groups(
    name: str, domain: CategoricalDomain, groups: tuple[tuple[Category, ...], ...]
) -> None:
    listed = [category_key(category) for group in groups for category in group]
    known = {category_key(category) for category in domain.categories}
    if not all(groups) or (known and not groups):
        raise FieldError(f"'{name}' must have at least one group, and no empty one.", "groups")
    if len(set(listed)) != len(listed):
        raise FieldError(f"'{name}' must not have a category in two groups.", "groups")
    strange, lost = len(set(listed) - known), len(known - set(listed))
    if strange:
        msg = f"The groups of '{name}' must hold categories of its domain. {strange} are not in it."
        raise FieldError(msg, "groups")
    if lost:
        msg = f"The groups of '{name}' must hold every category of its domain. {lost} are in none."
        raise FieldError(msg, "groups")


Partition = NumericPartition | CategoricalPartition


def finest(attribute: Attribute) -> Partition:
    """Return the partition in which every code has a bucket of its own, missing included.

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
        cuts = [cut_between(attribute.domain, below, above) for below, above in ends]
        return numeric_partition(attribute.name, attribute.domain, cuts, missing)
    groups = [[category] for category in attribute.domain.categories]
    return categorical_partition(attribute.name, attribute.domain, groups, missing)


def nothing(attribute: Attribute) -> Partition:
    """Return the partition with one bucket; its categories are not listed.

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

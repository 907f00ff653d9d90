"""An attribute of categories, put into groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._documents import SAFE_INTEGER
from sparsam._errors import DataError
from sparsam.data import Attribute, CategoricalDomain, Category
from sparsam.data import plain as plain_category
from sparsam.generalization import _labels as words
from sparsam.generalization._partition import (
    PartitionBase,
    check_index,
    check_labels,
    check_name,
)
from sparsam.generalization._refusal import (
    MISSING,
    OUTSIDE,
    WRONG_TYPE,
    FieldError,
    slot_type,
)
from sparsam.generalization._values import category_key, plain

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
        One a bucket.
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
        """Say what the attribute holds when nothing is generalised."""
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
        found = self._truths.get(value) if value is True or value is False else None
        if found is None and value is not True and value is not False:
            found = self._buckets.get(value)
        if found is not None:
            return found
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
                "categories.\n\nHint: Declare it under `categorical` in the roles."
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
        labels = _find_labels(domain, kept, missing, unseen)
    return CategoricalPartition(name, domain, kept, tuple(labels), missing, unseen)


def _find_labels(
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
    return words.unique_labels([*named, *extra])


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

"""An attribute of numbers, cut into intervals."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._documents import SAFE_INTEGER
from sparsam._errors import DataError
from sparsam.data import Attribute, CategoricalDomain, NumericDomain
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
    check_slots,
    slot_type,
)
from sparsam.generalization._values import as_double, plain

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
        is. Bucket i is ``[cuts[i - 1], cuts[i])``.
    labels : tuple of str
        One a bucket.
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
    age: 100 values → under 17, 17–61, 62 and over
    """

    domain: NumericDomain
    cuts: Annotated[
        tuple[float, ...],
        Meta(
            description="Ascending. Bucket i holds the numbers from cuts[i-1] to below cuts[i].",
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
        """What our own words for the intervals are, whatever the labels say."""
        return words.numeric_labels(self.domain, self.cuts)

    @property
    def n_intervals(self) -> int:
        """How many buckets are intervals of numbers."""
        return len(self.cuts) + 1

    def before(self) -> str:
        """Say what the attribute holds when nothing is generalised."""
        domain = self.domain
        count = domain.high - domain.low + 1
        if domain.integer and count <= SAFE_INTEGER:
            return f"{int(count):,} value{'s' * (int(count) != 1)}"
        return f"numbers {words.number_label(domain.low)} to {words.number_label(domain.high)}"

    def slot(self, value: Any) -> int:
        """Return the bucket of a value, or the number of buckets plus a reason to refuse it."""
        n_buckets = len(self.labels)
        if n_buckets == 1:
            return 0
        if type(value) is not float and type(value) is not int:
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
    >>> numeric_partition("age", NumericDomain(0, 99, integer=True), [16.5], missing=2).labels
    ('under 17', '17 and over', 'missing')
    """
    kept = tuple(float(cut) for cut in cuts)
    if domain.integer and all(map(math.isfinite, kept)) and list(kept) == sorted(kept):
        kept = tuple(dict.fromkeys(float(math.ceil(cut)) for cut in kept))
    if labels is None:
        labels = _find_labels(domain, kept, missing)
    return NumericPartition(name, domain, kept, tuple(labels), missing, beyond)


def _find_labels(
    domain: NumericDomain, cuts: tuple[float, ...], missing: int | None
) -> tuple[str, ...]:
    own = missing == len(cuts) + 1
    if not cuts and not own:
        return (words.NOT_COLLECTED,)
    return words.unique_labels([*words.numeric_labels(domain, cuts), *([words.MISSING] * own)])


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

"""What the partitions of numbers and of categories have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data import Attribute, CategoricalDomain, Category

MAX_BUCKETS = 65_000
BETWEEN = " | "
_MOST_LABELS = 8


class PartitionBase(
    msgspec.Struct, frozen=True, dict=True, tag_field="type", forbid_unknown_fields=True
):
    """The buckets of one attribute: the base of both kinds of partition.

    Parameters
    ----------
    name : str
        The attribute.
    """

    name: str

    @abstractmethod
    def _labels(self) -> tuple[str, ...]: ...

    @abstractmethod
    def slot(self, value: Any) -> int:
        """Return the bucket of a value, or the number of buckets plus a reason to refuse it."""

    @abstractmethod
    def code_slots(self, attribute: Attribute) -> NDArray[np.unsignedinteger]:
        """Return the slot of every code of an encoded attribute, missing aside."""

    def category_slots(self, domain: CategoricalDomain) -> NDArray[np.unsignedinteger]:
        """Return the slot of every category of a domain."""
        slots = [self.slot(category) for category in domain.categories]
        return np.asarray(slots, slot_type(self.n_buckets))

    @abstractmethod
    def before(self) -> str:
        """Return what the attribute holds when nothing is generalised, in words."""

    @property
    def n_buckets(self) -> int:
        """How many buckets there are, one for missing values included."""
        return len(self._labels())

    @property
    def collected(self) -> bool:
        """Whether the attribute needs to be asked for at all."""
        return self.n_buckets > 1

    def bucket(self, value: Any) -> int:
        """Put one raw value into its bucket.

        Parameters
        ----------
        value : object
            Text, number, truth value; None or NaN when missing.

        Returns
        -------
        int

        Raises
        ------
        DataError
            The partition has no bucket for this value. The message does not show it.
        """
        slot = self.slot(value)
        n_buckets = len(self._labels())
        if slot < n_buckets:
            return slot
        raise refusal(self.name, slot - n_buckets)

    def lookup(self, attribute: Attribute) -> NDArray[np.uint16]:
        """Return the bucket of every code of an encoded attribute.

        Parameters
        ----------
        attribute : Attribute

        Returns
        -------
        ndarray of uint16, shape (attribute.size,)

        Raises
        ------
        DataError
            Some values of the attribute have no bucket.
        """
        if not self.collected:
            return np.zeros(attribute.size, np.uint16)
        slots = self.code_slots(attribute)
        if attribute.missing:
            slots = np.append(slots, slot_type(self.n_buckets)(self.slot(None)))
        return check_slots(self.name, slots, self.n_buckets).astype(np.uint16)

    def words(self) -> str:
        """Describe the partition on one line.

        Returns
        -------
        str
            Such as "age: whole numbers 0 to 99 → under 17 | 17–61 | 62 and over".
        """
        labels = self._labels()
        shown = len(labels) if len(labels) <= _MOST_LABELS else _MOST_LABELS - 1
        return f"{self.name}: {self.before()} → {listed(labels, shown)}"


def listed(labels: Sequence[str], shown: int) -> str:
    """Write the first labels side by side, and how many buckets follow.

    A label may hold a comma, so that another sign stands between them.

    Examples
    --------
    >>> listed(["under 17", "17–61", "62 and over, or missing"], 3)
    'under 17 | 17–61 | 62 and over, or missing'
    >>> listed(["under 17", "17–61", "62 and over, or missing"], 2)
    'under 17 | 17–61 … and 1 more bucket'
    """
    rest = len(labels) - shown
    more = f" … and {rest:,} more bucket{'s' * (rest != 1)}" if rest > 0 else ""
    return f"{BETWEEN.join(labels[:shown])}{more}"


def check_labels(name: str, labels: tuple[str, ...], expected: int) -> None:
    """Raise unless there is one label for each bucket and no label twice."""
    if expected > MAX_BUCKETS:
        msg = f"'{name}' must have at most {MAX_BUCKETS:,} buckets. Got {expected:,} instead."
        raise FieldError(msg, "labels")
    if len(labels) != expected:
        msg = (
            f"'{name}' must have {expected} labels, one for each bucket. Got {len(labels)} instead."
        )
        raise FieldError(msg, "labels")
    if len(set(labels)) != len(labels):
        raise FieldError(f"'{name}' must not have the same label twice.", "labels")


def check_name(name: str) -> None:
    """Raise unless the attribute has a name."""
    if not name:
        raise FieldError("An attribute must have a name. Got empty text instead.", "name")


def check_index(name: str, field: str, index: int | None, size: int) -> None:
    """Raise unless a bucket index is None or one of ``range(size)``."""
    if index is not None and not 0 <= index < size:
        msg = (
            f"The '{field}' bucket of '{name}' must be null or between 0 and {size - 1}. "
            f"Got {index} instead."
        )
        raise FieldError(msg, field)


MISSING: Final = 0
OUTSIDE: Final = 1
WRONG_TYPE: Final = 2
"""A *slot* is a bucket, or the number of buckets plus one of these three reasons."""

_REASONS: Final = (
    ("is missing", "are missing", "has no bucket for missing values"),
    ("is outside the domain", "are outside the domain", "refuses such values"),
    ("has the wrong type", "have the wrong type", "takes only the types of its domain"),
)
_HINTS: Final = (
    "Fill in the missing values, or make the generalization with a bucket for them.",
    "Correct the values, or make the generalization with a bucket for them.",
    "Numbers must be numbers, not text or true/false; dates must be dates, or texts such as "
    "1960-01-31; categories must be of the domain's type.",
)


class FieldError(ParameterError):
    """A field of a partition has a value that it must not have."""

    def __init__(self, message: str, field: str) -> None:
        self.field = field
        super().__init__(message)


def refusal(name: str, reason: int, count: int = 1) -> DataError:
    """Make the error for values that have no bucket.

    Parameters
    ----------
    name : str
        The attribute.
    reason : {0, 1, 2}
        Missing, outside the domain, or of the wrong type.
    count : int, default=1
        How many values.

    Examples
    --------
    >>> print(refusal("age", MISSING, 3))
    3 values of 'age' are missing, and its generalization has no bucket for missing values.
    <BLANKLINE>
    Hint: Fill in the missing values, or make the generalization with a bucket for them.
    """
    single, many, but = _REASONS[reason]
    what = f"A value of '{name}' {single}" if count == 1 else f"{count:,} values of '{name}' {many}"
    return DataError(f"{what}, and its generalization {but}.\n\nHint: {_HINTS[reason]}")


def check_slots(
    name: str, slots: NDArray[np.unsignedinteger], n_buckets: int
) -> NDArray[np.unsignedinteger]:
    """Raise for the values that have no bucket; give the buckets back otherwise."""
    if slots.size and int(slots.max()) >= n_buckets:
        refused = slots[slots >= n_buckets] - n_buckets
        counts = np.bincount(refused, minlength=3)
        reason = int(np.flatnonzero(counts)[-1])
        raise refusal(name, reason, int(counts[reason]))
    return slots


def slot_type(n_buckets: int) -> type[np.uint8] | type[np.uint16]:
    """Choose the smallest integer that holds every bucket and every reason."""
    return np.uint8 if n_buckets + len(_REASONS) <= 256 else np.uint16


_MISSING_TYPES: Final = frozenset({"NAType", "NaTType"})


def plain(value: Any) -> Category | None:
    """Turn a value of any library into text, a number, a truth value, or None for missing.

    Parameters
    ----------
    value : object
        None, NaN, NaT and pandas' NA mean missing.

    Returns
    -------
    str, int, float, bool or None

    Raises
    ------
    TypeError
        The value is none of these: a date, a list, bytes.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.int64(3)), plain(np.bool_(True)), plain(float("nan"))
    (3, True, None)
    """
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Decimal | Fraction):
        value = float(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    msg = f"text, a number or a truth value was expected, {type(value).__name__} came"
    raise TypeError(msg)


def as_double(value: float) -> float:
    """Round a number to a 64-bit float, as SQL and JavaScript do before they compare.

    Examples
    --------
    >>> as_double(2**53 + 1) == 2.0**53, as_double(10**400)
    (True, inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def category_key(category: Category) -> tuple[bool, Category]:
    """Tell True from 1, which Python holds for equal; 1 and 1.0 stay the same category.

    Examples
    --------
    >>> category_key(1) == category_key(1.0), category_key(1) == category_key(True)
    (True, False)
    """
    return isinstance(category, bool), category

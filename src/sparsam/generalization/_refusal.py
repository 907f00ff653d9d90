"""Errors for values that a generalization has no bucket for; none of them shows the value."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError

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
    "Numbers must be numbers, not text or true/false; categories must be of the domain's type.",
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
    one, many, but = _REASONS[reason]
    what = f"A value of '{name}' {one}" if count == 1 else f"{count:,} values of '{name}' {many}"
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

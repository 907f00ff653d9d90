"""The values that an attribute can take."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from sparsam._errors import DataError

Category = str | int | float | bool


class NumericDomain(msgspec.Struct, frozen=True, tag_field="type", tag="numeric"):
    """A range of numbers, both ends included.

    Parameters
    ----------
    low, high : float
        The smallest and the largest number.
    integer : bool, default=False
        Whether only whole numbers occur.

    Examples
    --------
    >>> NumericDomain(0, 99, integer=True)
    NumericDomain(low=0.0, high=99.0, integer=True)
    """

    low: float
    high: float
    integer: bool = False

    def __post_init__(self) -> None:
        for end in ("low", "high"):
            msgspec.structs.force_setattr(self, end, float(getattr(self, end)))
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise DataError(
                "The ends of a numeric domain must be finite numbers with low <= high. "
                f"Got {self.low} and {self.high} instead."
            )


class CategoricalDomain(msgspec.Struct, frozen=True, tag_field="type", tag="categorical"):
    """A list of categories.

    Parameters
    ----------
    categories : tuple of str, int, float or bool
        Every category once. Whole floats become ints (1.0 is the category 1). None at all where
        they are not listed, as of an attribute that is not collected.
    ordered : bool, default=False
        Whether the list runs from least to most.

    Examples
    --------
    >>> CategoricalDomain(("low", "high"), ordered=True)
    CategoricalDomain(categories=('low', 'high'), ordered=True)
    """

    categories: tuple[Category, ...]
    ordered: bool = False

    def __post_init__(self) -> None:
        categories = tuple(plain(category) for category in self.categories)
        msgspec.structs.force_setattr(self, "categories", categories)
        check_categories(categories)


Domain = NumericDomain | CategoricalDomain


def plain(value: object) -> Category:
    """Return a category as a plain Python value: whole floats as ints, numpy scalars unwrapped.

    Examples
    --------
    >>> plain(2.0)
    2
    """
    item = getattr(value, "item", None)
    if callable(item) and not isinstance(value, (str, int, float)):
        value = item()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(value)
    raise DataError(
        "A category must be a text, a number or a truth value. "
        f"Got a {type(value).__name__} instead."
    )


def check_categories(categories: Sequence[Category]) -> None:
    """Refuse a category that occurs twice and NaN."""
    if any(isinstance(category, float) and not math.isfinite(category) for category in categories):
        raise DataError("A category must be finite: missing values are no category.")
    twice = len(categories) - len(set(categories))
    if twice:
        raise DataError(f"Every category must occur once. Got {twice} repeated instead.")

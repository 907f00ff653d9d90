"""Columns of zeros and ones that are one attribute, and the attribute that they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, ParameterError
from sparsam.data.model._replace import Replacement
from sparsam.data.source._column import Column

NONE = "none of them"
_SEPARATORS = ("__", "_", "=", ":", ".", "-", " ")


@dataclass(frozen=True)
class Slices:
    """The columns of zeros and ones that stand for one original attribute.

    Parameters
    ----------
    name : str
        The original attribute.
    columns : tuple of str
        Its columns, one per category.

    Examples
    --------
    >>> Slices("sex", ("sex_female", "sex_male")).categories
    ('female', 'male')
    """

    name: str
    columns: tuple[str, ...]

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the columns, without the name of the attribute where all begin with it."""
        for separator in _SEPARATORS:
            prefix = f"{self.name}{separator}"
            if all(column.startswith(prefix) and column != prefix for column in self.columns):
                return tuple(column.removeprefix(prefix) for column in self.columns)
        return self.columns

    def column(self, raw: Mapping[str, NDArray[Any]]) -> Column:
        """Join the columns of zeros and ones into one column of categories.

        Parameters
        ----------
        raw : mapping of str to ndarray
            At least the columns of this attribute.
        """
        ones = np.column_stack([_ones(name, raw[name]) for name in self.columns])
        several = int((ones.sum(axis=1) > 1).sum())
        if several:
            raise DataError(
                f"At most one of the columns of '{self.name}' must be 1 in a row. "
                f"Got {several:,} rows with more.\n\nHint: are they slices of one attribute?"
            )
        none = ~ones.any(axis=1)
        labels = np.empty(len(self.columns) + 1, dtype=object)
        labels[:] = [*self.categories, NONE]
        order = (*self.categories, NONE) if none.any() else self.categories
        values = labels[np.where(none, len(self.columns), ones.argmax(axis=1))]
        return Column(self.name, values, categorical=True, order=order)

    def expand(self, joined: Replacement, flags: bool = False) -> dict[str, Replacement]:
        """Part a column of categories into the columns of zeros and ones again.

        Parameters
        ----------
        joined : Replacement
            Categories of this attribute; any other value is none of them.
        flags : bool, default=False
            Whether the columns hold truth values.

        Examples
        --------
        >>> sex = Slices("sex", ("sex_female", "sex_male"))
        >>> parted = sex.expand(Replacement(["male", "female"], np.array([0, 1, 0])))
        >>> parted["sex_male"].array()
        array([1, 0, 1])
        """
        kind = bool if flags else int
        return {
            column: Replacement([kind(value == own) for value in joined.values], joined.index)
            for column, own in zip(self.columns, self.categories, strict=True)
        }


def check_slices(
    slices: Mapping[str, Sequence[str]] | None, names: Collection[str]
) -> tuple[Slices, ...]:
    """Check what the user declares: columns that exist, each in one attribute only.

    Parameters
    ----------
    slices : mapping of str to sequence of str, or None
        Original attribute and its columns of zeros and ones.
    names : collection of str
        The columns of the table.
    """
    attributes = tuple(Slices(name, tuple(columns)) for name, columns in (slices or {}).items())
    taken: set[str] = set()
    for attribute in attributes:
        check_names(attribute.columns, names, "slices")
        if len(attribute.columns) == 0 or isinstance((slices or {})[attribute.name], str):
            raise ParameterError(
                f"The 'slices' parameter must list the columns of '{attribute.name}', at least one."
            )
        again = taken & set(attribute.columns) or len(set(attribute.columns)) < len(
            attribute.columns
        )
        if again:
            raise ParameterError(
                "The 'slices' parameter must name a column once. "
                f"Got one more than once under '{attribute.name}'."
            )
        if NONE in attribute.categories:
            raise ParameterError(f"A column of '{attribute.name}' must not be called '{NONE}'.")
        taken |= set(attribute.columns)
    clash = [attribute.name for attribute in attributes if attribute.name in set(names) - taken]
    if clash:
        raise ParameterError(
            f"The 'slices' parameter must give the attribute a name of its own. '{clash[0]}' is "
            "another column.\n\nHint: list that column among its slices, or choose another name."
        )
    return attributes


def _ones(name: str, values: NDArray[Any]) -> NDArray[np.bool_]:
    true, zero = np.asarray(values == 1, dtype=bool), np.asarray(values == 0, dtype=bool)
    other = int((~(true | zero)).sum())
    if other:
        raise DataError(
            f"'{name}' must hold only 0 and 1, as a slice of an attribute. "
            f"Got {other:,} rows with something else."
        )
    return true

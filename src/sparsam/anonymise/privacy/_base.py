"""What all privacy models have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam._checks import suggestion
from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.anonymise.proof._certificate import Terms
from sparsam.data import Attribute, CategoricalDomain, Table

Rows = NDArray[np.int64]
Others = Mapping[str, NDArray[Any]]
# Sums of shares miss their exact value by round-off; a class of l equal shares is l-diverse.
ROUNDING = 1e-9
_Own = TypeVar("_Own", bound="SimpleModel")
_Data = TypeVar("_Data")


class PrivacyModel(ABC):
    """What must be true of people before they may be published as one.

    All models here are monotone: what holds for two classes holds for both of them together.
    """

    @property
    @abstractmethod
    def parts(self) -> tuple[SimpleModel, ...]:
        """The single demands."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns beside the quasi-identifiers that the model must see."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.terms.needs))

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return max(part.least_rows for part in self.parts)

    @property
    def plain_k(self) -> int | None:
        """The k where the number of rows decides alone, None where values matter as well."""
        return None

    @abstractmethod
    def holds(self, rows: Rows) -> bool:
        """Whether these rows may be one class.

        Parameters
        ----------
        rows : ndarray of int
            Positions of rows in the table that the model was bound to.
        """

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Say the model in words and as plain JSON."""

    @abstractmethod
    def bound(self, table: Table, others: Others | None = None) -> PrivacyModel:
        """Return the same model, with the columns that it must see.

        Parameters
        ----------
        table : Table
            Sensitive columns.
        others : mapping of str to ndarray, optional
            Columns that are not encoded, such as the one that says whose row it is.
        """

    def among(self, rows: Rows) -> PrivacyModel:
        """Return the same demand for a release of these rows only.

        Parameters
        ----------
        rows : ndarray of int
        """
        return self

    def attainable(self, n_rows: int) -> None:
        """Raise unless all rows together satisfy the model: otherwise no way to divide them does.

        Parameters
        ----------
        n_rows : int
            The rows of the table.
        """
        broken = [part for part in self.parts if not part.holds(np.arange(n_rows))]
        if broken:
            raise DataError(
                f"The {n_rows:,} rows together must satisfy the privacy model. They do not: "
                f"{broken[0].terms.words}.\n\nHint: ask for less, or bring more rows."
            )


class SimpleModel(PrivacyModel):
    """A single demand, whose terms can be written into a certificate."""

    @property
    def parts(self) -> tuple[SimpleModel, ...]:
        """The model itself."""
        return (self,)

    @property
    @abstractmethod
    def terms(self) -> Terms:
        """The demand, as a certificate states it."""

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return 1

    def describe(self) -> dict[str, Any]:
        """Say the model in words and as plain JSON."""
        return {**msgspec.to_builtins(self.terms), "words": self.terms.words}

    @abstractmethod
    def bound(self: _Own, table: Table, others: Others | None = None) -> _Own:
        """Return the same model, with the columns that it must see."""


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """A sensitive column: codes of the values that occur, from least to most, missing last."""

    codes: NDArray[np.int64]
    size: int
    missing: bool
    order: tuple[Any, ...] | None
    bins: tuple[float, ...] | None

    def counts(self, rows: Rows) -> NDArray[np.int64]:
        """Count the values of these rows."""
        return np.bincount(self.codes[rows], minlength=self.size)


def sensitive_attribute(name: str, table: Table) -> Attribute:
    """Find a sensitive column, or name the one that was probably meant."""
    if name not in table.names:
        raise RoleError(f"'{name}' is not a sensitive column.{suggestion(name, table.names)}")
    return table.attribute(name)


def sensitive_values(name: str, table: Table) -> Values:
    """Number the values of a sensitive column that occur, in order."""
    attribute = sensitive_attribute(name, table)
    occurring, codes = np.unique(table.column(name), return_inverse=True)
    order: tuple[Any, ...] | None = None
    if isinstance(attribute.domain, CategoricalDomain) and attribute.ordered:
        order = attribute.domain.categories
    bins = tuple(attribute.lows.tolist()) if attribute.binned else None
    missing = bool(occurring[-1] == attribute.n_values) if len(occurring) else False
    return Values(codes.astype(np.int64), len(occurring), missing, order, bins)


def given(data: _Data | None, model: SimpleModel) -> _Data:
    """Return the data that a model was bound to, or say that it was not."""
    if data is None:
        raise ParameterError(
            f"{type(model).__name__} must see its column before it can judge rows."
            "\n\nHint: use `bound(table)` first."
        )
    return data


def is_number(value: object) -> bool:
    """Whether a parameter is a finite number."""
    number = isinstance(value, int | float | np.integer | np.floating)
    return number and not isinstance(value, bool) and math.isfinite(float(value))  # type: ignore[arg-type]


def check_whole(model: object, name: str, value: object) -> None:
    """Raise unless a parameter is a whole number of at least 2."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 2:
        raise wrong_parameter(model, name, "an int >= 2", value)


def wrong_parameter(model: object, name: str, expected: str, value: object) -> ParameterError:
    """Make the error for a parameter that must be something else."""
    return ParameterError(
        f"The '{name}' parameter of {type(model).__name__} must be {expected}. "
        f"Got {value!r} instead."
    )

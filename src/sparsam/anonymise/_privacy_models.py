"""Privacy models: what must be true of people before they may be published as one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import (
    check_choice,
    check_share,
    check_whole,
    is_number,
    suggestion,
    wrong_parameter,
)
from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.anonymise.proof._certificate import (
    ClosenessTerms,
    DistinctDiversityTerms,
    EntropyDiversityTerms,
    KAnonymityTerms,
    RecursiveDiversityTerms,
    Terms,
)
from sparsam.data import Attribute, CategoricalDomain, Table, factorise

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


@dataclass(frozen=True)
class KAnonymity(SimpleModel):
    """Nobody stands alone: at least k rows, or k people, share every published record.

    Parameters
    ----------
    k : int
        At least 2.
    entity : str, optional
        The column that says whose row it is: several rows of one person count once. Rows that do
        not say whose they are count as one person's.

    Examples
    --------
    >>> KAnonymity(3).holds(np.array([4, 5, 9]))
    True
    >>> whose = {"person": np.array([1, 1, 2, 3])}
    >>> KAnonymity(3, entity="person").bound(None, whose).holds(np.array([0, 1, 2]))
    False
    """

    k: int
    entity: str | None = None
    _people: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_whole("KAnonymity", "k", self.k, 2)

    @property
    def terms(self) -> KAnonymityTerms:
        """The demand, as a certificate states it."""
        return KAnonymityTerms(k=int(self.k), entity=self.entity)

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return self.k

    @property
    def plain_k(self) -> int | None:
        """The k, unless several rows may be one person's."""
        return self.k if self.entity is None else None

    def bound(self, table: Table | None, others: Others | None = None) -> KAnonymity:
        """Return the same model, knowing whose row each one is.

        Parameters
        ----------
        table : Table or None
        others : mapping of str to ndarray, optional
            Columns that are not encoded.
        """
        if self.entity is None:
            return self
        return replace(self, _people=_people(self.entity, table, others or {}))

    def holds(self, rows: Rows) -> bool:
        """Whether at least k rows, or people, are among these."""
        if self.entity is None or len(rows) < self.k:
            return len(rows) >= self.k
        people = given(self._people, self)
        looked_at = 4 * self.k
        while True:  # a few rows decide in nearly every large class
            if len(np.unique(people[rows[:looked_at]])) >= self.k:
                return True
            if looked_at >= len(rows):
                return False
            looked_at *= 4


@dataclass(frozen=True, init=False)
class AllOf(PrivacyModel):
    """Several privacy models at once.

    Parameters
    ----------
    *models : PrivacyModel
        At least one.

    Examples
    --------
    >>> both = AllOf(KAnonymity(5), DistinctDiversity(2, "illness"))
    >>> both.least_rows, both.needs
    (5, ('illness',))
    """

    models: tuple[SimpleModel, ...]

    def __init__(self, *models: PrivacyModel) -> None:
        if not models:
            raise ParameterError("AllOf needs at least one privacy model. Got none.")
        flat = tuple(part for model in models for part in model.parts)
        object.__setattr__(self, "models", flat)

    @property
    def parts(self) -> tuple[SimpleModel, ...]:
        """The single demands."""
        return self.models

    @property
    def plain_k(self) -> int | None:
        """The k where the number of rows decides alone, None where values matter as well."""
        each = [part.plain_k for part in self.models]
        known = [k for k in each if k is not None]
        return max(known) if len(known) == len(each) else None

    def bound(self, table: Table, others: Others | None = None) -> AllOf:
        """Return the same models, with the columns that they must see."""
        return AllOf(*(part.bound(table, others) for part in self.models))

    def holds(self, rows: Rows) -> bool:
        """Whether these rows satisfy every model."""
        return all(part.holds(rows) for part in self.models)

    def among(self, rows: Rows) -> AllOf:
        """Return the same demands for a release of these rows only."""
        return AllOf(*(part.among(rows) for part in self.models))


def _people(name: str, table: Table | None, others: Others) -> NDArray[np.int64]:
    if name in others:
        return factorise(name, np.asarray(others[name]), as_text=True).codes.astype(np.int64)
    known = table.names if table is not None else ()
    if table is None or name not in known:
        listed = (*others, *known)
        raise RoleError(f"'{name}' is not a column of people.{suggestion(name, listed)}")
    return table.column(name).astype(np.int64)


_OwnDiversity = TypeVar("_OwnDiversity", bound="Diversity")


class Diversity(SimpleModel):
    """A demand on how mixed the values of a sensitive column are in a class."""

    sensitive: str
    _values: Values | None

    def bound(self: _OwnDiversity, table: Table, others: Others | None = None) -> _OwnDiversity:
        """Return the same model, with its sensitive column."""
        return replace(self, _values=sensitive_values(self.sensitive, table))  # type: ignore[type-var]

    def holds(self, rows: Rows) -> bool:
        """Whether the sensitive values of these rows are mixed enough."""
        counts = given(self._values, self).counts(rows)
        return bool(len(rows)) and self._mixed(counts[counts > 0])

    @abstractmethod
    def _mixed(self, counts: NDArray[np.int64]) -> bool:
        """Whether values that occur so often are mixed enough."""


@dataclass(frozen=True)
class DistinctDiversity(Diversity):
    """A class tells nobody's sensitive value: at least l different ones occur in it.

    A missing value counts as a value of its own (Machanavajjhala et al. 2007).

    Parameters
    ----------
    l : int
        At least 2.
    sensitive : str
        The column.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.data import read
    >>> model = DistinctDiversity(2, "illness").bound(read({"illness": ["flu", "flu", "none"]}))
    >>> model.holds(np.array([0, 1])), model.holds(np.array([1, 2]))
    (False, True)
    """

    l: int  # noqa: E741 - the name that the papers give it
    sensitive: str
    _values: Values | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_whole(type(self).__name__, "l", self.l, 2)

    @property
    def terms(self) -> DistinctDiversityTerms:
        """The demand, as a certificate states it."""
        return DistinctDiversityTerms(l=int(self.l), sensitive=self.sensitive)

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return self.l

    def _mixed(self, counts: NDArray[np.int64]) -> bool:
        return len(counts) >= self.l


@dataclass(frozen=True)
class EntropyDiversity(Diversity):
    """The sensitive values of a class are at least as mixed as l equally common ones.

    The entropy of the values in a class must be at least log(l).

    Parameters
    ----------
    l : float
        More than 1.
    sensitive : str
        The column.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.data import read
    >>> table = read({"illness": ["flu", "none", "none", "none"]})
    >>> [EntropyDiversity(l, "illness").bound(table).holds(np.arange(4)) for l in (1.7, 1.8)]
    [True, False]
    """

    l: float  # noqa: E741 - the name that the papers give it
    sensitive: str
    _values: Values | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not is_number(self.l) or not self.l > 1:
            raise wrong_parameter(type(self).__name__, "l", "a number > 1", self.l)

    @property
    def terms(self) -> EntropyDiversityTerms:
        """The demand, as a certificate states it."""
        return EntropyDiversityTerms(l=float(self.l), sensitive=self.sensitive)

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return math.ceil(self.l - ROUNDING)

    def _mixed(self, counts: NDArray[np.int64]) -> bool:
        shares = counts / counts.sum()
        return bool(-(shares * np.log(shares)).sum() >= math.log(self.l) - ROUNDING)


@dataclass(frozen=True)
class RecursiveDiversity(Diversity):
    """The most common sensitive value of a class is not too common beside the rarer ones.

    With the values ordered from the most to the least common, r1 < c (r_l + ... + r_m).

    Parameters
    ----------
    c : float
        More than 0.
    l : int
        At least 2.
    sensitive : str
        The column.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.data import read
    >>> table = read({"illness": ["flu", "cold", "none", "none"]})
    >>> [RecursiveDiversity(c, 2, "illness").bound(table).holds(np.arange(4)) for c in (1, 1.1)]
    [False, True]
    """

    c: float
    l: int  # noqa: E741 - the name that the papers give it
    sensitive: str
    _values: Values | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_whole(type(self).__name__, "l", self.l, 2)
        if not is_number(self.c) or not self.c > 0:
            raise wrong_parameter(type(self).__name__, "c", "a number > 0", self.c)

    @property
    def terms(self) -> RecursiveDiversityTerms:
        """The demand, as a certificate states it."""
        return RecursiveDiversityTerms(c=float(self.c), l=int(self.l), sensitive=self.sensitive)

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return self.l

    def _mixed(self, counts: NDArray[np.int64]) -> bool:
        falling = np.sort(counts)[::-1]
        return bool(falling[0] < self.c * falling[self.l - 1 :].sum())


@dataclass(frozen=True)
class Closeness(SimpleModel):
    """A class tells little more about the sensitive value than the whole table does.

    The distance between the spread of values in the class and in the whole table is at most t
    (Li et al. 2007). *Equal*: any two values are equally far apart, so that the distance is half
    the sum of the differences of shares. *Ordered*: the distance is the mean difference of the
    cumulated shares. A missing value is as far from every other as the least from the most.

    Parameters
    ----------
    t : float
        From 0 (the very same spread) to 1 (anything).
    sensitive : str
        The column.
    distance : {"equal", "ordered"}, default="equal"
        Ordered needs numbers or ordered categories.

    Notes
    -----
    Where an ordered value may be missing, the distance is ``|p - q| + (1 - p) d``, with p and q the
    missing shares in the class and in the table and d the distance among those who have a value.
    This is never less than the earth mover's distance, and a demand on it stays monotone.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.data import read
    >>> table = read({"income": [1, 2, 3, 4, 5, 6, 7, 8, 9]})
    >>> Closeness(0.2, "income", "ordered").bound(table).distance_of(np.array([0, 1, 2]))
    0.375
    """

    t: float
    sensitive: str
    distance: Literal["equal", "ordered"] = "equal"
    _values: Values | None = field(default=None, repr=False, compare=False)
    _whole: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_share("Closeness", "t", self.t)
        check_choice("Closeness", "distance", self.distance, ("equal", "ordered"))

    @property
    def terms(self) -> ClosenessTerms:
        """The demand, as a certificate states it."""
        values = self._values
        return ClosenessTerms(
            t=float(self.t),
            sensitive=self.sensitive,
            distance=self.distance,
            order=values.order if values is not None and self.distance == "ordered" else None,
            bins=None if values is None else values.bins,
        )

    def bound(self, table: Table, others: Others | None = None) -> Closeness:
        """Return the same model, with its sensitive column."""
        if self.distance == "ordered" and not sensitive_attribute(self.sensitive, table).ordered:
            raise ParameterError(
                "The 'distance' parameter of Closeness must be 'equal' for categories without an "
                f"order. '{self.sensitive}' has none.\n\nHint: declare its order in the roles."
            )
        values = sensitive_values(self.sensitive, table)
        everybody = np.arange(table.n_rows)
        return replace(self, _values=values, _whole=values.counts(everybody))

    def among(self, rows: Rows) -> Closeness:
        """Return the same demand for a release of these rows only: their spread is the whole.

        A release is compared with itself: suppressed rows do not count.

        Parameters
        ----------
        rows : ndarray of int
        """
        return replace(self, _whole=given(self._values, self).counts(rows))

    def distance_of(self, rows: Rows) -> float:
        """Measure how far the spread among these rows is from that in the whole table."""
        values, whole = given(self._values, self), given(self._whole, self)
        inside = values.counts(rows)
        occurs = whole > 0
        if inside[~occurs].any():
            return 1.0  # a value that the whole does not have at all
        p, q = inside[occurs] / inside.sum(), whole[occurs] / whole.sum()
        if self.distance == "equal":
            return float(np.abs(p - q).sum() / 2)
        if values.missing and occurs[-1]:
            known = _ordered_distance(p[:-1], q[:-1])
            return min(1.0, abs(float(p[-1] - q[-1])) + float(1 - p[-1]) * known)
        return _ordered_distance(p, q)

    def holds(self, rows: Rows) -> bool:
        """Whether these rows tell little more than the whole table."""
        return bool(len(rows)) and self.distance_of(rows) <= self.t + ROUNDING


def _ordered_distance(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Earth mover's distance between two spreads over values in order, each made to sum to 1."""
    if len(p) < 2 or not p.sum() or not q.sum():
        return 0.0
    apart = np.cumsum(p / p.sum() - q / q.sum())
    return float(np.abs(apart[:-1]).sum() / (len(p) - 1))
